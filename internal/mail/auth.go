package mail

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// judge says what is known about the right of from to be the sender.
func judge(raw []byte, fields headerFields, from string, o ReadOptions) Auth {
	if o.AuthservID == "" && o.SubmissionID == "" {
		return judgeDKIM(raw, fields, from, o)
	}
	trusted, below := fields.trusted(o.MXHops)
	if o.SubmissionID != "" {
		if auth, found := judgeSubmission(trusted, from, o.SubmissionID); found {
			return auth
		}
	}
	if o.AuthservID == "" {
		return Auth{AuthNone, "the letter did not come through our own submission"}
	}
	return judgeResults(trusted, below, from, o.AuthservID)
}

// trusted are the fields that our own servers, hops of them, wrote: those above
// the first Received that is not theirs. Where the sender added no Received, they
// end where the letter itself begins; what stands below that may be the sender's
// own invention, and speaks only against him.
func (fs headerFields) trusted(hops int) (ours, below headerFields) {
	own := 0 // just below our lowest Received
	for i, f := range fs {
		if f.name != "received" {
			continue
		}
		if hops--; hops < 0 {
			return fs[:i], nil
		}
		own = i + 1
	}
	for i := own; i < len(fs); i++ {
		switch fs[i].name {
		case "from", "to", "date", "subject", "message-id":
			return fs[:i], fs[i:]
		}
	}
	return fs, nil
}

// resultsOf are the results under one authserv-id; whole is false if one of its
// fields, or one that may be, cannot be read.
func (fs headerFields) resultsOf(id string) (results []authResult, found, whole bool) {
	whole = true
	for _, value := range fs.all(resultsField) {
		a, err := parseAuthResults(value)
		switch {
		case err != nil:
			whole = whole && !strings.Contains(strings.ToLower(value), strings.ToLower(id))
		case strings.EqualFold(a.serv, id):
			found = true
			results = append(results, a.results...)
		}
	}
	return results, found, whole
}

// judgeSubmission reads what our own post office wrote: it knows who logged in,
// so nothing but the whole address counts.
func judgeSubmission(trusted headerFields, from, id string) (auth Auth, found bool) {
	results, found, whole := trusted.resultsOf(id)
	if !found && whole {
		return Auth{}, false
	}
	ok := whole && len(results) > 0
	for _, r := range results {
		user, err := NormalizeAddress(r.props["smtp.auth"])
		ok = ok && r.method == "auth" && r.result == "pass" && err == nil && user == from
	}
	if !ok {
		return Auth{AuthFailed, "submitted to us by somebody who is not " + from}, true
	}
	return Auth{AuthVerified, "submitted to us by " + from + " after log-in"}, true
}

// judgeResults wants dmarc=pass for exactly the From domain, or dkim=pass by an
// aligned domain. Where a method occurs twice the worst result counts.
func judgeResults(trusted, below headerFields, from, id string) Auth {
	results, found, whole := trusted.resultsOf(id)
	against, _, _ := below.resultsOf(id)
	domain := addressDomain(from)
	for _, r := range slices.Concat(results, against) {
		switch by := signer(r.props); {
		case r.result != "fail":
		case r.method == "dmarc":
			return Auth{AuthFailed, fmt.Sprintf("%s says dmarc=fail", id)}
		case r.method == "dkim" && by != "" && aligned(by, domain):
			return Auth{AuthFailed, fmt.Sprintf("%s says that a signature of %s does not verify", id, domain)}
		}
	}
	var dmarc, signed worst
	for _, r := range results {
		switch r.method {
		case "dmarc":
			about, err := normalizeDomain(r.props["header.from"])
			dmarc.add(r.result == "pass" && err == nil && about == domain)
		case "dkim":
			by := signer(r.props)
			if by != "" && !aligned(by, domain) {
				continue
			}
			// "dkim=none" names nobody, and contradicts a pass beside it.
			signed.add(by != "" && r.result == "pass")
		}
	}
	switch {
	case !whole:
		return Auth{AuthNone, "an Authentication-Results field of " + id + " cannot be read"}
	case dmarc.passed():
		return Auth{AuthVerified, fmt.Sprintf("%s says dmarc=pass for %s", id, domain)}
	case signed.passed():
		return Auth{AuthVerified, fmt.Sprintf("%s says dkim=pass for %s", id, domain)}
	case !found:
		return Auth{AuthNone, "no Authentication-Results field of " + id}
	}
	return Auth{AuthNone, fmt.Sprintf("%s vouches for nothing of %s", id, domain)}
}

// worst is pass only if there was something and all of it passed.
type worst struct{ seen, bad bool }

func (w *worst) add(pass bool) { w.seen, w.bad = true, w.bad || !pass }

func (w worst) passed() bool { return w.seen && !w.bad }

// signer is the domain of a DKIM result: header.d, or the domain of header.i.
func signer(props map[string]string) string {
	if d, ok := props["header.d"]; ok {
		return d
	}
	_, d, _ := splitAddress(props["header.i"])
	return d
}

// aligned reports whether two domains belong to one organisation, as DMARC's
// relaxed mode has it (RFC 7489 section 3.1.1). Subdomains of a public suffix
// ("eu.org") are different organisations.
func aligned(signer, from string) bool {
	signer, err := normalizeDomain(signer)
	if err != nil || signer == "" {
		return false
	}
	if signer == from {
		return true
	}
	a, errA := publicsuffix.EffectiveTLDPlusOne(signer)
	b, errB := publicsuffix.EffectiveTLDPlusOne(from)
	return errA == nil && errB == nil && a == b
}
