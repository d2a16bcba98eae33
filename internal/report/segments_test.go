package report

import (
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// corvin is who reads the mails of a game whose time is in segments.
func corvin() game.View {
	return game.View{
		Viewer: "corvin", System: "eternal-soldier", Turn: 2, Round: 12, ScaleMM: 914, Units: "yd", Width: 22, Height: 9,
		Self: game.Sight{ID: "corvin", Name: "Corvin", Relation: "self", Place: game.Square{X: 4, Y: 4}, Posture: "kneel", Facing: "east", InSight: true},
		Sheet: []game.Line{{Label: "Hit points", Value: "32/40"}, {Label: "Segment", Value: "12"}, {Label: "Under way", Value: "rise from kneeling, done in segment 13"},
			{Label: "Ready with the long sword", Value: "segment 16"}},
		Weapons: []game.Thing{{ID: "sword", Name: "long sword", Kind: "long_sword", State: "in_hand", Melee: true}},
		Others: []game.Sight{
			{ID: "ysolde", Name: "Ysolde", Relation: "ally", Place: game.Square{X: 1, Y: 3}, Distance: 3, InSight: true},
			{ID: "grunmar", Name: "Grunmar", Relation: "enemy", Place: game.Square{X: 6, Y: 4}, Distance: 2, Holding: "two-handed sword", InSight: true},
			{ID: "tolk", Name: "Tolk", Relation: "enemy", Place: game.Square{X: 19, Y: 4}, Distance: 14, InSight: true},
		},
	}
}

// segmentMails are the mails of such a game that tell of time.
func segmentMails(t *testing.T) map[string]Mail {
	t.Helper()
	marks, events := bridgeFight()
	events[2].Lines = []game.Line{{Label: "Ready", Value: "16"}}
	events[2].Dice = []game.Die{{Name: "hit/corvin/s13", Sides: 100, Value: 42, Source: "sealed"}}
	h := Head{Game: "Bridge", Title: "The toll at Harn's Leap", Turn: 2, Reader: "Anna", Now: at(t, 27, 17, 2), Clock: bridgeClock()}
	next := h
	next.Turn, next.Clock.First, next.Clock.Last = 3, 24, 35
	names := map[game.ID]string{"corvin": "Corvin", "ysolde": "Ysolde", "grunmar": "Grunmar", "tolk": "Tolk", "lurk": "Lurk"}
	v := []game.View{corvin()}
	course := func(who game.ID) *Course {
		return NewCourse(marks, events, Reader{Characters: []game.ID{who}, Names: names, Views: v}, h.Clock)
	}
	open := func(h Head) OpeningIn {
		return OpeningIn{Head: h, Deadline: at(t, 29, 19, 0), FormID: "Bridge-2", Dice: diceBlock, Map: new(Atlas).Map(nil, v),
			Characters: []Character{{View: corvin(), Examples: []string{"strike at Grunmar with the long sword"}, GoesOn: true}}}
	}
	goesOn := open(next)
	master := WhyIn{Of: "attempt 1 of turn 2", System: "eternal-soldier", Clock: h.Clock, Events: events, Names: names, Sealed: func(game.Die) string { return "sealed" }}
	why, _, ok := ExplainEvent(master, 7)
	if !ok {
		t.Fatal("there is no event 7")
	}
	out := map[string]Mail{}
	put := func(name string, m Mail, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out["segments-"+name] = m
	}
	m, err := Opening(open(h))
	put("opening", m, err)
	m, err = Receipt(ReceiptIn{Head: h, Deadline: at(t, 29, 19, 0), Received: at(t, 27, 17, 1), Characters: []ReceiptCharacter{{
		Name: "Corvin", Understood: []string{"strike at Grunmar with long sword"}, Forecast: []game.Line{{Label: "Ready with the long sword", Value: "segment 16"}}}}})
	put("receipt", m, err)
	m, err = Packet(PacketIn{Head: h, Attempt: 1, Events: events, Names: names, Course: course(game.GM), Map: new(Atlas).Map(nil, v),
		Missing: []game.Line{{Label: "Ysolde", Value: "nothing new: what was begun goes on"}}})
	put("packet", m, err)
	m, err = TurnReport(TurnReportIn{Head: h, Lines: Project(events, []game.ID{"corvin"}), Names: names, Next: &goesOn, Course: course("corvin"), Dice: diceBlock})
	put("report", m, err)
	m, err = Answer("reminder", h, Reminder{Turn: 2, FormID: "Bridge-2", Deadline: at(t, 29, 19, 0), Owed: []FormEntry{{Name: "Corvin"}}})
	put("reminder", m, err)
	m, err = Answer("why", h, why)
	put("why", m, err)
	return out
}
