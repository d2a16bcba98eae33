package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// readTOML makes a tree of a TOML text, or adds the one fault that the decoder
// stops at.
func (f *faults) readTOML(data []byte) (*node, bool) {
	if !f.readable(data) {
		return nil, false
	}
	var doc map[string]any
	if _, err := toml.Decode(string(data), &doc); err != nil {
		line, text := 0, err.Error()
		if bad, ok := errors.AsType[toml.ParseError](err); ok {
			line, text = bad.Position.Line, bad.Message
			if bad.LastKey != "" {
				text += fmt.Sprintf(" (last key %q)", bad.LastKey)
			}
		}
		f.add(line, "", "this is not TOML: %s", strings.TrimPrefix(text, "toml: "))
		return nil, false
	}
	return tomlNode(doc, "", 1, tomlLines(string(data))), true
}

// maxFile is how many bytes a file may have.
const maxFile = 256 << 10

func (f *faults) readable(data []byte) bool {
	switch {
	case len(data) > maxFile:
		f.add(0, "", "the file is larger than %d bytes", maxFile)
	case !utf8.Valid(data):
		f.add(0, "", "the file is not UTF-8")
	default:
		return true
	}
	return false
}

// tomlNode turns what the decoder gives into nodes. A value without a line of
// its own has that of what it stands in.
func tomlNode(v any, path string, line int, lines map[string]int) *node {
	if l, ok := lines[path]; ok {
		line = l
	}
	n := &node{line: line}
	switch v := v.(type) {
	case map[string]any:
		n.kind = isTable
		for key, value := range v {
			n.fields = append(n.fields, field{key, tomlNode(value, joinPath(path, key), line, lines)})
		}
		slices.SortFunc(n.fields, func(a, b field) int {
			return cmp.Or(cmp.Compare(a.value.line, b.value.line), cmp.Compare(a.key, b.key))
		})
	case []map[string]any:
		n.kind = isList
		for i, value := range v {
			n.items = append(n.items, tomlNode(value, itemPath(path, i), line, lines))
		}
	case []any:
		n.kind = isList
		for i, value := range v {
			n.items = append(n.items, tomlNode(value, itemPath(path, i), line, lines))
		}
	case int64:
		n.scalar = json.Number(strconv.FormatInt(v, 10))
	case float64:
		n.scalar = json.Number(strconv.FormatFloat(v, 'f', -1, 64))
		if v != v || v-v != 0 { // nan and inf have no JSON
			n.scalar = strconv.FormatFloat(v, 'f', -1, 64)
		}
	case time.Time:
		n.scalar = v.Format(time.RFC3339Nano)
	default:
		n.scalar = v // string or bool
	}
	return n
}

func joinPath(path, key string) string { return path + "\x00" + key }

func itemPath(path string, i int) string { return path + "\x01" + strconv.Itoa(i) }

// tomlLines finds the line of every table header and every key of a text that
// the decoder has accepted, for the decoder does not tell. Keys of inline
// tables stand on the line of their statement.
func tomlLines(text string) map[string]int {
	s := &tomlScan{text: text, line: 1, lines: map[string]int{}, arrays: map[string]int{}}
	table := ""
	for s.skipBlank(); s.pos < len(s.text); s.skipBlank() {
		line := s.line
		if s.text[s.pos] != '[' {
			path := s.resolve(table, s.key(), false)
			s.note(path, line)
			s.skipValue()
			continue
		}
		list := strings.HasPrefix(s.text[s.pos:], "[[")
		s.pos++
		if list {
			s.pos++
		}
		table = s.resolve("", s.key(), list)
		s.note(table, line)
		s.skipValue()
	}
	return s.lines
}

type tomlScan struct {
	text   string
	pos    int
	line   int
	lines  map[string]int
	arrays map[string]int // how many [[tables]] a path has
}

func (s *tomlScan) note(path string, line int) {
	if _, ok := s.lines[path]; !ok {
		s.lines[path] = line
	}
}

// resolve gives the path of a dotted key: each part that is a list of tables
// means its last table; with list set, the whole begins a new one.
func (s *tomlScan) resolve(path string, parts []string, list bool) string {
	for i, part := range parts {
		path = joinPath(path, part)
		if list && i == len(parts)-1 {
			s.note(path, s.line)
			s.arrays[path]++
		}
		if n := s.arrays[path]; n > 0 {
			path = itemPath(path, n-1)
		}
		if i < len(parts)-1 {
			s.note(path, s.line)
		}
	}
	return path
}

// skipBlank goes to the next statement.
func (s *tomlScan) skipBlank() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '\n':
			s.line++
		case c == '#':
			s.skipComment()
			continue
		case c != ' ' && c != '\t' && c != '\r':
			return
		}
		s.pos++
	}
}

func (s *tomlScan) skipComment() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
}

// key reads a dotted key up to "=" or "]", which it passes.
func (s *tomlScan) key() (parts []string) {
	bare := ""
	end := func() {
		if bare = strings.TrimSpace(bare); bare != "" {
			parts = append(parts, bare)
		}
		bare = ""
	}
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '=', ']':
			end()
			s.pos++
			return parts
		case '.':
			end()
			s.pos++
		case '"', '\'':
			begin := s.pos
			s.skipString()
			part := s.text[begin:s.pos]
			if plain, err := strconv.Unquote(part); err == nil && c == '"' {
				part = plain
			} else {
				part = strings.Trim(part, string(c))
			}
			parts = append(parts, part)
		case '\n':
			return parts
		default:
			bare += string(c)
			s.pos++
		}
	}
	return parts
}

// skipValue goes to the end of the statement: the newline outside of all
// brackets and strings.
func (s *tomlScan) skipValue() {
	depth := 0
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '"', '\'':
			s.skipString()
			continue
		case '#':
			s.skipComment()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			if depth <= 0 {
				return
			}
			s.line++
		}
		s.pos++
	}
}

// skipString passes a string of any of the four kinds.
func (s *tomlScan) skipString() {
	quote := s.text[s.pos : s.pos+1]
	escapes := quote == `"`
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.text[s.pos:], long) {
		quote = long
	}
	s.pos += len(quote)
	for s.pos < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.pos:], quote):
			s.pos += len(quote)
			// A long string may end in one or two quotes of its own.
			for len(quote) == 3 && s.pos < len(s.text) && s.text[s.pos] == quote[0] {
				s.pos++
			}
			return
		case escapes && s.text[s.pos] == '\\' && s.pos+1 < len(s.text):
			s.pos++
		}
		if s.text[s.pos] == '\n' {
			s.line++
		}
		s.pos++
	}
}
