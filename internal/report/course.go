package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Course is a turn in the order in which it happened, as one reader perceived
// it: who acted when, and what answered whom.
type Course struct {
	Clock   game.Clock
	Picture Picture
	moments []moment
	rounds  int // how many the turn had
}

// moment is a deed at a point of time. It holds nothing that the line of the
// report with its number does not say; for a deed that is all in the words of
// another grade, who did it is not known.
type moment struct {
	round  int
	at     int
	timed  bool // the reader knows the slot
	who    string
	stance stance
	kind   string // as of a game.Mark
	on     string // whom a reaction answers, or who cuts something short, if the line says so
	line   int    // 0: no line tells of it, but it is the reader's own

	ref, deed string // of the event, and of that which it answers
	moving    bool   // of what takes time: it is a movement
	until     int    // of his own: when it will be done, or when he may act next; 0: open
}

// Reader is for whom a Course is made.
type Reader struct {
	Characters []game.ID          // his own; or game.GM alone
	Names      map[game.ID]string // of all combatants
	Views      []game.View        // what his characters know, for who is friend and foe
	Ours       []game.ID          // sides of the players, as in an Atlas
}

// NewCourse puts the marks of a turn in the order of time. An act that the
// reader did not perceive is left out; the name of who acted stands there only
// if the line of the report holds it; and the slot only for his own and for
// those whose initiative he was told.
func NewCourse(marks []game.Mark, events []game.Event, r Reader, clock game.Clock) *Course {
	c := &Course{Clock: clock}
	perceived := project(events, r.Characters)
	lines := map[string]projected{}
	told := map[game.ID]map[int]bool{} // by round
	for _, p := range perceived {
		lines[p.event.Ref] = p
		if p.event.Kind == "initiative" {
			if told[p.event.Actor] == nil {
				told[p.event.Actor] = map[int]bool{}
			}
			told[p.event.Actor][p.event.Round] = true
		}
		c.rounds = max(c.rounds, p.event.Round)
	}
	master := slices.Contains(r.Characters, game.GM)
	own := func(id game.ID) bool { return master || slices.Contains(r.Characters, id) }
	stances := map[game.ID]stance{}
	for _, f := range newChart(nil, r.Views, r.Ours...).figures {
		stances[f.sight.ID] = f.stance
	}
	first := 0
	for _, m := range marks {
		l, ok := lines[m.Ref]
		if !ok && (m.Ref != "" || !own(m.Who)) || clock.RunsOn && m.Masked && !master {
			continue
		}
		mo := moment{round: m.Round, at: m.At, kind: m.Kind, line: l.line.N, stance: unseen, ref: m.Ref, deed: m.Deed}
		if name := r.Names[m.Who]; own(m.Who) || l.line.tells(name) {
			mo.who = name
			if s, ok := stances[m.Who]; ok {
				mo.stance = s
			}
		}
		if on := r.Names[m.On]; master || l.line.tells(on) {
			mo.on = on
		}
		// A slot would name whoever acts in it, and that somebody answers a deed
		// tells of the deed.
		owner, name := m.Who, mo.who
		if m.On != "" {
			owner, name = m.On, mo.on
		}
		mo.timed = (c.Clock.RunsOn || mo.who != "" && name != "" && (own(owner) || told[owner][m.Round])) && (master || !m.Masked)
		if m.Kind == "react" && (mo.who == "" || mo.on == "" && !own(m.Who)) {
			mo.kind = "act"
		}
		switch m.Kind {
		case game.MarkBegin, game.MarkEnd, game.MarkCut, game.MarkGoing:
			if mo.moving = m.Text == "move"; mo.who == "" {
				mo.kind, mo.moving = "act", false
			}
		}
		if own(m.Who) {
			mo.until = m.Until
		}
		if first == 0 {
			first = m.Round
		}
		c.moments = append(c.moments, mo)
	}
	if !slices.ContainsFunc(c.moments, func(m moment) bool { return m.line > 0 }) {
		return nil
	}
	c.rounds -= first - 1
	c.Picture = c.draw()
	return c
}

// Shown is the picture of the course.
func (c *Course) Shown() *Picture {
	if c == nil {
		return nil
	}
	return &c.Picture
}

// group is a stretch of moments of one slot, or of slots that the reader does
// not know.
type group struct {
	round   int
	label   string
	moments []moment
}

func (c *Course) groups() []group {
	var out []group
	for _, m := range c.moments {
		label := "–"
		if m.timed {
			label = fmt.Sprint(m.at)
		}
		if n := len(out); n > 0 && out[n-1].round == m.round && out[n-1].label == label {
			out[n-1].moments = append(out[n-1].moments, m)
			continue
		}
		out = append(out, group{m.round, label, []moment{m}})
	}
	return out
}

// said tells the course in words, a line a slot.
func (c *Course) said() []game.Line {
	if c.Clock.RunsOn {
		return c.saidOn()
	}
	var out []game.Line
	for _, g := range c.groups() {
		label := "in between"
		if g.label != "–" {
			label = strings.TrimSpace(c.Clock.Unit + " " + g.label)
		}
		if c.rounds > 1 {
			label = fmt.Sprintf("round %d, %s", g.round, label)
		}
		parts := make([]string, len(g.moments))
		for i, m := range g.moments {
			parts[i] = m.words()
		}
		out = append(out, game.Line{Label: label, Value: strings.Join(parts, ", ")})
	}
	return out
}

// lines are the course in plain text.
func (c *Course) lines() []string {
	said := c.said()
	wide := 0
	for _, l := range said {
		wide = max(wide, len(l.Label))
	}
	var out []string
	for _, l := range said {
		indent := strings.Repeat(" ", wide+2)
		out = append(out, wrap(oneLine(l.Value), l.Label+indent[len(l.Label):], indent, columns)...)
	}
	return out
}

// caption is the same in running text.
func (c *Course) caption() string {
	said := c.said()
	parts := make([]string, len(said))
	for i, l := range said {
		parts[i] = l.Label + ": " + oneLine(l.Value)
	}
	return strings.Join(parts, "; ")
}

func (m moment) words() string {
	who := m.who
	if who == "" {
		who = "somebody"
	}
	s := who
	switch {
	case m.kind == "react" && m.on != "":
		s += " reacts to " + m.on
	case m.kind == "react":
		s += " reacts"
	case m.kind == game.MarkBegin && m.moving:
		s += " sets out"
	case m.kind == game.MarkBegin:
		s += " begins"
	case m.kind == game.MarkEnd && m.moving:
		s += " stops"
	case m.kind == game.MarkEnd:
		s += " is done"
	case m.kind == game.MarkCut:
		s += " is cut short"
		if m.on != "" {
			s += " by " + m.on
		}
	case m.kind == game.MarkDown:
		s += " is down"
	case m.kind == "hold":
		s += " waits"
	case m.kind == "lost":
		s += " in vain"
	}
	return fmt.Sprintf("%s (%d)", s, m.line)
}

// alt says in words what the picture shows; all of it stands beside the picture.
func (c *Course) alt() string {
	var who []string
	for _, m := range c.moments {
		if m.who != "" && m.line > 0 && !slices.Contains(who, m.who) {
			who = append(who, m.who)
		}
	}
	what := "Timeline"
	if w := c.Clock.Window(); w != "" {
		what += " of " + w
	}
	if len(who) == 0 {
		return what + ": when somebody out of sight acted."
	}
	what += ": when " + join(who) + " acted"
	if slices.ContainsFunc(c.moments, func(m moment) bool { return m.kind == game.MarkReady }) {
		what += ", and when one may act again"
	}
	return what + "."
}
