// Package report turns views and events into mails. A mail has one source, a
// template under templates/ that writes light markup; the markup becomes a small
// document, and the document is written twice, as plain text of 72 columns and
// as HTML, so that the two can never say different things. Everything that a
// person wrote is escaped on its way in: a line of a player can never become a
// heading, a table or HTML.
//
// What a reader may know is decided before this package is called (by the
// ruleset's See and by the grades of the events); Project is the only place that
// chooses among grades. Package report belongs to the core: it reads no clock,
// does no I/O, and the same input gives the same bytes.
package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// Mail is a mail without its envelope: no address, no token, no date.
type Mail struct {
	Subject  string
	Text     string // plain text, lines end in \n, the first is a marker line
	HTML     string // a whole HTML document that fetches nothing
	Pictures []Picture
}

// Picture is an image that the HTML shows by Content-ID. It only repeats what
// the text says: the plain text has its lines in its place.
type Picture struct {
	CID   string // letters, digits and dots
	Alt   string // what it shows, in one sentence
	Width int    // pixels at which it is shown
	PNG   []byte

	Text    []string // lines of the plain text in its place
	Caption string   // in small type under it: what Text says and no other part of the mail
}

// Head is what every mail is headed by. Game is empty in a mail that belongs to
// no game, Turn is 0 before a game's first turn.
type Head struct {
	Game      string // short name, as in the Subject tag
	Title     string // full name of the game
	Turn      int
	Phase     int // from 0; later ones follow a pause within the turn
	Round     int
	Clock     game.Clock // how the game keeps time, and of it this turn
	Reader    string     // name of the person it goes to
	ReplyHint string     // one sentence: how to answer
	Now       When       // when it was written; zero leaves it out
}

// Tag is the Subject tag: "[Dusk-3]", "[Dusk]" outside a turn, "[pbemd]" outside
// a game. It routes an answer and never authorises it.
func (h Head) Tag() string {
	switch {
	case h.Game == "":
		return "[pbemd]"
	case h.Turn == 0:
		return "[" + oneLine(h.Game) + "]"
	}
	return fmt.Sprintf("[%s-%d]", oneLine(h.Game), h.Turn)
}

// Where names the game, turn and phase in words: "Dusk turn 3", "Dusk turn 3
// part 2". It is empty outside a game.
func (h Head) Where() string {
	s := oneLine(h.Game)
	if h.Game == "" || h.Turn == 0 {
		return s
	}
	s += fmt.Sprintf(" turn %d", h.Turn)
	if h.Phase > 0 {
		s += fmt.Sprintf(" part %d", h.Phase+1)
	}
	return s
}

// MarkerLine is the first line of a mail. A copy of it tells the reader of
// letters that our own text has come back.
func (h Head) MarkerLine(what string) string {
	if where := h.Where(); where != "" {
		return game.Marker + " " + where + ": " + oneLine(what) + " =="
	}
	return game.Marker + ": " + oneLine(what) + " =="
}

// When is an instant as mails print it: in the game's zone, and in the reader's
// own where that shows another time. A nil zone is UTC.
type When struct {
	At         time.Time
	GameZone   *time.Location
	ReaderZone *time.Location // nil: as the game's
}

// IsZero reports that there is no time to print.
func (w When) IsZero() bool { return w.At.IsZero() }

// String writes "Sun 29 Nov 2026 20:00 CET (UTC+01:00), for you 19:00 GMT"; the
// reader's day stands there too when it is another one.
func (w When) String() string {
	if w.At.IsZero() {
		return ""
	}
	zone := w.GameZone
	if zone == nil {
		zone = time.UTC
	}
	t := w.At.In(zone)
	s := t.Format("Mon 2 Jan 2006 15:04 ") + zoneName(t)
	if offset := t.Format("UTC-07:00"); !strings.HasSuffix(s, offset) && !strings.HasSuffix(s, " UTC") {
		s += " (" + offset + ")"
	}
	if w.ReaderZone == nil {
		return s
	}
	r := w.At.In(w.ReaderZone)
	_, there := t.Zone()
	if _, here := r.Zone(); here == there {
		return s
	}
	layout := "15:04 "
	if r.YearDay() != t.YearDay() {
		layout = "Mon 2 Jan 15:04 "
	}
	return s + ", for you " + r.Format(layout) + zoneName(r)
}

// zoneName is the zone's abbreviation, or its offset where it has none.
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if name == "" || strings.ContainsAny(name, "+-0123456789") {
		return t.Format("UTC-07:00")
	}
	return name
}
