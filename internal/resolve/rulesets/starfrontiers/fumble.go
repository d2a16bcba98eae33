package starfrontiers

import (
	"fmt"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// mayFumble: a roll of 96 or more, unless a ruling gives the attack its outcome (13).
func (e *engine) mayFumble(ev *game.Event, ruled bool) bool {
	if ruled {
		return ev.Outcome == "fumble"
	}
	return ev.Numbers["roll"] >= e.Fumble.From && e.w.setting("fumble_rules") == "on"
}

// fumble rolls whether the weapon is lost, and where it lands (13).
// certain: a ruling says that it is; no check is rolled.
func (e *engine) fumble(s *state, sh shot, ev *game.Event, when string, certain bool) bool {
	f := s.f
	if !certain && !e.slips(f, f.Skills[sh.row.Group], ev, when) {
		return false
	}
	if sh.row.Natural {
		if f.Posture != "prone" {
			ev.Changes = append(ev.Changes, changed(f.ID, "POSTURE", f.Posture, "prone"))
			f.Posture = "prone"
		}
		ev.Lines = append(ev.Lines, game.Line{Label: "The attacker falls", Value: "prone"})
		return true
	}
	if f.Level > 0 || sh.wp.State == "mounted" || sh.wp.Cord != nil {
		sh.wp.Jammed = e.w.Played + 2
		ev.Lines = append(ev.Lines, game.Line{Label: "The weapon jams", Value: "until the end of the next round"})
		return true
	}
	at := e.flung(f, ev, when, sh.wp.Name)
	ev.Changes = append(ev.Changes, changed(f.ID, "WEAPON", sh.wp.Name+" "+sh.wp.State, sh.wp.Name+" on_ground at "+at.String()))
	sh.wp.State, sh.wp.At = "on_ground", &at
	return true
}

// slips rolls whether somebody loses hold of what he attacks with.
func (e *engine) slips(f *Fighter, skill int, ev *game.Event, when string) bool {
	dex := f.DEX
	if f.Level > 0 {
		dex, skill = 2*(e.Attack.RobotBase+e.Attack.RobotLevel*f.Level), 0
	}
	roll := e.rules.Roll("fumble/"+string(f.ID)+"/"+when, 100)
	ev.Dice = append(ev.Dice, roll)
	ev.Lines = append(ev.Lines, game.Line{Label: "Fumble check, safe to " + strconv.Itoa(e.fumbleSafe(dex, skill)), Value: strconv.Itoa(roll.Value)})
	return e.fumbles(dex, skill, roll.Value)
}

// flung rolls where something lands that somebody loses hold of.
func (e *engine) flung(f *Fighter, ev *game.Event, when, what string) game.Square {
	who := "/" + string(f.ID) + "/" + when
	feet := e.rules.Roll("dist"+who, e.Fumble.DieDistance)
	way := e.rules.Roll("dir"+who, len(e.Fumble.Turns))
	ev.Dice = append(ev.Dice, feet, way)
	d := e.fumbleDir(f.facing(), way.Value)
	at, free := e.g.slide(f.Place, d, e.fumbleSquares(feet.Value, e.w.ScaleMM, d))
	if !free {
		e.out.Inquiries = append(e.out.Inquiries, game.Inquiry{
			Ref: ev.Ref, Kind: "fumble_off_map",
			Text:    fmt.Sprintf("%s's %s would land off the map.", f.Name, what),
			Default: "it lies in the last square before the edge, " + at.String(),
			Answer:  "DIE dir" + who + " REROLL",
		})
	}
	ev.Lines = append(ev.Lines, game.Line{Label: resolve.Title(what) + " lands", Value: fmt.Sprintf("%d ft %s, in %s", feet.Value, d.Word(), at)})
	return at
}
