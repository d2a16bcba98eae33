package resolve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/pbemd/pbemd/internal/game"
)

// Guide is an optional power: it explains a system's orders to those who write
// them.
type Guide interface {
	// Sample is the view of a character of nobody's game, for a guide without one.
	Sample() game.View
	// Guide explains the orders in the viewer's own words: his weapons, whom he
	// sees, the places that he knows, and the settings of his game.
	Guide(game.View) game.Guide
}

// GuideText is a system's guide.toml: the words of its guide, with {keys} where
// the system's own words and numbers stand.
type GuideText struct {
	Title   string            `toml:"title"`
	Unbuilt bool              `toml:"unbuilt"` // its rules are not built yet
	Sample  sampleView        `toml:"sample"`
	Section []guideSection    `toml:"section"`
	Setting map[string]string `toml:"setting"` // what a setting is about, by key
}

// sampleView is a view, written with the names of its JSON.
type sampleView struct{ game.View }

// UnmarshalTOML implements toml.Unmarshaler.
func (s *sampleView) UnmarshalTOML(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(&s.View)
}

// guideSection is one [[section]].
type guideSection struct {
	Title string       `toml:"title"`
	Text  []guideWords `toml:"text"`
	Step  []guideWords `toml:"step"`
	Rows  string       `toml:"rows"` // name of a table of the system
	Marks string       `toml:"marks"`
	// Players: the GM does not need it.
	Players bool         `toml:"players"`
	Order   []guideOrder `toml:"order"`
}

// guideWords are words that stand there if the settings named have the value
// given: "sequence=pbem".
type guideWords struct {
	If   []string `toml:"if"`
	Says string   `toml:"says"`
}

// guideOrder is one [[section.order]]. An order that needs what the viewer has
// not is left out.
type guideOrder struct {
	If    []string `toml:"if"`
	Verb  string   `toml:"verb"`
	Write string   `toml:"write"`
	Or    []string `toml:"or"` // the same where that cannot be carried out
	Says  string   `toml:"says"`
}

// everySystem is what the guides of all systems say.
//
//go:embed guide.toml
var everySystem []byte

// ReadGuide reads a system's data/guide.toml and puts the sections of every system
// where its section "@common" stands; fill gives what the system puts into it. It is
// no table of the rules: no data hash goes over it.
func ReadGuide(files fs.FS, all Settings, fill func(*GuideText) GuideFill) (*GuideText, error) {
	g := &GuideText{}
	data := NewData(files)
	data.Read("data/guide.toml", g)
	if err := errors.Join(data.Faults()...); err != nil {
		return nil, fmt.Errorf("reading the guide: %w", err)
	}
	var common GuideText
	meta, err := toml.NewDecoder(bytes.NewReader(everySystem)).Decode(&common)
	if unknown := meta.Undecoded(); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("unknown keys %v", unknown)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the guide of every system: %w", err)
	}
	if i := slices.IndexFunc(g.Section, func(s guideSection) bool { return s.Title == "@common" }); i >= 0 {
		g.Section = slices.Replace(g.Section, i, i+1, common.Section...)
	}
	if err := g.check(all, fill(g)); err != nil {
		return nil, fmt.Errorf("reading the guide: %w", err)
	}
	return g, nil
}

// View is the view of the sample character.
func (g *GuideText) View() game.View { return g.Sample.View }

// check names what is wrong with a guide: settings that there are not, tables and
// numbers that the system does not fill in, sections and orders that say nothing.
func (g *GuideText) check(all Settings, f GuideFill) error {
	var faults []error
	bad := func(key, text string, args ...any) {
		faults = append(faults, game.Fault{File: "guide.toml", Key: key, Text: fmt.Sprintf(text, args...)})
	}
	conditions := func(key string, list []string) {
		for _, c := range list {
			name, value, _ := strings.Cut(c, "=")
			if s := all.Find(name); s == nil || !s.Takes(value) {
				bad(key+".if", "%q is no setting with one of its values", c)
			}
		}
	}
	words := func(key string, list []guideWords) {
		for _, w := range list {
			conditions(key, w.If)
			if s := f.numbers().Replace(w.Says); s == "" || strings.Contains(s, "{") {
				bad(key+".says", "%q holds what is not filled in, or nothing", s)
			}
		}
	}
	for _, s := range g.Section {
		key := "section." + s.Title
		words(key+".text", s.Text)
		words(key+".step", s.Step)
		if _, ok := f.Tables[s.Rows]; s.Rows != "" && !ok {
			bad(key+".rows", "there is no table %q", s.Rows)
		}
		if s.Title == "" || len(s.Text)+len(s.Step)+len(s.Order) == 0 && s.Rows == "" {
			bad(key, "needs a title, and something to say")
		}
		for _, o := range s.Order {
			conditions(key+".order", o.If)
			if o.Verb == "" || o.Write == "" {
				bad(key+".order", "needs a verb and what is written")
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g.Setting)) {
		if all.Find(key) == nil {
			bad("setting."+key, "there is no such setting")
		}
	}
	return errors.Join(faults...)
}

// GuideFill is what a system puts into its guide for one viewer.
type GuideFill struct {
	Words   *strings.Replacer       // {enemy}, {gun} …: of orders
	Numbers map[string]string       // {careful_aim} …: of the tables
	Tables  map[string][]game.Line  // by the name that a section gives
	Setting func(key string) string // the value in force
	Idle    func(verb string) bool  // there is no use for it now; nil: for none
}

// numbers puts the numbers into a text.
func (f GuideFill) numbers() *strings.Replacer {
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(f.Numbers)) {
		pairs = append(pairs, "{"+k+"}", f.Numbers[k])
	}
	return strings.NewReplacer(pairs...)
}

// Fill writes the guide. What a placeholder is left in is left out.
func (g *GuideText) Fill(f GuideFill) game.Guide {
	out := game.Guide{Title: g.Title, Unbuilt: g.Unbuilt}
	numbers := f.numbers()
	holds := func(conditions []string) bool {
		return !slices.ContainsFunc(conditions, func(c string) bool {
			key, value, _ := strings.Cut(c, "=")
			return f.Setting(key) != value
		})
	}
	words := func(list []guideWords) []string {
		var out []string
		for _, w := range list {
			if s := numbers.Replace(w.Says); holds(w.If) && !strings.Contains(s, "{") {
				out = append(out, s)
			}
		}
		return out
	}
	for _, s := range g.Section {
		to := game.GuideSection{Title: s.Title, Text: words(s.Text), Steps: words(s.Step), Rows: f.Tables[s.Rows], Needy: len(s.Order) > 0, Players: s.Players}
		if slices.ContainsFunc(to.Rows, func(l game.Line) bool { return strings.Contains(l.Value, "*") }) {
			to.Marks = s.Marks
		}
		for _, o := range s.Order {
			var write []string
			for _, w := range append([]string{o.Write}, o.Or...) {
				if w = numbers.Replace(f.Words.Replace(w)); !strings.Contains(w, "{") {
					write = append(write, w)
				}
			}
			says := numbers.Replace(f.Words.Replace(o.Says))
			if write == nil || strings.Contains(says, "{") || !holds(o.If) || f.Idle != nil && f.Idle(o.Verb) {
				continue
			}
			to.Orders = append(to.Orders, game.GuideOrder{Verb: o.Verb, Form: o.Write, Write: write, Says: says})
		}
		out.Sections = append(out.Sections, to)
	}
	return out
}

// SettingLines names the settings of a game that are not the defaults.
func (g *GuideText) SettingLines(all Settings, set map[string]string) []game.Line {
	var out []game.Line
	for _, s := range all {
		v, ok := set[s.Key]
		if !ok || v == s.Values[0] {
			continue
		}
		l := game.Line{Label: s.Key, Value: fmt.Sprintf("%s here, not %s", v, s.Values[0])}
		if about := g.Setting[s.Key]; about != "" {
			l.Value += ": " + about
		}
		if s.Rule != "" {
			l.Value += " (rules " + s.Rule + ")"
		}
		out = append(out, l)
	}
	return out
}
