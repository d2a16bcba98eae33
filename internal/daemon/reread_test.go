package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// backup is a database as a backup from just after the game was created has it:
// the same game with the same secret, on its own clock and with its own people's
// mailboxes. Keys stay the same, as they do.
func (b *bench) backup() *bench {
	b.t.Helper()
	dsn := "sqlite:" + b.t.TempDir() + "/backup.db"
	if !strings.HasPrefix(b.dsn, "sqlite:") {
		dsn = pgtest.DSN(b.t)
	}
	r := newBench(b.t, dsn, b.opts)
	r.empty()
	return r
}

// verified is a letter in answer to a mail, with the field by which our MX vouches for
// the sender.
func verified(who, to, text string, n int) string {
	return fmt.Sprintf("Authentication-Results: %s; dmarc=pass header.from=%s\r\nFrom: %s@%s\r\nTo: %s\r\nSubject: x\r\nMessage-ID: <%d.v@x.test>\r\n\r\n%s\r\n",
		mxID, testDomain, who, testDomain, to, n, text)
}

// reasons gives what became of letters, by their Message-ID.
func (b *bench) reasons() map[string]store.Letter {
	b.t.Helper()
	ls, err := b.st.Letters(b.t.Context(), store.LetterFilter{Limit: 1000})
	b.must(err)
	out := map[string]store.Letter{}
	for _, l := range ls {
		out[l.MessageID] = l
	}
	return out
}

// TestReread: a backup is restored, and the letters since lie in Processed.
// Orders count if their turn is still open, whatever extended it; all else
// changes nothing and is answered to nobody, however much it is; and an OK
// releases nothing that the GM did not see.
func TestReread(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		opening := b.inbox("greta")[1]
		b.empty()
		f := newFakeBox(b.clock.now)
		send := func(at time.Time, raw string) {
			b.clock.set(at)
			f.put(raw)
			b.must(b.look(f))
			b.work()
		}
		anna := b.orders("anna", "two shots at Zog", 1)
		send(utc(3, 2, 10, 0), anna)
		send(utc(3, 2, 10, 30), b.orders("ben", "STATUS", 1))
		send(utc(3, 2, 11, 0), b.orders("ben", "one shot at Zog", 2))
		send(utc(3, 2, 12, 0), verified("greta", opening.replyTo, "EXTEND 2h", 1))
		send(utc(3, 2, 20, 0), b.orders("carla", "one shot at Zog", 1)) // within the extension
		send(utc(3, 2, 21, 6), b.orders("ben", "two shots at Zog", 3))
		packet := b.with("greta", "attempt 1")
		for i := range 20 {
			send(utc(3, 2, 22, i), b.orders("ben", "two shots at Bobo", 10+i))
		}
		send(utc(3, 3, 6, 0), verified("greta", packet.replyTo, "MOD bobo +10 because high ground", 2))
		packet = b.with("greta", "attempt 2")
		send(utc(3, 3, 7, 0), verified("greta", packet.replyTo, "OK", 3))
		b.state(2, game.Open)
		send(utc(3, 3, 10, 0), b.orders("anna", "three shots at Zog", 2))
		send(utc(3, 3, 11, 0), verified("stranger", ourAddress, "What is this?", 4))
		before := len(f.letters)

		r := b.backup()
		known := newFakeBox(b.clock.now)
		known.arrived[known.put(anna)] = utc(3, 2, 10, 0)
		r.must(r.look(known)) // came before the backup
		r.work()
		r.one("anna")
		r.clock.set(b.clock.now())
		r.must(r.st.AskReread(t.Context(), "main", inbox))
		r.must(r.look(f))
		r.work()
		r.state(1, game.Review)

		want := map[string]string{"<1.anna@x.test>": store.Acted, "<2.ben@x.test>": store.Acted, "<1.v@x.test>": store.Acted, "<1.carla@x.test>": store.Acted}
		whys := map[string]string{"<1.ben@x.test>": "nobody is told: status", "<3.ben@x.test>": "nobody is told", "<2.v@x.test>": "a packet that this database did not write",
			"<3.v@x.test>": "a packet that this database did not write", "<2.anna@x.test>": "nobody is told: answered", "<4.v@x.test>": "nobody is told"}
		got := r.reasons()
		for id, l := range got {
			disposition := want[id]
			if disposition == "" {
				disposition = store.Ignored
			}
			if l.Disposition != disposition || !strings.Contains(l.Why, whys[id]) {
				t.Errorf("%s is %s (%s), want %s (%s)", id, l.Disposition, l.Why, disposition, whys[id])
			}
		}
		if len(got) != before {
			t.Errorf("%d letters, want %d", len(got), before)
		}
		// What acts is told of, and nothing else.
		told := map[string][]string{
			"anna": {"New deadline"}, "ben": {"Orders for", "New deadline"}, "carla": {"New deadline", "Orders for"},
			"greta": {"New deadline", "attempt 1"}, "mallory": nil,
		}
		for who, want := range told {
			got := r.inbox(who)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || !strings.Contains(got[i].subject, want[i]) {
					t.Errorf("%s got %s, want %q", who, subjects(map[string][]mailIn{who: got}), want)
					break
				}
			}
		}
		for uid := range f.letters {
			if f.moved[uid] != processed {
				t.Errorf("letter %d lies in %s", uid, f.where(uid))
			}
		}
		// It is over: the next search asks for nothing.
		bodies := f.bodies
		r.must(r.look(f))
		if f.bodies != bodies {
			t.Error("it is read once more")
		}
	})
}

// TestRereadApproval: the backup was made when the attempt was in review, so the
// OK is one on what it holds.
func TestRereadApproval(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.at(utc(3, 2, 19, 5))
	packet := b.with("greta", "attempt 1")
	b.state(1, game.Review)
	f := newFakeBox(b.clock.now)
	b.clock.advance(time.Hour)
	f.putIn(processed, verified("greta", packet.replyTo, "OK", 1))
	b.must(b.st.AskReread(t.Context(), "main", inbox))
	b.must(b.look(f))
	b.work()
	b.state(2, game.Open)
}

// TestRereadConfirmation: a CONFIRM lets no letter in that was held after it.
func TestRereadConfirmation(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	opening := b.inbox("greta")[1]
	f := newFakeBox(b.clock.now)
	// The answer to question 1 of a database that is lost, and a letter that makes
	// this one ask its own question 1.
	k := b.d.orderToken(b.role("gm"), b.game().Turn)
	k.Purpose, k.N = mail.PurposeConfirm, 1
	f.putIn(processed, verified("greta", mail.PlusAddress(ourAddress, b.d.Keys.Seal(k)), "CONFIRM 1", 1))
	b.clock.advance(time.Hour)
	b.empty()
	f.put(fmt.Sprintf("From: greta@%s\r\nTo: %s\r\nMessage-ID: <2.v@x.test>\r\n\r\nCLOSE\r\n", testDomain, opening.replyTo))
	b.must(b.look(f))
	b.work()
	b.one("greta")
	b.must(b.st.AskReread(t.Context(), "main", inbox))
	b.must(b.look(f))
	b.work()
	b.state(1, game.Open)
	b.none("greta")
	contains(t, "why", b.reasons()["<1.v@x.test>"].Why, "a confirmation mail that this database did not write")
}

// TestRereadOfQuarantine: what can be read by now is, and only that is moved;
// what cannot is named to the operator and holds up nothing.
func TestRereadOfQuarantine(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.empty()
		f := newFakeBox(b.clock.now)
		whole := f.putIn(quarantine, b.orders("anna", "two shots at Zog", 1))
		long := f.putIn(quarantine, "Message-ID: <long@x.test>\r\n\r\n"+strings.Repeat("x", maxLetter+1))
		f.unfetchable[f.putIn(quarantine, "half")] = errCorrupt
		killer := f.putIn(processed, "From: x@x.test\r\n\r\nhalf")
		f.unfetchable[killer] = errReset
		f.putIn(processed, b.orders("ben", "one shot at Zog", 1))
		b.clock.set(utc(3, 2, 19, 6))
		b.must(b.st.AskReread(t.Context(), "main", inbox))
		for i := 0; ; i++ {
			err := b.look(f)
			if err == nil {
				break
			}
			if !errors.Is(err, errReset) || i > 10 {
				t.Fatal(err)
			}
			b.work()
			b.state(1, game.Open)
			b.clock.advance(fetchApart)
		}
		b.work()
		b.state(1, game.Review)
		contains(t, "Anna's receipt", b.with("anna", "").text, "Zog")
		contains(t, "Ben's receipt", b.with("ben", "").text, "Zog")
		if f.where(whole) != processed || f.where(long) != quarantine || f.where(killer) != processed {
			t.Errorf("moved %v", f.moved)
		}
		contains(t, "what the operator is told", b.one("mallory").text, "2 letters could not be read again", "Processed UID 4", "Quarantine UID 3")
	})
}

// TestRereadIsInterrupted: it goes on where it was, also under another process,
// and until it is done no turn closes.
func TestRereadIsInterrupted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.empty()
		f := newFakeBox(b.clock.now)
		const letters = 3*searchBatch + 7
		for i := range letters {
			f.putIn(processed, fmt.Sprintf("From: x@x.test\r\nMessage-ID: <%d@x.test>\r\n\r\n%d\r\n", i, i))
		}
		f.putIn(processed, b.orders("anna", "two shots at Zog", 1))
		b.clock.set(utc(3, 2, 19, 6))
		b.must(b.st.AskReread(t.Context(), "main", inbox))
		left := 0
		f.onCommand = func(what string, _ int) error {
			if left--; what == "BODY" && left < 0 {
				return errReset
			}
			return nil
		}
		tries := 0
		for ; ; tries++ {
			left = searchBatch // commands, not letters
			if tries == 2 {    // another process, which knows of it from the database alone
				b.d = b.another(nil, nil)
			}
			err := b.look(f)
			if err == nil {
				break
			}
			if !errors.Is(err, errReset) || tries > 20 {
				t.Fatal(err)
			}
			b.work()
			b.state(1, game.Open)
			b.clock.advance(time.Second)
		}
		if tries < 4 {
			t.Errorf("it was interrupted %d times", tries)
		}
		if want := letters + 1 + 3*searchBatch; f.bodies > want {
			t.Errorf("%d letters were fetched of %d", f.bodies, letters+1)
		}
		b.work()
		b.state(1, game.Review)
		if diff := cmp.Diff(map[string]int{store.Acted: 1, store.Ignored: letters}, b.dispositions()); diff != "" {
			t.Errorf("dispositions (-want +got):\n%s", diff)
		}
	})
}

// TestRereadOfThePostOffice: it keeps no moves, so all lies in the INBOX again,
// and the time of receipt tells what was answered before.
func TestRereadOfThePostOffice(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.d.Renumbers = true
	b.empty()
	f := newFakeBox(b.clock.now)
	f.put(b.orders("anna", "STATUS", 1))
	f.put(b.orders("ben", "one shot at Zog", 1))
	b.clock.advance(time.Minute)
	b.must(b.st.AskReread(t.Context(), "main", inbox))
	b.clock.advance(time.Minute)
	f.put(b.orders("carla", "STATUS", 1))
	b.must(b.look(f))
	b.work()
	b.none("anna")
	b.one("ben")
	b.one("carla")
}

// TestRereadTells: the log says how far it is every thousand letters, and how it
// ended.
func TestRereadTells(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	var log bytes.Buffer
	b.d.Log = slog.New(slog.NewTextHandler(&log, nil))
	f := newFakeBox(b.clock.now)
	for i := range 2*rereadReport + 10 {
		f.putIn(processed, fmt.Sprintf("From: x@x.test\r\n\r\n%d\r\n", i/2))
	}
	b.must(b.st.AskReread(t.Context(), "main", inbox))
	b.must(b.look(f))
	contains(t, "the log", log.String(), "no turn closes before that is done", "letters=1000 of=2010 known=500 new=500", "letters=2000",
		`msg="all letters are read again" account=main known=1005 new=1005 "too old or without effect"=0 "not judged yet"=1005`)
	if n := strings.Count(log.String(), "letters="); n != 2 {
		t.Errorf("%d lines of progress", n)
	}
}
