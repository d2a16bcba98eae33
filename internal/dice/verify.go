package dice

import (
	"fmt"
	"slices"
)

// Result is what came of checking one claim.
type Result string

const (
	Right  Result = "right"
	Wrong  Result = "wrong"
	Hidden Result = "sealed" // its secret is not revealed yet
	Given  Result = "gm"     // the GM set it: nothing to check, and the mail says so
	Other  Result = "other"  // scripted or constant: not a die of a real turn
)

// Finding is one claim of a block and what came of checking it.
type Finding struct {
	About  string // seal heroes, lock, or a die's name
	Result Result
	Why    string // what was found, one clause
}

// Merge joins the blocks of several mails about one turn: opening, receipts,
// report. Leaves of a player may differ from mail to mail, because a receipt
// shows them as they then stood; the last one counts. Anything else that
// differs is an error: the host changed it.
func Merge(blocks ...Block) (Block, error) {
	var all Block
	for i, b := range blocks {
		if i == 0 {
			all.Game, all.Turn, all.Void = b.Game, b.Turn, b.Void
		}
		if b.Game != all.Game || b.Turn != all.Turn || b.Void != all.Void {
			return Block{}, fmt.Errorf("merging dice blocks: %s turn %d is not %s turn %d", b.Game, b.Turn, all.Game, all.Turn)
		}
		if err := mergeDigest("game seal", &all.GameSeal, b.GameSeal); err != nil {
			return Block{}, err
		}
		if err := mergeDigest("game secret", &all.GameSecret, b.GameSecret); err != nil {
			return Block{}, err
		}
		if err := mergeDigest("lock", &all.Lock, b.Lock); err != nil {
			return Block{}, err
		}
		var err error
		if all.Seals, err = mergeNamed("seal", all.Seals, b.Seals); err != nil {
			return Block{}, err
		}
		if all.Secrets, err = mergeNamed("secret", all.Secrets, b.Secrets); err != nil {
			return Block{}, err
		}
		for _, l := range b.Leaves {
			all.Leaves = slices.DeleteFunc(all.Leaves, func(o PlayerLeaf) bool { return o.Player == l.Player })
			all.Leaves = append(all.Leaves, l)
		}
		for _, d := range b.Dice {
			if !slices.Contains(all.Dice, d) {
				all.Dice = append(all.Dice, d)
			}
		}
	}
	return all, nil
}

func mergeDigest(what string, into **Digest, d *Digest) error {
	if *into != nil && d != nil && **into != *d {
		return fmt.Errorf("merging dice blocks: the %s changed from %s to %s", what, *into, d)
	}
	if d != nil {
		*into = d
	}
	return nil
}

func mergeNamed(what string, into, more []Named) ([]Named, error) {
	for _, n := range more {
		old, ok := find(into, n.Audience)
		switch {
		case !ok:
			into = append(into, n)
		case old != n.Digest:
			return nil, fmt.Errorf("merging dice blocks: the %s of %s changed from %s to %s", what, n.Audience, old, n.Digest)
		}
	}
	return into, nil
}

func find(list []Named, audience string) (Digest, bool) {
	i := slices.IndexFunc(list, func(n Named) bool { return n.Audience == audience })
	if i < 0 {
		return Digest{}, false
	}
	return list[i].Digest, true
}

// Verify recomputes everything that a block claims: secrets against seals, the
// lock from the leaves if whole is set (the block then holds the leaf of every
// player), and each die.
func Verify(b Block, whole bool) []Finding {
	var found []Finding
	note := func(about string, r Result, format string, args ...any) {
		found = append(found, Finding{about, r, fmt.Sprintf(format, args...)})
	}
	if b.GameSecret != nil {
		switch {
		case b.GameSeal == nil:
			note("game secret", Wrong, "no seal of it was printed before")
		case GameSeal(*b.GameSecret) != *b.GameSeal:
			note("game secret", Wrong, "it does not open the seal of the game's first mail")
		default:
			note("game secret", Right, "it opens the seal of the game's first mail")
		}
	}
	trusted := map[string]Digest{}
	for _, s := range b.Secrets {
		seal, ok := find(b.Seals, s.Audience)
		switch {
		case !ok:
			note("secret "+s.Audience, Wrong, "no seal of it was printed before")
		case Seal(s.Digest) != seal:
			note("secret "+s.Audience, Wrong, "it does not open the seal that was printed before")
		default:
			trusted[s.Audience] = s.Digest
			note("secret "+s.Audience, Right, "it opens its seal")
		}
	}
	if whole && b.Lock != nil {
		if got := Lock(b.Game, b.Turn, b.Leaves); got != *b.Lock {
			note("lock", Wrong, "the leaves give %s", got)
		} else {
			note("lock", Right, "it follows from the leaves")
		}
	}
	for _, d := range b.Dice {
		r, why := verifyDie(b, d, trusted)
		note(d.Name, r, "%s", why)
	}
	return found
}

func verifyDie(b Block, d Printed, trusted map[string]Digest) (Result, string) {
	switch d.Source {
	case FromSealed:
	case FromGM:
		return Given, fmt.Sprintf("the GM set it to %d", d.Value)
	default:
		return Other, "it was " + d.Source
	}
	n, ok := ParseName(d.Name)
	if d.Under.Early && (!ok || !slices.Contains(early, n.Kind)) {
		return Wrong, "a die of its kind must depend on the lock"
	}
	secret, known := trusted[d.Under.Audience]
	if !known {
		if _, bad := find(b.Secrets, d.Under.Audience); bad {
			return Wrong, "its secret does not open its seal"
		}
		return Hidden, "the secret of " + d.Under.Audience + " is not revealed yet"
	}
	if !d.Under.Early && b.Lock == nil {
		return Hidden, "it depends on the lock, which no mail shows"
	}
	key := EarlyKey(secret)
	if !d.Under.Early {
		key = LateKey(secret, *b.Lock)
	}
	if v := Value(key, d.Name, d.Sides); v != d.Value {
		return Wrong, fmt.Sprintf("%d was printed, %d follows from the secret", d.Value, v)
	}
	return Right, fmt.Sprintf("%d follows from the secret", d.Value)
}
