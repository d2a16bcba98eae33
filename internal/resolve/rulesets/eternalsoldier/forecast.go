package eternalsoldier

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// knowledge is what a view tells of its viewer.
type knowledge struct {
	rules
	v   game.View
	me  *Fighter
	now int
}

// know reads the viewer's own figures back out of his view.
func (r *Ruleset) know(v game.View) (*knowledge, bool) {
	var o own
	if len(v.Own) == 0 || json.Unmarshal(v.Own, &o) != nil || o.Fighter == nil {
		return nil, false
	}
	return &knowledge{rules: rules{r.at(o.House), o.Settings}, v: v, me: o.Fighter, now: o.Segment}, true
}

// Forecast implements resolve.Ruleset: readiness of each option, and what the
// first attack of the plan would be early, on time and set (11).
func (r *Ruleset) Forecast(v game.View, p game.Plan, _ dice.Source) game.Forecast {
	k, ok := r.know(v)
	if !ok || !k.me.able() {
		return game.Forecast{}
	}
	out := game.Forecast{Lines: k.readiness(k.me, k.now)}
	add := func(label, value string) { out.Lines = append(out.Lines, game.Line{Label: label, Value: value}) }
	if a := k.me.Activity; a != nil {
		add("Under way", fmt.Sprintf("%s, done in segment %d", a.Name, a.DoneAt))
	}
	for _, in := range p.Steps {
		a, ok := k.weaponFor(in)
		if !isAttack(in.Verb) || !ok || a.row == nil {
			continue
		}
		chance := func(n int) string {
			var s sum
			s.start("", k.percent(k.me, a.row.Skill))
			s.bonus("", a.row.Bonus, "")
			k.timing(&s, n, a.missile())
			if a.off() {
				rows := k.melee
				if a.missile() {
					rows = k.missile
				}
				s.row(rows, "off_hand", toAttack)
			}
			return strconv.Itoa(s.total)
		}
		add("Chance with the "+a.Name+", before adjustments", fmt.Sprintf("%s%% when ready; %s, %s, %s when 1, 2, 3 segments early; %s when set for 5", chance(0), chance(-1), chance(-2), chance(-3), chance(5)))
		k.expectRange(in, a, add)
		if a.Full > 0 {
			add("Rounds in the "+a.Name, strconv.Itoa(a.Left))
		}
		break
	}
	return out
}

// expectRange tells what the distance to the target of a shot does to it, as far as
// its firer sees the target now (5.3).
func (k *knowledge) expectRange(in game.Intent, a arms, add func(label, value string)) {
	i := slices.IndexFunc(k.v.Others, func(o game.Sight) bool { return o.ID == in.Target.ID && o.InSight })
	if !a.missile() || i < 0 {
		return
	}
	to := k.v.Others[i]
	w := World{Side: k.v.ScaleMM * 10}
	away := distance(k.me.At, w.centre(to.Place))
	value := "beyond the reach of the weapon"
	if n, carries := k.rangeModifier(away, a.row.Range, a.row.Shotgun); a.RangeMod != nil {
		value = resolve.Signed(*a.RangeMod)
	} else if carries {
		value = resolve.Signed(n)
	}
	add(fmt.Sprintf("Range to %s, about %d yd", to.Name, (away+yard/2)/yard), value)
}

// weaponFor is the weapon that an order names, or the first in hand.
func (k *knowledge) weaponFor(in game.Intent) (arms, bool) {
	id := in.Weapon
	if id == "" {
		id = in.Item
	}
	if id != "" {
		return k.arm(k.me, id, in.Verb == "throw")
	}
	for i := range k.me.Weapons {
		if k.me.Weapons[i].inHand() {
			return k.arm(k.me, k.me.Weapons[i].ID, in.Verb == "throw")
		}
	}
	return k.arm(k.me, game.BareHands, false)
}

// Default implements resolve.Ruleset: without orders the old plan goes on, and
// the standing orders hold (2.7). What a foe's policy does it decides segment by
// segment, so that the cut into turns does not show.
func (r *Ruleset) Default(v game.View) game.Plan { return game.Plan{} }
