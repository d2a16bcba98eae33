package starfrontiers

import (
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// What touches somebody he notices; by whom only if he sees him.
func TestABlowFromBehindNamesNobody(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2,
		who("bobo", "heroes", "E5", "facing=N", "sta=50"), who("lani", "heroes", "A5", "facing=E", "sta=50"), who("kira", "heroes", "E1", "facing=N", "sta=50"),
		who("zog", "gang", "E6", "str=80", "facing=N", "weapon=sword")))
	out := run(t, w, map[game.ID]string{"zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`}, map[string][]int{"hit/zog": {20}, "dmg/zog": {1, 2, 3}})
	for viewer, want := range map[game.ID]string{
		"bobo": "Somebody out of sight strikes Bobo. Bobo staggers.", "lani": "Zog strikes at Bobo with the sword and hits. Bobo staggers.", "kira": "",
	} {
		text := ""
		for _, l := range projected(out, viewer) {
			if strings.Contains(l.Text, "strikes") {
				text = l.Text
			}
		}
		if text != want {
			t.Errorf("%s reads %q, want %q", viewer, text, want)
		}
	}
	if text := encode(t, projected(out, "bobo")); strings.Contains(text, "Zog") {
		t.Error(text)
	}
	if v := ruleset(t).See(out.World, "bobo"); len(v.Attacks) > 0 {
		t.Errorf("he knows who it was: %v", v.Attacks)
	}
}

// A robot that defends itself learns only of those whom it has seen attack it.
func TestARobotLearnsWhoAttackedItByLooking(t *testing.T) {
	t.Parallel()
	for facing, want := range map[string]int{"W": 1, "E": 0} {
		w := world(t, battlefield(2, who("bobo", "heroes", "E5", "facing=E"), who("cid", "gang", "F5", "race=robot", "programs=self_defense", "facing="+facing)))
		out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "weapon": "bare", "target": "cid"}]}`}, map[string][]int{"hit/bobo": {80}})
		if got := len(out.World.(*World).fighter("cid").Foes); got != want {
			t.Errorf("facing %s: %d foes, want %d", facing, got, want)
		}
	}
}

// Who steps in is named to whoever sees him; the one who has his back turned
// does not read of it.
func TestClosingInIsSeenByWhoeverLooks(t *testing.T) {
	t.Parallel()
	w := world(t, battlefield(2, who("bobo", "heroes", "E5", "facing=E"), who("lani", "heroes", "A5", "facing=E"), who("kira", "heroes", "A6", "facing=W"), who("zog", "gang", "F5", "facing=W")))
	out := run(t, w, map[game.ID]string{"bobo": `{"steps": [{"verb": "melee", "target": "zog"}]}`, "zog": `{"steps": [{"verb": "melee", "target": "bobo"}]}`},
		map[string][]int{"init/player-bobo": {9}, "init/player-zog": {1}, "hit/bobo": {90}, "hit/zog": {90}})
	ev := event(t, out, "zog/r1.l")
	if ev.Seen["bobo"] != game.Seen || ev.Seen["lani"] != game.Seen || ev.Seen["kira"] != "" || !strings.Contains(ev.Text[game.Seen], "closes with Bobo in E5") {
		t.Errorf("%v %v", ev.Seen, ev.Text)
	}
}
