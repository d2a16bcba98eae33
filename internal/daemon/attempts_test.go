package daemon

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// events are those of the attempt in review.
func (b *bench) events() []game.Event {
	b.t.Helper()
	var out []game.Event
	if err := json.Unmarshal(b.game().Draft.Events, &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// rolled gives the dice of the attempt in review by name.
func (b *bench) rolled() map[string]int {
	out := map[string]int{}
	for _, e := range b.events() {
		for _, x := range e.Dice {
			out[x.Name] = x.Value
		}
	}
	return out
}

// TestRulesThatPanic: the turn is stuck, not the process; operator and GM are
// told, players are not; REOPEN opens the turn again with all orders.
func TestRulesThatPanic(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		broken := true
		n := &noticed{resolve: func(resolve.Input) {
			if broken {
				panic("a table has no row 7")
			}
		}}
		b.d = b.another(n.wrap(), nil)
		b.reply("anna", b.one("anna"), "two shots at Zog")
		b.crank()
		b.empty()
		b.at(utc(3, 2, 19, 5))
		s := b.state(1, game.Stuck)
		if !strings.Contains(s.Turn.Why, "row 7") {
			t.Errorf("stuck because of %q", s.Turn.Why)
		}
		gm := b.one("greta")
		contains(t, "what the GM is told", gm.text, "stuck", "REOPEN", "pbemd replay Dusk 1")
		all, wrong := b.replayed(1)
		if len(wrong) != 1 || !strings.Contains(wrong[0], "the rules stopped: a table has no row 7") || !all[1].Stuck {
			t.Errorf("replayed: %+v %q", all, wrong)
		}
		contains(t, "what the operator is told", b.one("mallory").text, "is stuck", "row 7")
		for _, who := range []string{"anna", "ben", "carla"} {
			b.none(who)
		}
		// It stays so, and says so once.
		b.clock.advance(48 * time.Hour)
		b.crank()
		b.none("greta")
		b.reply("greta", gm, "OK")
		b.crank()
		contains(t, "OK to a stuck turn", b.one("greta").text, "stuck")
		broken = false
		if all, wrong = b.replayed(0); len(wrong) > 0 || len(all) != 2 || all[1].Events == 0 {
			t.Errorf("replayed: %+v %q", all, wrong)
		}
		broken = true

		b.reply("greta", gm, "REOPEN 24h")
		b.crank()
		if _, ok := b.state(1, game.Open).InForce()["bobo"]; !ok {
			t.Error("REOPEN lost Anna's orders")
		}
		contains(t, "what players are told", b.one("anna").text, "reopened")
		b.empty()
		broken = false
		b.clock.advance(25 * time.Hour)
		b.crank()
		b.state(1, game.Review)
		packet := b.one("greta")
		if strings.Contains(packet.text, "after you had seen a draft") {
			t.Error("the packet speaks of a draft that nobody saw")
		}
		b.reply("greta", packet, "OK")
		b.crank()
		b.state(2, game.Open)
	})
}

// TestResolveThatNeverEnds: a process that dies of the turn three times leaves
// it stuck, and the fourth says so.
func TestResolveThatNeverEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.empty()
	b.clock.set(utc(3, 2, 19, 5))
	b.fetch()
	turn := b.turnStep((*Daemon).closeTurn)
	b.must(b.d.closeTurn(t.Context(), turn.row))
	for range maxTries {
		if _, err := b.st.ResolveBegins(t.Context(), turn.row.Row); err != nil {
			t.Fatal(err)
		}
		b.clock.advance(claimTerm)
	}
	b.crank()
	b.state(1, game.Stuck)
	b.one("greta")
	b.one("mallory")
}

// TestSameInputSameDigest: a ruling taken back leaves the attempt before it,
// byte for byte, under a new number; only the new number can be released.
func TestSameInputSameDigest(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	packet := review(b)
	first := b.game().Turn.Digest
	b.reply("greta", packet, "MOD bobo +10")
	b.crank()
	if b.game().Turn.Digest == first {
		t.Fatal("a ruling left the digest as it was")
	}
	b.reply("greta", b.with("greta", "attempt 2"), "DROP 1")
	b.crank()
	if s := b.state(1, game.Review); s.Turn.Attempt != 3 || s.Turn.Digest != first {
		t.Fatalf("attempt %d, same digest as attempt 1: %v", s.Turn.Attempt, s.Turn.Digest == first)
	}
	b.reply("greta", packet, "OK")
	b.crank()
	b.state(1, game.Review)
	b.reply("greta", b.with("greta", "attempt 3"), "OK")
	b.crank()
	b.state(2, game.Open)
}

// TestReopened: after a REOPEN the lock and so the dice stay, foes keep the
// plans they had at the first close, and every report says what happened.
func TestReopened(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		gm, anna := b.with("greta", "the turn opens"), b.one("anna")
		b.reply("anna", anna, "two shots at Zog")
		b.reply("greta", gm, "AS Zog: one shot at Mira")
		b.crank()
		b.at(utc(3, 2, 19, 5))
		packet := b.with("greta", "attempt 1")
		s := b.state(1, game.Review)
		lock, digest, dice := string(s.Turn.Lock), s.Turn.Digest, b.rolled()
		plan := string(s.InForce()["zog"].Plan)
		if plan == "" {
			t.Fatal("Zog has no orders")
		}

		// Nothing changes: the same attempt comes out again.
		b.reply("greta", packet, "REOPEN 24h")
		b.crank()
		b.clock.advance(25 * time.Hour)
		b.crank()
		if s = b.state(1, game.Review); s.Turn.Attempt != 2 || s.Turn.Digest != digest || string(s.Turn.Lock) != lock {
			t.Fatalf("attempt %d, same digest %v, same lock %v", s.Turn.Attempt, s.Turn.Digest == digest, string(s.Turn.Lock) == lock)
		}

		// A foe is ordered while the turn is open again: not an order but a ruling,
		// which needs the GM's proof, and applies at the close.
		b.reply("greta", b.with("greta", "attempt 2"), "REOPEN 24h")
		b.crank()
		b.empty()
		b.reply("greta", gm, "AS Zog: hold", arrival{auth: "none"})
		b.crank()
		ask := b.one("greta")
		contains(t, "an unproven ruling", ask.text, "CONFIRM")
		if s = b.state(1, game.Open); len(s.Rulings) != 0 {
			t.Fatalf("an unproven letter ruled: %+v", s.Rulings)
		}
		b.reply("greta", gm, "AS Zog: crouch")
		b.crank()
		contains(t, "the answer", b.one("greta").text, "AS zog", "closes again")
		s = b.state(1, game.Open)
		if len(s.Rulings) != 1 || s.Rulings[0].Body.Kind != game.RuleOrders || string(s.InForce()["zog"].Plan) != plan {
			t.Fatalf("rulings %+v, Zog's plan %s", s.Rulings, s.InForce()["zog"].Plan)
		}
		b.reply("anna", b.with("anna", "reopened"), "one shot at Zog")
		b.crank()
		b.clock.advance(25 * time.Hour)
		b.crank()
		s = b.state(1, game.Review)
		if string(s.Turn.Lock) != lock {
			t.Error("the lock changed")
		}
		for name, value := range b.rolled() {
			if old, ok := dice[name]; ok && old != value {
				t.Errorf("die %s is %d, was %d", name, value, old)
			}
		}
		did := map[game.ID][]string{}
		for _, e := range b.events() {
			if e.Actor == "zog" || e.Actor == "bobo" {
				did[e.Actor] = append(did[e.Actor], e.Kind)
			}
		}
		want := map[game.ID][]string{"bobo": {"initiative", "fire"}, "zog": {"initiative", "posture"}}
		if diff := cmp.Diff(want, did); diff != "" {
			t.Errorf("what was done (-want +got):\n%s", diff)
		}
		third := b.with("greta", "attempt 3")
		contains(t, "the packet", third.text, "AS zog", "after you had seen a draft")
		b.reply("greta", third, "OK")
		b.crank()
		b.state(2, game.Open)
		for _, who := range []string{"anna", "ben", "carla"} {
			contains(t, who+"'s report", b.with(who, "report").text, "reopened after the GM had seen a draft")
		}
	})
}

// forgetful is a ruleset that cannot read worlds back while it is ill.
type forgetful struct {
	*noticed
	ill *bool
}

func (f forgetful) Load(b []byte) (game.World, error) {
	if *f.ill {
		return nil, errors.New("the world is upside down")
	}
	return f.noticed.Load(b)
}

// TestReleaseThatFails: an approved turn that cannot be released is tried again,
// the operator is told once a day, and it goes out when it can.
func TestReleaseThatFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	packet := review(b)
	b.reply("greta", packet, "OK")
	b.must(b.d.ingest(t.Context(), b.fetch()[0]))
	b.empty()
	ill := true
	well := b.d
	b.d = b.another(func(o *Options) {
		find := o.Rulesets
		o.Rulesets = func(name string) (resolve.Ruleset, error) {
			rs, err := find(name)
			return forgetful{&noticed{Ruleset: rs}, &ill}, err
		}
	}, nil)
	for range 3 {
		b.work()
		b.clock.advance(time.Minute)
	}
	contains(t, "what the operator is told", b.one("mallory").text, "Dusk turn 1 cannot be released", "upside down")
	b.none("anna")
	b.d = well
	b.crank()
	b.state(2, game.Open)
	b.one("anna")
	b.none("mallory")
}
