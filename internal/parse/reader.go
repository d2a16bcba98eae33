package parse

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/game"
)

// reader reads the text of one character, sentence by sentence.
type reader struct {
	lx       *lexicon
	actor    Actor
	siblings map[game.ID]bool // further characters of the same letter
	source   map[int]string   // lines by number, normalised
	toks     []token          // of the sentence
	out      Reading
	orphans  []game.Problem // orders that name none of several characters

	nodes    []node // of the whole letter
	lastFrom int    // first node of the sentence before
	clauses  int
	work     int // how often a place in the text was looked at, for tests
	round    int
	standing bool

	subject              who // of the clause before, in this sentence
	spoken               who // last explicit subject of the letter
	named                []int
	namedBefore          []int
	trigger              *found // whom "him" means in what hangs on a condition
	conditional          bool   // reading what hangs on a condition
	thrown               []game.ID
	ready                []game.ID
	unready              []game.ID
	dial                 game.Setting    // set before a shot
	chosen               game.ID         // weapon that was chosen for the player, and told
	stays                bool            // he said that he stays where he is
	holdsFire            bool            // he said that he holds his fire
	target               game.Ref        // last one fired at
	weapon               game.ID         // last one fired
	handling             game.ID         // last thing drawn, set or reloaded
	loaded               game.ID         // shell that a launcher was loaded with
	placeNamed           game.Ref        // last place gone to or named
	lastWhen             *game.Condition // the condition read last, for "if so"
	lastMoving           bool
	lastNot              bool // it was denied: "if he isn't …", "unless he is …"
	lastTrigger          *found
	aimedAt              game.Ref // whom he said he aims at
	kindly               bool     // what is read is done for somebody, not to him
	itIsPlace            bool     // "it" is the place named last
	lastVerb             string   // of the last attack
	firedHere            game.ID  // fired in this sentence
	goneTo               game.Ref // where the last move goes
	lateDial             game.Setting
	before               progress // what had been read before the sentence before
	sentenceToks         []token  // of the sentence before
	objectFrom, objectTo int      // the target in it
	pending              struct {
		aim, lean bool
		target    game.Ref
		time      *game.Intent // when the attack that follows is made
	}
	begun      bool // a clause of this sentence was read
	broken     bool // a clause of this sentence was not understood
	lastBranch bool // the sentence before ended with a branch that may have an "otherwise"
	foesOnly   bool // the sentence says that friends are spared
	looking    bool // for a shot that begins behind "then"
	multi      bool // text not addressed to one of several characters
}

// maxSentence is how many words and marks a sentence may have.
const maxSentence = 600

func (r *reader) vocab() game.Vocabulary { return r.actor.Vocabulary }

func newReader(a Actor, lx *lexicon, source map[int]string) *reader {
	return &reader{lx: lx, actor: a, source: source, out: Reading{Actor: a.ID}}
}

// span covers the tokens from p up to q.
func (r *reader) span(p, q int) game.Span {
	if p >= len(r.toks) {
		p = len(r.toks) - 1
	}
	if p < 0 {
		return game.Span{}
	}
	s := r.toks[p].at
	for _, t := range r.toks[p:max(min(q, len(r.toks)), p)] {
		if t.at.Line == s.Line && t.at.Col+t.at.Len > s.Col+s.Len {
			s.Len = t.at.Col + t.at.Len - s.Col
		}
	}
	// A place never lies outside of the line that is shown with it.
	if n := len([]rune(r.source[s.Line])); s.Col+s.Len-1 > n {
		s.Len = max(n-s.Col+1, 0)
	}
	return s
}

// text is what was typed from p up to q.
func (r *reader) text(p, q int) string { return rawText(r.toks[p:min(q, len(r.toks))]) }

// read reads tokens sentence by sentence.
func (r *reader) read(toks []token) {
	from := 0
	for i := 0; i <= len(toks); i++ {
		end := i == len(toks) || toks[i].kind == stop ||
			toks[i].kind == mark && (toks[i].is(".") || toks[i].is("!") || toks[i].is("?") || toks[i].is(";"))
		if end && i < len(toks) && toks[i].is(".") && assigns(toks, i) {
			continue // "Bess.strength=20" is one thing, and no order
		}
		if end && i < len(toks) && toks[i].is(";") && r.holds(toks[from:i]) {
			continue // "hold; if Zog moves, shoot him"
		}
		if !end {
			continue
		}
		if i > from && i+1 < len(toks) && toks[i].kind == stop && toks[i+1].kind != stop && (r.loneCondition(toks[from:i], true) || r.addsCondition(toks[i+1:])) {
			toks[i] = token{kind: mark, text: ",", at: toks[i].at}
			continue
		}
		if i > from && i+1 < len(toks) && toks[i].is(".") {
			// "If he moves. I shoot him." and "Two shots at Zog. If he is up."
			next := i + 1
			for next < len(toks) && (toks[next].kind == newline || toks[next].kind == stop || toks[next].is(".")) {
				next++
			}
			if next < len(toks) && (next-1 == i || toks[next-1].is(".")) && r.loneCondition(toks[from:i], false) || r.addsCondition(toks[next:]) {
				for j := i; j < next; j++ {
					toks[j] = token{kind: mark, text: ",", at: toks[i].at}
				}
				continue
			}
		}
		term := ""
		if i < len(toks) {
			term = toks[i].text
		}
		if i > from {
			sentence := slices.Clone(toks[from:i])
			if term == "?" {
				end := i + 1
				for end < len(toks) && toks[end].kind == newline {
					end++
				}
				next := end
				for end < len(toks) && toks[end].kind != stop && !(toks[end].kind == mark && (toks[end].is(".") || toks[end].is("!") || toks[end].is("?"))) {
					end++
				}
				if joined, ok := r.askedIf(sentence, toks[next:end]); ok {
					sentence, term, i = joined, ".", end
				}
			}
			r.sentence(sentence, term)
		}
		from = i + 1
	}
}

// addsCondition reports that the first of some lines is a condition with nothing
// after it, so that it belongs to the line before.
func (r *reader) addsCondition(toks []token) bool {
	end := slices.IndexFunc(toks, func(t token) bool { return t.kind == stop || t.kind == mark && (t.is(".") || t.is("!")) })
	if end < 0 {
		return r.loneCondition(toks, false)
	}
	next := end + 1
	return (next == len(toks) || toks[next].kind == stop) && r.loneCondition(toks[:end], false)
}

// assigns reports that the point at i stands within something like "a.b=3".
func assigns(toks []token, i int) bool {
	if i == 0 || i+2 >= len(toks) || !adjacent(toks[i-1], toks[i]) || !adjacent(toks[i], toks[i+1]) {
		return false
	}
	return toks[i+2].is("=")
}

// sentence reads one sentence; term is the mark that ends it.
func (r *reader) sentence(toks []token, term string) {
	if r.clauses >= MaxClauses {
		if r.clauses == MaxClauses {
			r.clauses++
			r.tell(game.Problem{Severity: game.Wrong, Kind: "too_long", Text: fmt.Sprintf("These orders have more than %d parts; the rest was not read.", MaxClauses), At: toks[0].at, Source: r.source[toks[0].at.Line]})
		}
		return
	}
	if len(toks) > maxSentence {
		r.toks = toks[:maxSentence]
		r.tell(game.Problem{Severity: game.Wrong, Kind: "too_long", Text: "This sentence is too long to be read.", Do: "Write each order on a line of its own.", Source: r.source[toks[0].at.Line], At: r.span(0, 1)})
		r.out.Plan.Unparsed = append(r.out.Plan.Unparsed, r.text(0, 40))
		return
	}
	r.lx.mend(toks)
	toks = r.dropped(toks)
	if len(toks) == 0 {
		return
	}
	parts := r.unwrap(toks)
	for i, part := range parts {
		if r.toks = part; len(part) == 0 {
			continue
		}
		end := "\n"
		if i == len(parts)-1 {
			end = term
		}
		r.sentencePart(end)
	}
}

// sentencePart reads the tokens of r.toks as one sentence.
func (r *reader) sentencePart(term string) {
	if len(r.named) > 0 {
		r.namedBefore = r.named
	}
	r.named, r.trigger, r.conditional = nil, nil, false
	r.subject, r.broken, r.begun, r.firedHere = nobody, false, false, ""
	r.pending.aim, r.pending.lean, r.pending.target, r.pending.time = false, false, game.Ref{}, nil
	if n, who := r.lx.nameAt(r.lx.people, r.toks, 0); n > 0 && len(who) == 1 && r.lx.people[who[0]].ID == r.lx.self {
		r.spoken = selfByName // "Tasha breathes out": the story goes on about her
	}
	r.joined()
	before := r.mark()
	again := r.toks
	if fixed, ok := r.amended(); ok {
		r.rewind(r.before)
		before, again = r.before, fixed
		r.toks = slices.Clone(fixed)
	}
	r.objectFrom, r.objectTo = -1, -1
	r.oneSentence(term)
	r.before, r.sentenceToks = before, again
	if len(r.nodes) != before.nodes {
		r.lastFrom = before.nodes
		r.tellMended()
	}
	if !r.lateDial.IsZero() {
		r.dialBack(before.nodes)
	}
}

// progress is how much had been read at some time.
type progress struct{ nodes, problems, questions, unparsed int }

func (r *reader) mark() progress {
	return progress{len(r.nodes), len(r.out.Problems), len(r.out.Plan.Questions), len(r.out.Plan.Unparsed)}
}

// rewind forgets what was read since.
func (r *reader) rewind(m progress) {
	r.nodes, r.out.Problems = r.nodes[:m.nodes], r.out.Problems[:m.problems]
	r.out.Plan.Questions, r.out.Plan.Unparsed = r.out.Plan.Questions[:m.questions], r.out.Plan.Unparsed[:m.unparsed]
}

// amended gives the sentence before with another target, if this one only says
// who is meant instead: "Shoot the boulder. No, sorry, the guy on the skimmer."
func (r *reader) amended() ([]token, bool) {
	_, n := r.lx.at("correct", r.toks, 0)
	if n == 0 || r.objectFrom < 0 || r.objectTo > len(r.sentenceToks) || r.objectFrom >= r.objectTo {
		return nil, false
	}
	p := n
	for {
		for p < len(r.toks) && r.toks[p].kind == mark {
			p++
		}
		_, k := r.lx.at("correct", r.toks, p)
		if k == 0 {
			break
		}
		p += k
	}
	if _, k := r.lx.at("target", r.toks, p); k > 0 {
		p += k
	}
	_, k := r.person(p)
	if k == 0 || p+k < len(r.toks) {
		return nil, false
	}
	out := slices.Concat(r.sentenceToks[:r.objectFrom], r.toks[p:], r.sentenceToks[r.objectTo:])
	return out, true
}

// dialBack gives a setting that was told after the shots to those of the
// sentence that have none.
func (r *reader) dialBack(from int) {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		in := &r.nodes[i].intent
		if r.nodes[i].cond == nil && in.Verb == "fire" && in.Setting.IsZero() {
			in.Setting = r.lateDial
			if i <= from {
				break
			}
			continue
		}
		if i < from {
			break
		}
	}
	r.lateDial = game.Setting{}
}

// dropped takes out phrases that weigh nothing.
func (r *reader) dropped(toks []token) []token {
	out := toks[:0]
	r.foesOnly = false
	for p := 0; p < len(toks); {
		if _, n := r.lx.at("foesonly", toks, p); n > 0 && p > 0 {
			r.foesOnly = true
			p += n
			for len(out) > 0 && out[len(out)-1].is(",") {
				out = out[:len(out)-1]
			}
			continue
		}
		if _, n := r.lx.at("drop", toks, p); n > 0 {
			if p += n; p == len(toks) {
				for len(out) > 0 && out[len(out)-1].is(",") {
					out = out[:len(out)-1]
				}
			}
			continue
		}
		out = append(out, toks[p])
		p++
	}
	return out
}

// checked reads orders; what fails to be understood takes nothing with it but
// its own clause, or the whole sentence if a condition was not understood.
func (r *reader) checked(p int) {
	if value, n := r.lx.at("otherwise", r.toks, p); n > 0 && value != "" {
		r.otherwise(p + n)
		return
	}
	if q, yes, ok := r.ellipsis(p); ok && r.lastWhen != nil {
		if last := len(r.nodes) - 1; !yes && r.lastBranch && last >= 0 && r.nodes[last].cond != nil && len(r.nodes[last].cond.els) == 0 {
			r.otherwise(q)
			return
		}
		if r.sameAgain(q, yes) {
			return
		}
	}
	nodes, next, ok := r.actions(p, 0, false)
	if !ok {
		r.lastBranch = false
		return
	}
	if n := len(nodes); r.pending.time != nil && n > 0 && nodes[n-1].cond == nil && nodes[n-1].attack {
		r.timed(&nodes[n-1].intent) // "…, wait four segments past ready"
		attackTime(&nodes[n-1].intent)
	}
	if next < len(r.toks) {
		if _, n := r.lx.at("otherwise", r.toks, next); n > 0 {
			r.commit(nodes)
			r.otherwise(next + n)
			return
		}
		r.fail(next, len(r.toks), "unparsed", "This was not understood.", "")
	}
	r.commit(nodes)
}

// commit adds the nodes of a sentence to the letter's.
func (r *reader) commit(nodes []node) {
	for _, n := range nodes {
		n.intent.Round = r.later()
		if n.cond == nil && r.standing && n.intent.Verb != "" {
			n.told = append(n.told, game.Problem{Severity: game.Noted, Kind: "this_turn", Text: "An order without a condition holds for this turn only.", Do: "Next turn write “as before”.", Source: r.source[n.intent.At.Line], At: n.intent.At})
		}
		if n.cond != nil {
			n.cond.standing = r.standing
			n.cond.round = r.later()
			// "… instead" takes the place of the attack before.
			if n.cond.instead && len(r.nodes) > 0 && !n.cond.standing {
				if last := r.nodes[len(r.nodes)-1]; last.cond == nil && last.attack && n.cond.forced == "" && !n.cond.reaction() {
					n.cond.els = []node{last}
					n.cond.forced = "step"
					inheritShots(n.cond.then, last.intent.Shots)
					r.nodes = r.nodes[:len(r.nodes)-1]
				}
			}
		}
		r.nodes = append(r.nodes, n)
		r.lastBranch = true
	}
}

// later is the round that orders are for, 0 for the first.
func (r *reader) later() int {
	if r.round > 1 {
		return r.round
	}
	return 0
}

func inheritShots(nodes []node, shots int) {
	for i := range nodes {
		if nodes[i].shotless && nodes[i].intent.Verb == "fire" && shots > 0 {
			nodes[i].intent.Shots = shots
		}
	}
}

// otherwise reads what follows "otherwise" and hangs it on the last condition,
// or on the step before becoming impossible.
func (r *reader) otherwise(p int) {
	r.clauses++
	if !r.lastBranch || len(r.nodes) == 0 {
		r.fail(p, len(r.toks), "trigger_unclear", "It is not clear what this “otherwise” belongs to: the condition before it was not understood, or there is none.", "Write the whole condition again: if …, …; otherwise …")
		return
	}
	last := r.nodes[len(r.nodes)-1]
	if _, n := r.lx.at("nothing", r.toks, p); n > 0 && p+n == len(r.toks) {
		return // "otherwise nothing"
	}
	r.conditional = true
	nodes, next, ok := r.actions(p, 1, false)
	if !ok || len(nodes) == 0 {
		return
	}
	if next < len(r.toks) {
		r.fail(next, len(r.toks), "unparsed", "This was not understood.", "")
	}
	if last.cond != nil && len(last.cond.els) == 0 && last.cond.forced != "reaction" && !last.cond.held && !last.cond.standing {
		last.cond.els = nodes
		return
	}
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.cond != nil || n.intent.Verb != "wait" }) {
		r.commit(nodes) // "otherwise I wait": what he does unless the reaction comes
		return
	}
	b := &branch{when: game.Condition{Kind: "impossible"}, then: nodes, forced: "step", at: r.span(p, len(r.toks)), round: r.later()}
	if last.cond == nil {
		r.nodes = append(r.nodes, node{cond: b})
		return
	}
	r.fail(p, len(r.toks), "trigger_unclear", "It is not clear what this “otherwise” belongs to.", "Write the whole condition again: if …, …; otherwise …")
}
