package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The light markup that templates write, line by line:
//
//	# heading            ## smaller heading
//	- item               7. numbered item (the number is kept)
//	  two blanks: a detail under the item before, or a quiet line of its own
//	| label | value |    a row of a table, up to 6 cells
//	    four blanks: preformatted, indented
//	<tab>preformatted, from the first column, may be soft-wrapped in HTML
//	> callout            >! warning           >+ good news
//	---                  a rule
//	@picture cid         the place of a picture
//	anything else        a paragraph; lines follow each other until a blank one
//
// Inside a line, **strong** and `code`; a backslash takes the next character
// literally. Lists and tables go on over blank lines.

type kind string

const (
	heading    kind = "heading"
	subheading kind = "subheading"
	paragraph  kind = "paragraph"
	detail     kind = "detail"
	callout    kind = "callout"
	list       kind = "list"
	table      kind = "table"
	pre        kind = "pre"
	flush      kind = "flush"
	rule       kind = "rule"
	picture    kind = "picture"
)

// block is one part of a document. Fields are exported for the HTML layout.
type block struct {
	Kind    kind
	Tone    string // of a callout: "", warning, good
	Spans   []span
	Ordered bool
	Items   []item
	Rows    [][][]span
	Lines   []string // pre, flush; of a picture what the text has in its place
	CID     string
}

// flushLine is a line of flush text. A Strand is a single long word behind a
// blank, such as a hash: it breaks wherever the page ends, for a browser would
// rather break behind the blank and leave a line empty.
type flushLine struct {
	Text   string
	Strand bool
}

// Flush gives the lines of flush text to the HTML.
func (b block) Flush() []flushLine {
	var out []flushLine
	for _, l := range b.Lines {
		out = append(out, flushLine{l, strings.HasPrefix(l, " ") && len(l) > 32 && len(strings.Fields(l)) == 1})
	}
	return out
}

type item struct {
	Marker  string // "7." of a numbered item
	Spans   []span
	Details [][]span
}

type span struct {
	Style string // "", strong, code
	Text  string
}

// maxCells is how many cells a row may have; further ones are added to the last.
const maxCells = 6

// parseMarkup reads markup. It takes any text: what has no form is a paragraph.
func parseMarkup(src string) []block {
	p := parser{}
	for line := range strings.Lines(src) {
		p.line(strings.TrimRight(line, " \r\n"))
	}
	p.end()
	return p.doc
}

type parser struct {
	doc  []block
	open string // text of the block or item that goes on, before inline parsing
	put  func([]span)
}

// end closes the text that was being gathered.
func (p *parser) end() {
	if p.put != nil {
		p.put(inline(p.open))
	}
	p.open, p.put = "", nil
}

func (p *parser) begin(text string, put func([]span)) {
	p.end()
	p.open, p.put = text, put
}

func (p *parser) last() *block {
	if len(p.doc) == 0 {
		return &block{}
	}
	return &p.doc[len(p.doc)-1]
}

// add begins a block of running text. The index, not a pointer, is kept: the
// slice may move.
func (p *parser) add(b block, text string) {
	p.end()
	p.doc = append(p.doc, b)
	i := len(p.doc) - 1
	p.begin(text, func(s []span) { p.doc[i].Spans = s })
}

func (p *parser) line(line string) {
	for _, m := range [...]struct {
		mark string
		b    block
	}{
		{"# ", block{Kind: heading}},
		{"## ", block{Kind: subheading}},
	} {
		if text, ok := strings.CutPrefix(line, m.mark); ok {
			p.add(m.b, text)
			p.end()
			return
		}
	}
	for _, m := range [...]struct{ mark, tone string }{{"> ", ""}, {">! ", "warning"}, {">+ ", "good"}} {
		if text, ok := strings.CutPrefix(line, m.mark); ok {
			if l := p.last(); p.put != nil && l.Kind == callout && l.Tone == m.tone {
				p.open += " " + text
				return
			}
			p.add(block{Kind: callout, Tone: m.tone}, text)
			return
		}
	}
	switch {
	case line == "":
		p.end()
	case line[0] == '\t':
		p.verbatim(flush, line[1:])
	case strings.HasPrefix(line, "    "):
		p.verbatim(pre, line[4:])
	case strings.HasPrefix(line, "  "):
		p.detail(strings.TrimSpace(line))
	case line == "---":
		p.end()
		p.doc = append(p.doc, block{Kind: rule})
	case strings.HasPrefix(line, "@picture "):
		p.end()
		p.doc = append(p.doc, block{Kind: picture, CID: line[len("@picture "):]})
	case strings.HasPrefix(line, "- "):
		p.item("", line[2:])
	case line[0] == '|':
		p.row(line)
	default:
		if marker, text, ok := numbered(line); ok {
			p.item(marker, text)
			return
		}
		if p.put != nil {
			p.open += " " + line
			return
		}
		p.add(block{Kind: paragraph}, line)
	}
}

// numbered divides "7. text".
func numbered(line string) (marker, text string, ok bool) {
	i := 0
	for i < len(line) && i < 7 && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i == 0 || !strings.HasPrefix(line[i:], ". ") {
		return "", "", false
	}
	return line[:i+1], line[i+2:], true
}

func (p *parser) verbatim(k kind, line string) {
	p.end()
	if p.last().Kind != k {
		p.doc = append(p.doc, block{Kind: k})
	}
	l := p.last()
	l.Lines = append(l.Lines, strings.TrimRight(line, " \t"))
}

func (p *parser) item(marker, text string) {
	p.end()
	ordered := marker != ""
	if l := p.last(); l.Kind != list || l.Ordered != ordered {
		p.doc = append(p.doc, block{Kind: list, Ordered: ordered})
	}
	l := p.last()
	l.Items = append(l.Items, item{Marker: marker})
	i, n := len(p.doc)-1, len(l.Items)-1
	p.begin(text, func(s []span) { p.doc[i].Items[n].Spans = s })
}

func (p *parser) detail(text string) {
	p.end()
	if p.last().Kind != list {
		p.add(block{Kind: detail}, text)
		return
	}
	i := len(p.doc) - 1
	n := len(p.doc[i].Items) - 1
	p.begin(text, func(s []span) {
		it := &p.doc[i].Items[n]
		it.Details = append(it.Details, s)
	})
}

func (p *parser) row(line string) {
	p.end()
	if p.last().Kind != table {
		p.doc = append(p.doc, block{Kind: table})
	}
	l := p.last()
	l.Rows = append(l.Rows, cells(line))
}

// cells divides a row at the bars that no backslash stands before.
func cells(line string) [][]span {
	var raw []string
	start := 1
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			raw = append(raw, line[start:i])
			start = i + 1
		}
	}
	if start < len(line) {
		raw = append(raw, line[start:])
	}
	if len(raw) > maxCells {
		raw = append(raw[:maxCells-1:maxCells-1], strings.Join(raw[maxCells-1:], " "))
	}
	out := make([][]span, len(raw))
	for i, c := range raw {
		out[i] = inline(strings.TrimSpace(c))
	}
	return out
}

// inline reads **strong**, `code` and backslashes. A mark without its partner
// stands for itself.
func inline(s string) []span {
	var out []span
	var buf strings.Builder
	style := ""
	cut := func() {
		if buf.Len() > 0 {
			out = append(out, span{style, buf.String()})
			buf.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			_, n := utf8.DecodeRuneInString(s[i+1:])
			buf.WriteString(s[i+1 : i+1+n])
			i += n
		case s[i] == '`' && style == "" && partner(s[i+1:], "`"):
			cut()
			style = "code"
		case s[i] == '`' && style == "code", strings.HasPrefix(s[i:], "**") && style == "strong":
			cut()
			if style == "strong" {
				i++
			}
			style = ""
		case strings.HasPrefix(s[i:], "**") && style == "" && partner(s[i+2:], "**"):
			cut()
			style = "strong"
			i++
		default:
			buf.WriteByte(s[i])
		}
	}
	cut()
	return out
}

// partner reports whether mark occurs in s outside backslashes.
func partner(s, mark string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if strings.HasPrefix(s[i:], mark) {
			return true
		}
	}
	return false
}

// plain is the text of spans without their styles.
func plain(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// markup is text that a template function has already made safe.
type markup string

// escape makes any text one line of markup that means just that text.
func escape(s string) string {
	s = oneLine(s)
	var b strings.Builder
	for i, r := range s {
		first := i == 0 && r < utf8.RuneSelf && !unicode.IsLetter(r)
		if first || strings.ContainsRune("\\`*|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine brings text that somebody wrote to one printable line: white space
// becomes single blanks, and controls and marks that turn the direction of
// writing are dropped.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unprintable(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// unprintable reports controls and format characters. The joiners stay: some
// scripts and pictographs are spelled with them.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}

// verbatim keeps a line's columns: what cannot be printed becomes one blank.
func verbatim(s string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
