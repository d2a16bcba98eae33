package report

import (
	"fmt"
	html "html/template"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/pbemd/pbemd/templates"
)

// frame is the dot of every mail template.
type frame struct {
	Head Head
	In   any
}

// mails holds all text templates, changed so that every value is escaped. A
// template that does not parse stops the program at once, and every test.
var mails = func() *template.Template {
	t := template.Must(template.New("mails").Funcs(functions).ParseFS(templates.Files, "*.txt"))
	for _, one := range t.Templates() {
		if one.Tree != nil {
			escapeAll(one.Root)
		}
	}
	return t
}()

// layout is the HTML of all mails.
var layout = html.Must(html.ParseFS(templates.Files, "layout.html"))

// escapeAll ends each pipeline that prints with the function esc, as
// html/template does: forgetting it in a template is impossible.
func escapeAll(n parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, c := range n.Nodes {
			escapeAll(c)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
				NodeType: parse.NodeCommand,
				Args:     []parse.Node{parse.NewIdentifier("esc").SetPos(n.Pos)},
			})
		}
	case *parse.IfNode:
		escapeAll(n.List)
		escapeAll(n.ElseList)
	case *parse.RangeNode:
		escapeAll(n.List)
		escapeAll(n.ElseList)
	case *parse.WithNode:
		escapeAll(n.List)
		escapeAll(n.ElseList)
	}
}

// printed is what a template prints for a value. Numbers stay bare, so that
// "{{.N}}. " begins a numbered item.
func printed(v any) string {
	switch v := v.(type) {
	case markup:
		return string(v)
	case nil:
		return ""
	}
	if r := reflect.ValueOf(v); r.CanInt() || r.CanUint() {
		return fmt.Sprint(v)
	}
	return escape(fmt.Sprint(v))
}

// compose makes a mail of a template. The template begins with the lines
// "subject: …" (without the tag) and "what: …" (for the marker line).
func compose(name string, h Head, in any, pictures []Picture) (Mail, error) {
	return composeTagged(h.Tag(), name, h, in, pictures)
}

// composeTagged is compose for a mail whose answer belongs to another turn.
func composeTagged(tag, name string, h Head, in any, pictures []Picture) (Mail, error) {
	var b strings.Builder
	if err := mails.ExecuteTemplate(&b, name, frame{h, in}); err != nil {
		return Mail{}, fmt.Errorf("writing a mail: %w", err)
	}
	b.WriteString("\n")
	if err := mails.ExecuteTemplate(&b, "part-foot.txt", frame{h, in}); err != nil {
		return Mail{}, fmt.Errorf("writing the foot of a mail: %w", err)
	}
	top, body, _ := strings.Cut(strings.TrimLeft(b.String(), "\n"), "\n\n")
	var subject, what string
	for line := range strings.Lines(top) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch value = plain(inline(value)); key {
		case "subject":
			subject = value
		case "what":
			what = value
		}
	}
	if subject == "" || what == "" {
		return Mail{}, fmt.Errorf("writing a mail: template %s has no line %q or %q", name, "subject:", "what:")
	}
	m := Mail{Subject: tag + " " + clip(subject, 120), Pictures: pictures}
	marker := h.MarkerLine(what)
	doc := parseMarkup(body)
	for i := range doc {
		if p := pictureOf(pictures, doc[i].CID); p != nil && doc[i].Kind == picture {
			doc[i].Lines = p.Text
		}
	}
	m.Text = writeText(marker, doc)
	var err error
	m.HTML, err = writeHTML(m.Subject, marker, doc, pictures)
	return m, err
}

// clip shortens a line to at most n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// page is the dot of the HTML layout.
type page struct {
	Subject, Marker string
	Blocks          []block
	pictures        []Picture
}

// Picture finds a picture by its Content-ID; nil when the mail has none.
func (p page) Picture(cid string) *Picture { return pictureOf(p.pictures, cid) }

func pictureOf(pictures []Picture, cid string) *Picture {
	for i := range pictures {
		if pictures[i].CID == cid {
			return &pictures[i]
		}
	}
	return nil
}

// shown is the list of one picture, or of none.
func shown(p *Picture) []Picture {
	if p == nil {
		return nil
	}
	return []Picture{*p}
}

func writeHTML(subject, marker string, doc []block, pictures []Picture) (string, error) {
	var b strings.Builder
	if err := layout.ExecuteTemplate(&b, "layout.html", page{subject, marker, doc, pictures}); err != nil {
		return "", fmt.Errorf("writing a mail as HTML: %w", err)
	}
	return b.String(), nil
}
