package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/store"
)

const gameUsage = "create FILE | edit FILE [--yes] | list | show NAME | export NAME [-o DIR]"

// runGame makes, changes, shows and exports games.
func runGame(env environment, args []string) int {
	var config, out string
	var yes bool
	rest, code, done := flags(env, "game", args, func(fs *flag.FlagSet) {
		fs.StringVar(&config, "config", "", "config `file`; without it: everything embedded in pbemd-data")
		fs.StringVar(&out, "o", "", "export: the new `folder`; without it: NAME-export")
		fs.BoolVar(&yes, "yes", false, "edit: apply without asking")
	})
	if done {
		return code
	}
	words := map[string]int{"create": 2, "edit": 2, "list": 1, "show": 2, "export": 2}
	if len(rest) == 0 || words[rest[0]] != len(rest) || yes && rest[0] != "edit" || out != "" && rest[0] != "export" {
		fmt.Fprintf(env.stderr, "usage: pbemd game %s  [--config FILE]\n", gameUsage)
		return exitUsage
	}
	return inHouse(env, "game", config, func(h *House) int {
		switch rest[0] {
		case "create":
			return createGame(env, h, rest[1])
		case "edit":
			return editGame(env, h, rest[1], yes)
		case "list":
			return listGames(env, h)
		case "export":
			return exportGame(env, h, rest[1], cmp.Or(out, rest[1]+"-export"))
		}
		return showGame(env, h, rest[1])
	})
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
		if err := tellSeat(env, h, r); err != nil {
			return fail(env, err)
		}
	}
	fmt.Fprintln(env.stdout, "everybody gets his opening mail as soon as pbemd serve runs")
	return exitDone
}

// tellSeat prints a person of a game; at the embedded post office he gets an
// account.
func tellSeat(env environment, h *House, r store.Role) error {
	password, ours, err := h.AddAccount(r.Address)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "  %-6s %s <%s>", r.Kind, r.Name, r.Address)
	if ours {
		fmt.Fprintf(env.stdout, "  password at the post office: %s", password)
	}
	fmt.Fprintln(env.stdout)
	return nil
}

// editGame shows what a changed game file would change, and stores it if it is
// wanted.
func editGame(env environment, h *House, path string, yes bool) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return fail(env, fmt.Errorf("reading the game file: %w", err))
	}
	e, faults, err := h.Daemon.PlanEdit(env.ctx, path, text)
	switch {
	case len(faults) > 0:
		for _, f := range faults {
			fmt.Fprintln(env.stderr, f.Error())
		}
		fmt.Fprintf(env.stderr, "pbemd: nothing was changed; faults in the game file: %d\n", len(faults))
		return exitError
	case errors.Is(err, store.ErrNotFound):
		return fail(env, errors.New("there is no game with the name that stands in this file: a name cannot be changed; pbemd game list shows all, pbemd game create makes a new one"))
	case errors.Is(err, daemon.ErrEnded):
		return fail(env, fmt.Errorf("%w; its file is history and cannot be changed", err))
	case err != nil:
		return fail(env, err)
	}
	if e.File == e.Game.File {
		fmt.Fprintf(env.stdout, "the file of game %s is stored as it is here; nothing changes\n", e.Game.Name)
		return exitDone
	}
	env.stdout.Write(diff.Diff(e.Game.Name+" as stored", []byte(e.Game.File), path, []byte(e.File)))
	fmt.Fprintln(env.stdout, "\nFor the running game this means:")
	for _, c := range e.Changes {
		fmt.Fprintln(env.stdout, "  -", c)
	}
	if len(e.Changes) == 0 {
		fmt.Fprintln(env.stdout, "  - Nothing: only comments, order or spelling of the file are other ones.")
	}
	if !yes && !agreed(env, "apply? [y/N] ") {
		fmt.Fprintln(env.stdout, "nothing was changed")
		return exitError
	}
	err = h.Daemon.ApplyEdit(env.ctx, e)
	if errors.Is(err, store.ErrOtherFile) {
		return fail(env, errors.New("somebody else changed the game file meanwhile, or the game ended; nothing was changed: look at the difference again"))
	}
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "game %s is changed\n", e.Game.Name)
	snap, err := h.Store.Snapshot(env.ctx, e.Game.ID)
	if err != nil {
		return fail(env, err)
	}
	for _, r := range snap.Roles {
		if slices.Contains(e.Moved, r.Address) {
			if err := tellSeat(env, h, r); err != nil {
				return fail(env, err)
			}
		}
	}
	return exitDone
}

// agreed asks on standard input; only y and yes are consent.
func agreed(env environment, question string) bool {
	fmt.Fprint(env.stdout, question)
	line, _ := bufio.NewReader(env.stdin).ReadString('\n')
	fmt.Fprintln(env.stdout)
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}

// exportIndex is index.json of an export.
type exportIndex struct {
	Format int          `json:"format"`
	Game   string       `json:"game"`
	Note   string       `json:"note"`
	Files  []exportFile `json:"files"`
}

type exportFile struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// exportGame writes everything of a game into a new folder.
func exportGame(env environment, h *House, name, dir string) int {
	g, err := h.Store.GameByName(env.ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return fail(env, fmt.Errorf("there is no game %q; pbemd game list shows all", name))
	}
	if err != nil {
		return fail(env, err)
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return fail(env, fmt.Errorf("%s is not empty: name a new folder with -o", dir))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(env, err)
	}
	index := exportIndex{Format: 1, Game: g.Name, Note: daemon.ExportNote}
	write := func(path string, data []byte) error {
		sum := sha256.Sum256(data)
		index.Files = append(index.Files, exportFile{path, len(data), hex.EncodeToString(sum[:])})
		return writeNew(filepath.Join(dir, filepath.FromSlash(path)), data)
	}
	if err := h.Daemon.Export(env.ctx, g.ID, write); err != nil {
		return fail(env, fmt.Errorf("%w (what is in %s is not complete)", err, dir))
	}
	files := len(index.Files)
	slices.SortFunc(index.Files, func(a, b exportFile) int { return strings.Compare(a.Path, b.Path) })
	b, err := json.MarshalIndent(index, "", "  ")
	if err == nil {
		err = writeNew(filepath.Join(dir, "index.json"), append(b, '\n'))
	}
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "game %s is in %s: %d files, and their hashes in index.json\n", g.Name, dir, files)
	return exitDone
}

// writeNew writes a file that must not exist, with its folder.
func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("making the file: %w", err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
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
