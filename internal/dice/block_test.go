package dice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pbemd/pbemd/internal/game"
)

// wholeTurn is everything that the mails of one turn print.
func wholeTurn() Block {
	v := newTurnOne()
	s := Sealed{Secrets: map[string]Digest{"heroes": v.heroes, AudienceGM: v.gm}, Lock: &v.lock, Owner: owner}
	seal := GameSeal(v.key)
	b := Block{
		Game: "Dusk", GameSeal: &seal, Turn: 1,
		Seals:   []Named{{"heroes", Seal(v.heroes)}, {AudienceGM, Seal(v.gm)}},
		Leaves:  []PlayerLeaf{{"anna", v.leafAnna}, {"ben", v.leafBen}},
		Lock:    &v.lock,
		Secrets: []Named{{"heroes", v.heroes}},
	}
	for _, name := range []string{"init/anna/r1", "hit/bobo/r1.1", "hit/zog/r1.1"} {
		b.Dice = append(b.Dice, s.Print(s.Roll(name, 100)))
	}
	b.Dice = append(b.Dice, s.Print(game.Die{Name: "hit/bobo/r1.2", Sides: 100, Value: 42, Source: FromGM}))
	return b
}

func TestBlockAsPrinted(t *testing.T) {
	t.Parallel()
	const want = `pbemd-dice 1
game Dusk
game-seal
 1cd5b281ffc66b3530835bdb62c4f9e9bb9e12bc1ce78e0ed43103be5d48d085
turn 1
seal heroes
 7392c31ff4bab610375edd211c0dcf999b1171f443fabb59475fef56c6457147
`
	got := wholeTurn().String()
	head := strings.Join(strings.SplitAfter(got, "\n")[:7], "")
	if diff := cmp.Diff(want, head); diff != "" {
		t.Errorf("block (-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if len(line) > blockWidth+1 {
			t.Errorf("%q is longer than %d", line, blockWidth)
		}
	}
	if !strings.HasSuffix(got, "die hit/bobo/r1.1 d100 98 sealed late heroes\ndie hit/zog/r1.1 d100 39 sealed late gm\ndie hit/bobo/r1.2 d100 42 gm\nend\n") {
		t.Errorf("the dice are not at the end of:\n%s", got)
	}
}

func TestBlockSurvivesMail(t *testing.T) {
	t.Parallel()
	want := wholeTurn()
	text := "Hello Anna,\n\n" + want.String() + "\n-- \npbemd\n"
	quoted := "On Monday pbemd wrote:\n> " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n> ") + "\n"
	folded := strings.ReplaceAll(text, " sealed ", " sealed\r\n")
	for name, text := range map[string]string{"as sent": text, "quoted": quoted, "folded": folded, "quoted twice": strings.ReplaceAll(quoted, "> ", "> > ")} {
		got, ok, err := ReadBlock(text)
		if !ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// An audience may be called like a keyword.
	odd := Block{Game: "end", Turn: 3, Seals: []Named{{"die", Digest{1}}, {"end", Digest{2}}}}
	if got, _, err := ReadBlock(odd.String()); err != nil || cmp.Diff(odd, got) != "" {
		t.Errorf("odd names: %v, %+v", err, got)
	}
}

func TestBadBlocks(t *testing.T) {
	t.Parallel()
	if _, ok, err := ReadBlock("no dice here\npbemd-dice 2\n"); ok || err != nil {
		t.Errorf("a text without a block: %v, %v", ok, err)
	}
	for text, want := range map[string]string{
		"pbemd-dice 1\ngame Dusk\nturn 1\n":                           `"end" is missing`,
		"pbemd-dice 1\ngame Dusk\nend\n":                              "no game or no turn",
		"pbemd-dice 1\ngame Dusk\nturn x\nend":                        `"x" is not a number`,
		"pbemd-dice 1\nseal gm 123\nend":                              "not 64 hexadecimal digits",
		"pbemd-dice 1\nluck 3\nend":                                   `"luck" is no part of it`,
		"pbemd-dice 1\nlock":                                          "it ends too early",
		"pbemd-dice 1\ndie hit/bobo/r1 d100 5 sealed soon gm\nend":    `neither "early" nor "late"`,
		"pbemd-dice 1\ndie hit/bobo/r1 d9999999 5 gm\nend":            "not a number from 1 to 1000000",
		"pbemd-dice 1\n" + strings.Repeat("void 1\n", 60_000) + "end": `"end" is missing`,
	} {
		_, ok, err := ReadBlock(text)
		if !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %v; want an error with %q", text, ok, err, want)
		}
	}
}

func FuzzReadBlock(f *testing.F) {
	f.Add(wholeTurn().String())
	f.Add("> pbemd-dice 1\n> game x\n> turn 1\n> end")
	f.Fuzz(func(t *testing.T, text string) {
		b, ok, err := ReadBlock(text)
		if !ok || err != nil {
			return
		}
		again, ok, err := ReadBlock(b.String())
		if !ok || err != nil {
			t.Fatalf("%v, %v reading again\n%s", ok, err, b)
		}
		if diff := cmp.Diff(b, again); diff != "" {
			t.Errorf("read again (-first +again):\n%s", diff)
		}
		Verify(b, true)
	})
}

func TestVerify(t *testing.T) {
	t.Parallel()
	with := func(change func(*Block)) Block {
		b := wholeTurn()
		change(&b)
		return b
	}
	v := newTurnOne()
	for name, c := range map[string]struct {
		block Block
		want  map[string]Result
	}{
		"an honest turn": {wholeTurn(), map[string]Result{
			"secret heroes": Right, "lock": Right, "init/anna/r1": Right, "hit/bobo/r1.1": Right, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"the game is over": {with(func(b *Block) { b.Secrets = append(b.Secrets, Named{AudienceGM, v.gm}) }), map[string]Result{
			"secret heroes": Right, "secret gm": Right, "lock": Right, "init/anna/r1": Right, "hit/bobo/r1.1": Right, "hit/zog/r1.1": Right, "hit/bobo/r1.2": Given}},
		"a changed die": {with(func(b *Block) { b.Dice[1].Value = 1 }), map[string]Result{
			"secret heroes": Right, "lock": Right, "init/anna/r1": Right, "hit/bobo/r1.1": Wrong, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"another secret": {with(func(b *Block) { b.Secrets[0].Digest[0]++ }), map[string]Result{
			"secret heroes": Wrong, "lock": Right, "init/anna/r1": Wrong, "hit/bobo/r1.1": Wrong, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"a secret without a seal": {with(func(b *Block) { b.Seals = b.Seals[1:] }), map[string]Result{
			"secret heroes": Wrong, "lock": Right, "init/anna/r1": Wrong, "hit/bobo/r1.1": Wrong, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"a leaf left out": {with(func(b *Block) { b.Leaves = b.Leaves[1:] }), map[string]Result{
			"secret heroes": Right, "lock": Wrong, "init/anna/r1": Right, "hit/bobo/r1.1": Right, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"an attack under the early key": {with(func(b *Block) {
			b.Dice[1].Under.Early = true
			b.Dice[1].Value = Value(EarlyKey(v.heroes), "hit/bobo/r1.1", 100)
		}), map[string]Result{
			"secret heroes": Right, "lock": Right, "init/anna/r1": Right, "hit/bobo/r1.1": Wrong, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
		"no lock": {with(func(b *Block) { b.Lock = nil }), map[string]Result{
			"secret heroes": Right, "init/anna/r1": Right, "hit/bobo/r1.1": Hidden, "hit/zog/r1.1": Hidden, "hit/bobo/r1.2": Given}},
	} {
		got := map[string]Result{}
		for _, f := range Verify(c.block, true) {
			got[f.About] = f.Result
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMergeOfTheMailsOfATurn(t *testing.T) {
	t.Parallel()
	whole := wholeTurn()
	opening := Block{Game: "Dusk", GameSeal: whole.GameSeal, Turn: 1, Seals: whole.Seals}
	receipt := Block{Game: "Dusk", Turn: 1, Leaves: []PlayerLeaf{{"anna", Digest{9}}}}
	report := Block{Game: "Dusk", Turn: 1, Leaves: whole.Leaves, Lock: whole.Lock, Secrets: whole.Secrets, Dice: whole.Dice}
	got, err := Merge(opening, receipt, report, report)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	changed := Block{Game: "Dusk", Turn: 1, Seals: []Named{{"heroes", Digest{}}}}
	if _, err := Merge(opening, changed); err == nil || !strings.Contains(err.Error(), "the seal of heroes changed") {
		t.Errorf("a changed seal: %v", err)
	}
	if _, err := Merge(opening, Block{Game: "Dusk", Turn: 2}); err == nil {
		t.Error("two turns were merged")
	}
	if _, err := Merge(report, Block{Game: "Dusk", Turn: 1, Lock: &Digest{}}); err == nil {
		t.Error("a changed lock was merged")
	}
}
