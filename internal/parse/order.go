package parse

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pbemd/pbemd/internal/game"
)

// doer reads the rest of a clause whose verb is known. ok is false if the
// clause was not understood; the doer has reported why.
type doer func(r *reader, c *clause, depth int) (nodes []node, ok bool)

// doerOf is the table of verbs that can be read. A further verb is a line in
// data/verbs.txt and a small function here.
func doerOf(intent string) doer {
	switch intent {
	case "fire":
		return (*reader).fire
	case "aim":
		return (*reader).aim
	case "lean":
		return (*reader).lean
	case "set":
		return (*reader).set
	case "move":
		return (*reader).move
	case "posture":
		return (*reader).posture
	case "reload":
		return (*reader).reload
	case "ready":
		return (*reader).readyThing
	case "hold":
		return (*reader).hold
	case "wait":
		return (*reader).wait
	case "melee":
		return (*reader).melee
	case "defend":
		return (*reader).defend
	case "face":
		return (*reader).face
	case "throw":
		return (*reader).throw
	case "launch":
		return (*reader).launch
	case "cover":
		return (*reader).cover
	case "prefer":
		return (*reader).prefers
	}
	return nil
}

// order reads the rest of a clause, and gives what it orders and where it ends.
func (r *reader) order(c *clause, depth int) ([]node, int) {
	if do := r.bySense(c); do != nil {
		return r.done(c, depth, do)
	}
	intent := c.lemma.intent
	needs := intent
	if intent == "aim" || intent == "lean" || intent == "set" || intent == "cover" {
		needs = "fire"
	}
	_, free := r.lx.verbs["special"]
	if free && (intent == "special" && c.lemma.set["kind"] != "") {
		return r.namedSpecial(c)
	}
	if free && (intent == "special" || intent == "use" || intent == "melee" && !r.speaksOf(c.p) && r.lx.verbs[intent].Name == "") {
		return r.freeAction(c)
	}
	_, known := r.lx.verbs[needs]
	do := doerOf(intent)
	if do == nil && known {
		do = (*reader).plain
	}
	if do == nil || !known {
		e := r.skip(c.p)
		r.fail(c.from, e, "unparsed", fmt.Sprintf("This game knows no order “%s”.", strings.Join(c.lemma.words, " ")), r.verbList())
		return nil, e
	}
	return r.done(c, depth, do)
}

// done runs a doer, and gives what it read and where it ends.
func (r *reader) done(c *clause, depth int, do doer) ([]node, int) {
	nodes, ok := do(r, c, depth)
	if !ok {
		return nil, max(c.p, c.from+1)
	}
	for i := range nodes {
		if nodes[i].intent.At == (game.Span{}) {
			nodes[i].intent.At = r.span(c.from, c.p)
		}
		if nodes[i].intent.Verb == c.lemma.intent && c.lemma.own {
			apply(&nodes[i].intent, c.lemma.set)
		}
		if nodes[i].intent.Verb == c.lemma.intent || nodes[i].attack {
			apply(&nodes[i].intent, c.way) // a shot at a given moment is a verb of its own
		}
	}
	return nodes, max(c.p, c.from+1)
}

// speaksOf reports that the clause from p on names a person.
func (r *reader) speaksOf(p int) bool {
	for end := r.skip(p); p < end; p++ {
		if _, n := r.person(p); n > 0 {
			return true
		}
	}
	return false
}

func (r *reader) verbList() string {
	var all []string
	for _, v := range r.vocab().Verbs {
		if doerOf(v.Name) != nil || v.Name == "say" || v.Name == "if" {
			all = append(all, v.Name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Orders it knows: " + strings.Join(all, ", ") + "."
}

// slots walks over the rest of a clause. take reads one part of it and gives
// its length, 0 if there is none; what it does not take is filler or left over.
func (r *reader) slots(c *clause, take func(p int) int) {
	for c.p < len(r.toks) && !r.boundary(c.p) {
		t := r.toks[c.p]
		if n := take(c.p); n > 0 {
			c.p += n
			continue
		}
		if t.kind == mark && strings.Contains(",:()-/=.*", t.text[:1]) || t.kind == newline || t.is("and") && c.p+1 < len(r.toks) && !r.left(c.p+1) {
			c.p++
			continue
		}
		if set, n := r.formAt(c.lemma.intent, c.p); n > 0 {
			c.way = set
			c.p += n
			continue
		}
		if n := r.adverbial(c.p); n > 0 {
			c.p += n
			continue
		}
		if _, n := r.lx.at("forestall", r.toks, c.p); n > 0 && r.conditional {
			c.p += n
			continue
		}
		_, danger := r.lx.at("danger", r.toks, c.p)
		if _, n := r.lx.at("filler", r.toks, c.p); n > danger {
			c.p += n
			continue
		}
		c.left = append(c.left, c.p)
		c.p++
	}
}

// left reports a word that no filler or slot is likely to take.
func (r *reader) left(p int) bool {
	_, n := r.lx.at("filler", r.toks, p)
	return n == 0 && r.toks[p].kind == word && !r.lx.knows(r.toks[p].text)
}

// dangerous reports a word that may turn an order around.
func (r *reader) dangerous(p int, attack bool) bool {
	_, n := r.lx.at("danger", r.toks, p)
	if n == 0 && attack {
		_, n = r.lx.at("aside", r.toks, p)
	}
	return n > 0
}

// settle judges what is left over of a clause: words that may turn it around,
// or that stand before its object, cost the clause; others are told.
func (r *reader) settle(c *clause, object int, attack bool) bool {
	for _, i := range c.left {
		if r.dangerous(i, attack) {
			return r.reject(c, fmt.Sprintf("“%s” makes it unclear what is meant, so it is not done.", r.text(i, c.p)))
		}
		if r.describes(i) && !r.toks[i].mended || attack && (r.toks[i].is("'s") || r.toks[i].is("and") || r.aheadVerb(i) || r.properName(i)) {
			return r.reject(c, fmt.Sprintf("It is not clear what “%s” adds, so it is not done.", r.text(i, c.p)))
		}
		if object >= 0 && i < object || r.toks[i].kind == number {
			end := i + 1
			for slices.Contains(c.left, end) {
				end++
			}
			return r.reject(c, fmt.Sprintf("“%s” was not understood, so it is not done.", r.text(i, end)))
		}
	}
	if len(c.left) == 0 {
		return true
	}
	first, last := c.left[0], c.left[len(c.left)-1]
	if object < 0 && len(c.left) > 2 {
		return r.reject(c, fmt.Sprintf("“%s” was not understood, so it is not done.", r.text(first, last+1)))
	}
	c.told = append(c.told, game.Problem{
		Severity: game.Noted, Kind: "left_out", Text: fmt.Sprintf("“%s” was left out; the rest is done.", r.text(first, last+1)), Nearest: r.suggest(first, last+1),
		Source: r.source[r.toks[first].at.Line], At: r.span(first, last+1),
	})
	return true
}

// properName reports an unknown word that begins with a capital, in a line that
// is not all capitals: perhaps somebody whom the viewer does not know.
func (r *reader) properName(i int) bool {
	t := r.toks[i]
	return t.kind == word && t.raw != "" && unicode.IsUpper([]rune(t.raw)[0]) && t.raw != strings.ToUpper(t.raw) && !r.lx.knows(t.text) && !r.lx.ordinary(t.text)
}

// reject reports a clause that is not carried out.
func (r *reader) reject(c *clause, text string) bool {
	c.p = r.skip(c.p)
	r.fail(c.from, c.p, "unparsed", text, "")
	return false
}

// question adds a question to a clause.
func (r *reader) question(c *clause, kind, text string, choices []string, silence string) {
	c.ask = append(c.ask, game.Question{Kind: kind, Text: text, Choices: choices, Default: silence, At: r.span(c.from, c.p)})
}

// refuse puts a question for a clause that is not carried out before the answer.
func (r *reader) refuse(c *clause, kind, text string, choices []string, do string) {
	c.p = r.skip(c.p)
	r.broken = true
	q := game.Question{Kind: kind, Text: text, Choices: choices, Default: "it is not done", At: r.span(c.from, c.p)}
	r.out.Plan.Questions = append(r.out.Plan.Questions, q)
	r.out.Plan.Unparsed = append(r.out.Plan.Unparsed, r.text(c.from, c.p))
	r.tell(game.Problem{
		Severity: game.Asked, Kind: kind, Text: text, Understood: r.understood(c.from, c.p), Nearest: firstThree(choices), Do: strings.TrimSpace(do + " " + unanswered("it is not done")),
		Source: r.source[q.At.Line], At: q.At,
	})
}

// unclearPerson asks who is meant. It is true if the clause may go on without:
// the step is then pending.
func (r *reader) unclearPerson(c *clause, f found, attack bool) (pending string) {
	const silence = "this step is not done"
	switch {
	case f.pronoun && len(f.ids) == 0 && f.selector == "" && f.race == "":
		r.question(c, "which_target", fmt.Sprintf("Who is “%s”? Nobody was named before.", f.text), nil, silence)
		return "which_target"
	case f.unknown || len(f.ids) == 0 && f.selector == "" && f.race == "":
		return "target_not_visible"
	case f.unsure:
		r.question(c, "which_target", fmt.Sprintf("It is not certain who “%s” is. Who is meant?", f.text), r.choices(f.ids), silence)
		return "which_target"
	case f.friend && attack:
		r.question(c, "friendly_target", fmt.Sprintf("%s is on your side. Do you mean it?", firstName(r, f)), nil, silence)
		return "friendly_target"
	case len(f.ids) > 1:
		r.question(c, "which_target", fmt.Sprintf("“%s” fits more than one: who is meant?", f.text), r.choices(f.ids), silence)
		return "which_target"
	}
	return ""
}

func firstName(r *reader, f found) string { return personName(r.lx.people[f.ids[0]].ID, r.vocab()) }

// notSeen asks about a name or description that fits nobody the viewer knows.
func (r *reader) notSeen(c *clause, text string, p, q int) {
	r.refuse(c, "target_not_visible", fmt.Sprintf("Nobody and nothing that you know of fits “%s”.", text), nil, "Write a name as it stands in the turn's opening mail.")
	last := &r.out.Problems[len(r.out.Problems)-1]
	last.Nearest = r.suggest(p, min(q, len(r.toks)))
	last.At = r.span(p, q)
	last.Source = r.source[last.At.Line]
}

// phraseEnd is where an unknown noun phrase that begins at p is likely to end.
func (r *reader) phraseEnd(p int) int {
	q := p
	for q < len(r.toks) && r.toks[q].kind == word && !r.boundary(q) {
		if _, n := r.lx.at("using", r.toks, q); n > 0 && q > p {
			break
		}
		if r.count(q).n > 0 && q > p {
			break
		}
		q++
	}
	return max(q, p+1)
}

// aim remembers that the next shot of the sentence is aimed, and at whom.
func (r *reader) aim(c *clause, _ int) ([]node, bool) {
	var target game.Ref
	object := -1
	points := c.lemma.set["point"] != ""
	_, sets := r.lx.verbs["set_attack"]
	var time game.Intent // for which one aims, where that sets an attack
	r.slots(c, func(p int) int {
		if n := 0; sets && time.Wait+time.Bonus == 0 {
			if time.Wait, n = r.forSegments(p); n > 0 {
				return n
			}
		}
		if _, n := r.lx.at("aim", r.toks, p); n > 0 && !points {
			return n
		}
		if _, n := r.lx.at("sights", r.toks, p); n > 0 && object >= 0 {
			return n
		}
		if ids, n := r.thing(p, isRanged); n > 0 && points && len(ids) == 1 {
			r.weapon = r.lx.things[ids[0]].ID
			return n
		}
		_, k := r.lx.at("target", r.toks, p)
		f, n := r.person(p + k)
		if n == 0 || object >= 0 {
			if k, n := r.weaponAt(p); n > 0 && len(k) == 1 {
				r.weapon = r.lx.things[k[0]].ID
				return n
			}
			return 0
		}
		if !f.one() || f.friend || f.unknown {
			return 0
		}
		object = p
		r.mention(f)
		target = game.To(r.lx.people[f.ids[0]].ID)
		return k + n
	})
	// Only a shot that follows in the same sentence makes it an order.
	q := r.joints(c.p)
	flags, v := r.aux(q)
	if s, n := r.subjectAt(q); s == self || s == selfByName {
		flags, v = r.aux(q + n)
	}
	i, n, _ := r.verbAt(v)
	if sets && flags.not && n > 0 && r.lx.lemmas[i].intent == "fire" {
		r.pending.target = target // "and don't loose until …"
		return nil, r.settle(c, -1, false)
	}
	if n == 0 || flags.not || flags.thought || r.lx.lemmas[i].intent != "fire" && r.lx.lemmas[i].intent != "lean" && !(sets && r.lx.lemmas[i].intent == "melee") {
		hint := "Write: fire 1 shot at <who> with careful aim."
		if sets {
			hint = "Write: set attack on <who> with the <weapon> at +20."
		}
		return nil, r.reject(c, "Aiming alone does nothing.") || r.hint(hint)
	}
	if !r.settle(c, -1, true) {
		return nil, false
	}
	r.pending.aim, r.pending.target = !points, target
	if time.Wait > 0 {
		r.pending.time = &time
	}
	return nil, true
}

// hint adds what to write to the last problem.
func (r *reader) hint(do string) bool {
	r.out.Problems[len(r.out.Problems)-1].Do = do
	return false
}

// lean remembers that the next shot of the sentence is fired leaning out.
func (r *reader) lean(c *clause, _ int) ([]node, bool) {
	r.slots(c, func(p int) int {
		if _, n := r.lx.at("relation", r.toks, p); n > 0 {
			return n
		}
		if r.toks[p].is("the") || r.toks[p].is("corner") || r.toks[p].is("edge") || r.toks[p].is("of") {
			return 1
		}
		_, _, n := r.place(p)
		return n
	})
	q := r.joints(c.p)
	i, n, _ := r.verbAt(q)
	if n == 0 || r.lx.lemmas[i].intent != "fire" && r.lx.lemmas[i].intent != "aim" {
		return nil, r.reject(c, "Leaning out alone does nothing.") || r.hint("Write: fire 1 shot at <who>, leaning.")
	}
	if !r.settle(c, -1, true) {
		return nil, false
	}
	r.pending.lean = true
	return nil, true
}

// freeAction passes an action that the game has no order for to the GM.
func (r *reader) freeAction(c *clause) ([]node, int) {
	c.p = r.skip(c.p)
	for q := c.verbFrom; q < c.p; q++ {
		if r.dangerous(q, false) {
			r.reject(c, fmt.Sprintf("“%s” makes it unclear what is meant, so it is not done.", r.text(q, c.p)))
			return nil, c.p
		}
	}
	text := r.text(c.from, c.p)
	in := game.Intent{Verb: "special", Kind: "free", Text: text, At: r.span(c.from, c.p)}
	told := game.Problem{
		Severity: game.Noted, Kind: "free_text", Text: fmt.Sprintf("“%s” has no rule here; it goes to the GM.", text), Source: r.source[in.At.Line], At: in.At,
	}
	return []node{{intent: in, told: []game.Problem{told}}}, c.p
}

// special reads "special: …", which passes its text to the GM as it stands: up
// to the end of the sentence or of the bracket it stands in.
func (r *reader) special(p int) ([]node, int) {
	e, open := p+2, 0
	for ; e < len(r.toks); e++ {
		if r.toks[e].is("[") {
			open++
		}
		if r.toks[e].is("]") {
			if open--; open < 0 {
				break
			}
		}
	}
	return []node{{intent: game.Intent{Verb: "special", Kind: "free", Text: r.text(p+2, e), At: r.span(p, e)}}}, e
}
