package starfrontiers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// house holds the tables that a game file puts in place of ours: the critical
// hits of 12.1, the wounds of 12.4 and the fumbles of 13.
//
//	[settings]
//	critical_table = [{ to = 49, critical = 5 }, { to = 999999, grievous = 1, critical = 10 }]
//
//	[settings.fumble_table] # any of the keys of [fumble] in data/tables.toml
//	from = 98
//
//	[settings.grievous_table] # a table of data/grievous.toml
//	chance = 30
//	wound = [{ roll = 1, name = "Scar" }, …]
type house struct {
	Critical []criticalRow  `json:"critical,omitempty"`
	Fumble   *fumbleTable   `json:"fumble,omitempty"`
	Grievous *grievousTable `json:"grievous,omitempty"`
}

// criticalRow is one row of 12.1: it holds up to a modified chance.
type criticalRow struct {
	To       int `toml:"to" json:"to"`
	Grievous int `toml:"grievous" json:"grievous,omitempty"`
	Critical int `toml:"critical" json:"critical,omitempty"`
}

// fumbleTable is section 13.
type fumbleTable struct {
	From         int   `toml:"from" json:"from"`
	Always       int   `toml:"always" json:"always"`
	SkillLevel   int   `toml:"skill_level" json:"skill_level"`
	DieDistance  int   `toml:"die_distance" json:"die_distance"`
	FootTenthsMM int   `toml:"foot_tenth_mm" json:"foot_tenth_mm"`
	Diagonal     int   `toml:"diagonal" json:"diagonal"`
	Turns        []int `toml:"turns" json:"turns"`
}

func criticalFaults(rows []criticalRow) []string {
	var out []string
	last := -1
	for _, c := range rows {
		if c.To <= last || c.Grievous < 0 || c.Grievous > c.Critical || c.Critical > 100 {
			out = append(out, "rows must rise and a grievous range lie in the critical one")
			break
		}
		last = c.To
	}
	if last < 1000 {
		out = append(out, "the last row must be open: to = 999999")
	}
	return out
}

func (f *fumbleTable) faults() []string {
	switch {
	case len(f.Turns) != 10:
		return []string{"turns needs 10 values"}
	case slices.Min(f.Turns) < -8 || slices.Max(f.Turns) > 8:
		return []string{"turns are eighths of a circle"}
	case f.From < 1 || f.Always < 1 || f.SkillLevel < 0 || f.DieDistance < 1 || f.DieDistance > 1000 || f.FootTenthsMM < 1 || f.FootTenthsMM > 1_000_000 || f.Diagonal < 1 || f.Diagonal > 10000:
		return []string{"a figure is out of range"}
	}
	return nil
}

// replaceable are the keys of a game file that hold tables.
var replaceable = []string{"critical_table", "fumble_table", "grievous_table"}

// readHouse takes the tables out of the settings of a game file and gives the
// settings that are left.
func (t *tables) readHouse(file string, values []game.Value) (*house, []game.Value, []game.Fault) {
	given := map[string]map[string]json.RawMessage{}
	lines := map[string]int{}
	var rest []game.Value
	for _, v := range values {
		name, key, dotted := strings.Cut(v.Key, ".")
		if !slices.Contains(replaceable, name) || !dotted && name == "grievous_table" && bytes.HasPrefix(v.Raw, []byte(`"`)) {
			rest = append(rest, v)
			continue
		}
		if given[name] == nil {
			given[name] = map[string]json.RawMessage{}
			lines[name] = v.Line
		}
		if class, ok := strings.CutPrefix(key, "class_chance."); ok {
			// Tables within tables come flattened.
			given["class_chance"] = add(given["class_chance"], class, v.Raw)
			continue
		}
		given[name][key] = v.Raw
	}
	h := &house{}
	var faults []game.Fault
	fault := func(key string, texts ...string) {
		for _, text := range texts {
			faults = append(faults, game.Fault{File: file, Line: lines[key], Key: key, Text: text})
		}
	}
	read := func(key string, raw any, into any) bool {
		b, err := json.Marshal(raw)
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(b))
			d.DisallowUnknownFields()
			err = d.Decode(into)
		}
		if err != nil {
			fault(key, fmt.Sprintf("this is no such table: %s", strings.TrimPrefix(err.Error(), "json: ")))
		}
		return err == nil
	}
	if raw, ok := given["critical_table"]; ok && read("critical_table", raw[""], &h.Critical) {
		fault("critical_table", criticalFaults(h.Critical)...)
	}
	if raw, ok := given["fumble_table"]; ok {
		own := t.Fumble
		own.Turns = nil
		h.Fumble = &own
		if read("fumble_table", raw, h.Fumble) {
			if h.Fumble.Turns == nil {
				h.Fumble.Turns = slices.Clone(t.Fumble.Turns)
			}
			fault("fumble_table", h.Fumble.faults()...)
		}
	}
	if raw, ok := given["grievous_table"]; ok {
		if classes := given["class_chance"]; classes != nil {
			b, _ := json.Marshal(classes)
			raw["class_chance"] = b
		}
		h.Grievous = &grievousTable{Chance: t.grievous("default-v1").Chance}
		if read("grievous_table", raw, h.Grievous) {
			fault("grievous_table", h.Grievous.faults()...)
		}
	}
	if h.Critical == nil && h.Fumble == nil && h.Grievous == nil {
		h = nil
	}
	return h, rest, faults
}

func add(m map[string]json.RawMessage, key string, raw json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		m = map[string]json.RawMessage{}
	}
	m[key] = raw
	return m
}

// at gives the tables as a game uses them, its own in place of ours.
func (t *tables) at(w *World) *tables {
	own := *t
	own.wounds = t.grievous(w.setting("grievous_table"))
	if h := w.House; h != nil {
		if len(h.Critical) > 0 {
			own.Critical = h.Critical
		}
		if h.Fumble != nil {
			own.Fumble = *h.Fumble
		}
		if h.Grievous != nil {
			own.wounds = h.Grievous
		}
	}
	return &own
}

// grievous finds a table of wounds of the data; an unknown one is the first.
func (t *tables) grievous(id string) *grievousTable {
	for i := range t.grievousTables {
		if t.grievousTables[i].ID == id {
			return &t.grievousTables[i]
		}
	}
	return &t.grievousTables[0]
}
