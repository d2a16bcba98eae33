package daemon

import (
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
)

// rulingWords are what a GM may write besides commands, for HELP and the README.
// fields are what a ruling of his game may say; without any it is the table for
// every system.
func rulingWords(fields []game.Field, clock game.Clock) []command {
	s := suited{fields, clock}
	rows := []command{
		{Word: "AS", Example: "AS zog: two shots at Bobo, then behind the crate", Needs: rightLight,
			Help: "orders for one of your own combatants; after the close also for a player's character, in his player's stead"},
		{Word: "name field value", Example: "BOBO " + s.figure() + " 12", Needs: rightProof,
			Help: "sets a figure at the end of the turn; AT EVENT 7 sets it before that event" + s.moment() + "; a figure of this turn alone holds from its beginning"},
		{Word: "EVENT", Example: "EVENT 7 HIT", Needs: rightProof,
			Help: "decides an event of the packet: HIT, MISS, CANCEL, ALLOW and others" + s.values("DAMAGE 12", "COVER hard", "SLOT 5")},
	}
	if things := s.names(game.OfThing); len(things) > 0 {
		rows = append(rows, command{Word: "thing field value", Example: "DOOR OPEN yes", Needs: rightProof,
			Help: "changes a thing of the map: " + strings.Join(things, ", ") + "; AT EVENT 7 as above"})
	}
	if squares := s.names(game.OfSquare); len(squares) > 0 {
		help := "changes what stands in a square"
		if slices.Contains(squares, "SMOKE") {
			help += ", or with SMOKE 3 the smoke round it"
		}
		rows = append(rows, command{Word: "square field value", Example: "E4 TERRAIN wall", Needs: rightProof, Help: help})
	}
	if len(s.names(game.OfTurn)) > 0 {
		rows = append(rows,
			command{Word: "TURN", Example: "TURN " + s.rule("sequence", "side"), Needs: rightProof,
				Help: "another rule of the game's settings for this turn, from its beginning"},
			command{Word: "GAME", Example: "GAME " + s.rule("crit_rules", "off"), Needs: rightProof,
				Help: "the same from this turn on"})
	}
	rows = append(rows,
		command{Word: "DIE", Example: "DIE hit/bobo/" + s.moments("r1.1", "s14") + " = 42", Needs: rightProof,
			Help: "sets a die, or rolls it again with REROLL; every report says so"},
		command{Word: "MOD", Example: "MOD bobo +10 because high ground", Needs: rightProof,
			Help: "a modifier on the attack rolls of this turn; because … and SECRET at the end go with every ruling"},
		command{Word: "NOTE", Example: "NOTE The lights go out.", Needs: rightLight,
			Help: "a paragraph of yours for every report; changes no event"},
		command{Word: "ERRATUM", Example: "ERRATUM It was Mira who hit Zog.", Needs: rightProof,
			Help: "a letter of its own: goes to every player at once, about the report that is out"})
	for i := range rows {
		rows[i].Who = master
	}
	return rows
}

// rulingRows are the rows of the GM's words, as far as his system has them.
func rulingRows(fields []game.Field, clock game.Clock) []report.Command {
	var out []report.Command
	for _, row := range rulingWords(fields, clock) {
		out = append(out, report.Command{Example: row.Example, Help: row.Help})
	}
	return out
}

// suited is what the rows of rulingWords say of a system: of that with these fields,
// or with none of any.
type suited struct {
	fields []game.Field
	clock  game.Clock
}

// everyField is what the rows name where no system is known.
var everyField = map[game.FieldKind][]string{
	game.OfThing:  {"OPEN", "COVER", "OPAQUE", "LOW", "DIFFICULT", "AT", "GONE"},
	game.OfSquare: {"TERRAIN", "SMOKE"},
	game.OfTurn:   {"sequence", "crit_rules"},
}

// names are the names of the fields that are set on a kind of thing.
func (s suited) names(of game.FieldKind) []string {
	if len(s.fields) == 0 {
		return everyField[of]
	}
	var out []string
	for _, f := range s.fields {
		if f.Of == of {
			out = append(out, f.Name)
		}
	}
	return out
}

// figure is a number that a ruling may set on somebody.
func (s suited) figure() string {
	const usual = "STA"
	numbers := slices.DeleteFunc(slices.Clone(s.fields), func(f game.Field) bool { return f.Of != "" || f.Type != "number" })
	if len(numbers) == 0 || slices.ContainsFunc(numbers, func(f game.Field) bool { return f.Name == usual }) {
		return usual
	}
	return numbers[0].Name
}

// values are those of some values that an event of the system may be given.
func (s suited) values(all ...string) string {
	has := slices.DeleteFunc(all, func(v string) bool {
		name, value, _ := strings.Cut(v, " ")
		return len(s.fields) > 0 && !slices.ContainsFunc(s.fields, func(f game.Field) bool {
			return f.Of == game.OfEvent && f.Name == name && (len(f.Words) == 0 || slices.Contains(f.Words, value))
		})
	})
	if len(has) == 0 {
		return ""
	}
	return ", or a value such as " + strings.Join(has, ", ")
}

// rule is a setting with a value that is not its default: this one, if the system
// has it.
func (s suited) rule(key, value string) string {
	i := slices.IndexFunc(s.fields, func(f game.Field) bool { return f.Of == game.OfTurn && len(f.Words) > 1 })
	if i < 0 || slices.Contains(s.names(game.OfTurn), key) {
		return key + " " + value
	}
	return s.fields[i].Name + " " + s.fields[i].Words[1]
}

// moments is one of two words: for time that begins anew with each round, and for
// time that runs on.
func (s suited) moments(anew, runsOn string) string {
	if s.clock.RunsOn {
		return runsOn
	}
	return anew
}

// moment tells of rulings that hold from a moment on, where time runs on.
func (s suited) moment() string {
	return s.moments("", ", AT "+strings.ToUpper(s.clock.Says(14))+" from then on")
}
