package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pbemd/pbemd/internal/game"
)

// kind tells tokens apart.
type kind int

const (
	word    kind = iota // letters, or letters and digits
	number              // digits, perhaps with a point
	mark                // punctuation, one character, or "->"
	speech              // a quotation, whole
	newline             // a line end that may be the mail program's
	stop                // end of a paragraph, list item or line that stands by itself
)

// token is one word or mark with its place. Text is in lower case, with slips
// mended; raw is as typed.
type token struct {
	kind   kind
	text   string
	raw    string
	tenths int     // of a number
	mended bool    // text is what a slip was taken for
	seen   string  // the text that starts was looked up for
	starts []start // the entries of the tables that begin with it
	at     game.Span
}

// is reports that the token is this word or mark.
func (t token) is(text string) bool { return t.text == text && t.kind != speech }

// contractions are cut in two, so that "don't" is "do not".
var contractions = []struct{ end, first, second string }{
	{"n't", "", "not"}, {"'ll", "", "will"}, {"'m", "", "am"}, {"'re", "", "are"}, {"'ve", "", "have"}, {"'d", "", "would"}, {"'s", "", "'s"}, {"s'", "s", "'s"},
}

// runTogether are words that phones write without their apostrophe.
var runTogether = map[string][2]string{
	"dont": {"do", "not"}, "doesnt": {"does", "not"}, "cant": {"can", "not"}, "cannot": {"can", "not"}, "wont": {"will", "not"},
	"isnt": {"is", "not"}, "im": {"i", "am"}, "didnt": {"did", "not"}, "wouldnt": {"would", "not"}, "shouldnt": {"should", "not"},
	"hasnt": {"has", "not"}, "gonna": {"going", "to"}, "wanna": {"want", "to"}, "theyre": {"they", "are"},
}

// lex cuts lines into tokens. The lines are normalised.
func lex(lines []Line) []token {
	var toks []token
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l.Text))
	}
	if width < 30 || width >= 100 {
		width = MaxRunes // not wrapped by a mail program
	}
	for i, l := range lines {
		body, from := bullet(l.Text)
		if i > 0 {
			end := token{kind: stop, text: "\n", at: game.Span{Line: l.N, Col: 1}}
			if from == 0 && !labelled(l.Text) && wrapped(lines[i-1].Text, l.Text, width) {
				end.kind = newline
			}
			toks = append(toks, end)
		}
		at := len(toks)
		toks = lexLine(toks, body, l.N, from)
		if from > 0 {
			label := strings.Trim(string([]rune(l.Text)[:from]), " ().")
			toks = append(toks[:at], inlineItems(toks[at:], label)...)
		}
	}
	return pairQuotes(toks)
}

// wrapped reports that a line end may be the mail program's: the next word would
// not have fitted into the width of the letter, or the line cannot end there.
func wrapped(line, next string, width int) bool {
	line, next = strings.TrimSpace(line), strings.TrimSpace(next)
	if line == "" || next == "" {
		return false
	}
	first, _, _ := strings.Cut(next, " ")
	words := strings.Fields(strings.ToLower(line))
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	if strings.HasSuffix(line, ",") || leavesOpen(before, words[len(words)-1]) {
		return true
	}
	// A line that was cut at MaxRunes was not wrapped.
	return width < MaxRunes && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(first) > width
}

// labelled reports a line that begins with a label, such as "Action:".
func labelled(line string) bool {
	head, _, ok := strings.Cut(line, ":")
	return ok && len(strings.Fields(head)) <= 3 && !strings.ContainsAny(head, ",.;\"")
}

// leavesOpen reports that a line which ends in two words goes on in the next:
// nothing ends with "otherwise", nor with "else" unless it is somebody else.
func leavesOpen(before, last string) bool {
	if last == "else" {
		return before == "or" || before == "" || strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";")
	}
	return openWords[last]
}

// openWords cannot end an order.
var openWords = map[string]bool{
	"the": true, "a": true, "an": true, "at": true, "to": true, "and": true, "or": true, "of": true, "with": true, "my": true, "his": true, "her": true,
	"i": true, "i'll": true, "will": true, "then": true, "if": true, "when": true, "whenever": true, "while": true, "otherwise": true, "but": true, "for": true, "by": true, "near": true, "within": true, "into": true, "behind": true, "from": true, "on": true, "in": true, "unless": true, "until": true, "not": true, "don't": true,
}

// bullet takes the mark of a list item off a line: "- ", "* ", "1.", "2)",
// "(3)", "a)". It gives the rest and the number of characters taken, 0 if the
// line is no item.
func bullet(s string) (string, int) {
	rest := strings.TrimLeft(s, " ")
	lead := len([]rune(s)) - len([]rune(rest))
	for _, m := range []string{"- ", "* ", "• ", "+ ", "-> ", "– ", "· "} {
		if body, ok := strings.CutPrefix(rest, m); ok {
			return body, lead + len([]rune(m))
		}
	}
	if body, ok := strings.CutPrefix(rest, "-"); ok && body != "" && unicode.IsLetter([]rune(body)[0]) {
		return body, lead + 1
	}
	open := strings.HasPrefix(rest, "(")
	i := 0
	if open {
		i = 1
	}
	j := i
	for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
		j++
	}
	if j == i && j < len(rest) && rest[j] >= 'a' && rest[j] <= 'f' {
		j++
	}
	if j == i || j-i > 2 || j >= len(rest) {
		return s, 0
	}
	digits := rest[i] <= '9'
	switch {
	case rest[j] == ')' && (open || digits || j-i == 1), rest[j] == '.' && !open && digits && (j+1 == len(rest) || rest[j+1] == ' '):
		return rest[j+1:], lead + j + 1
	}
	return s, 0
}

// lexLine cuts one line; from is the number of characters before it.
func lexLine(toks []token, s string, line, from int) []token {
	r := []rune(s)
	at := func(i, j int) game.Span { return game.Span{Line: line, Col: from + i + 1, Len: j - i} }
	for i := 0; i < len(r); {
		c := r[i]
		switch {
		case c == ' ', c == '-' && i > 0 && i+1 < len(r) && unicode.IsLetter(r[i-1]) && unicode.IsLetter(r[i+1]):
			i++ // a hyphen within a word parts it
		case c == '-' && i > 0 && r[i-1] == ' ' && i+1 < len(r) && r[i+1] >= '0' && r[i+1] <= '9':
			j := i + 1
			for j < len(r) && r[j] >= '0' && r[j] <= '9' {
				j++
			}
			toks = append(toks, token{kind: word, text: string(r[i:j]), raw: string(r[i:j]), at: at(i, j)}) // a number below zero is none
			i = j
		case unicode.IsDigit(c) && c < 0x80:
			j, tenths := i, 0
			for j < len(r) && r[j] >= '0' && r[j] <= '9' {
				if tenths < 1_000_000 {
					tenths = tenths*10 + int(r[j]-'0')*10
				}
				j++
			}
			if j+1 < len(r) && (r[j] == '.' || r[j] == ',') && r[j+1] >= '0' && r[j+1] <= '9' && !(j+2 < len(r) && r[j+2] >= '0' && r[j+2] <= '9') {
				tenths += int(r[j+1] - '0')
				j += 2
			}
			toks = append(toks, token{kind: number, text: string(r[i:j]), raw: string(r[i:j]), tenths: tenths, at: at(i, j)})
			i = j
		case unicode.IsLetter(c):
			j := i
			for j < len(r) && (unicode.IsLetter(r[j]) || unicode.IsMark(r[j]) || unicode.IsDigit(r[j]) || r[j] == '_' ||
				r[j] == '\'' && j+1 < len(r) && unicode.IsLetter(r[j+1])) {
				j++
			}
			if j == i+1 && (c == 'w' || c == 'W') && j < len(r) && r[j] == '/' {
				toks = append(toks, token{kind: word, text: "with", raw: string(r[i : j+1]), at: at(i, j+1)})
				i = j + 1
				continue
			}
			toks = lexWord(toks, string(r[i:j]), at(i, j))
			i = j
		default:
			j := i + 1
			if (c == '-' || c == '=' || c == '<' || c == '>') && j < len(r) && (r[j] == '>' || r[j] == '=') {
				j++
			}
			text := string(r[i:j])
			if text == "=>" {
				text = "->"
			}
			toks = append(toks, token{kind: mark, text: text, raw: string(r[i:j]), at: at(i, j)})
			i = j
		}
	}
	return toks
}

// lexWord adds a word, cut where it is a contraction. The first part keeps the
// whole width, so that a caret covers what was typed.
func lexWord(toks []token, raw string, at game.Span) []token {
	w := strings.ToLower(raw)
	one := func(text, raw string) { toks = append(toks, token{kind: word, text: text, raw: raw, at: at}) }
	if two, ok := runTogether[w]; ok {
		one(two[0], raw)
		one(two[1], "")
		return toks
	}
	switch w {
	case "won't":
		one("will", raw)
		one("not", "")
		return toks
	case "can't":
		one("can", raw)
		one("not", "")
		return toks
	}
	for _, c := range contractions {
		if first, ok := strings.CutSuffix(w, c.end); ok && first != "" && !strings.Contains(first, "'") {
			one(first+c.first, raw)
			one(c.second, "")
			return toks
		}
	}
	if c := w[0]; c == 'x' && len(w) > 1 && strings.Trim(w[1:], "0123456789") == "" && len(w) < 5 {
		n := 0
		for _, d := range w[1:] {
			n = n*10 + int(d-'0')
		}
		one("x", raw)
		toks = append(toks, token{kind: number, text: w[1:], tenths: n * 10, at: at})
		return toks
	}
	one(w, raw)
	return toks
}

// pairQuotes makes one token of each quotation. A quotation that is not closed
// runs to the end of its paragraph.
func pairQuotes(toks []token) []token {
	out := make([]token, 0, len(toks))
	for i := 0; i < len(toks); i++ {
		q := toks[i]
		opens := q.is(`"`) || q.is("'") && opensQuote(toks, i)
		if q.kind != mark || !opens {
			out = append(out, q)
			continue
		}
		j := i + 1
		for j < len(toks) && toks[j].kind != stop && !(toks[j].kind == mark && toks[j].text == q.text && (q.text == `"` || closesQuote(toks, j))) {
			j++
		}
		closed := j < len(toks) && toks[j].kind == mark
		if !closed && q.text == "'" {
			continue
		}
		s := token{kind: speech, raw: rawText(toks[i+1 : j]), at: q.at}
		if closed {
			s.text = "closed"
		}
		out = append(out, s)
		if closed {
			// A stop inside the quotation ends the sentence that it ends.
			last := toks[j-1]
			i = j
			if last.kind == mark && (last.is(".") || last.is("!") || last.is("?")) && endsSentence(toks, j+1) {
				out = append(out, token{kind: mark, text: ".", at: last.at})
			}
			continue
		}
		i = j - 1
	}
	return out
}

// endsSentence reports that what follows a quotation begins a new sentence.
func endsSentence(toks []token, i int) bool {
	if i >= len(toks) || toks[i].kind == stop {
		return true
	}
	first := toks[i].raw
	return toks[i].kind == word && first != "" && unicode.IsUpper([]rune(first)[0]) && !toks[i].is("i")
}

// opensQuote reports that an apostrophe by itself opens a quotation: something
// other than a word, or a space, is before it and a word follows at once.
func opensQuote(toks []token, i int) bool {
	if i+1 >= len(toks) || toks[i+1].kind != word || !adjacent(toks[i], toks[i+1]) {
		return false
	}
	return i == 0 || !adjacent(toks[i-1], toks[i])
}

func closesQuote(toks []token, i int) bool {
	return adjacent(toks[i-1], toks[i]) && (i+1 == len(toks) || !adjacent(toks[i], toks[i+1]) || toks[i+1].kind == mark)
}

func adjacent(a, b token) bool {
	return a.at.Line == b.at.Line && a.at.Col+a.at.Len == b.at.Col
}

// rawText is the text of tokens as typed, with single blanks.
func rawText(toks []token) string {
	var b strings.Builder
	last := token{kind: stop}
	for _, t := range toks {
		s := t.raw
		if t.kind == speech {
			s = `"` + s + `"`
		}
		if s == "" {
			continue
		}
		if b.Len() > 0 && !adjacent(last, t) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		last = t
	}
	return b.String()
}

// plainWords are the words of a phrase as the reader sees them in a text;
// possessives become "my".
func plainWords(s string) []string {
	if isPlain(s) {
		return []string{possessive(s)}
	}
	var words []string
	for _, t := range lexLine(nil, Normalize(s), 1, 0) {
		if t.kind == mark && t.text == "-" {
			continue
		}
		words = append(words, possessive(t.text))
	}
	return words
}

// isPlain reports one word of small letters, not among those that are cut in two.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	_, two := runTogether[s]
	return s != "" && !two
}

// possessive makes "my" of his, her, its, their, your, our and own.
func possessive(w string) string {
	switch w {
	case "his", "her", "its", "their", "your", "our", "own":
		return "my"
	case "himself", "herself", "itself", "yourself", "themselves", "themself", "oneself":
		return "myself"
	}
	return w
}
