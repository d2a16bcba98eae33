package resolve

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
)

// Rulings looks up what the GM decided and remembers what was used, so that a
// ruling whose ref or die does not occur can be reported. It is a dice.Source:
// dice that he gave or had rolled again come out changed.
type Rulings struct {
	all     []game.Ruling
	used    map[int]bool
	dice    dice.Source
	touched []int // since the last Take
}

// NewRulings sorts the rulings by number. The source answers all other dice.
func NewRulings(rulings []game.Ruling, source dice.Source) *Rulings {
	all := slices.Clone(rulings)
	slices.SortStableFunc(all, func(a, b game.Ruling) int { return cmp.Compare(a.N, b.N) })
	return &Rulings{all: all, used: map[int]bool{}, dice: source}
}

func (r *Rulings) use(n int) {
	r.used[n] = true
	if !slices.Contains(r.touched, n) {
		r.touched = append(r.touched, n)
	}
}

// Take gives the numbers of the rulings used since the last call, sorted.
func (r *Rulings) Take() []int {
	out := r.touched
	r.touched = nil
	slices.Sort(out)
	return out
}

// Give is Take taken back: the next event tells of these rulings after all.
func (r *Rulings) Give(numbers []int) {
	for _, n := range numbers {
		r.use(n)
	}
}

// Roll rolls a named die as ruled: the last value that fits the die wins, each
// "reroll" before it takes the next re-roll of that name.
func (r *Rulings) Roll(name string, sides int) game.Die {
	rerolls, value := 0, 0
	for _, x := range r.all {
		if x.Kind != game.RuleDie || x.Die != name {
			continue
		}
		if strings.EqualFold(strings.TrimSpace(x.Value), "reroll") {
			rerolls++
			value = 0
			r.use(x.N)
		} else if v, err := strconv.Atoi(strings.TrimSpace(x.Value)); err == nil && v >= 1 && v <= sides {
			value = v
			r.use(x.N)
		}
	}
	if value > 0 {
		return game.Die{Name: name, Sides: sides, Value: value, Source: "gm"}
	}
	if rerolls > 0 {
		name += "~" + strconv.Itoa(min(rerolls, 99))
	}
	return r.dice.Roll(name, sides)
}

// Mods lists the modifiers ruled on a combatant's attacks, as lines of a sum,
// with their total. Of a secret one the sum shows no more than the figure.
func (r *Rulings) Mods(who game.ID) (lines []game.Line, total int) {
	for _, x := range r.all {
		if x.Kind != game.RuleMod || x.Who != who {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSpace(x.Value))
		if err != nil || v < -1000 || v > 1000 {
			continue
		}
		r.use(x.N)
		label := "GM ruling " + strconv.Itoa(x.N)
		switch reason := strings.TrimSpace(x.Reason); {
		case x.Secret:
			label = "GM"
		case reason != "":
			label = "GM: " + reason
		}
		lines = append(lines, game.Line{Label: label, Value: Signed(v)})
		total += v
	}
	return lines, total
}

// Signed writes a modifier: +10, -5, 0.
func Signed(n int) string {
	if n > 0 {
		return "+" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// EventWord gives the outcome ruled on an event (hit, miss, critical …) if it is
// one of the allowed words. The last ruling wins.
func (r *Rulings) EventWord(ref string, allowed ...string) (string, bool) {
	word, found := "", false
	for _, x := range r.all {
		if x.Kind != game.RuleEvent || x.Ref != ref {
			continue
		}
		w := strings.ToLower(strings.TrimSpace(x.Field))
		if w == "outcome" || w == "" {
			w = strings.ToLower(strings.TrimSpace(x.Value))
		}
		if slices.Contains(allowed, w) {
			word, found = w, true
			r.use(x.N)
		}
	}
	return word, found
}

// EventNumber gives a number ruled on an event. The last ruling wins.
func (r *Rulings) EventNumber(ref, name string) (int, bool) {
	value, found := 0, false
	for _, x := range r.all {
		if x.Kind != game.RuleEvent || x.Ref != ref || !strings.EqualFold(strings.TrimSpace(x.Field), name) {
			continue
		}
		if v, err := strconv.Atoi(strings.TrimSpace(x.Value)); err == nil && v >= -10000 && v <= 10000 {
			value, found = v, true
			r.use(x.N)
		}
	}
	return value, found
}

// EventValue gives a word ruled on something of an event, such as its cover, if
// it is one of the allowed ones; with none allowed any. The last ruling wins.
func (r *Rulings) EventValue(ref, name string, allowed ...string) (string, bool) {
	word, found := "", false
	for _, x := range r.all {
		if x.Kind != game.RuleEvent || x.Ref != ref || !strings.EqualFold(strings.TrimSpace(x.Field), name) {
			continue
		}
		if w := strings.ToLower(strings.TrimSpace(x.Value)); len(allowed) == 0 || slices.Contains(allowed, w) {
			word, found = w, true
			r.use(x.N)
		}
	}
	return word, found
}

// EventFlag gives yes or no as it is ruled on something of an event; 1 and 0
// stand for them. The last ruling wins.
func (r *Rulings) EventFlag(ref, name string) (yes, found bool) {
	word, found := r.EventValue(ref, name, "yes", "no", "1", "0")
	return word == "yes" || word == "1", found
}

// Foretold looks at a word or a number ruled on an event before it is begun: the
// last ruling whose value of the name is allowed, or with none allowed any. It
// marks nothing as used. The name of a word that stands alone is outcome.
func (r *Rulings) Foretold(ref, name string, allowed ...string) (game.Ruling, bool) {
	var found game.Ruling
	ok := false
	for _, x := range r.all {
		if x.Kind != game.RuleEvent || x.Ref != ref {
			continue
		}
		field, value := strings.ToLower(strings.TrimSpace(x.Field)), strings.ToLower(strings.TrimSpace(x.Value))
		if value == "" && !strings.EqualFold(name, field) {
			field, value = "outcome", field
		}
		if strings.EqualFold(name, field) && (len(allowed) == 0 || slices.Contains(allowed, value)) {
			x.Value = value
			found, ok = x, true
		}
	}
	return found, ok
}

// Mark notes that a ruling was used, and that its own event tells of it and no
// other: see On.
func (r *Rulings) Mark(n int) { r.used[n] = true }

// Unspent gives the first ruling not used yet that says a word of an event, and
// marks it.
func (r *Rulings) Unspent(ref, word string) (game.Ruling, bool) {
	for _, x := range r.all {
		if x.Kind == game.RuleEvent && x.Ref == ref && !r.used[x.N] && strings.EqualFold(strings.TrimSpace(x.Value), word) {
			r.use(x.N)
			return x, true
		}
	}
	return game.Ruling{}, false
}

// On lists the numbers of the rulings on an event that were used, sorted.
func (r *Rulings) On(ref string) []int {
	var out []int
	for _, x := range r.all {
		if x.Kind == game.RuleEvent && x.Ref == ref && r.used[x.N] {
			out = append(out, x.N)
		}
	}
	return out
}

// OnDice lists the numbers of the rulings that some dice came of.
func (r *Rulings) OnDice(list []game.Die) []int {
	var out []int
	for _, x := range r.all {
		if x.Kind == game.RuleDie && r.used[x.N] && slices.ContainsFunc(list, func(d game.Die) bool {
			name, _, _ := strings.Cut(d.Name, "~")
			return name == x.Die
		}) {
			out = append(out, x.N)
		}
	}
	return out
}

// Sets lists the figures to be set before the event ref, or at the end of the
// turn when ref is empty. The caller marks with Used those that it could apply.
func (r *Rulings) Sets(ref string) []game.Ruling {
	var out []game.Ruling
	for _, x := range r.all {
		if x.Kind == game.RuleSet && x.Ref == ref {
			out = append(out, x)
		}
	}
	return out
}

// All lists the rulings in force, by number.
func (r *Rulings) All() []game.Ruling { return r.all }

// Used marks a ruling as applied.
func (r *Rulings) Used(n int) { r.use(n) }

// Orders gives the plan that the GM put in a combatant's place.
func (r *Rulings) Orders(who game.ID) (game.Plan, bool) {
	var plan game.Plan
	found := false
	for _, x := range r.all {
		if x.Kind != game.RuleOrders || x.Who != who {
			continue
		}
		var p game.Plan
		if json.Unmarshal([]byte(x.Value), &p) == nil {
			plan, found = p, true
			r.use(x.N)
		}
	}
	return plan, found
}

// Unused lists the numbers of rulings on events, dice, figures, modifiers and
// orders that never came to bear. Notes and accepted letters change no event.
func (r *Rulings) Unused() []int {
	out := []int{}
	for _, x := range r.all {
		if x.Kind != game.RuleNote && x.Kind != game.RuleAccept && !r.used[x.N] {
			out = append(out, x.N)
		}
	}
	return out
}

// Lines says which rulings touched an event, as the last lines of its sum; the
// line of a secret one is for the GM alone. A modifier has its line already
// (Mods): what is left to tell of one is the reason of a secret one.
func (r *Rulings) Lines(numbers []int) []game.Line {
	var out []game.Line
	for _, x := range r.all {
		if !slices.Contains(numbers, x.N) {
			continue
		}
		what := strings.TrimSpace(x.Text)
		if what == "" {
			what = strings.TrimSpace(x.Die + x.Field + " " + x.Value)
		}
		if x.Kind == game.RuleMod {
			if what = strings.TrimSpace(x.Reason); what == "" || !x.Secret {
				continue
			}
			what = "because " + what
		}
		out = append(out, game.Line{Label: "GM ruling " + strconv.Itoa(x.N), Value: what, Secret: x.Secret})
	}
	return out
}
