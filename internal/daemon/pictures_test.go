package daemon

import (
	"bytes"
	"html"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

var shownBy = regexp.MustCompile(`<img src="cid:([^"]+)" width="[0-9]+" alt="([^"]+)"`)

// pictured gives the alt texts of a mail's pictures by file name, and fails the
// test unless its HTML shows each of them once and no other, and it is small.
func pictured(t testing.TB, m mailIn) map[string]string {
	t.Helper()
	env, err := enmime.ReadEnvelope(bytes.NewReader(m.raw))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]*enmime.Part{}
	for _, p := range env.Inlines {
		parts[p.ContentID] = p
	}
	out := map[string]string{}
	for _, img := range shownBy.FindAllStringSubmatch(m.html, -1) {
		p := parts[img[1]]
		if p == nil {
			t.Errorf("%s: no part for %s", m.subject, img[0])
			continue
		}
		if _, err := png.DecodeConfig(bytes.NewReader(p.Content)); err != nil {
			t.Errorf("%s: %s: %v", m.subject, p.FileName, err)
		}
		if len(strings.Fields(html.UnescapeString(img[2]))) < 4 {
			t.Errorf("%s: %s is described as %q", m.subject, p.FileName, img[2])
		}
		out[p.FileName] = img[2]
		delete(parts, img[1])
	}
	if len(parts) > 0 || strings.Count(m.html, "<img") != len(out) {
		t.Errorf("%s: %d pictures in it, %d more of which nothing is seen, %d <img>", m.subject, len(out), len(parts), strings.Count(m.html, "<img"))
	}
	if len(m.raw) > 150_000 {
		t.Errorf("%s: %d bytes", m.subject, len(m.raw))
	}
	return out
}

func TestMailsShowMapAndTimelineOfWhatTheirReaderKnows(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/pbemd.db", benchOptions{})
	opening := b.with("anna", "the turn opens")
	places := pictured(t, opening)
	contains(t, "Anna's map", places["map.png"], "B: Bobo (yours) at C6.", "Z: Zog (enemy) at P6.")
	contains(t, "Anna's map in plain text", opening.text, "  6 . . B .", "B Bobo (yours); C Chirik (ally);")
	contains(t, "the GM's map", pictured(t, b.with("greta", "the turn opens"))["map.png"], "Rask (smugglers) at R12")

	b.reply("anna", opening, "Two shots at Zog, then run to the near crates.")
	b.clock.set(time.Date(2026, 3, 2, 19, 5, 0, 0, time.UTC))
	b.crank()
	packet := b.with("greta", "attempt 1")
	draft := pictured(t, packet)
	contains(t, "the packet's map", draft["map.png"], "Bobo (heroes, from C6)", "Rask (smugglers)")
	contains(t, "the packet's timeline", draft["course.png"], "Bobo", "Zog")
	b.reply("greta", packet, "OK")
	b.crank()
	for who, want := range map[string]string{"anna": "Bobo (yours, from C6)", "ben": "Bobo (ally, from C6)", "greta": "Bobo (heroes, from C6)"} {
		m := b.with(who, "report")
		all := pictured(t, m)
		contains(t, who+"'s map", all["map.png"], want)
		contains(t, who+"'s timeline", all["course.png"], "Bobo", "Zog")
		if who != "greta" && strings.Contains(m.text+m.html, "Rask") {
			t.Errorf("%s reads of Rask, whom nobody sees", who)
		}
	}
}

// BenchmarkPicturesOfSixReaders draws what a packet and the reports to five
// players and their GM show.
func BenchmarkPicturesOfSixReaders(b *testing.B) {
	d, t, a := sixReaders(b)
	out, err := outcomeOf(a)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if len(d.looks(t, a.WorldAfter, out, t.Roles...)) != 6 {
			b.Fatal("pictures are missing")
		}
	}
}

// BenchmarkATurnWithSixReaders resolves a turn, and writes its packet and six
// reports; what the database takes is not in it.
func BenchmarkATurnWithSixReaders(b *testing.B) {
	d, t, _ := sixReaders(b)
	gm, _ := t.gm()
	for b.Loop() {
		a, out, err := d.attempt(t)
		if err != nil {
			b.Fatal(err)
		}
		t.Draft = nil
		if _, err := d.packet(t, gm, a, out, d.looks(t, a.WorldAfter, out, gm)[gm.ID]); err != nil {
			b.Fatal(err)
		}
		t.Draft = &a
		next := t.Turn
		next.N++
		all, err := d.told(b.Context(), t, out)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.releaseMails(t, all, next, false); err != nil {
			b.Fatal(err)
		}
	}
}

// sixReaders is the demo's turn after its close, with five players: two more
// order the foes.
func sixReaders(b *testing.B) (*Daemon, *table, store.Attempt) {
	b.Helper()
	file := strings.Replace(dailyGame(b), "# The map.", `[[player]]
id = "dora"
name = "Dora"
address = "dora@pbemd.localhost"

[[player]]
id = "emil"
name = "Emil"
address = "emil@pbemd.localhost"

# The map.`, 1)
	for who, player := range map[string]string{"zog": "dora", "kira": "emil"} {
		file = strings.Replace(file, `id = "`+who+`"`, `id = "`+who+`"`+"\nplayer = \""+player+`"`, 1)
	}
	x := newBench(b, "sqlite:"+b.TempDir()+"/pbemd.db", benchOptions{file: file})
	x.clock.set(time.Date(2026, 3, 2, 19, 5, 0, 0, time.UTC))
	x.crank()
	t, err := x.d.table(x.game())
	if err != nil {
		b.Fatal(err)
	}
	if t.Draft == nil || t.Turn.State != game.Review || len(t.Roles) != 6 {
		b.Fatalf("the turn is %s, with %d readers", t.Turn.State, len(t.Roles))
	}
	return x.d, t, *t.Draft
}
