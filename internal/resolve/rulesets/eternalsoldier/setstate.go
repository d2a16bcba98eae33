package eternalsoldier

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
)

// decided is what the rulings of this turn have done so far.
type decided struct {
	tablesOf func(house map[string]string) *tables
	done     map[int]bool        // figures that were set
	off      map[*Fighter]bool   // what he was about to do is called off
	gift     map[*Fighter]bool   // what he has begun cost him no time
	zones    map[*Fighter]string // of the explosion that comes next
}

// setMoment sets what rulings say from this segment on, and what they say before
// an event of it that is neither an attack, a reaction, a struggle nor a will roll:
// these set theirs when their turn comes.
func (e *engine) setMoment() {
	for _, x := range e.rulings.All() {
		if x.Kind == game.RuleSet && (x.Ref == game.Moment(e.now) || e.early12(x.Ref)) {
			e.set(x)
		}
	}
}

// early12 reports a ref of an event of this segment that the figures of its rulings
// do not wait for.
func (e *engine) early12(ref string) bool {
	i := strings.LastIndex(ref, "/s")
	if i < 0 {
		return false
	}
	segment, suffix, _ := strings.Cut(ref[i+2:], ".")
	suffix, _, _ = strings.Cut(suffix, ".") // a second will roll is w.2
	if n, err := strconv.Atoi(segment); err != nil || n != e.now {
		return false
	}
	return suffix != "" && suffix != "w" && strings.Trim(suffix, "0123456789") != ""
}

// applySets sets what rulings say before an event, or at the end of a turn.
func (e *engine) applySets(ref string) {
	sets := e.rulings.Sets(ref)
	if len(sets) == 0 {
		return
	}
	// What was ruled of the event that comes next is not told by these.
	held := e.rulings.Take()
	for _, x := range sets {
		e.set(x)
	}
	e.rulings.Give(held)
}

// set carries one ruling out, once. It is an event of its own.
func (e *engine) set(x game.Ruling) {
	if e.done[x.N] {
		return
	}
	if x.On != "" {
		e.setScene(x)
		return
	}
	f := e.w.fighter(x.Who)
	if f == nil {
		return
	}
	e.done[x.N] = true
	ev := e.event(e.ref(f, ".g"+strconv.Itoa(x.N)), f, "ruling", "set", "12")
	ev.Reason = strings.TrimSpace(x.Reason)
	field, value := strings.ToUpper(strings.TrimSpace(x.Field)), strings.TrimSpace(x.Value)
	from, seen, ok := e.setField(ev, f, field, value, x)
	if !ok {
		e.refs[ev.Ref] = 0
		delete(e.done, x.N)
		return
	}
	e.rulings.Used(x.N)
	ev.Changes = append(ev.Changes, changed(f.ID, field, from, value))
	text := "The GM sets " + f.Name + ": " + field + " " + e.inWords(value) + "."
	ev.Text[game.All] = text
	if !x.Secret && field != "SURPRISED" && field != "HIDDEN" && field != "SEEN_BY" {
		if seen {
			e.public(ev, f, f.Name+" is now in "+e.w.square(f.At).String()+", "+e.looksNow(f)+".")
		}
		ev.Seen[f.ID] = game.Own
		ev.Text[game.All], ev.Text[game.Own] = text, text
	}
	e.emit(ev)
}

// inWords is a value of a ruling as a player reads it: whom it names by his name.
func (e *engine) inWords(value string) string {
	if o := e.w.fighter(game.ID(strings.ToLower(value))); o != nil {
		return o.Name
	}
	return strings.ReplaceAll(value, "_", " ")
}

// looksNow is how somebody is to be seen, in words.
func (e *engine) looksNow(f *Fighter) string {
	s := e.w.sight(f, "")
	words := []string{map[string]string{"stand": "standing", "kneel": "kneeling", "prone": "prone"}[f.Posture]}
	for _, w := range s.Status {
		if id, held := strings.CutPrefix(w, "held_by:"); held {
			w = "held by " + e.w.fighter(game.ID(id)).Name
		}
		words = append(words, strings.ReplaceAll(w, "_", " "))
	}
	if s.Holding != "" {
		words = append(words, "with "+s.Holding)
	}
	return strings.Join(words, ", ")
}

// setField sets one figure of somebody and gives what it was; seen tells that
// others can see it. What it brings with it is tallied, or told in ev.
func (e *engine) setField(ev *game.Event, f *Fighter, field, value string, x game.Ruling) (from string, seen, ok bool) {
	for _, set := range []func() (string, bool, bool){
		func() (string, bool, bool) { return e.setBody(ev, f, field, value) },
		func() (string, bool, bool) { return e.setTime(ev, f, field, value) },
		func() (string, bool, bool) { return e.setPlace(f, field, value, x) },
		func() (string, bool, bool) { return e.setWounds(ev, f, field, value) },
		func() (string, bool, bool) { return e.setGear(f, field, value) },
		func() (string, bool, bool) { return e.setHolds(ev, f, field, value, x) },
		func() (string, bool, bool) {
			from, ok := e.recovers(f, field, strings.ToLower(value))
			return from, false, ok
		},
	} {
		if from, seen, ok = set(); ok {
			return from, seen, true
		}
	}
	return "", false, false
}

// whole sets a number within the limits of its field.
func whole(into *int, field, value string) (from string, ok bool) {
	n, err := strconv.Atoi(value)
	i := slices.IndexFunc(figureFields, func(f game.Field) bool { return f.Name == field })
	if err != nil || i >= 0 && (n < figureFields[i].Least || n > figureFields[i].Most) || i < 0 && (n < 0 || n > 1000) {
		return "", false
	}
	from, *into = strconv.Itoa(*into), n
	return from, true
}

// setBody sets attributes, skills and what is left of somebody.
func (e *engine) setBody(ev *game.Event, f *Fighter, field, value string) (from string, seen, ok bool) {
	word := strings.ToLower(value)
	number := map[string]*int{
		"HPMAX": &f.HPMax, "SUFF": &f.Suff, "STR": &f.STR, "AGI": &f.AGI, "DEX": &f.DEX, "CON": &f.CON, "INT": &f.INT, "WILL": &f.WILL,
		"SPEED": &f.Speed, "WILL_AT": &f.WillAt, "DIES_AT": &f.DiesAt,
	}
	if into := number[field]; into != nil {
		if n, err := strconv.Atoi(value); field == "SUFF" && (err != nil || n > f.SuffMax) {
			return "", false, false
		}
		from, ok = whole(into, field, value)
		if had := f.HP; had > f.HPMax {
			f.HP = f.HPMax
			ev.Changes = append(ev.Changes, changed(f.ID, "HP", strconv.Itoa(had), strconv.Itoa(f.HP)))
		}
		return from, false, ok
	}
	switch field {
	case "HP":
		if n, err := strconv.Atoi(value); err != nil || n > f.HPMax {
			return "", false, false
		}
		from, ok = whole(&f.HP, field, value)
		return from, false, ok
	case "HURT":
		n := 0
		if _, ok = whole(&n, field, value); ok {
			e.reaches(f, blow{damage: n, kind: "pummel", from: ev.Ref, bypass: true})
		}
		return "", false, ok
	case "SIZE":
		if slices.Contains(sizes, word) {
			from, f.Size = f.Size, word
			return from, true, true
		}
	case "STATUS":
		return e.setStatus(ev, f, word)
	case "OUT_UNTIL":
		if from, ok = whole(&f.OutUntil, field, value); ok && f.OutUntil > 0 && f.Status != dead {
			e.downs(ev, f, unconscious)
		}
		return from, true, ok
	}
	if row := e.skill(strings.ToLower(field)); row != nil {
		percent := 0
		if _, ok = whole(&percent, "", value); ok {
			from = strconv.Itoa(e.percent(f, row.ID))
			f.Skills[row.ID] = Skill{Tenths: percent * 10}
			return from, false, true
		}
	}
	return "", false, false
}

// setStatus puts somebody into a state. Who is up at 0 or below has his next will
// roll when the time of one has passed; nobody stands whose wounds are mortal.
func (e *engine) setStatus(ev *game.Event, f *Fighter, word string) (from string, seen, ok bool) {
	from = f.Status
	switch word {
	case active, faltering:
		if e.condition(f.HP, f.HPMax) == slain && f.DiesAt == 0 || word == faltering && f.HP > 0 {
			return "", false, false
		}
		f.OutUntil, f.Status = 0, word
		if f.WillAt = 0; f.HP <= 0 {
			f.WillAt = e.now + e.Will.Again
		}
	case unconscious:
		f.OutUntil = late
		e.downs(ev, f, word)
	case dead, surrendered:
		e.downs(ev, f, word)
	default:
		return "", false, false
	}
	return from, true, true
}

// downs puts somebody out of action by a ruling.
func (e *engine) downs(ev *game.Event, f *Fighter, status string) {
	if f.able() {
		e.mark(f, game.MarkDown, ev.Ref, status)
	}
	f.Status = status
	e.fells(f, ev)
}

// setTime sets where somebody stands in time (2.3, 2.4).
func (e *engine) setTime(ev *game.Event, f *Fighter, field, value string) (from string, seen, ok bool) {
	switch field {
	case "LAST_ACTION":
		from, ok = whole(&f.LastAction, field, value)
	case "READY_SHIFT":
		from, ok = whole(&f.Shift, field, value)
	case "WAITS_FROM":
		from, ok = whole(&f.HoldFrom, field, value)
	case "WAITS_FOR":
		o := e.w.fighter(game.ID(strings.ToLower(value)))
		if o == nil {
			return "", false, false
		}
		from, f.HoldTarget, ok = string(f.HoldTarget), o.ID, true
		if o == f {
			f.HoldTarget = ""
		}
	case "READY_AT":
		at := 0
		a, good := e.held(f)
		if _, ok = whole(&at, field, value); !ok || !good || e.agileWith(f, a.Hand) < 1 || at <= f.LastAction {
			return "", false, false
		}
		from = strconv.Itoa(e.readyWith(f, a, e.now))
		f.NotBefore, f.Shift = 0, 0
		f.Shift = at - (f.LastAction + e.segments(e.agileWith(f, a.Hand), a.speed()) + e.slower(a) + e.delay(f, e.now))
	case "DONE_AT":
		if f.Activity == nil {
			return "", false, false
		}
		from, ok = whole(&f.Activity.DoneAt, field, value)
		if ok && f.Activity.DoneAt <= f.Activity.Start {
			f.Activity.DoneAt = f.Activity.Start + 1
		}
	case "INTERRUPTED":
		if f.Activity == nil || !strings.EqualFold(value, "yes") {
			return "", false, false
		}
		from, ok = f.Activity.Name, true
		e.markCut(f, ev.Ref, f.Activity.Name)
		f.abandon(e.now)
	case "STUNNED":
		n := 0
		if _, ok = whole(&n, field, value); !ok {
			return "", false, false
		}
		from = strconv.Itoa(max(0, f.StunnedTo-e.now))
		if f.StunnedTo = 0; n > 0 {
			e.stuns(f, n, ev)
		}
		return from, true, true
	}
	return from, false, ok
}

// held is what somebody holds: in his main hand, or in the other, or else his bare
// hands.
func (e *engine) held(f *Fighter) (arms, bool) {
	for _, which := range []string{"main", "off"} {
		if wp := f.hand(which); wp != nil {
			return e.arm(f, wp.ID, true)
		}
	}
	return e.arm(f, game.BareHands, false)
}

// setPlace sets where somebody is and who sees him.
func (e *engine) setPlace(f *Fighter, field, value string, x game.Ruling) (from string, seen, ok bool) {
	word := strings.ToLower(value)
	switch field {
	case "AT":
		s, parsed := game.ParseSquare(value)
		if !parsed || s.X >= e.w.Width || s.Y >= e.w.Height {
			return "", false, false
		}
		from, f.At, f.Up = e.w.square(f.At).String(), e.w.centre(s), ""
		for _, o := range e.w.riders(f) {
			o.At = f.At
		}
		e.crowd.gather(e.w)
		return from, true, true
	case "POSTURE":
		if !slices.Contains(postures, word) {
			return "", false, false
		}
		from, f.Posture = f.Posture, word
		return from, true, true
	case "FACING":
		d, good := resolve.ParseDir(value)
		if !good {
			return "", false, false
		}
		dx, dy := d.Vector()
		from, f.Facing = e.w.sight(f, "").Facing, Point{dx * yard, dy * yard}
		return from, true, true
	case "COVER":
		if word != "map" && !slices.Contains(coverWords, word) {
			return "", false, false
		}
		if from, f.Cover = f.Cover, word; word == "map" {
			f.Cover = ""
		}
		return from, true, true
	}
	if field == "GROUND" {
		if word != "map" && !slices.Contains(grounds, word) {
			return "", false, false
		}
		if from, f.Ground = f.Ground, word; word == "map" {
			f.Ground = ""
		}
		return from, true, true
	}
	if field != "SEEN_BY" && !slices.Contains(yesNo, word) {
		return "", false, false
	}
	switch field {
	case "SURPRISED":
		from, f.Surprise = yesOrNo(f.Surprise), word == "yes"
		return from, false, true
	case "MOUNTED":
		from, f.Mounted = yesOrNo(e.w.mounted(f)), word == "yes"
		if !f.Mounted && e.w.ridden(f) != nil {
			e.setDown(f)
		}
		return from, true, true
	case "HIDDEN":
		from = yesOrNo(f.SeenBy != nil)
		if f.SeenBy = nil; word == "yes" {
			f.SeenBy = &[]game.ID{}
		} else if from == "yes" {
			f.HoldFrom = max(f.HoldFrom, e.now) // who joins begins here (2.6)
		}
		return from, false, true
	case "SEEN_BY":
		o := e.w.fighter(game.ID(word))
		if o == nil || o == f || f.SeenBy == nil {
			return "", false, false
		}
		if !slices.Contains(*f.SeenBy, o.ID) {
			*f.SeenBy = append(*f.SeenBy, o.ID)
		}
		return "", false, true
	}
	return "", false, false
}
