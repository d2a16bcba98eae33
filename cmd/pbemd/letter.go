package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/parse"
)

// letterReading is how a letter would be read: the JSON of pbemd letter.
type letterReading struct {
	File     string         `json:"file"`
	From     string         `json:"from"`
	Kind     mail.Kind      `json:"kind"`
	Why      string         `json:"why"`
	New      []string       `json:"new"`
	Form     []string       `json:"form"`
	Tail     int            `json:"tail"`
	Quoted   int            `json:"quoted"`
	Problems []game.Problem `json:"problems"`

	Subject     string       `json:"subject"`
	MessageID   string       `json:"message_id"`
	Auth        string       `json:"auth"` // verified, failed or none
	AuthWhy     string       `json:"auth_why"`
	Attachments []attachment `json:"attachments"`
	Bounce      *bounce      `json:"bounce,omitempty"`
}

type attachment struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int    `json:"size"`
}

type bounce struct {
	Action string `json:"action"`
	Status string `json:"status"`
	Said   string `json:"said"`
}

// fileList collects the values of a flag that may be given several times.
type fileList []string

func (f *fileList) String() string     { return strings.Join(*f, ", ") }
func (f *fileList) Set(s string) error { *f = append(*f, s); return nil }

// runLetter tells how letters would be read, without storing or answering them.
func runLetter(env environment, args []string) int {
	var us, sent fileList
	var asJSON bool
	files, code, done := flags(env, "letter", args, func(fs *flag.FlagSet) {
		fs.Var(&us, "us", "an `address` of ours; may be given several times")
		fs.Var(&sent, "sent", "`file` with the text of a mail that we sent; may be given several times")
		fs.BoolVar(&asJSON, "json", false, "one JSON object a line")
	})
	if done {
		return code
	}
	if len(files) == 0 {
		fmt.Fprintln(env.stderr, "usage: pbemd letter FILE… [--us ADDRESS] [--sent FILE] [--json]")
		return exitUsage
	}
	var texts []string
	for _, f := range sent {
		b, err := os.ReadFile(f)
		if err != nil {
			return fail(env, fmt.Errorf("reading what was sent: %w", err))
		}
		texts = append(texts, string(b))
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return fail(env, fmt.Errorf("reading a letter: %w", err))
		}
		r := readLetter(f, raw, us, texts)
		if !asJSON {
			r.print(env.stdout)
		} else if code := printJSON(env, r); code != exitDone {
			return code
		}
	}
	return exitDone
}

func readLetter(file string, raw []byte, us, sent []string) letterReading {
	normal := map[string]bool{}
	for _, a := range us {
		if n, err := mail.NormalizeAddress(a); err == nil {
			normal[n] = true
		}
	}
	l := mail.Read(raw, mail.ReadOptions{Own: func(a string) bool { return normal[a] }})
	var z parse.Zones
	if l.Kind != mail.KindQuarantine {
		z = parse.Divide(parse.ZoneInput{Text: l.Text, Us: us, Sent: sent})
	}
	return readingOf(file, l, z)
}

// readingOf puts together what was read of a letter. Of one in quarantine
// nothing but its header is told.
func readingOf(file string, l mail.Letter, z parse.Zones) letterReading {
	r := letterReading{
		File: file, From: l.From, Kind: l.Kind, Why: l.Why, New: []string{}, Form: []string{}, Problems: []game.Problem{},
		Subject: l.Subject, MessageID: l.MessageID, Auth: string(l.Auth.Level), AuthWhy: l.Auth.Why, Attachments: []attachment{},
	}
	if l.Kind == mail.KindQuarantine {
		return r
	}
	for _, x := range z.New {
		r.New = append(r.New, x.Text)
	}
	for _, x := range z.Form {
		r.Form = append(r.Form, x.Text)
	}
	r.Tail, r.Quoted = len(z.Tail), len(z.Quoted)
	for _, n := range append(l.Notes, z.Notes...) {
		r.Problems = append(r.Problems, game.Problem{Severity: game.Noted, Kind: "note", Text: n})
	}
	for _, a := range l.Attachments {
		r.Attachments = append(r.Attachments, attachment(a))
	}
	if l.Bounce != (mail.Bounce{}) {
		b := bounce(l.Bounce)
		r.Bounce = &b
	}
	return r
}

func (r letterReading) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s", r.File, r.Kind)
	if r.Why != "" {
		fmt.Fprintf(w, " (%s)", r.Why)
	}
	fmt.Fprintf(w, ", from %s\n", r.From)
	r.printText(w)
}

// printText prints the zones of the text, and what stands beside it.
func (r letterReading) printText(w io.Writer) {
	if r.Kind == mail.KindQuarantine {
		fmt.Fprintln(w, "  its text is not read, because that is not safe")
		return
	}
	for _, l := range r.New {
		fmt.Fprintf(w, "  new    | %s\n", l)
	}
	for _, l := range r.Form {
		fmt.Fprintf(w, "  form   | %s\n", l)
	}
	fmt.Fprintf(w, "  %d lines of tail, %d quoted\n", r.Tail, r.Quoted)
	for _, a := range r.Attachments {
		fmt.Fprintf(w, "  file   | %s, %s, %d bytes\n", a.Name, a.Type, a.Size)
	}
	if b := r.Bounce; b != nil {
		fmt.Fprintf(w, "  report | %s %s %s\n", b.Action, b.Status, b.Said)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  note   | %s\n", p.Text)
	}
}
