package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
)

// Signer signs mail with DKIM (RFC 6376, RFC 8463).
type Signer struct {
	domain, selector string
	key              crypto.Signer
}

// signedFields are covered by the signature as often as a mail has them and once
// more: then nobody can add one, above or below ours (RFC 6376 section 8.15).
var signedFields = []string{"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding", "Auto-Submitted"}

// NewSigner reads a private key in PEM: PKCS #8 (RSA of 2,048 bits or more, or
// Ed25519) or PKCS #1. A Signer that it returns has signed a mail for trial.
// Errors show nothing of the key.
func NewSigner(domain, selector string, key []byte) (*Signer, error) {
	if domain == "" || selector == "" {
		return nil, errors.New("signing needs a domain and a selector")
	}
	domain, err := normalizeDomain(domain)
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	if !selectorPattern.MatchString(selector) {
		return nil, errors.New("the selector is no part of a domain name")
	}
	private, err := privateKey(key)
	if err != nil {
		return nil, err
	}
	s := &Signer{domain: domain, selector: selector, key: private}
	if _, err := s.Sign([]byte("From: x@" + domain + "\r\n\r\n")); err != nil {
		return nil, errors.New("the key cannot sign")
	}
	return s, nil
}

// privateKey reads a key that is fit for signing. The parsers' errors may show
// parts of the key file, so none is passed on.
func privateKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the key file holds no key in PEM")
	}
	var parsed any
	var err error
	switch {
	case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
		return nil, errors.New("the key file is encrypted; store the key without a passphrase (openssl pkey -in FILE)")
	case strings.HasSuffix(block.Type, "PUBLIC KEY") || block.Type == "CERTIFICATE":
		return nil, errors.New("the key file holds a public key; signing needs the private one")
	case strings.HasPrefix(block.Type, "EC "):
		return nil, errWrongKey
	case block.Type == "RSA PRIVATE KEY":
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, errors.New("the key file holds no private key of PKCS #8 or PKCS #1")
	}
	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		if k.N.BitLen() < 2048 {
			return nil, fmt.Errorf("the key has %d bits; RSA needs 2048 or more (RFC 8301)", k.N.BitLen())
		}
		return k, nil
	case ed25519.PrivateKey:
		return k, nil
	}
	return nil, errWrongKey
}

// selectorPattern is what the DNS and a header field have room for.
var selectorPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,3}$`)

var errWrongKey = errors.New("the key is neither RSA nor Ed25519")

// Sign puts a DKIM-Signature on top of a composed mail.
func (s *Signer) Sign(raw []byte) ([]byte, error) {
	head, _ := splitHeader(raw)
	fields, _ := parseHeader(head)
	var keys []string
	for _, name := range signedFields {
		for range len(fields.all(strings.ToLower(name))) + 1 {
			keys = append(keys, name)
		}
	}
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(raw), &dkim.SignOptions{
		Domain: s.domain, Selector: s.selector, Signer: s.key, Hash: crypto.SHA256,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		HeaderKeys: keys,
	})
	if err != nil {
		return nil, fmt.Errorf("signing a mail: %w", err)
	}
	return out.Bytes(), nil
}
