package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/resolve/rulesets"
)

// rulesCommand runs pbemd rules.
func rulesCommand(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = runRules(environment{stdout: &out, stderr: &errs}, args)
	return code, out.String(), errs.String()
}

// TestRulesGoldens: the guides to every system, and those of characters and a GM.
func TestRulesGoldens(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"guide-demo-bobo.txt":     {"star-frontiers", "--scenario", "../../examples/demo.toml", "--as", "bobo"},
		"guide-bridge-corvin.txt": {"--as", "corvin", "--scenario", "../../examples/bridge.toml"},
		"guide-bridge-all.txt":    {"--scenario", "../../examples/bridge.toml"},
		"guide-ambush-gm.txt":     {"--scenario", "../../examples/ambush.toml", "--as", "gm"},
	}
	for _, name := range rulesets.Names() {
		cases["guide-"+name+".txt"] = []string{name}
	}
	for file, args := range cases {
		code, out, errs := rulesCommand(args...)
		if code != exitDone || errs != "" {
			t.Errorf("%v: exit %d, %s", args, code, errs)
			continue
		}
		golden(t, file, out)
		for line := range strings.Lines(out) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 72 {
				t.Errorf("%s: longer than 72 columns: %s", file, line)
			}
		}
	}
}

// TestRulesPage: the same as a page for a browser, which fetches nothing.
func TestRulesPage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "guide.html")
	if code, out, errs := rulesCommand("eternal-soldier", "--html", file); code != exitDone || out+errs != "" {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Eternal Soldier: how to order</title>", "How a turn goes", "strike at Grunmar with the long sword"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, not := range []string{"http", "cid:", "== pbemd"} {
		if strings.Contains(string(page), not) {
			t.Errorf("the page has %q", not)
		}
	}
}

// TestRulesUsage: what is wrong is said, with what would be right.
func TestRulesUsage(t *testing.T) {
	t.Parallel()
	code, out, _ := rulesCommand()
	if code != exitDone || !strings.Contains(out, "star-frontiers") || !strings.Contains(out, "Eternal Soldier") {
		t.Errorf("the list: exit %d\n%s", code, out)
	}
	bridge := "../../examples/bridge.toml"
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitError, "star-frontiers", []string{"gurps"}},
		{exitUsage, "usage: pbemd rules", []string{"star-frontiers", "eternal-soldier"}},
		{exitUsage, "usage: pbemd rules", []string{"star-frontiers", "--as", "bobo"}},
		{exitUsage, "usage: pbemd rules", []string{"--html", "x.html"}},
		{exitError, "is a game of eternal-soldier", []string{"star-frontiers", "--scenario", bridge}},
		{exitError, `no combatant "nobody"; it has corvin`, []string{"--scenario", bridge, "--as", "nobody"}},
		{exitError, "one by one", []string{"--scenario", bridge, "--as", "gm,corvin"}},
		{exitError, "names no player", []string{"--scenario", "../../examples/swords.toml"}},
		{exitError, "missing.toml", []string{"--scenario", "missing.toml"}},
	} {
		if code, _, errs := rulesCommand(c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}
