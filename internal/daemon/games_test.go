package daemon

import (
	"strings"
	"testing"
)

// TestMailSystemHasNoPart: whoever writes from a mail system's own address would
// never be heard, so no game is made with him.
func TestMailSystemHasNoPart(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{noGame: true})
	for who, key := range map[string]string{"greta": "gm.address", "anna": "player.anna.address"} {
		for _, local := range []string{"Postmaster", "mailer-daemon"} {
			file := strings.ReplaceAll(dailyGame(t), who+"@", local+"@")
			_, faults, err := b.d.CreateGame(t.Context(), "test.toml", []byte(file))
			if err != nil || len(faults) != 1 || faults[0].Key != key || !strings.Contains(faults[0].Text, "bounces") {
				t.Errorf("%s as %s: %v, %v", local, who, faults, err)
			}
		}
	}
}
