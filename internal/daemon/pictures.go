package daemon

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// look is what one reader sees of a turn: where everybody is and how they came
// there, and who acted when.
type look struct {
	places *report.Picture
	course *report.Course
}

// views are what a role knows of a world: what each of its characters does, or
// everything for the GM.
func (t *table) views(w game.World, r store.Role) []game.View {
	if r.Kind == roleGM {
		return []game.View{t.rules.See(w, game.GM)}
	}
	var out []game.View
	for _, b := range t.own(r) {
		out = append(out, t.rules.See(w, b.ID))
	}
	return out
}

// playersSides are the sides of all combatants whom a player orders.
func playersSides(w game.World) []game.ID {
	var out []game.ID
	for _, b := range w.Bodies() {
		if b.Player != "" {
			out = append(out, b.Side)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// looks draws the pictures of an attempt for some roles, by role. It takes a
// while, so it is called with no transaction open. Pictures only repeat what
// mails say: should drawing fail, the mails go out without.
func (d *Daemon) looks(t *table, worldAfter []byte, out resolve.Outcome, roles ...store.Role) (all map[int64]look) {
	defer func() {
		if p := recover(); p != nil {
			d.Log.Error("drawing pictures", "game", t.Game.Name, "turn", t.Turn.N, "err", p, "stack", string(debug.Stack()))
			all = nil
		}
	}()
	after, err := t.rules.Load(worldAfter)
	if err != nil {
		d.Log.Error("drawing pictures", "game", t.Game.Name, "turn", t.Turn.N, "err", err)
		return nil
	}
	atlas := report.Atlas{Ours: t.atlas.Ours}
	all = map[int64]look{}
	for _, r := range roles {
		before, now := t.views(t.world, r), t.views(after, r)
		reader := report.Reader{Names: names(t.world), Views: append(now[:len(now):len(now)], before...), Ours: atlas.Ours}
		for _, v := range now {
			reader.Characters = append(reader.Characters, v.Viewer)
		}
		all[r.ID] = look{
			places: atlas.Map(before, now),
			course: report.NewCourse(out.Timeline, out.Events, reader, t.clock().Reached(after.At())),
		}
	}
	return all
}

// inline are the pictures of a mail as its composer takes them.
func inline(pictures []report.Picture) []mail.Picture {
	var out []mail.Picture
	for _, p := range pictures {
		name, _, _ := strings.Cut(p.CID, ".")
		out = append(out, mail.Picture{CID: p.CID, Name: name + ".png", Alt: p.Alt, PNG: p.PNG})
	}
	return out
}
