package parse

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPhrasings reads every text of testdata/orders.txt. A text begins with
// "> ", goes on over further such lines, and is followed by the plan as JSON,
// empty lists left out, questions as their kinds.
func TestPhrasings(t *testing.T) {
	t.Parallel()
	const file = "testdata/orders.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var text []string
	cases := 0
	for line := range strings.SplitSeq(strings.TrimRight(string(data), "\n"), "\n") {
		if l, ok := strings.CutPrefix(line, ">"); ok {
			text = append(text, strings.TrimPrefix(l, " "))
			out.WriteString(line + "\n")
			continue
		}
		if text == nil {
			out.WriteString(line + "\n")
			continue
		}
		cases++
		got := PlanJSON(t, read(t, strings.Join(text, "\n")).Plan)
		out.WriteString(got + "\n")
		if !*update && got != line {
			t.Errorf("%s\n got %s\nwant %s", strings.Join(text, "\n"), got, line)
		}
		text = nil
	}
	if cases < 80 {
		t.Errorf("%d cases, want at least 80", cases)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// PlanJSON is a plan in one line: empty lists left out, questions as their kinds.
func PlanJSON(t *testing.T, p game.Plan) string {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Steps     []json.RawMessage `json:"steps,omitempty"`
		Reactions []json.RawMessage `json:"reactions,omitempty"`
		Standing  []json.RawMessage `json:"standing,omitempty"`
		Say       []json.RawMessage `json:"say,omitempty"`
		Ask       []json.RawMessage `json:"ask,omitempty"`
		Questions []string          `json:"questions,omitempty"`
		Unparsed  []string          `json:"unparsed,omitempty"`
	}
	var q game.Plan
	if err := json.Unmarshal(b, &q); err != nil {
		t.Fatal(err)
	}
	q.Questions = nil
	if b, err = json.Marshal(q); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, x := range p.Questions {
		m.Questions = append(m.Questions, x.Kind)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func TestProblemShowsPlaceAndNearestWord(t *testing.T) {
	t.Parallel()
	r := read(t, "move to E4.\n  I flurble Zog with my lasre, then fire at the yzirain")
	var wrong []game.Problem
	for _, p := range r.Problems {
		if p.Severity == game.Wrong {
			wrong = append(wrong, p)
		}
		if p.Severity == game.Asked && p.Kind == "target_not_visible" {
			if got := caret(p); got != "the yzirain" {
				t.Errorf("target: caret under %q", got)
			}
			if len(p.Nearest) == 0 || p.Nearest[0] != "yazirian" {
				t.Errorf("target: nearest %q, want yazirian", p.Nearest)
			}
		}
	}
	if len(wrong) != 1 {
		t.Fatalf("problems %+v, want one that is wrong", r.Problems)
	}
	p := wrong[0]
	if p.At.Line != 2 || p.At.Col != 3 || caret(p) != "I flurble Zog with my lasre" || p.Source != "  I flurble Zog with my lasre, then fire at the yzirain" {
		t.Errorf("place %+v, caret under %q of %q", p.At, caret(p), p.Source)
	}
	if !strings.Contains(p.Understood, "Zog") {
		t.Errorf("understood %q", p.Understood)
	}
}

// caret is what a problem points at.
func caret(p game.Problem) string {
	r := []rune(p.Source)
	return string(r[p.At.Col-1 : p.At.Col-1+p.At.Len])
}

func TestQuestionHasChoicesAndDefault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, kind, fallback string
		choices              []string
		pending              bool
	}{
		{"fire at Zog", "shots", "one shot is fired", []string{"1", "2"}, false},
		{"fire twice at the Yazirian", "which_target", "this step is not done", []string{"scarred Yazirian (13 m)", "Yazirian in the green vest (19 m)"}, true},
		{"two shots at Zorg", "friendly_target", "this step is not done", nil, true},
	}
	for _, tt := range tests {
		p := read(t, tt.text).Plan
		if len(p.Questions) != 1 || len(p.Steps) != 1 {
			t.Errorf("%s: plan %+v", tt.text, p)
			continue
		}
		q := p.Questions[0]
		if q.Kind != tt.kind || q.Default != tt.fallback || q.Text == "" || !cmp.Equal(q.Choices, tt.choices) {
			t.Errorf("%s: question %+v", tt.text, q)
		}
		if (p.Steps[0].Pending != "") != tt.pending {
			t.Errorf("%s: pending %q", tt.text, p.Steps[0].Pending)
		}
	}
}

// TestWhatIsNotThereIsNamed: an order with a weapon or a target that the actor
// does not know says which word that is and what to write; nothing is done.
func TestWhatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, kind, says string }{
		{"fire the bazooka at Zog", "unknown_weapon", "You have no “bazooka”."},
		{"shoot Zog with my bazooka", "unknown_weapon", "You have no “bazooka”."},
		{"two shots at Wuxo", "target_not_visible", "Nobody and nothing that you know of fits “Wuxo”."},
		{"fire two shots at Wuxo", "target_not_visible", "Nobody and nothing that you know of fits “Wuxo”."},
		{"fire the big plasma cannon twice at Zog", "unparsed", "“the big plasma cannon” was not understood, so it is not done."},
	} {
		r := read(t, tt.text)
		if len(r.Plan.Steps) != 0 || len(r.Problems) != 1 {
			t.Errorf("%s: steps %+v, problems %+v", tt.text, r.Plan.Steps, r.Problems)
			continue
		}
		p := r.Problems[0]
		if p.Kind != tt.kind || p.Text != tt.says || p.Kind != "unparsed" && p.Do == "" {
			t.Errorf("%s: %+v", tt.text, p)
		}
	}
}

// A hidden name and an invented one read alike, down to the last word.
func TestHiddenNameReadsLikeAnInventedOne(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"fire twice at %", "two shots at %", "run to %", "if % moves, shoot him", "follow %", "tell % to run", "% shoots at me"} {
		hidden, invented := read(t, strings.ReplaceAll(text, "%", "Wuxo")), read(t, strings.ReplaceAll(text, "%", "Wuxa"))
		a, _ := json.Marshal([]any{hidden.Plan, hidden.Problems})
		b, _ := json.Marshal([]any{invented.Plan, invented.Problems})
		if got, want := strings.ReplaceAll(string(a), "Wuxo", "Wuxa"), string(b); got != want {
			t.Errorf("%s:\n%s\n%s", text, got, want)
		}
	}
}

func TestSeveralCharacters(t *testing.T) {
	t.Parallel()
	two := []Actor{shed(), zorgs()}
	tests := []struct {
		name, text string
		mira, zorg []string
		asked      bool // something is not given to anybody
	}{
		{"headings with the orders", "Mira: fire twice at Zog\nZorg: run to the fuel drums. drop prone.",
			[]string{"fire 2 shots at Zog with laser pistol"}, []string{"run to fuel drums", "drop prone"}, false},
		{"headings by themselves", "MIRA\nfire twice at Zog\n\nOrders for Zorg:\n- crouch\n- reload the rifle",
			[]string{"fire 2 shots at Zog with laser pistol"}, []string{"crouch down", "reload automatic rifle"}, false},
		{"by name in sentences", "Mira fires twice at Zog and drops prone. Zorg runs to the fuel drums, then ducks.",
			[]string{"fire 2 shots at Zog with laser pistol", "drop prone"}, []string{"run to fuel drums", "crouch down"}, false},
		{"nobody is named", "fire twice at Zog", nil, nil, true},
		{"somebody else's character", "Mira: crouch\nChirik: fire at Zog", []string{"crouch down"}, nil, false},
		{"one is named, one is not", "Zorg reloads the rifle. I fire twice at Zog.", nil, []string{"reload automatic rifle"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := map[game.ID][]string{}
			for _, r := range Orders(linesOf(tt.text), two) {
				if r.Actor == "" {
					got[""] = append(got[""], "asked")
					continue
				}
				a := two[0]
				if r.Actor == "zorg" {
					a = two[1]
				}
				got[r.Actor] = Phrases(r.Plan, a.Vocabulary)
			}
			if diff := cmp.Diff(tt.mira, got["mira"]); diff != "" {
				t.Errorf("Mira (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.zorg, got["zorg"]); diff != "" {
				t.Errorf("Zorg (-want +got):\n%s", diff)
			}
			if (got[""] != nil) != tt.asked {
				t.Errorf("asked %v, want %v", got[""], tt.asked)
			}
		})
	}
}

func TestVerbOfAnotherGameIsRefused(t *testing.T) {
	t.Parallel()
	a := shed()
	a.Vocabulary.Verbs = verbsOf("wait")
	r := Orders(linesOf("fire twice at Zog. wait."), []Actor{a})[0]
	if len(r.Plan.Steps) != 1 || r.Plan.Steps[0].Verb != "wait" || len(r.Plan.Unparsed) != 1 {
		t.Errorf("plan %+v", r.Plan)
	}
}

func TestGamesOwnWordsForAVerb(t *testing.T) {
	t.Parallel()
	a := shed()
	for i := range a.Vocabulary.Verbs {
		if a.Vocabulary.Verbs[i].Name == "fire" {
			a.Vocabulary.Verbs[i].Words = []string{"lase", "light up"}
		}
	}
	for _, text := range []string{"lase Zog twice", "light up Zog twice"} {
		r := Orders(linesOf(text), []Actor{a})[0]
		if len(r.Plan.Steps) != 1 || r.Plan.Steps[0].Shots != 2 || r.Plan.Steps[0].Target.ID != "zog" {
			t.Errorf("%s: %+v", text, r.Plan)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	r := read(t, strings.Repeat("wait. ", 400)+"\n"+strings.Repeat("crouch\n", 300))
	if n := len(r.Plan.Steps); n > MaxClauses {
		t.Errorf("%d steps, at most %d", n, MaxClauses)
	}
	if !hasKind(r.Problems, "too_long") {
		t.Error("nobody is told that something was left out")
	}
	read(t, strings.Repeat("if zog moves, ", 500)+"shoot him")
	read(t, strings.Repeat("I fire at Zog with the flurb of the other Yazirian in a vest\n", 9000))
	read(t, strings.Repeat("fire twice at Zog and run to the fuel drums then ", 5000))
	read(t, strings.Repeat("Why? ", 5000))
	read(t, strings.Repeat("(", 5000)+strings.Repeat("[", 5000))
	read(t, strings.Repeat("two zog then ", 190))
	read(t, strings.Repeat("zog then ", 280))
	for n := 90; n < 210; n++ { // more bytes than letters
		read(t, strings.Repeat("ж", n)+"\n"+strings.Repeat("語", n))
	}
}

func hasKind(list []game.Problem, kind string) bool {
	for _, p := range list {
		if p.Kind == kind {
			return true
		}
	}
	return false
}

func TestLooksLikeOrder(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"fire twice at Zog": true, "run to the fuel drums": true, "shoot the flurb": true,
		"Anna": false, "Sent from my iPhone": false, "Thanks!": false, "Tel. 0123 456789": false, "https://example.org/": false, "": false,
		"Regards, Bob": false, "This email has been checked for viruses.": false,
	} {
		if got := LooksLikeOrder(line, shed()); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func FuzzOrders(f *testing.F) {
	if data, err := os.ReadFile("testdata/orders.txt"); err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			if text, ok := strings.CutPrefix(line, "> "); ok {
				f.Add(text)
			}
		}
	}
	f.Add("\"open\n'a' b' 1. x2 (\u200b) [if i ‘’ …")
	actors := []Actor{shed(), zorgs()}
	f.Fuzz(func(t *testing.T, text string) {
		lines := linesOf(text)
		for _, list := range [][]Actor{actors[:1], actors} {
			for _, r := range Orders(lines, list) {
				checkSpans(t, lines, r)
				for _, a := range list {
					if a.ID == r.Actor {
						Phrases(r.Plan, a.Vocabulary)
					}
				}
			}
		}
	})
}

// checkSpans: every place lies inside of the line that is shown with it.
func checkSpans(t *testing.T, lines []Line, r Reading) {
	t.Helper()
	for _, p := range r.Problems {
		if p.At == (game.Span{}) {
			continue
		}
		if n := utf8.RuneCountInString(p.Source); p.At.Line < 1 || p.At.Line > len(lines) || p.At.Col < 1 || p.At.Len < 0 || p.At.Col-1+p.At.Len > n {
			t.Errorf("problem %+v lies outside of its line of %d characters", p, n)
		}
	}
	for _, s := range r.Plan.Steps {
		if s.At.Line < 1 || s.At.Line > len(lines) || s.At.Col < 1 {
			t.Errorf("step %+v has no place", s)
		}
	}
}

// BenchmarkOrders reads a letter of ten lines with five slips among fifty people.
func BenchmarkOrders(b *testing.B) {
	a := shed()
	for i := range 42 {
		n := game.Named{ID: game.ID("extra" + string(rune('a'+i%26)) + string(rune('a'+i/26))), Relation: "enemy"}
		n.Names = []string{"Extra " + strings.ToUpper(string(n.ID[5:]))}
		n.Sight = &game.Sight{ID: n.ID, Race: "Sathar", Description: "slimy Sathar with a whip and a needler"}
		a.Vocabulary.People = append(a.Vocabulary.People, n)
	}
	lines := linesOf(`Hi GM,

I'll fier twice at Zog with my lser pistol,
then duk behind the gery crates and keep my
head down until this is over, as one does.

If the scarred Yazirain comes within 10 m, shoot him.
- reload the laser pistol
- run to the fuel drums
"Get down!" she shouts. Thanks, Anna`)
	for b.Loop() {
		Orders(lines, []Actor{a})
	}
}
