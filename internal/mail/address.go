package mail

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Lengths of an address in bytes (RFC 5321 section 4.5.3.1).
const (
	maxLocalPart = 64
	maxAddress   = 254
)

// domains maps a domain to the form in which it is compared: ASCII, lower case.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(true))

// NormalizeAddress brings a bare address (no display name, no brackets) to the
// one form in which addresses are stored and compared: lower case, the domain in
// ASCII (IDNA). Local parts that need quoting, address literals, and letters
// that would turn into others on the way are errors. Dots and plus tags in the
// local part are kept: they may name different people.
func NormalizeAddress(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", errors.New("the address is not valid UTF-8")
	}
	s = strings.TrimSpace(s)
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || at == len(s)-1 {
		return "", errors.New("the address has no local part or no domain")
	}
	local, domain := s[:at], s[at+1:]
	// NFC would turn some letters into others (the Kelvin sign into K).
	if !norm.NFC.IsNormalString(local) {
		return "", fmt.Errorf("the local part %q is not in NFC", local)
	}
	local = strings.Map(lower, local)
	if !isDotAtom(local) {
		return "", fmt.Errorf("the local part %q is not plain", local)
	}
	domain, err := normalizeDomain(domain)
	if err != nil {
		return "", err
	}
	if len(local) > maxLocalPart || len(local)+1+len(domain) > maxAddress {
		return "", errors.New("the address is too long")
	}
	return local + "@" + domain, nil
}

// normalizeDomain is the domain half of [NormalizeAddress].
func normalizeDomain(domain string) (string, error) {
	if len(domain) > maxAddress {
		return "", errors.New("the domain is too long")
	}
	ascii, err := domains.ToASCII(domain)
	if err != nil {
		return "", fmt.Errorf("the domain %q is not valid", domain)
	}
	// IDNA maps some characters to others and some to nothing. A domain that
	// needs it is not what it looks like.
	if shown, err := domains.ToUnicode(ascii); err != nil || !isASCII(domain) && shown != strings.Map(lower, domain) {
		return "", fmt.Errorf("the domain %q is not valid", domain)
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if label == "" || len(label) > 63 {
			return "", fmt.Errorf("the domain %q is not valid", domain)
		}
	}
	return ascii, nil
}

// lower is unicode.ToLower, save that letters outside ASCII (the Kelvin sign)
// do not become letters inside.
func lower(r rune) rune {
	if l := unicode.ToLower(r); r < utf8.RuneSelf || l >= utf8.RuneSelf {
		return l
	}
	return r
}

// isDotAtom reports whether s is a dot-atom (RFC 5322 section 3.2.3, with the
// letters that RFC 6532 adds).
func isDotAtom(s string) bool {
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if r <= ' ' || r == 0x7f || strings.ContainsRune(`()<>[]:;@\,"`, r) {
				return false
			}
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return false
		}
	}
	return true
}

// addressDomain is the part after the last "@".
func addressDomain(addr string) string {
	return addr[strings.LastIndexByte(addr, '@')+1:]
}

// splitAddress cuts an address at its last "@"; ok is false without one.
func splitAddress(addr string) (local, domain string, ok bool) {
	at := strings.LastIndexByte(addr, '@')
	if at < 0 {
		return "", "", false
	}
	return addr[:at], addr[at+1:], true
}
