package starfrontiers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// robotTables is robots.toml: robots (16.2) and move classes of animals (16.1).
type robotTables struct {
	Body []struct {
		ID      string `toml:"id"`
		Stamina int    `toml:"stamina"`
		Limb    string `toml:"limb"`
		Trade   trade  `toml:"trade"`
	} `toml:"body"`
	Program []struct {
		ID     string `toml:"id"`
		Attack string `toml:"attack"` // any, back, or nothing
		Hunts  bool   `toml:"hunts"`
	} `toml:"program"`
	Model []struct {
		ID       string   `toml:"id"`
		Level    int      `toml:"level"`
		Walk     int      `toml:"walk"`
		Run      int      `toml:"run"`
		Body     string   `toml:"body"`
		Programs []string `toml:"programs"`
	} `toml:"model"`
	Class []struct {
		ID  string `toml:"id"`
		Run int    `toml:"run"`
	} `toml:"class"`
}

// validate names what is wrong in robots.toml.
func (t *robotTables) validate(bad func(file, key, text string, args ...any)) {
	for _, b := range t.Body {
		if n, err := resolve.ParseNotation(b.Limb); err != nil || n.N < 1 || b.Stamina < 1 || !b.Trade.ok() {
			bad("robots.toml", "body."+b.ID, "needs stamina and the dice of a limb")
		}
	}
	for _, p := range t.Program {
		if !slices.Contains([]string{"", "any", "back"}, p.Attack) {
			bad("robots.toml", "program."+p.ID+".attack", "must be any, back or left out")
		}
	}
	for _, m := range t.Model {
		if m.Level < 1 || m.Level > 6 || m.Run < m.Walk || t.bodyOf(m.Body) < 0 || slices.ContainsFunc(m.Programs, func(p string) bool { return !slices.Contains(t.programs(), p) }) {
			bad("robots.toml", "model."+m.ID, "needs a level from 1 to 6, a body and programs of this file, and walk <= run")
		}
	}
	if t.bodyOf("standard") < 0 || len(t.Program) == 0 || len(t.Class) == 0 {
		bad("robots.toml", "", "a table is missing")
	}
}

func (t *robotTables) bodyOf(id string) int {
	for i, b := range t.Body {
		if b.ID == id {
			return i
		}
	}
	return -1
}

func (t *robotTables) programs() []string {
	var out []string
	for _, p := range t.Program {
		out = append(out, p.ID)
	}
	return out
}

// creature reads what makes a robot or an animal, before the other keys of its
// sheet, which go before what a model or a class gives.
func (b *builder) creature(f *Fighter, race *raceRow, at string, values []game.Value) {
	if race.Machine {
		f.Level, f.STA = 1, race.Stamina
	}
	f.Rage, f.Limbs = race.Rage, race.Limbs
	if race.Programs {
		f.Body, f.Programs = "standard", []string{"attack_defense", "search_destroy"}
	}
	f.Guessed = race.Animal
	for _, v := range values {
		switch k := b.keyed(at, v); strings.ToLower(v.Key) {
		case "model":
			model := ""
			var known []string
			for _, m := range b.t.Model {
				known = append(known, m.ID)
			}
			if !b.only(race.Programs, v, at, "a robot") {
				continue
			}
			k.Word(&model, known...)
			for _, m := range b.t.Model {
				if m.ID == model {
					f.Level, f.Walk, f.Run, f.Body, f.Programs = m.Level, m.Walk, m.Run, m.Body, slices.Clone(m.Programs)
					f.STA = b.t.Body[b.t.bodyOf(m.Body)].Stamina
				}
			}
		case "move_class":
			k.Word(&f.Class, "very_slow", "slow", "medium", "fast", "very_fast")
			for _, c := range b.t.Class {
				if c.ID == f.Class && race.Animal {
					f.Run = c.Run
					f.Walk = min(f.Walk, c.Run)
				}
			}
		}
	}
	for _, v := range values {
		k := b.keyed(at, v)
		switch strings.ToLower(v.Key) {
		case "body":
			var known []string
			for _, x := range b.t.Body {
				known = append(known, x.ID)
			}
			if b.only(race.Programs, v, at, "a robot") {
				k.Word(&f.Body, known...)
				f.STA = b.t.Body[max(b.t.bodyOf(f.Body), 0)].Stamina
			}
		case "programs":
			if b.only(race.Programs, v, at, "a robot") {
				b.programs(f, v, at)
			}
		case "damage":
			if n, err := resolve.ParseNotation(resolve.SettingWord(v.Raw)); b.only(race.Animal, v, at, "an animal") && err != nil {
				b.fault(v.Line, at+"."+v.Key, "%v", err)
			} else {
				f.Damage = n.String()
			}
		case "attacks":
			if b.only(race.Animal, v, at, "an animal") {
				k.Number(&f.Attacks, 1, 9)
			}
		case "run":
			f.Guessed = false
		}
	}
}

// only refuses a key that is for others.
func (b *builder) only(is bool, v game.Value, at, whom string) bool {
	if !is {
		b.fault(v.Line, at+"."+v.Key, "is only for %s", whom)
	}
	return is
}

// programs reads one program or a list of them.
func (b *builder) programs(f *Fighter, v game.Value, at string) {
	var list []string
	if json.Unmarshal(v.Raw, &list) != nil {
		list = strings.FieldsFunc(resolve.SettingWord(v.Raw), func(r rune) bool { return r == ',' })
	}
	f.Programs = nil
	for _, p := range list {
		p = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(p)), " ", "_")
		if !slices.Contains(b.t.programs(), p) {
			b.fault(v.Line, at+"."+v.Key, "%q is not a program; known are %s", p, strings.Join(b.t.programs(), ", "))
			continue
		}
		f.Programs = append(f.Programs, p)
	}
	if len(f.Programs) == 0 {
		f.Programs = []string{"none"}
	}
}

// programmed tells what a robot's programs let it attack: any, back or nothing;
// whoever is no robot attacks whom he likes.
func (f *Fighter) programmed(t *tables) (attack string, hunts bool) {
	if len(f.Programs) == 0 {
		return "any", true
	}
	for _, p := range t.Program {
		if slices.Contains(f.Programs, p.ID) {
			hunts = hunts || p.Hunts
			if p.Attack != "" && attack != "any" {
				attack = p.Attack
			}
		}
	}
	return attack, hunts
}

// mayAttack tells whether its programs let a robot attack somebody.
func (f *Fighter) mayAttack(t *tables, who game.ID) bool {
	attack, _ := f.programmed(t)
	return attack == "any" || attack == "back" && slices.Contains(f.Foes, who)
}

// learn notes for a robot that defends itself who has attacked it before its eyes.
func (f *Fighter) learn(t *tables, who game.ID) {
	if attack, _ := f.programmed(t); attack == "back" && !slices.Contains(f.Foes, who) {
		f.Foes = append(f.Foes, who)
	}
}

// natural is what somebody strikes with when he uses no weapon.
func (f *Fighter) natural(t *tables) *weaponRow {
	id, dice := game.BareHands, ""
	switch race := t.race(f.Race); {
	case f.Level > 0:
		id, dice = "limbs", t.Body[max(t.bodyOf(f.Body), 0)].Limb
	case race != nil && race.Animal:
		id, dice = "claws", f.Damage
	}
	row := *t.weapon(id)
	if n, err := resolve.ParseNotation(dice); dice != "" && err == nil {
		row.damage, row.Unverified = []resolve.Notation{n}, nil
	}
	return &row
}

// blows is how many he has in a turn (1.2, 7.1, 16): with a weapon one, with
// bare hands one for each pair of limbs; a robot has as many with weapons.
func (f *Fighter) blows(t *tables, row *weaponRow) int {
	race := t.race(f.Race)
	switch {
	case race == nil, !row.Natural && f.Level == 0:
		return 1
	case race.Animal:
		return min(max(f.Attacks, 1), 9)
	case f.Limbs > 0 && race.LimbsByDEX:
		return min(max(min(f.Limbs, halfUp(f.DEX, 10))/2, 1), 9)
	case f.Limbs > 0:
		return min(max(f.Limbs/2, 1), 9)
	}
	return max(race.Blows, 1)
}

// kinds adds to a sheet what makes a robot or an animal.
func (t *tables) kinds(f *Fighter, add func(label, value string)) {
	if len(f.Programs) > 0 {
		add("Programs", strings.ReplaceAll(strings.Join(f.Programs, ", "), "_", " "))
	}
	row := f.natural(t)
	b := blow{base: f.Base, robot: f.Level, skill: f.Skills[row.Group]}
	b.ability, b.score = f.melee("")
	_, chance := t.sumBlow(b)
	dice, extra := f.force(t, row)
	for _, x := range extra {
		dice.Plus += x.n
	}
	add("Melee, "+row.Name, strconv.Itoa(chance)+"%, "+strconv.Itoa(f.blows(t, row))+" a turn, damage "+dice.String())
	if f.Rage > 0 {
		add("Battle rage", strconv.Itoa(f.Rage)+"%")
	}
}
