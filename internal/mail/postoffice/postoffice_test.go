package postoffice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

const domain = "pbemd.localhost"

var fixedNow = time.Date(2031, 3, 30, 1, 30, 0, 0, time.UTC)

// start runs a post office for alice, bob and gm, whose passwords are their
// names and "-secret".
func start(t *testing.T, change ...func(*Options)) *Server {
	t.Helper()
	opts := Options{
		Dir:    filepath.Join(t.TempDir(), "spool"),
		Domain: domain,
		Accounts: func() (map[string]string, error) {
			return map[string]string{
				"alice@" + domain: "alice-secret", "bob@" + domain: "bob-secret", "gm@" + domain: "gm-secret",
			}, nil
		},
		Now: func() time.Time { return fixedNow },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, c := range change {
		c(&opts)
	}
	s, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func dialSMTP(t *testing.T, s *Server) *smtp.Client {
	t.Helper()
	c, err := smtp.Dial(s.SMTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func submitter(t *testing.T, s *Server, user string) *smtp.Client {
	t.Helper()
	c := dialSMTP(t, s)
	if err := c.Auth(sasl.NewPlainClient("", user+"@"+domain, user+"-secret")); err != nil {
		t.Fatal(err)
	}
	return c
}

func send(t *testing.T, s *Server, user, raw string, to ...string) {
	t.Helper()
	if err := submitter(t, s, user).SendMail(user+"@"+domain, to, strings.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
}

func letter(subject string) string {
	return "From: alice@pbemd.localhost\r\nTo: bob@pbemd.localhost\r\nSubject: " + subject + "\r\n\r\nFire at Zog.\r\n"
}

func reader(t *testing.T, s *Server, user string, options *imapclient.Options) *imapclient.Client {
	t.Helper()
	c, err := imapclient.DialInsecure(s.IMAPAddr(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	local, _, _ := strings.Cut(user, "@")
	if err := c.Login(user, local+"-secret").Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

// fetchAll selects a folder and reads its letters in order.
func fetchAll(t *testing.T, c *imapclient.Client, folder string) (validity uint32, letters [][]byte) {
	t.Helper()
	sel, err := c.Select(folder, nil).Wait()
	if err != nil {
		t.Fatal(err)
	}
	if sel.NumMessages == 0 {
		return sel.UIDValidity, nil
	}
	section := &imap.FetchItemBodySection{Peek: true}
	msgs, err := c.Fetch(imap.SeqSet{{Start: 1, Stop: 0}}, &imap.FetchOptions{
		UID: true, InternalDate: true, BodySection: []*imap.FetchItemBodySection{section},
	}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range msgs {
		letters = append(letters, m.FindBodySection(section))
	}
	return sel.UIDValidity, letters
}

func subjects(t *testing.T, letters [][]byte) []string {
	t.Helper()
	var got []string
	for _, raw := range letters {
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Header.Get("Subject"))
	}
	return got
}

func wantAnswer(t *testing.T, err error, code int, enhanced smtp.EnhancedCode) {
	t.Helper()
	answer, ok := errors.AsType[*smtp.SMTPError](err)
	if !ok {
		t.Fatalf("got %v, want an SMTP answer %d", err, code)
	}
	if answer.Code != code || answer.EnhancedCode != enhanced {
		t.Errorf("got %d %v %q, want %d %v", answer.Code, answer.EnhancedCode, answer.Message, code, enhanced)
	}
}

func TestRoundTripFromSubmissionToFetch(t *testing.T) {
	t.Parallel()
	s := start(t)
	send(t, s, "alice", letter("orders"), "bob@"+domain)

	_, got := fetchAll(t, reader(t, s, "bob@"+domain, nil), "INBOX")
	want := "Return-Path: <alice@pbemd.localhost>\r\n" +
		"Delivered-To: bob@pbemd.localhost\r\n" +
		"Authentication-Results: pbemd.localhost; auth=pass smtp.auth=alice@pbemd.localhost\r\n" +
		"Received: from localhost by pbemd.localhost with ESMTPA id 20310330T013000.000000Z-00000001; Sun, 30 Mar 2031 01:30:00 +0000\r\n" +
		letter("orders")
	if diff := cmp.Diff([]string{want}, texts(got)); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	spooled, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts(got), texts(spooled)); diff != "" {
		t.Errorf("spool differs from IMAP:\n%s", diff)
	}
}

func texts(raws [][]byte) []string {
	var l []string
	for _, raw := range raws {
		l = append(l, string(raw))
	}
	return l
}

func TestServerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := Start(ctx, Options{Dir: t.TempDir(), Domain: domain, Accounts: AccountsFile("absent")})
	if err != nil {
		t.Fatal(err)
	}
	s.serving.Wait()
}

func TestTwoSendersAndFourHundredLettersEachFetchedOnce(t *testing.T) {
	t.Parallel()
	const each = 200
	s := start(t)
	var senders sync.WaitGroup
	for _, user := range []string{"alice", "gm"} {
		c := submitter(t, s, user)
		senders.Go(func() {
			for i := range each {
				raw := letter(fmt.Sprintf("%s-%d", user, i))
				if err := c.SendMail(user+"@"+domain, []string{"bob@" + domain}, strings.NewReader(raw)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}

	seen := make(map[string]int)
	c := reader(t, s, "bob", nil)
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	section := &imap.FetchItemBodySection{Peek: true}
	for next := imap.UID(1); next <= 2*each && !t.Failed(); {
		found, err := c.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{{{Start: next, Stop: 0}}}}, nil).Wait()
		if err != nil {
			t.Fatal(err)
		}
		for _, uid := range found.AllUIDs() {
			if uid < next {
				continue // "n:*" always holds the last one
			}
			msgs, err := c.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{section}}).Collect()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range msgs {
				seen[subjects(t, [][]byte{m.FindBodySection(section)})[0]]++
			}
			next = uid + 1
		}
	}
	senders.Wait()
	if len(seen) != 2*each {
		t.Errorf("saw %d different letters, want %d", len(seen), 2*each)
	}
	for subject, n := range seen {
		if n != 1 {
			t.Errorf("letter %s was fetched %d times", subject, n)
		}
	}
	letters, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	if _, shown := fetchAll(t, c, "INBOX"); !slices.EqualFunc(letters, shown, bytes.Equal) {
		t.Error("the spool is in another order than the INBOX")
	}
}

func TestDeliverLeavesTheLetterAsItIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	received := "Delivered-To: bob+tag@pbemd.localhost\r\nReceived: by pbemd.localhost with ESMTP id 20310330T013000.000000Z-%08d; Sun, 30 Mar 2031 01:30:00 +0000\r\n"
	results := "Authentication-Results: mx.test; dmarc=pass header.from=far.test\n"
	var want []string
	for i, tt := range []struct{ path, raw string }{
		{"Return-Path: <ann@far.test>\r\n", results + "From: Ann <ann@far.test>\n\nhello\n"},
		{"Return-Path: <unknown@invalid>\r\n", "From: a@far.test, \n b@@far.test\n\nhello\n"},
		{"", "return-path: <>\r\nFrom: mailer-daemon@far.test\r\n\r\nbounce\r\n"},
	} {
		if err := s.Deliver("bob+tag@"+domain, []byte(tt.raw)); err != nil {
			t.Fatal(err)
		}
		want = append(want, tt.path+fmt.Sprintf(received, i+1)+tt.raw)
	}
	got, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if err := s.Deliver("zog@"+domain, []byte("x")); err == nil {
		t.Error("delivered to nobody")
	}
}

// A line that is no field would make the memory server give nothing of a letter.
func TestLettersWithBrokenHeadersAreGivenWhole(t *testing.T) {
	t.Parallel()
	s := start(t)
	letters := map[string]string{
		"no header at all":           "no header at all",
		"a line without a colon":     "From: a@far.test\r\nCAUTION external sender\r\nSubject: x\r\n\r\nhello\r\n",
		"a name with a blank":        "From: a@far.test\r\nX Y: z\r\n\r\nhello\r\n",
		"a name in other letters":    "From: a@far.test\r\nÜber: z\r\n\r\nhello\r\n",
		"an mbox line":               "From: a@far.test\r\nFrom a Tue Mar  3\r\n\r\nhello\r\n",
		"a folded field stays as is": "From: a@far.test\r\nX-Y: z\r\n\tz\r\n\r\nhello\r\nCAUTION\r\n",
	}
	for name, raw := range letters {
		if err := s.Deliver("bob@"+domain, []byte(raw)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	stored, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	_, shown := fetchAll(t, reader(t, s, "bob@"+domain, nil), "INBOX")
	for i, raw := range shown {
		if len(raw) == 0 || !bytes.HasPrefix(raw, stored[i]) {
			t.Errorf("stored %q, given %q", stored[i], raw)
		}
	}
	if len(shown) != len(letters) {
		t.Errorf("%d letters of %d", len(shown), len(letters))
	}
}

func TestOnDeliverSeesTheStoredLetterBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	told := make(chan string, 1)
	s := start(t, func(o *Options) {
		o.OnDeliver = func(user string, raw []byte) {
			files, err := filepath.Glob(filepath.Join(o.Dir, user, "*.eml"))
			if err != nil || len(files) != 1 {
				t.Errorf("files %v, err %v", files, err)
				return
			}
			stored, err := os.ReadFile(files[0])
			if err != nil || !bytes.Equal(stored, raw) {
				t.Errorf("stored %q, told %q, err %v", stored, raw, err)
			}
			told <- user
		}
	})
	send(t, s, "alice", letter("x"), "bob+tag@"+domain)
	select {
	case user := <-told:
		if user != "bob" {
			t.Errorf("told of %q", user)
		}
	default:
		t.Error("250 came before OnDeliver")
	}
}

func TestNothingIsDeliveredAfterClose(t *testing.T) {
	t.Parallel()
	s := start(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver("bob@"+domain, []byte(letter("late"))); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := smtp.Dial(s.SMTPAddr()); err == nil {
		t.Error("SMTP still listens")
	}
	if _, err := imapclient.DialInsecure(s.IMAPAddr(), nil); err == nil {
		t.Error("IMAP still listens")
	}
}
