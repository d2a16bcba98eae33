package postoffice

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAccountsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accounts")
	read := AccountsFile(path)
	if got, err := read(); err != nil || len(got) != 0 {
		t.Errorf("absent file gives %v, %v", got, err)
	}
	text := "# who may log in\n\n  Alice@PBEMD.localhost secret#1 \nbob@pbemd.localhost\ttwo\nalice@pbemd.localhost later"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := read()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"alice@pbemd.localhost": "secret#1", "bob@pbemd.localhost": "two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.WriteFile(path, []byte("a@b.test x\nc@d.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "accounts line 2") {
		t.Errorf("got %v, want the line named", err)
	}
}

func TestAddAccountKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accounts")
	first, err := AddAccount(path, "gm@pbemd.localhost")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-z2-7]{16}$`).MatchString(first) {
		t.Errorf("password %q", first)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := AddAccount(path, "GM@pbemd.localhost"); err != nil || again != first {
		t.Errorf("second time %q, %v, want %q", again, err, first)
	}
	// A person edited the file and left the last line open.
	if err := os.WriteFile(path, []byte("gm@pbemd.localhost mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	ann, err := AddAccount(path, "ann@pbemd.localhost")
	if err != nil {
		t.Fatal(err)
	}
	got, err := AccountsFile(path)()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"gm@pbemd.localhost": "mine", "ann@pbemd.localhost": ann}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "ann", "@x.test", "ann@", "a b@x.test", "ann@x test", "#ann@x.test", "../ann@x.test", "ann+tag@x.test"} {
		if _, err := AddAccount(path, bad); err == nil {
			t.Errorf("added %q", bad)
		}
	}
}

func TestAddAccountFromManySides(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accounts")
	addresses := []string{"a@x.test", "b@x.test", "c@x.test"}
	got := make([]string, 24)
	var adders sync.WaitGroup
	for i := range got {
		adders.Go(func() {
			var err error
			if got[i], err = AddAccount(path, addresses[i%len(addresses)]); err != nil {
				t.Error(err)
			}
		})
	}
	adders.Wait()
	accounts, err := AccountsFile(path)()
	if err != nil {
		t.Fatal(err)
	}
	for i, password := range got {
		if want := accounts[addresses[i%len(addresses)]]; password != want {
			t.Errorf("adder %d got %q, the file says %q", i, password, want)
		}
	}
}

func TestAddAccountsAddsWhatItCan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accounts")
	old, err := AddAccount(path, "gm@pbemd.localhost")
	if err != nil {
		t.Fatal(err)
	}
	got, err := AddAccounts(path, "ann@pbemd.localhost", "no body@pbemd.localhost", "GM@pbemd.localhost", "Ben@pbemd.localhost")
	if err == nil || !strings.Contains(err.Error(), "no body@pbemd.localhost") {
		t.Errorf("got %v, want the wrong address named", err)
	}
	if len(got) != 3 || got["gm@pbemd.localhost"] != old || got["ann@pbemd.localhost"] == "" || got["ben@pbemd.localhost"] == "" {
		t.Errorf("accounts %v", got)
	}
}

// A reader that stays sees what others add and what a person changes.
func TestAccountsFileIsReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "accounts")
	read := AccountsFile(path)
	for _, want := range []map[string]string{{}, {"a@b.test": "one"}, {"a@b.test": "one", "c@d.test": "two"}} {
		text := ""
		for _, a := range []string{"a@b.test", "c@d.test"} {
			if want[a] != "" {
				text += a + " " + want[a] + "\n"
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := read()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
