package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// chart is the map as one reader knows it: what he perceives now, and of those
// whom he perceived before, where they were. It is made of views alone, so it
// cannot show what none of them holds.
type chart struct {
	width, height int // squares
	scaleMM       int
	units         string
	features      []game.Feature
	figures       []figure // his own first, then by id
	crop          crop
}

// figure is a combatant on the map.
type figure struct {
	sight  game.Sight
	stance stance
	label  string       // what he is to the reader: yours, ally …, for the GM his side
	letter byte         // stands for him in the drawing and in the plain text
	from   *game.Square // where he was before, if elsewhere
	gone   bool         // known only from before: sight.Place is where he was
}

// crop is the part of the map that is shown. A cell is step squares wide.
type crop struct {
	x, y, w, h, step int
}

// Most cells that are shown each way: 48 are 6 points each in a picture.
const mostCells = 48

// newChart joins what a reader's characters know. before may be empty.
func newChart(before, now []game.View, ours ...game.ID) chart {
	var c chart
	if len(now) == 0 {
		return c
	}
	v := now[0]
	c.width, c.height, c.scaleMM, c.units, c.features = v.Width, v.Height, v.ScaleMM, v.Units, v.Features
	master := v.Viewer == game.GM
	c.figures = joined(now)
	old := joined(before)
	for i := range c.figures {
		f := &c.figures[i]
		i := slices.IndexFunc(old, func(o figure) bool { return o.sight.ID == f.sight.ID })
		if i >= 0 && f.somebody() && old[i].somebody() && old[i].sight.Place != f.sight.Place {
			f.from = &old[i].sight.Place
		}
	}
	for _, o := range old {
		if o.somebody() && !slices.ContainsFunc(c.figures, func(f figure) bool { return f.sight.ID == o.sight.ID && f.somebody() }) {
			o.gone = true
			c.figures = append(c.figures, o)
		}
	}
	if master {
		c.takeSides(ours)
	}
	c.takeLetters()
	c.crop = c.frame()
	return c
}

// joined lists whom any of the views shows, each as seen best.
func joined(views []game.View) []figure {
	var out []figure
	add := func(s game.Sight) {
		st := stanceOf(s.Relation)
		i := slices.IndexFunc(out, func(f figure) bool { return f.sight.ID == s.ID })
		switch {
		case i < 0:
			out = append(out, figure{sight: s, stance: st, label: stanceWords[st]})
		case st == yours, s.InSight && !out[i].sight.InSight, s.InSight && !out[i].somebody():
			out[i] = figure{sight: s, stance: st, label: stanceWords[st]}
		}
	}
	for _, v := range views {
		if v.Viewer != game.GM {
			add(v.Self)
		}
		for _, s := range v.Others {
			add(s)
		}
	}
	slices.SortStableFunc(out, func(a, b figure) int {
		return cmp.Or(cmp.Compare(min(a.stance, ally), min(b.stance, ally)), cmp.Compare(a.sight.ID, b.sight.ID))
	})
	return out
}

// somebody reports that the reader knows who it is: of those who are too far away
// to be told from others he knows neither side nor race, and so not whether the
// one whom he sees now is the one whom he saw before.
func (f *figure) somebody() bool {
	return f.sight.Side != "" || f.sight.Race != "" || f.stance == yours || f.stance == ally
}

// takeSides gives the figures of a GM, to whom everybody is neutral, the look
// of their sides; that of the players' sides, ours, is a player's own.
func (c *chart) takeSides(ours []game.ID) {
	var sides []game.ID
	for _, f := range c.figures {
		sides = append(sides, f.sight.Side)
	}
	slices.SortFunc(sides, func(a, b game.ID) int {
		theirs := func(s game.ID) int { return map[bool]int{false: 1}[slices.Contains(ours, s)] }
		return cmp.Or(cmp.Compare(theirs(a), theirs(b)), cmp.Compare(a, b))
	})
	sides = slices.Compact(sides)
	looks := []stance{yours, enemy, ally}
	for i := range c.figures {
		f := &c.figures[i]
		f.stance, f.label = neutral, word(f.sight.Side)
		if n := slices.Index(sides, f.sight.Side); n < len(looks) && f.sight.Side != "" && f.sight.Side != "neutral" {
			f.stance = looks[n]
		}
	}
}

// emblems are what may stand for somebody on the map.
const emblems = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz"

// takeLetters gives each the first letter of his name, if nobody before him has
// it, else another of it or one that is free; with more people than letters the
// rest share "?".
func (c *chart) takeLetters() {
	taken := map[byte]bool{}
	take := func(f *figure, from string) {
		for _, b := range []byte(from) {
			if strings.IndexByte(emblems, b) >= 0 && !taken[b] {
				f.letter, taken[b] = b, true
				return
			}
		}
	}
	for i := range c.figures {
		if name := strings.ToUpper(c.figures[i].sight.Name); name != "" {
			take(&c.figures[i], name[:1])
		}
	}
	for i := range c.figures {
		f := &c.figures[i]
		if f.letter == 0 {
			take(f, strings.ToUpper(f.sight.Name)+emblems)
		}
		if f.letter == 0 {
			f.letter = '?'
		}
	}
}

// frame is the whole map, or of a big one the part with people in it.
func (c *chart) frame() crop {
	if c.width <= mostCells && c.height <= mostCells {
		return crop{0, 0, max(c.width, 0), max(c.height, 0), 1}
	}
	lo, hi := game.Square{X: c.width, Y: c.height}, game.Square{}
	reach := func(s game.Square) {
		lo.X, lo.Y = min(lo.X, s.X), min(lo.Y, s.Y)
		hi.X, hi.Y = max(hi.X, s.X), max(hi.Y, s.Y)
	}
	for _, f := range c.figures {
		reach(f.sight.Place)
		if f.from != nil {
			reach(*f.from)
		}
	}
	if lo.X > hi.X || lo.Y > hi.Y {
		lo, hi = game.Square{}, game.Square{X: c.width - 1, Y: c.height - 1}
	}
	const margin, least = 3, 24
	x, w := widen(lo.X, hi.X, margin, least, c.width)
	y, h := widen(lo.Y, hi.Y, margin, least, c.height)
	step := (max(w, h) + mostCells - 1) / mostCells
	return crop{x, y, (w + step - 1) / step, (h + step - 1) / step, step}
}

// widen makes a stretch longer by a margin and at least so long, within 0..n.
func widen(lo, hi, margin, least, n int) (from, length int) {
	lo, hi = lo-margin, hi+margin
	if short := least - (hi - lo + 1); short > 0 {
		lo -= short / 2
		hi += short - short/2
	}
	lo, hi = max(lo, 0), min(hi, n-1)
	return lo, max(hi-lo+1, 1)
}

// cell gives the cell of the crop in which a square lies.
func (w crop) cell(s game.Square) (x, y int, ok bool) {
	x, y = s.X-w.x, s.Y-w.y
	if x < 0 || y < 0 || x/w.step >= w.w || y/w.step >= w.h {
		return 0, 0, false
	}
	return x / w.step, y / w.step, true
}

// square is the first square of a cell.
func (w crop) square(x, y int) game.Square {
	return game.Square{X: w.x + x*w.step, Y: w.y + y*w.step}
}

// The kinds of ground that the map tells apart, the strongest first.
const (
	wallGlyph   = '#'
	closedGlyph = '+'
	openGlyph   = '/'
	hardGlyph   = '%'
	softGlyph   = ':'
	otherGlyph  = ','
	emptyGlyph  = '.'
)

// glyphs are those of the kinds of ground with their meanings.
var glyphs = []struct {
	glyph byte
	what  string
}{
	{wallGlyph, "blocks sight"}, {closedGlyph, "closed door"}, {openGlyph, "open door"},
	{hardGlyph, "hard cover"}, {softGlyph, "soft cover"}, {otherGlyph, "other"},
}

func glyph(f game.Feature) byte {
	switch {
	case f.Kind == "door" && f.State == "open":
		return openGlyph
	case f.Kind == "door":
		return closedGlyph
	case f.Opaque:
		return wallGlyph
	case f.Cover == "hard":
		return hardGlyph
	case f.Cover == "soft", f.Low:
		return softGlyph
	}
	return otherGlyph
}

func rank(g byte) int {
	for i, k := range glyphs {
		if k.glyph == g {
			return i
		}
	}
	return len(glyphs)
}

// ground gives each cell the strongest of what stands in it, row by row.
func (c *chart) ground() [][]byte {
	rows := make([][]byte, c.crop.h)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(string(rune(emptyGlyph)), c.crop.w))
	}
	for _, f := range c.features {
		g := glyph(f)
		for _, s := range f.Squares {
			if x, y, ok := c.crop.cell(s); ok && rank(g) < rank(rows[y][x]) {
				rows[y][x] = g
			}
		}
	}
	return rows
}

// lines are the map in plain text with its legend, within 72 columns.
func (c *chart) lines() []string {
	rows := c.ground()
	for i := len(c.figures) - 1; i >= 0; i-- {
		f := c.figures[i]
		x, y, ok := c.crop.cell(f.sight.Place)
		if !ok || f.gone && rows[y][x] != emptyGlyph {
			continue
		}
		if isLetter(rows[y][x]) && !f.gone {
			rows[y][x] = '*'
		} else if rows[y][x] != '*' {
			rows[y][x] = f.letter
		}
	}
	wide := 2
	if 4+2*c.crop.w > columns {
		wide = 1
	}
	out := c.header(wide)
	for y, r := range rows {
		line := fmt.Sprintf("%3d", c.crop.square(0, y).Y+1)
		for i, b := range r {
			if wide == 2 || i == 0 {
				line += " "
			}
			line += string(rune(b))
		}
		out = append(out, line)
	}
	out = append(out, "")
	for _, l := range append([]string{c.legend(rows)}, c.scale()) {
		out = append(out, wrap(l, "", "", columns)...)
	}
	return out
}

func isLetter(b byte) bool { return strings.IndexByte(emblems+"?*", b) >= 0 }

// header names the columns; names of two emblems stand in two lines.
func (c *chart) header(wide int) []string {
	var top, bottom strings.Builder
	top.WriteString("   ")
	bottom.WriteString("   ")
	two := false
	for x := range c.crop.w {
		name := strings.TrimRight(c.crop.square(x, 0).String(), "0123456789")
		if wide == 2 || x == 0 {
			top.WriteByte(' ')
			bottom.WriteByte(' ')
		}
		first := byte(' ')
		if len(name) > 1 {
			first, two = name[len(name)-2], true
		}
		top.WriteByte(first)
		bottom.WriteByte(name[len(name)-1])
	}
	if two {
		return []string{strings.TrimRight(top.String(), " "), bottom.String()}
	}
	return []string{bottom.String()}
}

// legend says who and what stands for what.
func (c *chart) legend(rows [][]byte) string {
	var parts []string
	for _, f := range c.figures {
		parts = append(parts, string(rune(f.letter))+" "+f.describe())
	}
	shown := map[byte]bool{}
	for _, r := range rows {
		for _, b := range r {
			shown[b] = true
		}
	}
	if shown['*'] {
		parts = append(parts, "* more than one")
	}
	for _, g := range glyphs {
		if shown[g.glyph] {
			parts = append(parts, string(rune(g.glyph))+" "+g.what)
		}
	}
	return strings.Join(parts, "; ") + "."
}

// describe names a figure, what he is to the reader and where he came from.
func (f *figure) describe() string {
	notes := []string{f.label}
	switch {
	case f.gone:
		notes = append(notes, "last seen at "+f.sight.Place.String())
	case f.from != nil:
		notes = append(notes, "from "+f.from.String())
	}
	if down(f.sight) {
		notes = append(notes, "down")
	}
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	return oneLine(f.sight.Name) + " (" + strings.Join(notes, ", ") + ")"
}

// scale says how long a square is, and what part of a big map is shown.
func (c *chart) scale() string {
	s := "A square is " + squareLength(c.scaleMM, c.units) + "."
	w := c.crop
	if w.w*w.step < c.width || w.h*w.step < c.height {
		last := w.square(w.w-1, w.h-1)
		last.X, last.Y = min(last.X+w.step, c.width)-1, min(last.Y+w.step, c.height)-1
		s += fmt.Sprintf(" Shown: %s to %s of %d by %d squares.", w.square(0, 0), last, c.width, c.height)
	}
	if w.step > 1 {
		s += fmt.Sprintf(" A place on the map is %d by %d squares.", w.step, w.step)
	}
	return s
}

// squareLength writes millimetres in the players' unit with at most two
// decimals, as "2 m" or "1.52 yd".
func squareLength(mm int, units string) string {
	hundredths, unit := mm/10, "m"
	switch units {
	case "yd":
		hundredths, unit = (mm*1000+4572)/9144, "yd"
	case "ft":
		hundredths, unit = (mm*1000+1524)/3048, "ft"
	}
	s := strconv.Itoa(hundredths / 100)
	if rest := hundredths % 100; rest > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%02d", rest), "0")
	}
	return s + " " + unit
}

// alt says in words what the picture shows: who is where, and what stands where.
func (c *chart) alt() string {
	s := fmt.Sprintf("Map of %d by %d squares of %s.", c.width, c.height, squareLength(c.scaleMM, c.units))
	for _, f := range c.figures {
		s += fmt.Sprintf(" %c: %s", f.letter, f.describe())
		if !f.gone {
			s += " at " + f.sight.Place.String()
		}
		s += "."
	}
	taken := map[game.Square]bool{}
	for _, g := range glyphs {
		var list []game.Square
		for _, f := range c.features {
			for _, sq := range f.Squares {
				if _, _, ok := c.crop.cell(sq); ok && glyph(f) == g.glyph && !taken[sq] {
					taken[sq] = true
					list = append(list, sq)
				}
			}
		}
		if len(list) > 0 {
			s += " " + strings.ToUpper(g.what[:1]) + g.what[1:] + ": " + squares(list) + "."
		}
	}
	return s
}
