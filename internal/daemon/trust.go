package daemon

import "github.com/pbemd/pbemd/internal/mail"

// tokenState is what the token of a letter is worth.
type tokenState int

const (
	tokenNone  tokenState = iota // none, or not sealed by us
	tokenValid                   // sealed by us, of the role's epoch, not expired
	tokenStale                   // sealed by us, but expired or of an older epoch: it routes, it proves nothing
)

// addressState says whose address the letter comes from.
type addressState int

const (
	addressOther      addressState = iota // not the role's registered address
	addressRegistered                     // the role's
)

// right is what an act needs of its sender, from little to much.
type right int

const (
	rightLight  right = iota // STATUS, HELP, RULINGS, NOTE, foes' orders; CHECK
	rightOrders              // a player's orders and all that belongs to them
	rightTurn                // EXTEND, PAUSE, RESUME
	rightProof               // OK, CLOSE, REOPEN and every ruling
	rightLock                // LOCK: only who is vouched for may void addresses, with or without one
)

// decision is what to do with an act.
type decision int

const (
	doIt    decision = iota // carry it out
	confirm                 // hold it; a one-time confirmation goes to the registered address
	hold                    // hold it; only the registered address is told
	fresh                   // refuse it; the answer carries a fresh token to repeat it with
	notice                  // nothing stored or shown; the registered address hears of it once a day
	greet                   // answer a verified stranger, once a day
	silent                  // record it, answer nobody
)

// trust is what is known about the sender of a letter (design section 7).
type trust struct {
	token     tokenState
	release   bool // the token is a packet's release token
	address   addressState
	auth      mail.AuthLevel
	role      string // gm, player, or empty when no role is known
	crowded   bool   // another participant's address stood in To or Cc
	confirmed bool   // its owner confirmed it with a one-time token
	proof     string // the game's gm_proof: verified or token
}

// judge is the trust table of design section 7.
func (t trust) judge(need right) decision {
	switch {
	case t.role == "":
		if t.auth == mail.AuthVerified {
			return greet
		}
		return silent
	case t.confirmed:
		return doIt
	case t.auth == mail.AuthFailed:
		return hold
	case t.token == tokenValid && t.address == addressOther:
		return hold
	case t.address == addressOther:
		if t.auth == mail.AuthVerified {
			return greet
		}
		return silent
	case t.token == tokenValid && t.auth == mail.AuthVerified:
		if t.role == "gm" && t.crowded && need == rightProof {
			return confirm
		}
		return doIt
	case t.token == tokenValid:
		switch {
		case need == rightLock:
			return confirm
		case t.role == "player" || need == rightLight:
			return doIt
		case need == rightProof && t.proof == "token" && t.release && !t.crowded:
			return doIt
		}
		return confirm
	case t.auth == mail.AuthVerified:
		if need == rightProof {
			return fresh
		}
		return doIt
	}
	return notice
}
