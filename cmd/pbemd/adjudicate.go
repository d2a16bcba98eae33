package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/resolve/rulesets"
	"github.com/pbemd/pbemd/internal/scenario"
)

const adjudicateUsage = `usage: pbemd adjudicate FILE [--json]

Carries out the turn of a scenario file and tells what would happen, with every
sum and every die. Nothing is stored. examples/holdup.toml shows such a file;
"-" reads it from standard input. --json prints one event a line, then the state.
`

// runAdjudicate is the command "pbemd adjudicate".
func runAdjudicate(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := environment{stdin: stdin, stdout: stdout, stderr: stderr}
	var asJSON bool
	files, code, done := flags(env, "adjudicate", args, func(fs *flag.FlagSet) {
		fs.Usage = func() { fmt.Fprint(stderr, adjudicateUsage) }
		fs.BoolVar(&asJSON, "json", false, "print JSON")
	})
	if done {
		return code
	}
	if len(files) != 1 {
		fmt.Fprint(stderr, adjudicateUsage)
		return exitUsage
	}
	s, e, err := openScenario(files[0], stdin)
	if err != nil {
		return fail(env, err)
	}
	t, err := adjudicate(s, e)
	if err != nil {
		return fail(env, err)
	}
	if asJSON {
		err = t.writeJSON(stdout)
		fmt.Fprint(stderr, strings.Join(t.remarks(), ""))
	} else {
		_, err = io.WriteString(stdout, t.story())
	}
	if err != nil {
		return fail(env, err)
	}
	return exitDone
}

// faultsError joins the faults of a file, a line each.
func faultsError(faults []game.Fault) error {
	errs := make([]error, len(faults)+1)
	for i, f := range faults {
		errs[i+1] = f
	}
	errs[0] = fmt.Errorf("the file has %d faults", len(faults))
	if len(faults) == 1 {
		errs[0] = errors.New("the file has a fault")
	}
	return errors.Join(errs...)
}

// encounter is a world under its rules.
type encounter struct {
	rules resolve.Ruleset
	world game.World
	scene *game.Scenario // in the place of a world, where only orders are read
}

// openScenario reads a scenario file, a game file or a scene, and makes the
// world that it describes.
func openScenario(file string, stdin io.Reader) (*scenario.Scenario, encounter, error) {
	var data []byte
	var err error
	if file == "-" {
		file = "standard input"
		data, err = io.ReadAll(io.LimitReader(stdin, maxInput))
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, encounter{}, fmt.Errorf("reading the scenario: %w", err)
	}
	s, faults := scenario.Read(file, data)
	if faults != nil {
		return nil, encounter{}, faultsError(faults)
	}
	rules, err := rulesets.Find(s.System)
	if err != nil {
		return nil, encounter{}, fmt.Errorf("%s: %w", file, err)
	}
	world, faults := rules.Setup(s.Scenario)
	if len(faults) > 0 {
		return s, encounter{rules: rules, scene: &s.Scenario}, faultsError(faults)
	}
	return s, encounter{rules: rules, world: world}, nil
}

// maxInput is how many bytes of standard input are read.
const maxInput = 1 << 20

// actor is what parse must know of one who orders.
func (e encounter) actor(id game.ID) parse.Actor {
	var v game.View
	if e.scene != nil {
		v, _ = scenario.View(*e.scene, id)
	} else {
		v = e.rules.See(e.world, id)
	}
	return parse.Actor{ID: id, View: v, Vocabulary: e.rules.Vocabulary(v)}
}

// bodies are all who take part.
func (e encounter) bodies() []game.Body {
	if e.scene == nil {
		return e.world.Bodies()
	}
	var all []game.Body
	for _, c := range e.scene.Combatants {
		all = append(all, game.Body{ID: c.ID, Name: c.Name, Side: c.Side, Player: c.Player, Place: c.Place})
	}
	return all
}

// body finds a combatant.
func (e encounter) body(id game.ID) (game.Body, bool) {
	bodies := e.bodies()
	i := slices.IndexFunc(bodies, func(b game.Body) bool { return b.ID == id })
	if i < 0 {
		return game.Body{}, false
	}
	return bodies[i], true
}

// told is what one combatant was told to do.
type told struct {
	actor   parse.Actor
	read    game.Plan      // as it was understood
	plan    game.Plan      // as it is carried out
	unread  []game.Problem // of the reader
	checked []game.Problem // of the rules
}

func (o told) problems() []game.Problem { return slices.Concat(o.unread, o.checked) }

// read understands a text for one actor or for several, and lets the rules
// check it. Problems of text that is nobody's come back by themselves.
func (e encounter) read(text string, actors []parse.Actor) (all []told, loose []game.Problem) {
	var lines []parse.Line
	for i, l := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		lines = append(lines, parse.Line{N: i + 1, Text: l})
	}
	for _, r := range parse.Orders(lines, actors) {
		i := slices.IndexFunc(actors, func(a parse.Actor) bool { return a.ID == r.Actor })
		if i < 0 {
			loose = append(loose, r.Problems...)
			continue
		}
		plan, problems := e.rules.Check(actors[i].View, r.Plan)
		all = append(all, told{actors[i], r.Plan, plan, r.Problems, problems})
	}
	return all, loose
}

// trial is one turn as it was tried.
type trial struct {
	scenario *scenario.Scenario
	before   encounter
	after    encounter
	told     []told
	loose    []game.Problem
	rulings  []game.Ruling
	out      resolve.Outcome
	scripts  []string // what did not come out of the dice scripts as written
}

func adjudicate(s *scenario.Scenario, e encounter) (*trial, error) {
	t := &trial{scenario: s, before: e}
	for _, o := range s.Orders {
		a := e.actor(o.Combatant)
		if o.Plan != nil {
			plan, problems := e.rules.Check(a.View, *o.Plan)
			t.told = append(t.told, told{a, *o.Plan, plan, nil, problems})
			continue
		}
		all, loose := e.read(o.Text, []parse.Actor{a})
		t.told, t.loose = append(t.told, all...), append(t.loose, loose...)
	}
	t.resolve()
	for i, r := range s.Rulings {
		if err := t.rule(i+1, r); err != nil {
			return nil, err
		}
		t.resolve()
	}
	t.after = encounter{e.rules, t.out.World, nil}
	return t, nil
}

// resolve carries the turn out with the rulings so far.
func (t *trial) resolve() {
	var orders []game.Orders
	for _, o := range t.told {
		orders = append(orders, game.Orders{Combatant: o.actor.ID, Plan: o.plan, Source: "player"})
	}
	slices.SortFunc(orders, func(a, b game.Orders) int { return strings.Compare(string(a.Combatant), string(b.Combatant)) })
	source := dice.NewScripted(t.scenario.Dice, dice.Sealed{
		Secrets: map[string]dice.Digest{dice.AudienceGM: dice.H("seed", t.scenario.Seed)},
		Lock:    new(dice.Digest),
		Owner:   func(dice.Name) (string, bool) { return dice.AudienceGM, false },
	})
	t.out = t.before.rules.Resolve(resolve.Input{
		World: t.before.world, Turn: t.scenario.Turn, Rounds: t.scenario.Rounds,
		Orders: orders, Rulings: t.rulings, Dice: source,
	})
	t.scripts = source.Faults()
}

// rule adds one ruling. The number of an event is that of the turn with the
// rulings before it: as adjudicate prints it without this one.
func (t *trial) rule(n int, r scenario.Ruling) error {
	wrong := func(format string, args ...any) error {
		return game.Fault{File: t.scenario.File, Line: r.Line, Key: fmt.Sprintf("ruling[%d]", n), Text: fmt.Sprintf(format, args...)}
	}
	if r.Text == "" {
		r.Ruling.N = n
		t.rulings = append(t.rulings, r.Ruling)
		return nil
	}
	refs := make([]string, len(t.out.Events))
	for i, e := range t.out.Events {
		refs[i] = e.Ref
	}
	var lines []parse.Line
	for i, l := range strings.Split(r.Text, "\n") {
		lines = append(lines, parse.Line{N: i + 1, Text: l})
	}
	text := parse.GM(lines, nil, t.before.actor(game.GM).Vocabulary, refs)
	if judge, ok := t.before.rules.(resolve.Judge); ok {
		text.Object(func(x game.Ruling) (string, string) { return judge.Fault(t.before.world, t.out.Events, x) })
	}
	for _, note := range text.Notes {
		text.Rulings = append(text.Rulings, game.Ruling{Kind: game.RuleNote, Value: note, Text: r.Text})
	}
	switch {
	case len(text.Problems) > 0:
		return wrong("%s %s", text.Problems[0].Text, text.Problems[0].Do)
	case len(text.As) > 0:
		return wrong("orders for %s belong into [orders]", text.As[0].Who[0])
	case len(text.Rulings) != 1 || len(text.Rest) > 0:
		return wrong(`%q is not one ruling; write one such as "EVENT 2 HIT" or "DIE hit/bobo/r1.1 = 42"`, r.Text)
	}
	text.Rulings[0].N = n
	t.rulings = append(t.rulings, text.Rulings[0])
	return nil
}

// writeJSON prints one event a line, then the state.
func (t *trial) writeJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, e := range t.out.Events {
		if err := out.Encode(e); err != nil {
			return fmt.Errorf("writing event %s: %w", e.Ref, err)
		}
	}
	state := map[game.ID]figures{}
	for _, b := range t.after.world.Bodies() {
		state[b.ID] = t.after.figures(b)
	}
	if err := out.Encode(map[string]any{"state": state}); err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	return nil
}

// figures is how a combatant stands after the turn.
type figures struct {
	game.Body
	Facing  string            `json:"facing,omitempty"`
	Status  []string          `json:"status"`
	Sheet   map[string]string `json:"sheet"`
	Weapons []game.Thing      `json:"weapons"`
	Items   []game.Thing      `json:"items"`
}

func (e encounter) figures(b game.Body) figures {
	v := e.rules.See(e.world, b.ID)
	f := figures{
		Body: b, Facing: v.Self.Facing, Status: append([]string{}, v.Self.Status...), Sheet: map[string]string{},
		Weapons: append([]game.Thing{}, v.Weapons...), Items: append([]game.Thing{}, v.Items...),
	}
	for _, l := range v.Sheet {
		f.Sheet[l.Label] = l.Value
	}
	return f
}

// story tells the trial for people.
func (t *trial) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: turn %d, %s\n", t.scenario.Title, t.scenario.Turn, t.scenario.System)
	if t.scenario.Opening != "" {
		fmt.Fprintf(&b, "\n%s\n", t.scenario.Opening)
	}
	b.WriteString("\nOrders\n")
	for _, body := range t.before.world.Bodies() {
		t.orders(&b, body)
	}
	clock := t.before.rules.Clock(t.before.world, t.scenario.Rounds).Reached(t.after.world.At())
	round := 0
	for i, e := range t.out.Events {
		if e.Round != round {
			round = e.Round
			heading := fmt.Sprintf("Round %d", round)
			if window := clock.Window(); window != "" {
				heading = strings.ToUpper(window[:1]) + window[1:]
			}
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		writeEvent(&b, i+1, e)
	}
	b.WriteString("\nAfterwards\n")
	for _, body := range t.after.world.Bodies() {
		changes := report.SheetDifferences(t.before.rules.See(t.before.world, body.ID), t.after.rules.See(t.after.world, body.ID))
		if len(changes) == 0 {
			fmt.Fprintf(&b, "  %s: as before\n", body.Name)
			continue
		}
		fmt.Fprintf(&b, "  %s\n", body.Name)
		for _, l := range changes {
			fmt.Fprintf(&b, "    %s: %s\n", l.Label, l.Value)
		}
	}
	if remarks := t.remarks(); len(remarks) > 0 {
		fmt.Fprintf(&b, "\nTo be noted\n  %s", strings.Join(remarks, "  "))
	}
	return b.String()
}

// orders tells what one combatant will do.
func (t *trial) orders(b *strings.Builder, body game.Body) {
	i := slices.IndexFunc(t.told, func(o told) bool { return o.actor.ID == body.ID })
	if i < 0 {
		a := t.before.actor(body.ID)
		plan := t.before.rules.Default(a.View)
		phrases := parse.Phrases(plan, a.Vocabulary)
		if len(phrases) == 0 {
			phrases = []string{"nothing"}
		}
		fmt.Fprintf(b, "  %s, without orders: %s\n", body.Name, strings.Join(phrases, "; "))
		return
	}
	o := t.told[i]
	fmt.Fprintf(b, "  %s\n", body.Name)
	writePlan(b, "    ", o.plan, o.actor.Vocabulary)
	writeProblems(b, "    ", o.problems())
}

// writeEvent tells one event with its sum and its dice.
func writeEvent(b *strings.Builder, n int, e game.Event) {
	fmt.Fprintf(b, "%3d. [%d] %s\n", n, e.At, eventText(e))
	for _, l := range e.Lines {
		fmt.Fprintf(b, "       %s: %s\n", l.Label, l.Value)
	}
	for _, d := range e.Dice {
		fmt.Fprintf(b, "       %s d%d: %d (%s)\n", d.Name, d.Sides, d.Value, d.Source)
	}
	for _, c := range e.Changes {
		fmt.Fprintf(b, "       %s %s: %s → %s\n", c.Who, c.Field, c.From, c.To)
	}
	for _, u := range e.Unverified {
		fmt.Fprintf(b, "       no source prints %s\n", u)
	}
}

// eventText is the fullest sentence of an event.
func eventText(e game.Event) string {
	for _, g := range game.Grades {
		if s := e.Text[g]; s != "" {
			return s
		}
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s: %s %s", e.Actor, e.Kind, e.Target, e.Outcome, e.Reason)), " ")
}

// remarks lists what the GM should know besides the events, a line each.
func (t *trial) remarks() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)+"\n") }
	if p := t.out.Pause; p != nil {
		add("The turn pauses here (%s): %v may order before it goes on.", p.Reason, p.Asks)
	}
	for _, q := range t.out.Inquiries {
		text := fmt.Sprintf("For the GM: %s Done so far: %s.", q.Text, strings.TrimSuffix(q.Default, "."))
		if q.Answer != "" {
			text += " To rule otherwise: " + q.Answer
		}
		add("%s", text)
	}
	for _, n := range t.out.Unused {
		add("Ruling %d was not used: what it speaks of did not happen.", n)
	}
	for _, p := range t.loose {
		add("%s", p.Text)
	}
	for _, s := range t.scripts {
		add("Dice: %s", s)
	}
	if t.out.Done {
		add("The encounter is over: %s", t.out.Why)
	}
	return out
}
