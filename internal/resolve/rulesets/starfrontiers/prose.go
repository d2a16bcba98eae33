package starfrontiers

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// shotTexts writes a shot in the words of each grade. Only the actor and the GM
// read figures; whoever does not see one of the two does not read his name.
func (e *engine) shotTexts(ev *game.Event, s *state, sh shot, look string) {
	f, t, gun, way := s.f, sh.target, "fires the "+sh.wp.Name, "shot"
	switch {
	case sh.hurled:
		gun, way = "throws the "+sh.wp.Name, "throw"
	case ev.Kind == "burst":
		gun, way = "fires a burst of the "+sh.wp.Name, "burst"
	}
	own, hurt, ownHurt := e.called(s, t), "", ""
	if look != "" {
		hurt, ownHurt = t.Name+" "+look+".", own+" "+look+"."
		if own == distant {
			ownHurt = resolve.Title(ownHurt)
		}
	}
	chance, roll := ev.Numbers["chance"], ev.Numbers["roll"]
	end := map[string]string{
		"miss": "and misses", "hit": "and hits", "critical": "and hits badly", "grievous": "and hits terribly",
		"fumble": "and loses hold of the weapon",
	}[ev.Outcome]
	if ev.Outcome == "fumble" && sh.wp.State != "on_ground" {
		end = "and the weapon jams"
	}
	say := func(parts ...string) string {
		var out []string
		for _, p := range parts {
			if p != "" {
				out = append(out, p)
			}
		}
		return strings.Join(out, " ")
	}
	damage := ""
	if ev.Outcome == "hit" || ev.Outcome == "critical" || ev.Outcome == "grievous" {
		damage = fmt.Sprintf(" for %d", ev.Numbers["damage"])
	}
	ev.Text[game.All] = say(fmt.Sprintf("%s %s at %s, %d m away (chance %d, roll %d), %s%s.", f.Name, gun, t.Name, sh.metres, chance, roll, end, damage), hurt)
	if damage != "" {
		ev.Text[game.All] += fmt.Sprintf(" STA %d/%d.", t.Now, t.STA)
	}
	ev.Text[game.Own] = say(fmt.Sprintf("%s %s at %s (chance %d, roll %d) %s%s.", f.Name, gun, own, chance, roll, end, damage), ownHurt)
	ev.Text[game.Seen] = say(fmt.Sprintf("%s %s at %s %s.", f.Name, gun, t.Name, end), hurt)
	reword(ev, way, sh, f.Name, own, look, figuresOf(ev), damage)
	ev.Text[game.Actor] = fmt.Sprintf("%s %s at somebody out of sight.", f.Name, gun)
	what := "A shot"
	if sh.hurled {
		what = "Something thrown"
	}
	unseen := what + " from somewhere out of sight misses " + t.Name + "."
	if damage != "" {
		unseen = say(what+" from somewhere out of sight hits "+t.Name+".", hurt)
	}
	ev.Text[game.Target] = unseen
	ev.Text[game.Heard] = resolve.Title(sh.row.Noise) + " is heard."
	if sh.row.Noise == "" {
		ev.Text[game.Heard] = "A shot is heard."
	}
}

// woundLook is what anybody sees of a wound, as it follows a name.
func woundLook(t *Fighter, points int, was bool) string {
	switch {
	case points <= 0:
		return "is unhurt"
	case !was:
		return "does not move"
	case t.Now <= 0 && t.Level > 0:
		return "stops dead in a shower of sparks"
	case has(t.Status, "dead"):
		return "falls, and is dead"
	case t.Now <= 0:
		return "goes down"
	case points*2 >= t.STA:
		return "reels from a dreadful wound"
	case t.Now <= t.STA/2:
		return "is wounded and in a bad way"
	case points*5 >= t.STA:
		return "staggers"
	}
	return "is grazed"
}

// lostText says in plain words why a shot was not fired.
func lostText(who, target string, in game.Intent, sh shot, reason string) string {
	gun := sh.arm()
	at := target
	if at == "" {
		at = "the target"
	}
	why := map[string]string{
		"no_weapon":            "has no weapon to fire",
		"not_built":            "cannot fire the " + gun + " that way",
		"weapon_on_ground":     "has no " + gun + " in hand",
		"broken":               "cannot fire: the " + gun + " is broken",
		"arm_useless":          "cannot use the " + gun + " with that arm",
		"jammed":               "cannot fire: the " + gun + " is jammed",
		"not_mounted":          "cannot fire the " + gun + " unmounted",
		"no_target":            "sees nobody to shoot at",
		"target_down":          "does not fire: " + at + " is down already",
		"out_of_ammunition":    "pulls the trigger of an empty " + gun,
		"no_line_of_sight":     "cannot see " + at + " and does not fire",
		"out_of_field_of_fire": "has " + at + " outside the field of fire",
		"out_of_range":         "does not fire: " + at + " is out of range",
		"out_of_action":        "is out of action before the shot",
		"not_programmed":       "is not programmed to attack " + at,
	}[reason]
	if why == "" {
		why = "does not fire"
	}
	return who + " " + why + "."
}

// verbPhrase is what a verb is called in "cannot …".
func verbPhrase(verb string) string {
	switch verb {
	case "hold", "wait", "if", "":
		return "do anything"
	}
	return strings.ReplaceAll(verb, "_", " ")
}

// modeVerb is how somebody moves, in the third person.
func modeVerb(mode string) string {
	switch mode {
	case "run":
		return "runs"
	case "dodge":
		return "dodges"
	case "crawl":
		return "crawls"
	}
	return "walks"
}

// blowTexts writes a blow in the words of each grade, as shotTexts does a shot.
func (e *engine) blowTexts(ev *game.Event, s *state, sh shot, look string) {
	f, t := s.f, sh.target
	own, hurt, ownHurt := e.called(s, t), "", ""
	if look != "" {
		hurt, ownHurt = " "+t.Name+" "+look+".", " "+resolve.Title(own)+" "+look+"."
	}
	with := " with the " + sh.wp.Name
	if sh.row.Natural {
		with = " with " + sh.wp.Name
	}
	end := map[string]string{
		"miss": "and misses", "hit": "and hits", "critical": "and hits badly", "grievous": "and hits terribly",
		"fumble": "and loses hold of the weapon",
	}[ev.Outcome]
	switch {
	case ev.Outcome == "fumble" && sh.row.Natural:
		end = "and falls"
	case ev.Outcome == "fumble" && sh.wp.State != "on_ground":
		end = "and the weapon jams"
	}
	chance, roll := ev.Numbers["chance"], ev.Numbers["roll"]
	damage, figures := "", ""
	if d, ok := ev.Numbers["damage"]; ok {
		damage, figures = fmt.Sprintf(" for %d", d), fmt.Sprintf(" STA %d/%d.", t.Now, t.STA)
	}
	ev.Text[game.All] = fmt.Sprintf("%s strikes at %s%s (chance %d, roll %d) %s%s.%s%s", f.Name, t.Name, with, chance, roll, end, damage, hurt, figures)
	ev.Text[game.Own] = fmt.Sprintf("%s strikes at %s%s (chance %d, roll %d) %s%s.%s", f.Name, own, with, chance, roll, end, damage, ownHurt)
	ev.Text[game.Seen] = fmt.Sprintf("%s strikes at %s%s %s.%s", f.Name, t.Name, with, end, hurt)
	reword(ev, "blow", sh, f.Name, own, look, figuresOf(ev), damage)
	ev.Text[game.Actor] = fmt.Sprintf("%s strikes at somebody out of sight.", f.Name)
	ev.Text[game.Target] = fmt.Sprintf("Somebody out of sight strikes at %s and misses.", t.Name)
	if damage != "" {
		ev.Text[game.Target] = fmt.Sprintf("Somebody out of sight strikes %s.%s", t.Name, hurt)
	}
}

// lostBlowText says in plain words why a blow was not struck.
func lostBlowText(who, target string, _ game.Intent, sh shot, reason string) string {
	arm, at := "weapon", target
	if sh.wp != nil {
		arm = sh.wp.Name
	}
	if at == "" {
		at = "the opponent"
	}
	why := map[string]string{
		"no_weapon":         "has nothing to strike with",
		"weapon_on_ground":  "has no " + arm + " in hand",
		"jammed":            "cannot strike: the " + arm + " does not work",
		"out_of_ammunition": "swings a " + arm + " without power left",
		"no_target":         "finds nobody to strike at",
		"no_line_of_sight":  "does not find " + at,
		"out_of_reach":      "does not reach " + at,
		"target_down":       "does not strike: " + at + " is down already",
		"out_of_action":     "is out of action before the blow",
		"not_programmed":    "is not programmed to attack " + at,
	}[reason]
	if why == "" {
		why = "does not strike"
	}
	return who + " " + why + "."
}
