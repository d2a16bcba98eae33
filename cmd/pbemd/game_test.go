package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// withConfigs runs a test with a config on SQLite, and with one on PostgreSQL
// where the environment names one.
func withConfigs(t *testing.T, f func(t *testing.T, config string)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, embedded(t))
	})
	if os.Getenv(pgtest.Env) == "" {
		return
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		config := file(t, dir, "pbemd.toml", "data = "+quote(filepath.Join(dir, "data"))+"\n[database]\nurl = "+quote(pgtest.DSN(t))+
			"\n[post_office]\nsmtp = \"127.0.0.1:0\"\nimap = \"127.0.0.1:0\"\n")
		if code, _, errs := pbemd(t, "", "migrate", "--config", config); code != exitDone {
			t.Fatal(errs)
		}
		f(t, config)
	})
}

func created(t *testing.T, config string) {
	t.Helper()
	if code, out, errs := pbemd(t, "", "game", "create", file(t, t.TempDir(), "dusk.toml", demoText(t)), "--config", config); code != exitDone {
		t.Fatal(code, out, errs)
	}
}

// TestGameEdit shows the difference, asks, and stores only what was agreed to.
func TestGameEdit(t *testing.T) {
	withConfigs(t, func(t *testing.T, config string) {
		created(t, config)
		edit := func(stdin string, text string, more ...string) (int, string, string) {
			t.Helper()
			return pbemd(t, stdin, append([]string{"game", "edit", file(t, t.TempDir(), "new.toml", text), "--config", config}, more...)...)
		}
		text := strings.NewReplacer(`title = "Dusk at the loading dock"`, `title = "Night"`, "anna@pbemd.localhost", "anne@pbemd.localhost").Replace(demoText(t))
		for _, answer := range []string{"", "n\n", "maybe\n"} {
			code, out, errs := edit(answer, text)
			if code != exitError || errs != "" || !strings.Contains(out, "nothing was changed") {
				t.Errorf("answer %q: code %d, %s%s", answer, code, out, errs)
			}
			for _, want := range []string{"-title = \"Dusk at the loading dock\"\n+title = \"Night\"", "@@ ", "For the running game this means:", "  - The title is \"Night\"", "anne@pbemd.localhost instead of anna@pbemd.localhost", "apply? [y/N]"} {
				if !strings.Contains(out, want) {
					t.Errorf("answer %q: no %q in\n%s", answer, want, out)
				}
			}
		}
		if _, out, _ := pbemd(t, "", "game", "list", "--config", config); !strings.Contains(out, "Dusk at the loading dock") {
			t.Fatalf("an edit that was not agreed to: %s", out)
		}
		code, out, errs := edit("Y\n", text)
		if code != exitDone || errs != "" || !strings.Contains(out, "game Dusk is changed\n") || !strings.Contains(out, "player Anna <anne@pbemd.localhost>  password at the post office: ") {
			t.Fatalf("code %d, %s%s", code, out, errs)
		}
		if code, out, _ = edit("", text, "--yes"); code != exitDone || !strings.Contains(out, "nothing changes") {
			t.Errorf("the same again: code %d, %s", code, out)
		}
		if code, out, _ = edit("", "# a comment\n"+text, "--yes"); code != exitDone || !strings.Contains(out, "only comments") {
			t.Errorf("a comment: code %d, %s", code, out)
		}
		for name, tt := range map[string]struct {
			text string
			says []string
		}{
			"the world":   {strings.Replace(text, "sta = 55", "sta = 60", 1), []string{"new.toml:", "combatant[bobo].sta: it was 55 and is 60", "nothing was changed; faults in the game file: 1"}},
			"no game":     {strings.Replace(text, `name = "Dusk"`, `name = "Dawn"`, 1), []string{"a name cannot be changed"}},
			"a bad file":  {strings.Replace(text, `zone = "Europe/Berlin" `, `zone = "Mars" `, 1), []string{"new.toml:", "Mars"}},
			"no TOML":     {"[game", []string{"new.toml:1"}},
			"all at once": {strings.NewReplacer("sta = 55", "sta = 60", "rounds = 1 ", "rounds = 3 ").Replace(text), []string{"combatant[bobo].sta", "game.rounds", "faults in the game file: "}},
		} {
			code, out, errs := edit("y\n", tt.text)
			if code != exitError || out != "" {
				t.Errorf("%s: code %d, %s", name, code, out)
			}
			for _, want := range tt.says {
				if !strings.Contains(errs, want) {
					t.Errorf("%s: no %q in %s", name, want, errs)
				}
			}
		}
		for _, args := range [][]string{{"edit"}, {"list", "--yes"}, {"create", "x", "-o", "y"}, {"export"}, {"burn", "x"}} {
			if code, _, errs := pbemd(t, "", append([]string{"game"}, args...)...); code != exitUsage || !strings.Contains(errs, "usage: pbemd game create FILE") {
				t.Errorf("%v: code %d, %s", args, code, errs)
			}
		}
	})
}

// readIndex reads an export's index and checks every file against it.
func readIndex(t *testing.T, dir string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index exportIndex
	if err := json.Unmarshal(b, &index); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range index.Files {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 || len(data) != f.Size {
			t.Errorf("%s is not as the index says", f.Path)
		}
		files[f.Path] = string(data)
	}
	n := 0
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return err
	})
	if err != nil || n != len(files)+1 {
		t.Errorf("%d files in the folder, %d in the index, %v", n, len(files), err)
	}
	return files
}

// TestGameExport: two exports are the same bytes, and a folder that holds
// something is left alone.
func TestGameExport(t *testing.T) {
	withConfigs(t, func(t *testing.T, config string) {
		created(t, config)
		dir := t.TempDir()
		var exports []map[string]string
		for _, name := range []string{"a", "b/c"} {
			code, out, errs := pbemd(t, "", "game", "export", "Dusk", "-o", filepath.Join(dir, name), "--config", config)
			if code != exitDone || errs != "" || !strings.Contains(out, "game Dusk is in ") {
				t.Fatalf("code %d, %s%s", code, out, errs)
			}
			exports = append(exports, readIndex(t, filepath.Join(dir, name)))
		}
		if exports[0]["game.toml"] != demoText(t) || len(exports[0]) < 12 {
			t.Errorf("exported: %d files", len(exports[0]))
		}
		for path, data := range exports[0] {
			if exports[1][path] != data {
				t.Errorf("%s is another one in the second export", path)
			}
		}
		one, _ := os.ReadFile(filepath.Join(dir, "a", "index.json"))
		two, _ := os.ReadFile(filepath.Join(dir, "b", "c", "index.json"))
		if string(one) != string(two) {
			t.Error("the index is another one in the second export")
		}
		if code, _, errs := pbemd(t, "", "game", "export", "Dusk", "-o", filepath.Join(dir, "a"), "--config", config); code != exitError || !strings.Contains(errs, "is not empty") {
			t.Errorf("into a full folder: code %d, %s", code, errs)
		}
		full := filepath.Join(dir, "file")
		if err := os.WriteFile(full, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := pbemd(t, "", "game", "export", "Dusk", "-o", full, "--config", config); code != exitError || errs == "" {
			t.Errorf("into a file: code %d, %s", code, errs)
		}
		if code, _, errs := pbemd(t, "", "game", "export", "Dawn", "--config", config); code != exitError || !strings.Contains(errs, "no game") {
			t.Errorf("no game: code %d, %s", code, errs)
		}
	})
}
