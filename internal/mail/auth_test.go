package mail

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"
)

func TestAuthenticationResults(t *testing.T) {
	t.Parallel()
	const mx = "mx.example.org"
	received := "Received: by mx.example.org; Tue, 03 Mar 2026 20:14:07 +0000"
	forged := "Received: from x by y; Tue, 03 Mar 2026 20:14:07 +0000"
	ar := "Authentication-Results: "
	tests := []struct {
		name   string
		header []string
		want   AuthLevel
	}{
		{"dmarc pass", []string{ar + "mx.example.org; dmarc=pass header.from=player.test", received}, AuthVerified},
		{"id in other case, version, comments", []string{ar + "MX.Example.ORG 1 (v); dmarc = pass (p=NONE) header.from (c) = Player.TEST", received}, AuthVerified},
		{"below our own Received", []string{received, ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthVerified},
		{"aligned dkim pass", []string{ar + "mx.example.org; dkim=pass header.d=player.test", received}, AuthVerified},
		{"dkim pass by i=", []string{ar + "mx.example.org; dkim=pass header.i=@player.test", received}, AuthVerified},
		{"dkim of a subdomain", []string{ar + "mx.example.org; dkim=pass header.d=mail.player.test", received}, AuthVerified},
		{"folded", []string{ar + "mx.example.org;\n dkim=pass header.d=player.test;\n\tspf=pass smtp.mailfrom=x", received}, AuthVerified},
		{"foreign signature beside ours", []string{ar + "mx.example.org; dkim=fail header.d=list.test; dkim=pass header.d=player.test", received}, AuthVerified},

		{"no field", []string{received}, AuthNone},
		{"none", []string{ar + "mx.example.org; none", received}, AuthNone},
		{"spf alone proves nothing", []string{ar + "mx.example.org; spf=pass smtp.mailfrom=player.test", received}, AuthNone},
		{"dmarc pass of another domain", []string{ar + "mx.example.org; dmarc=pass header.from=evil.test", received}, AuthNone},
		{"dmarc pass of nobody", []string{ar + "mx.example.org; dmarc=pass", received}, AuthNone},
		{"dmarc pass of two domains", []string{ar + "mx.example.org; dmarc=pass header.from=evil.test header.from=player.test", received}, AuthNone},
		{"dkim pass of another domain", []string{ar + "mx.example.org; dkim=pass header.d=evil.test", received}, AuthNone},
		{"dkim pass of the public suffix", []string{ar + "mx.example.org; dkim=pass header.d=test", received}, AuthNone},
		{"dkim pass of a look-alike", []string{ar + "mx.example.org; dkim=pass header.d=xplayer.test", received}, AuthNone},
		{"another id", []string{ar + "mx.example.org.evil.test; dmarc=pass header.from=player.test", received}, AuthNone},
		{"no id (Microsoft 365)", []string{ar + "spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=x; dmarc=pass action=none header.from=player.test", received}, AuthNone},
		{"version 2", []string{ar + "mx.example.org 2; dmarc=pass header.from=player.test", received}, AuthNone},
		{"below a hop that is not ours", []string{received, forged, ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthNone},
		{"below the sender's own fields, no Received of his", []string{received, "From: Alice <alice@player.test>", ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthNone},
		{"below the sender's own fields it speaks only against him", []string{ar + "mx.example.org; dmarc=pass header.from=player.test", received, "Subject: x", ar + "mx.example.org; dmarc=fail header.from=player.test"}, AuthFailed},
		{"above our own Received, the sender's fields between", []string{"Delivered-To: x", ar + "mx.example.org; dmarc=pass header.from=player.test", received, "Date: x"}, AuthVerified},
		{"without any Received", []string{ar + "mx.example.org; dmarc=pass header.from=player.test", "To: x"}, AuthVerified},
		{"without any Received, below the sender's fields", []string{"To: x", ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthNone},
		{"method of another name", []string{ar + "mx.example.org; x-dmarc=pass header.from=player.test", received}, AuthNone},
		{"result that only begins like pass", []string{ar + "mx.example.org; dmarc=passx header.from=player.test", received}, AuthNone},

		{"blank before the colon", []string{"Authentication-Results : mx.example.org; dmarc=pass header.from=player.test", received}, AuthNone},
		{"blank before the colon, where the letter begins", []string{received, "Authentication-Results\t: mx.example.org; dmarc=pass header.from=player.test"}, AuthNone},
		{"results that were sealed by others", []string{"ARC-Authentication-Results: i=1; mx.example.org; dmarc=pass header.from=player.test", received}, AuthNone},
		{"log-in at another's", []string{ar + "mx.example.org; auth=pass smtp.auth=alice@player.test", received}, AuthNone},
		{"id in quotes", []string{ar + `"mx.example.org"; dmarc=pass header.from="player.test"`, received}, AuthVerified},
		{"id with a version and a path", []string{ar + "mx.example.org/1; dmarc=pass header.from=player.test", received}, AuthNone},
		{"address for a domain", []string{ar + "mx.example.org; dmarc=pass header.from=x@player.test", received}, AuthNone},
		{"a domain with more", []string{ar + "mx.example.org; dmarc=pass header.from=player.test,evil.test", received}, AuthNone},
		{"best guess", []string{ar + "mx.example.org; dmarc=bestguesspass header.from=player.test", received}, AuthNone},
		{"policy", []string{ar + "mx.example.org; dkim=policy header.d=player.test", received}, AuthNone},
		{"two passes, one of another", []string{ar + "mx.example.org; dmarc=pass header.from=player.test; dmarc=pass header.from=evil.test", received}, AuthNone},
		{"two fields that agree", []string{ar + "mx.example.org; dmarc=pass header.from=player.test", received, ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthVerified},

		// What stands in comments and quotes was chosen by the sender.
		{"comment trick", []string{ar + `mx.example.org; spf=pass (mx: domain of "x; dmarc=pass header.from=player.test; y="@evil.test designates 192.0.2.1) smtp.mailfrom=evil.test`, received}, AuthNone},
		{"quote trick", []string{ar + `mx.example.org; spf=pass smtp.mailfrom="x; dmarc=pass header.from=player.test; y="@evil.test`, received}, AuthNone},
		{"escaped quote trick", []string{ar + `mx.example.org; spf=pass smtp.mailfrom="x\"; dmarc=pass header.from=player.test; y=\""@evil.test`, received}, AuthNone},
		{"nested comment trick", []string{ar + `mx.example.org; spf=pass (a (b) ; dmarc=pass header.from=player.test) smtp.mailfrom=evil.test`, received}, AuthNone},
		{"escaped bracket trick", []string{ar + `mx.example.org; spf=pass (a \) ; dmarc=pass header.from=player.test; x=y ) smtp.mailfrom=evil.test`, received}, AuthNone},
		{"reason trick", []string{ar + `mx.example.org; spf=fail reason="x; dmarc=pass header.from=player.test"`, received}, AuthNone},
		{"comment left open swallows the rest", []string{ar + `mx.example.org; dmarc=pass header.from=player.test; spf=pass (open ; dmarc=fail header.from=player.test`, received}, AuthNone},
		{"quote left open", []string{ar + `mx.example.org; dmarc=pass header.from=player.test; spf=pass smtp.mailfrom="x; dmarc=fail`, received}, AuthNone},
		{"id in a comment", []string{ar + `evil.test (mx.example.org); dmarc=pass header.from=player.test`, received}, AuthNone},

		// Where two fields speak, the worse one counts.
		{"pass beside fail", []string{ar + "mx.example.org; dmarc=fail header.from=player.test", received, ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthFailed},
		{"pass beside none", []string{ar + "mx.example.org; dmarc=none header.from=player.test", received, ar + "mx.example.org; dmarc=pass header.from=player.test"}, AuthNone},
		{"signature beside none", []string{ar + "mx.example.org; dkim=none", received, ar + "mx.example.org; dkim=pass header.d=player.test"}, AuthNone},
		{"dmarc fail", []string{ar + "mx.example.org; dmarc=fail header.from=player.test; dkim=pass header.d=player.test", received}, AuthFailed},
		{"aligned dkim fail", []string{ar + "mx.example.org; dkim=fail header.d=player.test", received}, AuthFailed},
		{"two signatures, one fails", []string{ar + "mx.example.org; dkim=pass header.d=player.test; dkim=fail header.d=player.test", received}, AuthFailed},
		{"dkim that could not be checked", []string{ar + "mx.example.org; dkim=temperror header.d=player.test", received}, AuthNone},
	}
	for _, tt := range tests {
		raw := strings.Join(tt.header, "\n") + "\n"
		if !strings.Contains(raw, "From: ") {
			raw += "From: Alice <alice@player.test>\n"
		}
		raw += "\nhello\n"
		l := Read([]byte(raw), ReadOptions{MXHops: 1, AuthservID: mx})
		if l.Auth.Level != tt.want || l.Auth.Why == "" {
			t.Errorf("%s: %s (%s), want %s", tt.name, l.Auth.Level, l.Auth.Why, tt.want)
		}
	}
}

func TestWithoutKnownHopsNothingBelowAReceivedCounts(t *testing.T) {
	t.Parallel()
	raw := "Received: by x; Tue, 03 Mar 2026 20:14:07 +0000\nAuthentication-Results: mx; dmarc=pass header.from=player.test\nFrom: alice@player.test\n\nx\n"
	if l := Read([]byte(raw), ReadOptions{AuthservID: "mx"}); l.Auth.Level != AuthNone {
		t.Errorf("%s (%s)", l.Auth.Level, l.Auth.Why)
	}
}

func TestOwnSubmissionVouchesForTheWholeAddress(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header string
		want   AuthLevel
	}{
		"himself":               {"Authentication-Results: post.local; auth=pass smtp.auth=Alice@player.test\n", AuthVerified},
		"quoted":                {"Authentication-Results: post.local; auth=pass smtp.auth=\"alice@player.test\"\n", AuthVerified},
		"somebody else":         {"Authentication-Results: post.local; auth=pass smtp.auth=bob@player.test\n", AuthFailed},
		"nobody":                {"Authentication-Results: post.local; auth=pass\n", AuthFailed},
		"refused":               {"Authentication-Results: post.local; auth=fail smtp.auth=alice@player.test\n", AuthFailed},
		"nothing said":          {"Authentication-Results: post.local; none\n", AuthFailed},
		"unreadable":            {"Authentication-Results: post.local; auth=pass smtp.auth=\"alice@player.test\n", AuthFailed},
		"two users":             {"Authentication-Results: post.local; auth=pass smtp.auth=alice@player.test; auth=pass smtp.auth=bob@player.test\n", AuthFailed},
		"another post office":   {"Authentication-Results: post.other; auth=pass smtp.auth=alice@player.test\n", AuthNone},
		"no field":              {"", AuthNone},
		"domain results do not": {"Authentication-Results: post.local.x; dmarc=pass header.from=player.test\n", AuthNone},
	}
	for name, tt := range tests {
		raw := tt.header + "Received: by post.local; Tue, 03 Mar 2026 20:14:07 +0000\nFrom: alice@player.test\n\nx\n"
		l := Read([]byte(raw), ReadOptions{MXHops: 1, SubmissionID: "Post.Local"})
		if l.Auth.Level != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, l.Auth.Level, l.Auth.Why, tt.want)
		}
	}
}

// signed signs a letter for a domain and returns the DNS that knows the key.
func signed(t *testing.T, raw, domain string, how ...func(*dkim.SignOptions)) (out string, lookup func(string) ([]string, error)) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{4}, ed25519.SeedSize))
	var b bytes.Buffer
	o := dkim.SignOptions{
		Domain: domain, Selector: "s", Signer: key,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	}
	for _, f := range how {
		f(&o)
	}
	if err := dkim.Sign(&b, strings.NewReader(raw), &o); err != nil {
		t.Fatal(err)
	}
	record := "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	return b.String(), func(name string) ([]string, error) {
		if name != "s._domainkey."+domain {
			return nil, fmt.Errorf("unexpected query for %s", name)
		}
		return []string{record}, nil
	}
}

func TestDKIMIsVerifiedWhereNobodyElseVouches(t *testing.T) {
	t.Parallel()
	const letter = "From: Alice <alice@player.test>\r\nTo: pbem@example.org\r\nSubject: orders\r\n\r\nfire\r\n"
	good, lookup := signed(t, letter, "player.test")
	sub, lookupSub := signed(t, letter, "mail.player.test")
	foreign, lookupForeign := signed(t, letter, "evil.test")
	down := func(string) ([]string, error) { return nil, errors.New("no answer") }
	tests := map[string]struct {
		raw    string
		lookup func(string) ([]string, error)
		want   AuthLevel
	}{
		"signed":              {good, lookup, AuthVerified},
		"signed by subdomain": {sub, lookupSub, AuthVerified},
		"signed by another":   {foreign, lookupForeign, AuthNone},
		"not signed":          {letter, lookup, AuthNone},
		"changed body":        {strings.Replace(good, "fire", "flee", 1), lookup, AuthFailed},
		"changed subject":     {strings.Replace(good, "orders", "other", 1), lookup, AuthFailed},
		"no DNS":              {good, down, AuthNone},
		"no key":              {good, func(string) ([]string, error) { return nil, nil }, AuthNone},
		"no look-up":          {good, nil, AuthNone},
		"junk signature":      {"DKIM-Signature: junk\r\n" + letter, lookup, AuthNone},
	}
	for name, tt := range tests {
		l := Read([]byte(tt.raw), ReadOptions{LookupTXT: tt.lookup})
		if l.Auth.Level != tt.want || l.Kind != KindLetter {
			t.Errorf("%s: %s (%s), want %s", name, l.Auth.Level, l.Auth.Why, tt.want)
		}
	}
}

// TestSignaturesThatProveNothing: a signature may be good as far as it goes and
// still say nothing about the letter; that speaks neither for its sender nor
// against him.
func TestSignaturesThatProveNothing(t *testing.T) {
	t.Parallel()
	const letter = "From: Alice <alice@player.test>\r\nTo: pbem@example.org\r\nSubject: orders\r\n\r\nfire\r\n"
	good, lookup := signed(t, letter, "player.test")
	record, _ := lookup("s._domainkey.player.test")
	with := func(flags string) func(string) ([]string, error) {
		return func(string) ([]string, error) { return []string{record[0] + flags}, nil }
	}
	until := func(at time.Time) string {
		raw, _ := signed(t, letter, "player.test", func(o *dkim.SignOptions) { o.Expiration = at })
		return raw
	}
	keys := func(keys ...string) string {
		raw, _ := signed(t, letter, "player.test", func(o *dkim.SignOptions) { o.HeaderKeys = keys })
		return raw
	}
	identity := func(i string) string {
		raw, _ := signed(t, letter, "player.test", func(o *dkim.SignOptions) { o.Identifier = i })
		return raw
	}
	tag := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("no %q in %s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	forged := tag("fire", "flee")
	tests := map[string]struct {
		raw    string
		lookup func(string) ([]string, error)
		want   AuthLevel
	}{
		"not expired":                          {until(time.Now().Add(time.Hour)), lookup, AuthVerified},
		"expired":                              {until(time.Now().Add(-time.Hour)), lookup, AuthNone},
		"expired, and changed":                 {strings.Replace(until(time.Now().Add(-time.Hour)), "fire", "flee", 1), lookup, AuthNone},
		"of a part of the body":                {tag("a=ed25519", "l=3; a=ed25519"), lookup, AuthNone},
		"of the whole body, by its length":     {tag("a=ed25519", "l=6; a=ed25519"), lookup, AuthNone},
		"of a part of the body, with more":     {tag("a=ed25519", "l=6; a=ed25519") + "flee\r\n", lookup, AuthNone},
		"length beside a good one":             {strings.Replace(tag("a=ed25519", "l=6; a=ed25519"), letter, "", 1) + good, lookup, AuthVerified},
		"length beside a bad one":              {strings.Replace(tag("a=ed25519", "l=6; a=ed25519"), letter, "", 1) + forged, lookup, AuthFailed},
		"of From alone":                        {keys("From"), lookup, AuthVerified},
		"of From alone, another Subject":       {strings.Replace(keys("From"), "orders", "other", 1), lookup, AuthVerified},
		"of a field that is not there":         {keys("From", "Cc"), lookup, AuthVerified},
		"of a field that came later":           {"Cc: x@y.test\r\n" + keys("From", "Cc"), lookup, AuthFailed},
		"not of From":                          {strings.Replace(keys("From", "To"), "From:To", "To", 1), lookup, AuthNone},
		"by an identity of the domain":         {identity("alice@player.test"), lookup, AuthVerified},
		"by an identity below the domain":      {identity("alice@sub.player.test"), lookup, AuthVerified},
		"by an identity elsewhere":             {tag("d=player.test;", "d=player.test; i=@evil.test;"), lookup, AuthNone},
		"of another version":                   {tag("v=1", "v=2"), lookup, AuthNone},
		"with a tag twice":                     {tag("v=1", "v=1; v=1"), lookup, AuthNone},
		"by a weak algorithm":                  {tag("a=ed25519-sha256", "a=rsa-sha1"), lookup, AuthNone},
		"by an unknown algorithm":              {tag("a=ed25519-sha256", "a=x-y"), lookup, AuthNone},
		"by a way of asking that is unknown":   {tag("v=1", "q=x; v=1"), lookup, AuthNone},
		"key revoked":                          {good, func(string) ([]string, error) { return []string{"v=DKIM1; k=ed25519; p="}, nil }, AuthNone},
		"two keys":                             {good, func(string) ([]string, error) { return []string{record[0], record[0]}, nil }, AuthNone},
		"key for another service":              {good, with("; s=web"), AuthNone},
		"key for the domain alone":             {good, with("; t=s"), AuthVerified},
		"key for the domain alone, one below":  {identity("alice@sub.player.test"), with("; t=s"), AuthNone},
		"key under test":                       {good, with("; t=y"), AuthNone},
		"key under test, the letter changed":   {forged, with("; t=s:y"), AuthNone},
		"key not under test, but its notes so": {good, with("; n=t=y"), AuthVerified},
	}
	for name, tt := range tests {
		l := Read([]byte(tt.raw), ReadOptions{LookupTXT: tt.lookup})
		if l.Auth.Level != tt.want || l.Auth.Why == "" || l.Kind != KindLetter {
			t.Errorf("%s: %s, %s (%s), want %s", name, l.Kind, l.Auth.Level, l.Auth.Why, tt.want)
		}
	}
}

func TestDKIMAsksTheDNSAFewTimesOnly(t *testing.T) {
	t.Parallel()
	good, lookup := signed(t, "From: alice@player.test\r\n\r\nfire\r\n", "player.test")
	signature, _, _ := strings.Cut(good, "From:")
	calls := make(chan string, 1000)
	Read([]byte(strings.Repeat(signature, 50)+"From: alice@player.test\r\n\r\nfire\r\n"), ReadOptions{
		LookupTXT: func(name string) ([]string, error) {
			calls <- name
			return lookup(name)
		},
	})
	if len(calls) > maxSignatures {
		t.Errorf("%d queries, want at most %d", len(calls), maxSignatures)
	}
}

func TestSubdomainsOfAPublicSuffixAreDifferentOrganisations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		signer, from string
		want         bool
	}{
		{"player.test", "player.test", true},
		{"PLAYER.test", "player.test", true},
		{"mail.player.test", "player.test", true},
		{"player.test", "mail.player.test", true},
		{"a.player.test", "b.player.test", true},
		{"evil.eu.org", "alice.eu.org", false},
		{"eu.org", "alice.eu.org", false},
		{"evil.co.uk", "co.uk", false},
		{"", "player.test", false},
		{"xplayer.test", "player.test", false},
	}
	for _, tt := range tests {
		if got := aligned(tt.signer, tt.from); got != tt.want {
			t.Errorf("%q for %q: %v", tt.signer, tt.from, got)
		}
	}
}

func FuzzAuthResults(f *testing.F) {
	f.Add(`mx.example.org 1; spf=pass (a (b) "x; dmarc=pass) smtp.mailfrom="x y"@z; dmarc/1=pass reason="r" header.from=player.test`)
	f.Add("mx; none")
	f.Fuzz(func(t *testing.T, value string) {
		plain, err := parseAuthResults(value)
		commented, commentedErr := parseAuthResults("(a (b) \\) ;) " + value + " (c)")
		if (err == nil) != (commentedErr == nil) && !strings.HasSuffix(value, "\\") {
			t.Errorf("%v, with comments around it %v", err, commentedErr)
		}
		if err == nil && !reflect.DeepEqual(plain, commented) {
			t.Errorf("%+v, with comments around it %+v", plain, commented)
		}
	})
}

func FuzzDKIM(f *testing.F) {
	const letter = "From: alice@player.test\r\n\r\nfire\r\n"
	f.Add("DKIM-Signature: v=1; a=rsa-sha256; d=player.test; s=s; h=from; bh=x; b=y\r\n"+letter, "v=DKIM1; k=rsa; p=")
	f.Add("DKIM-Signature: a=ed25519-sha256; bh=SGVsbG8=; c=relaxed/simple;\r\n d=player.test; h=From; i=@player.test; q=dns/txt; s=s; t=1; x=2; v=1; b=aGVsbG8=\r\n"+letter, "p=")
	f.Fuzz(func(t *testing.T, raw, record string) {
		o := ReadOptions{LookupTXT: func(string) ([]string, error) { return []string{record}, nil }}
		if l := Read([]byte(raw), o); l.Auth.Level == AuthVerified {
			t.Errorf("verified: %s", l.Auth.Why)
		}
	})
}

// TestTooLargeLetterIsNotVerified: a letter over the limit costs neither a query
// nor a hash (which comes after the query), though its signature is good; and a
// letter that was cut is not called forged for it.
func TestTooLargeLetterIsNotVerified(t *testing.T) {
	t.Parallel()
	good, lookup := signed(t, "From: alice@player.test\r\nSubject: orders\r\n\r\n"+strings.Repeat("fire\r\n", 1000), "player.test")
	asked := false
	o := ReadOptions{MaxSize: len(good), LookupTXT: func(name string) ([]string, error) {
		asked = true
		return lookup(name)
	}}
	if l := Read([]byte(good), o); l.Kind != KindLetter || l.Auth.Level != AuthVerified || !asked {
		t.Fatalf("at the limit: %s, %+v", l.Kind, l.Auth)
	}
	asked = false
	for name, raw := range map[string]string{"whole": good, "cut": good[:len(good)-7]} {
		o.MaxSize = len(raw) - 1
		l := Read([]byte(raw), o)
		if l.Kind != KindQuarantine || l.From != "alice@player.test" || l.Auth.Level != AuthNone || asked {
			t.Errorf("%s: %s from %s, %+v, asked the DNS: %v", name, l.Kind, l.From, l.Auth, asked)
		}
	}
	if ReadHeader([]byte(good), o); asked {
		t.Error("reading the header asks the DNS")
	}
}
