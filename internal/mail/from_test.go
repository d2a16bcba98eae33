package mail

import (
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/google/go-cmp/cmp"
)

func TestFromNamesExactlyOneMailbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value, addr, name string // no addr: it must be refused
	}{
		{"alice@player.test", "alice@player.test", ""},
		{"Alice Player <Alice@Player.Test>", "alice@player.test", "Alice Player"},
		{`"Player, Alice" <alice@player.test>`, "alice@player.test", "Player, Alice"},
		{"Player, Alice <alice@player.test>", "alice@player.test", "Player, Alice"},
		{`"Al \"Ace\" P" <alice@player.test>`, "alice@player.test", `Al "Ace" P`},
		{"<alice@player.test>", "alice@player.test", ""},
		{"alice@player.test (Alice Player)", "alice@player.test", "Alice Player"},
		{"=?utf-8?q?J=C3=B6rg?= <j@player.test>", "j@player.test", "Jörg"},
		{"=?x-none?q?J=C3=B6rg?= <j@player.test>", "j@player.test", "=?x-none?q?J=C3=B6rg?="},
		{"J\xf6rg <j@player.test>", "j@player.test", "Jörg"},
		{"j\u00f6rg@b\u00fccher.test", "j\u00f6rg@xn--bcher-kva.test", ""},
		{`"alice"@player.test`, "", ""},

		// A name that looks like an address is only a name.
		{"gm@gm.test <alice@player.test>", "alice@player.test", "gm@gm.test"},
		{`"gm@gm.test" <alice@player.test>`, "alice@player.test", "gm@gm.test"},
		{`"<gm@gm.test>" <alice@player.test>`, "alice@player.test", "<gm@gm.test>"},
		{"(<gm@gm.test>) <alice@player.test>", "alice@player.test", "(<gm@gm.test>)"},

		{"", "", ""},
		{"alice", "", ""},
		{"<>", "", ""},
		{"@player.test", "", ""},
		{"alice@", "", ""},
		{"alice@player.test, bob@player.test", "", ""},
		{"gm@gm.test, Alice <alice@player.test>", "", ""},
		{"<gm@gm.test> <alice@player.test>", "", ""},
		{"<gm@gm.test>, <alice@player.test>", "", ""},
		{"<alice@player.test> gm@gm.test", "", ""},
		{"Alice <alice@player.test> x", "", ""},
		{"Alice <<alice@player.test>>", "", ""},
		{"Alice <alice@player.test", "", ""},
		{"Alice> <alice@player.test>", "", ""},
		{"gm@gm.test; <alice@player.test>", "", ""},
		{"group: alice@player.test;", "", ""},
		{"group: Alice <alice@player.test>;", "", ""},
		{"<@relay.test:alice@player.test>", "", ""},
		{"Alice <alice@player.test, gm@gm.test>", "", ""},
		{"Alice <alice @player.test>", "", ""},
		{"alice@player.test gm@gm.test", "", ""},
		{"alice@[192.0.2.1]", "", ""},
		{"alice@player..test", "", ""},
		{"alice..p@player.test", "", ""},
		{".alice@player.test", "", ""},
		{"alice@-player.test", "", ""},
		{"alice@player_x.test", "", ""},
		{`"open <alice@player.test>`, "", ""},
		{"(open <alice@player.test>", "", ""},
		{"close) <alice@player.test>", "", ""},
		{"gm@gm.test\r <alice@player.test>", "", ""},
		{"Alice <alice\x00@player.test>", "", ""},
		{"Alice <al\xfface@player.test>", "", ""},
		{"Alice <alice@play\u00ader.test>", "", ""}, // IDNA would drop the soft hyphen
		{"\u212aate@player.test", "", ""},           // the Kelvin sign
		{"kate@\u212aplayer.test", "", ""},
		{"jo\u0308rg@player.test", "", ""},
		{"Alice <alice@\uff50layer.test>", "", ""},                               // and make a plain p of a wide one
		{strings.Repeat("a", 65) + "@player.test", "", ""},                       // RFC 5321 section 4.5.3.1
		{"a@" + strings.Repeat(strings.Repeat("b", 60)+".", 5) + "test", "", ""}, // the same
	}
	for _, tt := range tests {
		addr, name, err := parseFrom(tt.value)
		if addr != tt.addr || name != tt.name || (err == nil) != (tt.addr != "") {
			t.Errorf("%q: %q %q %v, want %q %q", tt.value, addr, name, err, tt.addr, tt.name)
		}
	}
}

func TestNormalizeAddressKeepsDifferentPeopleApart(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{"Alice@PLAYER.test", " alice@player.test "},
		{"JÖRG@bücher.test", "jörg@XN--BCHER-KVA.test"},
	}
	for _, p := range same {
		a, errA := NormalizeAddress(p[0])
		b, errB := NormalizeAddress(p[1])
		if a != b || errA != nil || errB != nil {
			t.Errorf("%q and %q: %q %v, %q %v", p[0], p[1], a, errA, b, errB)
		}
	}
	different := [][2]string{
		{"gm@gm.test", "gm@gm.t\u0435st"}, // Cyrillic
		{"a.b@x.test", "ab@x.test"},
		{"a+b@x.test", "a@x.test"},
		{"straße@x.test", "strasse@x.test"},
		{"a@straße.test", "a@strasse.test"},
	}
	for _, p := range different {
		a, errA := NormalizeAddress(p[0])
		b, errB := NormalizeAddress(p[1])
		if a == b || errA != nil || errB != nil {
			t.Errorf("%q and %q: %q %v, %q %v", p[0], p[1], a, errA, b, errB)
		}
	}
}

func TestNormalizingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"Alice@PLAYER.test", "JÖRG@bücher.test", "ⅷ@x.test"} {
		once, err := NormalizeAddress(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if twice, err := NormalizeAddress(once); twice != once || err != nil {
			t.Errorf("%q: %q, then %q, %v", s, once, twice, err)
		}
	}
}

func TestRecipientsAreFoundLeniently(t *testing.T) {
	t.Parallel()
	got := looseAddresses(`"a, b" <A@x.test>, c@x.test (see), <d@x.test>; e@x.test;, team: f@x.test;, g, h@i@x.test, "q@x.test"`, 10)
	if diff := cmp.Diff([]string{"A@x.test", "c@x.test", "d@x.test"}, got[:3]); diff != "" {
		t.Error(diff)
	}
	if found := looseAddresses("a@b\x7f.test, a\xff@b.test, a b@c.test, a@b@c.test", 10); len(found) > 0 {
		t.Errorf("%q", found)
	}
	if n := len(looseAddresses(strings.Repeat("a@b.test,", 1000), 7)); n != 7 {
		t.Errorf("%d addresses, want 7", n)
	}
}

func FuzzFrom(f *testing.F) {
	f.Add("gm@gm.test <alice@player.test>")
	f.Add(`"x" (y) <a@b>`)
	f.Fuzz(func(t *testing.T, value string) {
		addr, _, err := parseFrom(value)
		if (err == nil) != (addr != "") {
			t.Errorf("%q, %v", addr, err)
		}
		if err != nil {
			return
		}
		if again, err := NormalizeAddress(addr); again != addr || err != nil {
			t.Errorf("%q normalises to %q, %v", addr, again, err)
		}
		looseAddresses(value, 5)
	})
}

// TestFromThatOthersSee: a second sender in a line that is no field by the book,
// but that other readers take for one, is a second sender. A signature of his would
// count as that of the first (they share a domain).
func TestFromThatOthersSee(t *testing.T) {
	t.Parallel()
	letter, lookup := signed(t, "From: mallory@player.test\r\nSubject: x\r\n\r\nOK\r\n", "player.test", func(o *dkim.SignOptions) { o.HeaderKeys = []string{"From", "Subject"} })
	for _, name := range []string{"From", "from ", "FROM\t", "From\u00a0", "\u00a0From", "From\v", "\fFrom", "From\u0085", "\u2003From\u2003", "\x00From", "From\u200b", "\ufeffFrom", "X: y\rFrom", "X: y\r\n z\rFrom"} {
		raw := strings.Replace(letter, "From: mallory", "From: alice@player.test\r\n"+name+": mallory", 1)
		l := Read([]byte(raw), ReadOptions{LookupTXT: lookup})
		if l.Kind != KindQuarantine || l.From != "" || l.Auth.Level == AuthVerified {
			t.Errorf("%q: %s from %q, %s (%s)", name, l.Kind, l.From, l.Auth.Level, l.Auth.Why)
		}
	}
	for _, line := range []string{"X-From", "Resent-From", "From-Whom", "Subject: hello,\r\n From", "Subject: From", ">From", "Not From"} {
		raw := strings.Replace(letter, "From: mallory@player.test\r\n", "From: mallory@player.test\r\n"+line+": alice@player.test\r\n", 1)
		l := Read([]byte(raw), ReadOptions{})
		if l.Kind != KindLetter || l.From != "mallory@player.test" {
			t.Errorf("%q: %s (%s) from %q", line, l.Kind, l.Why, l.From)
		}
	}
}
