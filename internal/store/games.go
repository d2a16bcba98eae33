package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pbemd/pbemd/internal/game"
)

// NewRole is a person's part in a game that is being created.
type NewRole struct {
	No                  uint16
	Kind                string // gm, player
	Key                 game.ID
	Name, Address, Zone string // the address is normalised
}

// NewTurn is a turn, or a further phase of one, that opens.
type NewTurn struct {
	N, Phase                       int
	World                          []byte
	OpenedAt, DeadlineAt, RemindAt time.Time
	NudgeAt                        time.Time // when to look who waits for whom, in a further phase; zero: never
	Void                           int
	Lock                           []byte // a further phase keeps the turn's
	Asks                           []byte
	ReopenedAt                     time.Time // a further phase keeps the turn's
}

// NewGame is a game to be created with its first turn. ID, No and CreatedAt of
// Game are given here.
type NewGame struct {
	Game       Game
	Roles      []NewRole
	Combatants map[game.ID]uint16 // number of the role that orders it; 0: the GM
	Turn       NewTurn
	// Mails makes the first mails when all ids are known. It must not touch the
	// store, and may be called more than once.
	Mails func(Game, []Role, Turn) ([]NewMail, error)
}

const gameCols = `game.id, game.no, game.name, game.title, game.system, game.account, game.file, game.file_sha, game.secret,
	game.paused_at, game.ended_at, game.created_at`

func scanGame(r scanner) (g Game, err error) {
	err = r.Scan(&g.ID, &g.No, &g.Name, &g.Title, &g.System, &g.Account, &g.File, &g.FileSHA, &g.Secret,
		(*Time)(&g.PausedAt), (*Time)(&g.EndedAt), (*Time)(&g.CreatedAt))
	return g, err
}

const roleSelect = `SELECT role.id, role.game, game.no, game.name, role.no, role.kind, role.role_key, role.person, role.name,
	address.addr, role.zone, role.epoch, address.reachable, game.ended_at IS NOT NULL
	FROM role JOIN game ON game.id = role.game JOIN address ON address.person = role.person `

func scanRole(r scanner) (o Role, err error) {
	err = r.Scan(&o.ID, &o.Game, &o.GameNo, &o.GameName, &o.No, &o.Kind, &o.Key, &o.Person, &o.Name,
		&o.Address, &o.Zone, &o.Epoch, &o.Reachable, &o.Ended)
	return o, err
}

// CreateGame stores a game, its people, its first turn and its first mails.
// ErrTaken: another game has the name.
func (s *Store) CreateGame(ctx context.Context, n NewGame) (g Game, err error) {
	create := func(t *txn) error {
		var err error
		g, err = t.createGame(n)
		return err
	}
	// Two games created at once may be given one number; the second asks again.
	for range 3 {
		err = s.change(ctx, "creating the game "+n.Game.Name, n.Game.CreatedAt, create)
		if !unique(err) {
			return g, err
		}
	}
	return g, err
}

func (t *txn) createGame(n NewGame) (Game, error) {
	g := n.Game
	g.ID, g.CreatedAt = t.NewID(), t.now
	var used int
	if err := t.get([]any{&used}, `SELECT COUNT(*) FROM game WHERE name = $1`, g.Name); err != nil {
		return g, err
	}
	if used > 0 {
		return g, ErrTaken
	}
	if err := t.get([]any{&g.No}, `SELECT COALESCE(MAX(no), 0) + 1 FROM game`); err != nil {
		return g, err
	}
	_, err := t.exec(`INSERT INTO game (id, no, name, title, system, account, file, file_sha, secret, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		g.ID, int64(g.No), g.Name, g.Title, g.System, g.Account, g.File, g.FileSHA, nonNil(g.Secret), g.CreatedAt)
	if err != nil {
		return g, err
	}
	byNo := map[uint16]int64{}
	for _, r := range n.Roles {
		person, err := t.person(r.Address)
		if err != nil {
			return g, err
		}
		byNo[r.No] = t.NewID()
		_, err = t.exec(`INSERT INTO role (id, game, no, kind, role_key, person, name, zone, epoch, confirmations) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0)`,
			byNo[r.No], g.ID, int64(r.No), r.Kind, r.Key, person, r.Name, r.Zone)
		if err != nil {
			return g, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.Combatants)) {
		no := n.Combatants[id]
		role, ok := byNo[no]
		if no != 0 && !ok {
			return g, fmt.Errorf("combatant %s has the role %d, which the game does not have", id, no)
		}
		if _, err := t.exec(`INSERT INTO combatant (game, id, role) VALUES ($1, $2, $3)`, g.ID, id, ref(role)); err != nil {
			return g, err
		}
	}
	turn := n.Turn.open(t.NewID(), g.ID, time.Time{})
	if err := t.openTurn(turn); err != nil || n.Mails == nil {
		return g, err
	}
	roles, err := t.roles(g.ID)
	if err != nil {
		return g, err
	}
	mails, err := n.Mails(g, roles, turn)
	if err != nil {
		return g, err
	}
	return g, t.queue(mails)
}

// person finds or makes the person behind an address.
func (t *txn) person(addr string) (id int64, err error) {
	err = t.get([]any{&id}, `SELECT person FROM address WHERE addr = $1`, addr)
	if !errors.Is(err, ErrNotFound) {
		return id, err
	}
	id = t.NewID()
	if _, err := t.exec(`INSERT INTO person (id, created_at) VALUES ($1, $2)`, id, t.now); err != nil {
		return 0, err
	}
	_, err = t.exec(`INSERT INTO address (addr, person, reachable) VALUES ($1, $2, TRUE)`, addr, id)
	return id, err
}

// Ahead gives the turn that will be opened after t with a release of it, so that
// its mails can be written before the transaction: for a further phase attempts
// are counted on, since a release token names turn and attempt.
func (s *Store) Ahead(g Game, t Turn, n NewTurn) *Turn {
	next := n.open(s.NewID(), g.ID, g.PausedAt)
	if n.Phase > 0 {
		next.Attempt = t.Attempt
	}
	return &next
}

// open is the turn as it begins.
func (n NewTurn) open(id, gameID int64, pausedAt time.Time) Turn {
	at := func(x time.Time) time.Time { return x.UTC().Truncate(time.Microsecond) } // as it is stored: see Time
	return Turn{
		ID: id, Game: gameID, N: n.N, Phase: n.Phase, State: game.Open, OpenedAt: at(n.OpenedAt), DeadlineAt: at(n.DeadlineAt), RemindAt: at(n.RemindAt), NudgeAt: at(n.NudgeAt),
		PausedAt: at(pausedAt), ReopenedAt: at(n.ReopenedAt), Void: n.Void, Lock: n.Lock, World: nonNil(n.World), Asks: n.Asks,
	}
}

// openTurn inserts an open turn and its jobs: the close at the deadline, the
// first reminder, the first nudge.
func (t *txn) openTurn(n Turn) error {
	_, err := t.exec(`INSERT INTO turn (id, game, n, phase, state, attempt, released, lates, opened_at, deadline_at, asked_by,
			paused_at, reopened_at, input_seq, void, lock, digest, world, asks, remind_at, nudge_at, nudge_step, tries, why)
		VALUES ($1, $2, $3, $4, 'open', $13, 0, 0, $5, $6, '', $7, $14, 0, $8, $9, '', $10, $11, $12, $15, 0, 0, '')`,
		n.ID, n.Game, n.N, n.Phase, n.OpenedAt, n.DeadlineAt, n.PausedAt, n.Void, n.Lock, n.World, n.Asks, n.RemindAt, n.Attempt, n.ReopenedAt, n.NudgeAt)
	if err != nil || !n.PausedAt.IsZero() {
		return err
	}
	if !n.NudgeAt.IsZero() {
		if err := t.wake(DoNudge, n.ID, n.NudgeAt); err != nil {
			return err
		}
	}
	return t.clock(n.ID, n.DeadlineAt, n.RemindAt)
}

// clock asks for the jobs of a turn's deadline and reminder.
func (t *txn) clock(turn int64, deadline, remind time.Time) error {
	if err := t.wake(DoClose, turn, deadline); err != nil || remind.IsZero() {
		return err
	}
	return t.wake(DoRemind, turn, remind)
}

// Games lists the games by number.
func (s *Store) Games(ctx context.Context, includeEnded bool) (gs []Game, err error) {
	err = s.read(ctx, "listing games", func(t *txn) error {
		gs, err = list(t, scanGame, `SELECT `+gameCols+` FROM game WHERE ended_at IS NULL OR $1 ORDER BY no`, includeEnded)
		return err
	})
	return gs, err
}

// GameByName finds a game by its short name.
func (s *Store) GameByName(ctx context.Context, name string) (g Game, err error) {
	err = s.look(ctx, "finding the game "+name, func(t *txn) error {
		g, err = one(t, scanGame, `SELECT `+gameCols+` FROM game WHERE name = $1`, name)
		return err
	})
	return g, err
}

// GameByNo finds a game by its number.
func (s *Store) GameByNo(ctx context.Context, no uint32) (g Game, err error) {
	err = s.look(ctx, "finding a game", func(t *txn) error {
		g, err = one(t, scanGame, `SELECT `+gameCols+` FROM game WHERE no = $1`, int64(no))
		return err
	})
	return g, err
}

// ErrOtherFile: the game has another file than the one that a change was made
// from, or has ended. Read it and decide again.
var ErrOtherFile = errors.New("the game file was changed meanwhile")

// RoleEdit is what a person's part is from now on. Another address gives the
// part to the person of that address and voids every token of the part.
type RoleEdit struct {
	Role                int64
	Name, Address, Zone string // the address is normalised
}

// GameEdit is a changed file of a running game and what follows from it.
type GameEdit struct {
	Game             int64
	WasSHA           string // of the file that the change was made from; compared
	Title, File, SHA string // SHA is the hex SHA-256 of File
	Roles            []RoleEdit
	Now              time.Time
	// Mails makes what is sent when the game is as the edit leaves it. It must not
	// touch the store, and may be called more than once.
	Mails func(Snapshot) ([]NewMail, error)
}

// EditGame replaces the stored file of a running game. Whatever is being worked
// out from the old one meanwhile is not stored and begins again, so an attempt
// is made of one file. ErrOtherFile: the file is not the one with WasSHA any
// more. ErrChanged: the turn moved on at that moment; try again.
func (s *Store) EditGame(ctx context.Context, e GameEdit) error {
	return s.change(ctx, "storing the game file", e.Now, func(t *txn) error {
		turn, err := t.stir(e.Game)
		if err != nil {
			return err
		}
		err = t.must(ErrOtherFile, `UPDATE game SET title = $2, file = $3, file_sha = $4 WHERE id = $1 AND file_sha = $5 AND ended_at IS NULL`,
			e.Game, e.Title, e.File, e.SHA, e.WasSHA)
		if err != nil {
			return err
		}
		for _, r := range e.Roles {
			person, err := t.person(r.Address)
			if err != nil {
				return err
			}
			err = t.must(ErrNotFound, `UPDATE role SET name = $3, zone = $4, person = $5,
				epoch = CASE WHEN person = $5 THEN epoch ELSE (epoch + 1) % 256 END WHERE id = $1 AND game = $2`, r.Role, e.Game, r.Name, r.Zone, person)
			if err != nil {
				return err
			}
		}
		if e.Mails == nil {
			return nil
		}
		if turn, err = t.turn(turn.ID); err != nil {
			return err
		}
		snap, err := t.snapshot(turn)
		if err != nil {
			return err
		}
		mails, err := e.Mails(snap)
		if err != nil {
			return err
		}
		return t.queue(mails)
	})
}

// stir makes whatever is decided on the current turn of a game as it was read
// before be decided again: it raises input_seq, moves what reminders and nudges
// are compared by, and wakes the work that stops at that. It comes first in a
// transaction, as raise does.
func (t *txn) stir(gameID int64) (Turn, error) {
	const current = `SELECT ` + turnCols + ` FROM turn WHERE game = $1 ORDER BY n DESC, phase DESC LIMIT 1`
	turn, err := one(t, scanTurn, current, gameID)
	if err != nil {
		return turn, err
	}
	// Taken before it is read again: whoever had it has committed by then.
	if _, err := t.exec(`UPDATE turn SET input_seq = input_seq + 1, taken_until = NULL WHERE id = $1`, turn.ID); err != nil {
		return turn, err
	}
	t.opt.Hook("raised")
	taken := turn.ID
	if turn, err = one(t, scanTurn, current, gameID); err != nil {
		return turn, err
	}
	if turn.ID != taken {
		return turn, ErrChanged
	}
	for _, at := range []struct {
		column, do string
		is         time.Time
	}{{"remind_at", DoRemind, turn.RemindAt}, {"nudge_at", DoNudge, turn.NudgeAt}} {
		if at.is.IsZero() {
			continue
		}
		next := at.is.Add(time.Microsecond)
		if _, err := t.exec(`UPDATE turn SET `+at.column+` = $2 WHERE id = $1`, turn.ID, next); err != nil {
			return turn, err
		}
		if err := t.wake(at.do, turn.ID, next); err != nil {
			return turn, err
		}
	}
	if turn.State == game.Approved {
		return turn, t.wake(DoRelease, turn.ID, time.Time{})
	}
	return turn, t.resolveAgain(turn.ID)
}

// exported bounds how many mails of an export are in memory at once.
const exported = 50

// Export reads all of a game at one instant: every turn and phase from the
// first on, then every mail of it by id, those left out that a newer one
// replaced. Neither function may touch the store.
func (s *Store) Export(ctx context.Context, gameID int64, turn func(Snapshot) error, mail func(Mail) error) error {
	return s.read(ctx, "exporting a game", func(t *txn) error {
		ids, err := list(t, scanID, `SELECT id FROM turn WHERE game = $1 ORDER BY n, phase`, gameID)
		if err != nil {
			return err
		}
		for _, id := range ids {
			row, err := t.turn(id)
			if err != nil {
				return err
			}
			snap, err := t.snapshot(row)
			if err != nil {
				return err
			}
			if err := turn(snap); err != nil {
				return err
			}
		}
		for last := int64(0); ; {
			mails, err := list(t, scanMail, `SELECT `+mailCols+` FROM outbox WHERE game = $1 AND id > $2 AND state <> 'superseded' ORDER BY id LIMIT $3`, gameID, last, exported)
			if err != nil {
				return err
			}
			for _, m := range mails {
				if err := mail(m); err != nil {
					return err
				}
				last = m.ID
			}
			if len(mails) < exported {
				return nil
			}
		}
	})
}

// RoleByNo finds a role by the numbers that a token holds.
func (s *Store) RoleByNo(ctx context.Context, gameNo uint32, roleNo uint16) (o Role, err error) {
	err = s.look(ctx, "finding a role", func(t *txn) error {
		o, err = one(t, scanRole, roleSelect+`WHERE game.no = $1 AND role.no = $2`, int64(gameNo), int64(roleNo))
		return err
	})
	return o, err
}

// RolesOf lists the roles of an address by game and number, those of ended
// games too (Role.Ended).
func (s *Store) RolesOf(ctx context.Context, address string) (rs []Role, err error) {
	err = s.look(ctx, "listing the roles of an address", func(t *txn) error {
		rs, err = list(t, scanRole, roleSelect+`WHERE address.addr = $1 ORDER BY game.no, role.no`, address)
		return err
	})
	return rs, err
}

// PlayingAddresses lists the addresses of all people of running games.
func (s *Store) PlayingAddresses(ctx context.Context) (addresses []string, err error) {
	err = s.read(ctx, "listing the addresses of running games", func(t *txn) error {
		addresses, err = list(t, func(r scanner) (a string, err error) { return a, r.Scan(&a) },
			`SELECT DISTINCT address.addr FROM address JOIN role ON role.person = address.person JOIN game ON game.id = role.game
			WHERE game.ended_at IS NULL ORDER BY address.addr`)
		return err
	})
	return addresses, err
}

func (t *txn) roles(gameID int64) ([]Role, error) {
	return list(t, scanRole, roleSelect+`WHERE role.game = $1 ORDER BY role.no`, gameID)
}
