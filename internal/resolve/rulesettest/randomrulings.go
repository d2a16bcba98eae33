package rulesettest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
)

// RandomLine is a ruling on a turn as the GM would type it, of any field.
func RandomLine(r *rand.Rand, v game.View, fields []game.Field, events []game.Event) string {
	f := fields[r.IntN(len(fields))]
	value := ""
	switch {
	case f.Type == "text":
		value = "A twig snaps."
	case f.Type == "square" || f.Type == "word" && len(f.Words) == 0:
		value = game.Square{X: r.IntN(v.Width), Y: r.IntN(v.Height)}.String()
		if f.Type == "word" {
			value = "leg"
		}
	case f.Type == "number" && (len(f.Words) == 0 || r.IntN(3) > 0):
		value = strconv.Itoa(f.Least + r.IntN(min(f.Most-f.Least, 40)+1))
	case len(f.Words) > 0:
		value = f.Words[r.IntN(len(f.Words))]
	}
	n := strconv.Itoa(1 + r.IntN(len(events)))
	line := f.Name + " " + value
	switch f.Of {
	case game.OfEvent:
		if f.Type == "outcome" {
			line = value
		}
		return "EVENT " + n + " " + line
	case game.OfTurn:
		return []string{"TURN ", "GAME "}[r.IntN(2)] + line
	case game.OfSquare:
		line = game.Square{X: r.IntN(v.Width), Y: r.IntN(v.Height)}.String() + " " + line
	case game.OfThing:
		line = string(v.Features[r.IntN(len(v.Features))].ID) + " " + line
	default:
		line = string(v.Others[r.IntN(len(v.Others))].ID) + " " + line
	}
	if r.IntN(2) == 0 && f.Type != "text" {
		line += " AT EVENT " + n
	}
	return line
}

// RandomRulings tries on many seeds that whatever is ruled, in one phase or over
// the pauses of a turn, there is an outcome; it is the same a second time; the
// world is read back as it was; each ruling is told of by an event or named as not
// used; and of a secret one no player reads. sane says what else is wrong with an
// outcome, or nothing.
func RandomRulings(t *testing.T, rules Judged, seeds int, input func(*rand.Rand) resolve.Input, sane func(resolve.Outcome) string) {
	t.Helper()
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 21))
		in := input(r)
		for range 4 {
			plain := rules.Resolve(in)
			if len(plain.Events) == 0 {
				break
			}
			v := rules.See(in.World, game.GM)
			fields := slices.DeleteFunc(rules.Vocabulary(v).Fields, func(f game.Field) bool { return f.Type == "cell" })
			secret := r.IntN(2) == 0
			in.Rulings = nil
			for range 1 + r.IntN(8) {
				line := RandomLine(r, v, fields, plain.Events)
				if secret {
					line += " SECRET"
				}
				text := Typed(t, rules, in, plain, line)
				if len(text.Problems) == 0 && len(text.Rulings) != 1 {
					t.Fatalf("seed %d: %q is read as %+v", seed, line, text)
				}
				for _, x := range text.Rulings {
					x.N = len(in.Rulings) + 1
					in.Rulings = append(in.Rulings, x)
				}
			}
			out := rules.Resolve(in)
			if wrong := ruledSane(rules, in, out, secret); wrong != "" {
				t.Fatalf("seed %d, phase %d: %s", seed, in.Phase, wrong)
			}
			if wrong := sane(out); wrong != "" {
				t.Fatalf("seed %d, phase %d, %s: %s", seed, in.Phase, ruledTexts(in), wrong)
			}
			if diff := cmp.Diff(written(out), written(rules.Resolve(in))); diff != "" {
				t.Fatalf("seed %d: a second time it is another:\n%s", seed, diff)
			}
			in.World, in.Rulings, in.Phase = out.World, nil, in.Phase+1
			if out.Pause == nil {
				in.Phase, in.Turn = 0, in.Turn+1
			}
			if out.Done {
				break
			}
		}
	}
}

func ruledTexts(in resolve.Input) string {
	var said []string
	for _, x := range in.Rulings {
		said = append(said, x.Text)
	}
	return strings.Join(said, "; ")
}

func ruledSane(rules Judged, in resolve.Input, out resolve.Outcome, secret bool) string {
	wrong := func(format string, args ...any) string { return ruledTexts(in) + ":\n" + fmt.Sprintf(format, args...) }
	back, err := rules.Load(encoded(out.World))
	if err != nil || written(back) != written(out.World) {
		return wrong("the world is not read back: %v", err)
	}
	refs := map[string]bool{}
	for _, ev := range out.Events {
		if refs[ev.Ref] {
			return wrong("the ref %s names two events", ev.Ref)
		}
		refs[ev.Ref] = true
		for viewer, grade := range ev.Seen {
			if ev.Text[grade] == "" || ev.Text[game.All] == "" {
				return wrong("%s has no text for %s, who has grade %s", ev.Ref, viewer, grade)
			}
		}
	}
	for _, x := range in.Rulings {
		told := slices.ContainsFunc(out.Events, func(ev game.Event) bool { return slices.Contains(ev.Ruled, x.N) })
		if told == slices.Contains(out.Unused, x.N) {
			return wrong("ruling %d, %q: an event tells of it %v, unused %v\n%s", x.N, x.Text, told, out.Unused, Told(out))
		}
	}
	for _, b := range out.World.Bodies() {
		if lines := written(report.Project(out.Events, []game.ID{b.ID})); secret && (strings.Contains(lines, "ruling") || strings.Contains(lines, "SECRET")) {
			return wrong("%s reads of it: %s", b.ID, lines)
		}
	}
	return ""
}
