package daemon

import (
	"context"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
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
