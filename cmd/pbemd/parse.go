package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
)

const parseUsage = `usage: pbemd parse --scene FILE --actor ID [--actor ID ...] [--json] < TEXT

Reads orders from standard input as if the players of these combatants had
mailed them, and tells what was understood and what was not. FILE is a JSON
scene (of a system whose rules are not built yet, too), a scenario file or a
game file. --json prints the plan; with several
actors, one object with the plan of each under his id.
`

// actorList gathers --actor a --actor b and --actor a,b.
type actorList []game.ID

func (l *actorList) String() string { return fmt.Sprint(*l) }

func (l *actorList) Set(s string) error {
	l.add(s)
	return nil
}

func (l *actorList) add(s string) {
	for id := range strings.SplitSeq(s, ",") {
		if id = strings.TrimSpace(id); id != "" && !slices.Contains(*l, game.ID(id)) {
			*l = append(*l, game.ID(id))
		}
	}
}

// runParse is the command "pbemd parse". Orders that are not understood are no
// failure: what is wrong with them is what it prints.
func runParse(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := environment{stdin: stdin, stdout: stdout, stderr: stderr}
	var (
		asJSON bool
		scene  string
		ids    actorList
	)
	more, code, done := flags(env, "parse", args, func(fs *flag.FlagSet) {
		fs.Usage = func() { fmt.Fprint(stderr, parseUsage) }
		fs.BoolVar(&asJSON, "json", false, "print JSON")
		fs.StringVar(&scene, "scene", "", "JSON scene, scenario file or game file")
		fs.Var(&ids, "actor", "combatant whose orders are read")
	})
	if done {
		return code
	}
	for _, id := range more {
		ids.add(id)
	}
	if scene == "" || scene == "-" || len(ids) == 0 {
		fmt.Fprint(stderr, parseUsage)
		return exitUsage
	}
	s, e, err := openScenario(scene, nil)
	// What a scene says of who sees whom is enough to read orders by, also where
	// the rules cannot play it.
	if err != nil && (e.scene == nil || !s.Scene) {
		return fail(env, err)
	}
	var actors []parse.Actor
	for _, id := range ids {
		if _, ok := e.body(id); !ok {
			return fail(env, fmt.Errorf("%s has no combatant %q; it has %s", scene, id, strings.Join(e.ids(), ", ")))
		}
		actors = append(actors, e.actor(id))
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxInput))
	if err != nil {
		return fail(env, fmt.Errorf("reading the orders: %w", err))
	}
	all, loose := e.read(strings.ToValidUTF8(string(text), "\uFFFD"), actors)
	if asJSON {
		err = writePlans(stdout, actors, all)
	} else {
		_, err = io.WriteString(stdout, e.reading(actors, all, loose))
	}
	if err != nil {
		return fail(env, err)
	}
	return exitDone
}

func (e encounter) ids() []string {
	var ids []string
	for _, b := range e.bodies() {
		ids = append(ids, string(b.ID))
	}
	return ids
}

// writePlans prints the plan of one actor, or the plans of several by id.
func writePlans(w io.Writer, actors []parse.Actor, all []told) error {
	plans := map[game.ID]game.Plan{}
	for _, a := range actors {
		plans[a.ID] = game.Plan{}
	}
	for _, o := range all {
		plans[o.actor.ID] = o.asked()
	}
	var v any = plans
	if len(actors) == 1 {
		v = plans[actors[0].ID]
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}

// asked is the plan as it was understood, with the questions that the rules put
// besides those of the reader. A step that the rules refuse is marked as pending
// the answer.
func (o told) asked() game.Plan {
	p := o.read
	p.Steps, p.Questions = slices.Clone(p.Steps), slices.Clone(p.Questions)
	for _, q := range o.checked {
		switch {
		case q.Severity == game.Wrong && q.Kind != "not_built" && q.Step > 0 && q.Step <= len(p.Steps):
			p.Steps[q.Step-1].Pending = q.Kind
		case q.Severity == game.Asked && !slices.ContainsFunc(p.Questions, func(k game.Question) bool { return k.Kind == q.Kind }):
			p.Questions = append(p.Questions, game.Question{Kind: q.Kind, Text: q.Text, Default: q.Do})
		}
	}
	return p
}

// reading tells people what was understood.
func (e encounter) reading(actors []parse.Actor, all []told, loose []game.Problem) string {
	var b strings.Builder
	for _, a := range actors {
		body, _ := e.body(a.ID)
		fmt.Fprintf(&b, "%s\n", body.Name)
		i := slices.IndexFunc(all, func(o told) bool { return o.actor.ID == a.ID })
		if i < 0 {
			b.WriteString("  no orders\n")
			continue
		}
		writePlan(&b, "  ", all[i].plan, a.Vocabulary)
		writeProblems(&b, "  ", all[i].problems())
	}
	if len(loose) > 0 {
		b.WriteString("Nobody's\n")
		writeProblems(&b, "  ", loose)
	}
	return b.String()
}

// writePlan prints a plan as numbered orders, each of which is valid input.
func writePlan(b *strings.Builder, indent string, p game.Plan, voc game.Vocabulary) {
	phrases := parse.Phrases(p, voc)
	if len(phrases) == 0 {
		fmt.Fprintf(b, "%sno orders\n", indent)
	}
	for i, s := range phrases {
		fmt.Fprintf(b, "%s%d. %s\n", indent, i+1, s)
	}
	for _, q := range p.Ask {
		fmt.Fprintf(b, "%sfor the GM: %s\n", indent, q.Text)
	}
}

// severities are the words that a problem begins with.
var severities = map[game.Severity]string{game.Wrong: "not possible", game.Asked: "question", game.Noted: "note"}

// writeProblems prints problems, each with the line it stands in and carets
// under the part that it speaks of.
func writeProblems(b *strings.Builder, indent string, problems []game.Problem) {
	for _, p := range problems {
		where := ""
		if p.At.Line > 0 {
			where = fmt.Sprintf(", line %d, column %d", p.At.Line, p.At.Col)
		}
		fmt.Fprintf(b, "%s%s%s: %s\n", indent, severities[p.Severity], where, p.Text)
		if p.Source != "" && p.At.Col > 0 {
			source := strings.ReplaceAll(p.Source, "\t", " ")
			lead := min(p.At.Col-1, len([]rune(source)))
			fmt.Fprintf(b, "%s  | %s\n%s  | %s%s\n", indent, source, indent, strings.Repeat(" ", lead), strings.Repeat("^", max(1, p.At.Len)))
		}
		if p.Understood != "" {
			fmt.Fprintf(b, "%s  understood: %s\n", indent, p.Understood)
		}
		if len(p.Nearest) > 0 {
			fmt.Fprintf(b, "%s  did you mean: %s\n", indent, strings.Join(p.Nearest, ", "))
		}
		if p.Do != "" {
			fmt.Fprintf(b, "%s  %s\n", indent, p.Do)
		}
	}
}
