package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Guide explains to its reader how to order: the answer to HELP ORDERS, and with
// Page what a command line prints.
type Guide struct {
	Title    string
	Unbuilt  bool // no game of it can be played yet
	GM       bool
	Sample   bool     // it speaks of a character of nobody's game
	Names    []string // whom the reader orders, if an order must say so
	Sections []GuideSection
	Commands []Command
	Rulings  []game.Field // what a ruling may say; only for the GM
}

// GuideSection is one heading, with what it says of each character.
type GuideSection struct {
	Title  string
	Text   []string
	Steps  []string
	Tables []GuideTable
	Orders []GuideOrder
	Needy  bool // without orders the text says nothing
}

// GuideOrder is an example: what is written, and what it does.
type GuideOrder struct{ Write, Says string }

// GuideTable is a table for one character or several.
type GuideTable struct {
	Names []string // whose it is
	Rows  []game.Line
	Marks string
}

// Add puts in what a section says of one character. A table that is the same for
// somebody before him is for both.
func (s *GuideSection) Add(name string, own game.GuideSection) {
	for _, o := range own.Orders {
		s.Orders = append(s.Orders, GuideOrder{o.Write[0], o.Says})
	}
	if len(own.Rows) == 0 {
		return
	}
	for i := range s.Tables {
		if slices.Equal(s.Tables[i].Rows, own.Rows) {
			s.Tables[i].Names = append(s.Tables[i].Names, name)
			return
		}
	}
	s.Tables = append(s.Tables, GuideTable{Names: []string{name}, Rows: own.Rows, Marks: own.Marks})
}

// Shown are the sections that say something.
func (g Guide) Shown() []GuideSection {
	return slices.DeleteFunc(slices.Clone(g.Sections), func(s GuideSection) bool {
		return s.Needy && len(s.Orders) == 0 || len(s.Text)+len(s.Steps)+len(s.Tables)+len(s.Orders) == 0
	})
}

// Page writes the guide for those who read it outside of a mail: as plain text
// and as a whole HTML document.
func (g Guide) Page() (text, html string, err error) {
	var b strings.Builder
	if err := mails.ExecuteTemplate(&b, "part-guide.txt", g); err != nil {
		return "", "", fmt.Errorf("writing a guide: %w", err)
	}
	doc := parseMarkup(strings.TrimLeft(b.String(), "\n"))
	text = strings.TrimLeft(writeText("", doc), "\n")
	html, err = writeHTML(oneLine(g.Title)+": how to order", "", doc, nil)
	return text, html, err
}

// Words are all that a ruling may say, by form.
func (g Guide) Words() []RulingWords { return rulingWords(g.Rulings) }
