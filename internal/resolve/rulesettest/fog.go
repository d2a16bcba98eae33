package rulesettest

import (
	"fmt"
	"math/rand/v2"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

func fog(rules resolve.Ruleset, g Generator, r *rand.Rand) error {
	t := g.Twins(r)
	t.With.Dice = sealed(r)
	t.Without.Dice = t.With.Dice
	with, err := carryOut(rules, t.With)
	if err != nil {
		return err
	}
	without, err := carryOut(rules, t.Without)
	if err != nil {
		return err
	}
	apart := t.Apart != nil && t.Apart(with.World, without.World)
	for _, viewer := range t.Viewers {
		// A plan may name whoever is hidden: to the other world that name is invented.
		plan := g.Plan(r, t.With.World, viewer)
		if err := sameToHim(rules, viewer, plan, t.With.World, t.Without.World); err != nil {
			return fmt.Errorf("before the turn, %w", err)
		}
		if apart {
			continue
		}
		if err := sameToHim(rules, viewer, plan, with.World, without.World); err != nil {
			return fmt.Errorf("after the turn, %w", err)
		}
		if err := differ(fmt.Sprintf("%s reads of it", viewer), reads(rules, with, viewer), reads(rules, without, viewer)); err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("%s is told of it in a brief", viewer), brief(with, viewer), brief(without, viewer)); err != nil {
			return err
		}
	}
	return nil
}

// reads is all that a viewer may be told of a turn's events: the lines of his
// report, and what is behind each.
func reads(rules resolve.Ruleset, o resolve.Outcome, viewer game.ID) (out []report.Why) {
	in := report.WhyIn{Clock: rules.Clock(o.World, 1), Events: o.Events, Names: map[game.ID]string{}, Sealed: func(d game.Die) string { return d.Source }}
	for _, b := range o.World.Bodies() {
		in.Names[b.ID] = b.Name
	}
	for _, l := range report.Project(o.Events, []game.ID{viewer}) {
		why, _, _ := report.Explain(in, []game.ID{viewer}, l.N)
		out = append(out, why, report.Why{N: l.Round, Text: l.Text, Sum: l.Sum, Notes: append([]string{string(l.Grade)}, l.Dice...)})
	}
	return out
}

func brief(o resolve.Outcome, viewer game.ID) string {
	if o.Pause == nil {
		return ""
	}
	return o.Pause.Briefs[viewer]
}

// sameToHim compares all that a viewer gets of two worlds.
func sameToHim(rules resolve.Ruleset, viewer game.ID, plan game.Plan, a, b game.World) error {
	x, y := rules.See(a, viewer), rules.See(b, viewer)
	if err := differ(fmt.Sprintf("%s sees it", viewer), x, y); err != nil {
		return err
	}
	checkedA, problemsA := rules.Check(x, plan)
	checkedB, problemsB := rules.Check(y, plan)
	for _, part := range []struct {
		what string
		a, b any
	}{
		{"has words for it", rules.Vocabulary(x), rules.Vocabulary(y)},
		{"is answered otherwise", problemsA, problemsB},
		{"has his plan made into another one", checkedA, checkedB},
		{"would do something else unasked", rules.Default(x), rules.Default(y)},
		{"is told something else beforehand", rules.Forecast(x, checkedA, dice.Constant(0)), rules.Forecast(y, checkedB, dice.Constant(0))},
		{"is guided otherwise", guide(rules, x), guide(rules, y)},
	} {
		if err := differ(fmt.Sprintf("%s %s", viewer, part.what), part.a, part.b); err != nil {
			return err
		}
	}
	return nil
}

// guide is the guide of a system that has one.
func guide(rules resolve.Ruleset, v game.View) game.Guide {
	if g, ok := rules.(resolve.Guide); ok {
		return g.Guide(v)
	}
	return game.Guide{}
}

// Room is a room without a window in the corner of a map: its walls are column 18
// and row 10, in squares from 0.
func Room(width, height int) game.Feature {
	room := game.Feature{ID: "room", Name: "room", Kind: "wall", Opaque: true}
	for x := 18; x < width; x++ {
		room.Squares = append(room.Squares, game.Square{X: x, Y: 10})
	}
	for y := 11; y < height; y++ {
		room.Squares = append(room.Squares, game.Square{X: 18, Y: y})
	}
	return room
}
