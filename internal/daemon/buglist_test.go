package daemon

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// bugLetters are the letters of the list of bug reports, as they would reach the
// bench: from Anna or Greta, to an address that Anna got, with an order that her
// character can carry out.
func bugLetters(t *testing.T, answer, bounce string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../mail/testdata/bugs/*.eml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d letters (%v)", len(files), err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		to := answer
		if strings.HasPrefix(name, "26") {
			to = bounce
		}
		words := strings.NewReplacer(
			"pbem+k7f3q2m9x4v8t1z6@orders.example.test", to,
			"mx.orders.example.test", mxID, "orders.example.test", testDomain,
			"alice@player.test", "anna@"+testDomain, "player.test", testDomain,
			"gm@gm.test", "greta@"+testDomain, "gm.test", testDomain,
			"F EDI S A LON - NTH", "One shot at Zog", "A LON - NTH", "One shot at Zog", "A Ber - Kie", "One shot at Zog",
		)
		raw = encoded.ReplaceAllFunc([]byte(words.Replace(string(raw))), func(b []byte) []byte {
			text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(b)), ""))
			if err != nil || !bytes.Contains(text, []byte("LON")) {
				return b
			}
			return []byte("\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(words.Replace(string(text)))) + "\r\n")
		})
		if strings.HasPrefix(name, "24") {
			// Its 201 lines of story are more than an order letter may have parts.
			head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
			lines := bytes.SplitAfter(body, []byte("\r\n"))
			raw = slices.Concat(head, []byte("\r\n\r\n"), bytes.Join(lines[100:], nil))
		}
		out[name] = raw
	}
	return out
}

var encoded = regexp.MustCompile(`\r\n\r\n[A-Za-z0-9+/=\r\n]{40,}`)

// TestLettersOfTheBugList carries every letter of the list to its end: what it
// does, and who hears of it.
func TestLettersOfTheBugList(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{file: monthlyGame(t)})
	anna := b.one("anna")
	b.clock.set(time.Date(2026, 3, 3, 20, 15, 0, 0, time.UTC))
	var expected map[string]struct{ Action string }
	text, err := os.ReadFile("../mail/testdata/bugs/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	letters := bugLetters(t, anna.replyTo, b.envelopeSender(anna))
	if len(letters) != len(expected) {
		t.Fatalf("%d letters, %d expectations", len(letters), len(expected))
	}
	names := make([]string, 0, len(letters))
	for name := range letters {
		names = append(names, name)
	}
	slices.Sort(names)
	put := func(raw []byte) { b.raw("", arrival{auth: "none", to: ourAddress}, raw) }
	for _, name := range names {
		b.clock.advance(15 * time.Minute) // receipts are not gathered
		deliver := func() map[string][]mailIn { return b.deliver(func() { put(letters[name]) }) }
		still := func() map[string][]mailIn { return b.unchanged(name, func() { put(letters[name]) }) }
		switch action := expected[name].Action; action {
		case "orders", "orders-once":
			got := deliver()
			l := b.lastLetter()
			if r := b.game().InForce()["bobo"]; l.Disposition != store.Acted || r.Letter != l.ID || !strings.Contains(string(r.Plan), "zog") {
				t.Errorf("%s: %s (%s), in force letter %d: %s", name, l.Disposition, l.Why, r.Letter, r.Plan)
			}
			for user := range got {
				if user != "anna" {
					t.Errorf("%s: %s", name, subjects(got))
				}
			}
			if action == "orders-once" {
				again := append([]byte("Received: by "+mxID+"; Tue, 03 Mar 2026 20:14:09 +0000\r\n"), letters[name]...)
				if got := b.unchanged(name+" again", func() { put(letters[name]); put(again) }); len(got) > 0 || b.lastLetter().Disposition != store.Duplicate {
					t.Errorf("%s delivered again: %s; %s", name, b.lastLetter().Disposition, subjects(got))
				}
			}
		case "error-reply", "orders-or-error-reply":
			m := only(t, name, still(), "anna")
			about := map[string]string{"16": "no orders were found", "34": "winmail.dat", "35": "orders.txt was not read"}[name[:2]]
			if about == "" {
				t.Errorf("nobody says what %s is to be answered", name)
			}
			says(t, name, m, about)
		case "ignore":
			if got := still(); len(got) > 0 || b.lastLetter().Disposition != store.Ignored {
				t.Errorf("%s: %s; %s", name, b.lastLetter().Disposition, subjects(got))
			}
		case "bounce":
			says(t, name, only(t, name, still(), "greta"), "Anna", "5.1.1")
			if b.role("anna").Reachable {
				t.Errorf("%s: Anna's address is not marked", name)
			}
		case "quarantine":
			got := still()
			l := b.lastLetter()
			if !slices.Contains([]string{store.Held, store.Quarantined, store.Ignored}, l.Disposition) {
				t.Errorf("%s: %s (%s)", name, l.Disposition, l.Why)
			}
			n := 0
			for _, mails := range got {
				n += len(mails)
			}
			if n > 1 {
				t.Errorf("%s: %s", name, subjects(got))
			}
		default:
			t.Errorf("%s: unknown action %q", name, action)
		}
	}
	// Each letter that differs has one row and one end.
	for _, l := range b.letters() {
		if l.Disposition == "" || l.Disposition == store.Poison {
			t.Errorf("letter %d: %q (%s)", l.ID, l.Disposition, l.Why)
		}
	}
}

// TestForgedApprovalDoesNothing: the letters of the list that pose as the GM are
// told from his own by nothing but proof.
func TestForgedApprovalDoesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	letters := bugLetters(t, packet.replyTo, ourAddress)
	for _, name := range []string{"28-spoofed-gm-approve.eml", "30-two-from-headers.eml", "32-homograph.eml"} {
		raw := bytes.ReplaceAll(letters[name], []byte("APPROVE"), []byte("OK"))
		if !bytes.Contains(raw, []byte("\r\nOK")) {
			t.Fatalf("%s has no OK", name)
		}
		b.unchanged(name, func() { b.raw("", arrival{auth: "none", to: ourAddress}, raw) })
		if l := mail.Read(raw, mail.ReadOptions{AuthservID: mxID, MXHops: 1}); l.Auth.Level == mail.AuthVerified && l.From == "greta@"+testDomain {
			t.Errorf("%s counts as the GM's", name)
		}
	}
}

// TestCollectionsHaveOneEndEach delivers the published collections of letters:
// each is stored once and comes to one end, none is answered, and a copy of it
// changes nothing.
func TestCollectionsHaveOneEndEach(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	files, err := filepath.Glob("../mail/testdata/corpora/*/*/*")
	if err != nil || len(files) < 300 {
		t.Fatalf("%d letters (%v)", len(files), err)
	}
	for _, user := range people {
		b.inbox(user)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.raw("", arrival{auth: "none", to: ourAddress}, raw)
	}
	b.crank()
	all, err := b.st.Letters(t.Context(), store.LetterFilter{Limit: 1000})
	if err != nil || len(all) != len(files) {
		t.Fatalf("%d letters are stored of %d (%v)", len(all), len(files), err)
	}
	for _, l := range all {
		if l.Why == "" || l.Disposition != store.Ignored && l.Disposition != store.Quarantined && l.Disposition != store.Duplicate {
			t.Errorf("letter %d: %q (%s)", l.ID, l.Disposition, l.Why)
		}
	}
	for _, user := range people {
		b.none(user)
	}
	if n := b.unsent(); n > 0 {
		t.Errorf("%d mails go out", n)
	}
}
