package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// foesOrders stores orders for the GM's own combatants.
func (d *Daemon) foesOrders(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State != game.Open {
		return d.refuseGM(ctx, c, g, "your combatants' orders", fmt.Sprintf("Turn %d is %s.", t.Turn.N, stateWords[t.Turn.State]))
	}
	all := t.actors(c.role)
	var rd reading
	for _, block := range g.As {
		for _, who := range block.Who {
			i := slices.IndexFunc(all, func(a parse.Actor) bool { return a.ID == who })
			if i < 0 {
				return d.refuseGM(ctx, c, g, "your combatants' orders",
					fmt.Sprintf("%s is not one of your combatants that can act. While the turn is open a player's character is ordered by his player; after its close AS %s: … gives him other orders.", who, who))
			}
			part := d.read(t, all[i:i+1], block.Lines)
			rd.parts = append(rd.parts, part.parts...)
		}
	}
	if !rd.orders() {
		m, err := report.Receipt(d.receipt(c, t, rd, false))
		if err != nil {
			return err
		}
		return d.answer(ctx, c, m)
	}
	revisions, err := rd.revisions(c)
	if err != nil {
		return err
	}
	m, err := report.Receipt(d.receipt(c, t.with(revisions), rd, false))
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindReceipt, m, false)
	if err != nil {
		return err
	}
	d.trace(c, "foes' orders: "+m.Subject)
	return d.Store.StoreOrders(ctx, d.ending(c, store.Acted, "foes' orders", n), t.Turn.Key(), revisions)
}

// rulings stores rulings, ACCEPT, DROP and notes of one letter; a new attempt follows.
func (d *Daemon) rulings(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State != game.Closed && t.Turn.State != game.Review && (t.Turn.State != game.Open || !t.closedBefore()) {
		return d.refuseGM(ctx, c, g, "the ruling", fmt.Sprintf("Turn %d is %s. Rulings are taken from its close until it is approved.", t.Turn.N, stateWords[t.Turn.State]))
	}
	rules := slices.Clone(g.Rulings)
	drops := []int{}
	for _, cmd := range g.Commands {
		switch cmd.Word {
		case "ACCEPT":
			if !slices.ContainsFunc(t.Revisions, func(r store.Revision) bool { return r.LateN == cmd.Number }) {
				return d.refuseGM(ctx, c, g, "the ruling", fmt.Sprintf("There is no late letter %d in this turn.", cmd.Number))
			}
			rules = append(rules, game.Ruling{Kind: game.RuleAccept, Value: fmt.Sprint(cmd.Number), Text: cmd.Line.Text})
		case "DROP":
			if !slices.ContainsFunc(t.Rulings, func(r store.Ruling) bool { return r.N == cmd.Number && r.DroppedBy == 0 }) {
				return d.refuseGM(ctx, c, g, "DROP", fmt.Sprintf("There is no ruling %d in force in this turn.", cmd.Number))
			}
			drops = append(drops, cmd.Number)
		}
	}
	for _, block := range g.As {
		for _, who := range block.Who {
			r, problems := d.orderRuling(t, who, block.Lines)
			if len(problems) > 0 {
				g.Problems = problems
				return d.refuseGM(ctx, c, g, "the ruling", "The orders could not be taken as they stand.")
			}
			rules = append(rules, r)
		}
	}
	for _, n := range g.Notes {
		rules = append(rules, game.Ruling{Kind: game.RuleNote, Value: n, Text: "NOTE " + n})
	}
	for i := range rules {
		rules[i].Letter = c.row.ID
	}
	var in report.Rulings
	last := 0
	for _, r := range t.Rulings {
		last = max(last, r.N)
		switch {
		case r.DroppedBy != 0:
		case slices.Contains(drops, r.N):
			in.Notes = append(in.Notes, fmt.Sprintf("Ruling %d is taken back.", r.N))
		default:
			in.Rulings = append(in.Rulings, numbered(r))
		}
	}
	for i := range rules {
		rules[i].N = last + 1 + i
		in.Rulings = append(in.Rulings, rules[i])
	}
	if c.token.Purpose == mail.PurposeRelease && t.Draft != nil && int(c.token.N) != t.Draft.N {
		in.Notes = append(in.Notes, fmt.Sprintf("You answered attempt %d, so event numbers are those of its packet.", c.token.N))
	}
	if t.Turn.State == game.Open {
		in.Notes = append(in.Notes, "They apply when the turn closes again.")
	} else {
		in.Notes = append(in.Notes, "A new attempt follows.")
	}
	m, err := report.Answer("rulings", d.head(t, c.role), in)
	if err != nil {
		return err
	}
	n, err := d.envelopeFor(c, kindAnswer, m, false)
	if err != nil {
		return err
	}
	d.trace(c, fmt.Sprintf("ruled: %d rulings, %d dropped", len(rules), len(drops)))
	return d.Store.Rule(ctx, d.ending(c, store.Acted, "rulings", n), t.Turn.Key(), rules, drops)
}

// orderRuling makes a ruling of orders for a combatant after the first close:
// changing a foe's plan then is a ruling (design section 6), and so are orders in
// the place of an absent player's. They are read as that combatant knows things.
func (d *Daemon) orderRuling(t *table, who game.ID, lines []parse.Line) (game.Ruling, []game.Problem) {
	if !slices.ContainsFunc(t.world.Bodies(), func(b game.Body) bool { return b.ID == who && t.may(b) }) {
		return game.Ruling{}, []game.Problem{{Severity: game.Wrong, Kind: "not_your_character", Text: fmt.Sprintf("%s cannot act in this turn.", who)}}
	}
	rd := d.read(t, []parse.Actor{t.actor(who)}, lines)
	var problems []game.Problem
	for _, p := range rd.parts {
		for _, x := range p.problems {
			if x.Severity == game.Wrong {
				problems = append(problems, x)
			}
		}
	}
	if len(problems) == 0 && !rd.orders() {
		problems = []game.Problem{{Severity: game.Wrong, Kind: "unparsed", Text: "No orders were found for " + string(who) + "."}}
	}
	if len(problems) > 0 {
		return game.Ruling{}, problems
	}
	plan, err := canonical(rd.parts[0].plan)
	if err != nil {
		return game.Ruling{}, []game.Problem{{Severity: game.Wrong, Kind: "unparsed", Text: "The orders could not be kept."}}
	}
	text := fmt.Sprintf("AS %s: %s", who, strings.Join(strings.Fields(textOf(lines)), " "))
	return game.Ruling{Kind: game.RuleOrders, Who: who, Value: string(plan), Text: text}, nil
}

// notes stores NOTE lines alone: narrative, which changes no event and so makes
// no new attempt.
func (d *Daemon) notes(ctx context.Context, c *call, g parse.GMText) error {
	t := c.table
	if t.Turn.State == game.Approved || t.Turn.State == game.Stuck {
		return d.refuseGM(ctx, c, g, "NOTE", fmt.Sprintf("Turn %d is %s.", t.Turn.N, stateWords[t.Turn.State]))
	}
	in := d.status(c)
	in.Title = "Noted for the reports of this turn"
	in.Notes = append(in.Notes, g.Notes...)
	return d.change(ctx, c, "noted", in, func(e store.Ending) error {
		_, err := d.Store.AddNotes(ctx, e, t.Turn.Key(), noteRulings(g.Notes, c.row.ID))
		return err
	})
}

func noteRulings(notes []string, letter int64) []game.Ruling {
	var out []game.Ruling
	for _, n := range notes {
		out = append(out, game.Ruling{Kind: game.RuleNote, Value: n, Text: "NOTE " + n, Letter: letter})
	}
	return out
}

// runRulings lists the rulings of the turn.
func (d *Daemon) runRulings(ctx context.Context, c *call, _ parse.Command, _ []parse.Line) error {
	var in report.Rulings
	for _, r := range c.table.Rulings {
		if r.DroppedBy != 0 {
			in.Notes = append(in.Notes, fmt.Sprintf("Ruling %d, \"%s\", was taken back.", r.N, r.Body.Text))
			continue
		}
		in.Rulings = append(in.Rulings, numbered(r))
	}
	m, err := report.Answer("rulings", d.head(c.table, c.role), in)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

// numbered is a stored ruling with its number.
func numbered(r store.Ruling) game.Ruling {
	body := r.Body
	body.N = r.N
	return body
}

// settable are the names of what a ruling may set on a combatant.
func (t *table) settable() string {
	var words []string
	for _, f := range t.rules.Vocabulary(t.view(game.GM)).Fields {
		if f.Of == "" {
			words = append(words, f.Name)
		}
	}
	return strings.Join(words, ", ")
}
