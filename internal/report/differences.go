package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Differences lists what was taken out ("- …") and what was added ("+ …") on the
// way from old to new, in reading order. Equal lists give nothing.
func Differences(old, new []string) []string {
	var out []string
	for _, e := range edits(old, new) {
		if e.from >= 0 {
			out = append(out, "- "+old[e.from])
		} else {
			out = append(out, "+ "+new[e.to])
		}
	}
	return out
}

// EventDifferences tells a GM what attempt b makes of a turn otherwise than
// attempt a. An event that both have, by its ref, is told once, as it is now, with
// the lines of its sum that are other than before. The numbers are those of the
// attempt the line belongs to.
func EventDifferences(a, b []game.Event) []string {
	es := edits(eventKeys(a), eventKeys(b))
	before := map[string]int{}
	for _, e := range es {
		if e.from >= 0 && a[e.from].Ref != "" {
			before[a[e.from].Ref] = e.from
		}
	}
	again := map[int]bool{}
	for _, e := range es {
		if e.to >= 0 {
			if from, ok := before[b[e.to].Ref]; ok {
				again[from] = true
			}
		}
	}
	var out []string
	for _, e := range es {
		switch {
		case e.from >= 0 && again[e.from]:
		case e.from >= 0:
			out = append(out, "- "+eventLine(e.from, a[e.from]))
		default:
			if from, ok := before[b[e.to].Ref]; ok {
				out = append(out, "+ "+changedEvent(e.to, a[from], b[e.to]))
			} else {
				out = append(out, "+ "+eventLine(e.to, b[e.to]))
			}
		}
	}
	return out
}

func eventLine(i int, e game.Event) string {
	s := fmt.Sprintf("%d. %s", i+1, e.Text[game.All])
	if len(e.Lines) > 0 {
		s += " (" + sum(e.Lines) + ")"
	}
	return s
}

// changedEvent is an event of both attempts, with what is other in its sum; where
// the sums are the same, its sentence before.
func changedEvent(i int, was, now game.Event) string {
	s := fmt.Sprintf("%d. %s", i+1, now.Text[game.All])
	var other []string
	for _, l := range changed(was.Lines, now.Lines) {
		other = append(other, l.Label+" "+strings.TrimPrefix(l.Value, "none → "))
	}
	switch {
	case len(other) > 0:
		return s + " (" + strings.Join(other, ", ") + ")"
	case was.Text[game.All] != now.Text[game.All]:
		return s + " (before: " + was.Text[game.All] + ")"
	}
	return s
}

// eventKeys gives each event a text that is equal only for events in which a GM
// reads the same: who perceived it, and in what words, his packet does not say.
// JSON sorts the keys of its maps, and an event holds nothing that it cannot write.
func eventKeys(events []game.Event) []string {
	keys := make([]string, len(events))
	for i, e := range events {
		e.Seen, e.More, e.Text = nil, nil, map[game.Grade]string{game.All: e.Text[game.All]}
		b, _ := json.Marshal(e)
		keys[i] = string(b)
	}
	return keys
}

// edit is one line taken out (to is -1) or added (from is -1).
type edit struct{ from, to int }

// maxTable bounds the table of edits; beyond it everything between the common
// ends counts as replaced.
const maxTable = 4_000_000

// edits compares by the longest common subsequence.
func edits(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	na, nb := len(a), len(b)
	for na > start && nb > start && a[na-1] == b[nb-1] {
		na, nb = na-1, nb-1
	}
	n, m := na-start, nb-start
	var out []edit
	take := func(i int) { out = append(out, edit{start + i, -1}) }
	add := func(j int) { out = append(out, edit{-1, start + j}) }
	if n > 0 && m > 0 && n*m <= maxTable {
		common := make([][]int, n+1)
		for i := range common {
			common[i] = make([]int, m+1)
		}
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				if a[start+i] == b[start+j] {
					common[i][j] = common[i+1][j+1] + 1
				} else {
					common[i][j] = max(common[i+1][j], common[i][j+1])
				}
			}
		}
		i, j := 0, 0
		for i < n && j < m {
			switch {
			case a[start+i] == b[start+j]:
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				take(i)
				i++
			default:
				add(j)
				j++
			}
		}
		for ; i < n; i++ {
			take(i)
		}
		for ; j < m; j++ {
			add(j)
		}
		return out
	}
	for i := range n {
		take(i)
	}
	for j := range m {
		add(j)
	}
	return out
}

// SheetDifferences lists what changed on a character's own sheet: figures,
// place, posture, states, and what his weapons and items hold.
func SheetDifferences(before, after game.View) []game.Line {
	return changed(figures(before), figures(after))
}

func changed(old, new []game.Line) []game.Line {
	var out []game.Line
	value := func(lines []game.Line, label string) (string, bool) {
		i := slices.IndexFunc(lines, func(l game.Line) bool { return l.Label == label })
		if i < 0 {
			return "none", false
		}
		return lines[i].Value, true
	}
	for _, l := range new {
		if was, ok := value(old, l.Label); !ok || was != l.Value {
			out = append(out, game.Line{Label: l.Label, Value: was + " → " + l.Value})
		}
	}
	for _, l := range old {
		if _, ok := value(new, l.Label); !ok {
			out = append(out, game.Line{Label: l.Label, Value: l.Value + " → none"})
		}
	}
	return out
}

func figures(v game.View) []game.Line {
	lines := slices.Clone(v.Sheet)
	lines = append(lines, game.Line{Label: "Place", Value: standing(v.Self)})
	for _, t := range slices.Concat(v.Weapons, v.Items) {
		add := func(what, value string) {
			if value != "" && value != "0" {
				lines = append(lines, game.Line{Label: t.Name + what, Value: value})
			}
		}
		add("", word(t.State))
		if t.Full > 0 {
			add(", "+cmp.Or(t.Unit, "left"), strconv.Itoa(t.Left)+" of "+strconv.Itoa(t.Full))
		}
		add(", number", strconv.Itoa(t.Count))
		add(", dial", strconv.Itoa(t.Dial))
		add(", mode", word(t.Mode))
	}
	times := map[string]int{}
	for i, l := range lines { // two things of one name: the second is "knife 2"
		if times[l.Label]++; times[l.Label] > 1 {
			lines[i].Label = fmt.Sprintf("%s %d", l.Label, times[l.Label])
		}
	}
	return lines
}
