package scenario

import "github.com/pbemd/pbemd/internal/game"

// look is what a kind of feature does to sight, shots and steps unless the file
// says otherwise.
type look struct {
	opaque    bool
	cover     string
	low       bool
	difficult bool
}

const (
	soft = "soft"
	hard = "hard"
)

// looks lists the kinds that do something. Any other kind is only a name on the
// map. A closed door is a wall, an open one is nothing.
var looks = map[string]look{
	"wall":        {opaque: true, cover: hard},
	"building":    {opaque: true, cover: hard},
	"bulkhead":    {opaque: true, cover: hard},
	"pillar":      {opaque: true, cover: hard},
	"cliff":       {opaque: true, cover: hard},
	"container":   {opaque: true, cover: hard},
	"rock":        {cover: hard, low: true},
	"crate":       {cover: hard, low: true},
	"barrel":      {cover: hard, low: true},
	"drum":        {cover: hard, low: true},
	"console":     {cover: hard, low: true},
	"low_wall":    {cover: hard, low: true},
	"vehicle":     {cover: hard},
	"locker":      {cover: hard},
	"furniture":   {cover: soft, low: true},
	"haystack":    {cover: soft, low: true},
	"bush":        {cover: soft, low: true},
	"tree":        {cover: soft},
	"undergrowth": {cover: soft, difficult: true},
	"rubble":      {difficult: true},
	"scree":       {difficult: true},
	"mud":         {difficult: true},
	"swamp":       {difficult: true},
	"snow":        {difficult: true},
}

const door = "door"

func lookOf(kind, state string) look {
	if kind == door && state != "open" {
		return looks["wall"]
	}
	return looks[kind]
}

// feature reads one feature of a map.
func (e *encounter) feature(t *table) {
	f := game.Feature{ID: t.id("id"), Name: t.text("name"), Kind: t.needed("kind", "wall, crate, door, rock, tree …")}
	if t.get("id") == nil {
		t.wrong("id", "it is missing: the feature's id, such as crate1")
	}
	if f.Name == "" {
		f.Name = plain(f.Kind)
	}
	if f.Kind == door {
		f.State = t.word("state", "closed", "open", "locked")
	} else {
		f.State = t.text("state")
	}
	def := lookOf(f.Kind, f.State)
	// Scenes say who sees whom, and their maps do not contradict it.
	f.Opaque = t.truth("opaque", def.opaque && !e.words.strict)
	f.Low = t.truth("low", def.low)
	f.Difficult = t.truth("difficult", def.difficult)
	f.Cover = def.cover
	if t.get("cover") != nil {
		f.Cover = t.word("cover", "none", soft, hard)
	}
	if f.Cover == "none" {
		f.Cover = ""
	}
	for _, n := range t.list("squares") {
		f.Squares = append(f.Squares, e.squares(t, "squares", n)...)
	}
	if len(f.Squares) == 0 && len(t.list("squares")) == 0 {
		t.wrong("squares", `it is missing: the squares it fills, such as ["E4", "E5:G5"]`)
	}
	t.text("note") // for whoever reads the file
	t.done()
	e.claim(t, "id", f.ID, "feature")
	e.out.Features = append(e.out.Features, f)
}
