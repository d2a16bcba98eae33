package dice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pbemd/pbemd/internal/game"
)

// Values of game.Die.Source. Dice of the GM's come from the rulings
// (resolve.Rulings); a die that he has rolled again is the sealed die name~k.
const (
	FromSealed   = "sealed"
	FromScript   = "scripted"
	FromConstant = "constant"
	FromGM       = "gm"
)

// Owner says under whose secret a die is rolled: the audience (a side's id, or
// [AudienceGM] for foes and for secret kinds), and whether a player rolls it.
// It must not change while a turn is open.
type Owner func(Name) (audience string, player bool)

// Sealed rolls the dice of one turn from the secrets of its audiences.
type Sealed struct {
	Secrets map[string]Digest // by audience; those not known may be missing
	Lock    *Digest           // nil before the first close: then only early dice are known
	Owner   Owner
	// Else answers what Secrets and Lock do not: a forecast knows one side's early
	// dice and takes constants for the rest. Nil says that everything must be
	// known; a die that is not then panics, for no turn may be decided by a die
	// that was not sealed.
	Else Source
}

// Roll rolls one die.
func (s Sealed) Roll(name string, sides int) game.Die {
	key, ok := s.key(s.Under(name))
	if !ok {
		if s.Else == nil {
			panic(fmt.Sprintf("dice: %s is under %s, which was not given", name, s.Under(name)))
		}
		return s.Else.Roll(name, sides)
	}
	return game.Die{Name: name, Sides: sides, Value: Value(key, name, sides), Source: FromSealed}
}

// Under says which secret and which key a die is rolled under. Names that
// cannot be taken apart are the GM's.
func (s Sealed) Under(name string) Under {
	n, ok := ParseName(name)
	if !ok {
		return Under{Audience: AudienceGM}
	}
	audience, player := s.Owner(n)
	return Under{Audience: audience, Early: player && slices.Contains(early, n.Kind)}
}

func (s Sealed) key(u Under) (Digest, bool) {
	secret, ok := s.Secrets[u.Audience]
	switch {
	case !ok:
		return Digest{}, false
	case u.Early:
		return EarlyKey(secret), true
	case s.Lock == nil:
		return Digest{}, false
	}
	return LateKey(secret, *s.Lock), true
}

// Under names the key of a sealed die.
type Under struct {
	Audience string
	Early    bool
}

// String writes "early heroes" or "late gm".
func (u Under) String() string {
	if u.Early {
		return "early " + u.Audience
	}
	return "late " + u.Audience
}

// Scripted rolls what was written down beforehand. A script is kept under a
// full name, or under kind/who: then its values are used in the order in which
// new dice of that kind are asked for. Make one with [NewScripted].
type Scripted struct {
	scripts map[string][]int
	used    map[string]int      // values taken, by script
	rolled  map[string]game.Die // by name and sides
	misfits []string
	base    Source
}

// NewScripted is a source over scripts; base rolls what they do not name.
func NewScripted(scripts map[string][]int, base Source) *Scripted {
	return &Scripted{scripts: scripts, used: map[string]int{}, rolled: map[string]game.Die{}, base: base}
}

// Roll rolls one die. A written value that the die does not have becomes the
// nearest one that it has, and is told by [Scripted.Faults].
func (s *Scripted) Roll(name string, sides int) game.Die {
	ask := name + " d" + strconv.Itoa(sides)
	if d, ok := s.rolled[ask]; ok {
		return d
	}
	d, ok := s.next(name, sides)
	if !ok {
		d = s.base.Roll(name, sides)
	}
	s.rolled[ask] = d
	return d
}

func (s *Scripted) next(name string, sides int) (game.Die, bool) {
	keys := []string{name}
	if n, ok := ParseName(name); ok {
		keys = append(keys, n.Kind+"/"+string(n.Who))
	}
	for _, k := range keys {
		i := s.used[k]
		if i >= len(s.scripts[k]) {
			continue
		}
		s.used[k]++
		v := s.scripts[k][i]
		if fit := min(max(v, 1), sides); fit != v {
			s.misfits = append(s.misfits, fmt.Sprintf("%s: %d is not on the d%d of %s; %d was taken", k, v, sides, name, fit))
			v = fit
		}
		return game.Die{Name: name, Sides: sides, Value: v, Source: FromScript}, true
	}
	return game.Die{}, false
}

// Faults tells which written values did not fit, and which were never used.
func (s *Scripted) Faults() []string {
	faults := slices.Clone(s.misfits)
	for _, k := range slices.Sorted(maps.Keys(s.scripts)) {
		if rest := s.scripts[k][min(s.used[k], len(s.scripts[k])):]; len(rest) > 0 {
			faults = append(faults, fmt.Sprintf("%s: %v was not used: no such die was rolled", k, rest))
		}
	}
	return faults
}

// Constant gives every die the same value, or the die's greatest if that is
// less; 0 is the middle of each die, rounded up.
type Constant int

// Roll gives the constant.
func (c Constant) Roll(name string, sides int) game.Die {
	v := int(c)
	if v == 0 {
		v = (sides + 1) / 2
	}
	return game.Die{Name: name, Sides: sides, Value: max(1, min(v, sides)), Source: FromConstant}
}
