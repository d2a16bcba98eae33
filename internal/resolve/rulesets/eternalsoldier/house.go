package eternalsoldier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/pbemd/pbemd/internal/game"
)

// A game file may put its own values in place of ours: any cell, row or table of
// data/*.toml, by file, table, id of the row, and column; a row with a new id is
// added. Rows of charts are named by the roll that they go up to.
//
//	[settings.tables.arms.weapon.long_sword]
//	damage = "2d10"
//
//	[settings.tables.tables.early]
//	penalty = [10, 25, 50]
//
//	[settings.tables.charts.critical]
//	78 = { text = "attack three segments early next time", n = 3 }

// tablePrefix begins the settings that are such values.
const tablePrefix = "tables."

// closed are the files whose values are no tables of the game.
var closed = []string{"settings", "verbs", "weapons", "guide"}

// readHouse takes the tables of a game file out of its settings.
func readHouse(values []game.Value) (house map[string]string, lines map[string]int, rest []game.Value) {
	lines = map[string]int{}
	for _, v := range values {
		path, ok := strings.CutPrefix(v.Key, tablePrefix)
		if !ok {
			rest = append(rest, v)
			continue
		}
		if house == nil {
			house = map[string]string{}
		}
		house[path], lines[path] = string(v.Raw), v.Line
	}
	return house, lines, rest
}

// at gives the tables as a game uses them. They are made once for each set of
// values; the values of a world have been tried when it was set up.
func (r *Ruleset) at(house map[string]string) *tables {
	if len(house) == 0 {
		return r.t
	}
	var key strings.Builder
	for _, path := range slices.Sorted(maps.Keys(house)) {
		fmt.Fprintf(&key, "%s=%s\n", path, house[path])
	}
	if t, ok := r.houses.Load(key.String()); ok {
		return t.(*tables)
	}
	t, err := r.replaced(house)
	if err != nil {
		return r.t
	}
	r.houses.Store(key.String(), t)
	return t
}

// replaced reads the tables with the values of a game in place of ours.
func (r *Ruleset) replaced(house map[string]string) (*tables, error) {
	files := contents{}
	names, err := fs.Glob(embedded, "data/*.toml")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		b, err := fs.ReadFile(embedded, n)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(n, "data/")] = b
	}
	for _, path := range slices.Sorted(maps.Keys(house)) {
		parts := strings.Split(path, ".")
		file := files[parts[0]+".toml"]
		if file == nil || len(parts) < 2 || slices.Contains(closed, parts[0]) {
			return nil, game.Fault{Key: tablePrefix + path, Text: "there is no such table"}
		}
		var content map[string]any
		if err := toml.Unmarshal(file, &content); err != nil {
			return nil, err
		}
		d := json.NewDecoder(strings.NewReader(house[path]))
		d.UseNumber()
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if err := put(content, parts[1:], plain(value)); err != nil {
			return nil, game.Fault{Key: tablePrefix + path, Text: err.Error()}
		}
		if len(parts) == 4 && parts[0] == "arms" && parts[1] == "weapon" && parts[3] != "printed" {
			vouch(content, parts[2], parts[3])
		}
		var out bytes.Buffer
		if err := toml.NewEncoder(&out).Encode(content); err != nil {
			return nil, err
		}
		files[parts[0]+".toml"] = out.Bytes()
	}
	return loadTables(files)
}

// vouch notes that a column of a weapon is the GM's own, so that nobody asks him
// about it again.
func vouch(content map[string]any, id, column string) {
	rows, _ := content["weapon"].([]map[string]any)
	for _, row := range rows {
		if isRow(row, id) {
			printed, _ := row["printed"].([]any)
			row["printed"] = append(slices.Clone(printed), column)
		}
	}
}

// contents are files in memory, by name.
type contents map[string][]byte

// Open implements fs.FS; nobody opens them, they are read whole.
func (contents) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (c contents) ReadFile(name string) ([]byte, error) {
	if b, ok := c[name]; ok {
		return b, nil
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

// plain makes whole numbers of JSON's.
func plain(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n
		}
		return x.String()
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = plain(x[k])
		}
	}
	return v
}

// put sets one value of a file's content, by the rest of its path.
func put(in map[string]any, path []string, value any) error {
	name := path[0]
	if len(path) == 1 {
		if into, ok := in[name].(map[string]any); ok {
			if from, ok := value.(map[string]any); ok { // only the keys that are given
				maps.Copy(into, from)
				return nil
			}
		}
		in[name] = value
		return nil
	}
	switch next := in[name].(type) {
	case map[string]any:
		return put(next, path[1:], value)
	case []map[string]any:
		i := slices.IndexFunc(next, func(row map[string]any) bool { return isRow(row, path[1]) })
		if i < 0 {
			row := map[string]any{"id": path[1], "source": "HD"}
			if n, err := strconv.ParseInt(path[1], 10, 64); err == nil {
				return fmt.Errorf("no row goes up to %d", n)
			}
			next = append(next, row)
			in[name] = next
			i = len(next) - 1
		}
		if len(path) == 2 {
			from, ok := value.(map[string]any)
			if !ok {
				return fmt.Errorf("a row needs its columns: { … }")
			}
			maps.Copy(next[i], from)
			return nil
		}
		return put(next[i], path[2:], value)
	}
	return fmt.Errorf("there is no %q", name)
}

// isRow reports that a row has a name: its id, or the roll that it goes up to.
func isRow(row map[string]any, name string) bool {
	if id, ok := row["id"]; ok {
		return id == name
	}
	return fmt.Sprint(row["to"]) == name
}
