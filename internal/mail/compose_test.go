package mail

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func sampleMessage() Message {
	return Message{
		From:          Address{"PBEM Dusk", "pbem@example.org"},
		To:            Address{"Jörg \"Ace\" P.", "joerg@player.test"},
		ReplyTo:       "pbem+043xxbdyxw103ymw801g426dk9et5ph4mkyb1trc973g@example.org",
		Subject:       "[Dusk-7] Bericht über Zug 7, der so lang ist, dass er gefaltet werden muss",
		MessageID:     "<043xxbdyxw103ymw801g426dk9et5ph4mkyb1trc973g.12@example.org>",
		InReplyTo:     "<2@player.test>",
		References:    []string{"<1@player.test>", "not an id", "<2@player.test>"},
		Date:          time.Date(2026, 3, 3, 21, 14, 5, 0, time.FixedZone("CET", 3600)),
		AutoSubmitted: AutoReplied,
		Text:          "Zug 7.\n\nDu triffst Zög. 50 % = wahr \nFrom here on\n.\n-- \nPBEM\n",
		HTML:          "<p>Zug 7.</p><p>Du triffst Zög.</p><img src=\"cid:map.1\" alt=\"Karte\">\n",
		Pictures:      []Picture{{CID: "map.1", Name: "Karte ä.png", Alt: "Die Karte", PNG: bytes.Repeat([]byte{0x89, 'P', 'N', 'G'}, 30)}},
	}
}

func TestComposeGolden(t *testing.T) {
	t.Parallel()
	plain := sampleMessage()
	plain.HTML, plain.Pictures = "", nil
	noPictures := sampleMessage()
	noPictures.Pictures = nil
	for name, m := range map[string]Message{"full": sampleMessage(), "plain": plain, "html": noPictures} {
		got, err := Compose(m)
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/compose-" + name + ".eml"
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(readFile(t, file)), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		again, _ := Compose(m)
		if !bytes.Equal(got, again) {
			t.Errorf("%s: composed twice, the bytes differ", name)
		}
		if n := bytes.Count(got, []byte("\n")); n != bytes.Count(got, []byte("\r\n")) || bytes.Count(got, []byte("\r")) != n {
			t.Errorf("%s: lines that do not end in CRLF", name)
		}
		for line := range bytes.Lines(got) {
			if len(line) > 998+2 {
				t.Errorf("%s: a line of %d bytes", name, len(line))
			}
		}
	}
}

func TestComposedMailReadsBack(t *testing.T) {
	t.Parallel()
	m := sampleMessage()
	raw, err := Compose(m)
	if err != nil {
		t.Fatal(err)
	}
	l := Read(raw, ReadOptions{})
	if l.Kind != KindAutomatic || l.Why != "it is our own mail" {
		t.Errorf("%s (%s); want our own mail", l.Kind, l.Why)
	}
	if l.Text != m.Text || l.Subject != m.Subject || l.MessageID != m.MessageID || l.InReplyTo != m.InReplyTo || !l.Date.Equal(m.Date) {
		t.Errorf("read back differently: %+v", l)
	}
	want := []Attachment{{"Karte ä.png", "image/png", 164}}
	if diff := cmp.Diff(want, l.Attachments); diff != "" {
		t.Error(diff)
	}
}

func TestForeignTextAddsNoField(t *testing.T) {
	t.Parallel()
	m := sampleMessage()
	evil := "x\r\nBcc: evil@evil.test\n\r\n\x00body\u2028\u0085"
	m.Subject, m.From.Name, m.To.Name = evil, evil, evil
	m.References = []string{"<a@b>\r\nBcc: evil@evil.test", "<a\n@b>"}
	m.Pictures[0].Name, m.Pictures[0].Alt = evil, evil
	raw, err := Compose(m)
	if err != nil {
		t.Fatal(err)
	}
	head, _ := splitHeader(raw)
	clean, _ := Compose(sampleMessage())
	cleanHead, _ := splitHeader(clean)
	names := func(head []byte) (names []string) {
		fields, defect := parseHeader(head)
		if defect {
			t.Error("the header is damaged")
		}
		for _, f := range fields {
			names = append(names, f.name)
		}
		return names
	}
	want := strings.Replace(strings.Join(names(cleanHead), " "), "references ", "", 1) // none of them is an id
	if diff := cmp.Diff(want, strings.Join(names(head), " ")); diff != "" {
		t.Error(diff)
	}
	if bytes.Contains(raw, []byte("\r\nBcc:")) || bytes.ContainsRune(raw, 0) {
		t.Errorf("injected:\n%s", raw)
	}
}

func TestComposeRefusesWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*Message){
		"no sender":              func(m *Message) { m.From.Addr = "" },
		"no recipient":           func(m *Message) { m.To.Addr = "" },
		"recipient with newline": func(m *Message) { m.To.Addr = "a@b.test\r\nBcc: x@y.test" },
		"two recipients":         func(m *Message) { m.To.Addr = "a@b.test, c@d.test" },
		"bad Reply-To":           func(m *Message) { m.ReplyTo = "<a@b.test>" },
		"no Message-ID":          func(m *Message) { m.MessageID = "" },
		"Message-ID with blank":  func(m *Message) { m.MessageID = "<a b@c>" },
		"bad In-Reply-To":        func(m *Message) { m.InReplyTo = "<a@b>\r\nBcc: x@y.test" },
		"no Auto-Submitted":      func(m *Message) { m.AutoSubmitted = "no" },
		"pictures without HTML":  func(m *Message) { m.HTML = "" },
		"picture id":             func(m *Message) { m.Pictures[0].CID = "a>b" },
	}
	for name, spoil := range tests {
		m := sampleMessage()
		spoil(&m)
		if raw, err := Compose(m); err == nil {
			t.Errorf("%s: no error:\n%s", name, raw)
		}
	}
}

func TestManyReferencesKeepTheFirstAndTheLast(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 100 {
		ids = append(ids, MessageID("t", int64(i), "x.test"))
	}
	got := strings.Fields(referencesText(ids))
	if len(got) != maxReferences || got[0] != ids[0] || got[1] != ids[81] || got[len(got)-1] != ids[99] {
		t.Errorf("%v", got)
	}
}
