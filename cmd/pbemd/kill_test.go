package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail/lab"
)

// mortalRig is a rig whose one process dies again and again, by its own hand at
// a step or by kill -9, and is started again each time, as an init system would.
type mortalRig struct {
	*rig
	t     *testing.T
	die   func(kills int) string        // the next process's step to die at; nil: none
	life  func(kills int) time.Duration // the next process's life; nil: for ever
	kills int
	// poison counts letters that were set aside after three deaths.
	poison int
	// command is how long one pbemd took from its first instruction to its end.
	command time.Duration
}

func newMortalRig(t *testing.T, dsn func(testing.TB, string) string, l *lab.Lab) *mortalRig {
	t.Helper()
	dir, suffix := t.TempDir(), ""
	if l != nil {
		suffix = l.User(t, "")
	}
	r, err := newRig(t.Context(), dir, dsn(t, dir), l, suffix)
	if err == nil {
		err = peaceful(filepath.Join(dir, "game.toml"))
	}
	if err == nil {
		err = r.create()
	}
	begun := time.Now()
	if err == nil {
		_, err = r.pbemd("game", "list", "--config", "pbemd.toml")
	}
	if err != nil {
		t.Fatal(err)
	}
	r.terms = shortenedClaims
	t.Cleanup(r.close)
	return &mortalRig{rig: r, t: t, command: time.Since(begun)}
}

// peaceful makes the foes of a game hold their fire, so that everybody can order
// something turn after turn.
func peaceful(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, policy := range []string{"aggressive", "cautious"} {
		text = bytes.ReplaceAll(text, []byte(`policy = "`+policy+`"`), []byte(`policy = "hold"`))
	}
	return os.WriteFile(path, text, 0o600)
}

// revive starts the next process if there is none.
func (m *mortalRig) revive() error {
	if p := m.procs["one"]; p != nil {
		if p.alive() {
			return nil
		}
		m.kills++
		if err := p.raced(); err != nil {
			return err
		}
		if !strings.Contains(p.err.Error(), "killed") {
			return fmt.Errorf("the process ended by itself: %w\n%s", p.err, p.log)
		}
	}
	die := ""
	if m.die != nil {
		die = m.die(m.kills)
	}
	var life time.Duration
	if m.life != nil {
		life = m.life(m.kills)
	}
	return m.startFor("one", die, life)
}

// await revives the process until what is wanted has come about. Errors of
// looking are the fault of the one that just died.
func (m *mortalRig) await(what string, there func() (bool, error)) {
	m.t.Helper()
	ctx := m.ctx
	deadline := time.Now().Add(3 * rigPatience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var err error
	for {
		if err := m.revive(); err != nil {
			m.t.Fatal(err)
		}
		var ok bool
		if ok, err = there(); ok && err == nil {
			return
		}
		select {
		case <-ctx.Done():
			m.t.Fatal(ctx.Err())
		case <-tick.C:
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("%s does not come about (%v); turns %q, letters %q\n%s", what, err,
				m.list(`SELECT n || '.' || phase || ' ' || state || ' ' || why FROM turn ORDER BY n, phase`),
				m.list(`SELECT from_addr || ' ' || COALESCE(disposition, 'open') || ' ' || why FROM letter ORDER BY id`), m.procs["one"].log)
		}
	}
}

// survive waits until nothing is left to do.
func (m *mortalRig) survive() {
	m.t.Helper()
	wants := ""
	m.await("an end of the work", func() (bool, error) {
		st, err := m.database(m.ctx)
		if err != nil {
			return false, err
		}
		defer st.Close()
		db, err := m.sql()
		if err != nil {
			return false, err
		}
		defer db.Close()
		wants, err = m.unsettled(m.ctx, st, db)
		return wants == "", err
	})
}

// post sends a person's letter until a server has taken it, as his mail program
// would: the same letter again after an error.
func (m *mortalRig) post(who, words, text string) (id string) {
	m.t.Helper()
	var to string
	var raw []byte
	m.await(fmt.Sprintf("a mail %q to %s", words, who), func() (bool, error) {
		in, err := m.newest(who, words)
		if err != nil {
			return false, err
		}
		m.n++
		id = fmt.Sprintf("<%s.%d.%s>", who, m.n, m.address(who))
		to, raw = m.write(who, &in, text, arrival{id: id})
		return true, nil
	})
	m.await("the post of "+id, func() (bool, error) { return true, m.send(who, to, raw) })
	return id
}

// insist posts a GM's letter and waits for the mails that it brings about, each as
// "who: words". Chance can kill the process three times while it reads that very
// letter: then he is told so, and sends it once more.
func (m *mortalRig) insist(words, text string, mails ...string) {
	m.t.Helper()
	id := m.post("greta", words, text)
	for _, mail := range mails {
		who, first, _ := strings.Cut(mail, ": ")
		m.await(fmt.Sprintf("a mail %q to %s", first, who), func() (bool, error) {
			if _, err := m.newest(who, first); err == nil {
				return true, nil
			}
			poison := m.list(`SELECT from_addr FROM letter WHERE message_id = $1 AND disposition = 'poison'`, id)
			if len(poison) == 0 {
				return false, nil
			}
			m.survive()
			m.poisoned("greta", poison[0])
			id = m.post("greta", words, text)
			return false, nil
		})
	}
}

// count runs a query that gives one number.
func (m *mortalRig) count(query string, args ...any) int {
	m.t.Helper()
	db, err := m.sql()
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRowContext(m.ctx, query, args...).Scan(&n); err != nil {
		m.t.Fatal(query, err)
	}
	return n
}

// list runs a query that gives one text a row.
func (m *mortalRig) list(query string, args ...any) []string {
	m.t.Helper()
	db, err := m.sql()
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(m.ctx, query, args...)
	if err != nil {
		m.t.Fatal(query, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			m.t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		m.t.Fatal(err)
	}
	return out
}

// whole checks what must be true after any number of deaths, when all work is
// done: nothing lost, nothing done twice. orders are the Message-IDs of letters
// with orders by what they are of ("turn/person"), in the order of their
// sending. It gives the number of mails that came twice.
func (m *mortalRig) whole(orders map[string][]string, turns int) (doubled int) {
	m.t.Helper()
	if lost := m.list(`SELECT message_id FROM letter WHERE disposition IS NULL`); len(lost) > 0 {
		m.t.Errorf("letters without a disposition: %q", lost)
	}
	for _, of := range slices.Sorted(maps.Keys(orders)) {
		for _, id := range orders[of] {
			acted := m.count(`SELECT COUNT(*) FROM letter WHERE message_id = $1 AND disposition = 'acted'`, id)
			kept := m.count(`SELECT COUNT(*) FROM revision WHERE message_id = $1`, id)
			if poison := m.list(`SELECT from_addr FROM letter WHERE message_id = $1 AND disposition = 'poison'`, id); len(poison) > 0 {
				m.poisoned(of, poison[0])
				continue
			}
			if acted != 1 || kept != 1 {
				m.t.Errorf("the order %s of %s was acted on %d times and stored %d times: %q", id, of, acted, kept,
					m.list(`SELECT disposition || ': ' || why FROM letter WHERE message_id = $1`, id))
			}
		}
		last := orders[of][len(orders[of])-1]
		if m.count(`SELECT COUNT(*) FROM letter WHERE message_id = $1 AND disposition = 'poison'`, last) > 0 {
			continue
		}
		if n := m.count(`SELECT COUNT(*) FROM turn_orders o JOIN revision r ON r.id = o.revision WHERE r.message_id = $1`, last); n != 1 {
			m.t.Errorf("the last order %s of %s is in force %d times", last, of, n)
		}
	}
	if n := m.count(`SELECT COUNT(*) FROM turn WHERE state = 'released'`); n != turns {
		m.t.Errorf("%d turns are released, want %d", n, turns)
	}
	if stuck := m.list(`SELECT why FROM turn WHERE state = 'stuck'`); len(stuck) > 0 {
		m.t.Errorf("stuck: %q", stuck)
	}
	for _, kind := range []string{"report", "opening"} {
		twice := m.list(`SELECT subject FROM outbox WHERE kind = $1 GROUP BY turn, role, subject HAVING COUNT(*) > 1`, kind)
		if len(twice) > 0 {
			m.t.Errorf("written twice: %q", twice)
		}
	}
	if n, want := m.count(`SELECT COUNT(*) FROM outbox WHERE kind = 'report'`), 4*turns; n != want {
		m.t.Errorf("%d reports for %d turns, want %d", n, turns, want)
	}
	if n := m.count(`SELECT COUNT(*) FROM outbox WHERE state NOT IN ('sent', 'superseded')`); n != 0 {
		m.t.Errorf("%d mails did not go out: %q", n, m.list(`SELECT state || ' ' || subject || ' ' || why FROM outbox WHERE state NOT IN ('sent', 'superseded')`))
	}
	for _, who := range people {
		got, err := m.inbox(who)
		if err != nil {
			m.t.Fatal(err)
		}
		copies := map[string]int{}
		seen := map[string][]byte{}
		for _, in := range got {
			_, ours, _ := bytes.Cut(in.raw, []byte("\r\nFrom: ")) // above it the servers write
			copies[in.messageID]++
			if first, again := seen[in.messageID]; again && !bytes.Equal(first, ours) {
				m.t.Errorf("%s got %q twice, in other bytes", who, in.subject)
			}
			seen[in.messageID] = ours
		}
		for _, id := range slices.Sorted(maps.Keys(copies)) {
			// A mail comes again only if it was claimed again, after a death.
			doubled += copies[id] - 1
			if tries := m.count(`SELECT tries FROM outbox WHERE message_id = $1`, id); copies[id] > tries {
				m.t.Errorf("%s got %d copies of %s, which was claimed %d times", who, copies[id], id, tries)
			}
		}
		for _, id := range m.list(`SELECT message_id FROM outbox WHERE state = 'sent' AND address = $1`, m.address(who)) {
			if seen[id] == nil {
				m.t.Errorf("%s never got %s", who, id)
			}
		}
	}
	return doubled
}

// poisoned checks that nobody is left in the dark about a letter during whose
// reading the process died three times: chance alone can do that, as well as the
// letter itself.
func (m *mortalRig) poisoned(of, from string) {
	m.t.Helper()
	m.poison++
	told := m.count(`SELECT COUNT(*) FROM outbox WHERE address = $1 AND state = 'sent' AND subject LIKE '%could not be read%'`, from)
	alarm := m.count(`SELECT COUNT(*) FROM outbox WHERE address = $1 AND state = 'sent' AND subject LIKE '%could not be read%'`, m.address("oper"))
	if told == 0 || alarm == 0 {
		m.t.Errorf("a letter of %s is poison, and its sender was told %d times, the operator %d times", of, told, alarm)
	}
}

// deadline is the nth deadline of the rig's game: 20:00 in Berlin, in winter.
func deadline(n int) time.Time { return time.Date(2026, 3, 1+n, 19, 0, 0, 0, time.UTC) }

// pastDeadline puts the clock behind the nth deadline and its grace.
func (m *mortalRig) pastDeadline(n int) {
	m.t.Helper()
	if err := m.clock.set(deadline(n).Add(rigGrace + 10*time.Second)); err != nil {
		m.t.Fatal(err)
	}
}

// TestProcessKilledAtEachStep: a process that kills itself at any of the named steps,
// at its first call, and whose followers do so at later ones, ends its turn as
// one that lives does.
func TestProcessKilledAtEachStep(t *testing.T) {
	t.Parallel()
	onEveryHouse(t, func(t *testing.T, dsn func(testing.TB, string) string, l *lab.Lab) {
		calls := []int{1, 4}
		if os.Getenv("PBEMD_TEST_KILLS") != "" {
			calls = []int{1, 2, 4, 7}
		}
		for _, step := range daemon.Steps {
			t.Run(step, func(t *testing.T) {
				m := newMortalRig(t, dsn, l)
				m.die = func(kills int) string {
					if kills < len(calls) {
						return fmt.Sprintf("%s:%d", step, calls[kills])
					}
					return ""
				}
				orders := map[string][]string{}
				orders["1/anna"] = append(orders["1/anna"], m.post("anna", "turn 1: the turn opens", "one shot at Kira"))
				orders["1/ben"] = append(orders["1/ben"], m.post("ben", "turn 1: the turn opens", "one shot at Zog"))
				m.survive()
				orders["1/anna"] = append(orders["1/anna"], m.post("anna", "orders received", "two shots at Zog"))
				m.survive()
				m.pastDeadline(1)
				m.survive()
				m.post("greta", "turn 1: attempt 1", "MOD bobo +10 because high ground")
				m.survive()
				m.post("greta", "turn 1: attempt 2", "OK")
				m.survive()
				doubled := m.whole(orders, 1)
				if m.kills == 0 {
					t.Error("the step was never reached")
				}
				t.Logf("%s: %d deaths at %s, %d mails came twice", t.Name(), m.kills, step, doubled)
			})
		}
	})
}

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestProcessKilledAtRandom plays turn after turn while the process is killed at
// random instants, from its first instruction on: on a busy machine after a longer
// life, so that it gets as far. PBEMD_TEST_KILLS says how
// often on each house, PBEMD_TEST_SEED when; scripts/kill sets both.
func TestProcessKilledAtRandom(t *testing.T) {
	t.Parallel()
	kills, seed := number(t, "PBEMD_TEST_KILLS", 6), number(t, "PBEMD_TEST_SEED", 1)
	onEveryHouse(t, func(t *testing.T, dsn func(testing.TB, string) string, l *lab.Lab) {
		begun := time.Now()
		m := newMortalRig(t, dsn, l)
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		m.life = func(n int) time.Duration {
			if n >= kills {
				return 0
			}
			mean := max(900*time.Millisecond, 4*m.command)
			return min(time.Duration(rng.ExpFloat64()*float64(mean)), 4*mean)
		}
		orders := map[string][]string{}
		turn := 0
		for m.kills < kills || turn == 0 {
			turn++
			opens := fmt.Sprintf("turn %d opens", turn)
			if turn == 1 {
				opens = "turn 1: the turn opens"
			}
			for range 2 {
				for _, who := range []string{"anna", "ben", "carla"} {
					of := fmt.Sprintf("%d/%s", turn, who)
					orders[of] = append(orders[of], m.post(who, opens, "face "+[]string{"north", "west"}[rng.IntN(2)]))
				}
			}
			m.pastDeadline(turn)
			attempt := 1
			if rng.IntN(2) == 0 {
				m.insist(fmt.Sprintf("turn %d: attempt 1", turn), "MOD bobo +10 because high ground", fmt.Sprintf("greta: turn %d: attempt 2", turn))
				attempt = 2
			}
			var reports []string
			for _, who := range []string{"anna", "ben", "carla", "greta"} {
				reports = append(reports, fmt.Sprintf("%s: turn %d: report", who, turn))
			}
			m.insist(fmt.Sprintf("turn %d: attempt %d", turn, attempt), "OK", reports...)
		}
		died := m.kills
		m.survive()
		doubled := m.whole(orders, turn)
		t.Logf("seed %d: %d kills over %d turns in %.0f s; %d mails came twice, each after a death between the server's yes and our note of it; %d letters set aside, sender told",
			seed, died, turn, time.Since(begun).Seconds(), doubled, m.poison)
	})
}
