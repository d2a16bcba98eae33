package store

import (
	"context"
	"time"
)

// Tell queues mails about something unless people were told of the same within
// since: exactly once, however many processes notice it and wherever they are
// killed. what names it, with all that makes it another thing, such as
// "refused/17" of a role; rows are never removed, so it must not be made of what
// is new each time. mails is called only if they go out, and must not touch the
// store; it may be called twice if the database asks for that. told: they do.
func (s *Store) Tell(ctx context.Context, what string, since time.Time, mails func() ([]NewMail, error)) (told bool, err error) {
	err = s.change(ctx, "telling of "+what, time.Time{}, func(t *txn) error {
		n, err := t.exec(`INSERT INTO told (what, at) VALUES ($1, $2) ON CONFLICT (what) DO UPDATE SET at = excluded.at WHERE told.at < $3`, what, t.now, since)
		if told = err == nil && n == 1; !told {
			return err
		}
		out, err := mails()
		if err != nil {
			return err
		}
		return t.queue(out)
	})
	return told && err == nil, err
}
