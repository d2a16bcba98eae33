package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail/lab"
)

// terminal is a terminal with a program in it, which tmux keeps.
type terminal struct {
	t      *testing.T
	socket string
}

func newTerminal(t *testing.T, dir, name string, command ...string) *terminal {
	t.Helper()
	m := &terminal{t: t, socket: filepath.Join(dir, name+".tmux")}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", m.socket, "kill-server").Run() // an error: it has ended
	})
	m.tmux(append([]string{"-u", "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "50", "-c", dir,
		"env", "LC_ALL=C.UTF-8", "HOME=" + dir}, command...)...)
	return m
}

func (m *terminal) tmux(args ...string) string {
	m.t.Helper()
	out, err := exec.CommandContext(m.t.Context(), "tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// types types text and then keys such as Enter.
func (m *terminal) types(text string, keys ...string) {
	m.t.Helper()
	m.tmux("send-keys", "-l", text)
	if len(keys) > 0 {
		m.tmux(append([]string{"send-keys"}, keys...)...)
	}
}

// shows waits until the screen shows the words.
func (m *terminal) shows(words string) {
	m.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	end := time.After(rigPatience)
	for {
		screen := m.tmux("capture-pane", "-p")
		if strings.Contains(screen, words) {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			m.t.Fatalf("the screen does not show %q:\n%s", words, screen)
		}
	}
}

// mutt is a person at neomutt, whose editor puts what she writes above the quotation.
type mutt struct {
	*terminal
	words string // the file with them
}

func newMutt(t *testing.T, dir, rc string) *mutt {
	t.Helper()
	m := &mutt{words: rc + ".words"}
	editor := rc + ".editor"
	script := "#!/bin/sh\ncat '" + m.words + `' "$1" >"$1.new" && mv "$1.new" "$1"` + "\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	m.terminal = newTerminal(t, dir, filepath.Base(rc), "neomutt", "-F", rc,
		"-e", "set editor='"+editor+"' fast_reply=yes include=yes mail_check=1 timeout=1 sleep_time=0 crypt_use_gpgme=no")
	return m
}

// reads waits for a mail, opens it, and waits for words of it.
func (m *mutt) reads(subject, words string) {
	m.t.Helper()
	m.shows(subject)
	m.types("/"+subject, "Enter")
	m.types("", "Enter")
	m.shows(words)
}

// answers replies to the mail that is open, and goes back to the list.
func (m *mutt) answers(text string) {
	m.t.Helper()
	if err := os.WriteFile(m.words, []byte(text+"\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.types("r")
	m.shows("y:Send")
	m.types("y")
	m.shows("i:Exit")
	m.types("q")
	m.shows("q:Quit")
}

// TestLabNeomutt plays one turn of demo in terminals with neomutt: a player reads
// the opening, orders by reply and says READY, the GM releases the draft by reply,
// and the player reads the report.
func TestLabNeomutt(t *testing.T) {
	t.Parallel()
	lab.Open(t) // where the lab is there are these too
	for _, program := range []string{"neomutt", "tmux"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("needs the Debian package %s: %v", program, err)
		}
	}
	dir := t.TempDir()
	game, err := new(rig).gameFile("demo.toml")
	if err != nil {
		t.Fatal(err)
	}
	const script = "[[mail]]\nseat = \"ben\"\nwhen = \"the turn opens\"\ntext = \"READY\"\n[[mail]]\nseat = \"carla\"\nwhen = \"the turn opens\"\ntext = \"READY\"\n"
	for name, text := range map[string]string{"dusk.toml": game, "dusk.mails.toml": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), self())
	cmd.Args, cmd.Dir, cmd.Env = []string{"pbemd", "demo", "--game", "./dusk.toml"}, dir, os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Wait() }) // the context has ended it
	lines := bufio.NewReader(out)
	for line := ""; !strings.Contains(line, "turn 1 closes at"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal("demo ended at once:", err)
		}
	}
	go io.Copy(io.Discard, lines)
	rc := func(who string) string { return filepath.Join(dir, "pbemd-data/demo-1", who+".muttrc") }

	anna := newMutt(t, dir, rc("anna"))
	anna.reads("Turn 1 opens: orders for Bobo", "== pbemd Dusk turn 1: the turn opens ==")
	anna.answers("Two shots at Zog.")
	anna.reads("Orders for Bobo received", "fire 2 shots at Zog")
	anna.answers("READY")
	anna.shows("You are ready")

	greta := newMutt(t, dir, rc("greta"))
	greta.reads("Turn 1 to approve", "== pbemd Dusk turn 1: attempt 1, for the GM ==")
	greta.answers("OK")

	anna.reads("Turn 1 is over", "== pbemd Dusk turn 1: report")
}
