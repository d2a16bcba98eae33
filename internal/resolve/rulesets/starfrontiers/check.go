package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// checker judges one plan. It knows nothing but the view.
type checker struct {
	*knowledge
	problems []game.Problem
	step     int       // 1-based, of the plan given
	span     game.Span // where that step was read
	moved    bool      // an earlier step moves him, so that distances will change
	reacting bool      // inside a reaction, where targets and distances are those of its moment
	drawn    bool      // the note on drawing was given
	dials    map[game.ID]int
	changed  int // dial changes
	begun    bool
	asked    map[string]bool
}

// Check implements resolve.Ruleset.
func (r *Ruleset) Check(v game.View, p game.Plan) (game.Plan, []game.Problem) {
	k, ok := r.know(v)
	if !ok {
		return p, nil
	}
	c := &checker{knowledge: k, dials: map[game.ID]int{}, asked: map[string]bool{}}
	for _, q := range p.Questions {
		c.asked[q.Kind] = true
	}
	out := game.Plan{Ask: p.Ask, Questions: p.Questions, Unparsed: p.Unparsed}
	if !k.me.able() {
		if !p.Empty() {
			c.add(game.Wrong, "contradiction", v.Self.Name+" is out of action and can do nothing.", "no orders are needed until he is on his feet again")
		}
		return out, c.problems
	}
	for _, s := range p.Say[:min(len(p.Say), maxSpeech)] {
		s.Text = clip(s.Text)
		out.Say = append(out.Say, s)
	}
	steps := p.Steps
	if len(steps) > maxSteps {
		c.add(game.Wrong, "too_many_actions", fmt.Sprintf("The plan has %d steps.", len(steps)), fmt.Sprintf("the first %d are carried out", maxSteps))
		steps = steps[:maxSteps]
	}
	reactions := p.Reactions[:min(len(p.Reactions), maxReactions)]
	byRound := map[int]bool{}
	for _, s := range steps {
		byRound[round1(s.Round)] = true
	}
	for _, x := range reactions {
		byRound[round1(x.Round)] = true
	}
	for round := 1; round <= maxRounds; round++ {
		if byRound[round] {
			c.round(&out, steps, reactions, round)
		}
	}
	c.standing(&out, p.Standing)
	return out, c.problems
}

func round1(r int) int { return min(max(r, 1), maxRounds) }

func clip(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// round checks what belongs to one round and adds it to the plan.
func (c *checker) round(out *game.Plan, steps []game.Intent, reactions []game.Reaction, round int) {
	c.moved, c.changed, c.begun = round > 1, 0, false
	var kept []game.Intent
	var at []int // the step of the plan, from 1, that each kept one comes from
	for i, s := range steps {
		if round1(s.Round) != round {
			continue
		}
		c.step, c.span = i+1, s.At
		got := c.intent(s, 0)
		for range got {
			at = append(at, i+1)
		}
		kept = append(kept, got...)
	}
	kept, at = c.together(kept, at)
	var rx []game.Reaction
	for _, x := range reactions {
		if round1(x.Round) != round {
			continue
		}
		c.step, c.span = 0, x.At
		if y, ok := c.reaction(x); ok {
			rx = append(rx, y)
		}
	}
	kept, at, left := c.entitled(kept, at, rx)
	holds := false
	for _, s := range kept {
		holds = holds || s.Verb == "hold"
	}
	for i := range rx {
		if rx[i].Slot == nil {
			continue
		}
		// The hold that feeds it may have moved, or be gone.
		hold := slices.Index(at, *rx[i].Slot+1)
		if hold < 0 || kept[hold].Verb != "hold" {
			rx[i].Slot = nil
			continue
		}
		hold += len(out.Steps)
		rx[i].Slot = &hold
	}
	rx = c.fed(rx, holds, left)
	out.Steps = append(out.Steps, kept...)
	out.Reactions = append(out.Reactions, rx...)
}

func (c *checker) standing(out *game.Plan, standing []game.Standing) {
	for _, s := range standing[:min(len(standing), maxReactions)] {
		c.step, c.moved = 0, true
		switch {
		case s.Policy != nil:
			c.span = s.Policy.At
			for _, in := range c.intent(*s.Policy, 0) {
				out.Standing = append(out.Standing, game.Standing{Policy: &in})
			}
		case s.Reaction != nil:
			c.span = s.Reaction.At
			if x, ok := c.reaction(*s.Reaction); ok {
				out.Standing = append(out.Standing, game.Standing{Reaction: &x})
			}
		}
	}
}

func (c *checker) add(sev game.Severity, kind, text, do string) {
	c.problems = append(c.problems, game.Problem{Severity: sev, Kind: kind, Text: text, Do: do, Step: c.step, At: c.span})
}

// ask is add for a question that the parser has not put already.
func (c *checker) ask(kind, text, do string) {
	if !c.asked[kind] {
		c.add(game.Asked, kind, text, do)
	}
}

// never are the questions whose default is not to do the step at all.
var never = []string{
	"which_target", "grenade_kind", "target_not_visible", "not_your_character", "unknown_weapon", "which_weapon",
	"trigger_unclear", "contradiction", "friendly_target", "free_text", "illegal_option", "no_previous",
}

// intent checks one step and gives what is carried out of it: nothing, the step
// itself, or with what has to go before it.
func (c *checker) intent(in game.Intent, depth int) []game.Intent {
	if in.Pending != "" {
		if slices.Contains(never, in.Pending) {
			return nil
		}
		c.asked[in.Pending] = true
		in.Pending = ""
	}
	in.Text = clip(in.Text)
	for _, ref := range []*game.Ref{&in.To, &in.Target, &in.AwayFrom, &in.Follow} {
		*ref = c.named(*ref)
	}
	row := c.t.verb(in.Verb)
	switch {
	case row == nil && in.Verb != "ask":
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("This game has no order %q.", in.Verb), "leave it out, or say in your own words what you want")
		return nil
	case row != nil && !row.Built:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The rules of this system are not built for %q yet.", strings.ReplaceAll(in.Verb, "_", " ")),
			"it is not carried out; order something else, or ask the GM for a ruling in your own words")
		return nil
	}
	switch in.Verb {
	case "fire":
		return c.fire(in)
	case "move":
		return c.move(in)
	case "posture":
		if !slices.Contains(postures, in.Posture) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q is not a posture.", in.Posture), "write stand, crouch, kneel or prone")
			return nil
		}
	case "face":
		_, okDir := c.sc.direction(in.Direction)
		if _, ok := c.sc.place(in.Target, ""); !ok && !okDir && in.Target.ID != game.Trigger {
			c.add(game.Wrong, "target_not_visible", "There is nothing of that name to turn to.", "write a direction, such as north, or somebody you see")
			return nil
		}
	case "ready":
		return c.ready(in)
	case "reload":
		return c.reload(in)
	case "set":
		return c.set(in)
	case "if":
		return c.cond(in, depth)
	case "special":
		c.add(game.Noted, "free_text", "The rules do not say how this ends.", "it goes to the GM; unless he rules otherwise, nothing happens")
	case "hold":
		in.Max = min(max(in.Max, 0), 9)
	}
	return []game.Intent{in}
}

// named reads a square written as a name ("E4") when nothing else has that name.
func (c *checker) named(ref game.Ref) game.Ref {
	if ref.ID == "" || c.sc.person(ref.ID) != nil || c.sc.feature(ref.ID) != nil {
		return ref
	}
	if sq, ok := game.ParseSquare(string(ref.ID)); ok {
		return game.AtSquare(sq)
	}
	return ref
}

// weapon finds the weapon meant, or says why there is none.
func (c *checker) weapon(id game.ID) *Weapon {
	if id == "" {
		wp := c.me.gun(c.t)
		if wp == nil {
			c.add(game.Wrong, "unknown_weapon", c.v.Self.Name+" carries no weapon that can be fired.", "the shot is left out")
		}
		return wp
	}
	if wp := c.me.weapon(id); wp != nil {
		return wp
	}
	var have []string
	for _, w := range c.me.Weapons {
		have = append(have, w.Name)
	}
	do := c.v.Self.Name + " carries no weapon"
	if len(have) > 0 {
		do = "carried: " + strings.Join(have, ", ")
	}
	c.add(game.Wrong, "unknown_weapon", fmt.Sprintf("There is no %q on the sheet of %s.", id, c.v.Self.Name), do)
	return nil
}

// target checks whom or what is shot at.
func (c *checker) target(ref game.Ref) bool {
	switch {
	case ref.IsZero():
		c.ask("which_target", "At whom?", "name the target; without a name the shot is not fired")
		return false
	case ref.Square != nil || c.sc.feature(ref.ID) != nil:
		c.add(game.Wrong, "illegal_option", "Shots at places and things are not built yet.", "name somebody you see")
		return false
	case ref.ID == game.Me || ref.ID == c.me.ID:
		c.add(game.Wrong, "friendly_target", "That would be a shot at oneself.", "name another target")
		return false
	case ref.ID == game.Trigger && c.reacting:
		return true
	case ref.ID == game.Leader:
		c.ask("which_target", "Who is the leader? That is not to be seen.", "name the target; without a name the shot is not fired")
		return false
	case resolve.IsSelector(ref.ID):
		if ref.ID == game.AnyAlly || ref.ID == game.Anyone || ref.ID == game.Trigger {
			c.ask("which_target", "At whom?", "name the target; without a name the shot is not fired")
			return false
		}
		if !c.reacting && !c.moved && c.sc.pick(ref.ID, "") == nil {
			c.add(game.Noted, "target_not_visible", "No such target is in sight now.", "the shot is fired if there is one when the moment comes")
		}
		return true
	}
	p := c.sc.person(ref.ID)
	switch {
	case p == nil || !p.seen && p.relation != "ally":
		c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, ref.ID), "name somebody in sight: "+c.inSight())
		return false
	case p.relation == "ally":
		c.ask("friendly_target", p.name+" is on your own side.", "the shot is not fired; if you mean it, tell the GM so in your own words")
		return false
	case p.down && !c.reacting:
		c.add(game.Wrong, "target_not_visible", p.name+" is down already.", "name another target: "+c.inSight())
		return false
	}
	return true
}

func (c *checker) inSight() string {
	var names []string
	for _, p := range c.sc.people {
		if p.seen && p.relation != "ally" && !p.down {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return "nobody is in sight"
	}
	return strings.Join(names[:min(len(names), 12)], ", ")
}

// fire checks a shot or a series of shots.
func (c *checker) fire(in game.Intent) []game.Intent {
	wp := c.weapon(in.Weapon)
	if wp == nil {
		return nil
	}
	row := c.row(wp)
	in.Weapon = wp.ID
	if !shoots(row) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("Single shots with the %s are not possible, and the rules of this system are not built for anything else with it yet.", wp.Name), "use another weapon")
		return nil
	}
	if wp.State == "on_ground" {
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" lies on the ground.", "pick it up first; that takes a turn's action")
		return nil
	}
	if len(row.Ranges) == 0 {
		c.add(game.Wrong, "illegal_option", "No source gives the ranges of the "+wp.Name+".", "the GM has to rule on it")
		return nil
	}
	if row.Heavy && wp.State != "mounted" {
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" must be mounted to fire.", "use another weapon")
		return nil
	}
	if !c.mode(&in, wp, row) || !c.target(in.Target) {
		return nil
	}
	if wp.holstered() && !c.drawn {
		c.drawn = true
		c.add(game.Noted, "draw", fmt.Sprintf("The %s has to be drawn first (%+d on initiative).", wp.Name, c.t.Initiative.Holster), "")
	}
	if p := c.sc.pick(in.Target.ID, ""); p != nil && !c.moved && !c.reacting && p.seen {
		m := c.sc.g.metres(c.sc.at, p.at)
		if _, ok := row.band(m); !ok {
			c.add(game.Wrong, "out_of_range", fmt.Sprintf("%s is %d m away; the %s reaches %d m.", p.name, m, wp.Name, row.maxRange()), "move closer, or use another weapon")
			return nil
		}
	}
	if in.Shots < 0 {
		in.Shots = 1
	}
	if in.Aim && in.Shots > 1 {
		c.add(game.Noted, "too_many_actions", "Careful aim is for one shot.", "one aimed shot is fired")
		in.Shots = 1
	}
	if in.Shots == 0 {
		in.Shots = 1
		if wp.Rate > 1 && !in.Aim && !c.reacting {
			c.ask("shots", fmt.Sprintf("How many shots with the %s? Up to %d are possible.", wp.Name, wp.Rate), "one shot is fired if nothing else is written")
		}
	}
	if in.OnShort != "" && in.OnShort != "refuse" && in.OnShort != "use_left" {
		in.OnShort = ""
	}
	return c.dial(in, wp, row)
}

// mode checks the mode and the ammunition of a shot; only some are built.
func (c *checker) mode(in *game.Intent, wp *Weapon, row *weaponRow) bool {
	mode := in.Mode
	if mode == "" {
		mode = wp.Mode
	}
	if mode != "" && len(row.Modes) > 0 {
		if !slices.Contains(row.Modes, mode) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, mode), "modes: "+strings.Join(row.Modes, ", "))
			return false
		}
		if !slices.Contains(row.BuiltModes, mode) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("The rules of this system are not built for %s with the %s yet.", mode, wp.Name), "write "+strings.Join(row.BuiltModes, " or "))
			return false
		}
		in.Mode = mode
	} else if mode != "" && mode != "single" {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, mode), "leave the mode out")
		return false
	}
	ammo := in.Ammo
	if ammo == "" {
		ammo = wp.Ammo
	}
	if ammo != "" && len(row.Ammo) > 0 && !slices.Contains(row.BuiltAmmo, ammo) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The rules of this system are not built for %s ammunition in the %s yet.", ammo, wp.Name), "use another weapon")
		return false
	}
	return true
}

// dial puts a change of setting before the shots (9.3).
func (c *checker) dial(in game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	if !row.PerSEU || in.Setting.IsZero() {
		in.Setting = game.Setting{}
		return []game.Intent{in}
	}
	n := in.Setting.N
	if in.Setting.Max {
		n = wp.DialMax
	}
	in.Setting = game.Setting{}
	now, ok := c.dials[wp.ID]
	if !ok {
		now = wp.Dial
	}
	set := game.Intent{Verb: "set", Item: wp.ID, Setting: game.Setting{N: n}, At: in.At, Round: in.Round}
	before := c.setDial(set, wp, row)
	if len(before) == 0 && n != now {
		c.add(game.Noted, "setting", fmt.Sprintf("The dial of the %s stays at %d.", wp.Name, now), "")
	}
	c.begun = true
	return append(before, in)
}

// setDial checks one change of a dial and says what it costs.
func (c *checker) setDial(in game.Intent, wp *Weapon, row *weaponRow) []game.Intent {
	n := in.Setting.N
	if in.Setting.Max {
		n = wp.DialMax
	}
	if n < row.DialMin || n > wp.DialMax {
		c.ask("setting", fmt.Sprintf("The dial of the %s goes from %d to %d.", wp.Name, row.DialMin, wp.DialMax), "the dial stays as it is")
		return nil
	}
	now, ok := c.dials[wp.ID]
	if !ok {
		now = wp.Dial
	}
	if n == now {
		return nil
	}
	cost, ok := dialCost(c.setting("dial_rule"), c.me.Skills[row.Group], c.changed, c.begun)
	if !ok {
		c.add(game.Wrong, "setting", "The dial can only be changed at the beginning of a turn.", "the dial stays as it is")
		return nil
	}
	if c.me.Level > 0 && c.setting("dial_rule") != "book" {
		cost = 0 // a robot sets its own weapon
	}
	if cost > 0 {
		c.add(game.Noted, "setting", fmt.Sprintf("Setting the %s to %d takes the place of one attack.", wp.Name, n), "")
	}
	c.changed++
	c.dials[wp.ID] = n
	in.Setting, in.Item, in.Wait = game.Setting{N: n}, wp.ID, cost
	return []game.Intent{in}
}

func (c *checker) set(in game.Intent) []game.Intent {
	wp := c.me.weapon(in.Item)
	if in.Item == "" {
		wp = c.me.gun(c.t)
	}
	if wp == nil {
		c.add(game.Wrong, "illegal_option", "The rules of this system are not built for setting that yet.", "only dials and modes of weapons can be set")
		return nil
	}
	row := c.row(wp)
	in.Item, in.Wait = wp.ID, 0
	if in.Mode != "" {
		if !slices.Contains(row.Modes, in.Mode) {
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no mode %q.", wp.Name, in.Mode), "leave it out")
			return nil
		}
		in.Setting = game.Setting{}
		if in.Mode != wp.Mode {
			if cost, ok := dialCost(c.setting("dial_rule"), c.me.Skills[row.Group], c.changed, c.begun); ok {
				in.Wait = cost
				c.changed++
			}
		}
		return []game.Intent{in}
	}
	if !row.PerSEU || in.Setting.IsZero() {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The %s has no dial.", wp.Name), "leave it out")
		return nil
	}
	return c.setDial(in, wp, row)
}

func (c *checker) ready(in game.Intent) []game.Intent {
	wp := c.me.weapon(in.Item)
	if in.Item == "" {
		for i := range c.me.Weapons {
			w := &c.me.Weapons[i]
			if (in.Action == "draw" || in.Action == "") && w.holstered() || in.Action == "pick_up" && w.State == "on_ground" || (in.Action == "holster" || in.Action == "drop") && w.inHand() {
				wp = w
				break
			}
		}
	}
	if wp == nil {
		c.add(game.Wrong, "unknown_weapon", "There is no such weapon to get ready.", "name one of the sheet")
		return nil
	}
	in.Item = wp.ID
	switch in.Action {
	case "", "swap":
		in.Action = "draw"
	case "draw", "holster", "drop", "pick_up":
	default:
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q is nothing one can do with a weapon.", in.Action), "write draw, holster, drop or pick up")
		return nil
	}
	switch {
	case in.Action == "draw" && wp.State == "on_ground":
		in.Action = "pick_up"
	case in.Action == "draw" && wp.inHand():
		return nil
	case in.Action == "pick_up" && wp.State != "on_ground":
		c.add(game.Wrong, "which_weapon", "The "+wp.Name+" does not lie on the ground.", "leave it out")
		return nil
	}
	if in.Action == "draw" && !c.drawn {
		c.drawn = true
		c.add(game.Noted, "draw", fmt.Sprintf("Drawing the %s costs %d on initiative.", wp.Name, -c.t.Initiative.Holster), "")
	}
	return []game.Intent{in}
}

func (c *checker) reload(in game.Intent) []game.Intent {
	wp := c.weapon(in.Weapon)
	if wp == nil {
		return nil
	}
	in.Weapon = wp.ID
	if row := c.row(wp); row.Clip == "" && row.Every < 2 {
		c.add(game.Wrong, "illegal_option", "The "+wp.Name+" takes no clip.", "leave it out")
		return nil
	}
	if c.me.clipFor(c.t, wp) == nil && c.row(wp).Clip != "" {
		c.add(game.Wrong, "empty_weapon", "There is no clip for the "+wp.Name+" on the sheet.", "leave it out")
		return nil
	}
	return []game.Intent{in}
}

// move fills in the mode and says how far it will carry.
func (c *checker) move(in game.Intent) []game.Intent {
	modes := []string{"", "walk", "run", "dodge", "crawl"}
	if in.Mode == "sprint" {
		in.Mode = "run"
	}
	if !slices.Contains(modes, in.Mode) {
		c.add(game.Wrong, "illegal_option", fmt.Sprintf("The rules of this system are not built for moving by %q yet.", in.Mode), "write walk, run, dodge or crawl")
		return nil
	}
	if in.Weave && in.Mode == "" {
		in.Mode = "dodge"
	}
	if in.EndPosture != "" && !slices.Contains(postures, in.EndPosture) {
		in.EndPosture = ""
	}
	for _, ref := range []game.Ref{in.To, in.Follow, in.AwayFrom} {
		if ref.IsZero() || c.reacting && ref.ID == game.Trigger || resolve.IsSelector(ref.ID) {
			continue
		}
		if _, ok := c.sc.place(ref, ""); !ok {
			c.add(game.Wrong, "path", fmt.Sprintf("%s knows no place or person called %q.", c.v.Self.Name, ref.String()), "write a square such as E4, something on the map, or somebody in sight")
			return nil
		}
	}
	if in.Direction != "" {
		if _, ok := c.sc.direction(in.Direction); !ok {
			c.add(game.Wrong, "path", fmt.Sprintf("%q is not a direction.", in.Direction), "write north, northeast …, or forward, back, left, right")
			return nil
		}
	}
	if in.Distance != nil && in.Distance.Tenths < 0 {
		d := *in.Distance
		d.Tenths = -d.Tenths
		in.Distance = &d
	}
	if c.moved || c.reacting {
		if in.Mode == "" {
			in.Mode = "walk"
			if c.reacting || in.Direction == "" && in.Distance == nil {
				in.Mode = "run"
			}
		}
		c.moved = true
		return []game.Intent{in}
	}
	limits := map[string]int{}
	for _, m := range modes[1:] {
		limits[m] = c.me.allowance(c.t, m)*1000 - c.standCost(m)
	}
	unset := in.Mode == ""
	if unset {
		in.Mode = "walk"
		w := c.sc.route(in, "", limits["walk"], false)
		if !w.whole || w.cost > limits["walk"] {
			in.Mode = "run"
		}
		if w.why == "blocked" && len(w.path) == 0 {
			in.Mode = "walk"
		}
		if !in.AwayFrom.IsZero() {
			in.Mode = "run"
		}
	}
	w := c.sc.route(in, "", max(limits[in.Mode], 0), false)
	switch {
	case w.why == "no_goal" && in.Mode != "dodge" && !resolve.IsSelector(in.To.ID) && !resolve.IsSelector(in.Follow.ID):
		c.ask("path", "Where to?", "without a goal nobody moves")
		return nil
	case w.why == "blocked":
		c.ask("path", "The way is blocked.", "he goes as far as he can")
	case !w.whole:
		c.ask("path", fmt.Sprintf("That is farther than %s can %s in a turn (%d m).", c.v.Self.Name, in.Mode, c.me.allowance(c.t, in.Mode)), "he goes as far as the mode allows")
	case unset && in.Mode == "run":
		c.add(game.Noted, "path", fmt.Sprintf("That is more than a walk of %d m, so he runs (%+d to hit while running).", c.me.allowance(c.t, "walk"), c.t.AttackerMovement["run"]), "")
	}
	if in.Mode == "crawl" && slices.Contains(c.t.Move.Unverified, "crawl_m") {
		c.add(game.Noted, "unverified", "How far one crawls is in no source seen.", fmt.Sprintf("%d m are taken", c.t.Move.Crawl))
	}
	c.moved = true
	return []game.Intent{in}
}

// standCost is what getting up takes of the allowance (17.3), in millimetres.
func (c *checker) standCost(mode string) int {
	if c.me.Posture != "prone" || mode == "crawl" {
		return 0
	}
	return c.me.allowance(c.t, "walk") * 1000 / 2
}

// cond checks an if with its branches.
func (c *checker) cond(in game.Intent, depth int) []game.Intent {
	if depth >= game.MaxNesting {
		c.add(game.Wrong, "trigger_unclear", "Conditions can be nested three deep.", "the inner one is left out")
		return nil
	}
	if in.When == nil || !c.condition(*in.When, false) {
		return nil
	}
	moved := c.moved
	var then, other []game.Intent
	for _, s := range in.Then[:min(len(in.Then), maxSteps)] {
		then = append(then, c.intent(s, depth+1)...)
	}
	after := c.moved
	c.moved = moved
	for _, s := range in.Else[:min(len(in.Else), maxSteps)] {
		other = append(other, c.intent(s, depth+1)...)
	}
	c.moved = c.moved || after
	if len(then) == 0 && len(other) == 0 {
		return nil
	}
	in.Then, in.Else = then, other
	return []game.Intent{in}
}

// What conditions are built: states of the moment, and what may set off a
// reaction.
var (
	stateKinds   = []string{"los", "down", "within", "range", "sta", "ammo", "declares", "attacks", "impossible", "wounded"}
	triggerKinds = []string{"declares", "attacks", "within"}
)

// condition checks a condition; for a reaction something in it must be able to
// set it off.
func (c *checker) condition(when game.Condition, trigger bool) bool {
	atoms := resolve.Atoms(when)
	sets := false
	for _, a := range atoms {
		if !slices.Contains(stateKinds, a.Kind) {
			c.ask("trigger_unclear", fmt.Sprintf("The rules of this system are not built for the condition %q yet.", strings.ReplaceAll(a.Kind, "_", " ")),
				"it is not carried out; write it with: sees, is down, comes within … m, STA, ammunition, fires, moves")
			return false
		}
		sets = sets || slices.Contains(triggerKinds, a.Kind) && !a.Not
		for _, id := range append(slices.Clone(a.Who), a.Object.ID, a.Of.ID) {
			if id != "" && !resolve.IsSelector(id) && id != c.me.ID && c.sc.person(id) == nil && c.sc.feature(id) == nil {
				c.add(game.Wrong, "target_not_visible", fmt.Sprintf("%s sees nobody called %q.", c.v.Self.Name, id), "name somebody in sight: "+c.inSight())
				return false
			}
		}
		if (a.Kind == "within" || a.Kind == "range") && a.Distance == nil && a.Value == nil {
			c.ask("trigger_unclear", "Within what distance?", "without a distance it is not carried out")
			return false
		}
		if !trigger && (a.Kind == "declares" || a.Kind == "attacks") && !c.asked["faster_opponent"] {
			c.asked["faster_opponent"] = true
			c.add(game.Noted, "faster_opponent", "Only the plans of slower opponents in sight can be read.", "against a faster one this condition counts as false")
		}
	}
	if len(atoms) == 0 || trigger && !sets {
		c.ask("trigger_unclear", "What should set this off?", "without a trigger it is not carried out; write: if … comes within 10 m, or if … fires")
		return false
	}
	return true
}

// reaction checks a held order.
func (c *checker) reaction(x game.Reaction) (game.Reaction, bool) {
	if !c.condition(x.When, true) {
		return x, false
	}
	wasMoved := c.moved
	c.reacting = true
	var do []game.Intent
	for _, s := range x.Do[:min(len(x.Do), maxSteps)] {
		switch s.Verb {
		case "fire", "move", "posture", "face", "ready", "say":
			do = append(do, c.intent(s, 0)...)
		default:
			c.add(game.Wrong, "illegal_option", fmt.Sprintf("%q cannot be held ready as a reaction yet.", s.Verb), "hold a shot or a move")
		}
	}
	c.reacting, c.moved = false, wasMoved
	if len(do) == 0 {
		return x, false
	}
	x.Do = do
	x.Max = min(max(x.Max, 1), 9)
	switch x.Until {
	case "next_turn", "cancelled":
	default:
		x.Until = "end_of_turn"
	}
	return x, true
}

// together sorts out what does not go with what: attacks and a whole-turn
// action, aim and movement, two weapons.
func (c *checker) together(steps []game.Intent, at []int) ([]game.Intent, []int) {
	var first *game.Intent
	moves, attacks := false, false
	each(steps, func(in *game.Intent) {
		switch in.Verb {
		case "fire":
			attacks = true
			if first == nil {
				first = in
			}
		case "move":
			moves = true
		}
	})
	var out []game.Intent
	var where []int
	whole := ""
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		switch {
		case wholeTurn(s.Verb) && attacks && s.Verb == "reload":
			c.ask("attack_and_reload", "Reloading takes the whole turn.", "he shoots and does not reload")
			continue
		case wholeTurn(s.Verb) && attacks:
			c.add(game.Wrong, "contradiction", "Whoever defends himself makes no attack.", "he attacks")
			continue
		case wholeTurn(s.Verb) && whole != "":
			c.add(game.Wrong, "too_many_actions", "That is one action too many for the turn.", "only the first is carried out: "+whole)
			continue
		}
		if wholeTurn(s.Verb) {
			whole = s.Verb
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	each(out, func(in *game.Intent) {
		if in.Verb == "fire" && in.Aim && moves {
			in.Aim = false
			c.ask("aim_with_move", "Careful aim needs a shooter who does not move.", "he moves and shoots without aiming")
		}
	})
	if first != nil {
		out, where = c.oneWeapon(out, where, first.Weapon)
	}
	return out, where
}

// oneWeapon leaves out the attacks with a second weapon (4.4; 6.7 is not built).
func (c *checker) oneWeapon(steps []game.Intent, at []int, weapon game.ID) ([]game.Intent, []int) {
	var out []game.Intent
	var where []int
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		if s.Verb == "fire" && s.Weapon != weapon {
			c.add(game.Wrong, "too_many_actions", "All attacks of a turn are made with one weapon; firing two is not built yet.", "the shots with the second weapon are left out")
			continue
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	return out, where
}

// entitled cuts the plan down to the sub-actions that he gets and to the
// ammunition that he has (4.4, 6.6, 9.4); left are those not used.
func (c *checker) entitled(steps []game.Intent, at []int, rx []game.Reaction) (out []game.Intent, where []int, left int) {
	limit := c.me.entitlement(c.t, steps, rx)
	left = limit
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		n := spends(&s)
		if n > left {
			c.ask("too_many_actions", fmt.Sprintf("That is %s in a turn; %s has %d.", plural(spendsAll(steps), "action"), c.v.Self.Name, limit), "the last ones are left out")
			c.asked["too_many_actions"] = true
			if !c.shorten(&s, left) {
				continue
			}
		}
		left -= spends(&s)
		out = append(out, s)
		where = append(where, at[i])
	}
	out, where = c.ammunition(out, where)
	return out, where, left
}

// fed leaves out reactions for which no sub-action is kept or left.
func (c *checker) fed(rx []game.Reaction, holds bool, left int) []game.Reaction {
	var kept []game.Reaction
	for _, x := range rx {
		c.step, c.span = 0, x.At
		if x.Slot == nil && !holds {
			if left == 0 {
				c.ask("too_many_actions", "No action is left that could be held ready for a reaction.", "the reaction is left out; plan fewer shots")
				continue
			}
			each(x.Do, func(in *game.Intent) {
				if in.Verb == "fire" {
					in.Shots = min(max(in.Shots, 1), left)
				}
			})
			need := max(spendsAll(x.Do), 1)
			x.Max = min(x.Max, max(left/need, 1))
			left -= min(need*x.Max, left)
		}
		kept = append(kept, x)
	}
	return kept
}

// entitlement is how many sub-actions a plan may have: the rate of the weapon
// that it attacks with, or one.
func (f *Fighter) entitlement(t *tables, steps []game.Intent, rx []game.Reaction) int {
	var wp *Weapon
	holds := false
	note := func(in *game.Intent) {
		switch in.Verb {
		case "fire":
			if wp == nil {
				wp = f.weapon(in.Weapon)
			}
		case "set":
			if wp == nil && in.Wait > 0 {
				wp = f.weapon(in.Item)
			}
		case "hold":
			holds = true
		}
	}
	each(steps, note)
	for _, x := range rx {
		each(x.Do, note)
	}
	if wp == nil && (holds || len(rx) > 0) {
		wp = f.gun(t)
	}
	if wp == nil {
		return 1
	}
	return min(max(wp.Rate, 1), 9)
}

// shorten cuts an intent down to n sub-actions; false: nothing is left of it.
func (c *checker) shorten(in *game.Intent, n int) bool {
	switch {
	case n <= 0 && spends(in) > 0:
		return false
	case in.Verb == "fire":
		in.Shots = min(max(in.Shots, 1), n)
	case in.Verb == "if":
		in.Then, in.Else = c.shortenAll(in.Then, n), c.shortenAll(in.Else, n)
		return len(in.Then)+len(in.Else) > 0
	}
	return spends(in) <= n
}

func (c *checker) shortenAll(steps []game.Intent, n int) []game.Intent {
	var out []game.Intent
	for _, s := range steps {
		if spends(&s) > n && !c.shorten(&s, n) {
			continue
		}
		n -= spends(&s)
		out = append(out, s)
	}
	return out
}

// ammunition cuts unconditional shots down to what the magazine holds.
func (c *checker) ammunition(steps []game.Intent, at []int) ([]game.Intent, []int) {
	left := map[game.ID]int{}
	dial := map[game.ID]int{}
	for _, w := range c.me.Weapons {
		left[w.ID], dial[w.ID] = w.Left, w.Dial
	}
	var out []game.Intent
	var where []int
	for i, s := range steps {
		c.step, c.span = at[i], s.At
		switch s.Verb {
		case "set":
			if !s.Setting.IsZero() {
				dial[s.Item] = s.Setting.N
			}
		case "fire":
			wp := c.me.weapon(s.Weapon)
			row := c.row(wp)
			if row == nil {
				continue
			}
			n := 0
			for n < max(s.Shots, 1) {
				if row.take(left[wp.ID], dial[wp.ID], c.useLeft(s)) == 0 {
					break
				}
				left[wp.ID] -= row.take(left[wp.ID], dial[wp.ID], c.useLeft(s))
				n++
			}
			if n < max(s.Shots, 1) {
				text := fmt.Sprintf("The %s has %d %s: enough for %s.", wp.Name, wp.Left, row.Unit, plural(n, "shot"))
				if n == 0 {
					c.add(game.Wrong, "empty_weapon", fmt.Sprintf("The %s has too little left for a shot (%d %s).", wp.Name, wp.Left, row.Unit), "reload, or set the dial lower")
					continue
				}
				c.ask("empty_weapon", text, fmt.Sprintf("%s fired", plural(n, "shot")+map[bool]string{true: " is", false: " are"}[n == 1]))
				s.Shots = n
			}
		}
		out = append(out, s)
		where = append(where, at[i])
	}
	return out, where
}

func (c *checker) useLeft(in game.Intent) bool {
	switch in.OnShort {
	case "use_left":
		return true
	case "refuse":
		return false
	}
	return c.setting("low_ammo") == "use_what_is_left"
}

// take is what one shot takes out of a magazine with so much left; 0: no shot.
func (w *weaponRow) take(left, dial int, useLeft bool) int {
	cost := w.cost(dial)
	switch {
	case left >= cost:
		return cost
	case useLeft && w.PerSEU && left >= max(w.DialMin, 1):
		return left
	}
	return 0
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
