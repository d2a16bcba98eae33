package starfrontiers

import (
	"fmt"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// stray lets a shot that just misses somebody in a melee go at another of the
// fight (6.9): the same chance without skill, hit or miss and nothing else.
func (e *engine) stray(s *state, sh shot, missed *game.Event, skill int, when string, dial int) {
	roll, chance := missed.Numbers["roll"], missed.Numbers["chance"]
	if e.w.setting("shots_into_melee") != "on" || roll > e.Melee.StrayRoll || roll <= chance || roll-chance > e.Melee.StrayMiss {
		return
	}
	other := e.bystander(s.f, sh.target)
	if other == nil {
		return
	}
	intended := sh.target
	sh.target = other
	chance -= skill
	ref := e.unique(missed.Ref + "w")
	ev := e.event(ref, s.f, "fire", "miss")
	ev.Target, ev.Attack, ev.Rule = other.ID, true, "6.9"
	e.witnesses(ev, s.f, other, true)
	ev.Lines = append(ev.Lines,
		game.Line{Label: "The shot past " + e.called(s, intended), Value: strconv.Itoa(missed.Numbers["chance"]) + "%"},
		game.Line{Label: "Without skill", Value: resolve.Signed(-skill)})
	if v, ok := e.rules.EventNumber(ref, "chance"); ok {
		chance = v
	}
	die := e.rules.Roll("stray/"+string(s.f.ID)+"/"+when, 100)
	ev.Dice = append(ev.Dice, die)
	ev.Numbers["chance"], ev.Numbers["roll"] = chance, die.Value
	ev.Lines = append(ev.Lines, game.Line{Label: "Chance", Value: strconv.Itoa(chance) + "%"}, game.Line{Label: "Roll", Value: strconv.Itoa(die.Value)})
	ev.Outcome = e.result(chance, die.Value, e.w.setting("auto_hit_miss") == "on", false)
	if ruled, ok := e.rules.EventWord(ref, "hit", "miss"); ok {
		ev.Outcome = ruled
	}
	look := ""
	if ev.Outcome == "hit" {
		look = e.hit(s, sh, ev, when, dial)
	}
	e.remember(ev, s.f, other)
	e.strayTexts(ev, s, sh, look)
	e.emit(ev)
}

// bystander is whom a shot past the target may hit: of those in melee with him
// the nearest to the shooter, then the lowest id.
func (e *engine) bystander(shooter, target *Fighter) *Fighter {
	var best *Fighter
	for _, o := range e.w.Fighters {
		if o == shooter || o == target || !e.able(o) || !e.fighting(target, o) {
			continue
		}
		if best == nil || squared(shooter.Place, o.Place) < squared(shooter.Place, best.Place) {
			best = o
		}
	}
	return best
}

func (e *engine) strayTexts(ev *game.Event, s *state, sh shot, look string) {
	f, t := s.f, sh.target
	own := e.called(s, t)
	end, hurt, ownHurt, damage := "flies past", "", "", ""
	if ev.Outcome == "hit" {
		end = "hits"
		hurt, ownHurt = " "+t.Name+" "+look+".", " "+resolve.Title(own)+" "+look+"."
		damage = fmt.Sprintf(" for %d", ev.Numbers["damage"])
	}
	figures := fmt.Sprintf(" (chance %d, roll %d)", ev.Numbers["chance"], ev.Numbers["roll"])
	ev.Text[game.All] = fmt.Sprintf("%s's shot goes wide into the melee and %s %s%s%s.%s", f.Name, end, t.Name, figures, damage, hurt)
	if ev.Outcome == "hit" {
		ev.Text[game.All] += fmt.Sprintf(" STA %d/%d.", t.Now, t.STA)
	}
	ev.Text[game.Own] = fmt.Sprintf("%s's shot goes wide into the melee and %s %s%s%s.%s", f.Name, end, own, figures, damage, ownHurt)
	ev.Text[game.Seen] = fmt.Sprintf("%s's shot goes wide into the melee and %s %s.%s", f.Name, end, t.Name, hurt)
	ev.Text[game.Actor] = fmt.Sprintf("%s's shot goes wide.", f.Name)
	ev.Text[game.Target] = fmt.Sprintf("A stray shot %s %s.%s", end, t.Name, hurt)
	ev.Text[game.Heard] = "A shot whines off something."
}
