package mail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Purpose is what a token may be used for. mail gives it no meaning.
type Purpose uint8

// The purposes of tokens. Their numbers are part of the sealed bytes and never change.
const (
	PurposeOrders  Purpose = 1 // orders of one turn
	PurposeRelease Purpose = 2 // release of one attempt, single use
	PurposeConfirm Purpose = 3 // confirmation of held letters, single use
	PurposeHello   Purpose = 4 // the answer to a GM's hello
	PurposeBounce  Purpose = 5 // the envelope sender of one mail
	PurposeReply   Purpose = 6 // any answer that is not one of the above
)

const (
	tokenVersion = 1
	tokenBody    = 15 // version 1, key 1, game 4, role 2, epoch 1, turn 2, n 1, purpose 1, expiry 2
	tokenMAC     = 12
	// TokenLen is the length of a sealed token in characters.
	TokenLen = 44
)

// Token is what an address of ours says about its reader. It is a capability,
// and never enough alone: the sender's address counts too.
type Token struct {
	Game    uint32
	Role    uint16
	Epoch   uint8  // of the role; raising it voids all older tokens
	Turn    uint16 // 0 if the purpose has none
	N       uint8  // phase, attempt or number, as the purpose has it
	Purpose Purpose
	Expires uint16 // the last day it is good, as by ExpiryDay
}

// ErrTokenShape means the text is not a token at all: length, alphabet or version.
var ErrTokenShape = errors.New("not a token")

// ErrTokenForged means the text has the shape of a token and was not sealed with a key of ours.
var ErrTokenForged = errors.New("token not sealed by us")

var tokenEpoch = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// ExpiryDay is the day of t as Token.Expires counts it: days since 2020-01-01
// UTC, held between 0 and 65535 (the year 2199).
func ExpiryDay(t time.Time) uint16 {
	days := t.Sub(tokenEpoch) / (24 * time.Hour)
	return uint16(max(0, min(days, 1<<16-1)))
}

// ExpiredAt reports whether the day of t (UTC) lies after the token's last day.
func (t Token) ExpiredAt(at time.Time) bool { return ExpiryDay(at) > t.Expires }

// Seal returns the token as 44 characters of lower-case Crockford base32,
// sealed with the current key.
func (k Keys) Seal(t Token) string {
	b := make([]byte, 0, tokenBody+tokenMAC)
	b = append(b, tokenVersion, k.current)
	b = binary.BigEndian.AppendUint32(b, t.Game)
	b = binary.BigEndian.AppendUint16(b, t.Role)
	b = append(b, t.Epoch)
	b = binary.BigEndian.AppendUint16(b, t.Turn)
	b = append(b, t.N, byte(t.Purpose))
	b = binary.BigEndian.AppendUint16(b, t.Expires)
	return crockford(append(b, sealOf(k.keys[k.current], b)...))
}

// Open reads a token that Seal wrote, in any case and with Crockford's
// look-alikes (o, i, l). The error is ErrTokenShape or ErrTokenForged. Whether
// the token has expired is the caller's question: see ExpiredAt.
func (k Keys) Open(s string) (Token, error) {
	b, ok := uncrockford(s)
	if !ok || b[0] != tokenVersion {
		return Token{}, ErrTokenShape
	}
	key, known := k.keys[b[1]]
	// An unknown key costs the same work as a known one.
	if !hmac.Equal(sealOf(key, b[:tokenBody]), b[tokenBody:]) || !known {
		return Token{}, ErrTokenForged
	}
	return Token{
		Game:    binary.BigEndian.Uint32(b[2:]),
		Role:    binary.BigEndian.Uint16(b[6:]),
		Epoch:   b[8],
		Turn:    binary.BigEndian.Uint16(b[9:]),
		N:       b[11],
		Purpose: Purpose(b[12]),
		Expires: binary.BigEndian.Uint16(b[13:]),
	}, nil
}

func sealOf(key [32]byte, body []byte) []byte {
	m := hmac.New(sha256.New, key[:])
	m.Write([]byte("pbemd token\x00"))
	m.Write(body)
	return m.Sum(nil)[:tokenMAC]
}

const crockfordAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// crockford writes the 27 bytes of a token as 44 characters, most significant
// bits first, with four zero bits at the end.
func crockford(b []byte) string {
	out := make([]byte, 0, TokenLen)
	var acc, bits uint
	for _, c := range b {
		acc, bits = acc<<8|uint(c), bits+8
		for ; bits >= 5; bits -= 5 {
			out = append(out, crockfordAlphabet[acc>>(bits-5)&31])
		}
		acc &= 1<<bits - 1
	}
	return string(append(out, crockfordAlphabet[acc<<(5-bits)&31]))
}

// uncrockford is the inverse of crockford; ok is false for any text crockford
// cannot have written, look-alikes and case aside.
func uncrockford(s string) (b []byte, ok bool) {
	if len(s) != TokenLen {
		return nil, false
	}
	b = make([]byte, 0, tokenBody+tokenMAC)
	var acc, bits uint
	for i := range len(s) {
		v := crockfordValue(s[i])
		if v < 0 {
			return nil, false
		}
		acc, bits = acc<<5|uint(v), bits+5
		if bits >= 8 {
			bits -= 8
			b = append(b, byte(acc>>bits))
			acc &= 1<<bits - 1
		}
	}
	return b, acc == 0
}

func crockfordValue(c byte) int {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	switch c {
	case 'o':
		c = '0'
	case 'i', 'l':
		c = '1'
	}
	return strings.IndexByte(crockfordAlphabet, c)
}

// PlusAddress puts a token into the local part of base: "pbem+TOKEN@example.org".
func PlusAddress(base, token string) string {
	local, domain, _ := splitAddress(base)
	return local + "+" + token + "@" + domain
}

// MessageID names the n-th mail sent under a token: "<TOKEN.n@domain>".
func MessageID(token string, n int64, domain string) string {
	return fmt.Sprintf("<%s.%d@%s>", token, n, domain)
}

// FindTokens returns what follows "+" in those recipients that are plus
// addresses of base, each once, in their order. They are candidates: only Open
// tells whether they are tokens.
func FindTokens(recipients []string, base string) []string {
	baseLocal, baseDomain, ok := splitAddress(base)
	if !ok {
		return nil
	}
	var found []string
	for _, r := range recipients {
		local, domain, ok := splitAddress(r)
		local = plainPlus.Replace(strings.Trim(local, `"`))
		if !ok || !strings.EqualFold(domain, baseDomain) || len(local) <= len(baseLocal)+1 {
			continue
		}
		if !strings.EqualFold(local[:len(baseLocal)], baseLocal) || local[len(baseLocal)] != '+' {
			continue
		}
		if tag := local[len(baseLocal)+1:]; !slices.Contains(found, tag) {
			found = append(found, tag)
		}
	}
	return found
}

// plainPlus undoes what some gateways make of a "+".
var plainPlus = strings.NewReplacer("=2B", "+", "=2b", "+", "%2B", "+", "%2b", "+")

// TokenOfMessageID returns the token in a Message-ID that MessageID made for
// the domain; ok is false if the id has not that form. Only Open tells whether
// it is a token.
func TokenOfMessageID(id, domain string) (token string, ok bool) {
	id = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(id), "<"), ">")
	local, idDomain, ok := splitAddress(id)
	if !ok || !strings.EqualFold(idDomain, domain) {
		return "", false
	}
	token, n, ok := strings.Cut(local, ".")
	if _, shape := uncrockford(token); !ok || n == "" || !shape {
		return "", false
	}
	return token, true
}
