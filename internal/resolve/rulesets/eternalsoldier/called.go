package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// calledRow is what comes of a blow or a shot at one place of the body (4.4). No
// source says more of it than the penalty's being there: all is house value.
type calledRow struct {
	ID        string   `toml:"id"`
	Locations []string `toml:"locations"` // words of orders
	Adjust    string   `toml:"adjust"`    // row of adjustments.toml; empty: none
	Limb      string   `toml:"limb"`      // arm or leg: what breaks when the chart breaks a bone
	Effect    string   `toml:"effect"`    // of hit points lost there; empty: none
	Bypass    bool     `toml:"bypass"`    // armor does not count
	Source    string   `toml:"source"`
}

// calledEffects are what a hit at a place may bring with it.
var calledEffects = []string{"", "disarm", "footing", "stun"}

func (t *tables) calledAt(where string) *calledRow {
	return find(t.called, func(c *calledRow) bool { return slices.Contains(c.Locations, where) })
}

// calledAt is the place that an attack is called at; nil without one, and where called
// shots are not played.
func (e *engine) calledAt(a *attack) *calledRow {
	if a.in.Called == "" || a.hold != nil || a.target == nil || !e.yes("called_shots") {
		return nil
	}
	return e.tables.calledAt(a.in.Called)
}

// calledRows adds the penalty for the place to a chance.
func (e *engine) calledRows(s *sum, a *attack) {
	if row := e.calledAt(a); row != nil && row.Adjust != "" {
		s.row(e.melee, row.Adjust, toAttack)
	}
}

// armAt is the hand that a place of the body belongs to: main or off. What the
// order does not tell a die decides, as on the chart (4.8); a hand is the one that
// holds something.
func (e *engine) armAt(a *attack) string {
	t := a.target
	switch where := a.in.Called; {
	case where == "weapon_arm":
		return "main"
	case where == "shield_arm":
		return "off"
	case strings.HasPrefix(where, "left") || strings.HasPrefix(where, "right"):
		return handOf(strings.TrimSuffix(where, "_arm"), t.LeftHanded)
	case where == "hand" && (t.hand("main") == nil) != (t.hand("off") == nil):
		if t.hand("main") == nil {
			return "off"
		}
		return "main"
	}
	return e.eitherArm(a)
}

// eitherArm rolls for the main or the off arm, half and half, once for an attack.
func (e *engine) eitherArm(a *attack) string {
	if a.arm == "" {
		a.arm = "main"
		if e.roll(a.ev, "arm", a.target.ID, a.ref, 2) == 2 {
			a.arm = "off"
		}
	}
	return a.arm
}

// brokenBy is the limb that a result of the chart breaks: the one that was called,
// else the one that the chart names.
func (e *engine) brokenBy(a *attack, effect string) string {
	row := e.calledAt(a)
	switch {
	case row != nil && row.Limb == "arm":
		return e.armAt(a) + "_arm"
	case row != nil && row.Limb == "leg", effect == "break_leg":
		return "leg"
	}
	return e.eitherArm(a) + "_arm"
}

// struckAt brings about what hit points lost at a called place bring with them.
// The dice are the victim's, in an event of his own.
func (e *engine) struckAt(a *attack, left int, ev *game.Event) {
	row, t := e.calledAt(a), a.target
	if row == nil || left <= 0 {
		return
	}
	ev.Lines = append(ev.Lines, game.Line{Label: "Struck at the", Value: placeName(a.in.Called)})
	if row.Effect != "" && unprinted(row.Source) {
		ev.Unverified = append(ev.Unverified, "effect of a called shot: "+row.ID)
	}
	switch row.Effect {
	case "footing":
		e.footing(t, 0, a.ref)
	case "disarm":
		hand := e.armAt(a)
		tally := e.tallied(t)
		tally.effects = append(tally.effects, func() {
			if wp := t.hand(hand); wp != nil {
				ev.Changes = append(ev.Changes, changed(t.ID, "DROPPED", "", string(wp.ID)))
				e.letGo(t, wp)
			}
		})
	case "stun":
		e.reels(t, left, a.ref)
	}
}

// reels is a will roll; who fails is stunned for n segments (4.8, 9.1).
func (e *engine) reels(t *Fighter, n int, from string) {
	ev := e.event(e.answerRef(t, from, ".k"), t, "stun", "stands", "4.4")
	roll := e.roll(ev, "will", t.ID, from, 20)
	ok := e.attribute(t.WILL, e.ruleDie(ev, 0), roll)
	ev.Lines = append(ev.Lines, game.Line{Label: "Will", Value: strconv.Itoa(t.WILL)}, game.Line{Label: "D20", Value: strconv.Itoa(roll)})
	text := t.Name + " keeps his wits."
	if !ok {
		ev.Outcome, text = "stunned", fmt.Sprintf("%s is stunned for %s.", t.Name, plural(n, "segment"))
		ev.Numbers["segments"] = n
		tally := e.tallied(t)
		tally.effects = append(tally.effects, func() { e.stuns(t, n, ev) })
	}
	e.ruled(ev)
	e.public(ev, t, text)
	e.after = append(e.after, ev)
}

// placeName is a place of the body in words.
func placeName(where string) string { return strings.ReplaceAll(where, "_", " ") }
