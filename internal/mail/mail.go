// Package mail is the wire side of pbemd: it watches a mailbox, reads a letter
// out of raw bytes, judges who sent it, composes our own mail and hands it to
// a server. It knows no games; everything it takes from a stranger's bytes is
// bounded, and nothing in it panics on them.
//
// The flow is one-way: [Mailbox] fetches bytes, [Read] turns them into a
// [Letter], the daemon decides, [Compose] writes the answer and a [Sender]
// delivers it. [Keys] seals and opens the tokens that travel in our addresses
// and Message-IDs.
package mail

import "time"

// Kind says what a letter is, before anybody looks for orders in it.
type Kind string

const (
	// KindLetter was written by a person.
	KindLetter Kind = "letter"
	// KindAutomatic was written by a machine (RFC 3834), or by ourselves. It is
	// recorded and never answered.
	KindAutomatic Kind = "automatic"
	// KindBounce reports on a delivery (RFC 3464). It counts only at an address
	// that holds a valid bounce token.
	KindBounce Kind = "bounce"
	// KindQuarantine could not be read safely. Nothing but Why is to be trusted.
	KindQuarantine Kind = "quarantine"
)

// Letter is an inbound mail as far as mail itself can judge it. All strings are
// valid UTF-8 without control characters other than tab and newline.
type Letter struct {
	Kind Kind
	Why  string // why it is not a KindLetter; empty for one

	MessageID  string   // with its angle brackets; empty if there is none
	InReplyTo  string   // the first one named
	References []string // at most 50, the oldest first

	From     string   // normalised as by NormalizeAddress
	FromName string   // only to be shown, never identity
	To, Cc   []string // normalised; what cannot be normalised is left out

	// Recipients are all addresses of To, Cc, Delivered-To, X-Original-To and their
	// like, and of Received, as they were written: where tokens are looked for.
	Recipients []string

	Subject string
	Date    time.Time // what the sender claims; zero if unreadable

	// ReceivedAt is when our own mail system took the letter: the stamp of the
	// trusted Received field, else ReadOptions.InternalDate. It never comes from Date.
	ReceivedAt time.Time

	// Text is what was written, lines ended by "\n". What an HTML part quotes
	// stands on lines that begin with "> ".
	Text string
	// Notes tell the sender, in whole sentences, how his letter was read if that
	// was not as he may expect.
	Notes       []string
	Attachments []Attachment
	Bounce      Bounce // of a KindBounce that says
	Auth        Auth
}

// Attachment names a part that was not read as text.
type Attachment struct {
	Name string // as the sender named it; may be empty
	Type string // media type in lower case
	Size int    // bytes as transported
}

// AuthLevel says what is known about the sender's right to the From address.
type AuthLevel string

const (
	// AuthNone means nobody vouches for the address, and nobody contradicts it.
	AuthNone AuthLevel = "none"
	// AuthVerified means a system we trust vouches for the From domain (DMARC,
	// aligned DKIM) or for the whole address (our own submission).
	AuthVerified AuthLevel = "verified"
	// AuthFailed means the address is contradicted: DMARC failed, or an aligned
	// signature does not verify.
	AuthFailed AuthLevel = "failed"
)

// Auth is the verdict on the From address.
type Auth struct {
	Level AuthLevel
	Why   string // for the operator and the GM; never empty
}
