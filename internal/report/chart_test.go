package report

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// field is a view of an empty map.
func field(width, height int, self game.Sight, others ...game.Sight) game.View {
	self.Relation, self.InSight = "self", true
	return game.View{Viewer: self.ID, Units: "m", ScaleMM: 2000, Width: width, Height: height, Self: self, Others: others}
}

func sight(id, name, relation string, x, y int) game.Sight {
	return game.Sight{ID: game.ID(id), Name: name, Side: game.ID(relation), Relation: relation, Place: game.Square{X: x, Y: y}, InSight: true}
}

func drawn(t *testing.T, before, now []game.View) *Picture {
	t.Helper()
	p := new(Atlas).Map(before, now)
	if p == nil {
		t.Fatal("no map")
	}
	return p
}

func TestAMapInPlainText(t *testing.T) {
	t.Parallel()
	v := field(8, 5, sight("bobo", "Bobo", "self", 1, 1), sight("bea", "Bea", "ally", 1, 3), sight("zog", "Zog", "enemy", 6, 2), sight("zed", "Zed", "enemy", 6, 2))
	v.Others[0].InSight = false
	v.Others[2].Status = []string{"down"}
	v.Features = []game.Feature{
		{Kind: "wall", Opaque: true, Cover: "hard", Squares: []game.Square{{X: 3, Y: 0}, {X: 3, Y: 1}}},
		{Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 3, Y: 2}}},
		{Kind: "door", State: "open", Squares: []game.Square{{X: 3, Y: 3}}},
		{Kind: "crate", Low: true, Cover: "hard", Squares: []game.Square{{X: 5, Y: 2}, {X: 3, Y: 1}}},
		{Kind: "bush", Cover: "soft", Squares: []game.Square{{X: 0, Y: 0}, {X: 99, Y: 0}, {X: -1, Y: 0}}},
		{Kind: "pool", Squares: []game.Square{{X: 7, Y: 4}}},
	}
	old := field(8, 5, sight("bobo", "Bobo", "self", 0, 4), sight("kira", "Kira", "enemy", 7, 0), sight("zog", "Zog", "enemy", 6, 2))
	want := []string{
		"    A B C D E F G H",
		"  1 : . . # . . . K",
		"  2 . B . # . . . .",
		"  3 . . . + . % * .",
		"  4 . E . / . . . .",
		"  5 . . . . . . . ,",
		"",
		"B Bobo (yours, from A5); E Bea (ally); Z Zed (enemy, down); O Zog",
		"(enemy); K Kira (enemy, last seen at H1); * more than one; # blocks",
		"sight; + closed door; / open door; % hard cover; : soft cover; , other.",
		"A square is 2 m.",
	}
	p := drawn(t, []game.View{old}, []game.View{v})
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Error(diff)
	}
	const alt = "Map of 8 by 5 squares of 2 m. B: Bobo (yours, from A5) at B2. E: Bea (ally) at B4. " +
		"Z: Zed (enemy, down) at G3. O: Zog (enemy) at G3. K: Kira (enemy, last seen at H1). Blocks sight: D1 to D2. Closed door: D3. Open door: D4. Hard cover: F3. Soft cover: A1. Other: H5."
	if p.Alt != alt {
		t.Errorf("alt text: %s", p.Alt)
	}
}

func TestAMapOfAnySizeFitsThePage(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {3, 40}, {34, 5}, {35, 5}, {48, 48}, {49, 2}, {200, 120}, {700, 999}, {5000, 5000}} {
		corner := sight("zog", "Zog", "enemy", size[0]-1, size[1]-1)
		near := field(size[0], size[1], sight("bobo", "Bobo", "self", 0, 0))
		far := field(size[0], size[1], sight("bobo", "Bobo", "self", 0, 0), corner)
		for _, v := range []game.View{near, far} {
			p := drawn(t, nil, []game.View{v})
			all := strings.Join(p.Text, "\n")
			for _, l := range p.Text {
				if textWidth(l) > columns {
					t.Errorf("%v: %d columns: %s", size, textWidth(l), l)
				}
			}
			if len(p.Text) > mostCells+8 {
				t.Errorf("%v: %d lines", size, len(p.Text))
			}
			for _, f := range append(v.Others, v.Self) {
				if places := strings.Join(p.Text[1:len(p.Text)-2], "\n"); size[0] > 1 && !strings.Contains(places, f.Name[:1]) {
					t.Errorf("%v: %s is not on the map:\n%s", size, f.Name, all)
				}
			}
			img, err := png.DecodeConfig(bytes.NewReader(p.PNG))
			if err != nil || img.Width != pixel(sheetWidth) || img.Height > 1800 || len(p.PNG) > 50_000 {
				t.Errorf("%v: a picture of %dx%d, %d bytes, %v", size, img.Width, img.Height, len(p.PNG), err)
			}
		}
	}
}

func TestABigMapSaysWhichPartIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		others []game.Sight
		want   string
	}{
		{"people close together", []game.Sight{sight("zog", "Zog", "enemy", 60, 60)}, "A square is 2 m. Shown: AS42 to BP65 of 200 by 120 squares."},
		{"people far apart", []game.Sight{sight("zog", "Zog", "enemy", 190, 60)},
			"A square is 2 m. Shown: AV42 to GM65 of 200 by 120 squares. A place on\nthe map is 4 by 4 squares."},
	} {
		v := field(200, 120, sight("bobo", "Bobo", "self", 50, 45), c.others...)
		if got := strings.Join(drawn(t, nil, []game.View{v}).Text, "\n"); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
}

func TestTwoCharactersOfAPlayerShareAMap(t *testing.T) {
	t.Parallel()
	zog := sight("zog", "Zog", "enemy", 5, 1)
	unknown := game.Sight{ID: "zog", Name: "a distant figure", Relation: "enemy", Place: game.Square{X: 5, Y: 1}, InSight: true}
	bobo := field(8, 3, sight("bobo", "Bobo", "self", 0, 0), sight("mira", "Mira", "ally", 0, 2), unknown)
	mira := field(8, 3, sight("mira", "Mira", "self", 0, 2), sight("bobo", "Bobo", "ally", 0, 0), zog)
	for _, views := range [][]game.View{{bobo, mira}, {mira, bobo}} {
		got := strings.Join(drawn(t, nil, views).Text, "\n")
		if !strings.Contains(got, "B Bobo (yours); M Mira (yours); Z Zog (enemy).") {
			t.Error(got)
		}
	}
}

func TestWhoeverIsNotToldApartHasNoPast(t *testing.T) {
	t.Parallel()
	figure := func(id string, x int) game.Sight {
		return game.Sight{ID: game.ID(id), Name: "a distant figure", Relation: "enemy", Place: game.Square{X: x, Y: 0}, InSight: true}
	}
	self := sight("bobo", "Bobo", "self", 0, 0)
	before := []game.View{field(40, 1, self, figure("zog", 39))}
	same := drawn(t, before, []game.View{field(40, 1, self, figure("zog", 37))})
	other := drawn(t, before, []game.View{field(40, 1, self, figure("kira", 37))})
	if diff := cmp.Diff(same, other); diff != "" {
		t.Error(diff)
	}
	if text := strings.Join(same.Text, "\n"); strings.Contains(text, "from") || strings.Contains(text, "last seen") {
		t.Error(text)
	}
}

// On a GM's map the players' side looks as it does on theirs, whatever its name.
func TestAGMsMapShowsThePlayersSideAsTheirs(t *testing.T) {
	t.Parallel()
	for _, side := range []game.ID{"crew", "gang"} {
		for _, f := range newChart(nil, []game.View{master()}, side).figures {
			if f.sight.Side == side && f.stance != yours || f.sight.Side != side && f.stance == yours {
				t.Errorf("players are of the %s: %s is drawn as %d", side, f.sight.Name, f.stance)
			}
		}
	}
}

func TestTheGMsMapHasSides(t *testing.T) {
	t.Parallel()
	got := strings.Join(drawn(t, nil, []game.View{master()}).Text, "\n")
	if !strings.Contains(got, "B Bobo (crew); M Mira (crew); Z Zog (gang);") {
		t.Error(got)
	}
}

func TestThereAreMorePeopleThanLetters(t *testing.T) {
	t.Parallel()
	v := field(48, 48, sight("bobo", "Bobo", "self", 0, 0))
	for i := range 200 {
		v.Others = append(v.Others, sight(fmt.Sprintf("z%03d", i), "日本", "enemy", i%48, i/48+1))
	}
	p := drawn(t, nil, []game.View{v})
	if text := strings.Join(p.Text, "\n"); !strings.Contains(text, "? 日本 (enemy)") {
		t.Error(text)
	}
	if len(p.PNG) > 60_000 {
		t.Errorf("%d bytes", len(p.PNG))
	}
}

func TestThereIsNoMapWithoutSquares(t *testing.T) {
	t.Parallel()
	for _, views := range [][]game.View{nil, {mira()}, {{Width: -3, Height: 5}}} {
		if p := new(Atlas).Map(nil, views); p != nil {
			t.Errorf("%v", p.Text)
		}
	}
}

func TestAnAtlasDrawsAsIfEachMapWereTheFirst(t *testing.T) {
	t.Parallel()
	var a Atlas
	other := bobo()
	other.Others = other.Others[:1]
	for _, v := range []game.View{bobo(), other, master(), bobo()} {
		if diff := cmp.Diff(drawn(t, nil, []game.View{v}), a.Map(nil, []game.View{v})); diff != "" {
			t.Error(diff)
		}
	}
	if len(a.grounds) != 1 {
		t.Errorf("the ground was drawn %d times", len(a.grounds))
	}
}

// TestPicturesHaveTheBytesOfTheGoldenHashes holds where these were made; other
// processors may round the edge of a letter otherwise.
func TestPicturesHaveTheBytesOfTheGoldenHashes(t *testing.T) {
	t.Parallel()
	got := map[string]string{
		"players map": digest(playersMap().PNG), "gm's map": digest(mastersMap().PNG),
		"player's course": digest(playersCourse().Picture.PNG), "gm's course": digest(mastersCourse().Picture.PNG),
		"a long course": digest(longCourse(t, "bobo").Picture.PNG),
	}
	want := map[string]string{
		"players map": "94b02a56ec079d6b", "gm's map": "c878c5d71016b72b",
		"player's course": "1cbff1948a904006", "gm's course": "48ccbb85037df406", "a long course": "43ac2cb8d01cadac",
	}
	if diff := cmp.Diff(want, got); diff != "" && runtime.GOARCH == "amd64" {
		t.Error(diff)
	}
}

func TestEveryColourIsKept(t *testing.T) {
	t.Parallel()
	levels := map[int]color.RGBA{}
	for _, c := range exact {
		if other, ok := levels[level(c)]; ok {
			t.Errorf("%v and %v become one", c, other)
		}
		levels[level(c)] = c
	}
}

func BenchmarkMap(b *testing.B) {
	v := bobo()
	for b.Loop() {
		var a Atlas
		a.Map(nil, []game.View{v})
	}
}

func BenchmarkMapOfABigBattle(b *testing.B) {
	v := field(200, 120, sight("bobo", "Bobo", "self", 0, 0))
	for i := range 199 {
		v.Others = append(v.Others, sight(fmt.Sprintf("z%03d", i), fmt.Sprintf("Zog %d", i), "enemy", i%200, i/2))
	}
	for b.Loop() {
		var a Atlas
		a.Map(nil, []game.View{v})
	}
}
