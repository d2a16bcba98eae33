package scenario

import "github.com/pbemd/pbemd/internal/game"

// ReadScene reads a scene of the order corpus (JSON): who stands where, what
// they carry and what happened last turn. With faults, the scenario is nil.
func ReadScene(file string, data []byte) (*game.Scenario, []game.Fault) {
	f := &faults{file: file}
	root, ok := f.readJSON(data)
	if !ok {
		return nil, f.list
	}
	t := f.table(root, "")
	e := f.encounter(words{player: "pc_owner", place: "position", strict: true})
	t.needed("id", "the scene's id")
	t.text("split")
	e.out.Title = t.text("title")
	e.out.System = t.needed("system", "the game system, such as star-frontiers")
	e.out.Turn = t.number("turn", 1, 1_000_000, 1)
	e.out.Rounds = 1
	e.ground(t)
	for _, f := range t.tables("features") {
		e.feature(f)
	}
	for _, c := range t.tables("combatants") {
		e.combatant(c)
	}
	e.check(t, "combatants")
	if n := t.get("segment"); n != nil {
		t.number("segment", 0, 1_000_000, 0)
		e.out.Settings = append(e.out.Settings, game.Value{Key: "segment", Raw: n.raw(), Line: n.line})
	}
	e.history(t)
	e.lastOrders(t)
	t.done()
	if len(f.list) > 0 {
		return nil, f.sorted()
	}
	return &e.out, nil
}

// history keeps the attacks of the last turn that the history tells of.
func (e *encounter) history(t *table) {
	last := 0
	for _, h := range t.tables("history") {
		turn := h.number("turn", 0, 1_000_000, 0)
		h.text("text")
		attacks := h.tables("attacks")
		h.done()
		if turn < last {
			continue
		}
		if turn > last {
			last, e.out.History = turn, nil
		}
		for _, a := range attacks {
			out := game.Attack{Attacker: a.id("attacker"), Target: a.id("target")}
			for _, key := range []string{"attacker", "target"} {
				if id := a.id(key); e.ids[id] != "combatant" {
					a.wrong(key, "there is no combatant %q", id)
				}
			}
			a.done()
			e.out.History = append(e.out.History, out)
		}
	}
}

func (e *encounter) lastOrders(t *table) {
	if t.get("last_orders") == nil {
		return
	}
	orders := t.sub("last_orders")
	for _, f := range orders.node.fields {
		id := game.ID(f.key)
		if e.ids[id] != "combatant" {
			orders.wrong(f.key, "there is no combatant %q", f.key)
			continue
		}
		p := e.plan(orders.at(f.key), f.value)
		if p == nil {
			continue
		}
		if e.out.Last == nil {
			e.out.Last = map[game.ID]game.Plan{}
		}
		e.out.Last[id] = *p
	}
}
