package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// copyGames makes the games from first to last out of game g1, which is as it was
// created: each row of it with ids, a number, a name, a file, a secret and
// players of its own, and the jobs of its clock. Only the mails, sent long ago
// as it were, keep the words that g1's players got; their bytes are left out,
// for they would be gigabytes that nobody reads.
func copyGames(b *testing.B, db benchDB, first, last, players int, address func(game, player int) string) {
	b.Helper()
	ctx := b.Context()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	exec := func(query string, args ...any) {
		b.Helper()
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			b.Fatalf("%s: %v", query, err)
		}
	}
	get := func(query string, args []any, dest ...any) {
		b.Helper()
		if err := tx.QueryRowContext(ctx, query, args...).Scan(dest...); err != nil {
			b.Fatalf("%s: %v", query, err)
		}
	}
	// Ids rise with what a process makes; the copies lie before the game and its
	// mails, each as far before the next as all of these need.
	var game, newest int64
	get(`SELECT id, (SELECT MAX(id) FROM outbox) FROM game WHERE name = 'g1'`, nil, &game, &newest)
	type part struct {
		role, person int64
		addr         string
	}
	parts := make([]part, players+1) // the GM's first
	for i := range parts {
		get(`SELECT role.id, role.person, address.addr FROM role JOIN address ON address.person = role.person WHERE role.game = $1 AND role.no = $2`,
			[]any{game, i + 1}, &parts[i].role, &parts[i].person, &parts[i].addr)
	}
	exec(`CREATE TEMPORARY TABLE copied (less BIGINT, no BIGINT, name TEXT, file TEXT, sha TEXT, secret BYTEA)`)
	exec(`CREATE TEMPORARY TABLE copied_part (less BIGINT, role BIGINT, person BIGINT, addr TEXT)`)
	insert := func(query string) func(args ...any) {
		s, err := tx.PrepareContext(ctx, query)
		if err != nil {
			b.Fatal(err)
		}
		return func(args ...any) {
			if _, err := s.ExecContext(ctx, args...); err != nil {
				b.Fatal(err)
			}
		}
	}
	insertGame := insert(`INSERT INTO copied (less, no, name, file, sha, secret) VALUES ($1, $2, $3, $4, $5, $6)`)
	insertPart := insert(`INSERT INTO copied_part (less, role, person, addr) VALUES ($1, $2, $3, $4)`)
	for g := first; g <= last; g++ {
		less := int64(g) * (newest - game + 1)
		file, secret := benchGame(g, players, address), make([]byte, 32)
		rand.Read(secret) // never fails
		sum := sha256.Sum256(file)
		insertGame(less, g, gameName(g), string(file), hex.EncodeToString(sum[:]), secret)
		for i, p := range parts {
			person, addr := p.person, address(g, i)
			if addr != p.addr {
				person -= less
			}
			insertPart(less, p.role, person, addr)
		}
	}

	less := func(columns ...string) map[string]string {
		to := map[string]string{}
		for _, c := range columns {
			to[c] = "t." + c + " - c.less"
		}
		return to
	}
	with := func(to map[string]string, pairs ...string) map[string]string {
		for i := 0; i < len(pairs); i += 2 {
			to[pairs[i]] = pairs[i+1]
		}
		return to
	}
	args := `jsonb_set(t.args, '{row}', to_jsonb(((t.args->>'row')::bigint - c.less)::text))`
	if !db.postgres {
		args = `jsonb_set(t.args, '$.row', CAST(CAST(t.args->>'row' AS INTEGER) - c.less AS TEXT))`
	}
	const newPerson = ` JOIN copied_part c ON c.role = r.id AND c.person <> r.person WHERE r.game = $1`
	for _, x := range []struct {
		table, from string
		to          map[string]string // what a copied column is; empty: left to the database
	}{
		{"game", `game t, copied c WHERE t.id = $1`,
			with(less("id"), "no", "c.no", "name", "c.name", "file", "c.file", "file_sha", "c.sha", "secret", "c.secret")},
		{"person", `person t JOIN role r ON r.person = t.id` + newPerson, map[string]string{"id": "c.person"}},
		{"address", `address t JOIN role r ON r.person = t.person` + newPerson, map[string]string{"person": "c.person", "addr": "c.addr"}},
		{"role", `role t JOIN copied_part c ON c.role = t.id WHERE t.game = $1`, with(less("id", "game"), "person", "c.person")},
		{"combatant", `combatant t, copied c WHERE t.game = $1`, less("game", "role")},
		{"turn", `turn t, copied c WHERE t.game = $1`, less("id", "game")},
		{"outbox", `outbox t JOIN copied_part c ON c.role = t.role WHERE t.game = $1`,
			with(less("id", "role", "game", "turn"), "address", "c.addr", "message_id", "REPLACE(t.message_id, '<', '<' || c.less || '.')", "bytes", "SUBSTR(t.bytes, 1, 0)")},
		{"river_job", `river_job t, copied c WHERE CAST(t.args->>'row' AS BIGINT) IN (SELECT id FROM turn WHERE game = $1)`,
			map[string]string{"id": "", "args": args}},
	} {
		rows, err := tx.QueryContext(ctx, `SELECT * FROM `+x.table+` LIMIT 0`)
		if err != nil {
			b.Fatal(err)
		}
		columns, err := rows.Columns()
		if err := rows.Close(); err != nil {
			b.Fatal(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		var names, values []string
		for _, c := range columns {
			value, ok := x.to[c]
			if !ok {
				value = "t." + c
			}
			if value != "" {
				names, values = append(names, c), append(values, value)
			}
		}
		exec(`INSERT INTO `+x.table+` (`+strings.Join(names, ", ")+`) SELECT `+strings.Join(values, ", ")+` FROM `+x.from, game)
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
