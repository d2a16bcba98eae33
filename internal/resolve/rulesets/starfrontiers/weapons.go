package starfrontiers

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// weaponRow is one row of 18.1-18.5.
type weaponRow struct {
	ID           game.ID  `toml:"id"`
	Name         string   `toml:"name"`
	Group        string   `toml:"group"`
	Type         string   `toml:"type"`
	Heavy        bool     `toml:"heavy"`
	Hands        int      `toml:"hands"`
	Rifle        bool     `toml:"rifle"`
	Damage       string   `toml:"damage"`
	DamageByBand []string `toml:"damage_by_band"`
	PerSEU       bool     `toml:"per_seu"`
	DialMin      int      `toml:"dial_min"`
	DialMax      int      `toml:"dial_max"`
	SEUShot      int      `toml:"seu_shot"`
	Magazine     int      `toml:"magazine"`
	Unit         string   `toml:"unit"`
	Clip         game.ID  `toml:"clip"`
	Rate         int      `toml:"rate"`
	Every        int      `toml:"every"` // one attack in so many turns; 0 = each turn
	Ranges       []int    `toml:"ranges"`
	Modes        []string `toml:"modes"`
	Ammo         []string `toml:"ammo"`
	Shots        string   `toml:"shots"`
	Also         []string `toml:"also"`         // what else is such a weapon (18.5)
	Thrown       []int    `toml:"thrown"`       // ranges when it is thrown (18.4)
	BurstRounds  int      `toml:"burst_rounds"` // of one burst (6.8)
	Burst        string   `toml:"burst"`        // damage at one target
	BurstExtra   string   `toml:"burst_extra"`  // for each further one
	Tripod       bool     `toml:"tripod"`       // fires only mounted (6.2)
	Straight     bool     `toml:"straight"`     // a miss flies on (10.2 no. 4)
	Indirect     bool     `toml:"indirect"`     // fires over what is in the way
	Feed         string   `toml:"feed"`         // kind of item that loads it
	BackBlast    string   `toml:"back_blast"`   // damage directly behind it
	Melee        bool     `toml:"melee"`
	SEUHit       int      `toml:"seu_hit"`
	ToHit        int      `toml:"to_hit"`
	PSBonus      bool     `toml:"ps_bonus"`
	Blunt        bool     `toml:"blunt"`
	Natural      bool     `toml:"natural"` // part of a body; nobody carries it
	Trade        trade    `toml:"trade"`
	Noise        string   `toml:"noise"`
	Class        string   `toml:"class"` // damage class of 12.4
	Stun         string   `toml:"stun"`  // type of attack of its stun: of the mode stun, or of all its shots if it has no modes
	// Sleep gives, by ammunition that puts to sleep, the damage that goes with it.
	Sleep      map[string]string `toml:"sleep"`
	Source     string            `toml:"source"`
	Unverified []string          `toml:"unverified"`

	damage            []resolve.Notation // one a band, or a single one
	burst, burstExtra resolve.Notation
	backBlast         resolve.Notation
	sleep             map[string]resolve.Notation
}

// trade is what a thing costs in Cr and weighs in kg (9.1, 10.3, 16.2, 18); 0: no
// source seen says so. It decides nothing in a fight: what somebody carries
// stands on his sheet. Unverified names the figures that only memory supports.
type trade struct {
	Cost       int      `toml:"cost"`
	KG         int      `toml:"kg"`
	Unverified []string `toml:"unverified"`
}

// ok reports figures that can be, and doubts about those that are there.
func (t trade) ok() bool {
	for _, cell := range t.Unverified {
		if cell != "cost" && cell != "kg" || cell == "cost" && t.Cost == 0 || cell == "kg" && t.KG == 0 {
			return false
		}
	}
	return t.Cost >= 0 && t.KG >= 0
}

// validateWeapons names what is wrong in weapons.toml, and reads the dice.
func (t *tables) validateWeapons(bad func(file, key, text string, args ...any)) {
	seen := map[game.ID]bool{}
	for i := range t.weapons {
		w := &t.weapons[i]
		key := "weapon." + string(w.ID)
		if w.ID == "" || w.Name == "" || seen[w.ID] {
			bad("weapons.toml", key, "needs an id of its own and a name")
		}
		seen[w.ID] = true
		if !slices.ContainsFunc(t.Skill, func(s skillRow) bool { return s.ID == w.Group }) {
			bad("weapons.toml", key+".group", "%q is not a skill of tables.toml", w.Group)
		}
		texts := w.DamageByBand
		if len(texts) == 0 {
			texts = []string{w.Damage}
		} else if len(texts) != len(bands) {
			bad("weapons.toml", key+".damage_by_band", "needs %d values", len(bands))
		}
		for _, s := range texts {
			n, err := resolve.ParseNotation(s)
			if err != nil {
				bad("weapons.toml", key+".damage", "%v", err)
			}
			w.damage = append(w.damage, n)
		}
		if !slices.Contains(attackTypes, w.Type) || w.Stun != "" && !slices.Contains(attackTypes, w.Stun) {
			bad("weapons.toml", key+".type", "%q %q is not a type of attack", w.Type, w.Stun)
		}
		if !w.Trade.ok() {
			bad("weapons.toml", key+".trade", "needs a cost and kg of 0 or more, and doubts about no other")
		}
		if !slices.Contains(damageClasses, w.Class) {
			bad("weapons.toml", key+".class", "%q is not a damage class", w.Class)
		}
		w.sleep = map[string]resolve.Notation{}
		for ammo, s := range w.Sleep {
			n, err := resolve.ParseNotation(s)
			if err != nil || !slices.Contains(w.Ammo, ammo) {
				bad("weapons.toml", key+".sleep", "%q = %q: needs one of the weapon's ammunitions and dice", ammo, s)
			}
			w.sleep[ammo] = n
		}
		if text := rangeFault(w.Ranges); text != "" {
			bad("weapons.toml", key+".ranges", "%s", text)
		}
		if text := rangeFault(w.Thrown); text != "" {
			bad("weapons.toml", key+".thrown", "%s", text)
		}
		for _, d := range []struct {
			key, text string
			into      *resolve.Notation
		}{{"burst", w.Burst, &w.burst}, {"burst_extra", w.BurstExtra, &w.burstExtra}, {"back_blast", w.BackBlast, &w.backBlast}} {
			n, err := resolve.ParseNotation(d.text)
			if d.text != "" && err != nil {
				bad("weapons.toml", key+"."+d.key, "%v", err)
			}
			*d.into = n
		}
		if w.BurstRounds < 0 || w.BurstRounds > w.Magazine || (w.BurstRounds > 0) != (w.burst.N > 0) || w.burst.N > 0 && w.burstExtra.Sides != w.burst.Sides {
			bad("weapons.toml", key+".burst_rounds", "needs the dice of a burst, and a magazine that holds one")
		}
		if w.Hands < 1 || w.Hands > 2 {
			bad("weapons.toml", key+".hands", "must be 1 or 2")
		}
		if !w.Melee && (w.Rate < 1 || w.Rate > 9) {
			bad("weapons.toml", key+".rate", "must be 1 to 9")
		}
		if w.PerSEU && (w.DialMin < 1 || w.DialMax < w.DialMin) {
			bad("weapons.toml", key+".dial_max", "a weapon with a dial needs 1 <= dial_min <= dial_max")
		}
		if w.Shots == "single" && w.Magazine < 1 {
			bad("weapons.toml", key+".magazine", "must be at least 1")
		}
		if w.SEUHit > 0 && (!w.Melee || w.Magazine < w.SEUHit) {
			bad("weapons.toml", key+".seu_hit", "is for a melee weapon that holds as much")
		}
		if w.Clip != "" && t.clip(w.Clip) == nil {
			bad("weapons.toml", key+".clip", "%q is not in clips.toml", w.Clip)
		}
	}
}

// rangeFault says what is wrong with a list of range limits.
func rangeFault(list []int) string {
	if len(list) != 0 && len(list) != len(bands) {
		return fmt.Sprintf("needs %d values or none", len(bands))
	}
	last := 0
	for _, r := range list {
		if r < 0 || r > 0 && r <= last {
			return "must rise; 0 leaves a band out"
		}
		last = max(last, r)
	}
	return ""
}

func (t *tables) weapon(id game.ID) *weaponRow {
	for i := range t.weapons {
		if t.weapons[i].ID == id {
			return &t.weapons[i]
		}
	}
	for i := range t.weapons {
		if slices.Contains(t.weapons[i].Also, string(id)) {
			return &t.weapons[i]
		}
	}
	return nil
}

// unverifiedCell reports whether a cell of a weapon's row rests on memory only.
func (w *weaponRow) unverifiedCell(cell string) bool {
	return slices.Contains(w.Unverified, cell) || slices.Contains(w.Unverified, "*")
}

// launches reports a weapon that fires shells.
func (w *weaponRow) launches() bool { return w != nil && w.Shots == "launch" }

// burster is the weapon meant for a burst.
func (f *Fighter) burster(t *tables, id game.ID) *Weapon { return f.meant(t, id, (*weaponRow).bursts) }

// launcher is the weapon meant for a shell.
func (f *Fighter) launcher(t *tables, id game.ID) *Weapon {
	return f.meant(t, id, (*weaponRow).launches)
}

// meant is the weapon that is named, or else the first that does something: of
// those in hand, then of the others that he carries.
func (f *Fighter) meant(t *tables, id game.ID, does func(*weaponRow) bool) *Weapon {
	if id != "" {
		return f.weapon(id)
	}
	for _, inHand := range []bool{true, false} {
		for i := range f.Weapons {
			wp := &f.Weapons[i]
			if does(t.weapon(wp.Kind)) && wp.inHand() == inHand && wp.State != "on_ground" {
				return wp
			}
		}
	}
	return nil
}
