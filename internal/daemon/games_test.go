package daemon

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
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

// exportOf gives the files of the game, and their order.
func (b *bench) exportOf() (files map[string]string, order []string) {
	b.t.Helper()
	files = map[string]string{}
	err := b.d.Export(b.t.Context(), b.game().Game.ID, func(path string, data []byte) error {
		if _, twice := files[path]; twice {
			return fmt.Errorf("%s is written twice", path)
		}
		files[path] = string(data)
		order = append(order, path)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return files, order
}

// holdsDigest fails the test if a file holds 32 bytes in any usual form.
func holdsDigest(t *testing.T, what string, files map[string]string, secret []byte) {
	t.Helper()
	for path, data := range files {
		flat := strings.NewReplacer("=\r\n", "", "\r\n ", "", "\n ", "").Replace(data)
		for _, form := range []string{string(secret), fmt.Sprintf("%x", secret), base64.StdEncoding.EncodeToString(secret), base64.RawURLEncoding.EncodeToString(secret)} {
			if strings.Contains(data, form) || strings.Contains(flat, form) || strings.Contains(strings.ToLower(flat), form) {
				t.Errorf("%s holds %s", path, what)
			}
		}
	}
}

// TestExport: a game in its second turn has its orders, events, reports and what
// its dice are checked with in files, the same in every export, and no secret of
// dice that are still to be rolled.
func TestExport(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, dsn string) {
		b := newBench(t, dsn, benchOptions{})
		b.reply("anna", b.one("anna"), "Two shots at Zog.")
		b.crank()
		b.clock.advance(14 * time.Hour)
		b.crank()
		b.reply("greta", b.with("greta", "attempt 1"), "MOD bobo +10 because high ground")
		b.crank()
		review := b.game()
		b.reply("greta", b.with("greta", "attempt 2"), "OK")
		b.crank()
		b.reply("ben", b.with("ben", "turn 2"), "One shot at Kira.")
		b.crank()
		s := b.game()
		files, order := b.exportOf()
		again, order2 := b.exportOf()
		if diff := cmp.Diff(files, again) + cmp.Diff(order, order2); diff != "" {
			t.Error("the second export is another one:", diff)
		}

		var names []string
		for _, f := range slices.Sorted(maps.Keys(files)) {
			if !strings.HasSuffix(f, ".eml") {
				names = append(names, f)
			}
		}
		want := []string{"README.txt", "game.json", "game.toml", "mails.json",
			"turn-001/attempt-orders.json", "turn-001/attempt-rulings.json", "turn-001/attempt.json", "turn-001/dice.json", "turn-001/events.json",
			"turn-001/orders.json", "turn-001/orders/bobo.json", "turn-001/orders/bobo.txt", "turn-001/outcome.json", "turn-001/rulings.json", "turn-001/turn.json",
			"turn-001/world-after.json", "turn-001/world-before.json",
			"turn-002/dice.json", "turn-002/orders.json", "turn-002/orders/chirik.json", "turn-002/orders/chirik.txt", "turn-002/rulings.json", "turn-002/turn.json", "turn-002/world-before.json"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
		contains(t, "the orders", files["turn-001/orders/bobo.txt"], "Two shots at Zog.")
		contains(t, "the rulings", files["turn-001/rulings.json"], "high ground")
		contains(t, "the people", files["game.json"], "anna@pbemd.localhost", `"bobo"`, "star-frontiers")
		if files["turn-001/events.json"] != string(s.Prev.Events) || files["turn-001/world-after.json"] != string(s.Turn.World) || files["turn-001/world-before.json"] != string(review.Turn.World) {
			t.Error("what is hashed is not as it is stored")
		}
		// What the digest binds is all there.
		a := *s.Prev
		a.WorldBefore, a.Orders, a.Rulings = []byte(files["turn-001/world-before.json"]), []byte(files["turn-001/attempt-orders.json"]), []byte(files["turn-001/attempt-rulings.json"])
		a.Events, a.WorldAfter, a.Outcome = []byte(files["turn-001/events.json"]), []byte(files["turn-001/world-after.json"]), []byte(files["turn-001/outcome.json"])
		if digest := digestOfAttempt(a); digest != s.Prev.Digest || !strings.Contains(files["turn-001/attempt.json"], digest) {
			t.Error("the digest is not that of the files")
		}
		// The mails of each turn, reports with the turn that they report.
		count := map[string]int{}
		for f := range files {
			if dir, rest, ok := strings.Cut(f, "/mails/"); ok {
				reader, name, _ := strings.Cut(rest, "/")
				count[dir+" "+reader+" "+strings.TrimSuffix(name[6:], ".eml")]++
			}
		}
		for name, n := range map[string]int{"turn-001 anna opening": 1, "turn-001 anna receipt": 1, "turn-001 anna report": 1, "turn-001 gm packet": 2, "turn-001 gm report": 1,
			"turn-002 ben receipt": 1, "turn-002 anna report": 0, "turn-001 gm hello": 1} {
			if count[name] != n {
				t.Errorf("%s: %d, want %d", name, count[name], n)
			}
		}
		var list []exportedMail
		if err := json.Unmarshal([]byte(files["mails.json"]), &list); err != nil || len(list) < 10 {
			t.Errorf("mails.json lists %d, %v", len(list), err)
		}

		// Turn 1 is over: its secrets fit its seals. Turn 2 is not.
		var one, two exportedDice
		if json.Unmarshal([]byte(files["turn-001/dice.json"]), &one) != nil || json.Unmarshal([]byte(files["turn-002/dice.json"]), &two) != nil {
			t.Fatal(files["turn-001/dice.json"], files["turn-002/dice.json"])
		}
		for audience, hex := range one.Secrets {
			secret, _ := dice.ParseDigest(hex)
			if dice.Seal(secret).String() != one.Seals[audience] {
				t.Errorf("the secret of %s does not fit", audience)
			}
		}
		if len(one.Secrets) != 2 || len(one.Leaves) != 3 || one.Lock == "" || len(two.Seals) != 2 || len(two.Secrets) != 0 || two.Lock != "" {
			t.Errorf("dice of turn 1 %+v, of turn 2 %+v", one, two)
		}
		tb, err := b.d.table(s)
		if err != nil {
			t.Fatal(err)
		}
		holdsDigest(t, "the game's secret", files, s.Game.Secret)
		for audience, secret := range tb.seals.secrets {
			holdsDigest(t, "the open turn's secret of "+audience, files, secret[:])
		}
		root := dice.Root(digestOf(s.Game.Secret), 2, 0, digestOf(s.PrevLock))
		holdsDigest(t, "the open turn's root", files, root[:])
	})
}

// TestExportOfDrafts: a turn that waits for its OK, or for its second part,
// tells none of its secrets, and a draft that was not released is left out.
func TestExportOfDrafts(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.clock.advance(24 * time.Hour)
	b.crank()
	if s := b.game(); s.Turn.State != game.Review {
		t.Fatalf("the turn is %s", s.Turn.State)
	}
	files, _ := b.exportOf()
	tb, err := b.d.table(b.game())
	if err != nil {
		t.Fatal(err)
	}
	for audience, secret := range tb.seals.secrets {
		holdsDigest(t, "the secret of "+audience, files, secret[:])
	}
	if _, there := files["turn-001/events.json"]; there {
		t.Error("the events of a draft are exported")
	}
	contains(t, "the dice", files["turn-001/dice.json"], "lock", "leaves")
}

// TestExportOfAnEndedGame reveals the game's secret, and keeps the last report
// with the last turn.
func TestExportOfAnEndedGame(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/x.db", benchOptions{})
	b.clock.advance(24 * time.Hour)
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	find := b.d.Rulesets
	b.d = b.another(func(o *Options) {
		o.Rulesets = func(name string) (resolve.Ruleset, error) {
			rs, err := find(name)
			return lastTurn{&noticed{Ruleset: rs}}, err
		}
	}, nil)
	b.clock.advance(48 * time.Hour)
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	s := b.game()
	if s.Game.EndedAt.IsZero() || s.Turn.N != 2 {
		t.Fatalf("turn %d is %s", s.Turn.N, s.Turn.State)
	}
	files, _ := b.exportOf()
	contains(t, "the game", files["game.json"], digestOf(s.Game.Secret).String(), "ended")
	contains(t, "the dice", files["turn-002/dice.json"], "secrets")
	reports := map[string]int{}
	for f := range files {
		if strings.Contains(f, "/mails/anna/") && strings.HasSuffix(f, "-report.eml") {
			reports[f[:8]]++
		}
	}
	if diff := cmp.Diff(map[string]int{"turn-001": 1, "turn-002": 1}, reports); diff != "" {
		t.Error(diff)
	}
	if _, _, err := b.d.PlanEdit(t.Context(), "new.toml", changed(t, "loading dock", "depot")); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("an edit of a game that has ended: %v", err)
	}
	if _, err := b.d.Forget(t.Context(), "anna@pbemd.localhost", false); err != nil {
		t.Errorf("forgetting a player of a game that has ended: %v", err)
	}
	files, _ = b.exportOf()
	for path, data := range files {
		if store.HasAddress(data, "anna@pbemd.localhost") {
			t.Errorf("%s tells a forgotten address", path)
		}
	}
}
