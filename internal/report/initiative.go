package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Initiative is who acts how early in a round, as its reader knows it.
type Initiative struct {
	Round  int          // 0: the turn has only one
	Order  string       // "Zog 15 (24), Bobo 9 (20)": the earliest first, with the numbers of the lines
	Worked []ReportLine // those that are told in full: his own, and what Order cannot say
}

// Initiatives gathers the lines of initiative by round.
func (in TurnReportIn) Initiatives() []Initiative { return initiatives(in.Lines, in.Names) }

// Initiatives gathers the events of initiative by round. Their sums stand with
// the others.
func (in PacketIn) Initiatives() []Initiative {
	var lines []ReportLine
	for i, e := range in.Events {
		if e.Kind == "initiative" {
			lines = append(lines, ReportLine{N: i + 1, Round: e.Round, Grade: game.All, Text: in.Story(e), Initiative: true, Actor: e.Actor, At: e.At})
		}
	}
	return initiatives(lines, in.Names)
}

// initiatives says in one line a round who acts how early. Whom a line does not
// name is told in the line's own words.
func initiatives(lines []ReportLine, names map[game.ID]string) []Initiative {
	var out []Initiative
	order := map[int][]ReportLine{}
	for _, l := range lines {
		if !l.Initiative {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Round != l.Round {
			out = append(out, Initiative{Round: l.Round})
		}
		last := &out[len(out)-1]
		named := l.tells(names[l.Actor])
		if named {
			order[l.Round] = append(order[l.Round], l)
		}
		if !named || l.Grade == game.Own && len(l.Sum) > 0 {
			last.Worked = append(last.Worked, l)
		}
	}
	for i := range out {
		all := order[out[i].Round]
		slices.SortStableFunc(all, func(a, b ReportLine) int { return cmp.Compare(b.At, a.At) })
		parts := make([]string, len(all))
		for j, l := range all {
			parts[j] = fmt.Sprintf("%s %d (%d)", names[l.Actor], l.At, l.N)
			if l.Last {
				parts[j] = fmt.Sprintf("%s last (%d)", names[l.Actor], l.N)
			}
		}
		out[i].Order = strings.Join(parts, ", ")
		if len(out) == 1 {
			out[i].Round = 0
		}
	}
	return out
}
