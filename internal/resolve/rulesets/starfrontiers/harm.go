package starfrontiers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// harm is what an attack that hit does to one victim (11.1).
type harm struct {
	to     *Fighter
	by     *Fighter         // nil: nobody, such as a fall
	dice   string           // who/when of the dice that whoever strikes rolls
	kind   string           // type of attack, 14.2
	class  string           // damage class of 12.4
	points int              // rolled, before anything is made of them
	stun   bool             // there is no damage: he is stunned unless he resists
	sleep  bool             // besides the damage he falls asleep unless he resists
	avoid  string           // 11.3: rs or sta; empty: nobody dodges it
	half   bool             // what avoiding leaves: half of it, or nothing
	ref    string           // names the dice of his checks; empty: the event
	twice  bool             // all its dice count twice (10.2 no. 8)
	double int              // points of a critical hit, if not twice the others (6.8)
	turns  resolve.Notation // of the effect, rolled for him
	knocks bool             // a point of it that gets through knocks out (11.4)
	effect *Effect          // begins unless it is avoided, such as smoke in the lungs
	skill  int              // level of the attacker, for tables whose chance of a wound rises with it
}

// inflict carries out 11.1 from step 2 on and gives what anybody sees of it. The
// outcome of the event says whether it is critical or grievous.
func (e *engine) inflict(ev *game.Event, h harm) (look string) {
	t, double := h.to, ev.Outcome == "critical" || ev.Outcome == "grievous"
	guards := e.ruledGuards(ev.Ref, e.guards(t, h.kind, e.w.setting))
	e.located(ev)
	undoubled := h.points
	if h.stun {
		undoubled = 1
	}
	if double && negated(guards, undoubled, h.kind, e.halvesUp()) {
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(ev.Outcome) + " hit, but a defence negates it (14.3)", Value: "normal hit", Secret: true})
		ev.Outcome, double = "hit", false
	}
	if h.stun {
		return e.stun(ev, h, double)
	}
	if h.effect != nil && h.effect.Kind != "burning" {
		return e.afflict(ev, h)
	}
	points := h.points
	if h.twice {
		points *= 2
		ev.Lines = append(ev.Lines, game.Line{Label: "Critical throw, double dice", Value: strconv.Itoa(points)})
	}
	if double {
		points *= 2
		if h.double > 0 {
			points = h.double
		}
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(ev.Outcome) + " hit, double damage", Value: strconv.Itoa(points)})
	}
	ev.Numbers["damage"] = points
	if h.avoid != "" && e.avoids(ev, h) {
		if !h.half {
			return "gets clear"
		}
		if yes, ruled := e.rules.EventFlag(ev.Ref, "halved"); !ruled || yes {
			points = halved(points, e.halvesUp())
			ev.Lines = append(ev.Lines, game.Line{Label: "Avoided, half", Value: strconv.Itoa(points)})
		}
	} else {
		points = e.ruledHalf(ev, points)
	}
	points = e.defend(ev, t, h.kind, points)
	if v, ok := e.rules.EventNumber(ev.Ref, "damage"); ok {
		points = max(v, 0)
		ev.Numbers["damage"] = points
	}
	ev.Numbers["taken"] = points
	was := t.able()
	e.lose(ev, t, points, h.kind)
	look = woundLook(t, points, was)
	if points > 0 {
		look = e.shock(ev, h, look)
	}
	if h.effect != nil {
		t.add(*h.effect)
		ev.Changes = append(ev.Changes, changed(t.ID, "STATUS", "", h.effect.Kind))
		look += " and burns"
	}
	return look
}

// shock is what a loss of Stamina brings with it: a knock-out, sleep, a wound.
func (e *engine) shock(ev *game.Event, h harm, look string) string {
	t := h.to
	if h.knocks && !t.machine() {
		ev.Lines = append(ev.Lines, game.Line{Label: "Knock-out (11.4)", Value: "unconscious"})
		e.fell(ev, h, "unconscious")
		look += " and is knocked out"
	}
	if h.sleep && !t.machine() && !e.resists(ev, h, false) {
		e.fell(ev, h, "unconscious")
		look += " and falls asleep"
	}
	if ev.Outcome == "grievous" {
		look = e.grievous(ev, h, look)
	}
	return look
}

// stun is an attack that does no damage (11.2).
func (e *engine) stun(ev *game.Event, h harm, double bool) string {
	t := h.to
	if t.machine() {
		ev.Lines = append(ev.Lines, game.Line{Label: "A machine cannot be stunned (16.2)", Value: "no effect"})
		return "takes no notice"
	}
	if e.defend(ev, t, h.kind, 1) == 0 {
		return "takes no notice"
	}
	if e.resists(ev, h, double && e.w.setting("stun_crit") == "half_sta") {
		return "shrugs it off"
	}
	if h.kind == "gas" {
		e.fell(ev, h, "unconscious")
		return "falls asleep"
	}
	e.fell(ev, h, "stunned")
	return "drops stunned"
}

// afflict is an attack that does no damage and leaves something else: threads,
// smoke, a poison (10.3).
func (e *engine) afflict(ev *game.Event, h harm) string {
	t := h.to
	switch {
	case h.kind != "web" && t.machine():
		return "takes no notice"
	case h.avoid != "" && e.avoids(ev, h):
		return "gets clear"
	case e.defend(ev, t, h.kind, 1) == 0:
		return "takes no notice"
	}
	x := *h.effect
	if h.turns.N > 0 {
		x.Turns = e.rollSum(ev, "smoketurns", h.dice, h.turns)
		if h.twice {
			x.Turns *= 2
		}
		ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(x.Kind) + ", turns", Value: strconv.Itoa(x.Turns), Secret: true})
	}
	t.add(x)
	ev.Changes = append(ev.Changes, changed(t.ID, "STATUS", "", x.Kind))
	if look := map[string]string{"entangled": "is caught in the threads", "smoke": "coughs", "poison": "turns pale"}[h.effect.Kind]; look != "" {
		return look
	}
	return "is in trouble"
}

// resists rolls a check against the current Stamina of the victim (11.2).
func (e *engine) resists(ev *game.Event, h harm, halfSTA bool) bool {
	limit, label := h.to.Now, "Resists up to Stamina "
	if halfSTA {
		limit, label = halfUp(max(limit, 0), 2), "Resists up to half of Stamina, "
	}
	return e.saved(ev, h, "resist", label+strconv.Itoa(limit), limit, "resisted")
}

// avoids rolls the avoidance of 11.3.
func (e *engine) avoids(ev *game.Event, h harm) bool {
	limit, label := h.to.Now, "Stamina "
	if h.avoid == "rs" {
		limit, label = h.to.reaction(e.tables), "RS "
	}
	return e.saved(ev, h, "avoid", "Avoids up to "+label+strconv.Itoa(limit), limit, "avoided")
}

// saved rolls a victim's check; a ruling on the event may decide it. How good
// the victim's figures are is for the GM alone.
func (e *engine) saved(ev *game.Event, h harm, die, label string, limit int, word string) bool {
	d := e.rules.Roll(die+"/"+string(h.to.ID)+"/"+cmp.Or(h.ref, ev.Ref), 100)
	if v := h.to.checks(); v != 0 {
		limit += v
		label += " " + resolve.Signed(v)
	}
	ev.Dice = append(ev.Dice, d)
	ev.Lines = append(ev.Lines, game.Line{Label: label, Value: strconv.Itoa(d.Value), Secret: true})
	if yes, ok := e.rules.EventFlag(ev.Ref, word); ok {
		return yes
	}
	return d.Value <= limit
}

// fell puts somebody out of action for d100 rounds (11.2, 11.4).
func (e *engine) fell(ev *game.Event, h harm, kind string) {
	d := e.rules.Roll("stunturns/"+h.dice, 100)
	ev.Dice = append(ev.Dice, d)
	turns := d.Value
	if h.twice {
		turns *= 2
	}
	if v, ok := e.rules.EventNumber(ev.Ref, "turns"); ok && v > 0 {
		turns = min(v, 1000)
	}
	ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(kind) + ", turns", Value: strconv.Itoa(turns), Secret: true})
	e.down(ev, h.to, Effect{Kind: kind, Turns: turns})
}

// down begins an effect that takes somebody out.
func (e *engine) down(ev *game.Event, t *Fighter, x Effect) {
	from := ""
	if t.able() {
		from = "able"
	}
	t.add(x)
	ev.Changes = append(ev.Changes, changed(t.ID, "STATUS", from, x.Kind))
	e.drop(ev, t)
}

// drop lays somebody on the ground.
func (e *engine) drop(ev *game.Event, t *Fighter) {
	if t.Posture != "prone" {
		ev.Changes = append(ev.Changes, changed(t.ID, "POSTURE", t.Posture, "prone"))
		t.Posture = "prone"
	}
}

// lose takes Stamina off somebody and sees what becomes of him (11.5, 11.6).
// kind is the type of attack, or the effect that hurts him.
func (e *engine) lose(ev *game.Event, t *Fighter, points int, kind string) {
	before, was := t.Now, t.able()
	t.Now -= points
	ev.Changes = append(ev.Changes, changed(t.ID, "STA", strconv.Itoa(before), strconv.Itoa(t.Now)))
	switch kind {
	case "poison":
		t.Ill += points
	case "heat", "acid", "burning":
		t.Burned += points
	}
	if t.Now <= 0 && before > 0 {
		t.Fell = e.w.Played + 1
		fate, from := e.fate(t), ""
		if was {
			from = "able"
		}
		t.Status = append(t.Status, fate)
		ev.Changes = append(ev.Changes, changed(t.ID, "STATUS", from, fate))
		e.drop(ev, t)
	}
	if e.beyondHelp(t) {
		t.Status = append(t.Status, "dead")
		ev.Changes = append(ev.Changes, changed(t.ID, "STATUS", "", "beyond help"))
	}
	if t.Burned*2 > t.STA && !t.machine() && !t.has("incapacitated") {
		ev.Lines = append(ev.Lines, game.Line{Label: "Burns of " + strconv.Itoa(t.Burned) + ", more than half of STA " + strconv.Itoa(t.STA), Value: "incapacitated", Secret: true})
		e.down(ev, t, Effect{Kind: "incapacitated", Name: "Burns", Heal: "hospital"})
	}
}

// fate is what becomes of somebody whose Stamina is gone (11.5, 16.2).
func (e *engine) fate(t *Fighter) string {
	if t.Level > 0 {
		return "destroyed"
	}
	return zeroStatus(e.w.setting("zero_sta"))
}

// beyondHelp tells that his Stamina is so low that he is dead, and is not yet (11.5).
func (e *engine) beyondHelp(t *Fighter) bool {
	return t.Now < e.Stamina.BeyondHelp && t.Level == 0 && !has(t.Status, "dead")
}

// machine: robots and remote weapons are not stunned, poisoned or wounded (16.2).
func (f *Fighter) machine() bool { return f.Level > 0 }

// rollSum rolls dice of a kind by name, and adds them up.
func (e *engine) rollSum(ev *game.Event, kind, who string, n resolve.Notation) int {
	sum := n.Plus
	for i := 1; i <= n.N; i++ {
		name := kind + "/" + who
		if i > 1 {
			name += "#" + strconv.Itoa(i)
		}
		d := e.rules.Roll(name, n.Sides)
		ev.Dice = append(ev.Dice, d)
		sum += d.Value
	}
	return max(sum, 0)
}

// damageLine is a roll of damage as a line of the sum.
func damageLine(n resolve.Notation, dice []game.Die, sum int) game.Line {
	text := strconv.Itoa(sum)
	if len(dice) > 1 {
		parts := make([]string, len(dice))
		for i, d := range dice {
			parts[i] = strconv.Itoa(d.Value)
		}
		text = strings.Join(parts, "+") + " = " + text
	}
	return game.Line{Label: "Damage " + n.String(), Value: text}
}

// majorRaces are those against whom nerve combat is of use (11.4).
var majorRaces = []string{"human", "dralasite", "vrusk", "yazirian"}

// knocksOut tells whether a roll to hit knocks out (11.4): the low ones, more of
// them in nerve combat, and in melee with something blunt the multiples of ten.
func knocksOut(setting func(string) string, roll int, blunt bool, nerve int) bool {
	low := setting("ko_01_02") == "on" || setting("ko_01_02") == "auto" && setting("crit_rules") == "off"
	return low && roll <= 2+nerve || blunt && setting("ko_blunt_tens") == "on" && roll%10 == 0
}

// nerve is what nerve combat adds to the low rolls that knock out: the level in
// Martial Arts, against the four major races alone.
func (t *tables) nerve(by, to *Fighter) int {
	if row := t.race(to.Race); row == nil || !slices.Contains(majorRaces, row.ID) {
		return 0
	}
	return by.Skills["martial_arts"]
}

// stunType is the type of attack of a stun setting; empty: it does damage.
func (w *weaponRow) stunType(mode string) string {
	if w.Stun != "" && (mode == "stun" || len(w.Modes) == 0) {
		return w.Stun
	}
	return ""
}
