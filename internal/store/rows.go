// Package store holds all SQL of pbemd: one text for PostgreSQL and SQLite. An
// exported method is one use case and one transaction; every change of state is
// a compare-and-set, and the rows, not the work queue, carry the truth.
package store

import (
	"errors"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// Errors on which callers branch.
var (
	// ErrChanged: the turn is not as the caller read it (its input_seq, phase or
	// state moved on). Read again and decide again.
	ErrChanged = errors.New("the turn changed meanwhile")
	// ErrDone: this letter, mail or move was already done by somebody else. Stop quietly.
	ErrDone = errors.New("already done")
	// ErrNotFound: no such row.
	ErrNotFound = errors.New("not found")
	// ErrTaken: a name or number is already in use.
	ErrTaken = errors.New("already taken")
)

// Game is one game. Secret is the 32 random bytes of design section 6.
type Game struct {
	ID        int64
	No        uint32 // in tokens
	Name      string // short name: subject tag, dice
	Title     string
	System    string
	Account   string // mail account that serves it
	File      string // the game file as it was written
	FileSHA   string // hex
	Secret    []byte
	PausedAt  time.Time // zero: running
	EndedAt   time.Time // zero: running
	CreatedAt time.Time
}

// Role is one person's part in one game: "gm", or "player" with Key the
// player's id in the game file.
type Role struct {
	ID        int64
	Game      int64
	GameNo    uint32
	GameName  string
	No        uint16 // in tokens
	Kind      string // gm, player
	Key       game.ID
	Person    int64
	Name      string
	Address   string // normalised
	Zone      string // IANA
	Epoch     uint8
	Reachable bool // false after a hard bounce at RCPT
	Ended     bool // the game has ended
}

// TurnKey names the state of a turn that a change was decided on. Every change
// compares it: id, phase, and (unless the method says otherwise) input_seq.
type TurnKey struct {
	ID    int64
	Phase int
	Seq   int64
}

// Turn is one mail cycle (phases of one turn are rows of their own).
type Turn struct {
	ID         int64
	Game       int64
	N          int
	Phase      int
	State      game.State
	Attempt    int // greatest attempt drafted, 0 none
	Released   int // attempt released, 0 none
	Lates      int // greatest late number given, 0 none
	OpenedAt   time.Time
	DeadlineAt time.Time
	AskedAt    time.Time // early close asked: received_at of the letter that completed it; zero none
	AskedBy    string    // "ready" or "gm"
	ClosedAt   time.Time
	ReviewAt   time.Time // when the attempt in review was drafted
	PausedAt   time.Time
	ReopenedAt time.Time // reopened after the GM had seen a draft; zero never
	Seq        int64     // input_seq
	Void       int
	Lock       []byte    // 32 bytes, set at the first close of phase 0 and never again
	Digest     string    // of the attempt in review
	World      []byte    // canonical JSON of the world the turn started from
	Asks       []byte    // JSON list of combatant ids that may order in this phase; empty: all able
	RemindAt   time.Time // next reminder to those who owe; zero none
	NudgeAt    time.Time // next nudge to the GM, or look at who waits for him; zero none
	NudgeStep  int
	Tries      int
	Why        string // of stuck
}

// Key is the turn's compare-and-set key as read.
func (t Turn) Key() TurnKey { return TurnKey{t.ID, t.Phase, t.Seq} }

// Letter is one inbound mail, kept raw.
type Letter struct {
	ID          int64
	Account     string
	SHA         string // hex of SHA-256 over Raw
	MessageID   string
	ReceivedAt  time.Time // by our MX; never the Date header
	SeenAt      time.Time // when it was stored
	Raw         []byte
	From        string // normalised address that its header claims; may be empty
	Disposition string // empty: not yet
	Why         string
	Confirmed   bool  // its owner confirmed it with a one-time token
	Tries       int   // begun and not known to have ended
	Faults      int   // ended with an error
	Role        int64 // 0 unknown
	Game        int64
	Turn        int64
}

// Dispositions: every letter ends with exactly one.
const (
	Acted       = "acted"       // it changed something
	Answered    = "answered"    // it was answered and changed nothing
	Held        = "held"        // it waits for a confirmation
	Ignored     = "ignored"     // recorded, not answered; Why says why
	Duplicate   = "duplicate"   // of another letter
	Quarantined = "quarantined" // not safe to parse
	Poison      = "poison"      // three tries to read it did not end
	Late        = "late"        // punctual, but turned up after the close; waits for the GM
)

// Ending is what becomes of a letter. It is part of the transaction that acts
// on the letter; methods that take one return ErrDone when the letter already
// has a disposition. A zero Letter means the change comes from no letter.
type Ending struct {
	Letter           int64
	Disposition      string
	Why              string
	Game, Turn, Role int64
	From             string // normalised address
	TextSHA          string // hex SHA-256 of the new and form lines
	Mails            []NewMail
	RaiseEpoch       []EpochRaise // roles whose tokens end now; ErrChanged when the epoch is not the one before
	Now              time.Time
}

// EpochRaise names a role and the token epoch it goes to (wrapping at 256).
type EpochRaise struct {
	Role  int64
	Epoch uint8
}

// NewMail is one outgoing mail, complete and composed.
type NewMail struct {
	Role       int64 // whose mail; 0 for the answer to a verified stranger and the operator
	Address    string
	Sender     string // envelope sender; bounces go there
	Game, Turn int64
	Kind       string // opening, receipt, packet, report, brief, notice, reminder, nudge, confirm, hello, answer …
	Subject    string
	Text       string // the plain text, kept for subtraction of what we sent
	Bytes      []byte
	MessageID  string
	NotBefore  time.Time // zero: at once
	// Gather names a set of which only the newest unsent mail goes out.
	Gather string
	// Carry is what a newer mail of the gathering needs to speak for this one as
	// well: the caller's own text.
	Carry string
	// Quiet marks an answer without a change of state; they are capped.
	Quiet bool
}

// Mail is one row of the outbox.
type Mail struct {
	ID int64
	NewMail
	State     string // queued, claimed, sent, failed, superseded
	Claim     string
	Tries     int
	CreatedAt time.Time
	SentAt    time.Time
	Why       string
}

// Revision is one letter's orders for one combatant. Orders in force are those
// of the greatest (ReceivedAt, Letter); Cleared is the revision that CLEAR makes.
type Revision struct {
	ID         int64
	Turn       int64
	Phase      int
	Combatant  game.ID
	Role       int64
	Letter     int64
	MessageID  string
	TextSHA    string // hex SHA-256 of the letter's new and form lines: for the leaf
	ReceivedAt time.Time
	Text       string // the lines that ordered this combatant
	Plan       []byte // canonical JSON of game.Plan
	Cleared    bool
	LateN      int // >0: turned up after the close; in force only if ACCEPT LateN was ruled
}

// Ready is a player's READY or UNREADY, the newest by (ReceivedAt, Letter).
type Ready struct {
	Role       int64
	On         bool
	ReceivedAt time.Time
	Letter     int64
}

// HoldKind says why a letter is held. A confirmation covers one kind only: a
// word that was asked for must never let a letter in that nobody showed.
type HoldKind string

const (
	// Asked: it answers one of our mails from the registered address, and only
	// lacks proof.
	Asked HoldKind = "asked"
	// Suspect: it may be somebody else's. A confirmation covers only those that
	// were held when it was written, for its mail lists them.
	Suspect HoldKind = "suspect"
)

// Hold is a letter that waits for its owner's confirmation.
type Hold struct {
	ID         int64
	Game       int64
	Turn       int64
	Role       int64
	Letter     int64
	Kind       HoldKind
	Why        string
	From       string // as the letter claims
	Subject    string
	ReceivedAt time.Time
	State      string // held, confirmed, ended
	CreatedAt  time.Time
}

// Confirmation is a one-time token sent to a registered address. It covers
// all letters of the role that are held when it is used.
type Confirmation struct {
	Role    int64
	N       int
	Kind    HoldKind
	Attempt int // for a GM: attempt and digest in review when it was sent, else 0
	Digest  string
	Expires time.Time
	UsedAt  time.Time
}

// Ruling is a stored ruling.
type Ruling struct {
	ID        int64
	Turn      int64
	Phase     int
	N         int
	Letter    int64
	Body      game.Ruling
	DroppedBy int64 // letter that took it back; 0 in force
}

// Attempt is one draft of a turn.
type Attempt struct {
	Turn        int64
	Phase       int
	N           int
	Seq         int64 // input_seq it was resolved from
	Ruleset     string
	Version     int
	DataSHA     string
	Build       string
	WorldBefore []byte
	Orders      []byte // canonical JSON of []game.Orders
	Rulings     []byte
	Events      []byte // canonical JSON of []game.Event
	WorldAfter  []byte
	Outcome     []byte // canonical JSON of the rest: inquiries, timeline, pause, unused, done
	Digest      string // hex SHA-256 over all of the above
	CreatedAt   time.Time
}

// Work is one row that wants looking at.
type Work struct {
	Kind string // ingest, close, resolve, release, send, remind, nudge
	Row  int64
	At   time.Time // not before; zero at once
}

// Snapshot is everything about a game's current turn, read in one transaction.
type Snapshot struct {
	Game       Game
	Turn       Turn              // the current turn and phase
	PrevLock   []byte            // lock of the turn before, nil for turn 1
	Roles      []Role            // by No
	Combatants map[game.ID]int64 // combatant -> role; 0 = the GM
	Revisions  []Revision        // all of this turn and phase, by (ReceivedAt, Letter), late ones too
	Ready      map[int64]Ready
	Rulings    []Ruling   // all of this turn and phase, dropped ones too, by N
	Holds      []Hold     // state held
	Frozen     []Revision // after the close: the orders that were frozen, by combatant
	// FirstFrozen are the orders frozen at the first close of the turn's phase 0,
	// which the lock was made of, by combatant; a REOPEN does not change them.
	FirstFrozen []Revision
	Draft       *Attempt // in review or approved: that attempt; else the last one drafted
	Prev        *Attempt // the released attempt of the turn (or phase) before
}

// InForce gives the revision in force of each combatant: the greatest
// (ReceivedAt, Letter) among those not late, cleared ones left out.
func (s Snapshot) InForce() map[game.ID]Revision {
	out := map[game.ID]Revision{}
	for _, r := range s.Revisions {
		if r.LateN == 0 {
			out[r.Combatant] = r // Revisions are sorted: the last wins
		}
	}
	for id, r := range out {
		if r.Cleared {
			delete(out, id)
		}
	}
	return out
}

// RoleByID finds a role of the snapshot.
func (s Snapshot) RoleByID(id int64) (Role, bool) {
	for _, r := range s.Roles {
		if r.ID == id {
			return r, true
		}
	}
	return Role{}, false
}
