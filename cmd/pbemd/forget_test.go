package main

import (
	"strings"
	"testing"
)

// TestForget shows what is stored, wants --running for a player of a running
// game and a yes, and says what it cannot reach.
func TestForget(t *testing.T) {
	withConfigs(t, func(t *testing.T, config string) {
		created(t, config)
		run := func(stdin string, args ...string) (int, string, string) {
			t.Helper()
			return pbemd(t, stdin, append([]string{"forget", "--config", config}, args...)...)
		}
		says := func(what, text string, words ...string) {
			t.Helper()
			for _, w := range words {
				if !strings.Contains(text, w) {
					t.Errorf("%s: no %q in\n%s", what, w, text)
				}
			}
		}
		code, out, errs := run("y\n", "Ben@pbemd.localhost")
		if code != exitError {
			t.Errorf("without --running: code %d", code)
		}
		says("without --running", out, "1 mails to the person", "of them are not sent yet", "player ben of game Dusk, which runs", "do what silence does", "the address in the file of game Dusk")
		says("without --running", errs, "--running", "pbemd game edit")
		if code, out, _ = run("no\n", "ben@pbemd.localhost", "--running"); code != exitError || !strings.Contains(out, "nothing was changed") {
			t.Errorf("without a yes: code %d, %s", code, out)
		}
		if _, out, _ = pbemd(t, "", "game", "show", "Dusk", "--config", config); !strings.Contains(out, "Ben") {
			t.Fatalf("it was forgotten without a yes: %s", out)
		}
		code, out, errs = run("y\n", "ben@pbemd.localhost", "--running")
		if code != exitDone || errs != "" {
			t.Fatalf("code %d, %s", code, errs)
		}
		says("forgetting", out, "This cannot be taken back", "blanked: 0 letters, 0 texts of orders, 1 mails", "stands nowhere in it any more", "backups", "doveadm expunge", "FROM ben@pbemd.localhost", "spool", "is a stranger's")
		if _, out, _ = pbemd(t, "", "game", "show", "Dusk", "--config", config); strings.Contains(out, "Ben:") || !strings.Contains(out, "forgotten-1") {
			t.Errorf("the game: %s", out)
		}
		code, out, _ = run("", "greta@pbemd.localhost", "--running", "--yes")
		if code != exitDone {
			t.Errorf("the GM: code %d", code)
		}
		says("the GM", out, "without its GM no turn is released")
		if code, out, errs = run("", "nobody@example.org", "--yes"); code != exitDone || !strings.Contains(out, "nothing is stored under nobody@example.org") {
			t.Errorf("nobody: code %d, %s%s", code, out, errs)
		}
		if code, _, errs = run("", "pbem@pbemd.localhost", "--yes"); code != exitError || !strings.Contains(errs, "pbemd's own") {
			t.Errorf("our own: code %d, %s", code, errs)
		}
		if code, _, errs = run("", "nobody"); code != exitError || !strings.Contains(errs, "is not an address") {
			t.Errorf("no address: code %d, %s", code, errs)
		}
		if code, _, errs = run(""); code != exitUsage || !strings.Contains(errs, "usage") {
			t.Errorf("nothing: code %d, %s", code, errs)
		}
	})
}
