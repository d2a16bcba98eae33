package postoffice

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

func TestRestartKeepsLettersUnderALargerUIDValidity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := func(o *Options) { o.Dir = dir }
	var last uint32
	var want []string
	for _, subject := range []string{"first", "second", "third"} {
		s := start(t, here)
		c := reader(t, s, "bob", nil)
		validity, letters := fetchAll(t, c, "INBOX")
		if diff := cmp.Diff(want, subjects(t, letters)); diff != "" {
			t.Errorf("before %s (-want +got):\n%s", subject, diff)
		}
		if validity <= last {
			t.Errorf("UIDVALIDITY %d after %d", validity, last)
		}
		// Folders that a client makes must not meet those of the next start either.
		for _, folder := range []string{"A", "B", "C"} {
			if err := c.Create(folder, nil).Wait(); err != nil {
				t.Fatal(err)
			}
			last, _ = fetchAll(t, c, folder)
		}
		send(t, s, "alice", letter(subject), "bob@"+domain)
		want = append(want, subject)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBrokenSpoolFilesAreSkippedAndLogged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var log bytes.Buffer
	here := func(o *Options) {
		o.Dir = dir
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	}
	first := start(t, here)
	send(t, first, "alice", letter("good"), "bob@"+domain)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	box := filepath.Join(dir, "bob")
	broken := []string{
		letterID(7, fixedNow) + letterExt, // empty
		"notes.txt",
		"20310330-1.eml",
		letterID(8, fixedNow),
	}
	for i, name := range append(broken, tempPrefix+letterID(9, fixedNow)+letterExt) {
		text := "From: x@y.test\n\nhalf"
		if i == 0 {
			text = ""
		}
		if err := os.WriteFile(filepath.Join(box, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := letterID(10, fixedNow) + letterExt
	broken = append(broken, folder)
	if err := os.Mkdir(filepath.Join(box, folder), 0o700); err != nil {
		t.Fatal(err)
	}

	s := start(t, here)
	if _, letters := fetchAll(t, reader(t, s, "bob", nil), "INBOX"); !cmp.Equal([]string{"good"}, subjects(t, letters)) {
		t.Errorf("INBOX shows %q", subjects(t, letters))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range broken {
		if !strings.Contains(log.String(), name) {
			t.Errorf("log does not name %s", name)
		}
	}
	if strings.Contains(log.String(), tempPrefix) {
		t.Error("what a crash left is no news")
	}
}

func TestOrderIsThatOfArrivalThoughTheClockGoesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := fixedNow
	back := func(o *Options) {
		o.Dir = dir
		o.Now = func() time.Time { now = now.Add(-time.Hour); return now }
	}
	s := start(t, back)
	for _, subject := range []string{"a", "b"} {
		if err := s.Deliver("bob@"+domain, []byte(letter(subject))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = start(t, back)
	if err := s.Deliver("bob@"+domain, []byte(letter("c"))); err != nil {
		t.Fatal(err)
	}
	letters, err := s.Letters("bob")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, subjects(t, letters)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestSpoolThatCannotBeWrittenRefusesForNow(t *testing.T) {
	t.Parallel()
	s := start(t)
	box := filepath.Join(s.opts.Dir, "bob")
	if err := os.Remove(box); err != nil {
		t.Fatal(err)
	}
	err := submitter(t, s, "alice").SendMail("alice@"+domain, []string{"bob@" + domain}, strings.NewReader(letter("x")))
	wantAnswer(t, err, 451, [3]int{4, 3, 0})
}

func TestAnswerToALetterThatIsNotStored(t *testing.T) {
	t.Parallel()
	wrapped := func(err error) error { return &os.PathError{Op: "write", Path: "x", Err: err} }
	for err, code := range map[error]int{wrapped(syscall.ENOSPC): 452, wrapped(syscall.EDQUOT): 452, wrapped(syscall.EIO): 451, errClosed: 451} {
		if se, ok := errors.AsType[*smtp.SMTPError](notStored(err)); !ok || se.Code != code {
			t.Errorf("%v: %v, want %d", err, se, code)
		}
	}
}

func TestEpochFileMustHoldAPlausibleNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "many", "-1", "524288", "99999999999"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, epochFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if epoch, err := raiseEpoch(dir); err == nil {
			t.Errorf("%q gave epoch %d", text, epoch)
		}
	}
}

// A daemon that was started ten times a day for a year.
func BenchmarkOpenMailboxAfterThousandsOfStarts(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := openMailbox(dir, "bob", 3650, slog.Default()); err != nil {
			b.Fatal(err)
		}
	}
}
