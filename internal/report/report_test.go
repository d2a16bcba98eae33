package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

func TestTimesNameTheZoneAndTheReadersOwn(t *testing.T) {
	t.Parallel()
	winter := time.Date(2026, time.November, 29, 19, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, game, reader string
		at                 time.Time
		want               string
	}{
		{"reader elsewhere", "Europe/Berlin", "Europe/London", winter, "Sun 29 Nov 2026 20:00 CET (UTC+01:00), for you 19:00 GMT"},
		{"summer time", "Europe/Berlin", "Europe/London", winter.AddDate(0, -4, 0), "Wed 29 Jul 2026 21:00 CEST (UTC+02:00), for you 20:00 BST"},
		{"another day", "Europe/Berlin", "Asia/Tokyo", winter, "Sun 29 Nov 2026 20:00 CET (UTC+01:00), for you Mon 30 Nov 04:00 JST"},
		{"same time, other name", "Europe/Berlin", "Europe/Paris", winter, "Sun 29 Nov 2026 20:00 CET (UTC+01:00)"},
		{"zone without a name", "America/Sao_Paulo", "Asia/Kathmandu", winter, "Sun 29 Nov 2026 16:00 UTC-03:00, for you Mon 30 Nov 00:45 UTC+05:45"},
		{"universal time", "UTC", "", winter, "Sun 29 Nov 2026 19:00 UTC"},
		{"no zone", "", "", winter, "Sun 29 Nov 2026 19:00 UTC"},
		{"no time", "Europe/Berlin", "", time.Time{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := When{At: c.at}
			if c.game != "" {
				w.GameZone = zone(t, c.game)
			}
			if c.reader != "" {
				w.ReaderZone = zone(t, c.reader)
			}
			if got := w.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestHeadNamesGameTurnAndPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		head        Head
		tag, marker string
	}{
		{"no game", Head{}, "[pbemd]", "== pbemd: help =="},
		{"no turn", Head{Game: "Dusk"}, "[Dusk]", "== pbemd Dusk: help =="},
		{"turn", Head{Game: "Dusk", Turn: 3}, "[Dusk-3]", "== pbemd Dusk turn 3: help =="},
		{"second phase", Head{Game: "Dusk", Turn: 3, Phase: 1}, "[Dusk-3]", "== pbemd Dusk turn 3 part 2: help =="},
		{"line break", Head{Game: "Du\r\nsk", Turn: 3}, "[Du sk-3]", "== pbemd Du sk turn 3: help =="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.head.Tag(); got != c.tag {
				t.Errorf("Tag %q, want %q", got, c.tag)
			}
			if got := c.head.MarkerLine("help"); got != c.marker {
				t.Errorf("MarkerLine %q, want %q", got, c.marker)
			}
		})
	}
}

func TestReceiptSubjectCountsWhatNeedsAnEye(t *testing.T) {
	t.Parallel()
	wrong, note := game.Problem{Severity: game.Wrong}, game.Problem{Severity: game.Noted}
	for _, c := range []struct {
		name string
		in   ReceiptIn
		want string
	}{
		{"clean", ReceiptIn{Characters: []ReceiptCharacter{{Name: "Bobo"}}}, "Orders for Bobo received"},
		{"notes do not count", ReceiptIn{Characters: []ReceiptCharacter{{Name: "Bobo", Problems: []game.Problem{note}}}}, "Orders for Bobo received"},
		{"one", ReceiptIn{Characters: []ReceiptCharacter{{Name: "Bobo", Problems: []game.Problem{wrong, note}}}}, "Orders for Bobo received (1 problem)"},
		{"of the letter too", ReceiptIn{Problems: []game.Problem{wrong}, Characters: []ReceiptCharacter{{Name: "Bobo", Problems: []game.Problem{wrong}}, {Name: "Mira"}}},
			"Orders for Bobo and Mira received (2 problems)"},
		{"check", ReceiptIn{Check: true, Characters: []ReceiptCharacter{{Name: "Bobo"}}}, "NOT SUBMITTED: Bobo"},
		{"check of nothing", ReceiptIn{Check: true}, "NOT SUBMITTED"},
		{"no orders", ReceiptIn{}, "Your letter: no orders in it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.in.Subject(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnswerRefusesWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	if _, err := Answer("nothing", Head{}, nil); err == nil {
		t.Error("an unknown kind is written")
	}
	if _, err := Answer("stale", Head{}, Approved{}); err == nil {
		t.Error("another kind's data is written")
	}
}

func TestReportWithTheNextTurnIsTaggedWithIt(t *testing.T) {
	t.Parallel()
	m, err := TurnReport(turnReport(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := "[Dusk-4] Turn 3 is over, turn 4 opens"; m.Subject != want {
		t.Errorf("Subject %q, want %q", m.Subject, want)
	}
	if !strings.Contains(m.Text, "BEGIN ORDERS Dusk-4") {
		t.Error("the form of the next turn is missing")
	}
}

func TestOKIsPossibleAtAGlance(t *testing.T) {
	t.Parallel()
	m, err := Packet(packet(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(m.Text, "\n")
	if want := "Nothing unusual. Answer OK to release attempt 1."; lines[2] != want {
		t.Errorf("the first line after the marker is %q, want %q", lines[2], want)
	}
}

func TestPacketAnswersComeFromThePacket(t *testing.T) {
	t.Parallel()
	var got []string
	for _, l := range unusualPacket(t).Answers() {
		got = append(got, l.Label)
	}
	want := []string{"OK", "EVENT 2 MISS", "MOD zog +10 because high ground", "DIE hit/zog/r1.1 = 23", "BOBO STA 38",
		"AS zog: hold", "ACCEPT 1", "NOTE The lights go out.", "RULINGS", "DROP 1", "REOPEN 24h"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := (PacketIn{}).Answers(); got[0].Label != "OK" || len(got) != 4 {
		t.Errorf("a packet without events offers %v", got)
	}
}

func TestCaretsStandUnderTheSpan(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghi ", 20)
	for _, c := range []struct {
		name   string
		source string
		at     game.Span
		want   []string
	}{
		{"short", "fire lasr", game.Span{Col: 6, Len: 4}, []string{"fire lasr", "     ^^^^"}},
		{"tab keeps its column", "a\tlasr", game.Span{Col: 3, Len: 4}, []string{"a lasr", "  ^^^^"}},
		{"wide characters", "日本 lasr", game.Span{Col: 4, Len: 4}, []string{"日本 lasr", "     ^^^^"}},
		{"no length", "fire", game.Span{Col: 2}, []string{"fire", " ^"}},
		{"no place", "fire", game.Span{}, []string{"fire"}},
		{"beyond the line", "fire", game.Span{Col: 40, Len: 3}, []string{"fire"}},
		{"longer than the line", "fire", game.Span{Col: 3, Len: 30}, []string{"fire", "  ^^"}},
		{"empty", "", game.Span{Col: 1, Len: 1}, []string{""}},
		{"beginning of a long line", long, game.Span{Col: 1, Len: 9},
			[]string{"abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi ab…", "^^^^^^^^^"}},
		{"middle of a long line", long, game.Span{Col: 101, Len: 9},
			[]string{"…efghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdef…", strings.Repeat(" ", 27) + "^^^^^^^^^"}},
		{"span longer than the window", long, game.Span{Col: 1, Len: 150},
			[]string{"abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi ab…", strings.Repeat("^", 62)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := caret(c.source, c.at)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			m := block{Kind: pre, Lines: got}.Marked()
			if (m != nil) != (len(got) == 2) {
				t.Fatalf("Marked gives %v", m)
			}
			if m != nil && (m.Before+m.Span+m.After != got[0] || textWidth(m.Span) != strings.Count(got[1], "^")) {
				t.Errorf("Marked gives %q", *m)
			}
		})
	}
}

func FuzzCaret(f *testing.F) {
	f.Add("fire lasr at Zog", 6, 4)
	f.Add(strings.Repeat("日本 ", 60), 70, 500)
	f.Fuzz(func(t *testing.T, source string, col, length int) {
		for _, l := range caret(source, game.Span{Line: 1, Col: col, Len: length}) {
			if textWidth(l) > caretWidth+2 {
				t.Fatalf("%d columns: %q", textWidth(l), l)
			}
		}
	})
}

func TestPlacesAreSaidInWords(t *testing.T) {
	t.Parallel()
	sq := func(x, y int) game.Square { return game.Square{X: x, Y: y} }
	for _, c := range []struct {
		to   game.Square
		want string
	}{
		{sq(10, 10), ""}, {sq(10, 0), "north"}, {sq(20, 10), "east"}, {sq(10, 11), "south"}, {sq(0, 10), "west"},
		{sq(20, 20), "south-east"}, {sq(0, 0), "north-west"}, {sq(14, 0), "north"}, {sq(15, 0), "north-east"}, {sq(0, 14), "west"},
	} {
		if got := compass(sq(10, 10), c.to); got != c.want {
			t.Errorf("from K11 to %s: %q, want %q", c.to, got, c.want)
		}
	}
	for _, c := range []struct {
		list []game.Square
		want string
	}{
		{nil, ""}, {[]game.Square{sq(4, 3)}, "E4"}, {[]game.Square{sq(4, 3), sq(5, 3)}, "E4 to F4"},
		{[]game.Square{sq(0, 0), sq(2, 2)}, "A1, C3"},
		{[]game.Square{sq(0, 0), sq(2, 0), sq(4, 0), sq(6, 0), sq(8, 0), sq(10, 0), sq(12, 0), sq(14, 0)}, "A1, C1, E1, G1, I1, K1, M1, O1"},
		{[]game.Square{sq(0, 1), sq(0, 0), sq(1, 1), sq(2, 1), sq(0, 2), sq(1, 2), sq(2, 2)}, "A1 to A3, B2 to C3"},
		{every2nd(30), "A1, C1, E1, G1, I1, K1, M1, O1, Q1, S1, U1, W1, 18 more squares"},
	} {
		if got := squares(c.list); got != c.want {
			t.Errorf("squares(%v) = %q, want %q", c.list, got, c.want)
		}
	}
	hand := game.View{Viewer: "bobo", Units: "m", Self: game.Sight{Place: sq(5, 4)}}
	for _, c := range []struct {
		at   game.Square
		want string
	}{{sq(5, 4), "F5, in the same square"}, {sq(6, 4), "G5, 2 m east"}} {
		if got := seen(hand, game.Sight{Place: c.at, Distance: 2 * (c.at.X - 5), InSight: true}); got != c.want {
			t.Errorf("seen at %s: %q, want %q", c.at, got, c.want)
		}
	}
	for units, want := range map[string]string{"m": "10 m", "yd": "11 yd", "ft": "33 ft", "": "10 m"} {
		if got := game.Length(10, units); got != want {
			t.Errorf("10 m in %q: %q, want %q", units, got, want)
		}
	}
}

// every2nd are n squares of which none touches another.
func every2nd(n int) []game.Square {
	var out []game.Square
	for i := range n {
		out = append(out, game.Square{X: 2 * i})
	}
	return out
}
