package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// node is one value of a file with the line it stands on: a table (fields), a
// list (items) or a scalar (string, json.Number, bool). TOML and JSON become
// the same tree, so that one reader serves both.
type node struct {
	line   int
	fields []field
	items  []*node
	scalar any
	kind   kind
}

type kind int

const (
	isScalar kind = iota
	isList
	isTable
)

// field is one key of a table; the fields of a table are in file order.
type field struct {
	key   string
	value *node
}

// raw is the value as JSON, keys in file order.
func (n *node) raw() json.RawMessage {
	var b strings.Builder
	n.write(&b)
	return json.RawMessage(b.String())
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case isTable:
		b.WriteByte('{')
		for i, f := range n.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quoted(f.key))
			b.WriteByte(':')
			f.value.write(b)
		}
		b.WriteByte('}')
	case isList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	default:
		switch v := n.scalar.(type) {
		case nil:
			b.WriteString("null")
		case bool:
			b.WriteString(strconv.FormatBool(v))
		case json.Number:
			b.WriteString(v.String())
		case string:
			b.Write(quoted(v))
		}
	}
}

// quoted writes a string as JSON; a string always can be.
func quoted(s string) []byte {
	b, _ := json.Marshal(s)
	return b
}

// text describes a value for a fault: what it is, shortened.
func (n *node) text() string {
	s := string(n.raw())
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return s
}

// faults collects what is wrong with one file.
type faults struct {
	file string
	list []game.Fault
}

func (f *faults) add(line int, key, format string, args ...any) {
	f.list = append(f.list, game.Fault{File: f.file, Line: line, Key: key, Text: fmt.Sprintf(format, args...)})
}

// sorted lists the faults by line; those of one line in the order found.
func (f *faults) sorted() []game.Fault {
	slices.SortStableFunc(f.list, func(a, b game.Fault) int { return cmp.Compare(a.Line, b.Line) })
	return f.list
}

// table reads the keys of one table and remembers which it was asked for, so
// that it can tell of those that nobody knows.
type table struct {
	*faults
	node *node
	path string
	used map[string]bool
}

func (f *faults) table(n *node, path string) *table {
	t := &table{faults: f, node: n, path: path, used: map[string]bool{}}
	if n.kind != isTable {
		f.add(n.line, path, "%s is not a table", n.text())
		t.node = &node{kind: isTable, line: n.line}
	}
	return t
}

func (t *table) at(key string) string {
	if t.path == "" {
		return key
	}
	return t.path + "." + key
}

// get finds a key; JSON null counts as absent.
func (t *table) get(key string) *node {
	t.used[key] = true
	for _, f := range t.node.fields {
		if f.key == key {
			if f.value.kind == isScalar && f.value.scalar == nil {
				return nil
			}
			return f.value
		}
	}
	return nil
}

// line is where a key stands, or where its table begins.
func (t *table) line(key string) int {
	if n := t.get(key); n != nil {
		return n.line
	}
	return t.node.line
}

// wrong adds a fault about a key.
func (t *table) wrong(key, format string, args ...any) {
	t.add(t.line(key), t.at(key), format, args...)
}

// text reads a string; "" if absent.
func (t *table) text(key string) string {
	n := t.get(key)
	if n == nil {
		return ""
	}
	s, ok := n.scalar.(string)
	if !ok || n.kind != isScalar {
		t.wrong(key, "%s is not a text in quotes", n.text())
	}
	return s
}

// needed reads a string that must be there.
func (t *table) needed(key, what string) string {
	if t.get(key) == nil {
		t.wrong(key, "it is missing: %s", what)
		return ""
	}
	s := t.text(key)
	if s == "" && t.get(key).scalar == "" {
		t.wrong(key, "it is empty: %s", what)
	}
	return s
}

// word reads a string that must be one of a few; the first is the default.
func (t *table) word(key string, allowed ...string) string {
	if t.get(key) == nil {
		return allowed[0]
	}
	s := t.text(key)
	if s != "" && !slices.Contains(allowed, s) {
		t.wrong(key, "%q is not one of %s", s, strings.Join(allowed, ", "))
	}
	return s
}

// id reads an id; "" if absent.
func (t *table) id(key string) game.ID {
	s := t.text(key)
	if s != "" && !validID(s) {
		t.wrong(key, "%q is not an id: lower-case letters, digits, - and _, at most %d, the first a letter", s, maxID)
		return ""
	}
	return game.ID(s)
}

const maxID = 40

func validID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if letter := c >= 'a' && c <= 'z'; !letter && (i == 0 || c != '-' && c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= maxID
}

// number reads a whole number from least to most.
func (t *table) number(key string, least, most, otherwise int) int {
	n := t.get(key)
	if n == nil {
		return otherwise
	}
	v, ok := n.whole()
	if !ok || v < least || v > most {
		t.wrong(key, "%s is not a whole number from %d to %d", n.text(), least, most)
		return otherwise
	}
	return v
}

func (n *node) whole() (int, bool) {
	num, ok := n.scalar.(json.Number)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(num.String())
	return v, err == nil
}

// truth reads true or false.
func (t *table) truth(key string, otherwise bool) bool {
	n := t.get(key)
	if n == nil {
		return otherwise
	}
	v, ok := n.scalar.(bool)
	if !ok {
		t.wrong(key, "%s is neither true nor false", n.text())
		return otherwise
	}
	return v
}

// list gives the items of a list; none if absent.
func (t *table) list(key string) []*node {
	n := t.get(key)
	if n == nil {
		return nil
	}
	if n.kind != isList {
		t.wrong(key, "%s is not a list in [ ]", n.text())
	}
	return n.items
}

// texts reads a list of strings.
func (t *table) texts(key string) []string {
	var out []string
	for _, n := range t.list(key) {
		s, ok := n.scalar.(string)
		if !ok {
			t.add(n.line, t.at(key), "%s is not a text in quotes", n.text())
			continue
		}
		out = append(out, s)
	}
	return out
}

// tables gives the tables of a list, such as the [[combatant]]s; a fault names
// each by its id, else by its number.
func (t *table) tables(key string) []*table {
	var out []*table
	for i, n := range t.list(key) {
		name := strconv.Itoa(i + 1)
		for _, f := range n.fields {
			if s, ok := f.value.scalar.(string); ok && f.key == "id" && validID(s) {
				name = s
			}
		}
		out = append(out, t.faults.table(n, t.at(key)+"["+name+"]"))
	}
	return out
}

// sub gives the table under a key; an empty one if absent.
func (t *table) sub(key string) *table {
	n := t.get(key)
	if n == nil {
		n = &node{kind: isTable, line: t.node.line}
	}
	return t.faults.table(n, t.at(key))
}

// values flattens what nobody asked for: [combatant.skills] beam = 1 becomes
// the value skills.beam.
func (t *table) values() []game.Value {
	var out []game.Value
	for _, f := range t.node.fields {
		if !t.used[f.key] {
			out = appendValues(out, f.key, f.value)
		}
	}
	return out
}

func appendValues(out []game.Value, key string, n *node) []game.Value {
	if n.kind != isTable {
		return append(out, game.Value{Key: key, Raw: n.raw(), Line: n.line})
	}
	for _, f := range n.fields {
		out = appendValues(out, key+"."+f.key, f.value)
	}
	return out
}

// done adds a fault for each key that nobody asked for.
func (t *table) done() {
	for _, f := range t.node.fields {
		if t.used[f.key] {
			continue
		}
		known := make([]string, 0, len(t.used))
		for k := range t.used {
			known = append(known, k)
		}
		slices.Sort(known)
		hint := "known here: " + strings.Join(known, ", ")
		if near := nearest(f.key, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		t.add(f.value.line, t.at(f.key), "there is no such key; %s", hint)
	}
}

// nearest is the known word at most two letters away from s, if there is one.
func nearest(s string, known []string) string {
	best, at := "", 3
	if len(s) < 4 {
		at = 2
	}
	for _, k := range known {
		if d := distance(s, k); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or change between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
