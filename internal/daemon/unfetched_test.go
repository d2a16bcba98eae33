package daemon

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// TestLetterThatEndsTheConnectionAlone: no other letter comes, but those of
// before show that the connection carries them; or the first half of it does.
func TestLetterThatEndsTheConnectionAlone(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]bool{"others were given": true, "its first half is given": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, dsn string) {
				b := newBench(t, dsn, benchOptions{})
				b.empty()
				f := newFakeBox(b.clock.now)
				if others {
					f.put(b.orders("anna", "two shots at Zog", 1))
					b.must(b.look(f))
					b.work()
				} else {
					f.halves = true
				}
				bad := f.put(strings.Repeat("half ", 1000))
				f.unfetchable[bad] = errReset
				b.clock.set(utc(3, 2, 19, 6))
				begun := b.clock.now()
				for b.gaveUp(f) == 0 {
					if err := b.look(f); !errors.Is(err, errReset) {
						t.Fatalf("the search: %v", err)
					}
					b.clock.advance(10 * time.Second)
					if b.clock.now().Sub(begun) > time.Hour {
						t.Fatal("it is never given up")
					}
				}
				if took := b.clock.now().Sub(begun); took < maxTries*fetchApart {
					t.Errorf("given up after %v", took)
				}
				f.unfetchable = map[uint32]error{bad: errCorrupt} // and now it is only withheld
				b.must(b.look(f))
				b.work()
				b.state(1, game.Review)
				contains(t, "what the operator is told", b.with("mallory", "").text, "quarantine", "could not be fetched")
			})
		})
	}
}

// gaveUp counts the letters that were given up.
func (b *bench) gaveUp(f *fakeBox) (n int) {
	b.t.Helper()
	us, err := b.st.Unfetched(b.t.Context(), "main", inbox, f.validity)
	b.must(err)
	for _, u := range us {
		if !u.GivenUpAt.IsZero() {
			n++
		}
	}
	return n
}

// TestServerInTrouble: for two days it serves nothing, or little, or what it
// serves ends at any place. No letter is taken for the reason, whether it is
// alone or not, and in the end all are read.
func TestServerInTrouble(t *testing.T) {
	t.Parallel()
	const seed = 3
	random := rand.New(rand.NewPCG(seed, seed))
	bodies := func(what string, bytes int) error {
		if what == "BODY" {
			return errReset
		}
		return nil
	}
	// A line that breaks after so many bytes on average, whatever they belong to.
	line := func(mean float64) func(string, int) error {
		left := random.ExpFloat64() * mean
		return func(what string, bytes int) error {
			if left -= float64(bytes + 200); left < 0 {
				left = random.ExpFloat64() * mean
				return errReset
			}
			return nil
		}
	}
	for name, trouble := range map[string]func(what string, bytes int) error{
		"silent":    func(string, int) error { return errors.New("i/o timeout") },
		"no bodies": bodies, "bad line": line(2000), "better line": line(6000),
	} {
		for _, c := range []struct {
			name          string
			before, waits int
		}{{"alone", 0, 1}, {"alone after others", 3, 1}, {"one of several", 2, 3}} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
				f := newFakeBox(b.clock.now)
				letters := 0
				put := func() {
					letters++
					f.put(fmt.Sprintf("From: x@x.test\r\nSubject: %d\r\n\r\n%s\r\n", letters, strings.Repeat("x", 500+random.IntN(8000))))
				}
				for range c.before {
					put()
				}
				b.must(b.look(f))
				for range c.waits {
					put()
				}
				f.onCommand = trouble
				for range 48 * 60 / 8 {
					_ = b.look(f)
					b.clock.advance(8 * time.Minute) // so that every failure could count
				}
				if n := b.gaveUp(f); n > 0 {
					t.Errorf("%d letters were given up (seed %d)", n, seed)
				}
				f.onCommand = nil
				b.must(b.look(f))
				b.work()
				if diff := cmp.Diff(map[string]int{store.Ignored: letters}, b.dispositions()); diff != "" {
					t.Errorf("dispositions (-want +got):\n%s", diff)
				}
			})
		}
	}
}
