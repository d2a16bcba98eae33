package main

import (
	"flag"
	"fmt"
)

// house reads the config that --config names and opens a House with it.
func house(env environment, name string, args []string, serving bool) (*House, []string, int, bool) {
	var path string
	var reread bool
	rest, code, done := flags(env, name, args, func(fs *flag.FlagSet) {
		fs.StringVar(&path, "config", "", "config `file`; without it: everything embedded in pbemd-data")
		if serving {
			fs.BoolVar(&reread, "reread", false, "read every letter of the mailbox again first: once, after the database was restored from a backup")
		}
	})
	if done {
		return nil, nil, code, true
	}
	c, err := ReadConfig(path)
	if err != nil {
		return nil, nil, fail(env, fmt.Errorf("the config is not right:\n%w", err)), true
	}
	if !serving {
		c.Log.Level = "warn"
	}
	h := &House{Config: c, Log: newLog(c.Log, env.stderr), Reread: reread}
	if env.tune != nil {
		env.tune(h)
	}
	return h, rest, 0, false
}

// inHouse opens a house for a command that has read its own flags, and has it do
// its work there.
func inHouse(env environment, name, config string, work func(h *House) int) int {
	h, _, code, done := house(env, name, []string{"--config=" + config}, false)
	if done {
		return code
	}
	defer h.Close()
	if err := h.Open(env.ctx); err != nil {
		return fail(env, err)
	}
	return work(h)
}

// runServe is the daemon. SIGTERM and SIGINT drain it.
func runServe(env environment, args []string) int {
	h, rest, code, done := house(env, "serve", args, true)
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd serve [--config FILE] [--reread]")
		return exitUsage
	}
	err := h.Open(env.ctx)
	if err == nil {
		err = h.Serve(env.ctx)
	}
	if err != nil {
		h.Close()
		return fail(env, err)
	}
	h.Log.Info("serving", "address", h.Config.Mail.Address, "version", build())
	if h.Post != nil {
		fmt.Fprintf(env.stdout, "pbemd serves %s (SMTP %s, IMAP %s, accounts in %s)\n",
			h.Config.Mail.Address, h.Post.SMTPAddr(), h.Post.IMAPAddr(), h.accountsFile())
	} else {
		fmt.Fprintf(env.stdout, "pbemd serves %s\n", h.Config.Mail.Address)
	}
	<-env.ctx.Done()
	h.Log.Info("draining")
	if err := h.Close(); err != nil {
		return fail(env, err)
	}
	h.Log.Info("stopped")
	return exitDone
}

// runMigrate brings the database up to date; it may be run while others serve.
func runMigrate(env environment, args []string) int {
	h, rest, code, done := house(env, "migrate", args, false)
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd migrate [--config FILE]")
		return exitUsage
	}
	if err := h.migrate(env); err != nil {
		return fail(env, err)
	}
	fmt.Fprintln(env.stdout, "the database is up to date")
	return exitDone
}

func (h *House) migrate(env environment) error {
	if err := makeFolder(h.Config.Data); err != nil {
		return err
	}
	st, err := h.openStore(env.ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	return st.Migrate(env.ctx)
}

func runCheckConfig(env environment, args []string) int {
	h, rest, code, done := house(env, "check-config", args, false)
	if done {
		return code
	}
	if len(rest) > 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd check-config [--config FILE]")
		return exitUsage
	}
	where := "your own mail server (" + h.Config.Mail.Address + ")"
	if h.Config.embedded() {
		where = "the embedded post office (" + h.Config.Mail.Address + ")"
	}
	fmt.Fprintf(env.stdout, "the config reads right: mail through %s, database %s; no connection was tried\n", where, databaseKind(h.Config.Database.URL))
	return exitDone
}
