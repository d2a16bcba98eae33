package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/store"
)

// runReplay recomputes what is stored of a game and compares.
func runReplay(env environment, args []string) int {
	h, rest, code, done := house(env, "replay", args, false)
	if done {
		return code
	}
	turn := 0
	if len(rest) == 2 {
		n, err := strconv.Atoi(rest[1])
		if err != nil || n < 1 {
			rest = nil
		}
		turn = n
	}
	if len(rest) < 1 || len(rest) > 2 {
		fmt.Fprintln(env.stderr, "usage: pbemd replay GAME [TURN] [--config FILE]   (TURN is a number from 1)")
		return exitUsage
	}
	if err := h.Open(env.ctx); err != nil {
		h.Close()
		return fail(env, err)
	}
	defer h.Close()
	return replay(env, h, rest[0], turn)
}

func replay(env environment, h *House, name string, turn int) int {
	g, err := h.Store.GameByName(env.ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return fail(env, fmt.Errorf("there is no game %q; pbemd game list shows all", name))
	}
	if err != nil {
		return fail(env, err)
	}
	var attempts, other, wrong int
	err = h.Daemon.Replay(env.ctx, g.ID, turn, func(r daemon.Replayed) error {
		if r.Attempt > 0 && !r.Stuck {
			attempts++
			if r.Other != "" {
				other++
			}
		}
		if !r.Same() {
			wrong++
		}
		return showReplayed(env.stdout, r)
	})
	if errors.Is(err, store.ErrNotFound) {
		s, err := h.Store.Snapshot(env.ctx, g.ID)
		if err != nil {
			return fail(env, err)
		}
		return fail(env, fmt.Errorf("game %s has no turn %d; its last is turn %d", g.Name, turn, s.Turn.N))
	}
	if err != nil {
		return fail(env, err)
	}
	rules := ""
	if other > 0 {
		rules = fmt.Sprintf("; %d of them were drafted under other rules", other)
	}
	fmt.Fprintf(env.stdout, "%d attempts recomputed%s\n", attempts, rules)
	if wrong > 0 {
		return fail(env, fmt.Errorf("%d of these lines differ from what is stored", wrong))
	}
	return exitDone
}

// showReplayed prints one result: a line, and below it what differs.
func showReplayed(w io.Writer, r daemon.Replayed) error {
	where := fmt.Sprintf("turn %d", r.Turn)
	if r.Phase > 0 {
		where += fmt.Sprintf(" part %d", r.Phase+1)
	}
	verdict := "world and lock follow from the turn before"
	if r.Attempt > 0 {
		where += fmt.Sprintf(" attempt %d", r.Attempt)
		if r.Released {
			where += " (released)"
		}
		verdict = fmt.Sprintf("same bytes, %d events", r.Events)
	}
	switch {
	case r.Stuck && len(r.Faults) == 0:
		verdict = fmt.Sprintf("stuck, but now it comes to its end, %d events: REOPEN by the GM lets it go on", r.Events)
	case r.Stuck:
		verdict = "stuck"
	case r.Difference != nil:
		verdict = "differs"
	case len(r.Faults) > 0:
		verdict = "broken"
	case r.Other != "":
		verdict = fmt.Sprintf("the same %d events and world", r.Events)
	}
	if r.Other != "" {
		verdict += ", drafted under " + r.Other
	}
	if _, err := fmt.Fprintf(w, "%-34s %s\n", where, verdict); err != nil {
		return err
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "  %s\n", f)
	}
	if d := r.Difference; d != nil {
		first := "  the events are the same; first is " + d.What
		if d.Ref != "" {
			first = fmt.Sprintf("  first is event %s, %s", d.Ref, d.What)
		}
		fmt.Fprintf(w, "%s\n    was %s\n    is  %s\n", first, d.Was, d.Is)
	}
	return nil
}
