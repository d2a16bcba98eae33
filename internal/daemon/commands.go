package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
)

// command is one mail command: who may give it, what it needs, when, and what
// it does. HELP, the table of the README and the test of rights are made from
// this list; adding a command is adding a row.
type command struct {
	Word    string
	Arg     parse.Arg
	Who     []string // roles that have it
	Needs   right
	States  []game.State // of the turn; nil: any
	Example string
	Help    string
	run     func(*Daemon, context.Context, *call, parse.Command, []parse.Line) error
}

var (
	anybody = []string{rolePlayer, roleGM}
	player  = []string{rolePlayer}
	master  = []string{roleGM}

	whileOpen    = []game.State{game.Open}
	whileDrafted = []game.State{game.Closed, game.Review}
	// A CLEAR that turns up after the close is late as orders are.
	alsoLate = []game.State{game.Open, game.Closed, game.Review, game.Stuck}
)

// commands in the order in which HELP prints them. A function, not a variable,
// for HELP itself reads it.
func commands() []command {
	return []command{
		{"CHECK", parse.ArgNone, player, rightOrders, whileOpen, "CHECK",
			"alone on its line: answers as if the letter's orders were sent, and stores nothing", nil},
		{"CLEAR", parse.ArgNone, player, rightOrders, alsoLate, "CLEAR",
			"takes all your orders of this turn back", (*Daemon).runClear},
		{"USE FORM", parse.ArgNone, player, rightOrders, alsoLate, "USE FORM",
			"takes the order form of your letter instead of what you wrote outside of it", (*Daemon).runUseForm},
		{"READY", parse.ArgNone, player, rightOrders, whileOpen, "READY",
			"you wait for nothing more: when every player is ready the turn closes early", (*Daemon).runReady},
		{"UNREADY", parse.ArgNone, player, rightOrders, whileOpen, "UNREADY",
			"takes READY back", (*Daemon).runReady},
		{"STATUS", parse.ArgNone, anybody, rightLight, nil, "STATUS",
			"where the turn stands, what is on file and what is owed, with a fresh address to answer to", (*Daemon).runStatus},
		{"HELP", parse.ArgNone, anybody, rightLight, nil, "HELP",
			"the words that count as commands", (*Daemon).runHelp},
		{"HELP ORDERS", parse.ArgNone, anybody, rightLight, nil, "HELP ORDERS",
			"how a turn goes and what can be ordered, with examples for those whom you order and the numbers behind them", (*Daemon).runGuide},
		{"REPORT", parse.ArgOptionalNumber, anybody, rightLight, nil, "REPORT 2",
			"sends your report of turn 2 again; REPORT alone the newest", (*Daemon).runReport},
		{"WHY", parse.ArgNumber, anybody, rightLight, nil, "WHY 3",
			"explains line 3 of the report that you answer: the sum, the dice, the rule", (*Daemon).runWhy},
		{"CONFIRM", parse.ArgOptionalNumber, anybody, rightLight, nil, "CONFIRM 2",
			"answers a confirmation: your held letters count", nil},
		{"LOCK", parse.ArgNone, anybody, rightLock, nil, "LOCK",
			"voids every address that you could answer to, if somebody else may have seen one; the answer has a fresh one", (*Daemon).runLock},

		{"OK", parse.ArgNone, master, rightProof, nil, "OK",
			"releases the attempt that you answer: every player gets a report", (*Daemon).runOK},
		{"CLOSE", parse.ArgNone, master, rightProof, whileOpen, "CLOSE",
			"closes the turn now", (*Daemon).runClose},
		{"REOPEN", parse.ArgDuration, master, rightProof, []game.State{game.Closed, game.Review, game.Stuck}, "REOPEN 24h",
			"opens the turn again for so long; the dice stay sealed as they were", (*Daemon).runReopen},
		{"EXTEND", parse.ArgDuration, master, rightTurn, whileOpen, "EXTEND 24h",
			"moves the deadline", (*Daemon).runExtend},
		{"PAUSE", parse.ArgNone, master, rightTurn, whileOpen, "PAUSE",
			"stops the clock; orders are still taken", (*Daemon).runPause},
		{"RESUME", parse.ArgNone, master, rightTurn, whileOpen, "RESUME",
			"the clock goes on; the deadline moves by the length of the pause", (*Daemon).runResume},
		{"ACCEPT", parse.ArgNumber, master, rightProof, whileDrafted, "ACCEPT 1",
			"lets late letter 1 count", nil},
		{"DROP", parse.ArgNumber, master, rightProof, whileDrafted, "DROP 3",
			"takes ruling 3 back", nil},
		{"RULINGS", parse.ArgNone, master, rightLight, nil, "RULINGS",
			"lists the rulings of this turn", (*Daemon).runRulings},
	}
}

// rulingWords are what a GM may write besides commands, for HELP and the README.
var rulingWords = []command{
	{Word: "AS", Example: "AS zog: two shots at Bobo, then behind the crate", Needs: rightLight, Who: master,
		Help: "orders for one of your own combatants; after the close also for a player's character, in his player's stead"},
	{Word: "name field value", Example: "BOBO STA 12", Needs: rightProof, Who: master,
		Help: "sets a figure at the end of the turn; AT EVENT 7 sets it before that event; a figure of this turn alone holds from its beginning"},
	{Word: "EVENT", Example: "EVENT 7 HIT", Needs: rightProof, Who: master,
		Help: "decides an event of the packet: HIT, MISS, CANCEL, ALLOW and others" + eventValues + "DAMAGE 12, COVER hard, SLOT 5"},
	{Word: "thing field value", Example: "DOOR OPEN yes", Needs: rightProof, Who: master,
		Help: "changes a thing of the map: " + thingWords + "; AT EVENT 7 as above"},
	{Word: "square field value", Example: "E4 TERRAIN wall", Needs: rightProof, Who: master,
		Help: "changes what stands in a square" + smokeWords},
	{Word: "TURN", Example: "TURN sequence side", Needs: rightProof, Who: master,
		Help: "another rule of the game's settings for this turn, from its beginning"},
	{Word: "GAME", Example: "GAME crit_rules off", Needs: rightProof, Who: master,
		Help: "the same from this turn on"},
	{Word: "DIE", Example: "DIE hit/bobo/r1.1 = 42", Needs: rightProof, Who: master,
		Help: "sets a die, or rolls it again with REROLL; every report says so"},
	{Word: "MOD", Example: "MOD bobo +10 because high ground", Needs: rightProof, Who: master,
		Help: "a modifier on the attack rolls of this turn; because … and SECRET at the end go with every ruling"},
	{Word: "NOTE", Example: "NOTE The lights go out.", Needs: rightLight, Who: master,
		Help: "a paragraph of yours for every report; changes no event"},
	{Word: "ERRATUM", Example: "ERRATUM It was Mira who hit Zog.", Needs: rightProof, Who: master,
		Help: "a letter of its own: goes to every player at once, about the report that is out"},
}

// thingWords are what can be set on a thing of the map, and smokeWords what on a
// square besides what stands there, where a system has it.
const (
	thingWords = "OPEN, COVER, OPAQUE, LOW, DIFFICULT, AT, GONE"
	smokeWords = ", or with SMOKE 3 the smoke round it"
)

// named are the names of the fields that are set on a kind of thing.
func named(fields []game.Field, of game.FieldKind) []string {
	var out []string
	for _, f := range fields {
		if f.Of == of {
			out = append(out, f.Name)
		}
	}
	return out
}

// eventValues leads to the values that EVENT gives.
const eventValues = ", or a value such as "

// rulingKinds are what rulings of rulingWords set: a system that has no field of a
// kind has no such ruling.
var rulingKinds = map[string]game.FieldKind{
	"thing field value": game.OfThing, "square field value": game.OfSquare, "TURN": game.OfTurn, "GAME": game.OfTurn,
}

// suited is a row of rulingWords for a game's system: with the values that one may
// give to its events, and with dice as its time names them.
func suited(row command, fields []game.Field, clock game.Clock) report.Command {
	switch row.Word {
	case "EVENT":
		words, values, _ := strings.Cut(row.Help, eventValues)
		var has []string
		for v := range strings.SplitSeq(values, ", ") {
			name, value, _ := strings.Cut(v, " ")
			if slices.ContainsFunc(fields, func(f game.Field) bool {
				return f.Of == game.OfEvent && f.Name == name && (len(f.Words) == 0 || slices.Contains(f.Words, value))
			}) {
				has = append(has, v)
			}
		}
		if row.Help = words; len(has) > 0 {
			row.Help += eventValues + strings.Join(has, ", ")
		}
	case "name field value":
		name := func(f game.Field) bool { return f.Of == "" && f.Name == "STA" }
		number := func(f game.Field) bool { return f.Of == "" && f.Type == "number" }
		if clock.RunsOn {
			row.Help = strings.Replace(row.Help, "before that event", "before that event, AT "+strings.ToUpper(clock.Says(14))+" from then on", 1)
		}
		if i := slices.IndexFunc(fields, number); i >= 0 && !slices.ContainsFunc(fields, name) {
			row.Example = strings.Replace(row.Example, "STA", fields[i].Name, 1)
		}
	case "thing field value":
		row.Help = strings.Replace(row.Help, thingWords, strings.Join(named(fields, game.OfThing), ", "), 1)
	case "square field value":
		if !slices.Contains(named(fields, game.OfSquare), "SMOKE") {
			row.Help, _, _ = strings.Cut(row.Help, smokeWords)
		}
	case "TURN", "GAME":
		key := strings.Fields(row.Example)[1]
		i := slices.IndexFunc(fields, func(f game.Field) bool { return f.Of == game.OfTurn && len(f.Words) > 1 })
		if i >= 0 && !slices.Contains(named(fields, game.OfTurn), key) {
			row.Example = row.Word + " " + fields[i].Name + " " + fields[i].Words[1]
		}
	case "DIE":
		if clock.RunsOn {
			row.Example = strings.Replace(row.Example, "r1.1", "s14", 1)
		}
	}
	return report.Command{Example: row.Example, Help: row.Help}
}

// formsOf are the commands that a role's letters are searched for.
func formsOf(kind string) []parse.Form {
	var out []parse.Form
	for _, c := range commands() {
		for _, w := range c.Who {
			if w == kind {
				out = append(out, parse.Form{Word: c.Word, Arg: c.Arg})
			}
		}
	}
	return out
}

func commandNamed(word string) command {
	for _, c := range commands() {
		if c.Word == word {
			return c
		}
	}
	return command{}
}

// tells reports a command that only tells something, such as STATUS: it changes
// nothing, and may be given at any time.
func (c command) tells() bool { return c.run != nil && c.States == nil && c.Needs == rightLight }

// in reports whether the command may be given while a turn is in a state.
func (c command) in(s game.State) bool {
	if len(c.States) == 0 {
		return true
	}
	for _, x := range c.States {
		if x == s {
			return true
		}
	}
	return false
}
