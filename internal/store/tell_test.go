package store

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// TestTellTellsOnce: of many at once one does; later ones wait for its term.
func TestTellTellsOnce(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		tell := func(what string, since time.Time) bool {
			told, err := b.Tell(b.ctx, what, since, func() ([]NewMail, error) { return []NewMail{b.mailTo(0, "outage", "")}, nil })
			if err != nil {
				t.Error(err)
			}
			return told
		}
		var mu sync.Mutex
		n := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if tell("outage", noon.Add(-24*time.Hour)) {
					mu.Lock()
					n++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if n != 1 || len(b.dueMails()) != 1 {
			t.Errorf("%d of 8 told, %d mails", n, len(b.dueMails()))
		}
		if !tell("refused/1", noon) || tell("refused/1", noon) {
			t.Error("another thing is told of once as well")
		}
		b.clock.set(noon.Add(24 * time.Hour))
		if tell("outage", noon) {
			t.Error("told again within the term")
		}
		b.clock.set(noon.Add(24*time.Hour + time.Second))
		if !tell("outage", noon.Add(time.Second)) {
			t.Error("not told after the term")
		}
		_, err := b.Tell(b.ctx, "fence", noon, func() ([]NewMail, error) { return nil, errors.New("cannot be composed") })
		if err == nil {
			t.Error("a mail that cannot be composed is no error")
		}
		if !tell("fence", noon) {
			t.Error("what could not be told counts as told")
		}
	})
}
