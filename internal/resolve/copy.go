package resolve

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// Copy makes a deep copy of a world: of a value what writing it as JSON and
// reading it back would make, only sooner. Nothing is shared with the original,
// and what omitempty leaves out is nil, so that the copy is what Load will read.
func Copy[T any](w *T) *T {
	c := new(T)
	copierFor(reflect.TypeFor[T]()).copy(reflect.ValueOf(c).Elem(), reflect.ValueOf(w).Elem())
	return c
}

// copier copies values of one type.
type copier struct {
	flat bool // assignment copies it
	copy func(dst, src reflect.Value)
}

// copiers holds the copiers of the types that were copied, by reflect.Type.
var copiers sync.Map

func copierFor(t reflect.Type) *copier {
	if c, ok := copiers.Load(t); ok {
		return c.(*copier)
	}
	c, _ := copiers.LoadOrStore(t, copierOf(t, map[reflect.Type]*copier{}))
	return c.(*copier)
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// copierOf makes the copier of a type; done holds those begun, for types that
// contain themselves.
func copierOf(t reflect.Type, done map[reflect.Type]*copier) *copier {
	if c := done[t]; c != nil {
		return c
	}
	c := &copier{copy: func(dst, src reflect.Value) { dst.Set(src) }}
	done[t] = c
	switch {
	case t.Kind() == reflect.Struct:
		c.fields(t, done)
	case t.Kind() == reflect.Slice:
		one := copierOf(t.Elem(), done)
		c.copy = func(dst, src reflect.Value) {
			if src.IsNil() {
				return
			}
			dst.Set(reflect.MakeSlice(t, src.Len(), src.Len()))
			if one.flat {
				reflect.Copy(dst, src)
				return
			}
			for i := range src.Len() {
				one.copy(dst.Index(i), src.Index(i))
			}
		}
	case t.Kind() == reflect.Map:
		one := copierOf(t.Elem(), done)
		c.copy = func(dst, src reflect.Value) {
			if src.IsNil() {
				return
			}
			dst.Set(reflect.MakeMapWithSize(t, src.Len()))
			for it := src.MapRange(); it.Next(); {
				v := reflect.New(t.Elem()).Elem()
				one.copy(v, it.Value())
				dst.SetMapIndex(it.Key(), v)
			}
		}
	case t.Kind() == reflect.Pointer:
		one := copierOf(t.Elem(), done)
		list := t.Elem().Kind() == reflect.Slice || t.Elem().Kind() == reflect.Map
		c.copy = func(dst, src reflect.Value) {
			if src.IsNil() || list && src.Elem().IsNil() {
				return
			}
			dst.Set(reflect.New(t.Elem()))
			one.copy(dst.Elem(), src.Elem())
		}
	default:
		c.flat = t.Kind() != reflect.Interface
	}
	if !c.flat && t.Kind() != reflect.Pointer && (t.Kind() == reflect.Interface || t.Implements(marshaler)) {
		c.copy = throughJSON
	}
	return c
}

// fields makes the copier of a struct: all at once, then one by one what
// assignment does not copy.
func (c *copier) fields(t reflect.Type, done map[reflect.Type]*copier) {
	type field struct {
		i    int
		omit bool
		zero reflect.Value
		*copier
	}
	var deep []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		one := copierOf(f.Type, done)
		switch {
		case !f.IsExported() || tag == "-":
			one = &copier{copy: func(reflect.Value, reflect.Value) {}}
		case one.flat:
			continue
		}
		deep = append(deep, field{i, strings.Contains(tag, ",omitempty"), reflect.Zero(f.Type), one})
	}
	c.flat = len(deep) == 0
	c.copy = func(dst, src reflect.Value) {
		dst.Set(src)
		for _, f := range deep {
			from, to := src.Field(f.i), dst.Field(f.i)
			to.Set(f.zero)
			if k := from.Kind(); f.omit && (k == reflect.Slice || k == reflect.Map) && from.Len() == 0 {
				continue
			}
			f.copy(to, from)
		}
	}
}

// throughJSON copies what says itself how it is written.
func throughJSON(dst, src reflect.Value) {
	b, err := json.Marshal(src.Interface())
	if err != nil || json.Unmarshal(b, dst.Addr().Interface()) != nil {
		dst.Set(src)
	}
}
