package mail

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/emersion/go-msgauth/dkim"
)

// maxSignatures is how many DKIM signatures of a letter are verified at most;
// each costs a DNS query.
const maxSignatures = 5

// judgeDKIM verifies the signatures of the letter itself (RFC 6376), for
// mailboxes whose provider states no results we could trust. SPF cannot be
// checked from a mailbox.
func judgeDKIM(raw []byte, fields headerFields, from string, o ReadOptions) Auth {
	if o.LookupTXT == nil {
		return Auth{AuthNone, "nothing is configured that could verify senders"}
	}
	if len(raw) > o.maxSize() {
		return Auth{AuthNone, "the letter is too large to verify its signatures"}
	}
	if !fields.has("dkim-signature") {
		return Auth{AuthNone, "the letter has no DKIM signature"}
	}
	// A letter with more signatures than that is judged by the first ones.
	keys := keyFlags{lookup: o.LookupTXT}
	found, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{
		LookupTXT:        keys.lookupTXT,
		MaxVerifications: maxSignatures,
	})
	if len(found) == 0 {
		return Auth{AuthNone, fmt.Sprintf("the DKIM signatures cannot be read: %v", err)}
	}
	domain := addressDomain(from)
	signed := false
	for _, v := range found {
		if !aligned(v.Domain, domain) {
			continue
		}
		switch {
		case keys.has(v.Domain, "y"), keys.has(v.Domain, "s") && !strings.HasSuffix(v.Identifier, "@"+v.Domain):
			// As if it were not there (RFC 6376 sections 3.6.1 and 6.1.2).
		case v.Err == nil:
			signed = true
		case dkim.IsTempFail(v.Err), dkim.IsPermFail(v.Err), ofPart(v.Err):
			// A key that cannot be had, a time that is over, a body that is not covered
			// to its end prove nothing, either way.
		default:
			return Auth{AuthFailed, fmt.Sprintf("a signature of %s does not verify", v.Domain)}
		}
	}
	if signed {
		return Auth{AuthVerified, "signed by " + domain}
	}
	return Auth{AuthNone, "no signature of " + domain + " could be verified"}
}

// ofPart reports that a signature covers the body up to a length only ("l="); the
// verifier has no type for it.
func ofPart(err error) bool { return strings.Contains(err.Error(), "body length") }

// keyFlags keeps the flags of the key records that were asked for (RFC 6376 section
// 3.6.1, "t="), which the verifier reads and leaves to nobody.
type keyFlags struct {
	lookup func(name string) ([]string, error)

	mu    sync.Mutex // signatures are verified side by side
	flags map[string][]string
}

func (k *keyFlags) lookupTXT(name string) ([]string, error) {
	records, err := k.lookup(name)
	_, domain, _ := strings.Cut(name, "._domainkey.")
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, record := range records {
		for tag := range strings.SplitSeq(record, ";") {
			key, value, _ := strings.Cut(tag, "=")
			if strings.TrimSpace(key) != "t" {
				continue
			}
			for flag := range strings.SplitSeq(value, ":") {
				if k.flags == nil {
					k.flags = map[string][]string{}
				}
				k.flags[domain] = append(k.flags[domain], strings.TrimSpace(flag))
			}
		}
	}
	return records, err
}

// has reports whether a key of the domain has the flag.
func (k *keyFlags) has(domain, flag string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.flags[domain], flag)
}
