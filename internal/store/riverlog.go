package store

import (
	"context"
	"log/slog"
)

// riverLog passes on what River warns of; its news (migrations that were not
// needed, counts of jobs) would drown ours.
type riverLog struct{ slog.Handler }

func (h riverLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h riverLog) WithAttrs(as []slog.Attr) slog.Handler { return riverLog{h.Handler.WithAttrs(as)} }

func (h riverLog) WithGroup(name string) slog.Handler { return riverLog{h.Handler.WithGroup(name)} }

func (s *Store) riverLogger() *slog.Logger { return slog.New(riverLog{s.opt.Log.Handler()}) }
