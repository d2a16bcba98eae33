package daemon

import (
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/resolve"
	"github.com/pbemd/pbemd/internal/store"
)

// seals are the keys of one turn: secrets by audience, and who rolls under which.
type seals struct {
	audiences []string // sides and gm, sorted
	secrets   map[string]dice.Digest
	owner     dice.Owner
	sideOf    map[game.ID]string // player or combatant -> audience
}

func digest(b []byte) (dice.Digest, error) {
	var d dice.Digest
	if len(b) != len(d) {
		return d, fmt.Errorf("a digest of %d bytes", len(b))
	}
	copy(d[:], b)
	return d, nil
}

// newSeals derives a turn's secrets. The audience of each die is fixed by the
// world the turn opened on: a player's characters roll under their side, all
// else under the GM (design section 6).
func newSeals(g store.Game, t store.Turn, prevLock []byte, rs resolve.Ruleset, w game.World) (*seals, error) {
	secret, err := digest(g.Secret)
	if err != nil {
		return nil, fmt.Errorf("reading the secret of game %s: %w", g.Name, err)
	}
	var prev dice.Digest
	if len(prevLock) > 0 {
		if prev, err = digest(prevLock); err != nil {
			return nil, fmt.Errorf("reading the lock of turn %d: %w", t.N-1, err)
		}
	}
	root := dice.Root(secret, t.N, t.Void, prev)
	s := &seals{secrets: map[string]dice.Digest{}, sideOf: map[game.ID]string{}}
	for _, b := range w.Bodies() {
		if b.Player == "" {
			continue
		}
		s.sideOf[b.ID] = string(b.Side)
		if _, ok := s.sideOf[b.Player]; !ok {
			s.sideOf[b.Player] = string(b.Side)
		}
		if !slices.Contains(s.audiences, string(b.Side)) {
			s.audiences = append(s.audiences, string(b.Side))
		}
	}
	s.audiences = append(s.audiences, dice.AudienceGM)
	slices.Sort(s.audiences)
	for _, a := range s.audiences {
		s.secrets[a] = dice.Secret(root, a)
	}
	roller, _ := rs.(resolve.Roller)
	s.owner = func(n dice.Name) (string, bool) {
		who, secret := n.Who, false
		if roller != nil {
			var c game.ID
			c, secret = roller.DiceOwner(w, n)
			if _, known := s.sideOf[who]; !known && c != "" {
				who = c
			}
		}
		side, player := s.sideOf[who]
		if secret || !player {
			side = dice.AudienceGM
		}
		return side, player
	}
	return s, nil
}

// source rolls every die of the turn; lock is that of the first close.
func (s *seals) source(lock []byte) (dice.Sealed, error) {
	l, err := digest(lock)
	if err != nil {
		return dice.Sealed{}, fmt.Errorf("reading the lock: %w", err)
	}
	return dice.Sealed{Secrets: s.secrets, Lock: &l, Owner: s.owner}, nil
}

// forecast answers the early dice of one side and takes constants for the rest.
func (s *seals) forecast(side string) dice.Sealed {
	return dice.Sealed{
		Secrets: map[string]dice.Digest{side: s.secrets[side]},
		Owner:   s.owner,
		Else:    dice.Constant(0),
	}
}

// leaves lists each player's leaf over the letters that count, sorted by player.
func leaves(g store.Game, n int, roles []store.Role, inForce []store.Revision) []dice.PlayerLeaf {
	var out []dice.PlayerLeaf
	for _, r := range roles {
		if r.Kind != rolePlayer {
			continue
		}
		out = append(out, dice.PlayerLeaf{Player: r.Key, Leaf: leafOf(g, n, r, inForce)})
	}
	slices.SortFunc(out, func(a, b dice.PlayerLeaf) int { return compareIDs(a.Player, b.Player) })
	return out
}

// leafOf is a player's leaf: his letters that count, by (received_at, id).
func leafOf(g store.Game, n int, r store.Role, inForce []store.Revision) dice.Digest {
	var mine []store.Revision
	for _, rev := range inForce {
		if rev.Role == r.ID {
			mine = append(mine, rev)
		}
	}
	slices.SortFunc(mine, compareRevisions)
	mine = slices.CompactFunc(mine, func(a, b store.Revision) bool { return a.Letter == b.Letter })
	counted := make([]dice.Counted, 0, len(mine))
	for _, rev := range mine {
		c := dice.Counted{MessageID: rev.MessageID}
		c.TextSHA, _ = dice.ParseDigest(rev.TextSHA)
		counted = append(counted, c)
	}
	return dice.Leaf(g.Name, n, r.Key, counted)
}

// lockOf is the turn's lock over all players' leaves.
func lockOf(g store.Game, n int, roles []store.Role, inForce []store.Revision) []byte {
	l := dice.Lock(g.Name, n, leaves(g, n, roles, inForce))
	return l[:]
}
