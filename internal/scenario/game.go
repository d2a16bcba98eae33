// Package scenario reads what people write about an encounter: game files,
// scenario files (both TOML) and JSON scenes. It tells everything that is wrong
// with a file at once, each fault with file, line and key and what would be
// right; and it knows when the turns of a game end. What only a game system can
// judge (abilities, skills, weapons, settings) is passed on with its line, for
// the ruleset to read and to refuse.
package scenario

import (
	"net/mail"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// Game is a game file: an encounter with its people and its clock.
type Game struct {
	Name     string // short: letters, digits and -; the tag in Subjects
	Title    string
	System   string
	Opening  string // what the first mail tells of the encounter
	Clock    Clock
	GM       Person
	GMProof  string // "verified", or "token": then the packet's token is proof enough
	Players  []Person
	Scenario game.Scenario
	Source   string // the whole file as it was read
}

// Clock says when turns end.
type Clock struct {
	Zone       string // IANA
	Schedule   string // cron, five fields, see [NextDeadline]
	MinTurn    time.Duration
	Grace      time.Duration // from the deadline until letters still under way have come
	Remind     time.Duration // before the deadline; 0 is never
	EarlyClose bool          // a turn may end when everybody is ready
}

// Next is the deadline of a turn that begins at the given time.
func (c Clock) Next(after time.Time) (time.Time, error) {
	return NextDeadline(c.Schedule, c.Zone, after, c.MinTurn)
}

// Person is somebody who gets mail.
type Person struct {
	ID      game.ID
	Name    string
	Address string // as written, without display name
	Zone    string // IANA, for times in mails to him
}

// Defaults of the clock, and the longest duration that is taken.
const (
	defaultMinTurn = 12 * time.Hour
	defaultGrace   = 5 * time.Minute
	defaultRemind  = 24 * time.Hour
	maxDuration    = 90 * 24 * time.Hour
)

// maxName is how long a game's short name may be.
const maxName = 24

// ReadGame reads a game file. With faults, the game is nil. file is only told
// in the faults.
func ReadGame(file string, data []byte) (*Game, []game.Fault) {
	f := &faults{file: file}
	root, ok := f.readTOML(data)
	if !ok {
		return nil, f.list
	}
	g := &Game{Source: string(data)}
	t := f.table(root, "")
	e := f.encounter(words{player: "player", place: "place"})
	head := t.sub("game")
	if t.get("game") == nil {
		t.wrong("game", "there is no [game] with name, title, system and grid")
	} else {
		g.head(head, e)
		if g.Name = head.needed("name", "a short name, such as Dusk"); g.Name != "" && !validName(g.Name) {
			head.wrong("name", "%q is not a short name: letters, digits and -, at most %d, the first a letter", g.Name, maxName)
		}
		head.done()
	}
	g.clock(t)
	g.people(t, e)
	e.figures(t)
	g.ordered(e)
	t.done()
	g.Scenario = e.out
	if len(f.list) > 0 {
		return nil, f.sorted()
	}
	return g, nil
}

func validName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(s) <= maxName
}

// head reads [game] but for the short name.
func (g *Game) head(t *table, e *encounter) {
	g.Title = t.needed("title", "the encounter's title")
	g.System = t.needed("system", "the game system, such as star-frontiers")
	g.Opening = strings.TrimSpace(t.text("opening"))
	e.out.Title, e.out.System = g.Title, g.System
	e.out.Turn = t.number("turn", 1, 1_000_000, 1)
	e.out.Rounds = t.number("rounds", 1, maxRounds, 1)
	e.ground(t)
}

// figures reads all that stands on the map, and the settings.
func (e *encounter) figures(t *table) {
	for _, f := range t.tables("feature") {
		e.feature(f)
	}
	for _, c := range t.tables("combatant") {
		e.combatant(c)
	}
	e.groups(t)
	e.check(t, "combatant")
	if n := t.get("settings"); n != nil {
		e.out.Settings = t.sub("settings").values()
	}
}

func (g *Game) clock(t *table) {
	if t.get("clock") == nil {
		t.wrong("clock", "there is no [clock] with zone and schedule")
		return
	}
	c := t.sub("clock")
	g.Clock = Clock{
		Zone:       c.needed("zone", "the IANA zone of the schedule, such as Europe/Berlin"),
		Schedule:   c.needed("schedule", `when turns end, such as "0 20 * * *" for 20:00 every day`),
		MinTurn:    c.duration("min_turn", defaultMinTurn),
		Grace:      c.duration("grace", defaultGrace),
		Remind:     c.duration("remind", defaultRemind),
		EarlyClose: c.truth("early_close", true),
	}
	if g.Clock.Zone != "" {
		c.zone("zone", g.Clock.Zone)
	}
	if g.Clock.Schedule != "" {
		if _, err := parseSchedule(g.Clock.Schedule); err != nil {
			c.wrong("schedule", "%v", err)
		} else if _, err := NextDeadline(g.Clock.Schedule, "UTC", time.Unix(0, 0), 0); err != nil {
			c.wrong("schedule", "%v", err)
		}
	}
	c.done()
}

func (t *table) zone(key, zone string) {
	if _, err := loadZone(zone); err != nil {
		t.wrong(key, "%v", err)
	}
}

// duration reads a Go duration such as "12h" or "1h30m".
func (t *table) duration(key string, otherwise time.Duration) time.Duration {
	if t.get(key) == nil {
		return otherwise
	}
	s := t.text(key)
	if s == "" && t.get(key).scalar != "" {
		return otherwise // it is no text, and was told
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxDuration {
		t.wrong(key, `%q is not a length of time up to %d days; write "12h", "90m" or "30s"`, s, int(maxDuration.Hours()/24))
		return otherwise
	}
	return d
}

// people reads [gm] and the [[player]]s.
func (g *Game) people(t *table, e *encounter) {
	taken := map[string]game.ID{}
	if t.get("gm") == nil {
		t.wrong("gm", "there is no [gm] with name and address")
	} else {
		gm := t.sub("gm")
		g.GM = g.person(gm, taken, game.GM)
		g.GMProof = gm.word("proof", "verified", "token")
		gm.done()
	}
	if t.get("player") == nil {
		t.wrong("player", "there is no [[player]] with id, name and address")
	}
	for _, p := range t.tables("player") {
		id := p.id("id")
		if p.get("id") == nil {
			p.wrong("id", "it is missing: a short id, such as anna")
		}
		g.Players = append(g.Players, g.person(p, taken, id))
		p.done()
		e.claim(p, "id", id, "player")
	}
}

func (g *Game) person(t *table, taken map[string]game.ID, id game.ID) Person {
	p := Person{ID: id, Name: t.needed("name", "how mails greet the person"), Address: t.needed("address", "a mail address"), Zone: t.text("zone")}
	if t.get("zone") == nil {
		p.Zone = g.Clock.Zone
	} else if p.Zone != "" || t.get("zone").scalar == "" {
		t.zone("zone", p.Zone)
	}
	if strings.ContainsAny(p.Name, "\r\n") {
		t.wrong("name", "a name is one line")
	}
	if p.Address != "" {
		a, err := mail.ParseAddress(p.Address)
		if err != nil || a.Name != "" || a.Address != p.Address || !strings.Contains(p.Address, "@") {
			t.wrong("address", "%q is not a bare mail address such as anna@example.org", p.Address)
		}
		norm := strings.ToLower(p.Address)
		if other, ok := taken[norm]; ok {
			t.wrong("address", "%s has this address already; letters could not be told apart", other)
		}
		taken[norm] = id
	}
	return p
}

// ordered checks who orders whom.
func (g *Game) ordered(e *encounter) {
	orders := map[game.ID]bool{}
	for _, c := range e.out.Combatants {
		orders[c.Player] = true
		if c.Player != "" && e.ids[c.Player] != "player" {
			e.add(c.Line, "combatant["+string(c.ID)+"].player", "there is no player %q%s", c.Player, g.playerHint(c.Player))
		}
	}
	for _, p := range g.Players {
		if p.ID != "" && !orders[p.ID] {
			e.add(0, "player["+string(p.ID)+"]", "no combatant has player = %q, so this player has nothing to order", p.ID)
		}
	}
}

func (g *Game) playerHint(id game.ID) string {
	var ids []string
	for _, p := range g.Players {
		ids = append(ids, string(p.ID))
	}
	if near := nearest(string(id), ids); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; leave the key out for a combatant of the GM"
}
