package daemon

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// bridged plays two turns of the game on the bridge, and in it players and GM say,
// ask and do whatever makes a mail that tells of time.
func bridged(t *testing.T, file string) *bench {
	t.Helper()
	b := newBench(t, oneDatabase(t), benchOptions{noGame: true})
	b.create(file)
	say := func(user string, m mailIn, text string) {
		t.Helper()
		b.reply(user, m, text)
		b.crank()
	}
	master := func(what, text string) { t.Helper(); say("greta", b.with("greta", what), text) }
	anna, ben := b.with("anna", "the turn opens"), b.with("ben", "the turn opens")
	say("anna", anna, "CHECK\nfire at Lurk, then at the man behind the toll house")
	say("anna", anna, "Strike at Grunmar with the long sword.\nParry with the shield up to -30.\nIf Lurk comes within 5 m, I strike at him.")
	for _, ask := range []string{"STATUS", "HELP"} {
		say("anna", anna, ask)
	}
	master("the turn opens", "STATUS")
	b.at(utc(3, 2, 15, 0)) // Ben is reminded
	say("ben", ben, "Set attack on Tolk with the bow at +50.\nAlways dodge arrows.")
	b.at(utc(3, 2, 19, 5))
	master("attempt 1", "WHY 3")
	master("attempt 1", "SET corvin HP 38")
	b.at(utc(3, 4, 1, 0)) // the GM is reminded, and the players hear whom they wait for
	master("attempt 2", "OK\nNOTE A horn far away.")
	report := b.with("anna", "report")
	for _, ask := range []string{"WHY 1", "WHY 4", "WHY 9", "STATUS"} {
		say("anna", report, ask)
	}
	master("turn 2", "ERRATUM It was no horn but a cow.")
	b.clock.advance(2 * time.Hour)
	say("anna", report, "Strike at the nearest enemy with the long sword.\nSay \"Stop!\"")
	b.at(utc(3, 5, 19, 5))
	master("turn 2: attempt 1", "OK")
	return b
}

// watcher stands behind the toll house of the bridge, where nobody sees him.
const watcher = `
[[combatant]]
id = "lurk"
name = "Lurk"
side = "toll"
race = "Human"
description = "man behind the toll house"
place = "K1"
policy = "hold"
visible_to = "none"
str = 11
agi = 13
dex = 12
con = 12
will = 12
skills = { one_handed = 50, defense = 30 }

[[combatant.weapon]]
id = "lurk-sword"
kind = "long_sword"
name = "long sword"
state = "sheathed"
`

// TestTimeThatRunsOnIsToldInItsUnit: no mail of a game whose time is in segments
// speaks of the time of another system, and all that tell of a turn or a deed say
// which segments it took.
func TestTimeThatRunsOnIsToldInItsUnit(t *testing.T) {
	t.Parallel()
	b := bridged(t, dailyExample(t, "Bridge")+watcher)
	b.reply("greta", b.with("greta", "turn 3 opens"), "HELP")
	b.crank()
	foreign := regexp.MustCompile(`(?i)\bslots?\b|\binitiative|\brounds? [0-9]|\br[0-9]+\.[0-9]|\bpart [0-9]|anybody is surprised|\bSTA\b`)
	for _, who := range []string{"anna", "ben", "greta"} {
		b.read[who] = 0
		for _, m := range b.inbox(who) {
			if word := foreign.FindString(m.text + m.html); word != "" {
				t.Errorf("%s, %s: %q\n%s", who, m.subject, word, m.text)
			}
		}
	}
	for _, want := range []struct {
		who, mail string
		says      []string
	}{
		{"anna", "Dusk turn 1: the turn opens", []string{"turn 1, segments 0 to 11", "If you send nothing for Corvin, what was begun goes on"}},
		{"greta", "Dusk turn 1: the turn opens", []string{"turn 1, segments 0 to 11"}},
		{"anna", "Dusk turn 1: orders received", []string{"as things stand before segment 0", "segments 0 to 11"}},
		{"anna", "Dusk turn 1: status", []string{"1, open for orders, segments 0 to 11"}},
		{"ben", "Dusk turn 1: reminder", []string{"Turn 1 takes segments 0 to 11. Without new orders what was begun goes on"}},
		{"greta", "Dusk turn 2: attempt 1", []string{"What happens in segments 12 to 23", "Ysolde nothing new: what was begun goes on"}},
		{"greta", "Dusk turn 1: attempt 1", []string{"What happens in segments 0 to 11", " Segment 2 4. ", " segment 2: "}},
		{"anna", "Dusk turn 1: report", []string{"what happened in turn 1, segments 0 to 11", " Segment 2 4. ", "turn 2, segments 12 to 23"}},
		{"anna", "why line 4 of", []string{"It was in segment "}},
		{"anna", "Dusk turn 2: report", []string{"turn 2, segments 12 to 23", "segments 24 to 35"}},
		{"greta", "why line 3 of", []string{"It was in segment 0."}},
	} {
		b.read[want.who] = 0
		says(t, want.who+"'s mail", b.with(want.who, want.mail), want.says...)
	}
	// Words that a new order says are said when the window begins.
	b.read["ben"] = 0
	if text := b.with("ben", "Dusk turn 2: report").text; !strings.Contains(text, "Segment 12\n\n1. ") || !strings.Contains(text, "Corvin: “Stop!”") {
		t.Errorf("Corvin's word:\n%s", text)
	}
}
