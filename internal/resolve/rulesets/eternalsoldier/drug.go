package eternalsoldier

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// Drug is what an item of the kind drug does (7.4): its rating is the item's
// effect. Segments of 0 are those of the setting.
type Drug struct {
	Segments int    `json:"segments,omitempty"`
	Agility  int    `json:"agility,omitempty"` // added while it lasts
	Then     string `json:"then,omitempty"`    // the poison that sets in when it wears off
}

// takes gives a drug to somebody (7.4).
func (e *engine) takes(f *Fighter, a *Activity, ev *game.Event) string {
	i := slices.IndexFunc(f.Items, func(it Item) bool { return it.ID == a.Item && it.Kind == "drug" && it.Count > 0 })
	if i < 0 {
		return ""
	}
	to := f
	if a.On != "" {
		if to = e.w.fighter(a.On); to == nil || !e.w.touches(f.At, to.At, e.reach("short")) {
			return fmt.Sprintf("%s has nobody in reach to give it to.", f.Name)
		}
	}
	it := &f.Items[i]
	rating, _ := strconv.Atoi(it.Note)
	lasts := e.number("drug_segments")
	to.DrugAgi, to.DrugThen = 0, ""
	if d := it.Drug; d != nil {
		if d.Segments > 0 {
			lasts = d.Segments
		}
		to.DrugAgi, to.DrugThen = d.Agility, d.Then
	}
	if it.Drug == nil || it.Drug.Segments == 0 {
		ev.Unverified = append(ev.Unverified, "how long a drug lasts")
	}
	it.Count--
	ev.Changes = append(ev.Changes, changed(to.ID, "DRUG", strconv.Itoa(to.Drug), strconv.Itoa(max(1, rating))))
	to.Drug, to.DrugTill = max(1, rating), e.now+lasts
	ev.Lines = append(ev.Lines, game.Line{Label: "Rating", Value: strconv.Itoa(to.Drug)}, game.Line{Label: "Lasts until segment", Value: strconv.Itoa(to.DrugTill)})
	if to.DrugAgi != 0 {
		ev.Lines = append(ev.Lines, game.Line{Label: "Agility while it lasts", Value: fmt.Sprintf("%+d", to.DrugAgi)})
	}
	return fmt.Sprintf("%s takes the %s.", to.Name, it.Name)
}

// wearsOff ends a drug whose time is over, and what it brings behind it; who it
// kept up is rolled for at once (7.4).
func (e *engine) wearsOff(f *Fighter) {
	if f.DrugTill <= 0 || e.now < f.DrugTill {
		return
	}
	then := f.DrugThen
	f.Drug, f.DrugTill, f.DrugAgi, f.DrugThen = 0, 0, 0, ""
	ev := e.event(e.ref(f, ".q"), f, "drug", "over", "7.4")
	private(ev, "The drug that "+f.Name+" took wears off.")
	if then != "" && e.poison(then) != nil {
		private(ev, "The drug that "+f.Name+" took wears off, and leaves its poison behind.")
		e.infect(f, then, ev)
	}
	e.emit(ev)
	if f.able() && f.HP <= 0 {
		f.WillAt = e.now // recheck at once
	}
}
