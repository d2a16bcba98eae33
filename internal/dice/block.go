package dice

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// Limits of a block that [ReadBlock] takes from a stranger's text.
const (
	maxBlockWords = 100_000
	maxTurn       = 1_000_000
)

// blockStart opens a block; the number is the format's version.
const blockStart = "pbemd-dice 1"

// blockWidth is how long a line of a block may be; longer ones are folded.
const blockWidth = 72

// Block is what a mail says of the dice: seals before, leaf and lock in
// between, secrets and dice after. What a mail does not speak of is empty.
type Block struct {
	Game     string // short name
	GameSeal *Digest
	// GameSecret is G, revealed when the game ends; every turn's secrets follow from it.
	GameSecret *Digest
	Turn       int
	Void       int // how often the turn was voided
	Seals      []Named
	Leaves     []PlayerLeaf
	Lock       *Digest
	Secrets    []Named
	Dice       []Printed
}

// Named is a seal or a secret of an audience.
type Named struct {
	Audience string
	Digest   Digest
}

// Printed is a die as a mail shows it. Under is set for sealed dice only.
type Printed struct {
	game.Die
	Under Under
}

// Print is a die that was rolled, with the key it was rolled under.
func (s Sealed) Print(d game.Die) Printed {
	if d.Source != FromSealed {
		return Printed{Die: d}
	}
	return Printed{Die: d, Under: s.Under(d.Name)}
}

// String writes the block, from the line "pbemd-dice 1" to the line "end", no
// line longer than 72 characters unless a single word is.
func (b Block) String() string {
	var w strings.Builder
	line := func(words ...string) {
		at := 0
		for i, word := range words {
			switch {
			case i == 0:
			case at+1+len(word) > blockWidth:
				w.WriteString("\n ")
				at = 1
			default:
				w.WriteString(" ")
				at++
			}
			w.WriteString(word)
			at += len(word)
		}
		w.WriteString("\n")
	}
	line(blockStart)
	line("game", b.Game)
	if b.GameSeal != nil {
		line("game-seal", b.GameSeal.String())
	}
	if b.GameSecret != nil {
		line("game-secret", b.GameSecret.String())
	}
	line("turn", strconv.Itoa(b.Turn))
	if b.Void > 0 {
		line("void", strconv.Itoa(b.Void))
	}
	for _, s := range b.Seals {
		line("seal", s.Audience, s.Digest.String())
	}
	for _, l := range b.Leaves {
		line("leaf", string(l.Player), l.Leaf.String())
	}
	if b.Lock != nil {
		line("lock", b.Lock.String())
	}
	for _, s := range b.Secrets {
		line("secret", s.Audience, s.Digest.String())
	}
	for _, d := range b.Dice {
		words := []string{"die", d.Name, "d" + strconv.Itoa(d.Sides), strconv.Itoa(d.Value), d.Source}
		if d.Source == FromSealed {
			words = append(words, strings.Fields(d.Under.String())...)
		}
		line(words...)
	}
	line("end")
	return w.String()
}

// String writes a digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what [Digest.String] writes.
func ParseDigest(s string) (Digest, bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(Digest{}) {
		return Digest{}, false
	}
	return Digest(b), true
}

// ReadBlock finds the first block in a text and reads it. It reads words, not
// lines, so that quote marks and lines folded by a mail program do no harm. ok
// is false when the text holds no block; err says what is wrong with the one it
// holds.
func ReadBlock(text string) (b Block, ok bool, err error) {
	words, ok := blockWords(text)
	if !ok {
		return Block{}, false, nil
	}
	for len(words) > 0 && words[0] != "end" {
		n, err := b.read(words)
		if err != nil {
			return Block{}, true, fmt.Errorf("reading the dice block at %q: %w", strings.Join(words[:min(len(words), 6)], " "), err)
		}
		words = words[n:]
	}
	switch {
	case len(words) == 0:
		return Block{}, true, errors.New(`reading the dice block: its last line "end" is missing`)
	case b.Game == "" || b.Turn == 0:
		return Block{}, true, errors.New("reading the dice block: it names no game or no turn")
	}
	return b, true, nil
}

// blockWords lists the words after the opening line, with quote marks removed.
func blockWords(text string) (words []string, ok bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, "> \t")
		switch {
		case ok:
			words = append(words, strings.Fields(line)...)
			if len(words) > maxBlockWords {
				return words[:maxBlockWords], true
			}
		case strings.Join(strings.Fields(line), " ") == blockStart:
			ok = true
		}
	}
	return words, ok
}

// read takes one entry off the front of words and says how many they were.
func (b *Block) read(words []string) (n int, err error) {
	digest := func(s string) Digest {
		d, ok := ParseDigest(s)
		if !ok && err == nil {
			err = fmt.Errorf("%q is not 64 hexadecimal digits", s)
		}
		return d
	}
	number := func(s string, most int) int {
		n, e := strconv.Atoi(s)
		if (e != nil || n < 1 || n > most) && err == nil {
			err = fmt.Errorf("%q is not a number from 1 to %d", s, most)
		}
		return n
	}
	n, known := entryWords[words[0]]
	switch {
	case !known:
		return 0, fmt.Errorf("%q is no part of it", words[0])
	case len(words) >= 5 && words[0] == "die" && words[4] == FromSealed:
		n += 2
	}
	if len(words) < n {
		return 0, errors.New("it ends too early")
	}
	switch words[0] {
	case "game":
		b.Game = words[1]
	case "game-seal":
		b.GameSeal = new(digest(words[1]))
	case "game-secret":
		b.GameSecret = new(digest(words[1]))
	case "turn":
		b.Turn = number(words[1], maxTurn)
	case "void":
		b.Void = number(words[1], maxTurn)
	case "seal":
		b.Seals = append(b.Seals, Named{words[1], digest(words[2])})
	case "leaf":
		b.Leaves = append(b.Leaves, PlayerLeaf{game.ID(words[1]), digest(words[2])})
	case "lock":
		b.Lock = new(digest(words[1]))
	case "secret":
		b.Secrets = append(b.Secrets, Named{words[1], digest(words[2])})
	case "die":
		p := Printed{Die: game.Die{Name: words[1], Sides: number(strings.TrimPrefix(words[2], "d"), maxSides), Value: number(words[3], maxSides), Source: words[4]}}
		if n == 7 {
			p.Under = Under{Audience: words[6], Early: words[5] == "early"}
			if !p.Under.Early && words[5] != "late" {
				return 0, fmt.Errorf(`%q is neither "early" nor "late"`, words[5])
			}
		}
		b.Dice = append(b.Dice, p)
	}
	return n, err
}

// entryWords holds how many words an entry has, the first included. A sealed
// die has two more: early or late, and the audience.
var entryWords = map[string]int{
	"game": 2, "game-seal": 2, "game-secret": 2, "turn": 2, "void": 2,
	"seal": 3, "leaf": 3, "lock": 2, "secret": 3, "die": 5,
}
