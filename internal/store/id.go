package store

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"
)

// ids makes the ids of one process: 41 bits of milliseconds since 2025, 8 bits
// that count within one, 14 random bits of the process. Ids of one process rise
// strictly, those of several by their clocks.
type ids struct {
	mu   sync.Mutex
	last int64 // milliseconds<<8 | count
	node int64
}

var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

func newIDs() *ids {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return &ids{node: int64(binary.BigEndian.Uint16(b[:])) & (1<<14 - 1)}
}

func (g *ids) next(now time.Time) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last+1, (now.UnixMilli()-epoch)<<8)
	return g.last<<14 | g.node
}

// NewID gives an id greater than every one this Store gave before. It follows
// the machine's clock whatever Options.Now says, because ids must be unique.
func (s *Store) NewID() int64 { return s.ids.next(time.Now()) }
