package postoffice

import (
	"log"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
	"github.com/google/go-cmp/cmp"
)

func TestIMAPLogin(t *testing.T) {
	t.Parallel()
	type login struct{ User, Proto string }
	logins := make(chan login, 10)
	s := start(t, func(o *Options) { o.OnLogin = func(user, proto string) { logins <- login{user, proto} } })
	for _, tt := range []struct {
		name, user, password string
		ok                   bool
	}{
		{"address", "alice@" + domain, "alice-secret", true},
		{"local part in another case", "Alice", "alice-secret", true},
		{"wrong password", "alice", "alice-secre", false},
		{"empty password", "alice", "", false},
		{"unknown user", "zog", "", false},
		{"other domain", "alice@elsewhere.test", "alice-secret", false},
		{"fault address", "timeout", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := imapclient.DialInsecure(s.IMAPAddr(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Login(tt.user, tt.password).Wait(); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
			select {
			case got := <-logins:
				if want := (login{"alice", "imap"}); !tt.ok || got != want {
					t.Errorf("OnLogin got %v", got)
				}
			default:
				if tt.ok {
					t.Error("OnLogin was not called")
				}
			}
		})
	}

	c, err := imapclient.DialInsecure(s.IMAPAddr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Authenticate(sasl.NewPlainClient("", "alice", "alice-secret")); err != nil {
		t.Errorf("AUTHENTICATE PLAIN: %v", err)
	}
}

func TestIdleIsWokenByALetterAndByAnotherSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	exists, flags := make(chan uint32, 10), make(chan []imap.Flag, 10)
	c := reader(t, s, "bob", &imapclient.Options{UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Mailbox: func(data *imapclient.UnilateralDataMailbox) {
			if data.NumMessages != nil {
				exists <- *data.NumMessages
			}
		},
		Fetch: func(msg *imapclient.FetchMessageData) {
			if buf, err := msg.Collect(); err == nil {
				flags <- buf.Flags
			}
		},
	}})
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	// This one comes before IDLE begins and must be told all the same.
	send(t, s, "alice", letter("early"), "bob@"+domain)
	idle, err := c.Idle()
	if err != nil {
		t.Fatal(err)
	}
	if n := <-exists; n != 1 {
		t.Errorf("EXISTS %d, want 1", n)
	}
	send(t, s, "alice", letter("orders"), "bob@"+domain)
	if n := <-exists; n != 2 {
		t.Errorf("EXISTS %d, want 2", n)
	}
	other := reader(t, s, "bob", nil)
	if _, err := other.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	store := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen}, Silent: true}
	if err := other.Store(imap.SeqSetNum(1), store, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-flags; len(got) != 1 {
		t.Errorf("flags %v, want \\Seen", got)
	}
	if err := idle.Close(); err != nil {
		t.Fatal(err)
	}
	if err := idle.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestStandingFoldersForMailPrograms(t *testing.T) {
	t.Parallel()
	c := reader(t, start(t), "bob", nil)
	list, err := c.List("", "*", &imap.ListOptions{SelectSubscribed: true}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.Mailbox)
	}
	if diff := cmp.Diff([]string{"Drafts", "INBOX", "Processed", "Quarantine", "Sent", "Trash"}, got); diff != "" {
		t.Errorf("subscribed (-want +got):\n%s", diff)
	}
	if err := c.Delete("INBOX").Wait(); err == nil {
		t.Error("INBOX was deleted")
	}
	if err := c.Rename("Processed", "Done", nil).Wait(); err == nil {
		t.Error("Processed was renamed")
	}
	if err := c.Create("Old", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := c.Rename("Old", "Trash/Old", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select("Old", nil).Wait(); err == nil {
		t.Error("the old name of a renamed folder is left")
	}
	var limit error
	for i := range maxFolders {
		if limit = c.Create(strings.Repeat("x", i+1), nil).Wait(); limit != nil {
			break
		}
	}
	if limit == nil {
		t.Error("a client may make folders without end")
	}
}

func TestAppendAndMoveWorkInMemory(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.MaxLetter = 1000 })
	send(t, s, "alice", letter("orders"), "bob@"+domain)
	c := reader(t, s, "bob", nil)
	appendTo := func(folder, text string) error {
		cmd := c.Append(folder, int64(len(text)), nil)
		if _, err := cmd.Write([]byte(text)); err != nil {
			return err
		}
		if err := cmd.Close(); err != nil {
			return err
		}
		_, err := cmd.Wait()
		return err
	}
	if err := appendTo("Sent", letter("sent")); err != nil {
		t.Fatal(err)
	}
	if _, letters := fetchAll(t, c, "Sent"); !cmp.Equal([]string{"sent"}, subjects(t, letters)) {
		t.Errorf("Sent shows %q", letters)
	}
	fetchAll(t, c, "INBOX")
	if data, err := c.Move(imap.SeqSetNum(1), "Processed").Wait(); err != nil || data.DestUIDs == nil {
		t.Fatalf("moved %v, %v", data, err)
	}
	if _, letters := fetchAll(t, c, "INBOX"); len(letters) != 0 {
		t.Errorf("INBOX shows %q", letters)
	}
	if _, letters := fetchAll(t, c, "Processed"); !cmp.Equal([]string{"orders"}, subjects(t, letters)) {
		t.Errorf("Processed shows %q", letters)
	}
	if letters, err := s.Letters("bob"); err != nil || len(letters) != 1 {
		t.Errorf("the spool holds %d letters, %v", len(letters), err)
	}
	if err := appendTo("Sent", strings.Repeat("x", 1001)); err == nil {
		t.Error("APPEND takes letters over the limit")
	}
}

func TestInternalDateIsTheTimeOfStoring(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 { // fresh and from the spool
		s := start(t, func(o *Options) { o.Dir = dir })
		if letters, _ := s.Letters("bob"); len(letters) == 0 {
			send(t, s, "alice", letter("x"), "bob@"+domain)
		}
		c := reader(t, s, "bob", nil)
		if _, err := c.Select("INBOX", nil).Wait(); err != nil {
			t.Fatal(err)
		}
		msgs, err := c.Fetch(imap.SeqSetNum(1), &imap.FetchOptions{InternalDate: true}).Collect()
		if err != nil {
			t.Fatal(err)
		}
		if got := msgs[0].InternalDate; !got.Equal(fixedNow) {
			t.Errorf("INTERNALDATE %v, want %v", got.Format(time.RFC3339), fixedNow)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAccountsMayComeWhileRunning(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	accounts := map[string]string{"alice@" + domain: "alice-secret"}
	s := start(t, func(o *Options) {
		o.Accounts = func() (map[string]string, error) {
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(accounts), nil
		}
	})
	if err := s.Deliver("zog@"+domain, []byte(letter("too early"))); err == nil {
		t.Error("delivered to nobody")
	}
	mu.Lock()
	accounts["zog@"+domain] = "zog-secret"
	mu.Unlock()
	send(t, s, "alice", letter("welcome"), "zog@"+domain)
	if _, letters := fetchAll(t, reader(t, s, "zog", nil), "INBOX"); !cmp.Equal([]string{"welcome"}, subjects(t, letters)) {
		t.Errorf("INBOX shows %q", letters)
	}
}

// TestIMAPLogEndsWithThePostOffice: connections that a stop cuts off are no news.
func TestIMAPLogEndsWithThePostOffice(t *testing.T) {
	t.Parallel()
	s := start(t)
	var b strings.Builder
	l := imapLog{s, log.New(&b, "", 0)}
	l.Printf("handling %s", "NOOP")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l.Printf("handling %s", "IDLE")
	if got := b.String(); got != "handling NOOP\n" {
		t.Errorf("logged %q", got)
	}
}
