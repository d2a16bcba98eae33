package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// treatmentRow is one row of 11.8.
type treatmentRow struct {
	ID         game.ID  `toml:"id"`
	Name       string   `toml:"name"`
	Words      []string `toml:"words"`
	Actions    int      `toml:"actions"`
	Ends       []string `toml:"ends"`
	Healed     []string `toml:"healed"`
	STA        int      `toml:"sta"`
	Ill        int      `toml:"ill"`
	Every      int64    `toml:"every"`
	Holds      int64    `toml:"holds"`
	Skill      int      `toml:"skill"`
	Doses      int      `toml:"doses"`
	Source     string   `toml:"source"`
	Unverified []string `toml:"unverified"`
}

// threadsTable is what holds somebody in a tangler (10.3).
type threadsTable struct {
	BreakOver int `toml:"break_over"`
}

// poisonTable is what a poison takes (10.3).
type poisonTable struct {
	Points int `toml:"points"`
}

// fallTable is 11.7.
type fallTable struct {
	Die          int `toml:"die"`
	PerMetre     int `toml:"per_metre"`
	Sprain       int `toml:"sprain"`
	Break        int `toml:"break"`
	BreakDie     int `toml:"break_die"`
	BreakLegTo   int `toml:"break_leg_to"`
	Stun         int `toml:"stun"`
	MinutesDie   int `toml:"minutes_die"`
	TurnsAMinute int `toml:"turns_a_minute"`
}

// treatment finds what an item is good for; nil: nothing that the rules know.
func (t *tables) treatment(kind, name string) *treatmentRow {
	for i := range t.treatments {
		row := &t.treatments[i]
		if kind == string(row.ID) || (kind == "dose" || kind == "kit" || kind == "medkit") && slices.ContainsFunc(resolve.Words(name), func(w string) bool { return slices.Contains(row.Words, w) }) {
			return row
		}
	}
	return nil
}

// Task is something that takes several rounds (17.5).
type Task struct {
	Kind  game.ID `json:"kind"`
	On    game.ID `json:"on"`
	Done  int     `json:"done"`
	Round int64   `json:"round"` // rounds played when it was last worked on
}

// item finds something on the sheet.
func (f *Fighter) item(id game.ID) *Item {
	for i := range f.Items {
		if f.Items[i].ID == id {
			return &f.Items[i]
		}
	}
	return nil
}

// doses is how often an item will still do.
func (it *Item) doses(row *treatmentRow) int {
	if row.Doses > 0 {
		return it.Left
	}
	return it.Count
}

// use checks the giving of a drug or of first aid.
func (c *checker) use(in game.Intent) []game.Intent {
	it := c.me.item(in.Item)
	if row, state := c.t.belt(it, in); row != nil {
		return c.wear(in, it, row, state)
	}
	if opensDoor(&in) {
		in.State = "" // what the order says decides
	}
	if steps, ok := c.door(in, c.sc.feature(in.Item)); ok {
		return steps
	}
	if place := c.sc.feature(in.Item); place != nil || it != nil && c.t.treatment(it.Kind, it.Name) == nil {
		// The rules say nothing of locks and tools: the GM does.
		c.add(game.Noted, "free_text", "The rules do not say how this ends.", "it goes to the GM; unless he rules otherwise, nothing happens")
		free := game.Intent{Verb: "special", Kind: "free", Text: in.Action, Round: in.Round, At: in.At}
		if free.Text == "" && place != nil {
			free.Text = "use " + place.Name
		} else if free.Text == "" {
			free.Text = "use " + it.Name
		}
		return []game.Intent{free}
	}
	if it == nil {
		c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("There is no %q on the sheet of %s.", in.Item, c.v.Self.Name), "name one of the sheet")
		return nil
	}
	row := c.t.treatment(it.Kind, it.Name)
	if it.doses(row) < 1 {
		c.add(game.Wrong, "empty_weapon", "There is nothing left of the "+it.Name+".", "leave it out")
		return nil
	}
	if c.me.Skills["medical"] < row.Skill {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("%s has not learned %s.", c.v.Self.Name, row.Name), "let somebody do it who has the skill")
		return nil
	}
	if in.On.IsZero() {
		in.On = game.To(game.Me)
	}
	who := in.On.ID
	if who != game.Me && who != c.me.ID {
		if p := c.sc.person(who); p == nil || !p.seen && p.relation != "ally" {
			c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, in.On.String()), "name somebody who is here")
			return nil
		}
	}
	if row.Actions > 1 {
		c.add(game.Noted, "use", fmt.Sprintf("%s takes %d turns without a step; order it again in each of them.", resolve.Title(row.Name), row.Actions), "")
	}
	return []game.Intent{in}
}

// use gives somebody within reach a drug, or goes on with first aid.
func (e *engine) use(s *state, in game.Intent, ref string) {
	f := s.f
	it := f.item(in.Item)
	if belt, state := e.belt(it, in); belt != nil {
		e.wear(s, it, belt, state, ref)
		return
	}
	ev := e.event(ref, f, "use", "done")
	ev.Rule = "11.8"
	row := (*treatmentRow)(nil)
	if it != nil {
		row = e.treatment(it.Kind, it.Name)
	}
	p := e.w.fighter(in.On.ID)
	if in.On.ID == game.Me || in.On.IsZero() {
		p = f
	}
	switch {
	case row == nil || it.doses(row) < 1:
		e.fail(s, ev, "not_there", f.Name+" has nothing of the kind left.")
		return
	case p == nil:
		e.fail(s, ev, "no_target", f.Name+" finds nobody to treat.")
		return
	case p != f && !e.allowed(ref) && !e.g.reach(e.tables, f.Place, p.Place):
		e.fail(s, ev, "out_of_reach", fmt.Sprintf("%s is not beside %s and cannot treat him.", f.Name, p.Name))
		return
	}
	ev.Target = p.ID
	e.witnesses(ev, f, p, false)
	e.pressed[p.ID] = true
	free := e.allowed(ref)
	if free {
		e.lifted(ref)
	}
	if row.Actions > 1 && !free && !e.work(s, ev, row, p) {
		return
	}
	if row.Doses > 0 {
		it.Left--
	} else {
		it.Count--
	}
	for _, cell := range row.Unverified {
		ev.Unverified = append(ev.Unverified, row.Name+": "+cell)
	}
	look := e.treat(ev, row, p, free)
	f.Task = nil
	e.treatTexts(ev, f, p, fmt.Sprintf("gives %s %s", map[bool]string{true: "himself", false: "%s"}[p == f], row.Name), look)
}

// work is one round of a treatment that takes several; true: it is the last.
func (e *engine) work(s *state, ev *game.Event, row *treatmentRow, p *Fighter) bool {
	f := s.f
	e.progress(s, row.ID, p.ID)
	if n, ok := e.rules.EventNumber(ev.Ref, "done"); ok && n >= 0 {
		f.Task.Done = n
	}
	ev.Numbers["done"], ev.Numbers["of"] = f.Task.Done, row.Actions
	if f.Task.Done >= row.Actions {
		return true
	}
	verb := fmt.Sprintf("gives %s %s (%d of %d turns)", map[bool]string{true: "himself", false: "%s"}[p == f], row.Name, f.Task.Done, row.Actions)
	e.treatTexts(ev, f, p, verb, "")
	return false
}

func (e *engine) treatTexts(ev *game.Event, f, p *Fighter, verb, look string) {
	said := func(name string) string {
		out := f.Name + " "
		if p == f {
			out += verb
		} else {
			out += fmt.Sprintf(verb, name)
		}
		if look != "" {
			out += "; " + map[bool]string{true: "he", false: name}[p == f] + " " + look
		}
		return out + "."
	}
	for _, g := range []game.Grade{game.All, game.Own, game.Seen} {
		ev.Text[g] = said(p.Name)
	}
	ev.Text[game.Actor] = f.Name + " bends over somebody out of sight."
	ev.Text[game.Target] = "Somebody out of sight sees to " + p.Name + "."
	e.emit(ev)
}

// treat is what a treatment does to a patient; it gives what is to be seen.
// free: the GM allows it, whatever was before.
func (e *engine) treat(ev *game.Event, row *treatmentRow, p *Fighter, free bool) string {
	if p.machine() || has(p.Status, "dead") && row.Holds == 0 {
		return "is past helping"
	}
	if last, ok := p.Treated[string(row.ID)]; ok && row.Every > 0 && e.w.Played-last < row.Every && !free {
		ev.Outcome, ev.Reason = "no_effect", "too_soon"
		return "feels no difference"
	}
	was, before := p.able(), p.Now
	if row.Holds > 0 {
		if p.Now > 0 || p.Now < e.Stamina.BeyondHelp || e.w.Played+1-p.Fell > row.Holds && !free {
			ev.Outcome, ev.Reason = "no_effect", "too_late"
			return "shows no change"
		}
		p.Status = append(slices.DeleteFunc(p.Status, func(s string) bool { return s == "dead" || s == "staydose" }), "staydose")
		ev.Changes = append(ev.Changes, changed(p.ID, "STATUS", "", "staydose"))
		return "lies still, and will last"
	}
	if row.Every > 0 {
		if p.Treated == nil {
			p.Treated = map[string]int64{}
		}
		p.Treated[string(row.ID)] = e.w.Played
	}
	p.end(func(x Effect) bool {
		gone := slices.Contains(row.Ends, x.Kind) || slices.Contains(row.Healed, x.Heal)
		if gone {
			ev.Changes = append(ev.Changes, changed(p.ID, "STATUS", x.Kind, ""))
		}
		return gone
	})
	for _, kind := range row.Ends {
		// A state without an end was given by the scenario or the GM.
		if p.Now > 0 && has(p.Status, kind) {
			p.Status = slices.DeleteFunc(p.Status, func(s string) bool { return s == kind })
			ev.Changes = append(ev.Changes, changed(p.ID, "STATUS", kind, ""))
		}
	}
	back := min(row.Ill, p.Ill)
	p.Ill -= back
	heals := row.STA + back
	if n, ok := e.rules.EventNumber(ev.Ref, "healed"); ok {
		heals = max(n, 0)
	}
	p.Now = min(p.Now+heals, p.STA)
	if p.Now != before {
		ev.Changes = append(ev.Changes, changed(p.ID, "STA", strconv.Itoa(before), strconv.Itoa(p.Now)))
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(row.Name), Value: resolve.Signed(p.Now - before), Secret: true})
	}
	if before <= 0 && p.Now > 0 {
		p.Status = slices.DeleteFunc(p.Status, func(s string) bool {
			return s == "dying" || s == "staydose" || s == "unconscious" && !p.has("unconscious")
		})
	}
	switch {
	case !was && p.able():
		ev.Changes = append(ev.Changes, changed(p.ID, "STATUS", "", "able"))
		return "comes round"
	case p.Now > before:
		return "looks better"
	}
	return "breathes more easily"
}

// fall is what a fall of so many metres does (11.7).
func (e *engine) fall(ev *game.Event, f *Fighter, metres int) string {
	t := &e.Fall
	who := ev.Ref // of a ruling: it begins with the one who falls
	points := e.rollSum(ev, "dmg", who, resolve.Notation{N: 1, Sides: t.Die}) + t.PerMetre*metres
	note := func(label string, v string) {
		ev.Lines = append(ev.Lines, game.Line{Label: label, Value: v})
	}
	note(fmt.Sprintf("Fall of %d m", metres), strconv.Itoa(points))
	if level := f.Skills["martial_arts"]; level > 0 {
		points = max(points-level, 0)
		note("Tumbling, Martial Arts "+strconv.Itoa(level), strconv.Itoa(points))
	}
	was := f.able()
	ev.Numbers["damage"] = points
	e.lose(ev, f, points, "fall")
	if points > 0 {
		e.drop(ev, f)
	}
	if f.machine() {
		return woundLook(f, points, was)
	}
	if points >= t.Sprain && points < t.Break {
		f.add(Effect{Kind: "sprain", Name: "Sprained leg", Heal: "first_aid"})
		note("Sprained leg", "half speed")
	}
	if points >= t.Break {
		d := e.rules.Roll("wound/"+who, t.BreakDie)
		ev.Dice = append(ev.Dice, d)
		if d.Value <= t.BreakLegTo {
			f.add(Effect{Kind: "broken_leg", Name: "Broken leg", Heal: "splint"})
			note("Broken leg", strconv.Itoa(d.Value))
		} else {
			f.add(Effect{Kind: "other_arm", Name: "Broken arm", Heal: "splint"})
			note("Broken arm", strconv.Itoa(d.Value))
		}
	}
	if points >= t.Stun {
		d := e.rules.Roll("resist/"+who, 100)
		ev.Dice = append(ev.Dice, d)
		note("Unconscious up to "+strconv.Itoa(points), strconv.Itoa(d.Value))
		if d.Value <= points {
			m := e.rules.Roll("stunturns/"+who, t.MinutesDie)
			ev.Dice = append(ev.Dice, m)
			note("Unconscious, minutes", strconv.Itoa(m.Value))
			e.down(ev, f, Effect{Kind: "unconscious", Turns: m.Value * t.TurnsAMinute})
		}
	}
	return woundLook(f, points, was)
}
