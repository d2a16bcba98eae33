package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/templates"
)

// notForPlayers are the templates and the kinds (store.NewMail.Kind) of mails
// that go to nobody who plays a character, and to whom they go.
var notForPlayers = map[string]string{
	"packet":             "the GM",
	"opening-gm":         "the GM",
	"answer-approved":    "the GM",
	"answer-confirm":     "the GM, and a player about his own LOCK: it shows nothing but his own words",
	"answer-fence":       "the GM",
	"answer-greeted":     "the GM",
	"answer-hello":       "the GM",
	"answer-nudge":       "the GM",
	"answer-operator":    "the operator",
	"answer-rulings":     "the GM",
	"answer-stale":       "the GM",
	"answer-stranger":    "somebody who plays in no game",
	"answer-stuck":       "the GM",
	"answer-unfetched":   "the GM",
	"answer-unreachable": "the GM",

	"kind packet":  "the GM",
	"kind confirm": "the GM, and a player about his own LOCK",
	"kind hello":   "the GM",
	"kind fence":   "the GM",
	"kind refused": "the GM and the operator",
	"kind bounced": "the GM and the operator",
	"kind greet":   "somebody who plays in no game",
	"kind alarm":   "the operator",
	"kind outage":  "the operator",
	"kind capped":  "the operator",
	"kind stopped": "the operator",
}

// kindsOfMail lists all templates of whole mails, and all kinds in which the
// daemon stores them, from the templates and the constants of this package.
func kindsOfMail(t testing.TB) []string {
	t.Helper()
	files, err := fs.Glob(templates.Files, "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if !strings.HasPrefix(f, "part-") {
			out = append(out, strings.TrimSuffix(f, ".txt"))
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, id := range spec.Names {
				if !strings.HasPrefix(id.Name, "kind") || i >= len(spec.Values) {
					continue
				}
				if value, ok := spec.Values[i].(*ast.BasicLit); ok {
					word, err := strconv.Unquote(value.Value)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, "kind "+word)
				}
			}
			return true
		})
	}
	slices.Sort(out)
	return out
}

// action is what a template prints or decides.
var action = regexp.MustCompile(`{{[^}]*}}`)

// templateOf names the template of one of our mails: by its kind where that has
// one of its own, else by what its first line says.
func templateOf(t testing.TB, m store.Mail) string {
	t.Helper()
	marker, _, _ := strings.Cut(m.Text, "\n")
	switch m.Kind {
	case kindOpening:
		if strings.Contains(marker, "for the GM") {
			return "opening-gm"
		}
		return "opening"
	case kindReceipt, kindPacket:
		return m.Kind
	case kindReport, kindBrief, kindAgain:
		return "report"
	}
	for _, name := range kindsOfMail(t) {
		b, err := templates.Files.ReadFile(name + ".txt")
		if err != nil || name == "report" || name == "receipt" {
			continue
		}
		_, what, _ := strings.Cut(string(b), "\nwhat: ")
		what, _, _ = strings.Cut(what, "\n")
		says := `: ` + strings.Join(quoted(action.Split(what, -1)), `.+`) + ` ==$`
		if regexp.MustCompile(says).MatchString(marker) {
			return name
		}
	}
	if strings.Contains(marker, "CHECK, not submitted") || strings.HasSuffix(marker, ": your letter ==") {
		return "receipt"
	}
	t.Fatalf("no template writes %q", marker)
	return ""
}

func quoted(parts []string) []string {
	var out []string
	for _, p := range parts {
		out = append(out, regexp.QuoteMeta(p))
	}
	return out
}

// asStored is what the store knows of a mail that somebody got.
func (b *bench) asStored(m mailIn) store.Mail {
	b.t.Helper()
	out, err := b.st.MailByMessageID(b.t.Context(), m.messageID)
	if err != nil {
		b.t.Fatalf("%s: %v", m.subject, err)
	}
	return out
}
