package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store"
)

// TestLabVacation: everybody is on holiday and has a responder that answers with
// what would be an order, or a GM's OK. Each mail of ours is answered once at most,
// and there it ends: nothing is read from the answers, and nothing is said to them.
func TestLabVacation(t *testing.T) {
	t.Parallel()
	l := lab.Open(t)
	for name, deaf := range map[string]bool{"by RFC 3834": false, "deaf to it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := newFleet(t, dir, "sqlite:"+filepath.Join(dir, "pbemd.db"), l, "Dusk")
			f.meet("stranger")
			for who, text := range map[string]string{"anna": "Three shots at Kira.", "ben": "READY", "carla": "READY", "greta": "OK", "oper": "Away.", "stranger": "HELP"} {
				l.Vacation(t, f.user(who), text, deaf)
			}
			f.run("one")
			answered := func() int { return f.number(`SELECT COUNT(*) FROM letter WHERE disposition = $1`, store.Ignored) }
			has := map[string]int{"anna": 0, "ben": 0, "carla": 0, "greta": 0, "oper": 0, "stranger": 0}
			all := 0
			// mails waits for what everybody is to get, and for what deaf responders answer.
			mails := func(when string, got map[string]int) {
				t.Helper()
				for who, n := range got {
					has[who] += n
					if who != "stranger" { // an answer to him has no return path
						all += n
					}
				}
				f.settled()
				if deaf {
					f.until(when+": the answers of responders", func() (bool, error) { return answered() >= all, nil })
					f.settled()
				}
				for who, n := range has {
					in, err := f.inbox(who)
					f.must(err)
					if len(in) != n {
						t.Errorf("%s: %s has %d mails, want %d", when, who, len(in), n)
					}
				}
			}
			mails("the turn opens", map[string]int{"anna": 1, "ben": 1, "carla": 1, "greta": 2})

			f.post(f.written("Dusk", "anna", "", "Two shots at Zog."))
			f.orders++
			mails("Anna writes by hand", map[string]int{"anna": 1})

			to, raw := f.write("stranger", nil, "What is this?", arrival{subject: "Hello"})
			f.must(f.send("stranger", to, raw))
			mails("somebody writes who does not play", map[string]int{"stranger": 1})

			f.must(f.clock.set(firstDeadline.Add(-5 * time.Hour)))
			mails("the reminder", map[string]int{"ben": 1, "carla": 1})

			f.must(f.clock.set(firstDeadline.Add(rigGrace + time.Second)))
			mails("the turn closes", map[string]int{"greta": 1})
			if n := f.number(`SELECT COUNT(*) FROM turn WHERE n = 1 AND state = 'review'`); n != 1 {
				t.Error("turn 1 is not under review")
			}
			draft, err := f.newest("greta", "attempt 1")
			f.must(err)
			if !strings.Contains(draft.text, "Zog") || strings.Contains(draft.text, "shots at Kira") {
				t.Errorf("not Anna's own orders are carried out:\n%s", draft.text)
			}

			f.post(f.written("Dusk", "greta", "attempt 1", "OK"))
			mails("the GM says OK by hand", map[string]int{"anna": 1, "ben": 1, "carla": 1, "greta": 2})
			if n := f.number(`SELECT COUNT(*) FROM revision`); n != f.orders {
				t.Errorf("%d orders are stored, want %d", n, f.orders)
			}
			// Letters that were written by hand did something; the responders' did not.
			got := map[string]int{}
			rows, err := f.db.QueryContext(f.ctx, `SELECT COALESCE(disposition, ''), COUNT(*) FROM letter GROUP BY 1`)
			f.must(err)
			defer rows.Close()
			for rows.Next() {
				var end string
				var n int
				f.must(rows.Scan(&end, &n))
				got[end] = n
			}
			f.must(rows.Err())
			want := map[string]int{store.Acted: 2, store.Answered: 1}
			if deaf {
				want[store.Ignored] = all
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ends of letters (-want +got):\n%s", diff)
			}
		})
	}
}
