package eternalsoldier

import "github.com/pbemd/pbemd/internal/game"

// damageTypes are the columns of armor and structures (8.3).
var damageTypes = []string{"pummel", "edged", "pierce", "bullet", "beam", "explosion", "energy"}

// missileKinds say how a missile is dodged (5.7).
var missileKinds = []string{"thrown", "bow", "gun", "beam"}

// actionRow is something that takes a fixed time (2.4).
type actionRow struct {
	ID        string `toml:"id"`
	Name      string `toml:"name"`
	Class     int    `toml:"class"`
	Quick     bool   `toml:"quick"`
	Acrobatic bool   `toml:"acrobatic"`
	Roll      int    `toml:"roll"` // modifier of the Acrobatics roll
	Source    string `toml:"source"`
}

// guess names the class of an action when no source prints it.
func (a *actionRow) guess() string {
	if !unprinted(a.Source) {
		return ""
	}
	return "class of the action: " + a.Name
}

// weaponRow is one weapon in one use (5.2). Classes are 1 to 10, 0 where there
// is none; ranges are in yards.
type weaponRow struct {
	ID         game.ID   `toml:"id"`
	Name       string    `toml:"name"`
	Also       []game.ID `toml:"also"`
	Skill      string    `toml:"skill"`
	Missile    string    `toml:"missile"` // one of missileKinds; empty: for melee
	Hands      int       `toml:"hands"`   // 2, or 0 for one
	Speed      int       `toml:"speed"`
	Draw       int       `toml:"draw"`
	Reload     int       `toml:"reload"`
	Bonus      int       `toml:"bonus"`
	Type       string    `toml:"type"`
	Damage     string    `toml:"damage"`
	Casualty   string    `toml:"casualty"` // dice in the casualty zone
	KillFeet   int       `toml:"kill_ft"`
	CasualFeet int       `toml:"casualty_ft"`
	Reach      string    `toml:"reach"`
	Range      int       `toml:"range"`
	Rounds     int       `toml:"rounds"`
	Auto       int       `toml:"auto"` // shots a segment
	Shotgun    bool      `toml:"shotgun"`
	Piercing   bool      `toml:"armor_piercing"`
	Thrown     game.ID   `toml:"thrown"`  // the row that counts when it is thrown
	Wielded    game.ID   `toml:"wielded"` // the row that counts when it is not
	Tech       int       `toml:"tech"`
	Source     string    `toml:"source"`
	Printed    []string  `toml:"printed"` // columns that a source prints or an example gives
}

// unverified names a column of the row that no source prints; "" for the others.
func (w *weaponRow) unverified(column string) string {
	for _, p := range w.Printed {
		if p == column {
			return ""
		}
	}
	if w.Source != "HD" && w.Source != "DER" {
		return ""
	}
	return w.Name + ": " + column
}

// shieldRow is a shield (8.5). Cover is the part of the body in percent, CoverMod
// what it takes off the chance of a missile.
type shieldRow struct {
	ID       game.ID   `toml:"id"`
	Name     string    `toml:"name"`
	Also     []game.ID `toml:"also"`
	Speed    int       `toml:"speed"`
	Draw     int       `toml:"draw"`
	Bonus    int       `toml:"bonus"`
	Most     int       `toml:"most"`
	Cover    int       `toml:"cover"`
	CoverMod int       `toml:"cover_mod"`
	Source   string    `toml:"source"`
}

// columns holds dice or points by damage type.
type columns[T any] struct {
	Pummel    T `toml:"pummel"`
	Edged     T `toml:"edged"`
	Pierce    T `toml:"pierce"`
	Bullet    T `toml:"bullet"`
	Beam      T `toml:"beam"`
	Explosion T `toml:"explosion"`
	Energy    T `toml:"energy"`
}

// of gives the column of a damage type.
func (c *columns[T]) of(kind string) T {
	switch kind {
	case "pummel":
		return c.Pummel
	case "edged":
		return c.Edged
	case "pierce":
		return c.Pierce
	case "bullet":
		return c.Bullet
	case "beam":
		return c.Beam
	case "explosion":
		return c.Explosion
	}
	return c.Energy
}

// armorRow is a kind of armor (8.1): the dice that it takes off a hit.
type armorRow struct {
	ID   game.ID `toml:"id"`
	Name string  `toml:"name"`
	columns[string]
	Minus   int    `toml:"minus"` // off agility
	Tech    int    `toml:"tech"`
	Field   bool   `toml:"field"`   // goes with other armor
	Powered string `toml:"powered"` // first, improved or empty
	Wears   bool   `toml:"wears"`   // burns away
	Source  string `toml:"source"`
}

// structureRow is a material (8.6): points stopped by each unit of thickness.
type structureRow struct {
	ID   game.ID `toml:"id"`
	Name string  `toml:"name"`
	Unit string  `toml:"unit"`
	columns[int]
	Hits   int    `toml:"hits"` // of each unit; 0: it never collapses
	Tech   int    `toml:"tech"`
	Source string `toml:"source"`
}

// skillRow is a skill with the weights of its aptitude, in tenths (3.2).
type skillRow struct {
	ID     string `toml:"id"`
	Name   string `toml:"name"`
	Str    int    `toml:"str"`
	Agi    int    `toml:"agi"`
	Dex    int    `toml:"dex"`
	Source string `toml:"source"`
}

// adjustRow is one row of the charts of adjustments (4.4, 5.4).
type adjustRow struct {
	ID      string `toml:"id"`
	Label   string `toml:"label"`
	Group   string `toml:"group"` // of such rows one applies
	Attack  int    `toml:"attack"`
	Parry   int    `toml:"parry"`
	Dodge   int    `toml:"dodge"`
	NoParry bool   `toml:"no_parry"`
	NoDodge bool   `toml:"no_dodge"`
	Source  string `toml:"source"`
}

// chartRow is a row of the chart of criticals or fumbles (4.8); it holds up to a roll.
type chartRow struct {
	To     int    `toml:"to"`
	Effect string `toml:"effect"`
	Dice   string `toml:"dice"`
	N      int    `toml:"n"`
	Text   string `toml:"text"`
	Result bool   `toml:"result"` // a source names this result
	Source string `toml:"source"`
}

// The effects that the charts may have.
var (
	criticalEffects = []string{"extra", "most", "times", "footing", "break_arm", "break_leg", "sooner", "disarm", "later", "bypass", "stun"}
	fumbleEffects   = []string{"drops", "falls", "later", "stuck", "flies", "other", "self", "breaks"}
)

// holdRow is a hold of wrestling or a technique of judo (10.2).
type holdRow struct {
	ID       string   `toml:"id"`
	Name     string   `toml:"name"`
	Skill    string   `toml:"skill"`
	Modifier int      `toml:"modifier"`
	Damage   string   `toml:"damage"`
	Needs    []string `toml:"needs"`    // one of these holds must be on already
	Reaction bool     `toml:"reaction"` // only in place of a parry
	Source   string   `toml:"source"`
}

// poisonRow is a type of poison (7.7).
type poisonRow struct {
	ID       string `toml:"id"`
	Every    int    `toml:"every"`    // segments between rolls
	Effect   string `toml:"effect"`   // one of poisonEffects
	Recovery int    `toml:"recovery"` // successes in a row
	Modifier int    `toml:"modifier"` // to the roll
	Source   string `toml:"source"`
}

// bandRow is one band of the range chart (5.3), up to a percentage.
type bandRow struct {
	To       int `toml:"to"`
	Modifier int `toml:"modifier"`
}

// ambiguityRow says where an ambiguity of section 13 is decided that is no setting.
type ambiguityRow struct {
	N  int    `toml:"n"`
	By string `toml:"by"` // data, sheet, ruling or fixed
	At string `toml:"at"`
}

// smallTables is tables.toml.
type smallTables struct {
	Early struct {
		Penalty []int  `toml:"penalty"`
		Printed int    `toml:"printed"`
		Source  string `toml:"source"`
	} `toml:"early"`
	Set struct {
		Bonus  int    `toml:"bonus"`
		Source string `toml:"source"`
	} `toml:"set"`
	Auto struct {
		Each   int    `toml:"each"`
		Most   int    `toml:"most"`
		Shift  int    `toml:"shift"`
		Source string `toml:"source"`
	} `toml:"auto"`
	MissileDodge struct {
		Thrown int    `toml:"thrown"`
		Bow    int    `toml:"bow"`
		Gun    int    `toml:"gun"`
		Beam   int    `toml:"beam"`
		Source string `toml:"source"`
	} `toml:"missile_dodge"`
	Range struct {
		Band   []bandRow `toml:"band"`
		Step   int       `toml:"step"`
		Beyond int       `toml:"beyond"`
		Source string    `toml:"source"`
	} `toml:"range"`
	Reach struct {
		Unarmed int    `toml:"unarmed"`
		Short   int    `toml:"short"`
		Medium  int    `toml:"medium"`
		Long    int    `toml:"long"`
		Pole    int    `toml:"pole"`
		Source  string `toml:"source"`
	} `toml:"reach"`
	Pace struct {
		Run     int    `toml:"run"`
		Walk    int    `toml:"walk"`
		Quarter int    `toml:"quarter"`
		Crawl   int    `toml:"crawl"`
		Swim    int    `toml:"swim"`
		Climb   int    `toml:"climb"`
		Source  string `toml:"source"`
	} `toml:"pace"`
	Arc struct {
		Flank  int    `toml:"flank"`
		Behind int    `toml:"behind"`
		Source string `toml:"source"`
	} `toml:"arc"`
	Will struct {
		Again  int    `toml:"again"`
		Wake   int    `toml:"wake"`
		Source string `toml:"source"`
	} `toml:"will"`
	Suffocation struct {
		Pool     int    `toml:"pool"`
		Loss     int    `toml:"loss"`
		Recovery int    `toml:"recovery"`
		Source   string `toml:"source"`
	} `toml:"suffocation"`
	Fall struct {
		Die    int    `toml:"die"`
		Feet   int    `toml:"feet"`
		MPH    int    `toml:"mph"`
		Source string `toml:"source"`
	} `toml:"fall"`
	Explosion struct {
		Footing int    `toml:"footing"`
		Scatter int    `toml:"scatter_die"`
		Source  string `toml:"source"`
	} `toml:"explosion"`
	Ablative struct {
		Hits   int    `toml:"hits"`
		Source string `toml:"source"`
	} `toml:"ablative"`
	Powered struct {
		Strength  int    `toml:"strength"`
		Floor     int    `toml:"floor"`
		Untrained int    `toml:"untrained"`
		Source    string `toml:"source"`
	} `toml:"powered"`
	Wrestling struct {
		Strength   int    `toml:"strength"`
		BreakArm   int    `toml:"break_arm"`
		BreakJoint int    `toml:"break_joint"`
		Source     string `toml:"source"`
	} `toml:"wrestling"`
	Poison []poisonRow `toml:"poison"`
}
