package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Traces are what the database knows of an address.
type Traces struct {
	Roles   []Role // parts that its person has, those of ended games too
	Games   []Game // whose file names the address, or in which its person has a part
	Letters int    // from the address, or confirmed as its person's
	Texts   int    // orders in those letters' own words
	Mails   int    // sent, or to be sent, to the address
	Unsent  int    // of them: not sent yet
	Held    int    // of the letters: held
	Stored  bool   // the address itself is on file
	StandIn string // what would stand in its place
}

// None reports that nothing at all is known of the address.
func (t Traces) None() bool {
	return !t.Stored && len(t.Games) == 0 && t.Letters == 0 && t.Mails == 0
}

// Running are the parts in games that have not ended.
func (t Traces) Running() []Role {
	return slices.DeleteFunc(slices.Clone(t.Roles), func(r Role) bool { return r.Ended })
}

// Forgetting says whom to forget.
type Forgetting struct {
	Address string // normalised
	StandIn string // Traces.StandIn
	Files   []NewFile
}

// NewFile is the file of a game without the address.
type NewFile struct {
	Game      int64
	WasSHA    string // of the file that it was made from; compared
	File, SHA string
}

// Forgotten counts what was blanked.
type Forgotten struct {
	Letters, Texts, Mails int
	Others                int // letters and mails of others that spoke of the address
}

// his are the letters of the address $1: those that it sent, and those that its
// person confirmed.
const his = `(letter.from_addr = $1 OR (letter.confirmed AND letter.role IN (` + hisRoles + `)))`

const hisRoles = `SELECT role.id FROM role JOIN address ON address.person = role.person WHERE address.addr = $1`

// unsent are mails that are still to go out.
const unsent = `state IN ('queued', 'claimed')`

// mentions is an SQL condition: a column holds the text in argument 1, which is
// of lower case, in any case.
func (t *txn) mentions(column, kind string) string {
	switch {
	case t.path != "":
		return `instr(lower(CAST(` + column + ` AS TEXT)), $1) > 0`
	case kind == "bytea":
		return `position(encode(convert_to($1, 'UTF8'), 'escape') IN lower(encode(` + column + `, 'escape'))) > 0`
	}
	return `position(CAST($1 AS TEXT) IN lower(CAST(` + column + ` AS TEXT))) > 0`
}

// TracesOf reads what is known of a normalised address.
func (s *Store) TracesOf(ctx context.Context, address string) (tr Traces, err error) {
	err = s.read(ctx, "looking for an address", func(t *txn) error {
		tr, err = t.traces(address)
		return err
	})
	return tr, err
}

func (t *txn) traces(address string) (tr Traces, err error) {
	if tr.Roles, err = list(t, scanRole, roleSelect+`WHERE address.addr = $1 ORDER BY game.no, role.no`, address); err != nil {
		return tr, err
	}
	tr.Games, err = list(t, scanGame, `SELECT `+gameCols+` FROM game WHERE `+t.mentions("game.file", "text")+
		` OR game.id IN (SELECT game FROM role WHERE role.id IN (`+hisRoles+`)) ORDER BY game.no`, address)
	if err != nil {
		return tr, err
	}
	tr.Games = slices.DeleteFunc(tr.Games, func(g Game) bool {
		part := slices.ContainsFunc(tr.Roles, func(r Role) bool { return r.Game == g.ID })
		return !part && !HasAddress(g.File, address)
	})
	for _, q := range []struct {
		into  *int
		query string
	}{
		{&tr.Letters, `SELECT COUNT(*) FROM letter WHERE ` + his},
		{&tr.Texts, `SELECT COUNT(*) FROM revision JOIN letter ON letter.id = revision.letter WHERE revision.text <> '' AND ` + his},
		{&tr.Held, `SELECT COUNT(*) FROM letter WHERE letter.disposition = 'held' AND ` + his},
		{&tr.Mails, `SELECT COUNT(*) FROM outbox WHERE address = $1`},
		{&tr.Unsent, `SELECT COUNT(*) FROM outbox WHERE address = $1 AND ` + unsent},
	} {
		if err := t.get([]any{q.into}, q.query, address); err != nil {
			return tr, err
		}
	}
	var n int
	if err := t.get([]any{&n}, `SELECT COUNT(*) FROM address WHERE addr = $1`, address); err != nil {
		return tr, err
	}
	tr.Stored = n > 0
	if err := t.get([]any{&n}, `SELECT COUNT(*) FROM address WHERE addr LIKE 'forgotten-%`+forgotten+`'`); err != nil {
		return tr, err
	}
	tr.StandIn = fmt.Sprintf("forgotten-%d", n+1) + forgotten
	return tr, nil
}

// Forget blanks what the database holds of an address, in one transaction, while
// others may serve. What remains is what the history of its games is recomputed
// and the dice are checked from: ids, hashes, plans, rulings, events, and of the
// orders the Message-ID, which the leaf binds (one that holds the address is
// replaced when its turn is over). The person keeps its row and its parts, under
// an address that no mail reaches. Letters not read yet are not acted on, mails
// not sent yet are not sent. ErrOtherFile, ErrChanged: not as Traces said; look
// again.
func (s *Store) Forget(ctx context.Context, f Forgetting) (done Forgotten, err error) {
	err = s.change(ctx, "forgetting an address", s.opt.Now(), func(t *txn) error {
		done, err = t.forget(f)
		return err
	})
	if unique(err) {
		err = ErrChanged // another one was forgotten at the same time
	}
	return done, err
}

func (t *txn) forget(f Forgetting) (done Forgotten, err error) {
	tr, err := t.traces(f.Address)
	if err != nil {
		return done, err
	}
	for _, r := range tr.Running() {
		if _, err := t.stir(r.Game); err != nil {
			return done, err
		}
	}
	if done.Letters, done.Texts, err = t.forgetLetters(f); err != nil {
		return done, err
	}
	if _, err := t.exec(`UPDATE role SET name = $2, epoch = (epoch + 1) % 256 WHERE id IN (`+hisRoles+`)`, f.Address, localPart(f.StandIn)); err != nil {
		return done, err
	}
	if done.Mails, err = t.count(`UPDATE outbox SET address = '', subject = '', text = '', bytes = $2, carry = '', claim = '', claim_until = NULL,
		why = CASE WHEN `+unsent+` THEN 'its reader was forgotten' ELSE '' END, state = CASE WHEN `+unsent+` THEN 'failed' ELSE state END
		WHERE address = $1`, f.Address, []byte{}); err != nil {
		return done, err
	}
	if done.Others, err = t.forgetMentions(f); err != nil {
		return done, err
	}
	if _, err := t.exec(`UPDATE address SET addr = $2, reachable = FALSE WHERE addr = $1`, f.Address, f.StandIn); err != nil {
		return done, err
	}
	return done, t.forgetInFiles(f, tr.Games)
}

// forgetLetters blanks the letters of the address, their orders' texts and what
// holds them.
func (t *txn) forgetLetters(f Forgetting) (letters, texts int, err error) {
	// What his letters caused is found by them, so they come last.
	texts, err = t.count(`UPDATE revision SET text = '' WHERE text <> '' AND letter IN (SELECT letter.id FROM letter WHERE `+his+`)`, f.Address)
	if err != nil {
		return 0, 0, err
	}
	for _, q := range []string{
		`UPDATE hold SET state = 'ended' WHERE state = 'held' AND (role IN (` + hisRoles + `) OR letter IN (SELECT letter.id FROM letter WHERE ` + his + `))`,
		`UPDATE hold SET from_addr = '', subject = '', why = '' WHERE role IN (` + hisRoles + `) OR letter IN (SELECT letter.id FROM letter WHERE ` + his + `)`,
		`UPDATE letter SET disposition = 'ignored', why = 'the person was forgotten' WHERE (disposition IS NULL AND ` + his + `)
			OR (disposition = 'held' AND (` + his + ` OR letter.role IN (` + hisRoles + `)))`,
	} {
		if _, err := t.exec(q, f.Address); err != nil {
			return 0, 0, err
		}
	}
	letters, err = t.count(`UPDATE letter SET raw = $2, message_id = '', from_addr = '' WHERE `+his, f.Address, []byte{})
	return letters, texts, err
}

// spoken are the columns of free text in which the address may stand. A mail
// to somebody else keeps its words but for the address: what comes back of it
// is known by them.
var spoken = []struct{ table, column, where string }{
	{"letter", "why", "TRUE"},
	{"hold", "why", "TRUE"},
	{"hold", "subject", "TRUE"},
	{"revision", "text", "TRUE"},
	{"revision", "message_id", `EXISTS (SELECT 1 FROM turn JOIN game ON game.id = turn.game WHERE turn.id = revision.turn
		AND (game.ended_at IS NOT NULL OR EXISTS (SELECT 1 FROM turn later WHERE later.game = turn.game AND later.n > turn.n)))`},
	{"turn", "why", "TRUE"},
	{"outbox", "subject", "NOT " + unsent},
	{"outbox", "text", "NOT " + unsent},
	{"outbox", "carry", "NOT " + unsent},
	{"outbox", "why", "NOT " + unsent},
}

// whole are the columns of mails as they came and went, which are blanked if
// they hold the address. Letters that are still to be read and mails that are
// still to be sent stay.
var whole = []struct{ table, column, where string }{
	{"letter", "raw", "disposition IS NOT NULL AND disposition <> 'held'"},
	{"outbox", "bytes", "NOT " + unsent},
}

// forgetMentions takes the address out of what others wrote and were written.
func (t *txn) forgetMentions(f Forgetting) (others int, err error) {
	for _, c := range whole {
		ids, err := list(t, scanID, `SELECT id FROM `+c.table+` WHERE `+t.mentions(c.column, "bytea")+` AND `+c.where, f.Address)
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			var raw []byte
			if err := t.get([]any{&raw}, `SELECT `+c.column+` FROM `+c.table+` WHERE id = $1`, id); err != nil {
				return 0, err
			}
			if !HasAddress(string(raw), f.Address) {
				continue
			}
			if _, err := t.exec(`UPDATE `+c.table+` SET `+c.column+` = $2 WHERE id = $1`, id, []byte{}); err != nil {
				return 0, err
			}
			others++
		}
	}
	type row struct {
		id   int64
		text string
	}
	for _, c := range spoken {
		rows, err := list(t, func(r scanner) (v row, err error) { return v, r.Scan(&v.id, &v.text) },
			`SELECT id, `+c.column+` FROM `+c.table+` WHERE `+t.mentions(c.column, "text")+` AND `+c.where, f.Address)
		if err != nil {
			return 0, err
		}
		for _, r := range rows {
			if _, err := t.exec(`UPDATE `+c.table+` SET `+c.column+` = $2 WHERE id = $1`, r.id, WithoutAddress(r.text, f.Address, f.StandIn)); err != nil {
				return 0, err
			}
		}
	}
	return others, nil
}

// forgetInFiles stores the game files without the address.
func (t *txn) forgetInFiles(f Forgetting, games []Game) error {
	for _, g := range games {
		i := slices.IndexFunc(f.Files, func(n NewFile) bool { return n.Game == g.ID })
		if i < 0 {
			return ErrOtherFile
		}
		n := f.Files[i]
		if err := t.must(ErrOtherFile, `UPDATE game SET file = $2, file_sha = $3 WHERE id = $1 AND file_sha = $4`, n.Game, n.File, n.SHA, n.WasSHA); err != nil {
			return err
		}
	}
	return nil
}

// count is exec for a number that is told.
func (t *txn) count(query string, args ...any) (int, error) {
	n, err := t.exec(query, args...)
	return int(n), err
}

func localPart(address string) string { return address[:strings.LastIndexByte(address, '@')] }

// HasAddress reports that a text holds an address, in any case (of ASCII), and
// not only as part of a longer one.
func HasAddress(text, address string) bool { return findAddress(text, address) >= 0 }

// WithoutAddress puts another text in the place of an address.
func WithoutAddress(text, address, standIn string) string {
	var b strings.Builder
	for i := findAddress(text, address); i >= 0; i = findAddress(text, address) {
		b.WriteString(text[:i] + standIn)
		text = text[i+len(address):]
	}
	return b.String() + text
}

// findAddress gives the place of an address in a text, or -1. A letter of a
// quoted-printable escape before it (=3C is "<") belongs to no longer address.
func findAddress(text, address string) int {
	low := lowerASCII(text)
	address = lowerASCII(address)
	for from := 0; ; {
		i := strings.Index(low[from:], address)
		if i < 0 {
			return -1
		}
		i += from
		before, after := low[:i], low[i+len(address):]
		escaped := len(before) >= 3 && before[len(before)-3] == '=' && isHex(before[len(before)-2]) && isHex(before[len(before)-1])
		longer := len(before) > 0 && !escaped && inAddress(before[len(before)-1])
		switch {
		case len(after) > 0 && (isWord(after[0]) || after[0] == '-'):
			longer = true
		case len(after) > 1 && after[0] == '.' && isWord(after[1]):
			longer = true
		}
		if !longer {
			return i
		}
		from = i + 1
	}
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

func isHex(c byte) bool { return c >= 'a' && c <= 'f' || c >= '0' && c <= '9' }

func inAddress(c byte) bool { return isWord(c) || c == '.' || c == '_' || c == '+' || c == '-' }

// lowerASCII keeps every byte at its place.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Found is a column that still holds an address that was looked for.
type Found struct {
	Table, Column string
	Rows          int
}

// Find looks for a normalised address in every column of every table that may
// hold text, those of the work queue too.
func (s *Store) Find(ctx context.Context, address string) (found []Found, err error) {
	err = s.read(ctx, "searching the database", func(t *txn) error {
		found = nil
		columns, err := t.textColumns()
		if err != nil {
			return err
		}
		for _, c := range columns {
			value := `CAST(` + quoted(c.column) + ` AS TEXT)`
			if c.kind == "bytea" {
				value = quoted(c.column)
			}
			f := Found{Table: c.table, Column: c.column}
			_, err := list(t, func(r scanner) (struct{}, error) {
				var text []byte
				err := r.Scan(&text)
				if HasAddress(string(text), address) {
					f.Rows++
				}
				return struct{}{}, err
			}, `SELECT `+value+` FROM `+quoted(c.table)+` WHERE `+t.mentions(quoted(c.column), c.kind), address)
			if err != nil {
				return fmt.Errorf("column %s of %s: %w", c.column, c.table, err)
			}
			if f.Rows > 0 {
				found = append(found, f)
			}
		}
		return nil
	})
	return found, err
}

type textColumn struct{ table, column, kind string }

// textColumns lists the columns of our schema that can hold text; SQLite lets
// every column hold it.
func (t *txn) textColumns() ([]textColumn, error) {
	scan := func(r scanner) (c textColumn, err error) { return c, r.Scan(&c.table, &c.column, &c.kind) }
	if t.path != "" {
		return list(t, scan, `SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	}
	return list(t, scan, `SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
		JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
		WHERE c.table_schema = current_schema() AND c.data_type NOT IN ('bigint', 'integer', 'smallint', 'boolean', 'timestamp with time zone', 'timestamp without time zone')
		ORDER BY c.table_name, c.ordinal_position`)
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Scrub makes what was blanked leave the database's files: on SQLite the file is
// written anew and its log emptied, on PostgreSQL the old versions of rows are
// given free. An error on SQLite: somebody reads at this moment; try again.
func (s *Store) Scrub(ctx context.Context) error {
	if s.path == "" {
		if _, err := s.db.ExecContext(ctx, `VACUUM letter, revision, hold, outbox, role, address, game`); err != nil {
			return fmt.Errorf("giving old rows free: %w", err)
		}
		return nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("writing the database file anew: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("writing the database file anew: %w", err)
	}
	var busy, pages, moved int
	if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("emptying the database's log: %w", err)
	}
	if busy != 0 {
		return errors.New("emptying the database's log: somebody reads from it")
	}
	return nil
}
