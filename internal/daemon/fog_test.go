package daemon

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/examples"
)

// got is all of a mail that its reader gets: besides what he is shown, all header
// fields but those with tokens and running numbers.
type got struct {
	Kind, Template        string
	Header                map[string][]string
	Subject, Text, HTML   string
	Pictures, Description map[string]string // by Content-ID
}

// everything gives all that a person was sent, in order. Each mail brings its
// pictures along, and its HTML shows them and no other.
func (b *bench) everything(user string) []got {
	b.t.Helper()
	b.read[user] = 0
	var out []got
	for _, m := range b.inbox(user) {
		env, err := enmime.ReadEnvelope(bytes.NewReader(m.raw))
		if err != nil {
			b.t.Fatal(err)
		}
		pictured(b.t, m)
		stored := b.asStored(m)
		g := got{Kind: stored.Kind, Template: templateOf(b.t, stored), Subject: m.subject, Text: m.text, HTML: m.html,
			Header: map[string][]string{}, Pictures: map[string]string{}, Description: map[string]string{}}
		for _, key := range env.GetHeaderKeys() {
			switch key {
			case "Message-Id", "Reply-To", "References", "In-Reply-To", "Received", "Content-Type":
			default:
				g.Header[key] = env.GetHeaderValues(key)
			}
		}
		for _, p := range env.Inlines {
			g.Pictures[p.ContentID], g.Description[p.ContentID] = string(p.Content), p.Header.Get("Content-Description")
		}
		out = append(out, g)
	}
	return out
}

// players are the seats of the demo's game but the GM's.
var players = []string{"anna", "ben", "carla"}

// played plays the demo's game to its end, and in it players and GM say, ask and
// do whatever makes a mail to a player. Rask, whom no player has heard of, is
// spoken of in it again and again.
func played(t *testing.T, file string) *bench {
	t.Helper()
	b := newBench(t, oneDatabase(t), benchOptions{file: file})
	say := func(user string, m mailIn, text string, how ...arrival) {
		t.Helper()
		b.reply(user, m, text, how...)
		b.crank()
	}
	master := func(what, text string) { t.Helper(); say("greta", b.with("greta", what), text) }
	anna, ben := b.with("anna", "the turn opens"), b.with("ben", "the turn opens")

	// Turn 1 while it is open.
	say("anna", anna, "CHECK\nfire at Rask, then at the man behind the containers")
	say("anna", anna, "Fire one shot at Rask. Then fire two shots at Zog.\nIf Rask comes within 5 m, I shoot him.")
	say("anna", anna, "Two shots at Zog, then duck. Then one shot at Rask.")
	for _, ask := range []string{"STATUS", "HELP", "WHY 3", "Rask!", "REPORT 1", "OK Rask", "STATUS", "Thanks, Rask"} {
		say("anna", anna, ask) // gathered from the sixth on
	}
	say("ben", ben, "READY\nRask")
	say("ben", ben, "READY")
	say("ben", ben, "UNREADY")
	say("ben", ben, "Run to E9, then one shot at Rask.")
	say("ben", ben, "CLEAR")
	say("ben", ben, "Run to E9, then one shot at Rask.")
	say("mallory", ben, "Chirik shoots Rask", arrival{auth: "none"})         // held
	b.letter("ben", "Rask", "", "Chirik shoots Rask", arrival{auth: "none"}) // without proof
	say("ben", ben, "HELP ORDERS")
	say("ben", ben, "Run to E9.", arrival{cc: "carla@" + testDomain}) // fresh addresses
	ben = b.with("ben", "orders received")                            // with one of them
	for _, word := range []string{"EXTEND 2h", "PAUSE", "RESUME"} {
		master("turn 1", word)
	}
	b.at(utc(3, 2, 15, 0)) // Carla is reminded, and Anna's answers come
	b.at(utc(3, 2, 21, 5))

	// Closed: late letters, orders reopened, the wait for the GM.
	say("ben", ben, "One shot at Rask.")
	lateLetter(b, "ben", ben, "Two shots at Rask.")
	b.crank()
	say("ben", ben, "READY")
	master("attempt 1", "REOPEN 2h")
	say("ben", ben, "One shot at Zog.")
	b.at(utc(3, 2, 23, 30))
	master("attempt 2", "MOD bobo +5 because the lamps are bright")
	master("attempt 3", "DIE hit/bobo/r1.1 = 40")
	b.at(utc(3, 4, 1, 0))
	master("attempt 4", "OK\nNOTE A dog barks.")

	// The report, and what is asked about it.
	report := b.with("anna", "report")
	for _, ask := range []string{"WHY 1", "WHY 2", "WHY 3", "WHY 99", "REPORT 1"} {
		say("anna", report, ask)
	}
	b.clock.advance(2 * time.Hour)
	say("anna", anna, "Two shots at Rask.")
	say("anna", report, "STATUS")
	say("anna", report, "Two shots at Rask.")
	master("turn 2", "ERRATUM It was no dog but a cat.")

	// Another game of the same people: which one does Ben mean?
	second := strings.Replace(file, `name = "Dusk"`, `name = "Dawn"`, 1)
	b.create(second)
	b.letter("ben", "orders", "", "Two shots at Rask.", arrival{})
	b.crank()

	// Turn 2 ends the game.
	b.at(utc(3, 5, 19, 5))
	master("Dusk turn 2: attempt 1", "BOBO STA 0\nCHIRIK STA 0\nMIRA STA 0")
	master("Dusk turn 2: attempt 2", "OK")
	say("anna", b.with("anna", "report"), "Two shots at Rask.")
	say("anna", b.with("anna", "report"), "HELP ORDERS")
	return b
}

// ambushed plays the ambush up to the second turn: who notices something is asked
// what he does, in a mail of its own.
func ambushed(t *testing.T, file string) *bench {
	t.Helper()
	b := newBench(t, oneDatabase(t), benchOptions{noGame: true})
	b.create(file)
	b.reply("anna", b.with("anna", "the turn opens"), "If Lurk comes within 5 m, I shoot him.")
	b.reply("greta", b.with("greta", "the turn opens"), "AS Ruk: throw a doze grenade at Tarn\nAS Vale: fire once at Chitter")
	b.crank()
	b.at(utc(3, 2, 19, 5))
	b.reply("greta", b.with("greta", "attempt 1"), "EVENT 1 NOTICED\nEVENT 3 NOTICED")
	b.crank()
	b.reply("greta", b.with("greta", "attempt 2"), "OK")
	b.crank()
	brief := b.with("anna", "part 2 opens")
	for _, text := range []string{"WHY 1", "STATUS", "HELP ORDERS", "CHECK\nfire at Lurk", "Tarn dives behind the fallen trunk.", "REPORT 1"} {
		b.reply("anna", brief, text)
		b.crank()
	}
	b.at(utc(3, 3, 19, 5))
	b.reply("greta", b.with("greta", "attempt 3"), "OK")
	b.crank()
	return b
}

// dailyAmbush is the ambush's game with people's hours.
func dailyAmbush(t *testing.T) string { return dailyExample(t, "Ambush") }

// dailyExample is an example whose turns last a day, as the game of the bench.
func dailyExample(t *testing.T, name string) string {
	t.Helper()
	b, err := examples.Files.ReadFile(strings.ToLower(name) + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`name = "`+name+`"`, `name = "Dusk"`, `schedule = "* * * * *"`, `schedule = "0 20 * * *"`,
		`min_turn = "15s"`, `min_turn = "12h"`, `grace = "1s"`, `grace = "5m"`, `remind = "20s"`, `remind = "6h"`).Replace(string(b))
}

// lurk stands in the ambush with the raiders and does nothing.
const lurk = `
[[combatant]]
id = "lurk"
name = "Lurk"
side = "raiders"
race = "Human"
description = "man on a branch"
place = "V12"
facing = "W"
policy = "hold"
visible_to = "none"
str = 45
sta = 40
dex = 70
rs = 75
int = 40
log = 40
per = 35
ldr = 30
`

// TestNoMailTellsOfWhoIsHidden: whoever stands where nobody sees him, and were he
// not there at all, the players get the same mails to the byte: header fields,
// text, HTML, alternative texts and pictures. That holds of every kind of mail
// that can go to a player; a new one fails this test until it is played here.
func TestNoMailTellsOfWhoIsHidden(t *testing.T) {
	t.Parallel()
	whole := dailyGame(t)
	begin := strings.Index(whole, "# Behind the containers")
	if begin < 0 {
		t.Fatal("nobody is behind the containers of the demo's game")
	}
	ambush, bridge := dailyAmbush(t), dailyExample(t, "Bridge")
	audited := map[string]int{}
	for _, c := range []struct {
		name          string
		play          func(*testing.T, string) *bench
		with, without string
	}{
		{"Rask", played, whole, whole[:begin]},
		{"Lurk", ambushed, ambush + lurk, ambush},
		{"Lurk of the bridge", bridged, bridge + watcher, bridge},
	} {
		with, without := c.play(t, c.with), c.play(t, c.without)
		with.everything("greta")
		for _, who := range players {
			want, all := with.everything(who), without.everything(who)
			if len(all) != len(want) {
				t.Errorf("%s got %d mails, with %s %d", who, len(all), c.name, len(want))
				continue
			}
			for i, m := range want {
				audited[m.Template]++
				audited["kind "+m.Kind]++
				if diff := cmp.Diff(m, all[i]); diff != "" {
					t.Errorf("%s, %s (-with %s +without):\n%s", who, m.Subject, c.name, diff)
				}
			}
		}
	}
	all := kindsOfMail(t)
	for _, kind := range all {
		if _, not := notForPlayers[kind]; not != (audited[kind] == 0) {
			t.Errorf("%s: %d mails of it were compared; is it for players: %v", kind, audited[kind], !not)
		}
	}
	for kind := range notForPlayers {
		if !slices.Contains(all, kind) {
			t.Errorf("there is no mail of the kind %q", kind)
		}
	}
}
