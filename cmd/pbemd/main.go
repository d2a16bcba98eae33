// Command pbemd adjudicates role-playing combat by email. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // zones of players, also on machines without them
)

// Exit codes of every command.
const (
	exitDone  = 0
	exitError = 1 // the request failed; standard error says what to do
	exitUsage = 2 // wrong usage
)

// subcommand is one row of the command line.
type subcommand struct {
	name, args, help string
	run              func(env environment, args []string) int
}

// environment is what a command gets of the outside world.
type environment struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	tune           func(*House) // optional: changes a House before it is opened
}

func subcommands() []subcommand {
	pure := func(f func([]string, io.Reader, io.Writer, io.Writer) int) func(environment, []string) int {
		return func(e environment, args []string) int { return f(args, e.stdin, e.stdout, e.stderr) }
	}
	return []subcommand{
		{"demo", "[--once] [--game FILE]", "play a sample game by real mail, in one process", runDemo},
		{"serve", "[--config FILE] [--reread]", "the daemon; without a config: SQLite and the post office in a data folder", runServe},
		{"game", gameUsage, "make, change, see and archive games", runGame},
		{"forget", "ADDRESS [--running] [--yes] [--config FILE]", "erase a person: letters, texts, mails, name and address", runForget},
		{"parse", "--scene FILE --actor ID… [--json]", "orders on standard input -> the plan as understood", pure(runParse)},
		{"rules", "[SYSTEM] [--scenario FILE [--as ID ...]] [--html FILE]", "how a game system is ordered, in the words of a character", runRules},
		{"adjudicate", "FILE [--json]", "a scenario file -> its events: the what-if of a GM", pure(runAdjudicate)},
		{"letter", "FILE… [--us ADDRESS] [--sent FILE] [--json]", "how a letter would be read", runLetter},
		{"letters", lettersUsage + " [--config FILE]", "what became of each letter, and why; requeue lets one be read again", runLetters},
		{"replay", "GAME [TURN] [--config FILE]", "recompute the stored turns and say what differs; changes nothing", runReplay},
		{"verify", "FILE…", "check the dice of mails that pbemd sent", runVerify},
		{"migrate", "[--config FILE]", "bring the database to this version's schema", runMigrate},
		{"doctor", "[--config FILE] [--health]", "connect to everything, and say what is right, what is wrong, and what to do", runDoctor},
		{"check-config", "[--config FILE]", "say what is wrong with a config", runCheckConfig},
		{"version", "", "print the version", runVersion},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(environment{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// run carries out one command line.
func run(env environment, args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(env.stdout)
		if len(args) == 0 {
			return exitUsage
		}
		return exitDone
	}
	for _, c := range subcommands() {
		if c.name == args[0] {
			return c.run(env, args[1:])
		}
	}
	fmt.Fprintf(env.stderr, "pbemd: there is no command %q; pbemd help lists them\n", args[0])
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "pbemd adjudicates role-playing combat by email.\n\nUsage:")
	for _, c := range subcommands() {
		fmt.Fprintf(w, "  pbemd %s %s\n        %s\n", c.name, c.args, c.help)
	}
}

// flags parses a command's flags; done is true when it should end with code.
func flags(env environment, name string, args []string, define func(*flag.FlagSet)) (rest []string, code int, done bool) {
	fs := flag.NewFlagSet("pbemd "+name, flag.ContinueOnError)
	fs.SetOutput(env.stderr)
	define(fs)
	// Flags may stand behind the words they belong to.
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, exitDone, true
			}
			return nil, exitUsage, true
		}
		if fs.NArg() == 0 {
			return rest, 0, false
		}
		rest, args = append(rest, fs.Arg(0)), fs.Args()[1:]
	}
}

// fail prints an error and what to do; it returns exitError.
func fail(env environment, err error) int {
	fmt.Fprintf(env.stderr, "pbemd: %v\n", err)
	return exitError
}

func runVersion(env environment, args []string) int {
	if len(args) > 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd version")
		return exitUsage
	}
	fmt.Fprintln(env.stdout, "pbemd", build())
	return exitDone
}

// build names the version of this program: of the module, else of the commit.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	if revision != "" {
		version += " " + revision + dirty
	}
	return version
}
