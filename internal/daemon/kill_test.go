package daemon

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// killed is the panic that stands for the death of the process: nothing after
// it runs, and what was committed stays as it is.
type killed struct{ step string }

// restart begins a new process on the same database and spool, some minutes
// later, when claims of the dead one have run out.
func (b *bench) restart() {
	b.t.Helper()
	o := b.d.Options
	b.box.Close()
	b.post.Close()
	o.Store.Close()
	var err error
	b.post, err = postoffice.Start(b.t.Context(), postoffice.Options{Dir: filepath.Join(b.dir, "spool"), Domain: testDomain,
		Accounts: postoffice.AccountsFile(filepath.Join(b.dir, "accounts")), Now: b.clock.now, Log: o.Log})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.st, err = store.Open(b.t.Context(), store.Options{DSN: b.dsn, Now: b.clock.now, Log: o.Log}); err != nil {
		b.t.Fatal(err)
	}
	o.Store, o.Renumbers = b.st, true
	o.Sender = &mail.SMTP{Addr: b.post.SMTPAddr(), TLS: mail.TLSNone, User: ourAddress, Pass: b.pass["pbem"]}
	if b.d, err = New(o); err != nil {
		b.t.Fatal(err)
	}
	if b.box, err = mail.DialIMAP(b.t.Context(), mail.IMAPConfig{Addr: b.post.IMAPAddr(), TLS: mail.TLSNone, User: ourAddress, Pass: b.pass["pbem"]}); err != nil {
		b.t.Fatal(err)
	}
	b.clock.advance(4 * time.Minute)
}

// survive cranks, and goes on in a new process each time it is killed.
func (b *bench) survive() (kills int) {
	b.t.Helper()
	for range 1000 {
		died := func() (died bool) {
			defer func() {
				if p := recover(); p != nil {
					if _, died = p.(killed); !died {
						panic(p)
					}
				}
			}()
			b.crank()
			return false
		}()
		if !died {
			return kills
		}
		kills++
		b.restart()
	}
	b.t.Fatal("killed too often")
	return kills
}

// mortalTurn plays a turn with a ruling, being killed where step says so, and
// gives the first lines of all mails that people got, each mail once, by
// reader. doubled is how many mails came twice.
func mortalTurn(t *testing.T, dsn string, step func(string)) (mails map[string][]string, doubled, kills int) {
	b := newBench(t, dsn, benchOptions{noGame: true, step: step})
	if _, faults, err := b.d.CreateGame(t.Context(), "test.toml", []byte(dailyGame(t))); err != nil || len(faults) > 0 {
		t.Fatal(faults, err)
	}
	kills += b.survive()
	b.reply("anna", b.with("anna", "the turn opens"), "two shots at Zog")
	b.reply("ben", b.with("ben", "the turn opens"), "one shot at Zog")
	kills += b.survive()
	b.clock.set(utc(3, 2, 19, 5))
	kills += b.survive()
	b.reply("greta", b.with("greta", "attempt 1"), "MOD bobo +10 because high ground")
	kills += b.survive()
	b.reply("greta", b.with("greta", "attempt 2"), "OK")
	kills += b.survive()

	s := b.state(2, game.Open)
	if s.Prev == nil || s.Prev.N != 2 || len(s.Revisions) != 0 {
		t.Errorf("released: %+v", s.Prev)
	}
	if diff := cmp.Diff(map[string]int{store.Acted: 4}, b.dispositions()); diff != "" {
		t.Errorf("dispositions (-want +got):\n%s", diff)
	}
	if n := b.unsent(); n != 0 {
		t.Errorf("%d mails are unsent", n)
	}
	mails = map[string][]string{}
	for _, who := range []string{"anna", "ben", "carla", "greta", "mallory"} {
		b.read[who] = 0
		seen := map[string][]byte{}
		for _, m := range b.inbox(who) {
			// Below what the post office writes on top, the bytes are ours.
			_, ours, _ := bytes.Cut(m.raw, []byte("\r\nFrom: "))
			if first, again := seen[m.messageID]; again {
				doubled++
				if !bytes.Equal(first, ours) {
					t.Errorf("%s got %q twice, in other bytes", who, m.subject)
				}
				continue
			}
			seen[m.messageID] = ours
			mails[who] = append(mails[who], m.marker)
		}
		slices.Sort(mails[who])
	}
	return mails, doubled, kills
}

// emptyDSN is another empty database of the same kind.
func emptyDSN(t *testing.T, dsn string) string {
	if strings.HasPrefix(dsn, "sqlite:") {
		return "sqlite:" + filepath.Join(t.TempDir(), "pbemd.db")
	}
	return pgtest.DSN(t)
}

// TestKilledAtEachStep: a process that dies at any of the named steps, the
// first time and again later, is followed by one that brings the turn to the
// same end: nothing is lost, nothing done twice, and no mail sent twice but the
// one that died between the server's yes and our note of it.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		want, doubled, _ := mortalTurn(t, dsn, nil)
		if doubled != 0 {
			t.Fatalf("%d mails came twice in peace", doubled)
		}
		for _, name := range Steps {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				// At the calls 1, 3, 6, 10 …: a restarted post office shows all letters
				// anew, so a search must get through all of them some time.
				calls, next, gap := 0, 1, 1
				got, doubled, kills := mortalTurn(t, emptyDSN(t, dsn), func(step string) {
					if step != name {
						return
					}
					if calls++; calls == next {
						gap++
						next += gap
						panic(killed{step})
					}
				})
				if kills == 0 {
					t.Error("the step was never reached")
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("mails (-in peace +killed):\n%s", diff)
				}
				allowed := 0
				if name == "smtp-accepted" {
					allowed = kills
				}
				if doubled != allowed {
					t.Errorf("%d mails came twice, want %d", doubled, allowed)
				}
			})
		}
	})
}
