package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail/lab"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// tree lists the files of a folder with their bytes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDoctorChangesNothing: neither where nothing is yet, nor where a house is.
func TestDoctorChangesNothing(t *testing.T) {
	t.Parallel()
	config := embedded(t)
	dir := filepath.Dir(config)
	examine := func(code int, says ...string) {
		t.Helper()
		before := tree(t, dir)
		got, out, errs := pbemd(t, "", "doctor", "--config", config)
		if got != code || errs != "" {
			t.Errorf("code %d, standard error: %s, output:\n%s", got, errs, out)
		}
		for _, s := range says {
			if !strings.Contains(out, s) {
				t.Errorf("does not say %q:\n%s", s, out)
			}
		}
		after := tree(t, dir)
		for path := range after {
			if before[path] != after[path] {
				t.Errorf("%s changed", path)
			}
		}
		if len(before) != len(after) {
			t.Errorf("%d files became %d", len(before), len(after))
		}
	}
	examine(exitDone, "pbemd.db is not there yet", "token.keys is not there yet", "its own post office", "no http.listen", "all is right")
	if code, _, errs := pbemd(t, "", "game", "create", file(t, t.TempDir(), "dusk.toml", demoText(t)), "--config", config); code != exitDone {
		t.Fatal(errs)
	}
	examine(exitDone, "its schema is current", "never searched", "no process keeps it", "Dusk turn 1: open; deadline 2", "waiting: 5", "all is right")

	keys := filepath.Join(dir, "data", "token.keys")
	if err := os.Chmod(keys, 0o644); err != nil {
		t.Fatal(err)
	}
	examine(exitError, "WRONG  token keys everybody may read", "chmod o=", "1 wrong")
	if err := os.WriteFile(keys, []byte("1 abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	examine(exitError, "WRONG  token keys", "restore the file from the backup")
}

// TestDoctorOfAnOwnServer: right and wrong servers, and never a password.
func TestDoctorOfAnOwnServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	accounts := filepath.Join(dir, "accounts")
	password, err := postoffice.AddAccount(accounts, "pbem@example.test")
	if err != nil {
		t.Fatal(err)
	}
	post, err := postoffice.Start(t.Context(), postoffice.Options{Dir: filepath.Join(dir, "spool"), Domain: "example.test",
		SMTPAddr: "127.0.0.1:0", IMAPAddr: "127.0.0.1:0", Accounts: postoffice.AccountsFile(accounts), Log: newLog(LogConfig{Level: "error"}, io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { post.Close() })
	closed := unused(t)
	for name, tt := range map[string]struct {
		imap, smtp, password, tls string
		code                      int
		says                      []string
	}{
		"right": {post.IMAPAddr(), post.SMTPAddr(), password, "none", exitDone,
			[]string{"ok     imap       " + post.IMAPAddr() + " takes the login of pbem@example.test", "ok     smtp", "no mail was sent", "no mail.authserv_id"}},
		"a wrong password": {post.IMAPAddr(), post.SMTPAddr(), "not-the-one", "none", exitError,
			[]string{"WRONG  imap", "WRONG  smtp", "see to smtp.user and its password", "2 wrong"}},
		"nobody there": {closed, closed, password, "none", exitError,
			[]string{"WRONG  imap       connecting", "WRONG  smtp", "see to smtp.addr", "2 wrong"}},
		"a wrong kind of TLS": {post.IMAPAddr(), post.SMTPAddr(), password, "implicit", exitError,
			[]string{"WRONG  imap       securing", "WRONG  smtp", "see to smtp.tls", "2 wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			secret := file(t, dir, "password", tt.password+"\n")
			server := func(addr string) string {
				return fmt.Sprintf("addr = %q\ntls = %q\nuser = \"pbem@example.test\"\npassword_file = %q\n", addr, tt.tls, secret)
			}
			config := file(t, dir, "pbemd.toml", "data = "+quote(filepath.Join(dir, "data"))+"\n[mail]\naddress = \"pbem@example.test\"\n[imap]\n"+server(tt.imap)+"[smtp]\n"+server(tt.smtp))
			code, out, errs := pbemd(t, "", "doctor", "--config", config)
			if code != tt.code || errs != "" {
				t.Errorf("code %d, %s", code, errs)
			}
			for _, s := range tt.says {
				if !strings.Contains(out, s) {
					t.Errorf("does not say %q:\n%s", s, out)
				}
			}
			if strings.Contains(out+errs, tt.password) {
				t.Errorf("shows the password:\n%s", out)
			}
		})
	}
}

// unused gives an address where nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// TestDoctorOfTheLab: Dovecot and OpenSMTPD with both kinds of TLS, and an
// authority that did not sign their certificate.
func TestDoctorOfTheLab(t *testing.T) {
	t.Parallel()
	lab.Open(t)
	real := filepath.Join(os.Getenv("PBEMD_TEST_LAB"), "tls", "ca.pem")
	for name, tt := range map[string]struct {
		imap, smtp, tls, ca string
		code                int
		says                []string
	}{
		"implicit":             {lab.IMAPS, lab.SMTPS, "implicit", real, exitDone, []string{"takes the login of doctor@example.test (TLS)", "ok     smtp", "all is right"}},
		"starttls":             {lab.IMAP, lab.Submission, "starttls", real, exitDone, []string{"takes the login of doctor@example.test (STARTTLS)", "ok     smtp", "all is right"}},
		"an unknown authority": {lab.IMAPS, lab.SMTPS, "implicit", "", exitError, []string{"WRONG  imap", "certificate signed by unknown authority", "smtp.ca_file", "2 wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			secret := file(t, dir, "password", lab.Password)
			server := func(addr string) string {
				s := fmt.Sprintf("addr = %q\ntls = %q\nuser = \"doctor@example.test\"\npassword_file = %q\n", addr, tt.tls, secret)
				if tt.ca != "" {
					s += fmt.Sprintf("ca_file = %q\n", tt.ca)
				}
				return s
			}
			config := file(t, dir, "pbemd.toml", "data = "+quote(filepath.Join(dir, "data"))+
				"\n[mail]\naddress = \"doctor@example.test\"\nauthserv_id = \"mx.example.test\"\n[imap]\n"+server(tt.imap)+"[smtp]\n"+server(tt.smtp))
			code, out, errs := pbemd(t, "", "doctor", "--config", config)
			if code != tt.code || errs != "" {
				t.Errorf("code %d, %s", code, errs)
			}
			for _, s := range tt.says {
				if !strings.Contains(out, s) {
					t.Errorf("does not say %q:\n%s", s, out)
				}
			}
		})
	}
}

// TestDoctorOfPostgreSQL: one that is not there, one without a schema, one that
// is right; never the password of its URL.
func TestDoctorOfPostgreSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	dir := t.TempDir()
	examine := func(url string, code int, says string) {
		t.Helper()
		config := file(t, dir, "pbemd.toml", "data = "+quote(filepath.Join(dir, "data"))+"\n[database]\nurl = "+quote(url)+"\n")
		got, out, errs := pbemd(t, "", "doctor", "--config", config)
		if got != code || !strings.Contains(out, says) || strings.Contains(out+errs, "hush") {
			t.Errorf("code %d, does not say %q, or says too much: %s\n%s", got, says, errs, out)
		}
	}
	examine("postgres://pbemd:hush@"+unused(t)+"/pbemd", exitError, "see to database.url")
	examine("postgres://pbemd:hush@127.0.0.1:port/pbemd", exitError, "see to database.url")
	examine(dsn, exitError, "run pbemd migrate")
	st, err := store.Open(t.Context(), store.Options{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	examine(dsn, exitDone, "PostgreSQL, its schema is current")
}

// TestDoctorLooksForTheKeyInDNS: the record that signing needs is there, or the
// doctor says how it reads.
func TestDoctorLooksForTheKeyInDNS(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := DKIMConfig{Selector: "s1", KeyFile: file(t, t.TempDir(), "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))}
	if err := c.read("pbem@example.org"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		records []string
		err     error
		says    string
	}{
		"published": {[]string{"other", c.signer.Record()}, nil, "ok     dkim       s1._domainkey.example.org holds the key that signs"},
		"another":   {[]string{"v=DKIM1; p=abc"}, nil, "publish this TXT record at s1._domainkey.example.org: " + c.signer.Record()},
		"none":      {nil, errors.New("no such host"), "publish this TXT record"},
	} {
		var out bytes.Buffer
		d := &doctor{house: &House{Config: Config{DKIM: &c}}, out: &out, lookup: func(_ context.Context, name string) ([]string, error) {
			if name != "s1._domainkey.example.org" {
				t.Errorf("looks at %s", name)
			}
			return tt.records, tt.err
		}}
		d.dkim(t.Context())
		if !strings.Contains(out.String(), tt.says) || (d.wrongs == 0) != (name == "published") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

// TestDoctorReadsTheFigures: what waits too long is wrong, and says what to do.
func TestDoctorReadsTheFigures(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	d := &doctor{out: &out}
	d.figures(store.Health{Now: now, Searched: now.Add(-time.Hour), Holder: "host/1/ab", Until: now.Add(-time.Second),
		Letters: store.Waiting{Count: 2, Oldest: now.Add(-time.Hour)}, Review: store.Waiting{Count: 1, Oldest: now.Add(-30 * time.Hour)},
		Stuck: []store.StuckTurn{{Game: "Dusk", N: 3}}, Quarantined: 4, Unreachable: 5})
	for _, s := range []string{"note   mailbox    no process keeps it", "WRONG  search     not so", "WRONG  letters    not so: letters are read; waiting: 2, for 1h0m0s",
		"ok     outbox     mail goes out; waiting: 0", "ok     overdue", "WRONG  stuck      Dusk turn 3 cannot go on", "REOPEN", "note   review     turns that wait for their GM: 1, the longest for 30h0m0s", "unread, ever: 4", "for good: 5"} {
		if !strings.Contains(out.String(), s) {
			t.Errorf("does not say %q:\n%s", s, out.String())
		}
	}
	if d.wrongs != 3 {
		t.Errorf("%d wrong", d.wrongs)
	}
}

// TestDoctorAsksTheDaemon: --health prints what the daemon says, and the doctor
// tells it from a stranger at the same address.
func TestDoctorAsksTheDaemon(t *testing.T) {
	t.Parallel()
	config := embedded(t)
	if code, _, errs := pbemd(t, "", "doctor", "--health", "--config", config); code != exitError || !strings.Contains(errs, "http.listen") {
		t.Errorf("without an address: code %d, %s", code, errs)
	}
	c, err := ReadConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c.Log.Level, c.HTTP.Listen = "error", "127.0.0.1:0"
	h := &House{Config: c, Log: newLog(c.Log, t.Output())}
	if err := h.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	listen := "\n[http]\nlisten = " + quote(h.web.ln.Addr().String()) + "\n"
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	asking := file(t, t.TempDir(), "pbemd.toml", string(text)+listen)
	if code, out, errs := pbemd(t, "", "doctor", "--health", "--config", asking); code != exitDone || !strings.Contains(out, `"status": "ok"`) {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	if code, out, errs := pbemd(t, "", "doctor", "--config", asking); code != exitDone || !strings.Contains(out, "ok     http       pbemd "+build()) {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if code, out, errs := pbemd(t, "", "doctor", "--health", "--config", asking); code != exitError || out != "" || !strings.Contains(errs, "does pbemd serve run?") {
		t.Errorf("after it stopped: code %d, %s%s", code, out, errs)
	}
	if code, out, _ := pbemd(t, "", "doctor", "--config", asking); code != exitDone || !strings.Contains(out, "does not run here") {
		t.Errorf("after it stopped: code %d, %s", code, out)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	stranger := file(t, t.TempDir(), "pbemd.toml", string(text)+"\n[http]\nlisten = "+quote(other.Listener.Addr().String())+"\n")
	if code, out, _ := pbemd(t, "", "doctor", "--config", stranger); code != exitError || !strings.Contains(out, "WRONG  http") {
		t.Errorf("a stranger: code %d, %s", code, out)
	}
}

// TestComposeFiles: the config of docker-compose.yml has only keys that exist,
// and its game is right.
func TestComposeFiles(t *testing.T) {
	t.Parallel()
	const dir = "../../contrib/compose"
	text, err := os.ReadFile(filepath.Join(dir, "pbemd.toml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig("pbemd.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	// The secrets are where Docker puts them.
	for path, name := range map[*string]string{&c.Database.URLFile: "database-url", &c.IMAP.PasswordFile: "mail-password", &c.SMTP.PasswordFile: "mail-password"} {
		if *path != "/run/secrets/"+name {
			t.Errorf("read from %s, want %s", *path, name)
		}
		*path = filepath.Join(dir, "secrets", name)
	}
	faults := c.secrets("pbemd.toml")
	c.defaults()
	if faults = append(faults, c.check("pbemd.toml")...); len(faults) > 0 {
		t.Error(faults)
	}
	if code, out, errs := pbemd(t, "", "game", "create", filepath.Join(dir, "game.toml"), "--config", embedded(t)); code != exitDone {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
}
