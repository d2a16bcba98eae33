package report

import (
	"fmt"

	"github.com/pbemd/pbemd/internal/game"
)

// Answer writes one of the short mails: the template is
// templates/answer-<kind>.txt, and data is the struct of this package that bears
// the kind's name. A kind without a template, or data that the template cannot
// use, is an error.
func Answer(kind string, h Head, data any) (Mail, error) {
	name := "answer-" + kind + ".txt"
	if mails.Lookup(name) == nil {
		return Mail{}, fmt.Errorf("writing a mail: there is no answer %q", kind)
	}
	return compose(name, h, data, nil)
}

// Help lists the words that the reader may use.
type Help struct {
	Commands []Command
	Examples []string // orders
	GM       bool
	Rulings  []game.Field // what a ruling may say
}

// Command is one row of the daemon's table of mail commands.
type Command struct{ Example, Help string }

// Status is how the reader's game stands: facts first, then sections such as
// his orders or, for the GM, who owes. It also answers commands that change the
// turn, under a Title that says so.
type Status struct {
	Title    string   // empty: how the game stands
	Notes    []string // a sentence each
	Facts    []game.Line
	Sections []Section
	Deadline When // zero: no turn is open
}

// Section is a heading with lines under it.
type Section struct {
	Title string
	Lines []string
}

// Refused says that something was not done, why, and what to do. The kinds
// fence, unfetched and unreachable tell a GM by it, with Title, Why and Do, of what
// stands in the way without his doing.
type Refused struct {
	Title      string // what it is about, short: it goes into the Subject
	What       string // what was asked, as read
	Why        string
	Do         []string
	Problems   []game.Problem
	Understood []string // what of the letter was read all the same
	Unread     []string // lines that mean nothing
}

// Held tells a registered address of letters that wait for its owner.
type Held struct {
	N       int // for CONFIRM n
	Letters []HeldLetter
	Until   When // when the turn ends, and the letters with it
}

// HeldLetter shows no text: the letter may be a forgery.
type HeldLetter struct {
	From     string // as the letter claims
	Subject  string
	Received When
	Why      string // one clause
}

// Confirm asks the GM to confirm what his letters ask for.
type Confirm struct {
	N     int      // for CONFIRM n
	What  []string // a command or ruling a line
	Until When
}

// Hello is the first mail of a game to its GM.
type Hello struct {
	Proof string // what counts as proof of an OK: verified, or token
}

// Reminder goes to those who owe orders.
type Reminder struct {
	Turn     int
	Deadline When
	Owed     []FormEntry // characters, with what is done without orders
	FormID   string      // of the order form
}

// Names lists those who are owed orders.
func (r Reminder) Names() []string {
	var names []string
	for _, c := range r.Owed {
		names = append(names, c.Name)
	}
	return names
}

// Greeted answers a GM's answer to Hello: how his mail arrives.
type Greeted struct {
	Verified bool
	Why      string // what vouches for it, or what is missing
	Token    bool   // the game takes a packet's answer address as proof
}

// Nudge reminds the GM of a packet; the packet itself goes out again beside it.
type Nudge struct {
	Turn    int
	Attempt int
	Since   When
}

// Waiting tells the players that the turn waits for the GM.
type Waiting struct {
	Turn  int
	Since When
}

// Late says that a letter came after the close.
type Late struct {
	Received When
	Closed   When
	N        int      // late letter n that the GM may accept; 0: it came too late
	Stuck    bool     // the turn is stuck: only REOPEN lets the letter count
	Lines    []string // what it would have ordered
}

// Gathering says that the answers to more letters come in one mail.
type Gathering struct {
	Answers int // that went out within an hour
	Until   When
}

// Gathered is that mail.
type Gathered struct {
	Letters int
	Answers []game.Line // when a letter was received, and the Subject of its answer
	Newest  string      // the answer to the newest, as plain text
}

// Stale says that an OK released nothing.
type Stale struct {
	Asked   int // attempt that was answered; 0 when the letter named none
	Current int // attempt in force; 0 when none is
	State   game.State
	Read    []string // what was read besides OK
	Why     string
}

// Rulings lists the rulings in force.
type Rulings struct {
	Rulings []game.Ruling
	Notes   []string // such as "Ruling 2 is taken back."
}

// Approved says that an OK was taken.
type Approved struct{ Attempt int }

// Reopened says that orders may be changed again.
type Reopened struct {
	Deadline When
	GM       bool
}

// Erratum tells what a report that is out had wrong, in the GM's words. For the GM
// it names whom it went to, and who has no such report yet; for a player nobody.
type Erratum struct {
	Turn  int
	Lines []string
	To    []string
	Later []string
}

// Extended says that the deadline has moved.
type Extended struct{ From, Deadline When }

// Paused says that the game's clock stands.
type Paused struct{ Since When }

// Resumed says that it runs again.
type Resumed struct{ Deadline When }

// Stranger answers a verified address that no game knows.
type Stranger struct{ Address string }

// Which asks which game or character a letter is for.
type Which struct {
	Games      []string // tags or names; empty when characters are asked for
	Characters []string
}

// ClosedTurn says that a letter is for a turn that takes nothing any more.
type ClosedTurn struct {
	Turn  int
	State game.State
	Open  int      // turn that takes orders now; 0: none
	Lines []string // what was read of the letter
}

// Unproven is the daily notice to a registered address that letters in its name
// proved nothing and were left unread.
type Unproven struct {
	Subject string // of the first letter
	Token   bool   // it carried a token that is no longer good
}

// Operator tells the operator what needs a person.
type Operator struct {
	Title string
	Lines []string
}

// Stuck tells the GM that a turn could not be resolved or released.
type Stuck struct {
	Why    string
	Repeat string // command line that repeats it
}
