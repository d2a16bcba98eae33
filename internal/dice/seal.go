package dice

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// Digest is a SHA-256 value: a seal, a secret, a key, a leaf or a lock.
type Digest [32]byte

// AudienceGM is the audience of foes' dice and of every secret kind; all other
// audiences are the ids of sides.
const AudienceGM = string(game.GM)

// H is SHA-256 over the tag and the fields, each preceded by its length in four
// bytes, big-endian. Numbers are written as decimal text.
func H(tag string, fields ...string) Digest {
	return sum(sha256.New(), tag, fields)
}

// M is HMAC-SHA256 under key over what [H] hashes.
func M(key Digest, tag string, fields ...string) Digest {
	return sum(hmac.New(sha256.New, key[:]), tag, fields)
}

func sum(h hash.Hash, tag string, fields []string) Digest {
	write := func(s string) {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	write(tag)
	for _, f := range fields {
		write(f)
	}
	var d Digest
	h.Sum(d[:0])
	return d
}

// field is a digest as a field of [H] and [M]: its 32 bytes.
func (d Digest) field() string { return string(d[:]) }

// GameSeal is printed in every game's first mail; key is the game's 32 random
// bytes, revealed when the game ends.
func GameSeal(key Digest) Digest { return H("game", key.field()) }

// Root is the secret of one turn, counted from 1. void is how often that turn
// was voided; prevLock is the lock of the turn before, 32 zero bytes for turn 1.
func Root(key Digest, turn, void int, prevLock Digest) Digest {
	return M(key, "turn", strconv.Itoa(turn), strconv.Itoa(void), prevLock.field())
}

// Secret is what an audience's dice of a turn follow from: a side's id or
// [AudienceGM].
func Secret(root Digest, audience string) Digest { return M(root, "audience", audience) }

// Seal binds the host to a secret before the orders come in.
func Seal(secret Digest) Digest { return H("seal", secret.field()) }

// Counted is one letter that counted for a turn.
type Counted struct {
	MessageID string   // with its angle brackets
	TextSHA   [32]byte // SHA-256 of the new and form lines
}

// Leaf binds what one player sent; letters are in the order (received_at, id).
func Leaf(gameName string, turn int, player game.ID, letters []Counted) Digest {
	fields := []string{gameName, strconv.Itoa(turn), string(player)}
	for _, l := range letters {
		fields = append(fields, l.MessageID, string(l.TextSHA[:]))
	}
	return H("leaf", fields...)
}

// PlayerLeaf is the leaf of one player.
type PlayerLeaf struct {
	Player game.ID
	Leaf   Digest
}

// Lock binds what all players sent, whatever order the leaves come in. It is
// set once, at the first close of a turn.
func Lock(gameName string, turn int, leaves []PlayerLeaf) Digest {
	leaves = slices.SortedFunc(slices.Values(leaves), func(a, b PlayerLeaf) int {
		return cmp.Compare(a.Player, b.Player)
	})
	fields := []string{gameName, strconv.Itoa(turn)}
	for _, l := range leaves {
		fields = append(fields, string(l.Player), l.Leaf.field())
	}
	return H("lock", fields...)
}

// EarlyKey gives the dice that are known before the orders: a player's own
// initiative, surprise and awareness.
func EarlyKey(secret Digest) Digest { return M(secret, "early") }

// LateKey gives all other dice; nobody can know them before the lock is set.
func LateKey(secret, lock Digest) Digest { return M(secret, "late", lock.field()) }

// early lists the kinds of a player's dice that are rolled under [EarlyKey].
var early = []string{"init", "surprise", "awareness"}

// Value is the die of that name under a key, 1..sides, every value equally
// likely. Sides below 1 count as 1.
func Value(key Digest, name string, sides int) int {
	if sides < 1 {
		sides = 1
	}
	s := uint64(sides)
	// The largest u that is kept: floor(2^64/sides)*sides - 1, without leaving 64 bits.
	last := math.MaxUint64 - (math.MaxUint64%s+1)%s
	for i := 0; ; i++ {
		d := M(key, "die", name, strconv.Itoa(sides), strconv.Itoa(i))
		if u := binary.BigEndian.Uint64(d[:8]); u <= last {
			return 1 + int(u%s)
		}
	}
}
