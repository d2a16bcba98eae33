package mail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testKeys() Keys { return NewKeys(7, [32]byte{1, 2, 3}) }

var sampleToken = Token{
	Game: 0xdeadbeef, Role: 513, Epoch: 250, Turn: 40_000, N: 3, Purpose: PurposeRelease,
	Expires: ExpiryDay(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)),
}

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	k := testKeys()
	for _, want := range []Token{{}, sampleToken, {Game: 1, Role: 1, Purpose: PurposeOrders, Expires: 65535}} {
		s := k.Seal(want)
		if len(s) != TokenLen || s != strings.ToLower(s) {
			t.Errorf("%q is not %d lower-case characters", s, TokenLen)
		}
		lookalikes := strings.NewReplacer("0", "O", "1", "l").Replace(s)
		for _, form := range []string{s, strings.ToUpper(s), lookalikes, strings.ToUpper(lookalikes), strings.NewReplacer("1", "i").Replace(s)} {
			got, err := k.Open(form)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s", form, err, diff)
			}
		}
	}
}

func TestTokenSealIsStable(t *testing.T) {
	t.Parallel()
	// Tokens live in mailboxes: the format must never change under a version.
	const want = "043xxbdyxw103ymw801g426dk9et5ph4mkyb1trc973g" // computed by other code
	if got := testKeys().Seal(sampleToken); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEveryFlippedBitIsRefused(t *testing.T) {
	t.Parallel()
	k := testKeys()
	s := k.Seal(sampleToken)
	for i := range len(s) {
		v := crockfordValue(s[i])
		for bit := range 5 {
			forged := s[:i] + string(crockfordAlphabet[v^1<<bit]) + s[i+1:]
			if _, err := k.Open(forged); !errors.Is(err, ErrTokenForged) && !errors.Is(err, ErrTokenShape) {
				t.Errorf("character %d, bit %d: %v", i, bit, err)
			}
		}
	}
}

func TestOpenRefusesWhatIsNoTokenOfOurs(t *testing.T) {
	t.Parallel()
	s := testKeys().Seal(sampleToken)
	tests := map[string]struct {
		text string
		keys Keys
		want error
	}{
		"empty":                   {"", testKeys(), ErrTokenShape},
		"one short":               {s[1:], testKeys(), ErrTokenShape},
		"one long":                {s + "0", testKeys(), ErrTokenShape},
		"letter u":                {"u" + s[1:], testKeys(), ErrTokenShape},
		"a dash":                  {s[:20] + "-" + s[21:], testKeys(), ErrTokenShape},
		"key of the same id":      {s, NewKeys(7, [32]byte{9}), ErrTokenForged},
		"key of another id":       {s, NewKeys(8, [32]byte{1, 2, 3}), ErrTokenForged},
		"sealed with no key":      {NewKeys(9, [32]byte{}).Seal(sampleToken), testKeys(), ErrTokenForged},
		"the key ring is no ring": {s, Keys{}, ErrTokenForged},
	}
	for name, tt := range tests {
		if _, err := tt.keys.Open(tt.text); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	tok := Token{Expires: ExpiryDay(time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC))}
	tests := map[time.Time]bool{
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC):                               false,
		time.Date(2026, 3, 3, 23, 59, 59, 0, time.UTC):                            false,
		time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC):                               true,
		time.Date(2026, 3, 4, 0, 30, 0, 0, time.FixedZone("CET", 3600)):           false,
		time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC):                               true,
		time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC):                               false,
		time.Date(2026, 3, 3, 20, 0, 0, 0, time.FixedZone("behind UTC", -5*3600)): true,
	}
	for at, want := range tests {
		if got := tok.ExpiredAt(at); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

func TestTokensInAddressesAndMessageIDs(t *testing.T) {
	t.Parallel()
	tok := testKeys().Seal(sampleToken)
	base := "pbem@example.org"
	addr := PlusAddress(base, tok)
	if local, _, _ := splitAddress(addr); len(local) > maxLocalPart {
		t.Errorf("%s: the local part is too long", addr)
	}
	got := FindTokens([]string{
		"alice@player.test", base, addr, strings.ToUpper(addr), "Pbem+short@Example.org", "pbem+@example.org",
		"pbem+x@other.org", "pbemx+y@example.org", "noaddress", addr,
		`"pbem+quoted"@example.org`, "pbem=2Bencoded@example.org", "pbem%2bescaped@example.org",
	}, base)
	if diff := cmp.Diff([]string{tok, strings.ToUpper(tok), "short", "quoted", "encoded", "escaped"}, got); diff != "" {
		t.Error(diff)
	}
	if FindTokens([]string{addr}, "nobase") != nil {
		t.Error("found tokens of no base")
	}

	id := MessageID(tok, 12, "example.org")
	if !isMessageID(id) {
		t.Errorf("%q is no Message-ID", id)
	}
	for text, want := range map[string]string{
		id:                              tok,
		" " + strings.ToUpper(id):       strings.ToUpper(tok),
		"<" + tok + "@example.org>":     "",
		"<" + tok + ".@example.org>":    "",
		"<" + tok + ".1@example.com>":   "",
		"<turn5.1@example.org>":         "",
		"":                              "",
		"<x." + tok + ".1@example.org>": "",
	} {
		if got, ok := TokenOfMessageID(text, "example.org"); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	if _, err := LoadKeys(path, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	made, err := LoadKeys(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	again, err := LoadKeys(path, true)
	if err != nil {
		t.Fatal(err)
	}
	old := made.Seal(sampleToken)
	if _, err := again.Open(old); err != nil {
		t.Errorf("loaded again: %v", err)
	}

	text := append(readFile(t, path), fmt.Sprintf("2 %064x\n", 99)...)
	rotated, err := ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rotated.Open(old); err != nil {
		t.Errorf("the old key no longer opens: %v", err)
	}
	if _, err := made.Open(rotated.Seal(sampleToken)); !errors.Is(err, ErrTokenForged) {
		t.Errorf("the new key does not seal: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestKeyFileFaultsNameTheLineAndNotTheKey(t *testing.T) {
	t.Parallel()
	good := fmt.Sprintf("1 %064x\n", 5)
	for name, text := range map[string]string{
		"empty":       "# nothing\n",
		"id too high": "256 " + good[2:],
		"no number":   "a " + good[2:],
		"short key":   good + "2 abcdef\n",
		"no key":      "1\n",
		"id twice":    good + good,
	} {
		_, err := ParseKeys([]byte(text))
		if err == nil || strings.Contains(err.Error(), "abcdef") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOpenToken(f *testing.F) {
	k := testKeys()
	f.Add(k.Seal(sampleToken))
	f.Add(strings.Repeat("z", TokenLen))
	f.Fuzz(func(t *testing.T, s string) {
		tok, err := k.Open(s)
		if err != nil {
			return
		}
		if again := k.Seal(tok); !strings.EqualFold(again, strings.NewReplacer("o", "0", "O", "0", "i", "1", "I", "1", "l", "1", "L", "1").Replace(s)) {
			t.Errorf("%q opens and seals as %q", s, again)
		}
	})
}
