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

	"github.com/emersion/go-msgauth/dkim"
)

// Signer signs mail with DKIM (RFC 6376, RFC 8463).
type Signer struct {
	domain, selector string
	key              crypto.Signer
}

// signedFields are covered by the signature, also where a mail has none of
// them: then nobody can add one.
var signedFields = []string{"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Content-Transfer-Encoding", "Auto-Submitted"}

// NewSigner reads a private key in PEM: PKCS #8 (RSA of 2,048 bits or more, or
// Ed25519) or PKCS #1.
func NewSigner(domain, selector string, key []byte) (*Signer, error) {
	if domain == "" || selector == "" {
		return nil, errors.New("signing needs a domain and a selector")
	}
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, errors.New("the key file holds no key in PEM")
	}
	var parsed any
	var err error
	if block.Type == "RSA PRIVATE KEY" {
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	} else {
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		// The parser's text may show parts of the key file.
		return nil, errors.New("the key file holds no private key of PKCS #8 or PKCS #1")
	}
	s := &Signer{domain: domain, selector: selector}
	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		if k.N.BitLen() < 2048 {
			return nil, fmt.Errorf("the key has %d bits; RSA needs 2048 or more (RFC 8301)", k.N.BitLen())
		}
		s.key = k
	case ed25519.PrivateKey:
		s.key = k
	default:
		return nil, errors.New("the key is neither RSA nor Ed25519")
	}
	return s, nil
}

// Sign puts a DKIM-Signature on top of a composed mail.
func (s *Signer) Sign(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(raw), &dkim.SignOptions{
		Domain: s.domain, Selector: s.selector, Signer: s.key, Hash: crypto.SHA256,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
		HeaderKeys: signedFields,
	})
	if err != nil {
		return nil, fmt.Errorf("signing a mail: %w", err)
	}
	return out.Bytes(), nil
}
