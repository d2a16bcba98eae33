package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// house kinds: each script runs on every database and mail server that there is.
func onEveryHouse(t *testing.T, f func(t *testing.T, dsn func(t testing.TB, dir string) string, l *lab.Lab)) {
	databases := map[string]func(t testing.TB, dir string) string{
		"sqlite": func(_ testing.TB, dir string) string { return "sqlite:" + filepath.Join(dir, "pbemd.db") },
	}
	if os.Getenv(pgtest.Env) != "" {
		databases["postgres"] = func(t testing.TB, _ string) string { return pgtest.DSN(t) }
	}
	for name, dsn := range databases {
		t.Run(name+" post office", func(t *testing.T) {
			t.Parallel()
			f(t, dsn, nil)
		})
		if l, ok := lab.Running(t); ok {
			t.Run(name+" lab", func(t *testing.T) {
				t.Parallel()
				f(t, dsn, l)
			})
		}
	}
}

// TestScripts plays the scenarios of testdata/script with a pbemd in a process
// of its own. Beside testscript's own commands they use:
//
//	restart [-die=STEP:N] [-with=FLAG] [NAME]
//	                               runs pbemd serve
//	mortal                         the processes run from here on will die: what one was at is taken up again soon
//	kill9 [NAME]                   ends it as a power cut would
//	drain [NAME]                   ends it as an operator would, who waits for it
//	died [NAME]                    waits for the process's own death
//	clock AT|+DURATION             puts the clock forward
//	mail [-by=SENDER] [-from=PERSON] [-auth=pass|fail|none] [-id=I] [-subject=S] [-at=AT] WHO WORDS FILE
//	                               answers WHO's newest mail whose first line or Subject holds the words; - is a new letter.
//	                               SENDER (default: WHO) sends it, its From is PERSON's; AT is when the MX took it
//	inbox [-n=N] WHO WORDS [FILE]  waits until all is done; WHO must have N mails (default: any) with the words; the
//	                               newest is written to FILE (default: mail.txt)
//	settle                         waits until nothing is due
func TestScripts(t *testing.T) {
	t.Parallel()
	onEveryHouse(t, func(t *testing.T, dsn func(testing.TB, string) string, l *lab.Lab) {
		dirs := []string{"testdata/script"}
		if l != nil {
			dirs = append(dirs, "testdata/script/lab")
		}
		if strings.HasPrefix(filepath.Base(t.Name()), "sqlite") {
			dirs = append(dirs, "testdata/script/sqlite")
		}
		for _, dir := range dirs {
			testscript.Run(t, testscript.Params{
				Dir: dir,
				Setup: func(env *testscript.Env) error {
					suffix := ""
					if l != nil {
						suffix = l.User(t, "")
					}
					r, err := newRig(context.Background(), env.WorkDir, dsn(t, env.WorkDir), l, suffix)
					if err != nil {
						return err
					}
					env.Vars = append(env.Vars, r.environ()...)
					env.Values[rigKey{}] = r
					env.Defer(r.close)
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"restart": cmdRestart, "mortal": cmdMortal, "kill9": cmdKill, "drain": cmdDrain, "died": cmdDied, "clock": cmdClock, "mail": cmdMail, "inbox": cmdInbox, "settle": cmdSettle,
				},
			})
		}
	})
}

type rigKey struct{}

func rigOf(ts *testscript.TestScript) *rig { return ts.Value(rigKey{}).(*rig) }

// switches takes the leading -name=value words away.
func switches(ts *testscript.TestScript, neg, negable bool, args []string, least, most int) (map[string]string, []string) {
	if neg && !negable {
		ts.Fatalf("this command cannot be negated")
	}
	opts := map[string]string{}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		name, value, ok := strings.Cut(args[0][1:], "=")
		if !ok {
			ts.Fatalf("%s is not -name=value", args[0])
		}
		opts[name], args = value, args[1:]
	}
	if len(args) < least || len(args) > most {
		ts.Fatalf("%d words, from %d to %d are wanted", len(args), least, most)
	}
	return opts, args
}

func nameOf(args []string) string {
	if len(args) == 0 {
		return "one"
	}
	return args[0]
}

func cmdMortal(ts *testscript.TestScript, neg bool, args []string) {
	switches(ts, neg, false, args, 0, 0)
	rigOf(ts).terms = shortenedClaims
}

func cmdRestart(ts *testscript.TestScript, neg bool, args []string) {
	opts, args := switches(ts, neg, false, args, 0, 1)
	ts.Check(rigOf(ts).startFor(nameOf(args), opts["die"], 0, strings.Fields(opts["with"])...))
}

func cmdKill(ts *testscript.TestScript, neg bool, args []string) {
	_, args = switches(ts, neg, false, args, 0, 1)
	ts.Check(rigOf(ts).kill(nameOf(args)))
}

func cmdDrain(ts *testscript.TestScript, neg bool, args []string) {
	_, args = switches(ts, neg, false, args, 0, 1)
	ts.Check(rigOf(ts).stop(nameOf(args)))
}

func cmdDied(ts *testscript.TestScript, neg bool, args []string) {
	_, args = switches(ts, neg, false, args, 0, 1)
	p := rigOf(ts).procs[nameOf(args)]
	if p == nil {
		ts.Fatalf("there is no process %q", nameOf(args))
	}
	select {
	case <-p.done:
	case <-time.After(rigPatience):
		ts.Fatalf("it lives on:\n%s", p.log)
	}
}

func cmdClock(ts *testscript.TestScript, neg bool, args []string) {
	_, args = switches(ts, neg, false, args, 1, 1)
	r := rigOf(ts)
	at, err := time.Parse(time.RFC3339, args[0])
	if after, ok := strings.CutPrefix(args[0], "+"); ok {
		var d time.Duration
		d, err = time.ParseDuration(after)
		at = r.clock.now().Add(d)
	}
	ts.Check(err)
	if at.Before(r.clock.now()) {
		ts.Fatalf("the clock is past %s", args[0])
	}
	ts.Check(r.clock.set(at))
}

func cmdMail(ts *testscript.TestScript, neg bool, args []string) {
	opts, args := switches(ts, neg, false, args, 3, 3)
	r := rigOf(ts)
	a := arrival{by: opts["by"], auth: opts["auth"], id: opts["id"], subject: opts["subject"]}
	if from := opts["from"]; from != "" {
		a.from = r.address(from)
	}
	if at := opts["at"]; at != "" {
		var err error
		a.at, err = time.Parse(time.RFC3339, at)
		ts.Check(err)
	}
	r.meet(cmp.Or(a.by, args[0]))
	text := ts.ReadFile(args[2])
	if args[1] != "-" {
		ts.Check(r.unlessDead(r.answer(args[0], args[1], text, a)))
		return
	}
	to, raw := r.write(args[0], nil, text, a)
	ts.Check(r.unlessDead(r.send(args[0], to, raw)))
}

func cmdInbox(ts *testscript.TestScript, neg bool, args []string) {
	opts, args := switches(ts, neg, true, args, 2, 3)
	r := rigOf(ts)
	r.meet(args[0])
	ts.Check(r.settle())
	found, err := r.find(args[0], args[1])
	ts.Check(err)
	if neg {
		if len(found) > 0 {
			ts.Fatalf("%s has %q:\n%s", args[0], found[0].subject, found[0].text)
		}
		return
	}
	if len(found) == 0 {
		_, err := r.newest(args[0], args[1])
		ts.Fatalf("%v%s", err, r.logs())
	}
	if n := opts["n"]; n != "" && n != strconv.Itoa(len(found)) {
		ts.Fatalf("%s has %d mails %q, not %s%s", args[0], len(found), args[1], n, r.logs())
	}
	name := "mail.txt"
	if len(args) == 3 {
		name = args[2]
	}
	m := found[len(found)-1]
	ts.Check(os.WriteFile(ts.MkAbs(name), fmt.Appendf(nil, "Subject: %s\n\n%s", m.subject, m.text), 0o600))
}

func cmdSettle(ts *testscript.TestScript, neg bool, args []string) {
	switches(ts, neg, false, args, 0, 0)
	ts.Check(rigOf(ts).settle())
}
