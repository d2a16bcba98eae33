package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pbemd/pbemd/internal/dice"
	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
	"github.com/pbemd/pbemd/internal/report"
	"github.com/pbemd/pbemd/internal/store"
)

// explained is what a WHY asks about: an attempt, and whether its lines are
// numbered as in the packet or as in the reader's report.
type explained struct {
	turn    int64 // row
	attempt int   // of a packet; 0: the released one
}

// runWhy explains one line of the report that the letter answers, or of the
// packet; of the newest one when it answers another mail.
func (d *Daemon) runWhy(ctx context.Context, c *call, cmd parse.Command, rest []parse.Line) error {
	if !parse.OnlyThanks(rest) {
		return d.alone(ctx, c, cmd.Word)
	}
	what, err := d.whatIsAsked(ctx, c)
	if errors.Is(err, store.ErrNotFound) {
		return d.refuse(ctx, c, report.Refused{Title: cmd.Line.Text,
			Why: "No turn is over yet, so there is no report whose lines could be explained.", Do: []string{"Ask again once you have one."}})
	}
	if err != nil {
		return err
	}
	w, lines, err := d.why(ctx, c, what, cmd.Number)
	if err != nil {
		return err
	}
	if w.N == 0 {
		refused := report.Refused{Title: cmd.Line.Text, Why: fmt.Sprintf("%s has lines 1 to %d, and no line %d.", upper(w.Of), lines, cmd.Number)}
		if lines == 0 {
			refused.Why = upper(w.Of) + " has no numbered line: you noticed nothing then."
		}
		refused.Do = []string{"To ask about another turn, answer its report; REPORT 2 sends the one of turn 2 again."}
		return d.refuse(ctx, c, refused)
	}
	m, err := report.Answer("why", d.head(c.table, c.role), w)
	if err != nil {
		return err
	}
	return d.answer(ctx, c, m)
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// why explains line n; a Why without a number says that there is none, and
// lines how many there are.
func (d *Daemon) why(ctx context.Context, c *call, what explained, n int) (w report.Why, lines int, err error) {
	snap, err := d.Store.SnapshotOfTurn(ctx, what.turn)
	if err != nil {
		return w, 0, err
	}
	t, err := d.table(snap)
	if err != nil {
		return w, 0, err
	}
	number := what.attempt
	if number == 0 {
		number = snap.Turn.Released
	}
	a, err := d.Store.Attempt(ctx, what.turn, number)
	if err != nil {
		return w, 0, fmt.Errorf("reading attempt %d of turn %d: %w", number, snap.Turn.N, err)
	}
	source, err := t.seals.source(snap.Turn.Lock)
	if err != nil {
		return w, 0, err
	}
	in := report.WhyIn{System: t.Game.System, Clock: t.clock(), Names: names(t.world)}
	if what.attempt > 0 {
		in.Of = fmt.Sprintf("attempt %d of %s", number, turnName(snap.Turn.N, snap.Turn.Phase))
	}
	out, err := outcomeOf(a)
	if err != nil {
		return w, 0, err
	}
	in.Events = out.Events
	if what.attempt == 0 {
		told, err := d.toldOf(ctx, t, c.role, out)
		if err != nil {
			return w, 0, err
		}
		in.Of, in.Events = "the report of "+turnName(snap.Turn.N, told.parts[0].Turn.Phase), told.out.Events
	}
	if c.role.Kind == roleGM {
		if err := json.Unmarshal(a.Rulings, &in.Rulings); err != nil {
			return w, 0, fmt.Errorf("reading the rulings of attempt %d: %w", number, err)
		}
	}
	in.Sealed = func(x game.Die) string {
		return sealedWords(source, x, t.seals.sideOf[c.role.Key], c.role.Kind == roleGM, !t.Game.EndedAt.IsZero())
	}
	ok := false
	if what.attempt > 0 {
		w, lines, ok = report.ExplainEvent(in, n)
	} else {
		var characters []game.ID
		for _, b := range t.own(c.role) {
			characters = append(characters, b.ID)
		}
		if c.role.Kind == roleGM {
			characters = []game.ID{game.GM}
		}
		w, lines, ok = report.Explain(in, characters, n)
	}
	if !ok {
		w = report.Why{Of: in.Of}
	}
	return w, lines, nil
}

// sealedWords says how a die came to its value, and who can check it.
func sealedWords(s dice.Sealed, x game.Die, side string, master, ended bool) string {
	if x.Source != dice.FromSealed {
		if x.Source == dice.FromGM {
			return "the GM set it"
		}
		return "it is " + x.Source
	}
	under := s.Under(x.Name)
	switch {
	case master:
		return "sealed, " + under.String()
	case under.Audience != side && ended:
		return "sealed for another side; the secret of the game, which the last report tells, checks it"
	case under.Audience != side:
		return "sealed for another side, so that you can check it only when the game is over"
	case under.Early:
		return "sealed for your side when the turn opened; `pbemd verify` checks it"
	}
	return "sealed for your side before any orders were known; `pbemd verify` checks it"
}

// maxAnswered bounds how many of the mails that a letter refers to are looked up.
const maxAnswered = 12

// whatIsAsked finds the report or packet that a letter answers, at first hand or
// further up its thread; else the newest one. store.ErrNotFound: no turn is over.
func (d *Daemon) whatIsAsked(ctx context.Context, c *call) (explained, error) {
	ids := []string{c.letter.InReplyTo}
	for _, id := range slices.Backward(c.letter.References) {
		if len(ids) < maxAnswered && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if id == "" {
			continue
		}
		m, err := d.Store.MailByMessageID(ctx, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && m.Role != c.role.ID {
			continue
		}
		if err != nil {
			return explained{}, err
		}
		if what, ok, err := d.numbered(ctx, c, m); ok || err != nil {
			return what, err
		}
	}
	if c.role.Kind == roleGM && c.table.Turn.State == game.Review {
		return explained{c.table.Turn.ID, c.table.Turn.Attempt}, nil
	}
	released, err := d.released(ctx, c.table)
	if err != nil {
		return explained{}, err
	}
	if len(released) == 0 {
		return explained{}, store.ErrNotFound
	}
	return explained{turn: released[len(released)-1].ID}, nil
}

// numbered says which lines a mail of ours numbers; ok is false if it has none.
func (d *Daemon) numbered(ctx context.Context, c *call, m store.Mail) (what explained, ok bool, err error) {
	switch m.Kind {
	case kindAgain:
		return explained{turn: m.Turn}, true, nil
	case kindPacket:
		text, _ := mail.TokenOfMessageID(m.MessageID, d.domain)
		k, err := d.Keys.Open(text)
		return explained{m.Turn, int(k.N)}, err == nil, nil
	case kindReport, kindBrief:
	default:
		return what, false, nil
	}
	snap, err := d.Store.SnapshotOfTurn(ctx, m.Turn)
	if err != nil {
		return what, false, err
	}
	if m.CreatedAt.After(snap.Turn.OpenedAt) {
		return explained{turn: m.Turn}, true, nil // it ended the game
	}
	released, err := d.released(ctx, c.table)
	i := slices.IndexFunc(released, func(r store.TurnRef) bool { return r.ID == m.Turn })
	if i < 0 {
		i = len(released) // it opened the turn that is not over
	}
	if err != nil || i == 0 {
		return what, false, err
	}
	return explained{turn: released[i-1].ID}, true, nil
}

// released lists the turns and phases of a game that are over, the first one
// first: all but the newest, which is so only when the game has ended.
func (d *Daemon) released(ctx context.Context, t *table) ([]store.TurnRef, error) {
	refs, err := d.Store.TurnsOf(ctx, t.Game.ID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(refs, func(r store.TurnRef) bool {
		return r.ID == t.Turn.ID && t.Turn.State != game.Released || t.veils != 0 && r.N == t.Turn.N
	}), nil
}
