package daemon

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// clock is how the game keeps time, and of it the turn that begins with the world.
func (t *table) clock() game.Clock { return t.rules.Clock(t.world, t.rounds()) }

// rounds is how many a turn of the game has at most.
func (t *table) rounds() int { return max(1, t.file.Scenario.Rounds) }

// own lists the combatants that a role orders, by id: a player's characters,
// or for the GM all that no player orders.
func (t *table) own(r store.Role) []game.Body {
	var out []game.Body
	for _, b := range t.world.Bodies() {
		if r.Kind == roleGM && b.Player == "" || r.Kind == rolePlayer && b.Player == r.Key {
			out = append(out, b)
		}
	}
	return out
}

// may reports whether a combatant can be given orders in this turn and phase.
func (t *table) may(b game.Body) bool {
	if !b.Able {
		return false
	}
	asks, all := asked(t.Turn)
	return all || slices.Contains(asks, b.ID)
}

// owed lists the combatants of a role that can act and have no orders in force.
func (t *table) owed(role int64) []game.Body {
	r, ok := t.RoleByID(role)
	if !ok || t.Turn.State != game.Open {
		return nil
	}
	inForce := t.InForce()
	var out []game.Body
	for _, b := range t.own(r) {
		if _, has := inForce[b.ID]; !has && t.may(b) {
			out = append(out, b)
		}
	}
	return out
}

// actors are a role's combatants that may be ordered, with all they know.
func (t *table) actors(r store.Role) []parse.Actor {
	var out []parse.Actor
	for _, b := range t.own(r) {
		if t.may(b) {
			out = append(out, t.actor(b.ID))
		}
	}
	return out
}

// actor is somebody who orders, with all that he knows.
func (t *table) actor(id game.ID) parse.Actor {
	v := t.view(id)
	return parse.Actor{ID: id, View: v, Vocabulary: t.rules.Vocabulary(v)}
}

// view is what a combatant knows at the start of the turn.
func (t *table) view(id game.ID) game.View {
	v := t.rules.See(t.world, id)
	v.Turn = t.Turn.N
	return v
}

// ready reports whether the newest word of a role is READY.
func (t *table) ready(role int64) bool { return t.Ready[role].On }

// waitsFor lists the players with a character able to act who are not ready.
func (t *table) waitsFor() []store.Role {
	var out []store.Role
	for _, r := range t.Roles {
		if r.Kind != rolePlayer || t.ready(r.ID) {
			continue
		}
		if slices.ContainsFunc(t.own(r), t.may) {
			out = append(out, r)
		}
	}
	return out
}

// askedAt is when early close became wanted: the newest READY, when every
// player with a character able to act is ready; zero if not, or if the game
// forbids it.
func (t *table) askedAt() time.Time {
	var at time.Time
	if !t.file.Clock.EarlyClose || len(t.waitsFor()) > 0 {
		return at
	}
	for _, r := range t.Ready {
		if r.On && r.ReceivedAt.After(at) {
			at = r.ReceivedAt
		}
	}
	return at
}

// silence is what a combatant does when nothing is ordered, in plain words.
func (t *table) silence(v game.View, voc game.Vocabulary) []string {
	return parse.Phrases(t.rules.Default(v), voc)
}

// unasked tells what a combatant does when nothing is ordered: silence, or, where
// time runs on and that is no order, that what was begun goes on.
func (t *table) unasked(v game.View, voc game.Vocabulary) []string {
	if s := t.silence(v, voc); len(s) > 0 || !t.clock().RunsOn {
		return s
	}
	return []string{goesOn}
}

// goesOn is what silence does where time runs on.
const goesOn = "nothing new: what was begun goes on, and standing orders hold"

// opening describes the turn as one reader knows it.
func (d *Daemon) opening(t *table, r store.Role) report.OpeningIn {
	in := report.OpeningIn{
		Head: d.head(t, r), Deadline: t.when(t.Turn.DeadlineAt, r), GM: r.Kind == roleGM,
		FormID: formID(t.Game, t.Turn),
	}
	block := dice.Block{Game: t.Game.Name, Turn: t.Turn.N, Void: t.Turn.Void, Seals: t.printedSeals(r)}
	if t.Turn.N == 1 && t.Turn.Phase == 0 {
		in.Lines = paragraphs(t.file.Opening)
		seal := dice.GameSeal(digestOf(t.Game.Secret))
		block.GameSeal = &seal
	}
	in.Dice = block.String()
	if in.GM {
		d.masterOpening(t, &in)
		return in
	}
	for _, b := range t.own(r) {
		v := t.view(b.ID)
		voc := t.rules.Vocabulary(v)
		ch := report.Character{View: v}
		if t.may(b) {
			ch.Default = t.silence(v, voc)
			ch.Examples = orderExamples(voc)
			ch.GoesOn = t.clock().RunsOn
		}
		in.Characters = append(in.Characters, ch)
	}
	return in
}

// masterOpening is the GM's: everybody, who owes, and what his own will do.
func (d *Daemon) masterOpening(t *table, in *report.OpeningIn) {
	in.Characters = []report.Character{{View: t.view(game.GM)}}
	for _, p := range t.Roles {
		if p.Kind != rolePlayer {
			continue
		}
		for _, b := range t.owed(p.ID) {
			in.Owes = append(in.Owes, b.Name+" ("+p.Name+")")
		}
	}
	for _, b := range t.world.Bodies() {
		if b.Player == "" && t.may(b) {
			v := t.view(b.ID)
			in.Foes = append(in.Foes, game.Line{Label: b.Name, Value: strings.Join(t.unasked(v, t.rules.Vocabulary(v)), "; ")})
		}
	}
}

func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// printedSeals are those a reader may check later: his side's and the GM's; the
// GM gets all.
func (t *table) printedSeals(r store.Role) []dice.Named {
	var out []dice.Named
	for _, a := range t.seals.audiences {
		if r.Kind == roleGM || a == dice.AudienceGM || a == t.seals.sideOf[r.Key] {
			out = append(out, dice.Named{Audience: a, Digest: dice.Seal(t.seals.secrets[a])})
		}
	}
	return out
}

// orderExamples are orders in the viewer's own words, one a verb, at most six.
func orderExamples(v game.Vocabulary) []string {
	var out []string
	for _, verb := range v.Verbs {
		if verb.Example != "" && len(out) < 6 {
			out = append(out, verb.Example)
		}
	}
	return out
}

// openingMail is the mail that opens a turn for one reader.
func (d *Daemon) openingMail(t *table, r store.Role) (store.NewMail, error) {
	in := d.opening(t, r)
	in.Map = t.atlas.Map(nil, t.views(t.world, r))
	m, err := report.Opening(in)
	if err != nil {
		return store.NewMail{}, fmt.Errorf("writing the opening of %s turn %d: %w", t.Game.Name, t.Turn.N, err)
	}
	return d.letterOf(envelope{kind: kindOpening, role: r, turn: t.Turn}, m)
}

func digestOf(b []byte) dice.Digest {
	var d dice.Digest
	copy(d[:], b)
	return d
}
