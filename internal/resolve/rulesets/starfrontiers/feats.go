package starfrontiers

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// featRow is a way of moving on which the GM rules, with what the sources give
// of it (17.4).
type featRow struct {
	Mode  string `toml:"mode"`
	Race  string `toml:"race"` // that alone can do it
	Known string `toml:"known"`
}

func (t *tables) feat(mode string) *featRow {
	for i := range t.Feat {
		if t.Feat[i].Mode == mode {
			return &t.Feat[i]
		}
	}
	return nil
}

// vaults makes an ordinary move of a jump or a climb onto or over something low:
// that is the vault of 17.2, which has its price.
func (c *checker) vaults(in *game.Intent) bool {
	usual := map[string]string{"jump": "past", "climb": "onto"}[in.Mode]
	f := c.sc.feature(in.To.ID)
	if usual == "" || f == nil || !f.Low {
		return false
	}
	in.Mode = ""
	if in.Relation == "" {
		in.Relation = usual
	}
	return true
}

// feat hands a climb, a swim, a jump or a glide to the GM.
func (c *checker) feat(in game.Intent, row *featRow) []game.Intent {
	if race := c.t.race(row.Race); race != nil && c.t.race(c.me.Race) != race {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("Only %ss %s.", race.Name, row.Mode), "write walk, run, dodge or crawl")
		return nil
	}
	if !in.To.IsZero() {
		if _, ok := c.sc.place(in.To, ""); !ok && !c.reacting {
			c.add(game.Wrong, "path", fmt.Sprintf("%s knows no place or person called %q.", c.v.Self.Name, in.To.String()), "write a square such as E4, something on the map, or somebody in sight")
			return nil
		}
	}
	c.add(game.Noted, "free_text", "How this ends is for the GM to rule.", "unless he rules otherwise, "+c.v.Self.Name+" stays")
	c.moved = true
	return []game.Intent{in}
}

// featText is a climb, a swim, a jump or a glide in plain words.
func (sc *scene) featText(in game.Intent) string {
	text := in.Mode
	if in.Distance != nil {
		text += fmt.Sprintf(" %d m", (in.Distance.Millimetres(sc.g.scaleMM)+500)/1000)
	}
	if d, ok := sc.direction(in.Direction); ok {
		text += " " + d.Word()
	}
	if !in.To.IsZero() {
		relation := in.Relation
		if relation == "" {
			relation = "to"
		}
		text += " " + strings.ReplaceAll(relation, "_", " ") + " " + sc.called(in.To)
	}
	return text
}

// stunt asks the GM how a climb, a swim, a jump or a glide ends. What he needs
// for it, the goal and what the rules know, stands in the question.
func (e *engine) stunt(s *state, ref string, in game.Intent, row *featRow) {
	f, sc := s.f, e.scene(s)
	what, goal := in.Text, in.Target
	if in.Verb == "move" {
		what, goal = sc.featText(in), in.To
	}
	if what == "" {
		what = row.Mode
	}
	ev := e.event(ref, f, "special", "ruling")
	ev.Reason, ev.Rule = "free_text", "17.4"
	ruled := e.answered(s, ref)
	text := fmt.Sprintf("%s means to %s", f.Name, what)
	if ruled {
		private(ev, text+".")
	} else {
		private(ev, text+", and stays unless the GM rules so.")
	}
	e.emit(ev)
	if ruled {
		return
	}
	at, ok := sc.place(goal, "")
	if !ok {
		at = f.Place
	}
	text = fmt.Sprintf("%s, in %s, wants to %s; the rules leave it to you", f.Name, f.Place, what)
	if row.Known != "" {
		text += ". Known of it: " + row.Known
	}
	if f.encumbered() {
		text += ". He is encumbered"
	}
	e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
		Ref: ev.Ref, Kind: "free_text", Text: text + fmt.Sprintf(". A fall of 6 m would be: %s FALL 6.", f.ID),
		Default: f.Name + " stays where he is",
		Answer:  fmt.Sprintf("%s AT %s", f.ID, at),
	})
}

// answered carries out what the GM has set for this moment, and reports that he
// has: then he is not asked again.
func (e *engine) answered(s *state, ref string) bool {
	ruled := len(e.rules.Sets(ref)) > 0
	e.applySets(ref, s)
	return ruled
}

// wind is how many rounds somebody can run without a rest (17.4, A-18).
func (t *tables) wind(f *Fighter) int64 {
	score := f.STA
	if t.Endurance.Score == "str" {
		score = f.STR
	}
	return int64(score) * t.Endurance.RoundsAPoint
}

// breathe counts the rounds in which somebody has run, which is farther than he
// walks; after too many he is out of breath. Machines do not tire.
func (e *engine) breathe() {
	for _, s := range e.st {
		f := s.f
		if f.machine() || s.mode != "run" || s.walked <= f.allowance(e.tables, "walk")*1000 {
			continue
		}
		if e.w.Played-f.RanAt >= e.Endurance.Rest {
			f.Ran = 0
		}
		f.Ran++
		f.RanAt = e.w.Played + 1
		if f.Ran < e.wind(f) {
			continue
		}
		f.Ran, f.RanAt = 0, 0
		f.add(Effect{Kind: "winded", Name: "Out of breath", Turns: int(e.Endurance.Rest)})
		ev := e.event(e.unique(fmt.Sprintf("%s/r%d.e", f.ID, e.round)), f, "status", "done")
		ev.Rule = "17.4"
		ev.Changes = append(ev.Changes, changed(f.ID, "STATUS", "", "winded"))
		ev.Lines = append(ev.Lines, game.Line{Label: "Rounds of running", Value: fmt.Sprint(e.wind(f))}, game.Line{Label: "Rounds until he can run again", Value: fmt.Sprint(e.Endurance.Rest)})
		e.witnesses(ev, f, nil, false)
		e.tell(ev, f.Name+" is out of breath and cannot run any more.")
	}
}
