package daemon

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jhillyerd/enmime/v2"
)

// got is all of a mail that its reader sees.
type got struct {
	Subject, Text, HTML string
	Pictures            map[string][]byte
}

// playedMails is a turn of the demo's game in which players say and ask all kinds of
// things; it gives every mail that each of them got.
func playedMails(t *testing.T, file string) map[string][]got {
	t.Helper()
	b := newBench(t, "sqlite:"+t.TempDir()+"/pbemd.db", benchOptions{file: file})
	opening := b.one("anna")
	b.reply("anna", opening, "CHECK\nBobo fires at Rask, then at the man behind the containers.")
	b.crank()
	b.reply("anna", opening, "Bobo fires one shot at Rask, then two shots at Zog.\nIf Rask comes within 5 m, I shoot him.")
	b.crank()
	for _, ask := range []string{"STATUS", "HELP", "WHY 3", "Rask!"} {
		b.reply("anna", opening, ask)
		b.crank()
	}
	b.reply("ben", b.with("ben", "the turn opens"), "Run to E9, then one shot at Rask.")
	b.clock.set(time.Date(2026, 3, 2, 13, 0, 1, 0, time.UTC)) // Carla is reminded
	b.crank()
	b.clock.set(time.Date(2026, 3, 2, 19, 5, 0, 0, time.UTC))
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	report := b.with("anna", "report")
	for _, ask := range []string{"WHY 3", "REPORT 1", "STATUS", "Two shots at Rask."} {
		b.reply("anna", report, ask)
		b.crank()
	}
	out := map[string][]got{}
	for _, who := range []string{"anna", "ben", "carla"} {
		b.read[who] = 0
		for _, m := range b.inbox(who) {
			env, err := enmime.ReadEnvelope(bytes.NewReader(m.raw))
			if err != nil {
				t.Fatal(err)
			}
			g := got{Subject: m.subject, Text: m.text, HTML: m.html, Pictures: map[string][]byte{}}
			for _, p := range env.Inlines {
				g.Pictures[p.ContentID] = p.Content
			}
			out[who] = append(out[who], g)
		}
	}
	return out
}

// TestNoMailTellsOfWhoIsHidden: nobody can see the man behind the containers, so
// whoever he is, and were he not there at all, the players get the same mails to
// the byte, pictures included.
func TestNoMailTellsOfWhoIsHidden(t *testing.T) {
	t.Parallel()
	whole := dailyGame(t)
	begin := strings.Index(whole, "# Behind the containers")
	if begin < 0 {
		t.Fatal("nobody is behind the containers of the demo's game")
	}
	another := whole[:begin] + strings.NewReplacer(`"rask`, `"gorm`, `"Rask"`, `"Gorm"`, "Yazirian", "Human", "one-eared", "grey", "dex = 50", "dex = 65", "R12", "R13").Replace(whole[begin:])
	want := playedMails(t, whole)
	for name, file := range map[string]string{"another man": another, "nobody": whole[:begin]} {
		all := playedMails(t, file)
		for who, mails := range want {
			if len(all[who]) != len(mails) {
				t.Errorf("%s: %s got %d mails, with Rask %d", name, who, len(all[who]), len(mails))
				continue
			}
			for i, m := range mails {
				if diff := cmp.Diff(m, all[who][i]); diff != "" {
					t.Errorf("%s: %s (-with Rask +%s):\n%s", name, fmt.Sprint(who, ", ", m.Subject), name, diff)
				}
			}
		}
	}
}
