package report

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatalf("loading a zone: %v", err)
	}
	return z
}

func at(t *testing.T, day, hour, minute int) When {
	t.Helper()
	return When{
		At:         time.Date(2026, time.November, day, hour, minute, 0, 0, time.UTC),
		GameZone:   zone(t, "Europe/Berlin"),
		ReaderZone: zone(t, "Europe/London"),
	}
}

func head(t *testing.T) Head {
	return Head{
		Game: "Dusk", Title: "Dusk at Pale Station", Turn: 3, Round: 5, Reader: "Alice",
		ReplyHint: "Just reply to this mail.", Now: at(t, 27, 17, 2), Clock: game.Clock{Unit: "slot"},
	}
}

const diceBlock = `pbemd-dice 1
game Dusk
turn 3
seal crew
 3b9f1c6d8e2a4f70b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5061728
seal gm 9a8b7c6d5e4f30213243546576879a8b7c6d5e4f30213243546576879a8b7c6d
end
`

func bobo() game.View {
	return game.View{
		Viewer: "bobo", System: "star-frontiers", Turn: 3, Round: 5, ScaleMM: 2000, Units: "m", Width: 20, Height: 12,
		Self: game.Sight{ID: "bobo", Name: "Bobo", Relation: "self", Place: game.Square{X: 2, Y: 3},
			Posture: "crouching", Facing: "east", InSight: true},
		Sheet: []game.Line{{Label: "Stamina", Value: "38 of 45"}, {Label: "Initiative modifier", Value: "+6"},
			{Label: "Beam weapons", Value: "level 2"}},
		Weapons: []game.Thing{
			{ID: "laser", Name: "laser pistol", Kind: "laser_pistol", State: "in_hand", Rate: 2, Dial: 5, DialMax: 10,
				Left: 14, Full: 20, Unit: "SEU", Ranged: true},
			{ID: "knife", Name: "knife", Kind: "knife", State: "sheathed", Melee: true},
		},
		Items: []game.Thing{{ID: "grenade", Name: "smoke grenade", Kind: "grenade", State: "belt", Count: 2}},
		Others: []game.Sight{
			{ID: "mira", Name: "Mira", Relation: "ally", Place: game.Square{X: 2, Y: 4}, Distance: 2, Posture: "standing",
				Holding: "needler", InSight: true},
			{ID: "zog", Name: "Zog", Race: "Yazirian", Description: "tall, in a red vest", Relation: "enemy",
				Place: game.Square{X: 9, Y: 7}, Distance: 16, Posture: "standing", Holding: "laser_rifle",
				Status: []string{"wounded"}, Cover: "soft", InSight: true},
			{ID: "pilot", Name: "the pilot", Relation: "ally", Place: game.Square{X: 0, Y: 0}, Distance: 7},
		},
		Features: []game.Feature{
			{ID: "crates", Name: "the crates", Kind: "crate", Cover: "soft", Low: true,
				Squares: []game.Square{{X: 8, Y: 6}, {X: 9, Y: 6}, {X: 8, Y: 7}, {X: 9, Y: 7}}},
			{ID: "door", Name: "the blast door", Kind: "door", State: "closed", Opaque: true, Squares: []game.Square{{X: 19, Y: 5}}},
		},
	}
}

func mira() game.View {
	return game.View{
		Viewer: "mira", Units: "m",
		Self:    game.Sight{ID: "mira", Name: "Mira", Relation: "self", Place: game.Square{X: 2, Y: 4}, Posture: "standing", InSight: true},
		Sheet:   []game.Line{{Label: "Stamina", Value: "50 of 50"}},
		Weapons: []game.Thing{{ID: "needler", Name: "needler", Kind: "needler", State: "in_hand", Rate: 3, Left: 7, Full: 10, Unit: "rounds"}},
	}
}

func opening(t *testing.T) OpeningIn {
	return OpeningIn{
		Head: head(t), Deadline: at(t, 29, 19, 0), FormID: "Dusk-3", Dice: diceBlock,
		Lines: []string{"The lights fail. Somewhere behind the crates a Yazirian laughs, and the blast door begins to hum."},
		Characters: []Character{
			{View: bobo(), Default: []string{"defend"}, Examples: []string{"fire laser pistol at Zog, 2 shots", "move behind the crates, then crouch"}},
			{View: mira(), Default: []string{"hold"}, Examples: []string{"fire needler at Zog, 3 shots"}},
		},
		Map: playersMap(),
	}
}

// marks are the timeline of events.
func marks() []game.Mark {
	return []game.Mark{
		{Round: 5, At: 12, Who: "zog", Kind: "act", Ref: "zog/r1.1"}, {Round: 5, At: 12, Who: "mira", Kind: "react", On: "zog", Ref: "mira/r1.1"},
		{Round: 6, At: 4, Who: "zog", Kind: "act", Ref: "zog/r1.2"},
	}
}

func names() map[game.ID]string {
	return map[game.ID]string{"bobo": "Bobo", "mira": "Mira", "zog": "Zog"}
}

// course is the timeline for some of the reader's characters.
func course(views []game.View, characters ...game.ID) *Course {
	return NewCourse(marks(), events(), Reader{Characters: characters, Names: names(), Views: views}, game.Clock{Unit: "slot"})
}

// The pictures of the fixtures, drawn once for all tests.
var (
	playersMap    = sync.OnceValue(func() *Picture { return new(Atlas).Map(nil, []game.View{bobo(), mira()}) })
	mastersMap    = sync.OnceValue(func() *Picture { return new(Atlas).Map(nil, []game.View{master()}) })
	playersCourse = sync.OnceValue(func() *Course { return course([]game.View{bobo(), mira()}, "bobo", "mira") })
	mastersCourse = sync.OnceValue(func() *Course { return course([]game.View{master()}, game.GM) })
)

func master() game.View {
	return game.View{Viewer: game.GM, Units: "m", ScaleMM: 2000, Width: 20, Height: 12, Features: bobo().Features, Others: []game.Sight{
		{ID: "bobo", Name: "Bobo", Side: "crew", Place: game.Square{X: 2, Y: 3}, Posture: "crouching", InSight: true},
		{ID: "mira", Name: "Mira", Side: "crew", Place: game.Square{X: 2, Y: 4}, InSight: true},
		{ID: "zog", Name: "Zog", Side: "gang", Race: "Yazirian", Place: game.Square{X: 9, Y: 7}, Status: []string{"wounded"}, InSight: true},
	}}
}

func gmOpening(t *testing.T) OpeningIn {
	h := head(t)
	h.Reader = "Gus"
	return OpeningIn{
		Head: h, Deadline: at(t, 29, 19, 0), GM: true, Dice: diceBlock, Owes: []string{"Alice for Bobo and Mira", "Ben for the pilot"},
		Foes:       []game.Line{{Label: "Zog", Value: "policy: fire at the nearest enemy"}},
		Characters: []Character{{View: master()}}, Map: mastersMap(),
	}
}

func receipt(t *testing.T) ReceiptIn {
	return ReceiptIn{
		Head: head(t), Deadline: at(t, 29, 19, 0), Received: at(t, 27, 17, 1),
		Characters: []ReceiptCharacter{{
			Name:       "Bobo",
			Understood: []string{"move behind the crates", "crouch", "if Zog comes within 5 m: fire laser pistol at Zog, 1 shot"},
			Problems: []game.Problem{
				{Severity: game.Wrong, Kind: "unknown_weapon", Text: "There is no \"lasr rifle\" on Bobo's sheet.",
					Understood: "fire … at Zog", Nearest: []string{"laser pistol"}, Do: "Write: fire laser pistol at Zog, 2 shots",
					Source: "then I fire my lasr rifle at Zog twice", At: game.Span{Line: 3, Col: 16, Len: 10}},
				{Severity: game.Asked, Kind: "shots", Text: "How many shots?", Do: "Unanswered, it is 1 shot.",
					Source: "And if Zog comes within five metres of me while I am crouching there in the dark behind those crates I shoot him",
					At:     game.Span{Line: 5, Col: 102, Len: 7}},
				{Severity: game.Noted, Kind: "choice", Text: "\"him\" is taken to be Zog."},
			},
			Changes:  []string{"- fire laser pistol at Zog, 2 shots", "+ move behind the crates", "+ crouch"},
			Forecast: []game.Line{{Label: "Initiative", Value: "14 (roll 8, modifier +6)"}, {Label: "Laser pistol", Value: "14 SEU, 9 after one shot at 5"}},
		}},
		LeftOut: LeftOut{Quoted: 41, Tail: 2, TailOrders: []string{"throw the smoke grenade at the door"}},
		Ready:   []string{"You are not ready yet."}, Owed: []string{"Mira"}, Dice: diceBlock,
	}
}

func events() []game.Event {
	return []game.Event{
		{Ref: "bobo/r1", Round: 5, At: 14, Actor: "bobo", Kind: "initiative", Outcome: "done",
			Dice:  []game.Die{{Name: "init/bobo/r1", Sides: 10, Value: 8, Source: "sealed"}},
			Lines: []game.Line{{Label: "roll", Value: "8"}, {Label: "modifier", Value: "+6"}, {Label: "total", Value: "14"}},
			Seen:  map[game.ID]game.Grade{"bobo": game.Own},
			Text:  map[game.Grade]string{game.All: "Bobo acts on 14.", game.Own: "You act on 14."}},
		{Ref: "zog/r1.1", Round: 5, At: 12, Actor: "zog", Kind: "fire", Target: "bobo", Outcome: "hit", Rule: "6.1", Attack: true,
			Dice: []game.Die{{Name: "hit/zog/r1.1", Sides: 100, Value: 23, Source: "sealed"},
				{Name: "avoid/bobo/zog/r1.1", Sides: 100, Value: 77, Source: "sealed"}, {Name: "damage/zog/r1.1", Sides: 10, Value: 7, Source: "gm"}},
			Numbers: map[string]int{"chance": 48, "secret_number": 4711},
			Lines:   []game.Line{{Label: "skill", Value: "60"}, {Label: "range", Value: "-10"}, {Label: "chance", Value: "50"}},
			Changes: []game.Change{{Who: "bobo", Field: "sta", From: "38", To: "31"}}, Ruled: []int{1},
			Seen: map[game.ID]game.Grade{"bobo": game.Own, "mira": game.Target, "ben": game.Heard},
			Text: map[game.Grade]string{game.All: "Zog shoots Bobo with a laser rifle for 7.", game.Own: "A beam from the dark burns you for 7.",
				game.Seen: "Zog shoots Bobo.", game.Actor: "Zog fires a laser rifle.", game.Target: "A beam hits Bobo.", game.Heard: "You hear a laser."}},
		{Ref: "zog/r1.2", Round: 6, At: 4, Actor: "zog", Kind: "move", Outcome: "done", Dice: nil,
			Seen: map[game.ID]game.Grade{"mira": game.Seen},
			Text: map[game.Grade]string{game.All: "Zog slips behind the crates.", game.Seen: "Zog slips behind the crates."}},
	}
}

func packet(t *testing.T) PacketIn {
	h := head(t)
	h.Reader = "Gus"
	return PacketIn{
		Head: h, Attempt: 1, Events: events(),
		Names:  map[game.ID]string{"bobo": "Bobo", "mira": "Mira", "zog": "Zog"},
		Orders: []PacketOrders{{Name: "Bobo", Source: "player", Lines: []string{"move behind the crates", "crouch"}}, {Name: "Zog", Source: "policy", Lines: []string{"fire laser rifle at Bobo, 1 shot"}}},
		Fields: rulingFields(), Foes: []game.ID{"zog"},
		Map: new(Atlas).Map([]game.View{master()}, []game.View{master()}), Course: course([]game.View{master()}, game.GM),
	}
}

func unusualPacket(t *testing.T) PacketIn {
	in := packet(t)
	in.Attempt = 2
	in.Inquiries = []game.Inquiry{{Ref: "zog/r1.2", Kind: "free_text", Text: "Mira wants to swing from the crane.", Default: "nothing", Answer: "EVENT 3 DONE"}}
	in.Inquiries = append(in.Inquiries, game.Inquiry{Ref: in.Events[0].Ref, Kind: "unverified", Of: "laser rifle, damage 1d10 per SEU", Text: "No source prints this value, and it counted for the first time: laser rifle, damage 1d10 per SEU.", Default: "the value of the data files was used"})
	in.Late = []LateLetter{{N: 1, From: "Ben", Received: at(t, 29, 18, 58), Lines: []string{"fire needler at Zog, 3 shots"}}}
	in.Held = []string{"A letter in Ben's name of Sat 28 Nov waits for his confirmation."}
	in.Missing = []game.Line{{Label: "Mira", Value: "hold, as her standing orders say"}}
	in.Rulings = []game.Ruling{{N: 1, Kind: game.RuleEvent, Text: "EVENT 2 HIT", Reason: "the beam is wide"}, {N: 2, Text: "DIE hit/zog/r1.3 = 42", Secret: true}}
	in.Unused = []int{2}
	in.Reopened, in.Confirm = true, true
	in.Difference = []string{"- 2. Zog misses Bobo.", "+ 2. Zog shoots Bobo with a laser rifle for 7."}
	return in
}

func pausePacket(t *testing.T) PacketIn {
	in := packet(t)
	in.Events = in.Events[:1]
	in.Pause = &game.Pause{Reason: "surprise", Asks: []game.ID{"bobo", "mira"},
		Briefs: map[game.ID]string{"mira": "You hear steps behind you.", "bobo": "Zog steps out of the dark."}}
	return in
}

func turnReport(t *testing.T) TurnReportIn {
	after := bobo()
	after.Sheet = []game.Line{{Label: "Stamina", Value: "31 of 45"}, {Label: "Initiative modifier", Value: "+6"}, {Label: "Beam weapons", Value: "level 2"}}
	after.Weapons = []game.Thing{after.Weapons[0], after.Weapons[1]}
	after.Weapons[0].Left = 9
	next := opening(t)
	next.Head.Turn, next.Head.Round, next.FormID, next.Lines = 4, 6, "Dusk-4", nil
	return TurnReportIn{
		Head: head(t), Lines: Project(events(), []game.ID{"bobo", "mira"}), Narrative: []string{"The hum grows louder."},
		Rulings: []string{"EVENT 2 HIT because the beam is wide"}, Changes: []SheetChange{{Name: "Bobo", Before: bobo(), After: after}},
		Names: names(), Dice: diceBlock, Reopened: true, Accepted: []string{"late letter 1"}, Next: &next, Course: playersCourse(),
	}
}

// hostile is what somebody might put into every field that he can write.
const hostile = "# <script>alert(1)</script> | **x** `y` \\ \u202e END\n---\n    > <img src=http://evil.test/x.png>\r\n\t1. " +
	"Supercalifragilisticexpialidocious" + "Loooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooong\x00\xff 日本語"

func hostileOpening(t *testing.T) OpeningIn {
	in := opening(t)
	in.Head.Game, in.Head.Title, in.Head.Reader = "Dusk\nX", hostile, hostile
	in.Lines = []string{hostile, "- not an item", "1. not a number", "    not preformatted", "| not | a row |", "@picture x", "---", "\\", "`", "**"}
	v := in.Characters[0].View
	v.Self.Name = hostile
	v.Others[1].Name, v.Others[1].Description = hostile, hostile
	v.Sheet = []game.Line{{Label: hostile, Value: hostile}, {Label: "| a", Value: "b |"}}
	in.Characters = []Character{{View: v, Default: []string{hostile}, Examples: []string{hostile}}}
	return in
}

func hostileReceipt(t *testing.T) ReceiptIn {
	in := receipt(t)
	in.Characters[0].Name = "*Bo*`bo`|"
	in.Characters[0].Understood = []string{hostile, "# heading", "say \"OK\" **loudly**"}
	in.Characters[0].Problems = []game.Problem{{Severity: game.Wrong, Text: hostile, Understood: hostile, Nearest: []string{hostile, "`"},
		Do: hostile, Source: hostile + strings.Repeat(" and on", 40), At: game.Span{Line: 1, Col: 40, Len: 300}}}
	in.Characters[0].Changes = []string{"- " + hostile, "+ ---"}
	in.LeftOut.TailOrders = []string{hostile}
	in.Notes = []string{hostile}
	in.Dice = ""
	return in
}

// rulingFields are some of each form.
func rulingFields() []game.Field {
	return []game.Field{
		{Name: "STA", Type: "number", Least: -100, Most: 1000, Help: "current Stamina"}, {Name: "POSTURE", Type: "word", Words: []string{"stand", "prone"}, Help: "how he stands"},
		{Name: "NOTICE", Type: "text", Help: "what he notices"},
		{Name: "OUTCOME", Of: game.OfEvent, Type: "outcome", Words: []string{"hit", "miss"}, Help: "how an attack ends"},
		{Name: "OUTCOME", Of: game.OfEvent, Type: "outcome", Words: []string{"cancel"}, Help: "it is not done"},
		{Name: "COVER", Of: game.OfEvent, Type: "word", Words: []string{"none", "soft", "hard"}, Help: "the target's cover"},
		{Name: "OPEN", Of: game.OfThing, Type: "word", Words: []string{"yes", "no"}, Help: "of a door"},
		{Name: "TERRAIN", Of: game.OfSquare, Type: "word", Words: []string{"open", "wall"}, Help: "what stands there"},
		{Name: "crit_rules", Of: game.OfTurn, Type: "word", Words: []string{"on", "off"}}, {Name: "weather", Of: game.OfTurn, Type: "number", Words: []string{"clear"}, Least: 1, Most: 100},
	}
}

// answers holds one mail of each kind.
func answers(t *testing.T) map[string]any {
	d := at(t, 29, 19, 0)
	early := at(t, 28, 9, 30)
	return map[string]any{
		"help": Help{Commands: []Command{{"STATUS", "how the turn stands"}, {"CHECK", "try orders without submitting them"},
			{"READY", "you need no more time"}}, Examples: []string{"fire laser pistol at Zog, 2 shots"}},
		"guide": guide(),
		"status": Status{Title: "Turn 3 is open", Notes: []string{"This mail has a fresh address to answer to."}, Deadline: d, Facts: []game.Line{{Label: "Turn", Value: "3, open"}, {Label: "Ready", Value: "Ben"}},
			Sections: []Section{{Title: "Your orders for Bobo", Lines: []string{"crouch"}}, {Title: "Your orders for Mira"}}},
		"refused": Refused{Title: "too many shots", What: "fire laser pistol at Zog, 9 shots", Why: "The laser pistol fires up to 2 shots a turn.",
			Do: []string{"Write: fire laser pistol at Zog, 2 shots"}, Understood: []string{"crouch"}, Unread: []string{"Whee `!`"},
			Problems: []game.Problem{{Severity: game.Wrong, Text: "Bobo has no STAA.", Nearest: []string{"STA"}, Source: "BOBO STAA 12", At: game.Span{Line: 2, Col: 6, Len: 4}}}},
		"held": Held{N: 2, Until: d,
			Letters: []HeldLetter{{From: "alice@other.test", Subject: "Re: orders", Received: early, Why: "it came from an address that is not registered"}}},
		"confirm":     Confirm{N: 1, What: []string{"OK", "BOBO STA 12"}, Until: d},
		"hello":       Hello{Proof: "verified"},
		"greeted":     Greeted{Verified: true, Why: "dmarc=pass"},
		"fence":       Refused{Title: "Turn 3 waits for the mailbox", Why: "Not every letter could be read yet.", Do: []string{"Nothing: nobody is late by this."}},
		"unfetched":   Refused{Title: "A letter cannot be read", Why: "The mail server does not give a letter.", Do: []string{"No turn waits for it any more."}},
		"unreachable": Refused{Title: "Mail to Ben is refused", Why: "The mail server of ben@other.test refused it for good.", Do: []string{"EXTEND 48h gives the table time."}},
		"reminder":    Reminder{Turn: 3, FormID: "Dusk-3", Deadline: d, Owed: []FormEntry{{"Bobo", []string{"defend"}}, {"Mira", []string{"hold"}}}},
		"nudge":       Nudge{Turn: 3, Since: early, Attempt: 2},
		"waiting":     Waiting{Turn: 3, Since: early},
		"late":        Late{Received: early, Closed: d, N: 1, Lines: []string{"crouch"}},
		"gathering":   Gathering{Answers: 5, Until: d},
		"gathered": Gathered{Letters: 7, Answers: []game.Line{{Label: early.String(), Value: "Not done: your letter"}, {Label: d.String(), Value: "How the game stands"}},
			Newest: "\nTurn 3 is open\n==============\nOrders until Sunday\n"},
		"stale":   Stale{Asked: 1, Current: 2, State: game.Review, Why: "A ruling has made another attempt since.", Read: []string{"but please hurry"}},
		"rulings": Rulings{Rulings: []game.Ruling{{N: 1, Text: "BOBO STA 12"}, {N: 3, Text: "EVENT 2 HIT", Reason: "the beam is wide", Secret: true}}, Notes: []string{"Ruling 2 is taken back."}},
		"why": Why{N: 2, Of: "the report of turn 2", Text: "Zog shoots you with a laser rifle for 7.", Sum: []game.Line{{Label: "skill", Value: "60"}, {Label: "range", Value: "-10"}, {Label: "chance", Value: "50"}},
			Dice: []game.Line{{Label: "hit d100 = 23 (sealed)", Value: "sealed for another side"}}, Facts: []game.Line{{Label: "Bobo STA", Value: "38, was 45"}}, Rule: "6.2", System: "star-frontiers", Notes: []string{"You only heard it."}},
		"approved":   Approved{Attempt: 2},
		"reopened":   Reopened{Deadline: d},
		"erratum":    Erratum{Turn: 2, Lines: []string{"Zog was hit by Mira's shot, not by yours."}},
		"extended":   Extended{From: early, Deadline: d},
		"paused":     Paused{Since: early},
		"resumed":    Resumed{Deadline: d},
		"stranger":   Stranger{Address: "who@other.test"},
		"which":      Which{Games: []string{"[Dusk-3] Dusk at Pale Station", "[Dawn-1] Dawn"}},
		"closedturn": ClosedTurn{Turn: 2, State: game.Released, Open: 3, Lines: []string{"crouch"}},
		"unproven":   Unproven{Subject: "Re: orders"},
		"operator":   Operator{Title: "A letter could not be stored", Lines: []string{"letter 17", "run: pbemd doctor"}},
		"stuck":      Stuck{Why: "A rule broke an invariant.", Repeat: "pbemd replay Dusk 3"},
	}
}
