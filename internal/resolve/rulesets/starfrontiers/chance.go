package starfrontiers

import (
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// attack is everything that the sum of 6.1 looks at.
type attack struct {
	base         int  // basic chance of an animal or of a sheet; 0: from DEX or level
	dex          int  // ceil(DEX/2) is the basic chance
	robot        int  // level of a robot, remote weapon or its program
	skill        int  // level with the weapon's group
	heavy        bool // 6.2
	band         string
	target       string // movement of the target: stationary, walk, run, dodge, crawl; empty: cancelled
	animalClass  string // class of a running animal
	targetRides  bool   // the target is in a moving vehicle
	attacker     string // movement of the attacker
	attackerFast bool
	attackerRide bool
	aim          bool
	burst        bool
	cover        string
	size         string
	prone        bool
	wounded      bool
	wrongHand    bool
	twoWeapons   bool
	rifleInReach bool
	helpless     bool        // and the game counts it
	ails         []game.Line // what the attacker suffers from (6.1 no. 15)
}

// sum adds the lines of 6.1; the total is not clamped.
func (t *tables) sum(a attack) (lines []game.Line, chance int) {
	add := func(label string, v int) {
		lines = append(lines, game.Line{Label: label, Value: resolve.Signed(v)})
		chance += v
	}
	some := func(label string, v int) {
		if v != 0 {
			add(label, v)
		}
	}
	switch {
	case a.robot > 0:
		add("Basic chance, level "+strconv.Itoa(a.robot), t.Attack.RobotBase+t.Attack.RobotLevel*a.robot)
	case a.base > 0:
		add("Basic chance", a.base)
	default:
		add("Basic chance, half of DEX "+strconv.Itoa(a.dex), halfUp(a.dex, 2))
	}
	switch v := t.skillValue(a.robot, a.skill, a.heavy); {
	case a.robot > 0:
	case a.heavy && a.skill == 0:
		add("Heavy weapon, untrained", v)
	case a.heavy:
		some("Skill "+strconv.Itoa(a.skill)+", heavy weapon", v)
	default:
		some("Skill "+strconv.Itoa(a.skill), v)
	}
	add("Range, "+bandWord(a.band), t.Range[a.band])
	switch {
	case a.targetRides:
		some("Target in a moving vehicle", t.InVehicle["target"])
	case a.animalClass != "" && a.target == "run":
		some("Target is a running animal", t.TargetAnimal[a.animalClass])
	default:
		some("Target "+movementWord(a.target), t.TargetMovement[a.target])
	}
	switch {
	case a.attackerRide && a.attackerFast:
		some("From a fast vehicle", t.InVehicle["attacker_fast"])
	case a.attackerRide:
		some("From a vehicle", t.InVehicle["attacker"])
	default:
		some("Attacker "+movementWord(a.attacker), t.AttackerMovement[a.attacker])
	}
	if a.aim {
		some("Careful aim", t.Attack.CarefulAim)
	}
	if a.burst {
		some("Burst", t.Attack.Burst)
	}
	some("Target in "+a.cover+" cover", t.Cover[a.cover])
	some("Target is "+a.size, t.Size[a.size])
	if a.prone {
		some("Target prone", t.Attack.Prone)
	}
	if a.wounded {
		some("Attacker wounded", t.Attack.Wounded)
	}
	if a.wrongHand {
		some("Wrong hand", t.Attack.WrongHand)
	}
	if a.twoWeapons {
		some("Two weapons", t.Attack.TwoWeapons)
	}
	if a.rifleInReach {
		some("Rifle at melee distance", t.Attack.RifleInReach)
	}
	if a.helpless {
		some("Target helpless", t.Attack.Stunned)
	}
	for _, l := range a.ails {
		v, _ := strconv.Atoi(l.Value)
		some(l.Label, v)
	}
	return lines, chance
}

// skillValue is the skill line of 6.1 and 6.2; a robot has none.
func (t *tables) skillValue(robot, skill int, heavy bool) int {
	switch {
	case robot > 0:
		return 0
	case heavy && skill == 0:
		return t.Attack.UntrainedHeavy
	case heavy:
		skill--
	}
	return t.Attack.SkillLevel * skill
}

func bandWord(band string) string {
	if band == "point_blank" {
		return "point blank"
	}
	return band
}

func movementWord(mode string) string {
	switch mode {
	case "run":
		return "running"
	case "dodge":
		return "dodging"
	case "walk":
		return "walking"
	case "crawl":
		return "crawling"
	}
	return mode
}

// band is the range band of a distance; a weapon without a point-blank band
// uses the short one from 0 m (18). Not ok: no shot at that distance.
func (w *weaponRow) band(m int) (string, bool) {
	for i, limit := range w.Ranges {
		if limit > 0 && m <= limit {
			return bands[i], true
		}
	}
	return "", false
}

// closer is the band that a telescopic sight makes of it; it is of no use at
// point blank or short (6.4).
func closer(band string) (string, bool) {
	for i := 2; i < len(bands); i++ {
		if bands[i] == band {
			return bands[i-1], true
		}
	}
	return band, false
}

// maxRange is the greatest distance of a shot, in metres; 0: none was found.
func (w *weaponRow) maxRange() int {
	far := 0
	for _, r := range w.Ranges {
		far = max(far, r)
	}
	return far
}

// damageAt is what a hit does at a band, with the dial at a setting.
func (w *weaponRow) damageAt(band string, dial int) resolve.Notation {
	if len(w.damage) == 0 {
		return resolve.Notation{}
	}
	d := w.damage[0]
	if len(w.damage) == len(bands) {
		for i, b := range bands {
			if b == band {
				d = w.damage[i]
			}
		}
	}
	if w.PerSEU {
		d = d.Times(dial)
	}
	return d
}

// cost is what a shot takes out of the magazine.
func (w *weaponRow) cost(dial int) int {
	switch {
	case w.PerSEU:
		return max(dial, 1)
	case w.SEUShot > 0:
		return w.SEUShot
	}
	return 1
}

// result classifies a roll (6.3, 12.1): miss, hit, critical or grievous.
func (t *tables) result(chance, roll int, auto, crits bool) string {
	hit := roll <= chance
	if auto {
		hit = roll <= t.Auto.Hit || hit && roll < t.Auto.Miss
	}
	if !hit {
		return "miss"
	}
	if !crits {
		return "hit"
	}
	for _, row := range t.Critical {
		if chance <= row.To {
			switch {
			case roll <= row.Grievous:
				return "grievous"
			case roll <= row.Critical:
				return "critical"
			}
			break
		}
	}
	return "hit"
}

// fumbles tells whether a fumble roll loses the weapon (13).
func (t *tables) fumbles(dex, skill, roll int) bool {
	return roll >= t.Fumble.Always || roll > t.fumbleSafe(dex, skill)
}

func (t *tables) fumbleSafe(dex, skill int) int { return halfUp(dex, 2) + t.Fumble.SkillLevel*skill }

// fumbleDir is the way a fumbled weapon flies, 1d10 turned with the facing.
func (t *tables) fumbleDir(facing resolve.Dir, roll int) resolve.Dir {
	if roll < 1 || roll > len(t.Fumble.Turns) {
		return facing
	}
	return facing.Turned(t.Fumble.Turns[roll-1])
}

// fumbleSquares is how many squares so many feet are in a direction; a point on
// a border belongs to the farther square (13).
func (t *tables) fumbleSquares(feet, scaleMM int, d resolve.Dir) int {
	return t.offsetSquares(feet*t.Fumble.FootTenthsMM, scaleMM, d)
}

// offsetSquares is the grid step of 13: how many squares an offset, in tenths of
// a millimetre, is in a direction.
func (t *tables) offsetSquares(offset, scaleMM int, d resolve.Dir) int {
	if dx, dy := d.Vector(); dx != 0 && dy != 0 {
		offset = offset * t.Fumble.Diagonal / 10000
	}
	scale := scaleMM * 10
	return (2*offset + scale) / (2 * scale)
}

// dialCost says what it costs to change a weapon's dial (9.3): sub-actions, or
// that it cannot be done. changed counts the changes made this turn, begun
// tells whether a sub-action has been spent.
func dialCost(rule string, skill, changed int, begun bool) (subActions int, ok bool) {
	if rule == "book" {
		return 0, !begun && changed == 0
	}
	switch {
	case skill >= 5, skill >= 3 && changed == 0:
		return 0, true
	}
	return 1, true
}

// zeroStatus is what STA at or below 0 means (11.5).
func zeroStatus(setting string) string {
	switch setting {
	case "dead":
		return "dead"
	case "unconscious_basic":
		return "unconscious"
	}
	return "dying"
}

// punch is the punching score of 1.1.
func (t *tables) punch(str int) int {
	for _, row := range t.Punch {
		if str <= row.To {
			return row.Score
		}
	}
	return 0
}
