package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds how deep the values of a JSON file may be nested.
const maxDepth = 100

// readJSON makes a tree of a JSON text, or adds the one fault it stops at.
func (f *faults) readJSON(data []byte) (*node, bool) {
	if !f.readable(data) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	r := jsonRead{d: d, data: data}
	n, err := r.value(0)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after its end")
		}
	}
	if err != nil {
		line := r.lineAt(d.InputOffset())
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
			line = r.lineAt(bad.Offset)
		}
		f.add(line, "", "this is not JSON: %v", err)
		return nil, false
	}
	return n, true
}

type jsonRead struct {
	d    *json.Decoder
	data []byte
	seen int64 // lines are counted up to here
	line int
}

// lineAt counts lines up to an offset; offsets mostly rise.
func (r *jsonRead) lineAt(offset int64) int {
	offset = min(offset, int64(len(r.data)))
	if r.line == 0 || offset < r.seen {
		r.seen, r.line = 0, 1
	}
	r.line += bytes.Count(r.data[r.seen:offset], []byte("\n"))
	r.seen = offset
	return r.line
}

func (r *jsonRead) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", maxDepth)
	}
	tok, err := r.d.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := &node{line: r.lineAt(r.d.InputOffset())}
	open, ok := tok.(json.Delim)
	if !ok {
		n.scalar = tok
		return n, nil
	}
	if open == '[' {
		n.kind = isList
		for r.d.More() {
			item, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	} else {
		n.kind = isTable
		seen := map[string]bool{}
		for r.d.More() {
			key, err := r.d.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			if seen[name] {
				return nil, fmt.Errorf("the key %q stands twice in one object", name)
			}
			seen[name] = true
			value, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field{name, value})
		}
	}
	if _, err = r.d.Token(); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
