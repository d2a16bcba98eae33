package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pbemd/pbemd/internal/store"
)

// rigGrace is the grace of the rig's game.
const rigGrace = 5 * time.Minute

// rigPatience bounds the wait for a process or a mail server.
const rigPatience = 90 * time.Second * slowness

// settle waits until the mailbox is read, nothing is due, and all that was sent
// has arrived.
func (r *rig) settle() error {
	ctx, cancel := context.WithTimeout(r.ctx, rigPatience)
	defer cancel()
	st, err := r.database(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	db, err := r.sql()
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		wants, err := r.unsettled(ctx, st, db)
		if err == nil && wants == "" {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("it does not settle: %s (%v)%s", wants, err, r.logs())
		}
	}
}

// logs gives what the processes wrote last.
func (r *rig) logs() (logs string) {
	for name, p := range r.procs {
		logs += fmt.Sprintf("\n-- process %s (alive: %v) --\n%s", name, p.alive(), p.log)
	}
	return logs
}

// database opens the rig's database beside its processes.
func (r *rig) database(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Options{DSN: r.dsn, Now: r.clock.now})
}

// sql opens the rig's database without its store, to look at rows.
func (r *rig) sql() (*sql.DB, error) {
	if path, ok := strings.CutPrefix(r.dsn, "sqlite:"); ok {
		return sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(30000)")
	}
	return sql.Open("pgx", r.dsn)
}

// unsettled says what is still to come; empty: nothing.
func (r *rig) unsettled(ctx context.Context, st *store.Store, db *sql.DB) (string, error) {
	// Asked before the mailbox, which costs a login, and after it: a letter that is
	// not there any more is in the database.
	if wants, err := r.undone(ctx, st, db); wants != "" || err != nil {
		return wants, err
	}
	if n, err := r.unfetched(ctx); n > 0 || err != nil {
		return fmt.Sprintf("%d letters are not fetched", n), err
	}
	if wants, err := r.undone(ctx, st, db); wants != "" || err != nil {
		return wants, err
	}
	for _, who := range slices.Concat(people, r.others) {
		sent, err := sentTo(ctx, db, r.address(who))
		if err != nil {
			return "", err
		}
		arrived := func(id string) bool {
			return slices.ContainsFunc(r.letters[who], func(m mailIn) bool { return m.messageID == id })
		}
		if sent = slices.DeleteFunc(sent, arrived); len(sent) == 0 {
			continue
		}
		if _, err := r.inbox(who); err != nil {
			return "", err
		}
		if sent = slices.DeleteFunc(sent, arrived); len(sent) > 0 {
			return fmt.Sprintf("%d mails are under way to %s", len(sent), who), nil
		}
	}
	return "", nil
}

// sentTo gives the Message-IDs of the mails to an address that a mail server took.
func sentTo(ctx context.Context, db *sql.DB, address string) (ids []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT message_id FROM outbox WHERE state = 'sent' AND address = $1`, address)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// asksToClose counts the open turns that somebody asked to close, and all moves of
// all turns.
func asksToClose(ctx context.Context, db *sql.DB) (asked, moves int, err error) {
	err = db.QueryRowContext(ctx, `SELECT COUNT(CASE WHEN state = 'open' AND asked_at IS NOT NULL THEN 1 END), COALESCE(SUM(input_seq), 0) FROM turn`).Scan(&asked, &moves)
	return asked, moves, err
}

func (r *rig) unfetched(ctx context.Context) (int, error) {
	box, err := r.open("pbem")
	if err != nil {
		return 0, err
	}
	defer box.Close()
	if _, err := box.Select(ctx, "INBOX"); err != nil {
		return 0, err
	}
	uids, err := box.ListUIDs(ctx, 1)
	return len(uids), err
}

// undone says what the database still wants done.
func (r *rig) undone(ctx context.Context, st *store.Store, db *sql.DB) (string, error) {
	asked, moves, err := asksToClose(ctx, db)
	if err != nil {
		return "", err
	}
	// A second more: what is stored while the database is asked is due as well.
	due, err := st.Due(ctx, r.clock.now().Add(time.Second), 100)
	if err != nil {
		return "", err
	}
	if _, now, err := asksToClose(ctx, db); now != moves || err != nil {
		return "a turn moves on", err
	}
	due = slices.DeleteFunc(due, func(w store.Work) bool {
		return w.Kind == store.DoClose && asked == 0 && r.clock.now().Before(w.At.Add(rigGrace)) // letters may still be under way
	})
	if len(due) > 0 {
		return fmt.Sprintf("due: %v", due), nil
	}
	var rereading int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM mailbox WHERE reread_asked IS NOT NULL`).Scan(&rereading); err != nil {
		return "", err
	}
	if rereading > 0 {
		return "letters are being read again", nil
	}
	var claimed int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM outbox WHERE state = 'claimed'`).Scan(&claimed); err != nil {
		return "", err
	}
	if claimed > 0 {
		return fmt.Sprintf("%d mails are being sent", claimed), nil
	}
	var again int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND why <> '' AND not_before <= $1`,
		store.Time(r.clock.now().Add(time.Minute))).Scan(&again)
	if err != nil {
		return "", err
	}
	if again > 0 {
		return fmt.Sprintf("%d mails are tried again soon", again), nil
	}
	return "", nil
}
