package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// Edit is a change of a running game's file that was looked at and not made.
type Edit struct {
	Game    store.Game // as it is stored
	File    string     // what would be stored
	Changes []string   // what becomes other in the running game, a sentence each
	Moved   []string   // addresses that are new to the game

	edit store.GameEdit
}

// ErrEnded: the game has ended, so its file is history.
var ErrEnded = errors.New("the game has ended")

// PlanEdit reads a changed game file and says what it would do to the running
// game of its name. Faults are those of the file itself and whatever cannot be
// changed any more, each with its place and what can be done instead. Nothing is
// stored. store.ErrNotFound: there is no game of that name.
func (d *Daemon) PlanEdit(ctx context.Context, name string, text []byte) (Edit, []game.Fault, error) {
	f, faults := scenario.ReadGame(name, text)
	if len(faults) > 0 {
		return Edit{}, faults, nil
	}
	g, err := d.Store.GameByName(ctx, f.Name)
	if err != nil {
		return Edit{}, nil, err
	}
	t, err := d.tableOf(ctx, g.ID)
	if err != nil {
		return Edit{}, nil, err
	}
	if !t.Game.EndedAt.IsZero() {
		return Edit{}, nil, fmt.Errorf("%w: %s", ErrEnded, t.Game.Name)
	}
	p := &editing{d: d, t: t, name: name, text: string(text), old: t.file, new: f}
	p.world()
	p.clock(d.Now())
	p.head()
	if err := p.people(ctx); err != nil {
		return Edit{}, nil, err
	}
	if len(p.faults) > 0 {
		return Edit{}, p.faults, nil
	}
	sum := sha256.Sum256(text)
	p.out.Game, p.out.File = t.Game, p.text
	p.out.edit.Game, p.out.edit.WasSHA, p.out.edit.Title = t.Game.ID, t.Game.FileSHA, f.Title
	p.out.edit.File, p.out.edit.SHA = p.text, hex.EncodeToString(sum[:])
	return p.out, nil, nil
}

// editing compares two files of one game.
type editing struct {
	d        *Daemon
	t        *table
	name     string // of the new file, as faults tell it
	text     string
	old, new *scenario.Game
	faults   []game.Fault
	out      Edit
}

func (p *editing) refuse(line int, key, format string, args ...any) {
	p.faults = append(p.faults, game.Fault{File: p.name, Line: line, Key: key, Text: fmt.Sprintf(format, args...)})
}

func (p *editing) says(format string, args ...any) {
	p.out.Changes = append(p.out.Changes, fmt.Sprintf(format, args...))
}

// head compares [game] but for what is of the world.
func (p *editing) head() {
	if p.old.Title != p.new.Title {
		p.says("The title is %q from now on, in every mail.", p.new.Title)
	}
	if p.old.Opening != p.new.Opening {
		p.says("The opening is another text. Only the mails that open turn 1 tell it, so nobody who plays already is sent it.")
	}
	if p.old.GMProof != p.new.GMProof {
		what := "a letter with the packet's single-use token is proof enough"
		if p.new.GMProof == "verified" {
			what = "a letter must come verified, or be confirmed"
		}
		p.says("For the GM's OK and rulings %s from now on (gm.proof = %q).", what, p.new.GMProof)
	}
}

// clock compares [clock]. A turn keeps the deadline that it was opened with.
func (p *editing) clock(now time.Time) {
	a, b := p.old.Clock, p.new.Clock
	if a == b {
		return
	}
	if _, err := b.Next(now); err != nil {
		p.refuse(keyLine(p.text, "clock", 0, "schedule"), "clock.schedule", "%v", err)
		return
	}
	next := fmt.Sprintf("from turn %d on", p.t.Turn.N+1)
	later := func(key, what string, args ...any) {
		p.says("clock.%s: %s, %s.", key, fmt.Sprintf(what, args...), next)
	}
	if a.Schedule != b.Schedule {
		later("schedule", "turns end at %q instead of %q", b.Schedule, a.Schedule)
	}
	if a.Zone != b.Zone {
		later("zone", "the schedule is read in %s instead of %s", b.Zone, a.Zone)
		p.says("clock.zone: mails tell times in %s from now on.", b.Zone)
	}
	if a.MinTurn != b.MinTurn {
		later("min_turn", "no turn is shorter than %s (was %s)", b.MinTurn, a.MinTurn)
	}
	if a.Remind != b.Remind {
		later("remind", "who owes orders is reminded %s before the deadline (was %s)", b.Remind, a.Remind)
	}
	if a.Grace != b.Grace {
		p.says("clock.grace: letters under way have %s after a deadline (was %s), from now on, in turn %d too.", b.Grace, a.Grace, p.t.Turn.N)
	}
	if a.EarlyClose != b.EarlyClose {
		what := "a turn ends at its deadline, however many are READY; a close that all have asked for already goes on"
		if b.EarlyClose {
			what = "the next READY that makes all players ready closes the turn"
		}
		p.says("clock.early_close: %s, from now on, in turn %d too.", what, p.t.Turn.N)
	}
	if p.t.Turn.State == game.Open {
		p.says("The deadline of turn %d stays %s; the GM moves it with EXTEND 24h.", p.t.Turn.N, p.t.when(p.t.Turn.DeadlineAt, store.Role{}))
	}
}

// people compares the GM and the players with the parts that they have.
func (p *editing) people(ctx context.Context) error {
	if gm, ok := p.t.gm(); ok {
		if err := p.person(ctx, gm, p.new.GM, "gm", keyLine(p.text, "gm", 0, "address")); err != nil {
			return err
		}
	}
	known := map[game.ID]bool{}
	for _, r := range p.t.Roles {
		if r.Kind != rolePlayer {
			continue
		}
		known[r.Key] = true
		i := slices.IndexFunc(p.new.Players, func(x scenario.Person) bool { return x.ID == r.Key })
		if i < 0 {
			p.refuse(0, "player["+string(r.Key)+"]", "a player cannot leave a running game's file, for his characters are in its world. "+
				"Without orders they do what silence does; to hand them to somebody else, keep the id and change name and address")
			continue
		}
		if err := p.person(ctx, r, p.new.Players[i], "player["+string(r.Key)+"]", keyLine(p.text, "player", i, "address")); err != nil {
			return err
		}
	}
	for i, x := range p.new.Players {
		if !known[x.ID] {
			p.refuse(keyLine(p.text, "player", i, "id"), "player["+string(x.ID)+"]", "a player cannot join a running game, for his character would have to be in its world. "+
				"To hand a character to somebody else, keep the id of its player and change name and address")
		}
	}
	p.sameAddress()
	return nil
}

// person compares one part with what the file says of it now.
func (p *editing) person(ctx context.Context, r store.Role, x scenario.Person, key string, line int) error {
	// An address that stays is not judged again: the one of a forgotten person
	// could be nobody's.
	addr, err := mail.NormalizeAddress(x.Address)
	if err != nil || addr != r.Address {
		if text := p.d.badAddress(x.Address); text != "" {
			p.refuse(line, key+".address", "%s", text)
			return nil
		}
	}
	in := store.RoleEdit{Role: r.ID, Name: x.Name, Address: addr, Zone: zoneOf(x, p.new)}
	if in.Name == r.Name && in.Address == r.Address && in.Zone == r.Zone {
		return nil
	}
	p.out.edit.Roles = append(p.out.edit.Roles, in)
	who := "the GM"
	if r.Kind == rolePlayer {
		who = "player " + string(r.Key)
	}
	if in.Name != r.Name {
		p.says("%s.name: %s is called %s instead of %s in mails from now on.", key, who, in.Name, r.Name)
	}
	if in.Zone != r.Zone {
		p.says("%s.zone: mails to %s tell times in %s too (was %s) from now on.", key, in.Name, in.Zone, r.Zone)
	}
	if in.Address == r.Address {
		return nil
	}
	p.out.Moved = append(p.out.Moved, in.Address)
	p.says("%s.address: %s writes from and is written to at %s instead of %s from now on. The answer addresses in mails sent before are void; "+
		"a mail with a fresh one, and with the turn as it stands, goes to the new address. Nothing is sent to the old one. Orders in force stay.", key, who, in.Address, r.Address)
	all, err := p.d.Store.RolesOf(ctx, r.Address)
	if err != nil {
		return err
	}
	var others []string
	for _, o := range all {
		if o.Game != r.Game && !o.Ended && !slices.Contains(others, o.GameName) {
			others = append(others, o.GameName)
		}
	}
	if len(others) > 0 {
		p.says("%s.address: the old address stays that of the person in other games (%s); edit those too if it is to change there.", key, strings.Join(others, ", "))
	}
	return nil
}

// sameAddress refuses two parts with one address: letters could not be told
// apart.
func (p *editing) sameAddress() {
	has := map[string]string{}
	for _, r := range p.t.Roles {
		addr, name := r.Address, r.Name
		for _, e := range p.out.edit.Roles {
			if e.Role == r.ID {
				addr, name = e.Address, e.Name
			}
		}
		if other, taken := has[addr]; taken {
			p.refuse(0, "player["+string(r.Key)+"].address", "%s is %s's address already; letters could not be told apart", addr, other)
		}
		has[addr] = name
	}
}

// world refuses whatever was put into the game's world when it was made: since
// then only turns and rulings move it.
func (p *editing) world() {
	a, b := p.old.Scenario, p.new.Scenario
	n := len(p.faults)
	for _, h := range []struct{ key, was, is string }{
		{"system", a.System, b.System},
		{"units", a.Units, b.Units},
		{"scale", fmt.Sprint(a.Scale), fmt.Sprint(b.Scale)},
		{"grid", fmt.Sprintf("%d by %d", a.Width, a.Height), fmt.Sprintf("%d by %d", b.Width, b.Height)},
		{"turn", fmt.Sprint(a.Turn), fmt.Sprint(b.Turn)},
	} {
		if h.was != h.is {
			p.refuse(keyLine(p.text, "game", 0, h.key), "game."+h.key, "it was %s when the game was made and cannot become %s: the map and its measures are the world that is played in", h.was, h.is)
		}
	}
	if a.Rounds != b.Rounds {
		p.refuse(keyLine(p.text, "game", 0, "rounds"), "game.rounds", "a turn has %d rounds as the game was made: past turns are recomputed from it, so it cannot become %d", a.Rounds, b.Rounds)
	}
	p.compare("settings", valuesOf(a.Settings), valuesOf(b.Settings), "the file moves them no more. "+
		"The GM can rule once a turn is closed: GAME crit_rules off from then on, TURN crit_rules off for one turn; or decide single things: EVENT 7 HIT")
	p.things("feature", featuresOf(a), featuresOf(b), "the map is part of the world, and the file moves it no more. The GM can rule once a turn is closed: DOOR OPEN yes, CRATE GONE yes, E4 TERRAIN wall")
	p.things("group", groupsOf(a), groupsOf(b), "who rolls initiative together is part of the world. The GM can rule once a turn is closed: ZOG GROUP kag; or set a die: DIE init/…/r1 = 7")
	p.things("combatant", combatantsOf(a), combatantsOf(b), "combatants live in the game's world, and the file moves them no more. "+p.setting())
	if len(p.faults) > n {
		// What the rules have against the new file is worth knowing too.
		_, faults := p.t.rules.Setup(b)
		p.faults = append(p.faults, faults...)
	}
}

// setting tells what a ruling may set in this system.
func (p *editing) setting() string {
	return fmt.Sprintf("The GM can rule once the turn is closed: the name, what is set (%s) and the value, such as %q; MOD bobo +10 because …; EVENT 7 HIT", p.t.settable(), "BOBO STA 12")
}

// part is something of the world as the file tells it: its keys' values, with
// their lines.
type part map[string]placed

type placed struct {
	value string // as JSON
	line  int
}

// things compares parts by id.
func (p *editing) things(kind string, was, is map[game.ID]part, instead string) {
	for _, id := range sortedIDs(was, is) {
		a, had := was[id]
		b, has := is[id]
		key := fmt.Sprintf("%s[%s]", kind, id)
		switch {
		case !had:
			p.refuse(b[""].line, key, "it is new: %s", instead)
		case !has:
			p.refuse(0, key, "it is gone: %s", instead)
		default:
			p.compare(key, a, b, instead)
		}
	}
}

// compare refuses every key of a part that is another one now.
func (p *editing) compare(where string, was, is part, instead string) {
	for _, k := range sortedIDs(was, is) {
		a, b := was[k], is[k]
		if a.value == b.value {
			continue
		}
		line, told := b.line, instead
		if line == 0 {
			line = is[""].line
		}
		if k == "player" {
			told = "who orders a combatant is part of the world. To hand a character to somebody else, change name and address of its player"
		}
		p.refuse(line, where+"."+k, "it was %s and is %s: %s", orNone(a.value), orNone(b.value), told)
	}
}

func orNone(json string) string {
	if json == "" {
		return "not there"
	}
	return json
}

// sortedIDs lists the keys of two maps.
func sortedIDs[K ~string, V any](a, b map[K]V) []K {
	out := make([]K, 0, len(a))
	for k := range a {
		out = append(out, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// set adds a value; what the file leaves out stays out.
func (p part) set(key string, line int, v any) {
	b, err := canonical(v)
	if s := string(b); err == nil && s != "null" && s != `""` && s != "[]" {
		p[key] = placed{s, line}
	}
}

func valuesOf(values []game.Value) part {
	p := part{}
	for _, v := range values {
		p[v.Key] = placed{string(v.Raw), v.Line}
	}
	return p
}

func featuresOf(s game.Scenario) map[game.ID]part {
	out := map[game.ID]part{}
	for _, f := range s.Features {
		out[f.ID] = part{}
		out[f.ID].set("feature", 0, f)
	}
	return out
}

func groupsOf(s game.Scenario) map[game.ID]part {
	out := map[game.ID]part{}
	for _, g := range s.Groups {
		out[g.ID] = part{}
		out[g.ID].set("members", 0, g.Members)
	}
	return out
}

func combatantsOf(s game.Scenario) map[game.ID]part {
	out := map[game.ID]part{}
	for _, c := range s.Combatants {
		v := valuesOf(c.Values)
		v[""] = placed{"", c.Line}
		for key, value := range map[string]any{ // a map into a map: no order matters
			"name": c.Name, "side": c.Side, "player": c.Player, "race": c.Race, "description": c.Description, "place": c.Place, "posture": c.Posture,
			"facing": c.Facing, "status": c.Status, "hidden": c.Hidden, "policy": c.Policy, "standing": c.Standing,
		} {
			v.set(key, c.Line, value)
		}
		for kind, gear := range map[string][]game.Gear{"weapon": c.Weapons, "item": c.Items} {
			for _, g := range gear {
				figures := map[string]string{"kind": string(g.Kind), "name": g.Name}
				for _, x := range g.Values {
					figures[x.Key] = string(x.Raw)
				}
				v.set(fmt.Sprintf("%s[%s]", kind, g.ID), g.Line, figures)
			}
		}
		out[c.ID] = v
	}
	return out
}

// tableLines gives of every line of a TOML text the table that it stands in,
// such as gm or player, and which of that name it is, from 0. Inline tables are
// not looked into.
func tableLines(text string) (lines []string, tables []string, nth []int) {
	count, table, n := map[string]int{}, "", 0
	for line := range strings.SplitSeq(text, "\n") {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			if name, _, ok := strings.Cut(strings.TrimLeft(head, "["), "]"); ok {
				table = strings.TrimSpace(name)
				n = count[table]
				count[table]++
			}
		}
		lines, tables, nth = append(lines, line), append(tables, table), append(nth, n)
	}
	return lines, tables, nth
}

// keyLine finds the line of a key in the n-th table of a name; 0 if it is not
// written in the usual form.
func keyLine(text, table string, n int, key string) int {
	lines, tables, nth := tableLines(text)
	for i, line := range lines {
		name, _, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); ok && tables[i] == table && nth[i] == n && (name == key || strings.HasPrefix(name, key+"_")) {
			return i + 1
		}
	}
	return 0
}
