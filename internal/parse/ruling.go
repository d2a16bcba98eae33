package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// ruling reads one ruling. Nothing at all means that the line is no ruling.
func (g *gmReader) ruling(words []string) (*game.Ruling, *game.Problem) {
	if len(words) > 2 && strings.EqualFold(words[0], "set") && !strings.EqualFold(words[1], "set") {
		r, p := g.ruling(words[1:])
		if r == nil && p == nil && words[0] == "SET" {
			p = g.notSet(words[1:])
		}
		return r, p
	}
	if r, p := g.textRuling(words); r != nil || p != nil {
		return r, p
	}
	r := &game.Ruling{}
	words, r.Reason, r.Secret = cutReason(words)
	if len(words) == 0 {
		return nil, nil
	}
	switch strings.ToUpper(words[0]) {
	case "EVENT":
		return g.eventRuling(r, words)
	case "DIE":
		return dieRuling(r, words)
	case "MOD":
		return g.modRuling(r, words)
	case "ACCEPT":
		n, ok := readNumber(words[1:])
		if !ok {
			return nil, nil
		}
		r.Kind, r.Value = game.RuleAccept, strconv.Itoa(n)
		return r, nil
	}
	return g.setRuling(r, words)
}

// cutReason takes "because …" and SECRET off the end.
func cutReason(words []string) (rest []string, reason string, secret bool) {
	for i, w := range words {
		if strings.EqualFold(strings.Trim(w, ","), "because") && i > 0 {
			tail := words[i+1:]
			if n := len(tail); n > 0 && strings.Trim(tail[n-1], ".,") == "SECRET" {
				tail, secret = tail[:n-1], true
			}
			reason = strings.Join(tail, " ")
			words = words[:i]
			break
		}
	}
	if n := len(words); n > 1 && strings.EqualFold(strings.Trim(words[n-1], ".,()"), "secret") {
		words, secret = words[:n-1], true
	}
	if n := len(words); n > 0 {
		words = slices.Clone(words)
		words[n-1] = strings.TrimRight(words[n-1], ".,!;")
		if words[n-1] == "" {
			words = words[:n-1]
		}
	}
	return words, reason, secret
}

// event translates a packet's number into a ref.
func (g *gmReader) event(w string) (string, *game.Problem) {
	n, ok := readNumber([]string{w})
	switch {
	case !ok:
		return "", &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("%q is not the number of an event.", w), Do: "Write EVENT and the number in the packet: EVENT 7 HIT"}
	case len(g.refs) == 0:
		return "", &game.Problem{Kind: "bad_ruling", Text: "Your letter answers no packet, so a number names no event.", Do: "Answer the packet whose numbers you mean."}
	case n > len(g.refs):
		return "", &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("There is no event %d: the packet has events 1 to %d.", n, len(g.refs)), Do: fmt.Sprintf("Write a number from 1 to %d.", len(g.refs))}
	}
	return g.refs[n-1], nil
}

func (g *gmReader) eventRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 2 || len(words) > 5 || !digits(words[1]) {
		return nil, nil
	}
	ref, p := g.event(words[1])
	if p != nil {
		return nil, p
	}
	r.Kind, r.Ref = game.RuleEvent, ref
	rest := words[2:]
	if len(rest) == 3 && rest[1] == "=" {
		rest = []string{rest[0], rest[2]}
	}
	known := g.fields(game.OfEvent)
	switch {
	case len(rest) == 1 && letters(rest[0]) && (len(known) == 0 || slices.Contains(outcomeWords(known), strings.ToLower(rest[0]))):
		r.Field, r.Value = "outcome", strings.ToLower(rest[0])
	case len(rest) == 2 && len(known) == 0 && letters(rest[0]) && signedNumber(rest[1]):
		r.Field, r.Value = strings.ToLower(rest[0]), strings.TrimPrefix(rest[1], "+")
	case len(rest) >= 1 && len(known) > 0:
		f := named(known, rest[0])
		if f == nil {
			return nil, &game.Problem{Kind: "bad_ruling", Text: fmt.Sprintf("%q is nothing that an event can be.", strings.Join(rest, " ")), Understood: "event " + words[1] + " of the packet", Do: eventDo(known)}
		}
		value, ok := fieldValue(*f, strings.Join(rest[1:], " "))
		if !ok {
			return nil, badValue(*f, strings.Join(rest[1:], " "), f.Name+" of event "+words[1])
		}
		r.Field, r.Value = strings.ToLower(f.Name), value
	default:
		return nil, &game.Problem{Kind: "bad_ruling", Text: "This does not say what the event shall be.", Understood: "event " + words[1] + " of the packet", Do: eventDo(known)}
	}
	return r, nil
}

// eventDo says what may be written of an event.
func eventDo(known []game.Field) string {
	do := "Write an outcome or a number: EVENT 7 HIT, EVENT 7 DAMAGE 12"
	if len(known) == 0 {
		return do
	}
	var names []string
	for _, f := range known {
		if f.Type != "outcome" && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return do + ". Outcomes are " + strings.ToUpper(strings.Join(outcomeWords(known), ", ")) + "; with a value go " + strings.Join(names, ", ") + "."
}

// outcomeWords are the words that may stand alone behind EVENT n.
func outcomeWords(fields []game.Field) []string {
	var out []string
	for _, f := range fields {
		for _, w := range f.Words {
			if f.Type == "outcome" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// fields are those of the vocabulary that are set on a kind of thing.
func (g *gmReader) fields(of game.FieldKind) []game.Field {
	var out []game.Field
	for _, f := range g.v.Fields {
		if f.Of == of {
			out = append(out, f)
		}
	}
	return out
}

// named finds a field that takes a value; a setting goes by the part behind its
// dot too.
func named(fields []game.Field, name string) *game.Field {
	for i := range fields {
		f := &fields[i]
		_, short, dotted := strings.Cut(f.Name, ".")
		if n := len(f.Name); f.Type == "cell" {
			if len(name) > n && strings.EqualFold(name[:n], f.Name) {
				return f
			}
			continue
		}
		if f.Type != "outcome" && (strings.EqualFold(f.Name, name) || dotted && strings.EqualFold(short, name)) {
			return f
		}
	}
	return nil
}

func badValue(f game.Field, value, understood string) *game.Problem {
	text := fmt.Sprintf("%q is no value for %s.", value, f.Name)
	if value == "" {
		text = f.Name + " needs a value."
	}
	return &game.Problem{Kind: "bad_ruling", Text: text, Understood: understood, Do: "Write " + f.Allowed() + "."}
}

func dieRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 2 || !strings.Contains(words[1], "/") {
		return nil, nil
	}
	rest := words[2:]
	if len(rest) > 0 && rest[0] == "=" {
		rest = rest[1:]
	}
	r.Kind, r.Die = game.RuleDie, words[1]
	if name, value, ok := strings.Cut(words[1], "="); ok && len(rest) == 0 {
		r.Die, rest = name, []string{value}
	}
	switch {
	case len(rest) == 1 && strings.EqualFold(rest[0], "reroll"):
		r.Value = "reroll"
	case len(rest) == 1 && digits(rest[0]) && len(rest[0]) <= 4:
		r.Value = rest[0]
	default:
		return nil, &game.Problem{Kind: "bad_ruling", Text: "This does not say what the die shall show.", Understood: "die " + words[1], Do: "Write DIE hit/bobo/r1.1 = 42, or DIE hit/bobo/r1.1 REROLL"}
	}
	return r, nil
}

func (g *gmReader) modRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	if len(words) < 3 {
		return nil, nil
	}
	id, n := g.person(words[1:])
	rest := words[1+n:]
	if n == 0 {
		if !signedNumber(words[len(words)-1]) {
			return nil, nil
		}
		name := strings.Join(words[1:len(words)-1], " ")
		return nil, &game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("There is no combatant %q.", name), Nearest: g.nearPeople(name), Do: "Write MOD, a name and a number: MOD bobo +10 because high ground"}
	}
	if len(rest) != 1 || !signedNumber(rest[0]) || len(rest[0]) > 5 {
		return nil, &game.Problem{Kind: "bad_ruling", Text: "A modifier is one whole number with its sign.", Understood: "a modifier for " + string(id), Do: "Write MOD bobo +10 because high ground"}
	}
	r.Kind, r.Who, r.Value = game.RuleMod, id, strings.TrimPrefix(rest[0], "+")
	return r, nil
}

// subject finds what the words begin with that something can be set on: a
// combatant, the turn, the game, a square or a thing of the map.
func (g *gmReader) subject(words []string) (on game.FieldKind, who game.ID, n int) {
	if id, n := g.person(words); n > 0 {
		return "", id, n
	}
	switch strings.ToUpper(words[0]) {
	case "TURN":
		return game.OfTurn, "", 1
	case "GAME":
		return game.OfGame, "", 1
	}
	if id, n := naming(g.v.Places, words); n > 0 {
		return game.OfThing, id, n
	}
	if sq, ok := game.ParseSquare(words[0]); ok {
		return game.OfSquare, game.ID(sq.String()), 1
	}
	return "", "", 0
}

// fieldsOf are the fields of a subject; the rules of a turn are those of the game.
func (g *gmReader) fieldsOf(on game.FieldKind) []game.Field {
	if on == game.OfGame {
		on = game.OfTurn
	}
	return g.fields(on)
}

// textRuling reads a field whose value is words of the GM's own. Its name stands
// in capitals, so that prose is none.
func (g *gmReader) textRuling(words []string) (*game.Ruling, *game.Problem) {
	on, id, n := g.subject(words)
	if n == 0 || len(words) <= n {
		return nil, nil
	}
	f := named(g.fieldsOf(on), words[n])
	if f == nil || f.Type != "text" || words[n] != f.Name {
		return nil, nil
	}
	rest := words[n+1:]
	r := &game.Ruling{Kind: game.RuleSet, On: on, Who: id, Field: f.Name}
	if k := len(rest); k > 0 && strings.Trim(rest[k-1], ".,()") == "SECRET" {
		rest, r.Secret = rest[:k-1], true
	}
	r.Value = strings.Join(rest, " ")
	if r.Value == "" || len(r.Value) > maxRuledText {
		return nil, badValue(*f, "", f.Name+" of "+string(id))
	}
	return r, nil
}

// maxRuledText bounds words that a ruling sets, in bytes.
const maxRuledText = 500

// setRuling reads "BOBO STA 12", "DOOR OPEN yes", "E4 TERRAIN wall" or "TURN
// crit_rules off", perhaps with "AT EVENT 7" or "AT SEGMENT 12".
func (g *gmReader) setRuling(r *game.Ruling, words []string) (*game.Ruling, *game.Problem) {
	on, id, n := g.subject(words)
	if n == 0 || len(words) < n+2 {
		return nil, nil
	}
	what := string(id)
	if what == "" {
		what = "the " + strings.ToLower(words[0])
	}
	fields, rest := g.fieldsOf(on), words[n+1:]
	f := named(fields, words[n])
	if f == nil {
		capitals := strings.ToUpper(words[n]) == words[n] && letters(words[n])
		if len(rest) == 1 && (capitals && signedNumber(rest[0]) || len(fields) > 0 && on != "" && strings.ToUpper(words[0]) == words[0] && letters(words[n])) {
			return nil, &game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("%s is nothing that can be set.", words[n]), Understood: "a value for " + what, Nearest: nearFields(fields, words[n]), Do: settable(on, fields)}
		}
		return nil, nil
	}
	if f.Type == "text" {
		return nil, nil // such a field stands in capitals: see textRuling
	}
	if k := len(rest); k >= 4 && strings.EqualFold(rest[k-3], "at") {
		switch n, err := strconv.Atoi(rest[k-1]); {
		case strings.EqualFold(rest[k-2], "event"):
			ref, p := g.event(rest[k-1])
			if p != nil {
				return nil, p
			}
			if on == game.OfTurn || on == game.OfGame {
				return nil, g.wholeTurn(f.Name + " of " + what)
			}
			r.Ref, rest = ref, rest[:k-3]
		case g.v.Moment != "" && strings.EqualFold(rest[k-2], g.v.Moment) && err == nil && n >= 0 && n < 10_000_000:
			r.Ref, rest = game.Moment(n), rest[:k-3]
		}
	}
	if len(rest) > 1 && rest[0] == "=" {
		rest = rest[1:]
	}
	value, ok := fieldValue(*f, strings.Join(rest, " "))
	if !ok {
		if len(rest) > 3 {
			return nil, nil // a sentence about somebody
		}
		return nil, badValue(*f, strings.Join(rest, " "), f.Name+" of "+what)
	}
	r.Kind, r.On, r.Who, r.Field, r.Value = game.RuleSet, on, id, f.Name, value
	if f.Type == "cell" {
		r.Field = strings.ToLower(words[n])
	}
	return r, nil
}

// wholeTurn objects to a rule of the turn that would begin at an event.
func (g *gmReader) wholeTurn(what string) *game.Problem {
	p := &game.Problem{Kind: "bad_ruling", Text: "The rules of a turn hold from its beginning.", Understood: what, Do: "Leave AT EVENT out; a single event is ruled on by its number: EVENT 7 HIT"}
	if m := g.v.Moment; m != "" {
		p.Text, p.Do = "The rules of a turn hold from its beginning or from a "+m+" on.", "Leave AT EVENT out, or write AT "+strings.ToUpper(m)+" 12; a single event is ruled on by its number: EVENT 7 HIT"
	}
	return p
}

// notSet says what is wrong with words behind SET.
func (g *gmReader) notSet(words []string) *game.Problem {
	_, _, n := g.subject(words)
	if n > 0 {
		return &game.Problem{Kind: "bad_ruling", Text: "This does not say what shall be set, and to what.", Understood: "a value for " + strings.Join(words[:n], " "), Do: settable("", nil)}
	}
	return &game.Problem{Kind: "unknown_word", Text: fmt.Sprintf("There is nobody and nothing here by the name of %q.", words[0]), Nearest: g.nearPeople(words[0]), Do: settable("", nil)}
}

// settable says what can be set on something of a kind.
func settable(on game.FieldKind, fields []game.Field) string {
	if on == "" {
		return "Write a name, a field and a value: BOBO STA 12"
	}
	return "Write one of " + strings.Join(names(fields), ", ") + " and a value."
}

func names(fields []game.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

// nearFields are the fields whose names are like a word, or else the first ones.
func nearFields(fields []game.Field, word string) []string {
	d := dictionary{}
	for _, f := range fields {
		d.add(strings.ToLower(f.Name))
	}
	near, _ := nearest(strings.ToLower(word), d)
	for i := range near {
		if f := named(fields, near[i]); f != nil {
			near[i] = f.Name
		}
	}
	if len(near) == 0 {
		near = names(fields[:min(len(fields), 3)])
	}
	return near
}

func fieldValue(f game.Field, s string) (string, bool) {
	for _, w := range f.Words {
		if strings.EqualFold(w, s) {
			return w, true
		}
	}
	switch f.Type {
	case "number":
		n, err := strconv.Atoi(s)
		return strings.TrimPrefix(s, "+"), signedNumber(s) && len(s) <= 7 && err == nil && (f.Most == 0 || n >= f.Least && n <= f.Most)
	case "square":
		sq, ok := game.ParseSquare(s)
		return sq.String(), ok
	case "word":
		return strings.ToLower(s), len(f.Words) == 0 && letters(s)
	case "cell":
		return s, s != "" && len(s) <= maxRuledText
	}
	return "", false
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func signedNumber(s string) bool {
	return digits(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")) && !strings.HasPrefix(s, "-+")
}

func letters(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz_-") == ""
}
