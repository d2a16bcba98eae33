package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// lastTurn is a ruleset under which every turn ends the game.
type lastTurn struct{ *noticed }

func (l lastTurn) Resolve(in resolve.Input) resolve.Outcome {
	out := l.noticed.Resolve(in)
	out.Done, out.Why = true, "The smugglers have fled."
	return out
}

// TestGameEnds: the last report tells why and reveals the game's secret; no turn
// follows, and letters are told that the game is over.
func TestGameEnds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		find := b.d.Rulesets
		b.d = b.another(func(o *Options) {
			o.Rulesets = func(name string) (resolve.Ruleset, error) {
				rs, err := find(name)
				return lastTurn{&noticed{Ruleset: rs}}, err
			}
		}, nil)
		anna := b.one("anna")
		b.reply("anna", anna, "two shots at Zog")
		b.crank()
		b.empty()
		b.at(utc(3, 2, 19, 5))
		packet := b.one("greta")
		contains(t, "the packet", packet.text, "The smugglers have fled.")
		b.reply("greta", packet, "OK")
		b.crank()
		s := b.state(1, game.Released)
		if s.Game.EndedAt.IsZero() {
			t.Error("the game has not ended")
		}
		report := b.one("anna")
		contains(t, "the last report", report.text, "The smugglers have fled.", "game-secret", "secret heroes")
		if strings.Contains(report.text, "BEGIN ORDERS") {
			t.Error("the last report asks for orders")
		}
		all, err := dice.Merge(blocks(t, 1, anna, report)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range dice.Verify(all, true) {
			if f.Result == dice.Wrong {
				t.Errorf("%s: %s", f.About, f.Why)
			}
		}
		b.one("ben")
		b.inbox("greta")

		for _, text := range []string{"two shots at Zog", "READY", "CLEAR"} {
			b.reply("anna", report, text)
			b.crank()
			contains(t, text, b.one("anna").text, "is over", "ended with turn 1")
		}
		b.letter("anna", "what now?", "", "two shots at Zog", arrival{})
		b.crank()
		contains(t, "a letter without a token", b.one("anna").text, "is over")
		for _, text := range []string{"OK", "REOPEN 24h", "EXTEND 24h", "AS Zog: crouch", "BOBO STA 12", "NOTE The end."} {
			b.reply("greta", packet, text)
			b.crank()
			contains(t, text, b.one("greta").text, "is over")
			b.clock.advance(time.Hour)
		}
		b.reply("ben", b.with("ben", "report"), "STATUS")
		b.crank()
		contains(t, "STATUS", b.with("ben", "turn 1").text, "over")
		b.empty()
		b.clock.advance(90 * 24 * time.Hour)
		b.crank()
		for _, who := range []string{"anna", "ben", "carla", "greta", "mallory"} {
			b.none(who)
		}
		b.state(1, game.Released)
		if d := b.dispositions(); d[""] != 0 || d[store.Acted] != 2 {
			t.Errorf("dispositions %v", d)
		}
	})
}
