package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/examples"
)

// pbemd runs one command line and gives its exit code and outputs.
func pbemd(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return pbemdIn(t.Context(), stdin, args...)
}

func pbemdIn(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(environment{ctx: ctx, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}, args)
	return code, out.String(), errs.String()
}

// file writes a file into a folder and gives its path.
func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, ""},
		{[]string{"help"}, exitDone, ""},
		{[]string{"dance"}, exitUsage, "there is no command \"dance\""},
		{[]string{"version"}, exitDone, ""},
		{[]string{"version", "x"}, exitUsage, "usage"},
		{[]string{"game"}, exitUsage, "usage"},
		{[]string{"game", "burn", "x"}, exitUsage, "usage"},
		{[]string{"serve", "now"}, exitUsage, "usage"},
		{[]string{"letter"}, exitUsage, "usage"},
		{[]string{"verify"}, exitUsage, "usage"},
		{[]string{"demo", "--twice"}, exitUsage, "twice"},
		{[]string{"letter", "no-such-file.eml"}, exitError, "no such file"},
		{[]string{"serve", "--config", "no-such-file.toml"}, exitError, "no such file"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			code, _, stderr := pbemd(t, "", tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.says) {
				t.Errorf("code %d, want %d; standard error: %s", code, tt.code, stderr)
			}
		})
	}
}

// TestBadConfig: each fault is named with its key and what would be right, and
// nothing is made.
func TestBadConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ toml, says string }{
		"no toml":          {"data = ", "bad.toml:1"},
		"unknown key":      {"[mail]\nadress = \"x@y.org\"", "mail.adress: there is no such key"},
		"one server":       {"[imap]\naddr = \"h:1\"\n[mail]\naddress = \"a@b.org\"", "give both"},
		"no address":       {"[imap]\naddr = \"h:1\"\n[smtp]\naddr = \"h:2\"", "mail.address: is needed"},
		"bad address":      {"[mail]\naddress = \"nobody\"", "\"nobody\" is not an address"},
		"bad port":         {"[mail]\naddress = \"a@b.org\"\n[imap]\naddr = \"h\"\n[smtp]\naddr = \"h:2\"", "imap.addr: \"h\" is not host:port"},
		"bad tls":          {"[mail]\naddress = \"a@b.org\"\n[imap]\naddr = \"h:1\"\ntls = \"maybe\"\n[smtp]\naddr = \"h:2\"", "imap.tls: \"maybe\" is none of"},
		"no password":      {"[mail]\naddress = \"a@b.org\"\n[imap]\naddr = \"h:1\"\nuser = \"u\"\n[smtp]\naddr = \"h:2\"", "user \"u\" has no password"},
		"two passwords":    {"[mail]\naddress = \"a@b.org\"\n[imap]\naddr = \"h:1\"\npassword_file = \"x\"\npassword_env = \"Y\"\n[smtp]\naddr = \"h:2\"", "not both"},
		"no password file": {"[mail]\naddress = \"a@b.org\"\n[imap]\naddr = \"h:1\"\nuser = \"u\"\npassword_file = \"no-such\"\n[smtp]\naddr = \"h:2\"", "imap.password_file"},
		"bad database":     {"[database]\nurl = \"mysql://x\"", "neither sqlite: nor postgres://"},
		"bad log":          {"[log]\nlevel = \"loud\"", "\"loud\" is none of"},
		"bad hops":         {"[mail]\nmx_hops = 99", "mail.mx_hops"},
		"bad operator":     {"operator = \"me\"", "operator: \"me\" is not an address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := file(t, dir, "bad.toml", tt.toml+"\n")
			code, stdout, stderr := pbemd(t, "", "check-config", "--config", path)
			if code != exitError || !strings.Contains(stderr, tt.says) || stdout != "" {
				t.Errorf("code %d, standard error: %s", code, stderr)
			}
			if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) != 1 {
				t.Errorf("a faulty config made %q", made)
			}
		})
	}
}

// TestExampleConfig: the documented config has only keys that exist.
func TestExampleConfig(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/pbemd.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseConfig("pbemd.toml", text); err != nil {
		t.Error(err)
	}
}

// embedded writes a config whose data folder is a new one.
func embedded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	return file(t, dir, "pbemd.toml", "data = "+quote(filepath.Join(dir, "data"))+"\n[post_office]\nsmtp = \"127.0.0.1:0\"\nimap = \"127.0.0.1:0\"\n")
}

func quote(s string) string { b, _ := json.Marshal(s); return string(b) }

func demoText(t *testing.T) string {
	t.Helper()
	b, err := examples.Files.ReadFile("demo.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGameCommands makes, lists and shows a game, refuses a second of its name,
// and refuses a faulty file with every fault and its line.
func TestGameCommands(t *testing.T) {
	t.Parallel()
	config := embedded(t)
	good := file(t, t.TempDir(), "dusk.toml", demoText(t))
	if code, out, _ := pbemd(t, "", "game", "list", "--config", config); code != exitDone || !strings.Contains(out, "no game yet") {
		t.Fatalf("an empty list: code %d, %s", code, out)
	}
	bad := file(t, t.TempDir(), "bad.toml", strings.NewReplacer(`place = "C6"`, `place = "Z99"`, `player = "anna"`, `player = "nobody"`).Replace(demoText(t)))
	code, out, errs := pbemd(t, "", "game", "create", bad, "--config", config)
	if code != exitError || out != "" || !strings.Contains(errs, "Z99") || !strings.Contains(errs, "nobody") || !strings.Contains(errs, "bad.toml:") || !strings.Contains(errs, "nothing was created") {
		t.Fatalf("a faulty file: code %d, %s%s", code, out, errs)
	}
	code, out, errs = pbemd(t, "", "game", "create", good, "--config", config)
	if code != exitDone || strings.Count(out, "password at the post office") != 4 {
		t.Fatalf("creating: code %d, %s%s", code, out, errs)
	}
	if code, _, errs = pbemd(t, "", "game", "create", good, "--config", config); code != exitError || !strings.Contains(errs, "exists already") {
		t.Fatalf("creating twice: code %d, %s", code, errs)
	}
	if code, out, _ = pbemd(t, "", "game", "list", "--config", config); code != exitDone || strings.Count(out, "Dusk  star-frontiers") != 1 {
		t.Fatalf("listing: code %d, %s", code, out)
	}
	if code, out, _ = pbemd(t, "", "game", "show", "Dusk", "--config", config); code != exitDone || !strings.Contains(out, "Bobo owes orders") {
		t.Fatalf("showing: code %d, %s", code, out)
	}
	if code, _, errs = pbemd(t, "", "game", "show", "Dawn", "--config", config); code != exitError || !strings.Contains(errs, "no game") {
		t.Fatalf("showing nothing: code %d, %s", code, errs)
	}
	if code, _, errs = pbemd(t, "", "migrate", "--config", config); code != exitDone {
		t.Fatalf("migrating: code %d, %s", code, errs)
	}
}

// TestServeLocksItsFolder: two processes never serve one data folder, and a
// cancelled one drains and leaves it free.
func TestServeLocksItsFolder(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(embedded(t))
	if err != nil {
		t.Fatal(err)
	}
	c.Log.Level = "error"
	start := func() (*House, error) {
		h := &House{Config: c, Log: newLog(c.Log, t.Output())}
		err := h.Open(t.Context())
		if err == nil {
			err = h.Serve(t.Context())
		}
		return h, err
	}
	first, err := start()
	if err != nil {
		t.Fatal(err)
	}
	second, err := start()
	if err == nil || !strings.Contains(err.Error(), "served by another pbemd") {
		t.Errorf("a second serve: %v", err)
	}
	second.Close()
	if err := first.Close(); err != nil {
		t.Errorf("draining: %v", err)
	}
	third, err := start()
	if err != nil {
		t.Errorf("serving after that: %v", err)
	}
	if err := third.Close(); err != nil {
		t.Errorf("draining: %v", err)
	}
}

// TestLetter tells how a letter would be read, as JSON.
func TestLetter(t *testing.T) {
	t.Parallel()
	path := file(t, t.TempDir(), "a.eml", "From: Anna <ANNA@Example.org>\r\nTo: pbem+x@example.net\r\nSubject: Re: orders\r\n\r\nfire at Zog\r\n\r\nOn Monday, pbem+x@example.net wrote:\r\n> fire at Bobo\r\n")
	code, out, errs := pbemd(t, "", "letter", path, "--us", "pbem@example.net", "--json")
	var got letterReading
	if err := json.Unmarshal([]byte(out), &got); code != exitDone || err != nil {
		t.Fatalf("code %d, %v, %s", code, err, errs)
	}
	if got.From != "anna@example.org" || got.Kind != "letter" || strings.Join(got.New, "|") != "fire at Zog|" && got.New[0] != "fire at Zog" || got.Quoted == 0 {
		t.Errorf("read as %+v", got)
	}
	for _, l := range got.New {
		if strings.Contains(l, "Bobo") {
			t.Errorf("a quoted line is new: %q", l)
		}
	}
}

// aReport is the dice block of a report, as Anna got it.
const aReport = `pbemd-dice 1
game Lab
turn 1
seal gm f96b858dcace70c8cfd1ce918bf164daeaef05c151777fbcfb9add3f4d9c381f
seal heroes
 f523eb2d3b220e8551fb0c3d23cb2d5c5dce483fd9d0622a702abd264867ab04
leaf anna
 e3dee6f3bebdad7746a07cb3e705f2d720a2cf82f689c95c63fd01385ead01ca
leaf ben
 31f6d2b9434beb0278afd3fec9f267265480ffda7d38914c7466707b293166cc
leaf carla
 7f7ecde12ddb94daff30c2ce81508c8f697cfc398ba431a24366085705ec2dfb
lock f180366295dfcff6a8353a38af6dcd67a9dd6e42b6e0d0dd31133535b5147834
secret heroes
 6d40e191c005e9957d31c8dce4dfb7352da8f10b7cf1b62f8d9e3191c2c1f3f5
die init/anna/r1 d10 9 sealed early heroes
die hit/bobo/r1.1 d100 67 sealed late heroes
end
`

// TestVerify: the dice of a report are checked, and a changed one is named.
func TestVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, out, errs := pbemd(t, "", "verify", file(t, dir, "right.txt", aReport))
	if code != exitDone || errs != "" || strings.Count(out, "  right ") != 4 {
		t.Errorf("a right report: code %d, %s%s", code, out, errs)
	}
	changed := file(t, dir, "changed.txt", strings.Replace(aReport, "d100 67", "d100 68", 1))
	code, out, errs = pbemd(t, "", "verify", changed)
	if code != exitError || !strings.Contains(out, "wrong   hit/bobo/r1.1: 68") || !strings.Contains(errs, "wrong: 1") {
		t.Errorf("a changed report: code %d, %s%s", code, out, errs)
	}
	if code, out, errs = pbemd(t, "", "verify", file(t, dir, "empty.txt", "hello\n")); code != exitError || out != "" || !strings.Contains(errs, "no dice block") {
		t.Errorf("no block: code %d, %s%s", code, out, errs)
	}
}

// TestDemoFoldersAreNew: one run never meets another.
func TestDemoFoldersAreNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pbemd-data")
	seen := map[string]bool{}
	for range 3 {
		f, err := demoFolder(dir)
		if err != nil || seen[f] {
			t.Fatalf("folder %q, %v", f, err)
		}
		seen[f] = true
	}
}

// TestScript: the demo's script is sound, and a seat answers by turn and count.
func TestScript(t *testing.T) {
	t.Parallel()
	_, _, s, err := demoFiles("")
	if err != nil || len(s.Mail) < 10 {
		t.Fatalf("%d mails, %v", len(s.Mail), err)
	}
	for _, bad := range []string{"[[mail]]\nseat = \"a\"\n", "[[mail]]\nseat = \"a\"\nwhen = \"b\"\ntext = \"c\"\nstyle = \"loud\"\n", "[[mail]]\nsaet = \"a\"\n"} {
		if _, err := readScript("bad", []byte(bad)); err == nil {
			t.Errorf("no fault in %q", bad)
		}
	}
	seat := &seat{seen: map[string]int{}, script: []ScriptMail{
		{Seat: "a", When: "opens", Turn: 1, Text: "one"},
		{Seat: "a", When: "received", Turn: 1, Nth: 2, Text: "two"},
		{Seat: "a", When: "opens", Text: "any"},
	}}
	for i, step := range []struct {
		marker string
		turn   int
		want   string
	}{
		{"== pbemd X turn 1: the turn opens ==", 1, "one"},
		{"== pbemd X turn 1: orders received ==", 1, ""},
		{"== pbemd X turn 1: orders received ==", 1, "two"},
		{"== pbemd X turn 1: orders received ==", 1, ""},
		{"== pbemd X turn 2: the turn opens ==", 2, "any"},
		{"not ours: opens", 3, ""},
	} {
		m, _ := seat.next(step.marker, step.turn)
		if m.Text != step.want {
			t.Errorf("step %d: answers %q, want %q", i, m.Text, step.want)
		}
	}
	seat.stop()
	if m, ok := seat.next("== pbemd X turn 3: the turn opens ==", 3); ok {
		t.Errorf("a stopped seat answers %q", m.Text)
	}
}

// TestLoginTakesTheSeat: a mail program that logs in ends the seat's script, once.
func TestLoginTakesTheSeat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := &demo{out: &out, seats: map[string]*seat{"anna": {user: "anna", seen: map[string]int{}, script: []ScriptMail{{When: "opens", Text: "x"}}}}}
	d.login("pbem", "imap")
	if _, ok := d.seats["anna"].next("== pbemd X turn 1: the turn opens ==", 1); !ok {
		t.Error("another login ended Anna's script")
	}
	d.login("anna", "imap")
	d.login("anna", "imap")
	if _, ok := d.seats["anna"].next("== pbemd X turn 2: the turn opens ==", 2); ok {
		t.Error("the script goes on after a login")
	}
	if strings.Count(out.String(), "the seat is yours") != 1 {
		t.Errorf("printed: %s", out.String())
	}
}

// TestPeopleHaveAccounts: serve makes the operator's account, and those that game
// create did not get to before it was stopped.
func TestPeopleHaveAccounts(t *testing.T) {
	t.Parallel()
	config := embedded(t)
	c, err := ReadConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := pbemd(t, "", "game", "create", file(t, t.TempDir(), "dusk.toml", demoText(t)), "--config", config); code != exitDone {
		t.Fatal(errs)
	}
	c.Operator = "Oper@pbemd.localhost"
	h := &House{Config: c, Log: slog.New(slog.DiscardHandler)}
	if err := os.WriteFile(h.accountsFile(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(h.accountsFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"pbem", "anna", "ben", "carla", "greta", "oper"} {
		if strings.Count(string(text), who+"@pbemd.localhost ") != 1 {
			t.Errorf("%s has no account of his own in %q", who, text)
		}
	}
}
