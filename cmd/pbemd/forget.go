package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/store"
)

// runForget erases a person: it shows first what is known of the address.
func runForget(env environment, args []string) int {
	var config string
	var yes, running bool
	rest, code, done := flags(env, "forget", args, func(fs *flag.FlagSet) {
		fs.StringVar(&config, "config", "", "config `file`; without it: everything embedded in pbemd-data")
		fs.BoolVar(&yes, "yes", false, "go on without asking")
		fs.BoolVar(&running, "running", false, "go on although the person has a part in a running game")
	})
	if done {
		return code
	}
	if len(rest) != 1 {
		fmt.Fprintln(env.stderr, "usage: pbemd forget ADDRESS [--running] [--yes] [--config FILE]")
		return exitUsage
	}
	return inHouse(env, "forget", config, func(h *House) int { return forget(env, h, rest[0], yes, running) })
}

func forget(env environment, h *House, address string, yes, running bool) int {
	addr, tr, err := h.Daemon.TracesOf(env.ctx, address)
	if errors.Is(err, daemon.ErrOurs) {
		return fail(env, fmt.Errorf("%w; name another one in the config first (mail.address, operator)", err))
	}
	if err != nil {
		return fail(env, err)
	}
	showTraces(env.stdout, addr, tr)
	if len(tr.Running()) > 0 && !running {
		return fail(env, errors.New("the person plays in a game that runs. Give the part to somebody else first (pbemd game edit: another name and address for the same id), or go on with --running"))
	}
	if !yes && !agreed(env, "This cannot be taken back. Forget it? [y/N] ") {
		fmt.Fprintln(env.stdout, "nothing was changed")
		return exitError
	}
	blanked, err := h.Daemon.Forget(env.ctx, addr, running)
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "blanked: %d letters, %d texts of orders, %d mails, and %d letters and mails of others that told the address\n",
		blanked.Letters, blanked.Texts, blanked.Mails, blanked.Others)
	return afterForgetting(env, h, addr)
}

// showTraces says what is known of an address and what becomes of it.
func showTraces(w io.Writer, addr string, tr store.Traces) {
	if tr.None() {
		fmt.Fprintf(w, "nothing is stored under %s; others may still have told it in letters and mails\n", addr)
		return
	}
	fmt.Fprintf(w, "stored of %s, and to be blanked:\n", addr)
	for _, l := range []struct {
		n    int
		what string
	}{
		{tr.Letters, "letters"}, {tr.Held, "of them are held and will never count"}, {tr.Texts, "texts of orders; the plans made of them stay, for the turns are recomputed from them"},
		{tr.Mails, "mails to the person"}, {tr.Unsent, "of them are not sent yet and never will be"},
	} {
		if l.n > 0 {
			fmt.Fprintf(w, "  %d %s\n", l.n, l.what)
		}
	}
	for _, r := range tr.Roles {
		state := "which runs"
		if r.Ended {
			state = "which has ended"
		}
		fmt.Fprintf(w, "  name and address as %s %s of game %s, %s; the part and its id stay, as %s\n", r.Kind, r.Key, r.GameName, state, tr.StandIn)
	}
	for _, r := range tr.Running() {
		if r.Kind == "gm" {
			fmt.Fprintf(w, "  game %s: without its GM no turn is released any more, until pbemd game edit names another\n", r.GameName)
			continue
		}
		fmt.Fprintf(w, "  game %s: orders in force stay; later the characters of %s do what silence does, a turn ends at its deadline and not by READY, and mail to the part is refused, until pbemd game edit gives it to somebody\n", r.GameName, r.Key)
	}
	for _, g := range tr.Games {
		fmt.Fprintf(w, "  the address in the file of game %s\n", g.Name)
	}
}

// afterForgetting cleans the database's files, says what still holds the
// address, and what no command can reach.
func afterForgetting(env environment, h *House, addr string) int {
	code := exitDone
	scrubbed := h.Store.Scrub(env.ctx)
	found, err := h.Store.Find(env.ctx, addr)
	if err != nil {
		return fail(env, err)
	}
	if len(found) == 0 {
		fmt.Fprintln(env.stdout, "the database was searched: the address stands nowhere in it any more")
	}
	for _, f := range found {
		code = exitError
		fmt.Fprintf(env.stdout, "still there: %s.%s, %d rows: %s\n", f.Table, f.Column, f.Rows, stillThere(f))
	}
	sqlite := strings.HasPrefix(h.Config.Database.URL, "sqlite:")
	switch {
	case scrubbed != nil:
		code = exitError
		fmt.Fprintf(env.stderr, "pbemd: %v\n  What was blanked may still be in the unused parts of the database's files. Run the same command again when less is going on.\n", scrubbed)
	case sqlite:
		fmt.Fprintln(env.stdout, "the database file was written anew, without what was blanked")
	default:
		fmt.Fprintln(env.stdout, "PostgreSQL was told to give the old rows free; its log (WAL) keeps them until it is recycled")
	}
	fmt.Fprintf(env.stdout, `Not reached, and yours to see to:
  - backups, log archives and exports (pbemd game export) made before
  - the folders Processed and Quarantine of our mailbox: delete there what is FROM or TO %[1]s,
    with doveadm: doveadm expunge -u ACCOUNT mailbox Processed FROM %[1]s
  - the log of pbemd and of the mail servers
  - mail that was delivered, to this person and to others
  - what the characters did and said in past turns, and the GM's rulings: it is the games' history
  - the name, and words that others quoted, in the stored letters of others and mails to them; the address is gone there
`, addr)
	if h.Config.embedded() {
		fmt.Fprintf(env.stdout, "  - the embedded post office: letters in %s, the account in %s\n", filepath.Join(h.Config.Data, "spool"), h.accountsFile())
	}
	fmt.Fprintln(env.stdout, "A letter that comes from the address from now on is a stranger's, and is kept.")
	return code
}

// stillThere explains why a column still holds a forgotten address.
func stillThere(f store.Found) string {
	switch f.Table + "." + f.Column {
	case "letter.raw", "outbox.bytes", "outbox.text", "outbox.subject", "outbox.carry", "outbox.address":
		return "others' letters that are not read yet, or mails that are not sent yet; run the same command again later"
	case "revision.message_id":
		return "the dice of the open turn are bound to it; run the same command again when the turn is over"
	case "river_job.errors":
		return "the work queue drops it within a week"
	}
	return "part of what happened in a game, from which its turns are recomputed"
}
