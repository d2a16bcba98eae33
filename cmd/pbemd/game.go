package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/pbemd/pbemd/internal/store"
)

// runGame is game create FILE, list, show NAME.
func runGame(env environment, args []string) int {
	h, rest, code, done := house(env, "game", args, false)
	if done {
		return code
	}
	ok := len(rest) == 1 && rest[0] == "list" || len(rest) == 2 && (rest[0] == "create" || rest[0] == "show")
	if !ok {
		fmt.Fprintln(env.stderr, "usage: pbemd game create FILE | list | show NAME  [--config FILE]")
		return exitUsage
	}
	if err := h.Open(env.ctx); err != nil {
		h.Close()
		return fail(env, err)
	}
	defer h.Close()
	switch rest[0] {
	case "create":
		return createGame(env, h, rest[1])
	case "list":
		return listGames(env, h)
	}
	return showGame(env, h, rest[1])
}

func createGame(env environment, h *House, path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return fail(env, fmt.Errorf("reading the game file: %w", err))
	}
	g, faults, err := h.Daemon.CreateGame(env.ctx, path, text)
	switch {
	case len(faults) > 0:
		for _, f := range faults {
			fmt.Fprintln(env.stderr, f.Error())
		}
		fmt.Fprintf(env.stderr, "pbemd: nothing was created; faults in the game file: %d\n", len(faults))
		return exitError
	case errors.Is(err, store.ErrTaken):
		return fail(env, fmt.Errorf("a game with that name exists already; pbemd game list shows all"))
	case err != nil:
		return fail(env, err)
	}
	snap, err := h.Store.Snapshot(env.ctx, g.ID)
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "game %s is made; turn 1 closes at %s\n", g.Name, snap.Turn.DeadlineAt.UTC().Format("2006-01-02 15:04 UTC"))
	for _, r := range snap.Roles {
		fmt.Fprintf(env.stdout, "  %-6s %s <%s>", r.Kind, r.Name, r.Address)
		password, ours, err := h.AddAccount(r.Address)
		switch {
		case err != nil:
			return fail(env, err)
		case ours:
			fmt.Fprintf(env.stdout, "  password at the post office: %s", password)
		}
		fmt.Fprintln(env.stdout)
	}
	fmt.Fprintln(env.stdout, "everybody gets his opening mail as soon as pbemd serve runs")
	return exitDone
}

func listGames(env environment, h *House) int {
	games, err := h.Store.Games(env.ctx, true)
	if err != nil {
		return fail(env, err)
	}
	if len(games) == 0 {
		fmt.Fprintf(env.stdout, "there is no game yet in %s; pbemd game create FILE makes one\n", databaseKind(h.Config.Database.URL))
		return exitDone
	}
	w := tabwriter.NewWriter(env.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "GAME\tSYSTEM\tTURN\tSTATE\tDEADLINE\tTITLE")
	for _, g := range games {
		s, err := h.Store.Snapshot(env.ctx, g.ID)
		if err != nil {
			return fail(env, err)
		}
		state := string(s.Turn.State)
		switch {
		case !g.EndedAt.IsZero():
			state = "ended"
		case !s.Turn.PausedAt.IsZero() || !g.PausedAt.IsZero():
			state += ", paused"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", g.Name, g.System, s.Turn.N, state, s.Turn.DeadlineAt.UTC().Format("2006-01-02 15:04 UTC"), g.Title)
	}
	w.Flush()
	return exitDone
}

func showGame(env environment, h *House, name string) int {
	g, err := h.Store.GameByName(env.ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return fail(env, fmt.Errorf("there is no game %q; pbemd game list shows all", name))
	}
	if err != nil {
		return fail(env, err)
	}
	text, err := h.Daemon.Show(env.ctx, g.ID)
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprint(env.stdout, text)
	return exitDone
}

func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	return nil
}

func databaseKind(url string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return url
	}
	return "PostgreSQL"
}
