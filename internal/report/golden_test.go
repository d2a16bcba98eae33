package report

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/net/html"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/templates"
)

var update = flag.Bool("update", false, "write the golden mails anew")

// written gives every mail of the fixtures by the name of its golden file.
func written(t *testing.T) map[string]Mail {
	t.Helper()
	out := map[string]Mail{}
	put := func(name string, m Mail, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = m
	}
	for name, in := range map[string]OpeningIn{"opening": opening(t), "opening-gm": gmOpening(t), "opening-hostile": hostileOpening(t)} {
		m, err := Opening(in)
		put(name, m, err)
	}
	check := receipt(t)
	check.Check = true
	clean := ReceiptIn{Head: head(t), Deadline: at(t, 29, 19, 0), Gathered: 6,
		Characters: []ReceiptCharacter{{Name: "Bobo", Understood: []string{"crouch"}}, {Name: "Mira", Understood: []string{"hold"}}}}
	nothing := ReceiptIn{Head: head(t), Problems: []game.Problem{{Severity: game.Wrong, Kind: "unparsed", Text: "This is no order.", Source: "wibble", At: game.Span{Line: 1, Col: 1, Len: 6}}}}
	thanks := ReceiptIn{Head: head(t), Deadline: at(t, 29, 19, 0), Notes: []string{"You are ready."}}
	gathered := receipt(t)
	gathered.Gathered = 3
	gathered.Earlier = []EarlierLetter{{Received: at(t, 27, 16, 0), Notes: []string{"READY (line 2) was not taken."}, Problems: gathered.Characters[0].Problems[:1]}}
	overtaken := ReceiptIn{Head: head(t), Deadline: at(t, 29, 19, 0), Received: at(t, 27, 16, 0), Characters: []ReceiptCharacter{
		{Name: "Bobo", Understood: []string{"crouch"}, Newer: at(t, 27, 17, 0), Stands: []string{"fire 1 shot at Zog"}}, {Name: "Mira", Understood: []string{"hold"}}}}
	for name, in := range map[string]ReceiptIn{"receipt-overtaken": overtaken, "receipt": receipt(t), "receipt-check": check, "receipt-clean": clean, "receipt-gathered": gathered,
		"receipt-none": thanks, "receipt-nothing": nothing, "receipt-hostile": hostileReceipt(t)} {
		m, err := Receipt(in)
		put(name, m, err)
	}
	for name, in := range map[string]PacketIn{"packet": packet(t), "packet-unusual": unusualPacket(t), "packet-pause": pausePacket(t)} {
		m, err := Packet(in)
		put(name, m, err)
	}
	last := turnReport(t)
	last.Next, last.Done, last.Lines, last.Course = nil, "Zog has surrendered.", nil, nil
	last.Map = playersMap()
	next := gmOpening(t)
	next.Head.Turn = 4
	whole := TurnReportIn{Head: gmOpening(t).Head, Lines: Project(events(), []game.ID{game.GM}), Names: names(), Next: &next, Course: mastersCourse()}
	part := opening(t)
	part.Head.Phase = 1
	part.Characters[1].Default, part.Characters[1].Examples = nil, nil
	pause := TurnReportIn{Head: head(t), Narrative: []string{"Bobo: Zog steps out of the dark."}, Next: &part}
	for name, in := range map[string]TurnReportIn{"report": turnReport(t), "report-last": last, "report-gm": whole, "report-pause": pause} {
		m, err := TurnReport(in)
		put(name, m, err)
	}
	for name, m := range segmentMails(t) {
		out[name] = m
	}
	for kind, data := range answers(t) {
		m, err := Answer(kind, head(t), data)
		put("answer-"+kind, m, err)
	}
	m, err := Answer("erratum", head(t), Erratum{Turn: 2, Lines: []string{"Zog was hit by Mira's shot."}, To: []string{"Alice", "Ben"}})
	put("answer-erratum-gm", m, err)
	m, err = Answer("help", Head{}, Help{GM: true, Rulings: rulingFields()})
	put("answer-help-gm", m, err)
	m, err = Answer("guide", head(t), gmGuide())
	put("answer-guide-gm", m, err)
	m, err = Answer("hello", Head{Game: "Dusk", Reader: "Gus"}, Hello{Proof: "token"})
	put("answer-hello-token", m, err)
	m, err = Answer("greeted", head(t), Greeted{Why: "nothing", Token: true})
	put("answer-greeted-unverified", m, err)
	m, err = Answer("which", head(t), Which{Characters: []string{"Bobo", "Mira"}})
	put("answer-which-character", m, err)
	m, err = Answer("reopened", head(t), Reopened{Deadline: at(t, 29, 19, 0), GM: true})
	put("answer-reopened-gm", m, err)
	return out
}

func TestMailsAreAsTheGoldenFilesSay(t *testing.T) {
	t.Parallel()
	for name, m := range written(t) {
		path := filepath.Join("testdata", name+".txtar")
		got := &txtar.Archive{Files: []txtar.File{
			{Name: "subject", Data: []byte(m.Subject + "\n")},
			{Name: "text", Data: []byte(m.Text)},
			{Name: "html", Data: []byte(m.HTML)},
		}}
		if *update {
			if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if d := cmp.Diff(string(want), string(txtar.Format(got))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestSameInputGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff(written(t), written(t)); d != "" {
		t.Error(d)
	}
}

func TestEveryTemplateIsWritten(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(templates.Files, "answer-*.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := answers(t)
	for _, n := range names {
		if _, ok := kinds[strings.TrimSuffix(strings.TrimPrefix(n, "answer-"), ".txt")]; !ok {
			t.Errorf("no test writes %s", n)
		}
	}
	if len(names) != len(kinds) {
		t.Errorf("%d templates for %d kinds", len(names), len(kinds))
	}
}

func TestTextHasAMarkerLineAndSeventyTwoColumns(t *testing.T) {
	t.Parallel()
	for name, m := range written(t) {
		if !strings.HasPrefix(m.Text, game.Marker) {
			t.Errorf("%s begins %q", name, m.Text[:20])
		}
		form := false
		for i, line := range strings.Split(m.Text, "\n") {
			// An order of the form is one line, so that it comes back as one.
			form = form && line != "END ORDERS" || strings.HasPrefix(line, "BEGIN ORDERS")
			if i > 0 && !form && textWidth(line) > columns {
				t.Errorf("%s, line %d has %d columns: %s", name, i+1, textWidth(line), line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s, line %d ends in blanks: %q", name, i+1, line)
			}
			if strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("%s, line %d holds a control: %q", name, i+1, line)
			}
		}
		if strings.ContainsFunc(m.Subject, unicode.IsControl) || len([]rune(m.Subject)) > 160 {
			t.Errorf("%s: Subject %q", name, m.Subject)
		}
	}
}

// allowed are the elements that the layout may use.
var allowed = strings.Fields("html head meta title style body div p h1 h2 strong code table tbody tr td ul li pre span hr img")

// outside is what a style sheet would fetch something with.
var outside = regexp.MustCompile(`(?i)url\(|@import|@font-face|image-set|src\(|//|expression\(`)

func TestHTMLFetchesNothingAndRunsNothing(t *testing.T) {
	t.Parallel()
	in := opening(t)
	in.Map = &Picture{CID: "map.dusk", Alt: "The hold <seen> from above", Width: 640, PNG: []byte("x")}
	with, err := Opening(in)
	if err != nil {
		t.Fatal(err)
	}
	all := written(t)
	all["picture"] = with
	for name, m := range all {
		for n := range nodes(t, m.HTML) {
			if n.Type == html.TextNode && n.Parent.Data == "style" && outside.MatchString(n.Data) {
				t.Errorf("%s: the style sheet fetches %q", name, outside.FindString(n.Data))
			}
			if n.Type != html.ElementNode {
				continue
			}
			if !slices.Contains(allowed, n.Data) {
				t.Errorf("%s: element <%s>", name, n.Data)
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "src" && strings.HasPrefix(a.Val, "cid:"):
				case a.Key == "src", a.Key == "href", a.Key == "background", strings.HasPrefix(a.Key, "on"),
					strings.Contains(a.Val, "url("), strings.Contains(a.Val, "//"), strings.Contains(a.Val, "ZgotmplZ"):
					t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
			}
		}
	}
	if !strings.Contains(with.HTML, `src="cid:map.dusk" width="640" alt="The hold &lt;seen&gt; from above"`) {
		t.Error("the picture is not shown")
	}
	if len(with.Pictures) != 1 {
		t.Error("the picture is not part of the mail")
	}
}

// With pictures off their alternative texts stand in their place: all that is
// drawn and said of a picture in plain text is in the HTML then, too.
func TestAMailIsCompleteWithItsPicturesOff(t *testing.T) {
	t.Parallel()
	drawn := 0
	for name, m := range written(t) {
		var text strings.Builder
		alts := map[string]string{}
		for n := range nodes(t, m.HTML) {
			switch {
			case n.Type == html.TextNode && n.Parent.Data != "style":
				text.WriteString(n.Data + " ")
			case n.Type == html.ElementNode && n.Data == "img":
				at := map[string]string{}
				for _, a := range n.Attr {
					at[a.Key] = a.Val
				}
				alts[strings.TrimPrefix(at["src"], "cid:")] = at["alt"]
			}
		}
		for _, p := range m.Pictures {
			drawn++
			alt, ok := alts[p.CID]
			if !ok || alt != p.Alt || len(strings.Fields(alt)) < 4 {
				t.Errorf("%s: %s is shown: %v, as %q", name, p.CID, ok, alt)
			}
			delete(alts, p.CID)
			read := fieldSet(strings.ToLower(text.String() + " " + alt))
			for w := range fieldSet(strings.ToLower(strings.Join(p.Text, " "))) {
				if strings.ContainsFunc(w, unicode.IsLetter) && len(w) > 2 && !read[w] && !read[w+"s"] {
					t.Errorf("%s: with pictures off nobody reads %q of %s", name, w, p.CID)
				}
			}
			for _, line := range p.Text {
				if !strings.Contains(m.Text, strings.TrimRight(line, " ")) {
					t.Errorf("%s: the plain text lacks %q of %s", name, line, p.CID)
				}
			}
		}
		if len(alts) > 0 {
			t.Errorf("%s shows pictures that it does not bring along: %v", name, alts)
		}
	}
	if drawn < 5 {
		t.Errorf("only %d pictures were looked at", drawn)
	}
}

func nodes(t *testing.T, src string) func(func(*html.Node) bool) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Descendants()
}

func TestTextAndHTMLSayTheSame(t *testing.T) {
	t.Parallel()
	for name, m := range written(t) {
		var b strings.Builder
		for n := range nodes(t, m.HTML) {
			if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "title" {
				b.WriteString(n.Data + " ")
			}
		}
		// A picture has lines in the text where the HTML has a caption.
		text, twin := letters(m.Text), letters(b.String())
		for _, p := range m.Pictures {
			for l, n := range letters(strings.Join(p.Text, " ")) {
				twin[l] += n
			}
			for l, n := range letters(p.Caption) {
				text[l] += n
			}
		}
		if d := cmp.Diff(text, twin); d != "" {
			t.Errorf("%s: characters of the text and of the HTML (-text +html):\n%s", name, d)
		}
	}
}

// letters counts letters and digits: words may be cut at the end of a line.
func letters(s string) map[string]int {
	n := map[string]int{}
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n[string(r)]++
		}
	}
	return n
}

func TestEveryWordOfTheTextIsInTheHTML(t *testing.T) {
	t.Parallel()
	for name, m := range written(t) {
		if strings.Contains(name, "hostile") {
			continue // long words are cut in the text
		}
		var twin strings.Builder
		for n := range nodes(t, m.HTML) {
			if n.Type == html.TextNode {
				twin.WriteString(n.Data)
			}
		}
		for _, p := range m.Pictures {
			twin.WriteString(strings.Join(p.Text, "\n"))
		}
		for _, w := range slices.Sorted(maps.Keys(fieldSet(m.Text))) {
			if strings.ContainsFunc(w, unicode.IsLetter) && !strings.Contains(twin.String(), w) {
				t.Errorf("%s: %q is not in the HTML", name, w)
			}
		}
	}
}

func fieldSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[strings.Trim(w, ".,;:()?!")] = true
	}
	return out
}
