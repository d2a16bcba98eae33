package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pbemd/pbemd/internal/daemon"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

const lettersUsage = "list [--game NAME] [--from ADDRESS] [--end WORD] [--limit N] | show ID | why ID | requeue ID [--json]"

// dispositions are the words of --end: how a letter may have ended.
var dispositions = []string{store.Acted, store.Answered, store.Held, store.Ignored, store.Duplicate, store.Quarantined, store.Poison, store.Late}

// lettersFlags choose letters and how they are shown.
type lettersFlags struct {
	config, game, from, end string
	limit                   int
	json                    bool
}

// runLetters tells an operator what became of each letter, and lets one be read
// again.
func runLetters(env environment, args []string) int {
	var o lettersFlags
	rest, code, done := flags(env, "letters", args, func(fs *flag.FlagSet) {
		fs.StringVar(&o.config, "config", "", "config `file`; without it: everything embedded in pbemd-data")
		fs.StringVar(&o.game, "game", "", "list: letters of this `game`")
		fs.StringVar(&o.from, "from", "", "list: letters from this `address`")
		fs.StringVar(&o.end, "end", "", "list: letters that ended so: "+strings.Join(dispositions, ", "))
		fs.IntVar(&o.limit, "limit", 50, "list: at most so many, the newest first")
		fs.BoolVar(&o.json, "json", false, "one JSON object a line")
	})
	if done {
		return code
	}
	if len(rest) == 0 {
		rest = []string{"list"}
	}
	id, ok := int64(0), rest[0] == "list" && len(rest) == 1
	if (rest[0] == "show" || rest[0] == "why" || rest[0] == "requeue") && len(rest) == 2 {
		n, err := strconv.ParseInt(rest[1], 10, 64)
		id, ok = n, err == nil && n > 0
	}
	if o.end != "" && !slices.Contains(dispositions, o.end) {
		fmt.Fprintf(env.stderr, "no letter ends %q; --end takes one of %s\n", o.end, strings.Join(dispositions, ", "))
		return exitUsage
	}
	if !ok || o.limit < 1 {
		fmt.Fprintf(env.stderr, "usage: pbemd letters %s  [--config FILE]\n", lettersUsage)
		return exitUsage
	}
	return inHouse(env, "letters", o.config, func(h *House) int {
		switch rest[0] {
		case "list":
			return listLetters(env, h, o)
		case "requeue":
			return requeueLetter(env, h, id)
		}
		return explainLetter(env, h, id, rest[0] == "show", o.json)
	})
}

// explainLetter tells what is known of a letter; whole: with its text.
func explainLetter(env environment, h *House, id int64, whole, asJSON bool) int {
	x, err := h.Daemon.Explain(env.ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return fail(env, fmt.Errorf("there is no letter %d; pbemd letters list shows the newest", id))
	}
	if err != nil {
		return fail(env, err)
	}
	f := factsOf(x)
	if asJSON {
		return printJSON(env, f)
	}
	f.printWhy(env.stdout)
	if whole {
		f.printText(env.stdout)
	}
	return exitDone
}

// letterFacts is what is known of a stored letter: the JSON of pbemd letters.
// Where it was read again, it has all that pbemd letter says of a file.
type letterFacts struct {
	Letter      int64     `json:"letter"`
	ReceivedAt  time.Time `json:"received_at"`
	Disposition string    `json:"disposition"` // empty: not read yet
	End         string    `json:"end"`         // why it ended so
	Tries       int       `json:"tries"`
	Game        string    `json:"game"`
	Role        string    `json:"role"`
	Token       string    `json:"token,omitempty"`
	Address     string    `json:"address,omitempty"`
	May         []may     `json:"may,omitempty"`
	letterReading
}

type may struct {
	Act    string `json:"act"`
	Answer string `json:"answer"`
}

func factsOf(x daemon.Explained) letterFacts {
	f := letterFacts{
		Letter: x.Row.ID, ReceivedAt: x.Row.ReceivedAt.UTC(), Disposition: x.Row.Disposition, End: x.Row.Why, Tries: x.Row.Tries,
		Game: x.Role.GameName, Token: x.Token, Address: x.Address, letterReading: readingOf("", x.Letter, x.Zones),
	}
	if x.Role.ID != 0 {
		f.Role = x.Role.Kind + " " + x.Role.Name
	}
	for _, m := range x.May {
		f.May = append(f.May, may(m))
	}
	return f
}

func (f letterFacts) printWhy(w io.Writer) {
	fmt.Fprintf(w, "letter %d, received %s, from %s\n", f.Letter, f.ReceivedAt.Format(time.RFC3339), nobody(f.From))
	fmt.Fprintf(w, "  Subject     %s\n", cmp.Or(shortSubject(f.Subject), "(none)"))
	fmt.Fprintf(w, "  ended       %s\n", ended(f.Disposition, f.End))
	if f.Tries > 1 {
		fmt.Fprintf(w, "  begun       %d times\n", f.Tries)
	}
	kind := string(f.Kind)
	if f.Why != "" {
		kind += ": " + f.Why
	}
	fmt.Fprintf(w, "  kind        %s\n", kind)
	fmt.Fprintf(w, "  sender      %s: %s\n", f.Auth, f.AuthWhy)
	if f.Role == "" {
		fmt.Fprintln(w, "  belongs to  nobody that is known")
		return
	}
	fmt.Fprintf(w, "  belongs to  %s of game %s; the sender's address is %s, the answer address %s\n", f.Role, f.Game,
		map[string]string{"registered": "the registered one", "other": "another one"}[f.Address],
		map[string]string{"valid": "is good", "old": "was good once", "none": "has no token of ours"}[f.Token])
	for _, m := range f.May {
		fmt.Fprintf(w, "  from here   %s %s\n", m.Act, m.Answer)
	}
}

// ended tells how and why a letter ended, and no word of it twice.
func ended(disposition, why string) string {
	switch {
	case disposition == "":
		return "not read yet"
	case strings.HasPrefix(why, disposition):
		return why
	}
	return disposition + ": " + why
}

// maxShown is how much of a Subject is printed, in characters.
const maxShown = 120

func shortSubject(subject string) string {
	if r := []rune(subject); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return subject
}

func nobody(from string) string {
	if from == "" {
		return "nobody that can be read"
	}
	return from
}

// listLetters prints the newest letters.
func listLetters(env environment, h *House, o lettersFlags) int {
	filter := store.LetterFilter{Disposition: o.end, Limit: o.limit}
	games, err := h.Store.Games(env.ctx, true)
	if err != nil {
		return fail(env, err)
	}
	names := map[int64]string{}
	for _, g := range games {
		names[g.ID] = g.Name
		if strings.EqualFold(g.Name, o.game) {
			filter.Game = g.ID
		}
	}
	if o.game != "" && filter.Game == 0 {
		return fail(env, fmt.Errorf("there is no game %q; pbemd game list shows all", o.game))
	}
	if o.from != "" {
		if filter.From, err = mail.NormalizeAddress(o.from); err != nil {
			return fail(env, fmt.Errorf("--from: %w", err))
		}
	}
	letters, err := h.Store.Letters(env.ctx, filter)
	if err != nil {
		return fail(env, err)
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	if !o.json && len(letters) > 0 {
		fmt.Fprintln(w, "LETTER\tRECEIVED\tFROM\tGAME\tEND\tWHY")
	}
	for _, l := range letters {
		if o.json {
			if code := printJSON(env, rowFacts{l.ID, l.ReceivedAt.UTC(), l.From, names[l.Game], l.Disposition, l.Why}); code != exitDone {
				return code
			}
			continue
		}
		end := l.Disposition
		if end == "" {
			end = "-"
		}
		why := strings.TrimPrefix(strings.TrimPrefix(l.Why, end), ": ") // END says it
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.ReceivedAt.UTC().Format("2006-01-02 15:04"), l.From, names[l.Game], end, strings.TrimSpace(why))
	}
	if err := w.Flush(); err != nil {
		return fail(env, err)
	}
	if len(letters) == 0 && !o.json {
		fmt.Fprintln(env.stdout, "no letters")
	}
	return exitDone
}

// rowFacts is a line of the list.
type rowFacts struct {
	Letter      int64     `json:"letter"`
	ReceivedAt  time.Time `json:"received_at"`
	From        string    `json:"from"`
	Game        string    `json:"game"`
	Disposition string    `json:"disposition"`
	End         string    `json:"end"`
}

func requeueLetter(env environment, h *House, id int64) int {
	l, err := h.Store.LetterByID(env.ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return fail(env, fmt.Errorf("there is no letter %d; pbemd letters list shows the newest", id))
	}
	if err != nil {
		return fail(env, err)
	}
	err = h.Store.Requeue(env.ctx, id)
	if errors.Is(err, store.ErrChanged) {
		return fail(env, fmt.Errorf("letter %d is not read again: %s", id, whyNotAgain(l)))
	}
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "letter %d was %s\nit is read again as soon as pbemd serve runs, and counts by when it was received; pbemd letters why %[1]d tells what became of it\n",
		id, ended(l.Disposition, l.Why))
	return exitDone
}

// whyNotAgain says why a letter keeps its end.
func whyNotAgain(l store.Letter) string {
	switch {
	case l.Disposition == "":
		return "it waits to be read anyway"
	case l.Disposition == store.Held:
		return "it waits for a CONFIRM of the one whose name it bears"
	case l.Disposition == store.Acted:
		return "it changed something, and would do so twice"
	case l.Disposition == store.Duplicate, l.Disposition == store.Late:
		return "it is " + ended(l.Disposition, l.Why)
	case len(l.Raw) == 0:
		return "its text was erased"
	case l.Tries == 0:
		return "it was never stored whole; look for it in the mailbox's folder Quarantine"
	}
	return "it was held before, and its time is over"
}

func printJSON(env environment, v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return fail(env, err)
	}
	fmt.Fprintf(env.stdout, "%s\n", b)
	return exitDone
}
