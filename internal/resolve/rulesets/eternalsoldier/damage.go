package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// damage is step 8: damage for each blow that still connects and for each that
// was parried, and the charts.
func (e *engine) damage() {
	for _, a := range e.attacks {
		switch {
		case a.gone:
		case a.result == fumble:
			a.chart = e.fumbles(a.f, a.arms, a.ev, a.f.ID, a.when, false)
		case a.hold != nil:
			e.holdEffect(a)
			e.stabbed(a)
		case a.arms.row.KillFeet > 0:
			e.bursts(a)
		case a.thing != "":
			e.damages(a)
		case a.target == nil: // a place
		case a.landed() || a.test:
			e.hurt(a)
		case a.result == miss && a.arms.missile() && a.target != nil:
			if !e.covered(a) {
				e.strayed(a)
			}
		}
		e.ruled(a.ev)
		if r := a.parried; r != nil {
			switch r.result {
			case fumble:
				r.chart = e.fumbles(r.f, r.arms, r.ev, r.f.ID, a.ref, r.verb == "dodge")
			case hit:
				e.caught(r)
				e.countered(r)
			case critical:
				e.caught(r)
				e.countered(r)
				r.f.shifts(e, -2)
				r.ev.Lines = append(r.ev.Lines, game.Line{Label: "Critical defence", Value: "two segments early next time"})
				r.ev.Unverified = append(r.ev.Unverified, "result of a critical parry or dodge")
			}
			e.ruled(r.ev)
		}
	}
}

// shifts moves the next readiness by n segments, from step 9 on (2.5).
func (f *Fighter) shifts(e *engine, n int) {
	t := e.tallied(f)
	t.effects = append(t.effects, func() { f.Shift += n })
}

// strengthLine adds the strength bonus to a blow where it counts (1.2, A36).
func (e *engine) strengthLine(f *Fighter, a arms) int {
	b := strengthBonus(e.strength(f))
	unarmed := a.bare
	switch word := e.word("str_bonus_applies"); {
	case word == "none":
		return 0
	case unarmed:
		if e.wornBy(f).powered == "first" {
			return floorDiv(b, 2)
		}
		return b
	case !a.missile():
		if word == "unarmed" {
			return 0
		}
		return b
	case a.row.Missile == "thrown" && word == "unarmed_melee_thrown":
		return b
	}
	return 0
}

// hurt rolls the damage of a blow or a shot and carries it to its target (4.9).
func (e *engine) hurt(a *attack) {
	ev, row := a.ev, a.arms.row
	n, err := resolve.ParseNotation(row.Damage)
	if err != nil {
		return
	}
	if row.Shotgun {
		n.N = e.shotgunDice(n.N, a.flight, row.Range)
	}
	chart := e.criticalRow(a)
	rolled := 0
	if chart != nil && chart.Effect == "most" {
		rolled = n.Max()
	} else {
		rolled = e.rollAll(ev, "dmg", a.f.ID, a.when, n)
	}
	line := func(label string, v int) {
		ev.Lines = append(ev.Lines, game.Line{Label: label, Value: resolve.Signed(v)})
	}
	ev.Lines = append(ev.Lines, game.Line{Label: "Damage " + n.String(), Value: strconv.Itoa(rolled)})
	if what := row.unverified("damage"); what != "" {
		ev.Unverified = append(ev.Unverified, what)
	}
	bonus := e.strengthLine(a.f, a.arms)
	if a.test && !a.landed() && !e.yes("break_includes_attacker_str") {
		bonus = 0
	}
	if bonus != 0 {
		ev.Unverified = append(ev.Unverified, e.untoldOf(strengthGuess)...)
		line("Strength", bonus)
	}
	total := max(0, rolled+bonus)
	bypass := false
	if chart != nil {
		total, bypass = e.critical(a, chart, total)
	}
	if v, ok := e.rulings.EventNumber(a.ref, "damage"); ok {
		total = max(0, v)
	}
	ev.Numbers["damage"] = total
	if a.test {
		tested := total
		if a.landed() && !e.yes("break_includes_attacker_str") {
			tested = max(0, total-bonus)
		}
		passes := e.breakage(a, tested)
		if !a.landed() { // of a blow that lands all the same (A61) nothing is stopped
			if total = passes; total == 0 {
				return
			}
			bypass = bypass || !e.yes("armor_on_leftover")
		}
	}
	e.reaches(a.target, blow{by: a.f, damage: total, kind: row.Type, from: a.ref, bypass: bypass, poison: a.arms.Poison, chart: chart, at: a})
}

// breakage is the test of 4.7; it gives what passes on to the defender.
func (e *engine) breakage(a *attack, damage int) int {
	r := a.parried
	limit := 0
	if r.arms.shield != nil {
		limit = r.arms.shield.Most
	} else if n, err := resolve.ParseNotation(r.arms.row.Damage); err == nil {
		limit = n.Max()
		if what := r.arms.row.unverified("damage"); what != "" {
			r.ev.Unverified = append(r.ev.Unverified, what)
		}
	}
	broken, passes := breaks(damage, limit)
	if w, ok := e.rulings.EventWord(r.ev.Ref, "breaks", "holds"); ok {
		broken = w == "breaks"
		if !broken {
			passes = 0
		}
	}
	if v, ok := e.rulings.EventNumber(r.ev.Ref, "passes"); ok {
		passes = max(0, v)
	}
	r.ev.Lines = append(r.ev.Lines, game.Line{Label: "The " + r.arms.Name + " breaks above", Value: strconv.Itoa(limit)})
	r.ev.Numbers["limit"], r.ev.Numbers["passes"] = limit, passes
	if broken {
		r.ev.Changes = append(r.ev.Changes, changed(r.f.ID, "BROKEN", "", string(r.arms.ID)))
		t := e.tallied(r.f)
		wp := r.arms.Weapon
		t.effects = append(t.effects, func() { wp.Broken = true })
		r.ev.Numbers["broken"] = 1
	}
	return passes
}

// blow is what reaches somebody's body.
type blow struct {
	by     *Fighter // nil: nobody
	damage int
	kind   string // type of damage
	from   string // ref of the event
	bypass bool   // armor does not count
	poison string
	chart  *chartRow
	at     *attack // that may be called at a place of the body
}

// reaches takes armor off a blow and tallies what is left (4.9 steps 5 and 6).
// The dice of the armor are named after the victim.
func (e *engine) reaches(f *Fighter, b blow) {
	t := e.tallied(f)
	ev := e.event(e.answerRef(f, b.from, ".e"), f, "harm", "", "4.9")
	layer := e.ruleBlow(ev, &b)
	ev.Lines = append(ev.Lines, game.Line{Label: "Damage, " + b.kind, Value: strconv.Itoa(b.damage)})
	left := b.damage
	if b.at != nil {
		c := e.calledAt(b.at)
		b.bypass = b.bypass || c != nil && c.Bypass
	}
	for i := range f.Armor {
		ar := &f.Armor[i]
		row := e.armor(ar.Kind)
		if row == nil || ar.Off || b.bypass || layer != "" && ar.Kind != layer {
			continue
		}
		n := e.stops(row, b.kind, ar.Hits)
		if n.N == 0 {
			continue
		}
		stop := e.rollAll(ev, "armor", f.ID, b.from, n)
		burns := row.Wears && (b.kind == "beam" || b.kind == "energy") && stop > 0 && left > 0
		left -= stop
		ev.Lines = append(ev.Lines, game.Line{Label: row.Name + " " + n.String(), Value: resolve.Signed(-stop)})
		if burns {
			t.effects = append(t.effects, func() { e.burns(f, ar, row, ev) })
		}
	}
	left = max(0, left)
	if v, ok := e.rulings.EventNumber(ev.Ref, "damage"); ok {
		left = max(0, v)
	}
	ev.Numbers["damage"] = left
	t.damage += left
	if left > 0 {
		t.hits++
		if b.poison != "" && e.poison(b.poison) != nil {
			t.effects = append(t.effects, func() { e.infect(f, b.poison, ev) })
		}
	}
	if b.at != nil {
		e.struckAt(b.at, left, ev)
	}
	if b.chart != nil && b.chart.Effect == "stun" {
		t.effects = append(t.effects, func() { e.stuns(f, left, ev) })
	}
	t.harms = append(t.harms, ev)
	e.ruled(ev)
}

// apply is step 9: everything at once. All damage is subtracted first, then at
// most one will roll for each.
func (e *engine) apply() {
	before := map[*Fighter]int{}
	for f, t := range e.tally {
		before[f] = f.HP
		f.HP -= t.damage
	}
	for _, f := range e.w.Fighters {
		if t := e.tally[f]; t != nil {
			for _, effect := range t.effects {
				effect()
			}
			e.shocks(f, t.damage)
		}
	}
	e.tellAttacks()
	for _, f := range e.w.Fighters {
		if t := e.tally[f]; t != nil {
			for i, ev := range t.harms {
				e.tellHarm(f, ev, before[f], i == len(t.harms)-1)
			}
		}
	}
	for _, ev := range e.after {
		e.emit(ev)
	}
	for _, f := range e.w.Fighters {
		if t := e.tally[f]; t != nil {
			e.suffers(f, t)
			e.startled(f, t)
		}
	}
}

// tellHarm tells what a blow did to somebody; the last of a segment names what
// is left.
func (e *engine) tellHarm(f *Fighter, ev *game.Event, before int, last bool) {
	n := ev.Numbers["damage"]
	ev.Outcome = "wounded"
	own, seen := fmt.Sprintf("%s loses %s.", f.Name, plural(n, "hit point")), f.Name+" is hurt."
	if n == 0 {
		ev.Outcome = "stopped"
		own, seen = fmt.Sprintf("Nothing of it gets through to %s.", f.Name), fmt.Sprintf("%s is not hurt.", f.Name)
	}
	if last && f.HP != before {
		ev.Changes = append(ev.Changes, changed(f.ID, "HP", strconv.Itoa(before), strconv.Itoa(f.HP)))
		ev.Lines = append(ev.Lines, game.Line{Label: "Hit points", Value: strconv.Itoa(f.HP) + " of " + strconv.Itoa(f.HPMax)})
		own = fmt.Sprintf("%s loses %s and has %d left.", f.Name, plural(n, "hit point"), f.HP)
	}
	e.public(ev, f, seen)
	ev.Text[game.All], ev.Text[game.Own] = own, own
	e.emit(ev)
}

// tellAttacks tells all attacks of the segment, each with its answers.
func (e *engine) tellAttacks() {
	told := map[*reaction]bool{}
	tell := func(r *reaction) {
		told[r] = true
		e.tellReaction(r)
	}
	for _, a := range e.attacks {
		for _, r := range e.reactions {
			if r.to == a && r != a.parried && !told[r] {
				tell(r)
			}
		}
		e.tellAttack(a)
		if a.parried != nil {
			tell(a.parried)
		}
	}
	for _, r := range e.reactions {
		if !told[r] {
			tell(r)
		}
	}
}

func (e *engine) tellAttack(a *attack) {
	ev, f := a.ev, a.f
	if a.gone {
		ev.Outcome, ev.Reason = "given_up", "reacts"
		ev.Dice, ev.Lines, ev.Numbers = []game.Die{}, []game.Line{}, map[string]int{}
		ev.Attack = false
		private(ev, fmt.Sprintf("%s gives up the attack.", f.Name))
		e.emit(ev)
		e.mark(f, "lost", a.ref, "gives up the attack")
		return
	}
	if ev.Outcome = a.result; a.dodged {
		ev.Outcome, ev.Reason = miss, "dodged"
	}
	how := ""
	switch {
	case a.timing < 0:
		how = ", " + plural(-a.timing, "segment") + " early"
	case a.timing > 0:
		how = ", set for " + plural(a.timing, "segment")
	}
	verb := map[string]string{"melee": "strikes at", "fire": "fires at", "throw": "throws at", "wrestle": "grabs for"}[ev.Kind]
	res := map[string]string{hit: "a hit", critical: "a critical hit", miss: "a miss", fumble: "a fumble"}[a.result] + a.chart
	if ev.Reason == "cover" {
		res += ", and the cover is struck"
	}
	name := e.goalName(a.target, a.thing)
	noise := ""
	if a.arms.missile() && (a.arms.row.Missile == "gun" || a.arms.row.KillFeet > 0) {
		noise = "Somebody fires a shot."
	}
	if a.shot > 1 {
		how += fmt.Sprintf(", shot %d of the burst", a.shot)
	}
	if e.calledAt(a) != nil {
		how += ", at the " + placeName(a.in.Called)
	}
	full := fmt.Sprintf("%s %s %s with the %s%s: %s.", f.Name, verb, name, a.arms.Name, how, res)
	e.between(ev, f, a.target, full,
		fmt.Sprintf("%s %s somebody.", f.Name, verb), fmt.Sprintf("Somebody %s %s: %s.", verb, name, res), noise)
	ev.Text[game.All] = full
	if a.target != nil {
		if p := e.past(a); !slices.ContainsFunc(e.w.Past, func(q resolve.Past) bool { return q.Attacker == p.Attacker && q.Target == p.Target }) {
			e.w.Past = append(e.w.Past, p)
		}
		e.hear("attack", ev, a.target.ID)
		if a.landed() {
			e.hear("hit", ev, a.target.ID)
		} else {
			e.hear("miss", ev, a.target.ID)
		}
	}
	a.f.SeenBy = nil // who attacks has shown himself
	e.emit(ev)
	e.mark(f, "act", a.ref, ev.Kind)
}

// past is an attack as the next turn remembers it.
func (e *engine) past(a *attack) resolve.Past {
	p := resolve.Past{Attacker: a.f.ID, Target: a.target.ID, Known: []game.ID{}}
	for _, v := range e.w.Fighters {
		if g := a.ev.Seen[v.ID]; g == game.Own || g == game.Seen {
			p.Known = append(p.Known, v.ID)
		}
	}
	return p
}

func (e *engine) tellReaction(r *reaction) {
	f, verb, at, how := r.f, "dodges", "", ""
	switch {
	case r.hold != nil:
		verb, at = fmt.Sprintf("tries a %s", r.hold.Name), " on"
	case r.verb == "parry":
		verb, how = "parries", " with the "+r.arms.Name
	}
	if r.early > 0 {
		how += ", " + plural(r.early, "segment") + " early"
	}
	res := map[string]string{hit: "it works", critical: "a critical success", miss: "it fails", fumble: "a fumble"}[r.result] + r.chart
	if r.ev.Numbers["broken"] > 0 {
		res += fmt.Sprintf(", and the %s breaks", r.arms.Name)
	}
	// Whom one answers that does not see him, he cannot name.
	seen := fmt.Sprintf("%s %s%s %s%s: %s.", f.Name, verb, at, r.to.f.Name, how, res)
	only := fmt.Sprintf("%s %s%s: %s.", f.Name, verb, how, res)
	e.between(r.ev, f, r.to.f, seen, only, "", "")
	delete(r.ev.Text, game.Target)
	if !e.sees(f, r.to.f) {
		r.ev.Text[game.Own] = only
	}
	for id, g := range r.ev.Seen {
		if g == game.Target {
			delete(r.ev.Seen, id)
		}
	}
	e.emit(r.ev)
}
