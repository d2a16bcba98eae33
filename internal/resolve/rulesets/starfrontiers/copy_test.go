package starfrontiers

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// TestACloneIsWhatLoadReads: for worlds with anything in any field, the copy is
// that by way of JSON, and it shares nothing with what it was made of.
func TestACloneIsWhatLoadReads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w := &World{}
		fill(r, reflect.ValueOf(w).Elem(), 0)
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		want := &World{}
		if err := json.Unmarshal(b, want); err != nil {
			t.Fatal(err)
		}
		got := w.clone()
		if d := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Fatalf("-by JSON +clone:\n%s", d)
		}
		unshared(t, "world", reflect.ValueOf(w), reflect.ValueOf(got))
	}
}

// fill puts anything into every field of a value.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if !v.CanSet() || depth > 12 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *game.Plan:
		*x = game.Plan{Steps: []game.Intent{{Verb: "fire", Target: game.Ref{ID: "zog"}, Shots: r.IntN(3)}}}
		return
	case *game.Standing:
		*x = game.Standing{Policy: &game.Intent{Verb: "wait"}}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "a", "stand", "ü"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64, reflect.Uint8:
		if v.CanInt() {
			v.SetInt(r.Int64N(5))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth+1)
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := r.IntN(4); n < 3 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := r.IntN(4); n < 3 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(r, key, depth+1)
				fill(r, value, depth+1)
				v.SetMapIndex(key, value)
			}
		}
	}
}

// unshared fails if two values hold the same memory.
func unshared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			unshared(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || b.IsNil() || a.Kind() != reflect.Pointer && a.Len() == 0 {
			return
		}
		if a.UnsafePointer() == b.UnsafePointer() {
			t.Errorf("%s is shared", path)
			return
		}
		if a.Kind() == reflect.Pointer {
			unshared(t, path, a.Elem(), b.Elem())
		}
		if a.Kind() == reflect.Slice && a.Len() == b.Len() {
			for i := range a.Len() {
				unshared(t, path+"[]", a.Index(i), b.Index(i))
			}
		}
	}
}
