package starfrontiers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Forecast implements resolve.Ruleset: initiative and slots (unless the game
// hides them), ammunition after the plan, and the odds if the game shows them.
func (r *Ruleset) Forecast(v game.View, p game.Plan, source dice.Source) game.Forecast {
	k, ok := r.know(v)
	if !ok || !k.me.able() {
		return game.Forecast{Lines: []game.Line{}}
	}
	plan, _ := roundOf(p, 1)
	units, after := compile(plan.Steps)
	units, _ = withHolds(units, after, plan.Reactions)
	fc := game.Forecast{Lines: []game.Line{}}
	add := func(label, value string) { fc.Lines = append(fc.Lines, game.Line{Label: label, Value: value}) }
	if k.setting("pbem.init_visible") != "hidden" {
		i := k.t.initiative(k.me, k.setting("init.holster_applies"), weaponsUsed(plan), source.Roll(initName(k.who, 1), k.t.Initiative.Die))
		if k.own.Side != nil {
			i.modifier, i.holster = k.own.Side.Modifier, k.own.Side.Holster
			i.total = i.die.Value + i.modifier
		}
		if i.die.Source == dice.FromConstant {
			// Not the viewer's own early die: nobody knows it before the close.
			add("Initiative", "modifier "+resolve.Signed(i.modifier)+"; the die falls when the turn closes")
		} else {
			k.slotsOf(units, plan, i, add)
		}
	}
	k.ammunitionAfter(units, add)
	if k.setting("show_odds") == "on" {
		k.odds(units, plan, add)
	}
	return fc
}

// slotsOf shows a total that is known, and when the sub-actions come.
func (k *knowledge) slotsOf(units []unit, plan game.Plan, i initiative, add func(string, string)) {
	value := fmt.Sprintf("%d (die %d, modifier %s", i.total, i.die.Value, resolve.Signed(i.modifier))
	if i.holster {
		value += ", weapon not in hand included"
	}
	add("Initiative", value+")")
	if k.setting("sequence") != "pbem" {
		return // there are no slots (3.1)
	}
	n := k.count(units, plan)
	var slots []string
	for j := range units {
		slots = append(slots, itoa(slot(i.total, n, j+1))+" "+unitWord(units[j]))
	}
	add("Slots", strings.Join(slots, ", "))
}

// count is the number that the slots are computed with (4.4, n_basis).
func (k *knowledge) count(units []unit, plan game.Plan) int {
	if k.setting("pbem.n_basis") == "entitled" {
		return max(len(units), k.me.entitlement(k.t, plan.Steps, plan.Reactions))
	}
	return len(units)
}

func unitWord(u unit) string {
	switch {
	case u.act.Verb == "if":
		return "as the condition says"
	case u.act.Verb != "":
		return u.act.Verb
	case len(u.pre) > 0:
		return u.pre[0].Verb
	}
	return "wait"
}

func (k *knowledge) ammunitionAfter(units []unit, add func(string, string)) {
	left, dial := map[game.ID]int{}, map[game.ID]int{}
	for _, w := range k.me.Weapons {
		left[w.ID], dial[w.ID] = w.Left, w.Dial
	}
	used := map[game.ID]bool{}
	thrown := map[game.ID]int{}
	struck := map[game.ID]int{} // power that goes if every blow hits
	note := func(in game.Intent) {
		switch in.Verb {
		case "set":
			if !in.Setting.IsZero() {
				dial[in.Item] = in.Setting.N
			}
		case "fire":
			if row := k.row(k.me.weapon(in.Weapon)); row != nil {
				left[in.Weapon] -= row.take(left[in.Weapon], dial[in.Weapon], in.OnShort == "use_left")
				used[in.Weapon] = true
			}
		case "burst":
			if row := k.row(k.me.weapon(in.Weapon)); row != nil {
				left[in.Weapon] -= min(row.BurstRounds, left[in.Weapon])
				used[in.Weapon] = true
			}
		case "launch":
			left[in.Weapon] = 0
			used[in.Weapon] = true
		case "throw":
			thrown[in.Item]++
		case "melee":
			if wp, row := k.me.blade(k.t, in.Weapon); row != nil && row.SEUHit > 0 {
				struck[wp.ID] = min(struck[wp.ID]+row.SEUHit, left[wp.ID])
				used[wp.ID] = true
			}
		case "reload":
			if wp := k.me.weapon(in.Weapon); wp != nil {
				left[in.Weapon] = wp.Full
				used[in.Weapon] = true
			}
		}
	}
	for _, u := range units {
		for _, in := range u.pre {
			note(in)
		}
		note(u.act)
	}
	for _, w := range k.me.Weapons {
		if row := k.row(&w); used[w.ID] && row != nil {
			lowest := ""
			if n := struck[w.ID]; n > 0 {
				lowest = itoa(left[w.ID]-n) + " to "
			}
			add("Ammunition", fmt.Sprintf("%s: %s%d of %d %s left", w.Name, lowest, left[w.ID], w.Full, row.Unit))
		}
	}
	for i := range k.me.Items {
		if it := &k.me.Items[i]; thrown[it.ID] > 0 {
			add("Ammunition", fmt.Sprintf("%s: %d left", it.Name, max(it.Count-thrown[it.ID], 0)))
		}
	}
}

// odds sums the chance of each kind of shot as things stand.
func (k *knowledge) odds(units []unit, plan game.Plan, add func(string, string)) {
	mode, pair := declaredMode(plan.Steps), pairOf(plan.Steps, plan.Reactions)
	told := map[string]bool{}
	for _, u := range units {
		label, value := "", ""
		switch u.act.Verb {
		case "melee":
			label, value = k.blowOdds(u.act)
		case "fire", "burst", "launch", "throw":
			label, value = k.shotOdds(u.act, mode, pair)
		}
		if value != "" && !told[label] {
			told[label] = true
			add(label, value)
		}
	}
}

// shotOdds sums the chance of a shot, a burst or a throw at those who stand still.
func (k *knowledge) shotOdds(in game.Intent, mode string, pair []game.ID) (label, value string) {
	wp, row := k.me.weapon(in.Weapon), k.row(k.me.weapon(in.Weapon))
	if in.Verb == "throw" {
		row = k.t.weapon("grenade")
		if wp = k.me.weapon(in.Item); wp != nil {
			row = k.row(wp).hurled()
		}
	}
	if row == nil {
		return "", ""
	}
	what, hand := in.Verb, &Weapon{}
	if wp != nil {
		what, hand = wp.Name, wp
	} else if it := k.me.item(in.Item); it != nil {
		what = it.Name
	}
	a := attack{
		base: k.me.Base, dex: k.me.DEX, robot: k.me.Level, skill: k.me.Skills[row.Group], heavy: row.Heavy, size: "medium",
		target: "stationary", attacker: mode, aim: in.Aim, burst: in.Verb == "burst", wounded: k.me.wounded(), ails: k.me.ails(true),
		wrongHand: k.me.wrongHand(hand) || k.me.second(pair, hand), twoWeapons: slices.Contains(pair, hand.ID),
	}
	targets := in.Targets
	if len(targets) == 0 {
		targets = []game.Ref{in.Target}
	}
	g, far := k.sc.g.eyes(k.t, k.me), 0
	for _, ref := range targets {
		at, ok := k.sc.place(ref, "")
		if p := k.sc.pick(ref.ID, ""); p != nil {
			if !p.seen {
				return "", ""
			}
			a.cover = coverNames[max(coverOf(a.cover), coverOf(g.cover(k.sc.at, p.at)))]
			a.prone = a.prone || k.posture(p.id) == "prone"
		}
		if !ok {
			return "", ""
		}
		far = max(far, k.sc.g.metres(k.sc.at, at))
		a.rifleInReach = a.rifleInReach || row.Rifle && k.sc.g.reach(k.t, k.sc.at, at)
	}
	var ok bool
	if a.band, ok = wp.band(row, far); !ok {
		return "", ""
	}
	_, chance := k.t.sum(a)
	return fmt.Sprintf("%s at %s", resolve.Title(what), k.sc.called(targets[0])), fmt.Sprintf("%d%% at %d m if he stands still", chance, far)
}

// blowOdds sums the chance of a blow at somebody who neither defends himself nor
// turns his back.
func (k *knowledge) blowOdds(in game.Intent) (label, value string) {
	wp, row := k.me.blade(k.t, in.Weapon)
	p := k.sc.pick(in.Target.ID, "")
	if row == nil || p == nil || !p.seen {
		return "", ""
	}
	b := blow{
		base: k.me.Base, robot: k.me.Level, skill: k.me.Skills[row.Group], toHit: row.ToHit, rage: k.me.Raging,
		encumbered: k.me.encumbered(), wounded: k.me.wounded(),
	}
	b.ability, b.score = k.me.melee(in.Ability)
	_, chance := k.t.sumBlow(b)
	return fmt.Sprintf("%s at %s", resolve.Title(wp.Name), p.name), fmt.Sprintf("%d%% if he does not defend himself", chance)
}

func (k *knowledge) posture(id game.ID) string {
	for _, o := range k.v.Others {
		if o.ID == id {
			return o.Posture
		}
	}
	return ""
}

// wrongHand reports a weapon held in the other hand by somebody who has one.
// Whose weapon arm is hurt has nothing else to use.
func (f *Fighter) wrongHand(wp *Weapon) bool {
	return f.Handed != "" && !wp.TwoHanded && f.has("arm") || f.inOther(wp)
}

// inOther reports a weapon in the hand that is not his weapon hand.
func (f *Fighter) inOther(wp *Weapon) bool {
	return f.Handed != "" && !wp.TwoHanded && wp.Hand != "" && wp.Hand != "both" && wp.Hand != f.Handed
}

// declaredMode is the fastest unconditional mode of a plan (6.5).
func declaredMode(steps []game.Intent) string {
	mode := "stationary"
	for _, s := range steps {
		if s.Verb == "move" {
			mode = faster(mode, s.Mode)
		}
	}
	return mode
}

// pace ranks the modes for 6.5.
var pace = map[string]int{"stationary": 0, "crawl": 1, "walk": 2, "dodge": 3, "run": 4}

func faster(a, b string) string {
	if pace[b] > pace[a] {
		return b
	}
	return a
}
