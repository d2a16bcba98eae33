package postoffice

import (
	"bytes"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/google/go-cmp/cmp"
)

func TestForeignResultsAreDeleted(t *testing.T) {
	t.Parallel()
	const kept = "From: a@pbemd.localhost\r\nSubject: x\r\n"
	const body = "\r\nAuthentication-Results: in the body it stays\r\n"
	for _, tt := range []struct{ name, raw, want string }{
		{"none", kept + body, kept + body},
		{"plain", "Authentication-Results: pbemd.localhost; auth=pass smtp.auth=gm@pbemd.localhost\r\n" + kept + body, kept + body},
		{"last", kept + "Authentication-Results: x\r\n" + body, kept + body},
		{"only field", "Authentication-Results: x\r\n\r\n", "\r\n"},
		{"several", "Authentication-Results: x\r\n" + kept + "Authentication-Results: y\r\n" + body, kept + body},
		{"folded", "Authentication-Results: x;\r\n dmarc=pass\r\n\theader.from=y\r\n" + kept + body, kept + body},
		{"any case", "aUTHENTICATION-rESULTS: x\r\n" + kept + body, kept + body},
		{"blank before the colon", "Authentication-Results \t: x\r\n" + kept + body, kept + body},
		{"name folded before the colon", "Authentication-Results\r\n : x\r\n" + kept + body, kept + body},
		{"no colon", "Authentication-Results x\r\n" + kept + body, kept + body},
		{"control characters in the name", "Authentication\x00-Res\x7fults: x\r\n" + kept + body, kept + body},
		{"letters that fold to ASCII ones", "Authentication-Re\u017fults: x\r\n" + kept + body, kept + body},
		{"behind a bare LF", kept[:len(kept)-2] + "\nAuthentication-Results: x\r\n" + body, kept + body},
		{"behind a bare CR", kept[:len(kept)-2] + "\rAuthentication-Results: x\r\n" + body, kept + body},
		{"behind a BOM", "\ufeffAuthentication-Results: x\r\n" + kept + body, kept + body},
		{"a first line that would continue our field", " ; dmarc=pass\r\n\tmore\r\n" + kept + body, kept + body},
		{"LF only", "Authentication-Results: x\nSubject: y\n\nbody\n", "Subject: y\r\n\r\nbody\n"},
		{"no body", "Authentication-Results: x\r\nSubject: y", "Subject: y\r\n"},
		{"empty header", "\r\nbody", "\r\nbody"},
		{"nothing", "", ""},
		{"other names stay", "X-Authentication-Results: x\r\nAuthentication-Results-Original: y\r\nARC-Authentication-Results: i=1\r\n\r\n",
			"X-Authentication-Results: x\r\nAuthentication-Results-Original: y\r\nARC-Authentication-Results: i=1\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(stripResults([]byte(tt.raw)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubmittedLetterHasOurResultsAlone(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.ID = "desk.test" })
	forged := " ; dmarc=pass\r\nAuthentication-Results: desk.test; auth=pass\r\n smtp.auth=gm@pbemd.localhost\r\n" + letter("x")
	send(t, s, "alice", forged, "bob@"+domain)
	letters, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.SplitSeq(string(letters[0]), "\r\n") {
		if strings.Contains(line, "pass") {
			got = append(got, line)
		}
	}
	want := []string{"Authentication-Results: desk.test; auth=pass smtp.auth=alice@pbemd.localhost"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzStripResults(f *testing.F) {
	f.Add([]byte("Authentication-Results: x\r\nSubject: y\r\n\r\nbody"))
	f.Add([]byte(" folded\rAuthentication-Results\n :x\n\rbody"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		clean := stripResults(raw)
		if again := stripResults(clean); string(again) != string(clean) {
			t.Errorf("%q became %q, then %q", raw, clean, again)
		}
		if len(clean) > 0 && (clean[0] == ' ' || clean[0] == '\t') {
			t.Errorf("%q would continue our field", clean)
		}
		header, _, _ := strings.Cut(string(clean), "\r\n\r\n")
		for line := range strings.FieldsFuncSeq(header, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if hasPrefixFold([]byte(line), "Authentication-Results:") && !strings.HasPrefix(string(clean), "\r\n") {
				t.Errorf("%q keeps %q", raw, line)
			}
		}
	})
}

func TestFoldMalformedChangesNothingElse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"A: b\r\n c\r\n\r\nd e\r\n":          "A: b\r\n c\r\n\r\nd e\r\n",
		"A: b\nbad line\nC: d\n\nbad line\n": "A: b\n bad line\nC: d\n\nbad line\n",
		"A: b\nA B: c\nworse":                "A: b\n A B: c\n worse",
		"A : blank before the colon\n":       "A : blank before the colon\n",
		"A: b\r\n\r\n":                       "A: b\r\n\r\n",
	} {
		got := string(foldMalformed([]byte(in)))
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if again := string(foldMalformed([]byte(got))); again != got {
			t.Errorf("%q became %q, then %q", in, got, again)
		}
	}
}

// FuzzFoldMalformed: a letter below our own fields comes out of the memory server
// with all that it says, whatever its header is.
func FuzzFoldMalformed(f *testing.F) {
	f.Add([]byte("From: a@b.test\r\nbad line\r\nSubject: x\r\n\r\nbody\r\n"))
	f.Add([]byte("no header at all"))
	f.Add([]byte(": x\r\n\tfolded\r\nA B: c\n\nbody"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		whole := append([]byte("Delivered-To: bob@"+domain+"\r\n"), raw...)
		clean := foldMalformed(whole)
		if again := foldMalformed(clean); string(again) != string(clean) {
			t.Errorf("%q became %q, then %q", whole, clean, again)
		}
		given := imapserver.ExtractBodySection(bytes.NewReader(clean), &imap.FetchItemBodySection{})
		if len(given) == 0 {
			t.Fatalf("nothing is given of %q", clean)
		}
		_, body, found := bytes.Cut(clean, []byte("\r\n\r\n"))
		if found && !bytes.HasSuffix(given, body) {
			t.Errorf("the text of %q came out as %q", clean, given)
		}
	})
}
