package mail

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// corpus gives the letters of a published collection by name.
func corpus(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata/corpora", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal("no letters: ", pattern, err)
	}
	letters := map[string][]byte{}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.IsDir() || strings.HasSuffix(f, "LICENSE") || filepath.Ext(f) == ".txt" {
			continue
		}
		letters[filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f)] = readFile(t, f)
	}
	return letters
}

var fromField = regexp.MustCompile(`(?im)^From:`)

// fromAlice is a letter with a sender that can be read, so that its body is.
func fromAlice(raw []byte) []byte {
	if bytes.HasPrefix(raw, []byte("From ")) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	head, body := splitHeader(raw)
	head = fromField.ReplaceAll(head, []byte("X-From:"))
	return bytes.Join([][]byte{[]byte("From: alice@player.test\r\n"), head, []byte("\r\n"), body}, nil)
}

// TestCollectionsAreReadWithinBounds reads every letter as it is and, since some
// have no sender, with one: in bounded time, to bounded text, or not at all and
// with a reason.
func TestCollectionsAreReadWithinBounds(t *testing.T) {
	t.Parallel()
	n, quarantined := 0, 0
	for _, pattern := range []string{"enmime/*/*", "mikel-mail/*/*", "sisimai/*/*"} {
		for name, raw := range corpus(t, pattern) {
			for _, raw := range [][]byte{raw, fromAlice(raw)} {
				n++
				began := time.Now()
				l := Read(raw, ReadOptions{})
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("%s took %v", name, took)
				}
				if (l.Kind == KindLetter) != (l.Why == "") {
					t.Errorf("%s: %s, why %q", name, l.Kind, l.Why)
				}
				if l.Kind == KindQuarantine {
					quarantined++
				}
				if len(l.Text) > maxText || strings.Count(l.Text, "\n") > maxTextLines || len(l.Attachments) > maxAttachments {
					t.Errorf("%s: %d bytes in %d lines, %d attachments", name, len(l.Text), strings.Count(l.Text, "\n"), len(l.Attachments))
				}
				if !utf8.ValidString(l.Text) || strings.ContainsRune(l.Text, 0) {
					t.Errorf("%s: text is not clean", name)
				}
				if !cmp.Equal(l, Read(raw, ReadOptions{})) {
					t.Errorf("%s: read twice, the letter differs", name)
				}
			}
		}
	}
	// Quarantined are those without a sender, or with several.
	if n < 700 || quarantined == 0 || quarantined > n/10 {
		t.Errorf("%d of %d readings ended in quarantine", quarantined, n)
	}
	for name, raw := range corpus(t, "*/*/*") {
		if l := Read(fromAlice(raw), ReadOptions{}); l.Kind == KindQuarantine {
			t.Errorf("%s with a sender: %s", name, l.Why)
		}
	}
}

// TestBrokenLettersStillSaySomething: of letters that enmime calls of low
// quality no text is lost.
func TestBrokenLettersStillSaySomething(t *testing.T) {
	t.Parallel()
	for name, raw := range corpus(t, "enmime/low-quality/*") {
		if l := Read(fromAlice(raw), ReadOptions{}); l.Kind != KindLetter || isBlank([]segment{{text: l.Text}}) {
			t.Errorf("%s: %s (%s), text %q", name, l.Kind, l.Why, l.Text)
		}
	}
}

// TestCharsetsOfTheWorld: no letter of the collection of charsets comes out with
// characters that could not be decoded.
func TestCharsetsOfTheWorld(t *testing.T) {
	t.Parallel()
	for name, raw := range corpus(t, "mikel-mail/multi_charset/*") {
		l := Read(fromAlice(raw), ReadOptions{})
		if strings.ContainsRune(l.Text+l.Subject, utf8.RuneError) {
			t.Errorf("%s: Subject %q, text %q", name, l.Subject, l.Text)
		}
	}
}

// TestDeliveryReportsAreRecognised: of sisimai's reports at least 98 % are taken
// for what they are (reports on complaints and automatic replies are a machine's
// letters too, but no bounces), and of its letters that are none, none.
func TestDeliveryReportsAreRecognised(t *testing.T) {
	t.Parallel()
	reports, bounces := 0, 0
	for name, raw := range corpus(t, "sisimai/bsd/*") {
		l := Read(raw, ReadOptions{})
		if strings.HasPrefix(name, "bsd/arf-") || strings.HasPrefix(name, "bsd/rfc3834-") {
			if l.Kind != KindAutomatic && l.Kind != KindBounce {
				t.Errorf("%s: %s", name, l.Kind)
			}
			continue
		}
		reports++
		if l.Kind == KindBounce {
			bounces++
			continue
		}
		t.Logf("%s: %s (%s)", name, l.Kind, l.Why)
		if l.Kind == KindLetter {
			t.Errorf("%s counts as a person's", name)
		}
	}
	t.Logf("%d of %d recognised (%.1f %%)", bounces, reports, 100*float64(bounces)/float64(reports))
	if reports < 150 || bounces*100 < reports*98 {
		t.Errorf("%d of %d recognised", bounces, reports)
	}
	for name, raw := range corpus(t, "sisimai/not/*") {
		if l := Read(raw, ReadOptions{}); l.Kind == KindBounce {
			t.Errorf("%s counts as a bounce (%s)", name, l.Why)
		}
	}
	for name, raw := range corpus(t, "enmime/dsn/*") {
		if l := Read(raw, ReadOptions{}); l.Kind != KindBounce {
			t.Errorf("%s: %s (%s)", name, l.Kind, l.Why)
		}
	}
}

// TestOutcomesOfDeliveryReports: reports that say in the form of RFC 3464 what
// became of a mail are understood.
func TestOutcomesOfDeliveryReports(t *testing.T) {
	t.Parallel()
	field := func(raw []byte, name string) string {
		m := regexp.MustCompile(`(?im)^` + name + `: *([a-z0-9.]+)`).FindSubmatch(raw)
		if m == nil {
			return ""
		}
		return strings.ToLower(string(m[1]))
	}
	n := 0
	for name, raw := range corpus(t, "sisimai/bsd/*") {
		action := field(raw, "Action")
		l := Read(raw, ReadOptions{})
		inside := name == "bsd/lhost-x5-01.eml" // the report is what is returned
		if action == "" || l.Kind != KindBounce || inside || !bytes.Contains(raw, []byte("message/delivery-status")) {
			continue
		}
		n++
		if l.Bounce.Action != action {
			t.Errorf("%s: action %q, want %q", name, l.Bounce.Action, action)
		}
		if l.Bounce.Status == "" && field(raw, "Status") != "" {
			t.Errorf("%s: no status", name)
		}
	}
	if n < 50 {
		t.Errorf("only %d reports", n)
	}
}

// BenchmarkCollections reads all letters of the collections: letters a second,
// the slowest of them, and the most memory that one took.
func BenchmarkCollections(b *testing.B) {
	letters := corpus(b, "*/*/*")
	var worst time.Duration
	var most uint64
	slowest, largest := "", ""
	for name, raw := range letters {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		Read(raw, ReadOptions{})
		if took := time.Since(began); took > worst {
			worst, slowest = took, name
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			most, largest = took, name
		}
	}
	for b.Loop() {
		for _, raw := range letters {
			Read(raw, ReadOptions{})
		}
	}
	b.ReportMetric(float64(len(letters)*b.N)/b.Elapsed().Seconds(), "letters/s")
	b.ReportMetric(float64(worst.Microseconds()), "µs-worst")
	b.ReportMetric(float64(most)/1024, "KiB-most")
	b.Logf("slowest %s, largest %s", slowest, largest)
}
