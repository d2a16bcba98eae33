package parse

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var forms = []Form{
	{"OK", ArgNone}, {"READY", ArgNone}, {"UNREADY", ArgNone}, {"STATUS", ArgNone}, {"HELP", ArgNone}, {"CHECK", ArgNone}, {"CLEAR", ArgNone}, {"CLOSE", ArgNone},
	{"CONFIRM", ArgOptionalNumber}, {"EXTEND", ArgDuration}, {"REOPEN", ArgDuration}, {"ACCEPT", ArgNumber}, {"DROP", ArgNumber}, {"RULINGS", ArgNone}, {"USE FORM", ArgNone},
}

func TestFirstCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Command
		rest int
		ok   bool
	}{
		{"READY", Command{Word: "READY"}, 0, true},
		{"\n  \n ready! \nthanks", Command{Word: "READY"}, 1, true},
		{"Ok.", Command{Word: "OK"}, 0, true},
		{"use  form", Command{Word: "USE FORM"}, 0, true},
		{"extend 24h", Command{Word: "EXTEND", Duration: 24 * time.Hour}, 0, true},
		{"EXTEND 2 days", Command{Word: "EXTEND", Duration: 48 * time.Hour}, 0, true},
		{"reopen 90m", Command{Word: "REOPEN", Duration: 90 * time.Minute}, 0, true},
		{"CONFIRM", Command{Word: "CONFIRM"}, 0, true},
		{"confirm 3.", Command{Word: "CONFIRM", Number: 3}, 0, true},
		{"DROP #3", Command{Word: "DROP", Number: 3}, 0, true},
		{"Ready the laser.", Command{}, 1, false},
		{"OK but move Zog", Command{}, 1, false},
		{"fire\nREADY", Command{}, 2, false},
		{"EXTEND", Command{}, 1, false},
		{"EXTEND 0h", Command{}, 1, false},
		{"EXTEND 99999d", Command{}, 1, false},
		{"EXTEND -3h", Command{}, 1, false},
		{"ACCEPT 99999999999999999999", Command{}, 1, false},
		{"ACCEPT +3", Command{}, 1, false},
		{"ACCEPT three", Command{}, 1, false},
		{"", Command{}, 1, false},
	}
	for _, tt := range tests {
		got, rest, ok := FirstCommand(linesOf(tt.text), forms)
		got.Line = Line{}
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok || len(rest) != tt.rest {
			t.Errorf("%q: ok %v, rest %d (-want +got):\n%s", tt.text, ok, len(rest), diff)
		}
	}
}

func TestNearCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"READDY": "READY", "redy": "READY", "OKAY": "OK", "OK please": "OK", "ok, thanks!": "OK", "stauts": "STATUS", "EXTND 24h": "EXTEND",
		"OK": "", "Ready the laser.": "", "fire at Zog": "", "O": "", "reload": "", "": "", "I run": "", "draw": "", "crouch": "", "help me Zorg, quick": "",
	} {
		if got, _ := NearCommand(line, forms); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func FuzzFirstCommand(f *testing.F) {
	for _, s := range []string{"READY", "extend 24 h", "CONFIRM 3!", "OKAY thanks", "\u200bOK…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := linesOf(text)
		cmd, rest, ok := FirstCommand(lines, forms)
		if ok && (cmd.Number < 0 || cmd.Duration < 0 || cmd.Duration > maxDuration) || len(rest) > len(lines) {
			t.Errorf("%+v, %d of %d lines", cmd, len(rest), len(lines))
		}
		for _, l := range lines {
			if _, ok := readCommand(l, forms); ok {
				if near, _ := NearCommand(l.Text, forms); near != "" {
					t.Errorf("%q is a command, and near to %q", l.Text, near)
				}
			}
		}
	})
}
