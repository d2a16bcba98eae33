package starfrontiers

import (
	"math/rand/v2"
	"testing"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesettest"
)

// areas21 are the rows of the table of section 21, in its order.
var areas21 = []string{
	"Surprise", "Spotting", "Initiative", "n and slots", "Orders", "Reactions", "Map", "Position and movement", "Line of sight", "To hit", "Damage",
	"Critical, grievous, fumble", "Status", "Resources", "Medical", "Data", "Rules", "Bystanders", "Process", "Information", "Safety",
}

// row21 is one thing of an area that the GM may do.
type row21 struct {
	area, may string
	// The lines as the GM types them; {bobo/r1.1} stands for the number that the
	// packet gives to that event.
	says  string
	scene func(testing.TB) *World // nil: pair21
	plans map[game.ID]string      // nil: both shoot
	dice  map[string][]int
	shows func(out resolve.Outcome, after *World) bool // true with the ruling, false without it
	shown string                                       // it is no ruling of one turn: the package and the test that show it
	not   string                                       // it is not done: why
}

// pair21 is Bobo, a player's, and Zog, the GM's, ten metres apart with pistols.
func pair21(t testing.TB) *World {
	return scene21(t, nil, nil)
}

// scene21 is the pair with words for the two and settings.
func scene21(t testing.TB, bobo, zog []string, settings ...string) *World {
	s := set(battlefield(2,
		who("bobo", "heroes", "A5", append([]string{"dex=50", "rs=50", "int=45", "sta=50", "facing=E", "weapon=automatic_pistol"}, bobo...)...),
		who("zog", "gang", "F5", append([]string{"gm=", "dex=50", "rs=40", "sta=50", "facing=W", "weapon=automatic_pistol"}, zog...)...),
	), settings...)
	return world(t, s)
}

func with(bobo, zog []string, settings ...string) func(testing.TB) *World {
	return func(t testing.TB) *World { return scene21(t, bobo, zog, settings...) }
}

var bothShoot = map[game.ID]string{"bobo": `{"steps": [{"verb": "fire", "target": "zog", "shots": 2}]}`, "zog": oneShot("bobo")}

func (r row21) input(t testing.TB) resolve.Input {
	make := r.scene
	if make == nil {
		make = pair21
	}
	plans := r.plans
	if plans == nil {
		plans = bothShoot
	}
	return input(t, make(t), plans, r.dice)
}

// typed reads lines as the daemon reads a GM's letter that answers the packet of
// an attempt.
func typed(t testing.TB, in resolve.Input, attempt resolve.Outcome, says string) parse.GMText {
	t.Helper()
	return rulesettest.Typed(t, ruleset(t), in, attempt, says)
}

// TestRulings21 has a row for each thing that section 21 lets the GM do: its
// words are read by the real reader, and what they change is looked for in the
// turn; without them it is not there.
func TestRulings21(t *testing.T) {
	t.Parallel()
	rulesettest.Rulings(t, ruleset(t), areas21, tried21())
}

// tried21 are the rows as they are tried.
func tried21() []rulesettest.Ruling {
	var out []rulesettest.Ruling
	for _, r := range rows21() {
		x := rulesettest.Ruling{Area: r.area, May: r.may, Says: r.says, Input: r.input, Shown: r.shown, Not: r.not}
		if r.shows != nil {
			x.Shows = func(out resolve.Outcome) bool { return r.shows(out, out.World.(*World)) }
		}
		out = append(out, x)
	}
	return out
}

// TestRulingsThatCannotBe are refused when they are read, with what may be written.
func TestRulingsThatCannotBe(t *testing.T) {
	t.Parallel()
	r := row21{scene: func(t testing.TB) *World {
		w := scene21(t, nil, []string{"weapon=laser_pistol:holstered"})
		w.Features = append(w.Features, game.Feature{ID: "crate", Name: "crate", Kind: "crate", Low: true, Squares: []game.Square{{X: 9, Y: 9}}})
		return w
	}}
	rulesettest.Refused(t, ruleset(t), r.input(t), map[string]string{
		"BOBO STA 51":                   "from -100 to 50",
		"BOBO STA lots":                 "a whole number from -100 to 1000",
		"BOBO AT ZZ9":                   "from A1 to AN20",
		"BOBO AMMO 21":                  "from 0 to 20",
		"BOBO DIAL 3":                   "no dial",
		"ZOG DIAL 11":                   "from 1 to 10",
		"BOBO CLIPS 3":                  "Set AMMO instead",
		"BOBO SCREEN on":                "wears no screen",
		"BOBO CAPACITY 5":               "wears no suit",
		"BOBO POLICY flee":              "a player's character",
		"BOBO GROUP zog":                "a player's character",
		"ZOG GROUP bobo":                "rolls for himself",
		"BOBO SHOWN bobo":               "Name somebody else",
		"BOBO REACTS yes":               "AT EVENT 7",
		"BOBO SURPRISED yes AT EVENT 2": "Leave AT EVENT out",
		"BOBO FALL 0":                   "from 1 to 1000",
		"BOBO LEAN maybe":               "yes, no",
		"BOBO NOTICE":                   "words of your own",
		"BOBO INITIATIVE 3 AT EVENT 3":  "Leave AT EVENT out",
		"EVENT {bobo/r1.i} HIT":         "TOTAL, ACTIONS",
		"EVENT {bobo/r1.1} TOTAL 12":    "HIT, MISS, CRITICAL",
		"EVENT {bobo/r1.1} PURPLE":      "Outcomes are HIT",
		"EVENT {bobo/r1.1} COVER brick": "none, soft, hard",
		"EVENT {bobo/r1.1} WOUND 11":    "from 0 to 10",
		"EVENT {bobo/r1.1} DAMAGE":      "from 0 to 1000",
		"EVENT {bobo/r1.1} LOCATION":    "one word of your own",
		"DIE hit/bobo/r1.1 = 101":       "from 1 to 100",
		"TURN sequence backwards":       "pbem, side, individual",
		"TURN weather 200":              "from 1 to 100",
		"TURN sequence side AT EVENT 1": "Leave AT EVENT out",
		"GAME gravity off":              "crit_rules",
		"CRATE OPEN yes":                "GONE yes",
		"CRATE COVER some":              "none, soft, hard",
		"ZZ9 TERRAIN wall":              "from A1 to AN20",
		"E4 TERRAIN lava":               "low_wall",
		"BOBO STA 12 AT EVENT 99":       "from 1 to",
		"MOD bobo lots":                 "MOD bobo +10",
	})
}

// TestWhatThePacketOffersCanBeRuled in turns of every kind.
func TestWhatThePacketOffersCanBeRuled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rulesettest.Offered(t, ruleset(t), randomInput(t, rand.New(rand.NewPCG(seed, 21)), 5))
	}
}

// TestEveryFieldIsUnderstood: the packet names no field that is not carried out.
func TestEveryFieldIsUnderstood(t *testing.T) {
	t.Parallel()
	rules := ruleset(t)
	rulesettest.EveryFieldIsSaid(t, rules.Vocabulary(rules.See(pair21(t), game.GM)).Fields, tried21())
}
