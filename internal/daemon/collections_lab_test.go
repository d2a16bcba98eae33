package daemon

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pbemd/pbemd/internal/store"
)

// TestLabCollections brings all published letters that are here, and those of the
// list of bug reports as letters of a running game, by LMTP through Dovecot: each is
// stored once, comes to one end with a reason, and lies in the folder of what is done.
func TestLabCollections(t *testing.T) {
	t.Parallel()
	onDovecot(t, func(t *testing.T, b dovecot) {
		var letters [][]byte
		for _, pattern := range []string{"../mail/testdata/corpora/*/*/*", "../mail/testdata/bugs/*.eml", "../../cmd/pbemd/testdata/replies/*/*.eml", "../../cmd/pbemd/testdata/replies/*/*/*.eml"} {
			files, err := filepath.Glob(pattern)
			b.must(err)
			for _, f := range files {
				raw, err := os.ReadFile(f)
				b.must(err)
				letters = append(letters, raw)
			}
		}
		published := len(letters)
		anna := b.with("anna", "the turn opens")
		bugs := bugLetters(t, anna.replyTo, b.envelopeSender(anna))
		for _, name := range slices.Sorted(maps.Keys(bugs)) {
			letters = append(letters, received(b.clock.now(), string(bugs[name])))
		}
		if published < 400 || len(bugs) < 30 {
			t.Fatalf("%d published letters, %d of bug reports", published, len(bugs))
		}
		box := b.open()
		b.began(box)
		b.deliver(letters...)
		b.must(b.search(box))
		for range len(letters) { // of one sender what he wrote first is read first, in whatever order it comes
			b.work()
			if b.dispositions()[""] == 0 {
				break
			}
		}

		all, err := b.st.Letters(t.Context(), store.LetterFilter{Limit: 10 * len(letters)})
		b.must(err)
		if len(all) != len(letters) {
			t.Errorf("%d letters are stored of %d", len(all), len(letters))
		}
		for _, l := range all {
			if l.Disposition == "" || l.Disposition == store.Poison || l.Why == "" {
				t.Errorf("letter %d from %s: %q (%s)", l.ID, l.From, l.Disposition, l.Why)
			}
		}
		t.Logf("%d letters: %v", len(all), b.dispositions())
		b.in(inbox, 0)
		b.in(processed, len(letters))
		b.in(quarantine, 0)
	})
}
