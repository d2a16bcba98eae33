package daemon

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/store"
)

// Difference is the first place at which an attempt is drafted otherwise.
type Difference struct {
	Ref     string // of the event; empty if all events are the same
	What    string // the event, its field, or the part of the attempt
	Was, Is string
}

// differenceOf finds the first place at which two drafts of one attempt part;
// nil: they are the same bytes.
func differenceOf(was, is store.Attempt) *Difference {
	if d := eventsDiffer(was.Events, is.Events); d != nil {
		return d
	}
	for _, part := range []struct {
		name    string
		was, is []byte
	}{
		{"the world after the turn", was.WorldAfter, is.WorldAfter}, {"the outcome", was.Outcome, is.Outcome},
		{"the orders", was.Orders, is.Orders}, {"the rulings", was.Rulings, is.Rulings},
	} {
		if !bytes.Equal(part.was, part.is) {
			path, a, b := firstDifference(part.was, part.is)
			return &Difference{What: part.name + ", " + path, Was: a, Is: b}
		}
	}
	if was.Version == is.Version && was.DataSHA == is.DataSHA && was.Digest != is.Digest {
		return &Difference{What: "the digest", Was: was.Digest, Is: is.Digest}
	}
	return nil
}

func eventsDiffer(was, is []byte) *Difference {
	var a, b []json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return &Difference{What: "the events", Was: clip(string(was)), Is: clip(string(is))}
	}
	at := func(list []json.RawMessage, i int) (e game.Event) {
		if i < len(list) && json.Unmarshal(list[i], &e) != nil {
			e.Ref = "?"
		}
		return e
	}
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && bytes.Equal(a[i], b[i]) {
			continue
		}
		x, y := at(a, i), at(b, i)
		if x.Ref != y.Ref {
			return &Difference{Ref: cmp.Or(x.Ref, y.Ref), What: "the event", Was: eventWords(x), Is: eventWords(y)}
		}
		path, from, to := firstDifference(a[i], b[i])
		return &Difference{Ref: x.Ref, What: path, Was: from, Is: to}
	}
	return nil
}

func eventWords(e game.Event) string {
	if e.Ref == "" {
		return "nothing"
	}
	return clip(e.Ref + ": " + e.Text[game.All])
}

// firstDifference finds the first place at which two JSON texts differ: its
// path, and what stands there in each.
func firstDifference(was, is []byte) (path, a, b string) {
	x, errX := decoded(was)
	y, errY := decoded(is)
	if errX != nil || errY != nil {
		return "the bytes", clip(string(was)), clip(string(is))
	}
	path, x, y, ok := parting(x, y)
	if !ok {
		return "the order of the bytes", clip(string(was)), clip(string(is))
	}
	if path = strings.TrimPrefix(path, "."); path == "" {
		path = "all of it"
	}
	return path, shown(x), shown(y)
}

func decoded(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// absent stands for what only the other of two texts has.
type absent struct{}

// parting walks two decoded JSON texts to where they part.
func parting(a, b any) (path string, x, y any, differ bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Collect(maps.Keys(a))
		for k := range b {
			if _, ok := a[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			if path, x, y, differ = parting(member(a, k), member(b, k)); differ {
				return "." + k + path, x, y, true
			}
		}
		return "", nil, nil, false
	case []any:
		b, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(a), len(b)) {
			if path, x, y, differ = parting(element(a, i), element(b, i)); differ {
				return fmt.Sprintf("[%d]%s", i, path), x, y, true
			}
		}
		return "", nil, nil, false
	}
	return "", a, b, !reflect.DeepEqual(a, b)
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func shown(v any) string {
	if _, ok := v.(absent); ok {
		return "nothing"
	}
	b, err := canonical(v)
	if err != nil {
		return err.Error()
	}
	return clip(string(b))
}

// clip shortens a text for a line of a terminal.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " …"
}
