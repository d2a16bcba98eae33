package mail

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
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

// BenchmarkCollections reads all letters of the collections: letters a second, the
// slowest of them, and the most memory that one took.
func BenchmarkCollections(b *testing.B) {
	letters := corpus(b, "*/*/*")
	for b.Loop() {
		for _, raw := range letters {
			Read(raw, ReadOptions{})
		}
	}
	b.ReportMetric(float64(len(letters)*b.N)/b.Elapsed().Seconds(), "letters/s")
	costliest(b, letters)
}

// BenchmarkLargestLetters reads letters of the most bytes that are read, with the
// most of what costs most.
func BenchmarkLargestLetters(b *testing.B) {
	const head = "From: alice@player.test\r\nSubject: orders\r\nMIME-Version: 1.0\r\n"
	filled := func(begin, piece, end string) []byte {
		return []byte(head + begin + strings.Repeat(piece, (defaultMaxMessage-len(head)-len(begin)-len(end))/len(piece)) + end)
	}
	const multi = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nfire\r\n--b\r\n"
	line := strings.Repeat("QUJD", 19) + "\r\n"
	letters := map[string][]byte{
		"a photo":          filled(multi+"Content-Type: image/jpeg; name=a.jpg\r\nContent-Transfer-Encoding: base64\r\n\r\n", line, "--b--\r\n"),
		"a text file":      filled(multi+"Content-Type: text/plain; name=a.txt\r\nContent-Transfer-Encoding: base64\r\n\r\n", line, "--b--\r\n"),
		"text":             filled("\r\n", "Two shots at Zog, then I duck.\r\n", ""),
		"text in base64":   filled("Content-Transfer-Encoding: base64\r\n\r\n", line, ""),
		"quoted-printable": filled("Content-Transfer-Encoding: quoted-printable\r\n\r\n", "=C3=A4=\r\n", ""),
		"flowed":           filled("Content-Type: text/plain; format=flowed\r\n\r\n", "two shots \r\n", ""),
		"HTML":             filled("Content-Type: text/html\r\n\r\n", "<p><b>Two</b> shots\r\n", ""),
		"HTML, nested":     filled("Content-Type: text/html\r\n\r\n", "<div><i>a\r\n", ""),
		"150 parts":        filled("Content-Type: multipart/mixed; boundary=b\r\n\r\n"+strings.Repeat("--b\r\n\r\nfire\r\n", 150)+"--b\r\n\r\n", "run\r\n", "--b--\r\n"),
		"signatures":       filled(strings.Repeat("DKIM-Signature: v=1; a=rsa-sha256; d=player.test; s=s; h=from; bh=eA==; b=eA==\r\n", 20)+"\r\n", "run\r\n", ""),
	}
	for b.Loop() {
		for _, raw := range letters {
			Read(raw, withDNS)
		}
	}
	b.ReportMetric(float64(len(letters)*b.N)/b.Elapsed().Seconds(), "letters/s")
	costliest(b, letters)
}

// withDNS are options with which signatures are verified.
var withDNS = ReadOptions{LookupTXT: func(string) ([]string, error) { return []string{"v=DKIM1; p="}, nil }}

// maxPeak is how much memory a letter may take to be read beyond its own bytes.
const maxPeak = 80 << 20

// costliest reads letters one by one. It reports the longest time and the most memory in
// use at a time that one of them took, beyond its own bytes, and names both.
func costliest(b *testing.B, letters map[string][]byte) {
	var longest time.Duration
	var most int64
	slowest, largest := "", ""
	for name, raw := range letters {
		began := time.Now()
		Read(raw, withDNS)
		if took := time.Since(began); took > longest {
			longest, slowest = took, name
		}
		if took := peak(func() { Read(raw, withDNS) }); took > most {
			most, largest = took, name
		}
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-worst")
	b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	if most > maxPeak {
		b.Errorf("%s took %d MiB, more than %d", largest, most>>20, maxPeak>>20)
	}
	b.Logf("slowest %s, most memory %s", slowest, largest)
}

// peak is the most memory that was in use at a time while f ran, beyond what was
// before, in bytes. What could have been collected does not count as far as a
// collector can help it that runs all the time.
func peak(f func()) (most int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	live := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before := live()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(100 * time.Microsecond)
		defer tick.Stop()
		for {
			most = max(most, live()-before)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	f()
	close(done)
	wg.Wait()
	return most
}
