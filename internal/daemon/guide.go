package daemon

import (
	"context"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

// GuideFor is the guide to a system's orders for those who order these actors,
// made from what the actors see alone; false: the system has none. Without an
// actor it speaks of a character of nobody's game. An order that would be asked
// about as things stand is no example. A GM gets each example once, whoever of his
// own could show it.
func GuideFor(rules resolve.Ruleset, actors []parse.Actor, gm bool) (report.Guide, bool) {
	g, ok := rules.(resolve.Guide)
	if !ok {
		return report.Guide{}, false
	}
	out := report.Guide{GM: gm, Commands: commandsOf(gm)}
	if len(actors) == 0 {
		v := g.Sample()
		actors = []parse.Actor{{ID: v.Viewer, View: v, Vocabulary: rules.Vocabulary(v)}}
		out.Sample = true
	}
	shown := map[string]bool{}
	for who, a := range actors {
		name := ""
		readers, at := actors, who // whom a line of such a letter could mean
		if gm {
			readers, at = actors[who:who+1], 0 // AS names him
		}
		if gm || len(actors) > 1 {
			name = a.View.Self.Name
			out.Names = append(out.Names, name)
		}
		guide := g.Guide(a.View)
		if gm {
			guide.Sections = slices.DeleteFunc(guide.Sections, func(s game.GuideSection) bool { return s.Players })
		}
		for i, s := range guide.Sections {
			fit := s.Orders[:0]
			for _, o := range s.Orders {
				for _, text := range o.Write {
					whole := orderFor(name, gm, text)
					if !gm {
						text = whole
					}
					if !(gm && shown[o.Form]) && len(objections(rules, readers, at, text)) == 0 {
						o.Write, shown[o.Form] = []string{whole}, true
						fit = append(fit, o)
						break
					}
				}
			}
			s.Orders = fit
			if i == len(out.Sections) {
				out.Sections = append(out.Sections, report.GuideSection{Title: s.Title, Text: s.Text, Steps: s.Steps, Needy: s.Needy})
			}
			out.Sections[i].Add(name, s)
		}
		out.Title, out.Unbuilt = guide.Title, guide.Unbuilt
	}
	if out.Unbuilt {
		out.Commands = nil
	}
	return out, true
}

// orderFor names who is ordered, where a letter could mean several.
func orderFor(name string, gm bool, order string) string {
	switch {
	case gm:
		return "AS " + name + ": " + order
	case name != "":
		return name + ": " + order
	}
	return order
}

// objections are what reader and rules would ask or refuse of one line of orders for
// one of the actors.
func objections(rules resolve.Ruleset, actors []parse.Actor, who int, line string) []game.Problem {
	var out []game.Problem
	for _, r := range parse.Orders([]parse.Line{{N: 1, Text: line}}, actors) {
		if r.Actor != actors[who].ID {
			return append(r.Problems, game.Problem{Severity: game.Wrong, Kind: "not_your_character", Text: "It is read for somebody else."})
		}
		_, problems := rules.Check(actors[who].View, r.Plan)
		for _, p := range slices.Concat(r.Problems, problems) {
			if p.Severity != game.Noted {
				out = append(out, p)
			}
		}
	}
	return out
}

// commandsOf are the rows of the table of commands that a player or a GM has.
func commandsOf(gm bool) []report.Command {
	kind := rolePlayer
	if gm {
		kind = roleGM
	}
	var out []report.Command
	for _, row := range commands() {
		if slices.Contains(row.Who, kind) {
			out = append(out, report.Command{Example: row.Example, Help: row.Help})
		}
	}
	return out
}

// guideFor is the guide for a role at a table. A GM who has nobody of his own in
// the fight reads it in the words of the first who is.
func (t *table) guideFor(gm bool, actors []parse.Actor) (report.Guide, bool) {
	if len(actors) == 0 && gm {
		if all := t.world.Bodies(); len(all) > 0 {
			actors = append(actors, t.actor(all[0].ID))
		}
	}
	in, ok := GuideFor(t.rules, actors, gm)
	if gm && ok {
		in.Rulings = t.rules.Vocabulary(t.rules.See(t.world, game.GM)).Fields
		in.Commands = append(in.Commands, rulingRows(in.Rulings, t.clock())...)
	}
	return in, ok
}

// runGuide answers HELP ORDERS; who can order nobody now reads it in the words of
// his own all the same.
func (d *Daemon) runGuide(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	actors := c.table.actors(c.role)
	if len(actors) == 0 {
		for _, b := range c.table.own(c.role) {
			actors = append(actors, c.table.actor(b.ID))
		}
	}
	in, ok := c.table.guideFor(c.role.Kind == roleGM, actors)
	if !ok {
		return d.runHelp(ctx, c, cmd, rest)
	}
	m, err := report.Answer("guide", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// subjectLine is the Subject of a letter that says nothing else, if it is a word
// that only asks, such as HELP ORDERS. It changes nothing, whoever wrote it.
func (c *call) subjectLine() []parse.Line {
	line := parse.Line{N: 1, Text: tagPattern.ReplaceAllString(c.letter.Subject, "")}
	cmd, _, ok := parse.FirstCommand([]parse.Line{line}, formsOf(c.role.Kind))
	if !ok || !commandNamed(cmd.Word).tells() {
		return nil
	}
	return []parse.Line{line}
}
