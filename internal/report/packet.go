package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// PacketIn is an attempt as the GM is asked to approve it.
type PacketIn struct {
	Head    Head
	Attempt int
	Names   map[game.ID]string // combatants by id; an id without a name prints as it is

	// What makes an attempt unusual. With none of these OK needs no reading.
	Inquiries []game.Inquiry
	Late      []LateLetter
	Held      []string    // letters that wait for their sender's confirmation
	Missing   []game.Line // who sent no orders, and what was done instead
	Unused    []int       // numbers of rulings whose event or die did not occur
	Reopened  bool

	Difference []string // against the attempt before: see EventDifferences
	Orders     []PacketOrders
	Events     []game.Event
	Rulings    []game.Ruling // in force
	Pause      *game.Pause
	Done       string       // why the encounter ends with this turn; empty: it does not
	Fields     []game.Field // what a ruling may say
	Foes       []game.ID    // the GM's own combatants
	Confirm    bool         // OK needs a confirmation, because his mail arrives unverified
	Map        *Picture     // where everybody is then; nil: none
	Course     *Course      // who acted when; nil: nobody
}

// LateLetter is a punctual letter that was found after the close.
type LateLetter struct {
	N        int // for ACCEPT n
	From     string
	Received When
	Lines    []string // what it orders
}

// PacketOrders is what one combatant was told to do.
type PacketOrders struct {
	Name   string
	Source string // player, standing, default, policy, gm
	Late   bool
	Lines  []string
}

// Packet writes the draft of a turn for the GM.
func Packet(in PacketIn) (Mail, error) {
	return compose("packet.txt", in.Head, in, append(shown(in.Map), shown(in.Course.Shown())...))
}

// Unusual counts what the GM has to look at before an OK.
func (in PacketIn) Unusual() int {
	n := len(in.ToDecide()) + len(in.Late) + len(in.Held) + len(in.Missing) + len(in.Unused)
	if in.Reopened {
		n++
	}
	if len(in.Unprinted()) > 0 {
		n++
	}
	return n
}

// ToDecide are the inquiries that stand for themselves, each with the number of its
// event in the line that answers it.
func (in PacketIn) ToDecide() []game.Inquiry {
	out := slices.DeleteFunc(slices.Clone(in.Inquiries), func(q game.Inquiry) bool { return q.Of != "" })
	for i, q := range out {
		if n := in.Number(q.Ref); n > 0 {
			out[i].Answer = strings.ReplaceAll(q.Answer, game.EventNumber, strconv.Itoa(n))
		}
	}
	return out
}

// Unprinted are the values that no source prints and that counted for the first
// time, each with the event in which it did.
func (in PacketIn) Unprinted() []game.Line {
	var out []game.Line
	for _, q := range in.Inquiries {
		if q.Of == "" {
			continue
		}
		event := "at the beginning"
		if n := in.Number(q.Ref); n > 0 {
			event = fmt.Sprintf("event %d", n)
		}
		out = append(out, game.Line{Label: q.Of, Value: event})
	}
	return out
}

// Number gives the number of the event with that ref; 0 when there is none.
func (in PacketIn) Number(ref string) int {
	return 1 + slices.IndexFunc(in.Events, func(e game.Event) bool { return ref != "" && e.Ref == ref })
}

// Name is what the GM calls a combatant.
func (in PacketIn) Name(id game.ID) string {
	if n := in.Names[id]; n != "" {
		return n
	}
	return string(id)
}

// Ruling finds the words of a ruling by its number.
func (in PacketIn) Ruling(n int) string {
	for _, r := range in.Rulings {
		if r.N == n {
			return r.Text
		}
	}
	return ""
}

// Asks names those who may order after the pause.
func (in PacketIn) Asks() string {
	names := make([]string, len(in.Pause.Asks))
	for i, id := range in.Pause.Asks {
		names[i] = in.Name(id)
	}
	return join(names)
}

// Briefs lists what each is told at the pause, sorted by id.
func (in PacketIn) Briefs() []game.Line {
	var out []game.Line
	for id, text := range in.Pause.Briefs {
		out = append(out, game.Line{Label: string(id), Value: text})
	}
	slices.SortFunc(out, func(a, b game.Line) int { return strings.Compare(a.Label, b.Label) })
	for i := range out {
		out[i].Label = in.Name(game.ID(out[i].Label))
	}
	return out
}

// Rounds are the events of the story in one sentence each, by round; the number
// of the round is 0 when there is only one.
func (in PacketIn) Rounds() []RoundLines {
	var out []RoundLines
	for i, e := range in.Events {
		if e.Kind == "initiative" {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Round != e.Round {
			out = append(out, RoundLines{Round: e.Round})
		}
		last := &out[len(out)-1]
		last.add(in.Head.Clock, ReportLine{N: i + 1, At: e.At, Text: in.Story(e)})
	}
	if len(out) == 1 {
		out[0].Round = 0
	}
	return out
}

// Sums gives, for each event with a calculation or dice, its number, who and
// when, the sum and the dice.
func (in PacketIn) Sums() []Sum {
	var out []Sum
	for i, e := range in.Events {
		if len(e.Lines) == 0 && len(e.Dice) == 0 && len(e.Changes) == 0 {
			continue
		}
		s := Sum{N: i + 1, Head: in.Name(e.Actor)}
		if _, when, ok := strings.Cut(e.Ref, "/"); ok {
			s.Head += " " + when
		}
		if in.Head.Clock.Unit != "" {
			s.Head += " " + in.Head.Clock.Says(e.At)
		}
		if e.Outcome != "" {
			s.Head += ": " + word(e.Kind) + ", " + word(e.Outcome)
		}
		if e.Reason != "" {
			s.Head += " (" + word(e.Reason) + ")"
		}
		if e.Rule != "" {
			s.Head += ", rule " + e.Rule
		}
		s.Sum, s.Dice = e.Lines, e.Dice
		for _, c := range e.Changes {
			s.Changes = append(s.Changes, fmt.Sprintf("%s %s %s → %s", in.Name(c.Who), c.Field, c.From, c.To))
		}
		for _, n := range e.Ruled {
			s.Ruled = append(s.Ruled, fmt.Sprintf("ruling %d", n))
		}
		out = append(out, s)
	}
	return out
}

// Sum is one event's arithmetic.
type Sum struct {
	N       int
	Head    string
	Sum     []game.Line
	Dice    []game.Die
	Changes []string
	Ruled   []string
}

// Answers lists the words that answer this very packet, each with what it does.
func (in PacketIn) Answers() []game.Line {
	var out []game.Line
	add := func(what, format string, args ...any) {
		out = append(out, game.Line{Label: fmt.Sprintf(format, args...), Value: what})
	}
	add("release this attempt as it is", "OK")
	for i, e := range in.Events {
		if e.Attack {
			verdict := "HIT"
			if e.Outcome == "hit" || e.Outcome == "critical" {
				verdict = "MISS"
			}
			add("rule on event "+fmt.Sprint(i+1), "EVENT %d %s", i+1, verdict)
			add("attack rolls of this turn", "MOD %s +10 because high ground", e.Actor)
			break
		}
	}
	if d, ok := in.firstDie(); ok {
		add("set a die; = reroll rolls it again", "DIE %s = %d", d.Name, d.Value)
	}
	if who, field, value, ok := in.firstField(); ok {
		add("set a figure at the end of the turn", "%s %s %s", strings.ToUpper(string(who)), field, value)
	}
	if len(in.Foes) > 0 {
		add("give him other orders", "AS %s: hold", in.Foes[0])
	}
	for _, l := range in.Late {
		add("let late letter "+fmt.Sprint(l.N)+" count", "ACCEPT %d", l.N)
	}
	add("words for the report, beside OK or alone", "NOTE The lights go out.")
	add("list the rulings in force", "RULINGS")
	if len(in.Rulings) > 0 {
		add("take ruling "+fmt.Sprint(in.Rulings[0].N)+" back", "DROP %d", in.Rulings[0].N)
	}
	add("let the players change their orders", "REOPEN 24h")
	return out
}

func (in PacketIn) firstDie() (game.Die, bool) {
	for _, e := range in.Events {
		if e.Attack && len(e.Dice) > 0 {
			return e.Dice[0], true
		}
	}
	for _, e := range in.Events {
		if len(e.Dice) > 0 {
			return e.Dice[0], true
		}
	}
	return game.Die{}, false
}

// firstField takes a figure that changed here and that a ruling may set, else
// the first numeric field, for the first combatant by id.
func (in PacketIn) firstField() (who game.ID, field, value string, ok bool) {
	for _, e := range in.Events {
		for _, c := range e.Changes {
			for _, f := range in.Fields {
				if f.Of == "" && strings.EqualFold(f.Name, c.Field) && allows(f, c.From) {
					return c.Who, f.Name, c.From, true
				}
			}
		}
	}
	i := slices.IndexFunc(in.Fields, func(f game.Field) bool { return f.Of == "" && f.Type == "number" })
	if i < 0 || len(in.Names) == 0 {
		return "", "", "", false
	}
	for id := range in.Names {
		if who == "" || id < who {
			who = id
		}
	}
	return who, in.Fields[i].Name, "12", true
}

// Story is an event in one sentence, as the GM sees it.
func (in PacketIn) Story(e game.Event) string {
	if s := e.Text[game.All]; s != "" {
		return s
	}
	return in.Name(e.Actor) + ": " + word(e.Kind) + ", " + word(e.Outcome)
}

// Previous is the attempt that Difference compares with.
func (in PacketIn) Previous() int { return in.Attempt - 1 }
