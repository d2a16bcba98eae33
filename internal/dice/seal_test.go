package dice

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"
)

// turnOne holds the values of one turn, computed once by another program: the
// game key is the bytes 0 to 31.
type turnOne struct {
	key, root, heroes, gm, lock Digest
	leafAnna, leafBen           Digest
}

func newTurnOne() turnOne {
	var v turnOne
	for i := range v.key {
		v.key[i] = byte(i)
	}
	v.root = Root(v.key, 1, 0, Digest{})
	v.heroes, v.gm = Secret(v.root, "heroes"), Secret(v.root, AudienceGM)
	v.leafAnna = Leaf("Dusk", 1, "anna", []Counted{
		{"<1@example.org>", sha256.Sum256([]byte("fire laser x2 @ zog\n"))},
		{"<2@example.org>", sha256.Sum256([]byte("Bobo rückt vor.\n"))},
	})
	v.leafBen = Leaf("Dusk", 1, "ben", nil)
	v.lock = Lock("Dusk", 1, []PlayerLeaf{{"ben", v.leafBen}, {"anna", v.leafAnna}})
	return v
}

func TestPublishedVectors(t *testing.T) {
	t.Parallel()
	v := newTurnOne()
	for _, c := range []struct {
		name string
		got  Digest
		want string
	}{
		{"tag alone", H("x"), "e742abc7c8651d42db9d6572cba14b1ce6b7d7f21229cdb399d1f8bdc09ebf65"},
		{"tag and empty field", H("x", ""), "e7875417fa6f61b506f578d88ff4645753b3b71a1f67fff001f2316bc09118f6"},
		{"game seal", GameSeal(v.key), "1cd5b281ffc66b3530835bdb62c4f9e9bb9e12bc1ce78e0ed43103be5d48d085"},
		{"root of turn 1", v.root, "ec87415c91baeff747bbe0366b7be2043751e1ed57e052cdaefa897c3aab6b3f"},
		{"root of turn 12, voided once", Root(v.key, 12, 1, H("lock", "Dusk", "11")), "277a9eeeed5e28470df03151ec42dbc9280d8bfa47ffdadfb8c385fd00dbec5c"},
		{"secret of a side", v.heroes, "604e80758ca30b67ccdf12aa3ca40f80c1fd77a3c4ac538ed9b2473355ebbaca"},
		{"secret of the GM", v.gm, "9810576dcaa6d52c6eb2ea0a5726ae6079babd3b920684b99d2a3f4cec3df33b"},
		{"seal", Seal(v.heroes), "7392c31ff4bab610375edd211c0dcf999b1171f443fabb59475fef56c6457147"},
		{"leaf of two letters", v.leafAnna, "1a30d5517239f8a2ee15123858d69ccd65dfb5ab652aa3a178cb8ddd4c41faae"},
		{"leaf of silence", v.leafBen, "4642bf2760c2a51822feec25bb498cbb7672e048d1b3764631296a0f0c14da2c"},
		{"lock", v.lock, "839752bc95dc813a39724cd67790b52bf9efc9d8393a18ccc4e8ba0e4ef80ce2"},
		{"early key", EarlyKey(v.heroes), "a9f0c12b552e348d2031a2c34bd2c139a83f814275b269ff663140da17b77041"},
		{"late key", LateKey(v.heroes, v.lock), "186408e576805e36f0f3e2fbf64a73d518497a985cbdf2e4e8f225465a7176ff"},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPublishedDice(t *testing.T) {
	t.Parallel()
	v := newTurnOne()
	late := LateKey(v.heroes, v.lock)
	for _, c := range []struct {
		key   Digest
		name  string
		sides int
		want  int
	}{
		{EarlyKey(v.heroes), "init/anna/r1", 10, 2},
		{late, "hit/bobo/r1.1", 100, 98},
		{late, "hit/bobo/r1.1~1", 100, 72},
		{late, "dmg/bobo/r1.1", 10, 9},
		{late, "dmg/bobo/r1.1#2", 10, 7},
		{LateKey(v.gm, v.lock), "hit/zog/r1.1", 100, 39},
		{late, "hit/bobo/r1.1", 1, 1},
		{late, "hit/bobo/r1.1", 2, 1},
		{late, "hit/bobo/r1.1", 65536, 24358},
		{late, "hit/bobo/r1.1", 1_000_000, 234208},
	} {
		if got := Value(c.key, c.name, c.sides); got != c.want {
			t.Errorf("%s d%d: got %d, want %d", c.name, c.sides, got, c.want)
		}
	}
}

func TestFieldsCannotSlideIntoEachOther(t *testing.T) {
	t.Parallel()
	if H("a", "bc") == H("ab", "c") || H("a", "b", "") == H("a", "b") {
		t.Error("two lists of fields have one hash")
	}
}

func TestLockDoesNotDependOnTheOrderOfPlayers(t *testing.T) {
	t.Parallel()
	v := newTurnOne()
	leaves := []PlayerLeaf{{"ben", v.leafBen}, {"anna", v.leafAnna}}
	if Lock("Dusk", 1, leaves) != Lock("Dusk", 1, []PlayerLeaf{leaves[1], leaves[0]}) {
		t.Error("the lock depends on the order")
	}
	if leaves[0].Player != "ben" {
		t.Error("Lock sorted its argument")
	}
}

// The keys are fixed, so this cannot fail by chance: it would show a value that
// is favoured. The bound is the 99.9 % quantile, by Wilson and Hilferty.
func TestEveryValueIsAsLikely(t *testing.T) {
	t.Parallel()
	for _, sides := range []int{2, 4, 6, 8, 10, 20, 100} {
		for k := range 3 {
			key := H("uniform", fmt.Sprint(k))
			const each = 200
			count := make([]int, sides+1)
			for i := range each * sides {
				count[Value(key, Name{Kind: "hit", Who: "bobo", When: "r1.1", N: i + 1}.String(), sides)]++
			}
			chi := 0.0
			for _, n := range count[1:] {
				chi += float64((n-each)*(n-each)) / each
			}
			df := float64(sides - 1)
			bound := df * math.Pow(1-2/(9*df)+3.09*math.Sqrt(2/(9*df)), 3)
			if chi > bound {
				t.Errorf("d%d under key %d: chi-square %.1f, at most %.1f wanted", sides, k, chi, bound)
			}
		}
	}
}

func TestNameRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"init/anna/r1", "hit/bobo/r1.2", "hit/bobo/r1.2#2", "hit/bobo/r1.2~1", "hit/bobo/r1.2#2~3", "avoid/zog/bobo/r1.2", "bleed/bobo/r1.e", "hit/bobo/s14"} {
		n, ok := ParseName(s)
		if !ok || n.String() != s {
			t.Errorf("%s became %q, %v", s, n, ok)
		}
	}
	for _, s := range []string{"", "hit", "hit/bobo", "/bobo/r1", "hit//r1", "hit/bobo/", "hit/bobo/#2", "hit/bobo/r1#1", "hit/bobo/r1#x", "hit/bobo/r1~0", "hit/bobo/r1~100"} {
		if n, ok := ParseName(s); ok {
			t.Errorf("%q was read as %+v", s, n)
		}
	}
}

func FuzzParseName(f *testing.F) {
	f.Add("avoid/zog/bobo/r1.2#2~3")
	f.Add("hit/bobo/r1#01")
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := ParseName(s)
		if !ok {
			return
		}
		again, ok := ParseName(n.String())
		if !ok || again != n {
			t.Errorf("%q gives %+v, which is written %q and read %+v", s, n, n, again)
		}
	})
}

func FuzzValue(f *testing.F) {
	f.Add("hit/bobo/r1.1", 100)
	f.Fuzz(func(t *testing.T, name string, sides int) {
		v := Value(Digest{}, name, sides)
		if v < 1 || v > max(sides, 1) {
			t.Errorf("%q d%d gave %d", name, sides, v)
		}
	})
}

var _ = []Source{Sealed{}, (*Scripted)(nil), Constant(0)}

func owner(n Name) (string, bool) {
	audience, player := AudienceGM, false
	if n.Who == "anna" || n.Who == "bobo" {
		audience, player = "heroes", true
	}
	if n.Kind == "surprise" || n.Kind == "awareness" {
		audience = AudienceGM
	}
	return audience, player
}
