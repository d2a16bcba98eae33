package mail

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxHTML is how much of an HTML part is read, in bytes.
const maxHTML = 1 << 20

// htmlLines turns an HTML part into lines as its reader sees them. What a mail
// program marks as quoted comes out on lines that begin with "> ".
func htmlLines(source string) string {
	if len(source) > maxHTML {
		source = source[:maxHTML]
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return htmlWords(source)
	}
	w := htmlWriter{}
	w.node(root, look{})
	w.breakLine()
	return w.out.String()
}

// htmlWords is the text of HTML that is nested too deeply to be understood. All
// of it counts as quoted, since nobody can tell what is not.
func htmlWords(source string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			for line := range strings.Lines(string(z.Text())) {
				if line = strings.TrimSpace(line); line != "" {
					out.WriteString("> " + line + "\n")
				}
			}
		}
	}
}

// htmlWriter writes text as a browser would lay it out.
type htmlWriter struct {
	out     strings.Builder
	line    strings.Builder
	quoted  bool // of the line being written
	space   bool // a blank is due before the next word
	blank   bool // the last line written is blank
	below   bool // everything from here on is quoted
	citeTag bool // the next blockquote is quoted
}

// look is what an element hands down to those within it.
type look struct {
	quoted bool
	pre    bool // line breaks and blanks count as they stand
	unseen bool // letters without a size
}

func (w *htmlWriter) node(n *html.Node, l look) {
	switch n.Type {
	case html.TextNode:
		if !l.unseen {
			w.text(n.Data, l.quoted || w.below, l.pre)
		}
		return
	case html.ElementNode:
		if isHidden(n) {
			return
		}
		w.below = w.below || startsOriginal(n)
		l.quoted = l.quoted || isQuote(n)
		if w.citeTag && n.DataAtom == atom.Blockquote {
			l.quoted, w.citeTag = true, false
		}
		if hasClass(n, "moz-cite-prefix") {
			w.citeTag = true
		}
		l.style(n)
	}
	if n.DataAtom == atom.Br {
		w.endLine(l.quoted || w.below)
		return
	}
	block := isBlock(n)
	if block {
		w.breakLine()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, l)
	}
	switch {
	case n.DataAtom == atom.P:
		w.breakLine()
		w.blankLine(l.quoted || w.below)
	case block:
		w.breakLine()
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		w.space = true
	}
}

// style takes over what an element says of the text within it.
func (l *look) style(n *html.Node) {
	l.pre = l.pre || n.DataAtom == atom.Pre
	switch declared(n, "white-space") {
	case "pre", "pre-wrap", "pre-line", "break-spaces":
		l.pre = true
	case "normal", "nowrap":
		l.pre = false
	}
	if size := declared(n, "font-size"); size != "" {
		l.unseen = isNothing(size)
	}
}

func (w *htmlWriter) text(s string, quoted, pre bool) {
	if w.line.Len() > 0 && w.quoted != quoted {
		w.breakLine()
	}
	if pre {
		for i, part := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
			if i > 0 {
				w.endLine(quoted)
			}
			w.add(strings.ReplaceAll(part, "\u00a0", " "), quoted)
		}
		return
	}
	s = strings.ReplaceAll(s, "\u00a0", " ")
	fields := strings.Fields(s)
	if s != "" && strings.ContainsAny(s[:1], " \t\r\n") {
		w.space = true
	}
	for i, f := range fields {
		if (i > 0 || w.space) && w.line.Len() > 0 {
			f = " " + f
		}
		w.space = false
		w.add(f, quoted)
	}
	if len(fields) > 0 && strings.ContainsAny(s[len(s)-1:], " \t\r\n") {
		w.space = true
	}
}

func (w *htmlWriter) add(s string, quoted bool) {
	if s != "" {
		w.quoted = quoted
		w.line.WriteString(s)
	}
}

// breakLine ends the line if anything stands on it.
func (w *htmlWriter) breakLine() {
	if w.line.Len() > 0 {
		w.endLine(w.quoted)
	}
	w.space = false
}

// endLine ends the line, blank or not.
func (w *htmlWriter) endLine(quoted bool) {
	line := strings.TrimRight(w.line.String(), " \t")
	if quoted {
		w.out.WriteString("> ")
	}
	w.out.WriteString(line)
	w.out.WriteByte('\n')
	w.line.Reset()
	w.space, w.blank = false, line == ""
}

// blankLine sets a paragraph off, once.
func (w *htmlWriter) blankLine(quoted bool) {
	if w.out.Len() > 0 && !w.blank {
		w.endLine(quoted)
	}
}

var blocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.Pre: true, atom.Hr: true, atom.Blockquote: true, atom.H1: true, atom.H2: true, atom.H3: true,
	atom.H4: true, atom.H5: true, atom.H6: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Section: true,
	atom.Article: true, atom.Header: true, atom.Footer: true, atom.Center: true, atom.Address: true, atom.Fieldset: true,
	atom.Body: true,
}

func isBlock(n *html.Node) bool { return n.Type == html.ElementNode && blocks[n.DataAtom] }

// isQuote knows the marks that mail programs set around the letter answered to.
func isQuote(n *html.Node) bool {
	switch {
	case n.DataAtom == atom.Blockquote && strings.EqualFold(attribute(n, "type"), "cite"):
		return true
	case attribute(n, "data-marker") == "__QUOTED_TEXT__": // Zimbra
		return true
	case attribute(n, "name") == "messageReplySection": // Spark
		return true
	case attribute(n, "name") == "quote" && n.DataAtom == atom.Div: // GMX, web.de
		return true
	case n.DataAtom == atom.Blockquote && hasBar(n): // Mail.ru and others
		return true
	}
	id := attribute(n, "id")
	switch id {
	case "OLK_SRC_BODY_SECTION", "mail-editor-reference-message-container": // Outlook
		return true
	case "reply-intro", "blockquote_zmail": // Roundcube, Zoho
		return true
	}
	if strings.HasPrefix(id, "yahoo_quoted_") {
		return true
	}
	for class := range strings.FieldsSeq(attribute(n, "class")) {
		switch class {
		case "gmail_quote", "gmail_quote_container", "gmail_attr", "protonmail_quote", "moz-cite-prefix", "tutanota_quote", "zmail_extra", "proton-mail-quote":
			return true
		}
		// Yahoo and AOL set letters of their own before it.
		if strings.HasSuffix(class, "yahoo_quoted") {
			return true
		}
	}
	return false
}

// hasBar reports an element whose style draws the bar at the left by which programs show a
// quotation; a paragraph that was only moved to the right has none.
func hasBar(n *html.Node) bool {
	for _, name := range []string{"border-left", "border-inline-start"} {
		if value := declared(n, name); value != "" {
			return !strings.HasPrefix(value, "none") && !strings.HasPrefix(value, "0")
		}
	}
	return false
}

// declared is the value that an element's own style gives to a property, in lower
// case; empty: none.
func declared(n *html.Node, property string) (value string) {
	style := attribute(n, "style")
	if style == "" {
		return ""
	}
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, v, _ := strings.Cut(declaration, ":")
		if strings.TrimSpace(name) == property {
			v, _, _ = strings.Cut(v, "!") // !important
			value = strings.TrimSpace(v)
		}
	}
	return value
}

// isNothing reports a size of zero, in whatever unit.
func isNothing(size string) bool {
	number := strings.TrimRight(size, "abcdefghijklmnopqrstuvwxyz%")
	return number != "" && strings.Trim(number, "0.") == ""
}

// startsOriginal knows the marks with which Outlook begins the letter answered
// to; it does not mark the end.
func startsOriginal(n *html.Node) bool {
	id := attribute(n, "id")
	return id == "divRplyFwdMsg" || id == "appendonsend"
}

// isHidden reports whether a reader does not see the element: scripts, the head,
// and the preview text of newsletters.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Head, atom.Title, atom.Template, atom.Noscript, atom.Textarea, atom.Select, atom.Object, atom.Svg:
		return true
	}
	switch {
	case declared(n, "display") == "none", declared(n, "visibility") == "hidden", declared(n, "mso-hide") == "all", isNothing(declared(n, "opacity")):
		return true
	case isNothing(declared(n, "max-height")) && declared(n, "overflow") == "hidden":
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	for c := range strings.FieldsSeq(attribute(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}
