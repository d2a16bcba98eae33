package starfrontiers

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// 14.1 and 17.5: a screen belt takes five turns to put on or off, in one go and
// without a step; only then does it work, or not work any more.
func TestAScreenBeltTakesFiveTurns(t *testing.T) {
	t.Parallel()
	const don, doff, wait = `{"verb": "use", "item": "bobo-inertia_screen", "action": "put on the inertia screen"}`, `{"verb": "use", "item": "bobo-inertia_screen", "action": "take off the screen"}`, `{"verb": "wait"}`
	for _, c := range []struct {
		name, state string
		rounds      []string
		want        string
	}{
		{"on after five", "carried", []string{don, don, don, don, don}, "off"},
		{"not after four", "carried", []string{don, don, don, don}, "carried"},
		{"a pause loses the work", "carried", []string{don, don, wait, don, don, don, don}, "carried"},
		{"a step loses it too", "carried", []string{don, don, don, `{"verb": "move", "direction": "S", "mode": "walk", "distance": 2}, ` + don, don, don}, "carried"},
		{"off after five", "off", []string{doff, doff, doff, doff, doff}, "carried"},
		{"it works until then", "on", []string{doff, doff, doff, doff}, "on"},
		{"switched on when it is worn", "carried", []string{don, don, don, don, don, `{"verb": "set", "item": "bobo-inertia_screen", "state": "on"}`}, "on"},
		{"not before", "carried", []string{don, don, `{"verb": "set", "item": "bobo-inertia_screen", "state": "on"}`}, "carried"},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "A5", "item=inertia_screen:"+c.state), who("zog", "gang", "K5")))
		for _, steps := range c.rounds {
			w = run(t, w, map[game.ID]string{"bobo": `{"steps": [` + steps + `]}`}, nil).World.(*World)
		}
		if got := w.fighter("bobo").Items[0].State; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWhatNobodyPutsOn(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	for _, c := range []struct{ name, item, action, want string }{
		{"worn already", "inertia_screen:off", "put on the screen", "is worn already"},
		{"not worn", "inertia_screen:carried", "take off the screen", "is not worn"},
		{"five turns", "inertia_screen:carried", "put on the screen", "takes 5 turns"},
		{"no belt", "chameleon_screen:carried", "put on the screen", "The rules do not say how this ends"},
		{"nothing of the kind", "inertia_screen:carried", "polish the screen", "The rules do not say how this ends"},
	} {
		w := world(t, battlefield(2, who("bobo", "heroes", "A5", "item="+c.item), who("zog", "gang", "K5")))
		id := w.fighter("bobo").Items[0].ID
		_, problems := rules.Check(rules.See(w, "bobo"), plan(t, `{"steps": [{"verb": "use", "item": "`+string(id)+`", "action": "`+c.action+`"}]}`))
		if len(problems) != 1 || !strings.Contains(problems[0].Text, c.want) {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}
