package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jhillyerd/enmime/v2"
)

// The page of a mail that is kept by demo shows the pictures kept beside it.
func TestKeepPageKeepsPictures(t *testing.T) {
	t.Parallel()
	const letter = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b; type=\"text/html\"\r\n\r\n" +
		"--b\r\nContent-Type: text/html\r\n\r\n<p><img src=\"cid:map.1a\"><img src=\"cid:gone\"></p>\r\n" +
		"--b\r\nContent-Type: image/png; name=map.png\r\nContent-Disposition: inline; filename=map.png\r\nContent-Id: <map.1a>\r\n" +
		"Content-Transfer-Encoding: base64\r\n\r\nUE5H\r\n" +
		"--b\r\nContent-Type: image/png; name=up.png\r\nContent-Disposition: inline; filename=up.png\r\nContent-Id: <../../up>\r\n" +
		"Content-Transfer-Encoding: base64\r\n\r\nVVA=\r\n--b--\r\n"
	env, err := enmime.ReadEnvelope(strings.NewReader(letter))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := keepPage(filepath.Join(dir, "001-a-to-b"), env); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"001-a-to-b.html":       `<p><img src="001-a-to-b.map.1a.png"><img src="cid:gone"></p>`,
		"001-a-to-b.map.1a.png": "PNG",
		"001-a-to-b.up.png":     "UP",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// The examples are whole games: demo plays the first turn of each, with every
// mail kept for reading.
func TestDemoPlaysTheExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ambush", "brawl", "bridge"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), self())
			cmd.Args = []string{"pbemd", "demo", "--once", "--game", name}
			cmd.Dir, cmd.Env = dir, os.Environ()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"attempt 1 waits for the GM", "turn 1 of", "Turn 1 is over, turn 2 opens", "the first turn is released"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("demo does not say %q:\n%s", want, out)
				}
			}
			// What is understood later hangs on the dice.
			ordered, _, _ := strings.Cut(string(out), "attempt 1 waits for the GM")
			for line := range strings.Lines(ordered) {
				if strings.Contains(line, "] Orders for ") && !strings.HasSuffix(line, " received\n") {
					t.Errorf("an order of the script is not wholly understood: %s", line)
				}
			}
			if pages, _ := filepath.Glob(filepath.Join(dir, "pbemd-data/demo-1/mails/*.html")); len(pages) < 8 {
				t.Errorf("%d pages are kept", len(pages))
			}
		})
	}
}

// A wrong name says what there is.
func TestDemoOfNoExample(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"bral": `no example "bral": name demo, ambush, brawl, bridge`, "./bral.toml": "reading the game file"} {
		if _, _, _, err := demoFiles(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
}
