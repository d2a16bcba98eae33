package report

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMarkupBecomesBlocks(t *testing.T) {
	t.Parallel()
	src := "# Head\ntext **bold** and\n`code` \\*on\n\n- one\n  detail\n\n- two\n7. seven\n| a\\|b | c |\n| d |\n    pre  x\n\tflush\n---\n>! loud\n>! er\n@picture map\n  quiet"
	want := []block{
		{Kind: heading, Spans: []span{{"", "Head"}}},
		{Kind: paragraph, Spans: []span{{"", "text "}, {"strong", "bold"}, {"", " and "}, {"code", "code"}, {"", " *on"}}},
		{Kind: list, Items: []item{{Spans: []span{{"", "one"}}, Details: [][]span{{{"", "detail"}}}}, {Spans: []span{{"", "two"}}}}},
		{Kind: list, Ordered: true, Items: []item{{Marker: "7.", Spans: []span{{"", "seven"}}}}},
		{Kind: table, Rows: [][][]span{{{{"", "a|b"}}, {{"", "c"}}}, {{{"", "d"}}}}},
		{Kind: pre, Lines: []string{"pre  x"}},
		{Kind: flush, Lines: []string{"flush"}},
		{Kind: rule},
		{Kind: callout, Tone: "warning", Spans: []span{{"", "loud er"}}},
		{Kind: picture, CID: "map"},
		{Kind: detail, Spans: []span{{"", "quiet"}}},
	}
	if d := cmp.Diff(want, parseMarkup(src)); d != "" {
		t.Error(d)
	}
}

func TestMarksWithoutPartnerStandForThemselves(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a ** b", "`", "**", "a ` b", `\`, "2*3**4"} {
		if got := plain(inline(s)); got != s {
			t.Errorf("inline(%q) reads %q", s, got)
		}
	}
}

// words of which hostile lines are made.
var pieces = []string{"#", "##", "-", "---", "|", "||", "\\", "`", "**", "*", ">", ">!", "1.", "12. ", "@picture x", " ", "  ", "    ",
	"\t", "\n", "\r\n", "== pbemd", "word", "日本", "e\u0301", "\u202e", "\x00", "\xff", "<b>", strings.Repeat("x", 90)}

func scramble(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestEscapedTextMeansItselfWhereverItStands(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 4_000 {
		s := scramble(r)
		want := oneLine(s)
		if want == "" {
			continue
		}
		e := escape(s)
		for _, c := range []struct {
			src  string
			want []block
		}{
			{e, []block{{Kind: paragraph, Spans: []span{{"", want}}}}},
			{"# " + e, []block{{Kind: heading, Spans: []span{{"", want}}}}},
			{"> " + e, []block{{Kind: callout, Spans: []span{{"", want}}}}},
			{"  " + e, []block{{Kind: detail, Spans: []span{{"", want}}}}},
			{"- " + e, []block{{Kind: list, Items: []item{{Spans: []span{{"", want}}}}}}},
			{"3. " + e, []block{{Kind: list, Ordered: true, Items: []item{{Marker: "3.", Spans: []span{{"", want}}}}}}},
			{"| " + e + " | " + e + " |", []block{{Kind: table, Rows: [][][]span{{{{"", want}}, {{"", want}}}}}}},
			{"`" + e + "`", []block{{Kind: paragraph, Spans: []span{{"code", want}}}}},
			{"**" + e + "**", []block{{Kind: paragraph, Spans: []span{{"strong", want}}}}},
		} {
			if d := cmp.Diff(c.want, parseMarkup(c.src)); d != "" {
				t.Fatalf("%q is read from %q:\n%s", s, c.src, d)
			}
		}
	}
}

func TestTextWrapsAndLosesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 4_000 {
		s := scramble(r)
		width := 4 + r.IntN(90)
		lines := wrap(s, "- ", "  ", width)
		var got strings.Builder
		for i, l := range lines {
			if textWidth(l) > width {
				t.Fatalf("wrap(%q, %d) gives a line of %d columns: %q", s, width, textWidth(l), l)
			}
			if indent := []string{"- ", "  "}[min(i, 1)]; !strings.HasPrefix(l, indent) {
				t.Fatalf("wrap(%q, %d): line %d is %q", s, width, i, l)
			}
			got.WriteString(l[2:])
		}
		if want := strings.Join(strings.Fields(s), ""); strings.ReplaceAll(got.String(), " ", "") != want {
			t.Fatalf("wrap(%q) keeps %q", s, got.String())
		}
	}
}

func TestTableStaysWithinTheColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 1_000 {
		var rows []string
		for range 1 + r.IntN(3) {
			row := "|"
			for range r.IntN(9) {
				row += " " + escape(scramble(r)) + " |"
			}
			rows = append(rows, row)
		}
		for _, l := range strings.Split(writeText("", parseMarkup(strings.Join(rows, "\n"))), "\n") {
			if textWidth(l) > columns {
				t.Fatalf("%q gives %d columns: %q", rows, textWidth(l), l)
			}
		}
	}
}

func FuzzMarkup(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + "x\n" + p)
	}
	f.Add("- a\n  b\n\n  c\n| a | b |\n| c\n>+ d\n> e")
	f.Fuzz(func(t *testing.T, src string) {
		doc := parseMarkup(src)
		text := writeText("== pbemd ==", doc)
		if _, err := writeHTML("s", "== pbemd ==", doc, nil); err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(src) {
			return
		}
		verbatim := map[string]bool{}
		for _, b := range doc {
			for _, l := range b.Lines {
				verbatim[strings.TrimRight(l, " ")] = true
				verbatim[strings.TrimRight("    "+l, " ")] = true
			}
		}
		for _, l := range strings.Split(text, "\n") {
			if textWidth(l) > columns && !verbatim[l] {
				t.Fatalf("%d columns: %q", textWidth(l), l)
			}
		}
		if d := cmp.Diff(plainDoc(doc), plainDoc(parseMarkup(escapeDoc(doc)))); d != "" {
			t.Fatalf("a document does not survive being written again:\n%s", d)
		}
	})
}

// plainDoc and escapeDoc look at the paragraphs only.
func plainDoc(doc []block) []string {
	var out []string
	for _, b := range doc {
		if s := oneLine(plain(b.Spans)); b.Kind == paragraph && s != "" {
			out = append(out, s)
		}
	}
	return out
}

func escapeDoc(doc []block) string {
	var b strings.Builder
	for _, s := range plainDoc(doc) {
		b.WriteString(escape(s) + "\n\n")
	}
	return b.String()
}
