package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/pbemd/pbemd/internal/game"
)

// functions are what templates may call besides the built-in ones. Those that
// give a string are escaped like every value.
var functions = template.FuncMap{
	"esc":      func(v any) markup { return markup(printed(v)) },
	"join":     join,
	"plural":   plural,
	"commas":   func(list []string) string { return strings.Join(list, ", ") },
	"word":     word,
	"words":    words,
	"title":    title,
	"inc":      func(n int) int { return n + 1 },
	"caret":    func(p game.Problem) markup { return indented(caret(p.Source, p.At)) },
	"margin":   fromMargin,
	"form":     form,
	"picture":  pictureSlot,
	"standing": standing,
	"seen":     seen,
	"thing":    thing,
	"feature":  feature,
	"sum":      sum,
	"dice":     diceWords,
	"severity": severity,
	"offer":    offer,
	"state":    state,
	"sign":     sign,
	"unsigned": unsigned,
}

// join writes "a", "a and b", "a, b and c".
func join(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// plural writes "1 thing" or "2 things".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// word makes an id's underscores blanks: "in_hand" is "in hand".
func word(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") }

// title begins a phrase of ours with a capital.
func title(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func words(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = word(s)
	}
	return strings.Join(out, ", ")
}

func indented(lines []string) markup { return prefixed("    ", lines) }

// fromMargin prints preformatted text from the first column.
func fromMargin(text string) markup {
	return prefixed("\t", strings.Split(strings.TrimRight(text, "\n"), "\n"))
}

func prefixed(prefix string, lines []string) markup {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(prefix + verbatim(l) + "\n")
	}
	return markup(b.String())
}

// form is the order form with what is done without an answer, and with a heading
// for each character where there are several. An order is one line, however long:
// wrapped it might come back as two.
func form(id string, characters []FormEntry) markup {
	lines := []string{"BEGIN ORDERS " + id}
	for _, c := range characters {
		if len(characters) > 1 {
			lines = append(lines, oneLine(c.Name)+":")
		}
		for _, d := range c.Default {
			lines = append(lines, oneLine(d))
		}
		lines = append(lines, "")
	}
	return prefixed("\t", append(lines, "END ORDERS"))
}

// FormEntry is one character of an order form.
type FormEntry struct {
	Name    string
	Default []string // in words that are valid orders
}

// pictureSlot is the place of a picture.
func pictureSlot(p *Picture) markup {
	if p == nil {
		return ""
	}
	return markup("@picture " + oneLine(p.CID) + "\n")
}

// severity is the word a problem begins with.
func severity(s game.Severity) string {
	switch s {
	case game.Wrong:
		return "Not carried out"
	case game.Asked:
		return "Question"
	}
	return "Note"
}

// offer is what the words are that stand below a problem: an answer to choose, what
// is on the sheet, or known words near to one that is not known.
func offer(p game.Problem) string {
	switch {
	case p.Severity != game.Asked, p.Kind == "target_not_visible":
		return "Did you mean"
	case p.Kind == "unknown_weapon", p.Kind == "illegal_option":
		return "You have"
	}
	return "Choose from"
}

// standing says where a character is: "at C4, crouching, facing north".
func standing(s game.Sight) string {
	parts := []string{"at " + s.Place.String()}
	if s.Posture != "" {
		parts = append(parts, postureWord(s.Posture))
	}
	if s.Facing != "" {
		parts = append(parts, "facing "+facingWord(s.Facing))
	}
	for _, st := range s.Status {
		parts = append(parts, word(st))
	}
	return strings.Join(parts, ", ")
}

// postureWord and facingWord say how somebody stands and where he looks; what
// they do not know they leave as it is.
func postureWord(p string) string {
	switch p {
	case "stand":
		return "standing"
	case "crouch":
		return "crouching"
	case "kneel":
		return "kneeling"
	case "prone":
		return "lying flat"
	}
	return word(p)
}

func facingWord(f string) string {
	switch strings.ToUpper(f) {
	case "N":
		return "north"
	case "NE":
		return "north-east"
	case "E":
		return "east"
	case "SE":
		return "south-east"
	case "S":
		return "south"
	case "SW":
		return "south-west"
	case "W":
		return "west"
	case "NW":
		return "north-west"
	}
	return word(f)
}

// seen describes another combatant as the viewer perceives him.
func seen(v game.View, s game.Sight) string {
	parts := []string{s.Place.String()}
	if v.Viewer != game.GM {
		where := game.Length(s.Distance, v.Units)
		if s.Place == v.Self.Place {
			where = "in the same square"
		}
		if dir := compass(v.Self.Place, s.Place); dir != "" {
			where += " " + dir
		}
		parts = append(parts, where)
	}
	if s.Race != "" {
		parts = append(parts, s.Race)
	}
	if s.Description != "" && s.Description != s.Name {
		parts = append(parts, s.Description)
	}
	if s.Posture != "" {
		parts = append(parts, postureWord(s.Posture))
	}
	if s.Facing != "" {
		parts = append(parts, "facing "+facingWord(s.Facing))
	}
	if s.Holding != "" {
		parts = append(parts, "holding "+word(s.Holding))
	}
	for _, st := range s.Status {
		parts = append(parts, word(st))
	}
	if s.Cover != "" {
		parts = append(parts, "behind "+word(s.Cover)+" cover")
	}
	if !s.InSight && v.Viewer != game.GM {
		parts = append(parts, "not in sight now")
	}
	return strings.Join(parts, ", ")
}

// compass names the direction from one square to another; y grows to the south.
// A direction within 22.5 degrees of an axis takes its name (tan = 5/12).
func compass(from, to game.Square) string {
	dx, dy := to.X-from.X, to.Y-from.Y
	ax, ay := max(dx, -dx), max(dy, -dy)
	var ns, ew string
	if ay*12 > ax*5 {
		ns = "north"
		if dy > 0 {
			ns = "south"
		}
	}
	if ax*12 > ay*5 {
		ew = "east"
		if dx < 0 {
			ew = "west"
		}
	}
	if ns != "" && ew != "" {
		return ns + "-" + ew
	}
	return ns + ew
}

// thing describes a weapon or an item of one's own.
func thing(t game.Thing) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if t.Count > 1 {
		add("%d of them", t.Count)
	}
	if t.State != "" {
		add("%s", word(t.State))
	}
	if t.Full > 0 {
		add("%s", strings.TrimSpace(fmt.Sprintf("%d of %d %s", t.Left, t.Full, t.Unit)))
	}
	if t.DialMax > 0 {
		add("dial at %d of %d", t.Dial, t.DialMax)
	}
	if t.Mode != "" {
		add("mode %s", word(t.Mode))
	}
	if len(t.Modes) > 1 {
		add("has %s", words(t.Modes))
	}
	if t.Rate > 1 {
		add("up to %d attacks a turn", t.Rate)
	}
	if t.TwoHanded {
		add("two hands")
	}
	if len(parts) == 0 {
		return word(t.Kind)
	}
	return strings.Join(parts, ", ")
}

// feature describes a thing of the map and where it is.
func feature(f game.Feature) string {
	parts := []string{squares(f.Squares)}
	if f.State != "" {
		parts = append(parts, word(f.State))
	}
	if f.Cover != "" {
		parts = append(parts, word(f.Cover)+" cover")
	}
	if f.Low {
		parts = append(parts, "low")
	}
	if f.Difficult {
		parts = append(parts, "difficult ground")
	}
	if f.Opaque {
		parts = append(parts, "blocks sight")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// squares names a place by the rectangles that it is made of: "E4", "D4 to F6",
// "A1 to A9, B9 to F9". A place of very many is cut short.
func squares(list []game.Square) string {
	const most = 12
	left := map[game.Square]bool{}
	for _, s := range list {
		left[s] = true
	}
	row := func(x, y, w int) bool {
		for i := range w {
			if !left[game.Square{X: x + i, Y: y}] {
				return false
			}
		}
		return true
	}
	var names []string
	for _, s := range slices.SortedFunc(maps.Keys(left), reading) {
		if !left[s] {
			continue
		}
		if len(names) == most {
			return strings.Join(names, ", ") + ", " + plural(len(left), "more square")
		}
		w, h := 1, 1
		for left[game.Square{X: s.X + w, Y: s.Y}] {
			w++
		}
		for row(s.X, s.Y+h, w) {
			h++
		}
		for i := range w * h {
			delete(left, game.Square{X: s.X + i%w, Y: s.Y + i/w})
		}
		name := s.String()
		if w*h > 1 {
			name += " to " + game.Square{X: s.X + w - 1, Y: s.Y + h - 1}.String()
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// reading orders squares as a page is read.
func reading(a, b game.Square) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) }

// sum writes the lines of a calculation in one: "skill 20, range -10, chance 48".
func sum(lines []game.Line) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = strings.TrimSpace(l.Label + " " + l.Value)
	}
	return strings.Join(parts, ", ")
}

// diceWords writes dice with their names, as the GM sees them.
func diceWords(dice []game.Die) string {
	parts := make([]string, len(dice))
	for i, d := range dice {
		parts[i] = dieWords(d.Name+" ", d)
	}
	return strings.Join(parts, ", ")
}

func dieWords(name string, d game.Die) string {
	return fmt.Sprintf("%sd%d = %d (%s)", name, d.Sides, d.Value, d.Source)
}

// sign and unsigned divide a line of a difference: "+", "the rest".
func sign(s string) string {
	if strings.HasPrefix(s, "+ ") || strings.HasPrefix(s, "- ") {
		return s[:1]
	}
	return ""
}

func unsigned(s string) string { return strings.TrimPrefix(s, sign(s)+" ") }

// state says in words where a turn stands.
func state(s game.State) string {
	switch s {
	case game.Open:
		return "open for orders"
	case game.Closed:
		return "closed, the draft is being made"
	case game.Review:
		return "closed, the draft is with the GM"
	case game.Approved:
		return "approved, the reports are being made"
	case game.Released:
		return "over"
	case game.Stuck:
		return "stuck, the operator has been told"
	}
	return string(s)
}
