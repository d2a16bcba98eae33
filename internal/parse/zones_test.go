package parse

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var us = []string{"pbem+tok@example.test", "pbem@orders.example.test", "orders.example.test", "@pbem.test"}

// texts are the lines that are not blank, trimmed.
func texts(lines []Line) []string {
	var all []string
	for _, l := range lines {
		if s := strings.TrimSpace(l.Text); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func TestOrderMailsThatStrippersDamage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/pbem-orders/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]string
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != 16 {
		t.Fatalf("%d mails, want 16", len(want))
	}
	for name, lines := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata/pbem-orders", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			got := texts(Divide(ZoneInput{Text: string(text), Us: us}).New)
			for _, w := range lines {
				if no, ok := strings.CutPrefix(w, "!"); ok {
					if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, no) }) {
						t.Errorf("%q must not be new text: %q", no, got)
					}
					continue
				}
				if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, "- "), w) }) {
					t.Errorf("%q is not in the new text: %q", w, got)
				}
			}
		})
	}
}

func TestRepliesByMailProgram(t *testing.T) {
	t.Parallel()
	two := []string{"A LON - NTH", "F EDI S A LON - NTH"}
	for name, want := range map[string][]string{
		"19-dash-list":               {"Germany, Spring 1901", "-A Ber - Kie", "-F Kie - Den", "-A Mun - Ruh"},
		"20-attribution-wrapped":     two,
		"21-outlook-headers-no-rule": two,
		"23-inline-replies":          two,
	} {
		text, err := os.ReadFile("testdata/replies/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, texts(Divide(ZoneInput{Text: string(text), Us: us}).New)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	near := strings.Repeat(" on "+strings.Repeat("x", 400)+" at "+strings.Repeat("y", 400)+" wrote\n", 200)
	if got := texts(Divide(ZoneInput{Text: near + "A LON - NTH\n" + near, Us: us}).New); !slices.Contains(got, "A LON - NTH") {
		t.Error("the order among lines that nearly are attributions is lost")
	}
}

// sentMail is a mail of ours with an order form.
const sentMail = Marker + ` -- Dusk, turn 7 --

The robot rolls closer. You stand at E4 and see Zog at 20 m,
the scarred Yazirian at 13 m and the security robot at 18 m.
You have 14 SEU in the laser pistol and 45 Stamina left of 50.
Orders are due on Friday, 6 March 2026 at 20:00 CET (Berlin).
What you do not order is not done: your character then waits.
Write what your character does above this line, in plain words.

BEGIN ORDERS dusk-7-mira
mira: wait
END ORDERS

Reply READY when all your characters have their orders.
Good luck!`

func TestZones(t *testing.T) {
	t.Parallel()
	changed := strings.Replace(sentMail, "mira: wait", "mira: fire twice at Zog", 1)
	tests := []struct {
		name, text            string
		new, form, tail       []string
		changed, quotedChange bool
		notes                 int
	}{
		{name: "new text above a quotation", text: "fire at Zog\n\nOn Tue, 3 Mar 2026 Dusk <pbem+tok@example.test> wrote:\n" + quote(sentMail), new: []string{"fire at Zog"}},
		{name: "plus-addresses differ from mail to mail", text: "fire at Zog\nAm 3.3.2026 schrieb Dusk <pbem+other@example.test>:\n> x", new: []string{"fire at Zog"}},
		{name: "our address in a sentence is text", text: "fire at Zog\nI wrote to pbem@orders.example.test about it yesterday.\nrun to E4", new: []string{"fire at Zog", "I wrote to pbem@orders.example.test about it yesterday.", "run to E4"}},
		{name: "display name only", text: "fire at Zog\n\nOn 3 March 2026 at 21:00 Dusk wrote:\n> x\n> y", new: []string{"fire at Zog"}},
		{name: "our Message-ID", text: "fire at Zog\nIn message <0123456789abcdefghjkmnpqrstvwxyz0123456789ab.17@pbem.test> Dusk wrote:\n> x", new: []string{"fire at Zog"}},
		{name: "another address of our domain", text: "ask anna@pbem.test about it\n> x", new: []string{"ask anna@pbem.test about it"}},
		{name: "what is left of a broken header", text: "world?=\nDate: Tue, 03 Mar 2026 21:14:05 +0100\nTo: <pbem@orders.example.test>\nMIME-Version: 1.0\n\nfire at Zog",
			new: []string{"world?=", "Date: Tue, 03 Mar 2026 21:14:05 +0100", "To: <pbem@orders.example.test>", "MIME-Version: 1.0", "fire at Zog"}},
		{name: "an attribution over four lines", text: "fire at Zog\nOn Tue, 3 Mar 2026,\nDusk\n<pbem+tok@example.test>\nwrote:\n> x", new: []string{"fire at Zog"}},
		{name: "its bracket on a line of its own", text: "fire at Zog\nAm 03.03.2026 17:48 schrieb \"Dusk\" <pbem+tok@example.test\n>:\n\n> x", new: []string{"fire at Zog"}},
		{name: "behind the last word", text: "fire at Zog On Wed, Mar 4, 2026 at 3:59 PM, pbem@orders.example.test wrote:\n> x", new: []string{"fire at Zog"}},
		{name: "the writer's initials for marks", text: "fire at Zog\nOn 3 Mar 2026 Dusk wrote:\nD> run to E4\nD>\nD> wait", new: []string{"fire at Zog"}},
		{name: "any address with a date", text: "fire at Zog\n\n26.06.2026, 14:41, \"Dusk\" <a@b.test>:\n> x", new: []string{"fire at Zog"}},
		{name: "a date in a sentence", text: "fire at Zog\nOn 3 March 2026 we met.\nrun to E4", new: []string{"fire at Zog", "On 3 March 2026 we met.", "run to E4"}},
		{name: "an attribution with no text above marks nothing", text: "On Tue, 3 Mar 2026 Dusk <pbem+tok@example.test> wrote:\n\nfire at Zog", new: []string{"fire at Zog"}},
		{name: "below one without marks nothing acts", text: "fire at Zog\n\nOn Tue, 3 Mar 2026 Dusk <pbem+tok@example.test> wrote:\nrun to E4", new: []string{"fire at Zog"}, tail: []string{"run to E4"}},
		{name: "but for what stands between our lines", text: "Hello\nOn Tue, 3 Mar 2026 Dusk <pbem+tok@example.test> wrote:\n" + strings.Replace(sentMail, "Orders are due", "I fire at Zog twice, calmly and slowly\nOrders are due", 1),
			new: []string{"Hello", "I fire at Zog twice, calmly and slowly"}, tail: tailOf(sentMail)},
		{name: "header lines as paragraphs", text: "fire at Zog\n\nFrom: Dusk <pbem+tok@example.test>\n\nSent: Tuesday, 3 March 2026 20:14\n\nTo: Anna\n\nSubject: Re: [Dusk-7]\n\nrun to E4", new: []string{"fire at Zog"}},
		{name: "orders with colons as paragraphs", text: "Mira: fire at Zog\n\nFrom: E4\n\nTo: E6\n\nrun", new: []string{"Mira: fire at Zog", "From: E4", "To: E6", "run"}},
		{name: "header lines without addresses", text: "fire at Zog\n\nVon: Dusk\nGesendet: Dienstag, 3. März 2026 20:14\nAn: Anna\nBetreff: Re: [Dusk-7]\n\nrun to E4", new: []string{"fire at Zog"}, tail: []string{"run to E4"}},
		{name: "header lines above our marker", text: "fire at Zog\n\nFrom: Dusk\nTo: Anna\n\n" + sentMail, new: []string{"fire at Zog"}, tail: tailOf(sentMail)},
		{name: "trade orders are no header", text: "Orders:\nFrom: Alpha\nTo: Beta\nDate: turn 5\nSubject: trade", new: []string{"Orders:", "From: Alpha", "To: Beta", "Date: turn 5", "Subject: trade"}},
		{name: "an original message without a header", text: "fire at Zog\n-----Ursprüngliche Nachricht-----\nrun to E4", new: []string{"fire at Zog"}, tail: []string{"run to E4"}},
		{name: "a letter sent on was chosen by its sender", text: "do as he says\n\n---------- Forwarded message ---------\nFrom: Ben <ben@b.test>\nDate: Tue, 3 Mar 2026 20:00\nSubject: plan\nTo: Anna\n\nrun to E4",
			new: []string{"do as he says", "---------- Forwarded message ---------", "From: Ben <ben@b.test>", "Date: Tue, 3 Mar 2026 20:00", "Subject: plan", "To: Anna", "run to E4"}},
		{name: "a mailing list's footer", text: "fire at Zog\n_______________________________________________\ndusk mailing list\ndusk@lists.test", new: []string{"fire at Zog"},
			tail: []string{"_______________________________________________", "dusk mailing list", "dusk@lists.test"}},
		{name: "a footer with a link", text: "fire at Zog\nGet Outlook for iOS<https://aka.test/x>", new: []string{"fire at Zog"}, tail: []string{"Get Outlook for iOS<https://aka.test/x>"}},

		{name: "signature", text: "fire at Zog\n-- \nAnna\nrun to E4", new: []string{"fire at Zog"}, tail: []string{"--", "Anna", "run to E4"}},
		{name: "phone footer", text: "fire at Zog\n\nSent from my iPhone\nrun to E4", new: []string{"fire at Zog"}, tail: []string{"Sent from my iPhone", "run to E4"}},
		{name: "an order that begins like a footer", text: "Sent from the drums to the wall I run.", new: []string{"Sent from the drums to the wall I run."}},
		{name: "bars are quotes from three on", text: "| a\n| b\n| c\nfire\n| d", new: []string{"fire", "| d"}},

		{name: "our mail come back without marks", text: "fire at Zog\n\n" + sentMail, new: []string{"fire at Zog"}, tail: tailOf(sentMail)},
		{name: "our mail wrapped anew", text: "fire at Zog\n\n" + wrapAt(sentMail, 37), new: []string{"fire at Zog"}, tail: tailOf(wrapAt(sentMail, 37))},
		{name: "answers between our lines", text: strings.Replace(sentMail, "Orders are due", "I fire at Zog twice, calmly and slowly\nOrders are due", 1),
			new: []string{"I fire at Zog twice, calmly and slowly"}, tail: tailOf(sentMail)},
		{name: "below our mail without marks", text: sentMail + "\n\nfire at Zog", new: []string{"fire at Zog"}, tail: tailOf(sentMail)},
		{name: "five lines without the marker", text: "fire at Zog\n" + strings.Join(strings.Split(sentMail, "\n")[2:7], "\n"), new: []string{"fire at Zog"}, tail: strings.Split(sentMail, "\n")[2:7]},
		{name: "four lines are new", text: strings.Join(strings.Split(sentMail, "\n")[2:6], "\n"), new: strings.Split(sentMail, "\n")[2:6]},
		{name: "somebody else's marker line", text: "fire at Zog\n" + Marker + " -- Dawn, turn 1 --\nrun to E4", new: []string{"fire at Zog", "run to E4"}, tail: []string{Marker + " -- Dawn, turn 1 --"}},

		{name: "form as we sent it", text: "fire at Zog\n\nBEGIN ORDERS dusk-7-mira\nmira:   wait\nEND ORDERS", new: []string{"fire at Zog"},
			tail: []string{"BEGIN ORDERS dusk-7-mira", "mira:   wait", "END ORDERS"}},
		{name: "form changed", text: "BEGIN ORDERS dusk-7-mira\nmira: fire twice at Zog\nEND ORDERS", form: []string{"mira: fire twice at Zog"},
			tail: []string{"BEGIN ORDERS dusk-7-mira", "END ORDERS"}, changed: true},
		{name: "form changed within our mail without marks", text: changed, form: []string{"mira: fire twice at Zog"},
			tail: slices.DeleteFunc(tailOf(changed), func(s string) bool { return s == "mira: fire twice at Zog" }), changed: true},
		{name: "form changed in quoted text", text: "ok?\n" + quote(changed), new: []string{"ok?"}, quotedChange: true, notes: 1},
		{name: "form quoted as it was", text: "fire at Zog\n" + quote(sentMail), new: []string{"fire at Zog"}},
		{name: "form of another turn", text: "BEGIN ORDERS dusk-6-mira\nmira: fire\nEND ORDERS", tail: []string{"BEGIN ORDERS dusk-6-mira", "mira: fire", "END ORDERS"}, notes: 1},
		{name: "form that never ends", text: "BEGIN ORDERS dusk-7-mira\nfire at Zog", new: []string{"BEGIN ORDERS dusk-7-mira", "fire at Zog"}},
		{name: "invisible characters are told", text: "fire\u202e at Zog", new: []string{"fire\u202e at Zog"}, notes: 1},
		{name: "empty", text: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			z := Divide(ZoneInput{Text: tt.text, Us: us, Sent: []string{"an older mail\nof ours", sentMail}, FormID: "dusk-7-mira"})
			for what, pair := range map[string][2][]string{"new": {tt.new, texts(z.New)}, "form": {tt.form, texts(z.Form)}, "tail": {tt.tail, texts(z.Tail)}} {
				if !slices.Equal(pair[0], pair[1]) {
					t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(pair[0], pair[1]))
				}
			}
			if z.FormChanged != tt.changed || z.QuotedFormChanged != tt.quotedChange || len(z.Notes) != tt.notes {
				t.Errorf("changed %v, quoted changed %v, notes %q", z.FormChanged, z.QuotedFormChanged, z.Notes)
			}
		})
	}
}

// TestAttributions: an answer above a quotation is found whatever the language of
// the mail program, with our address and without.
func TestAttributions(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Le mar. 3 mars 2026 à 20:14, Dusk <%s> a écrit :",
		"El mar, 3 mar 2026 a las 20:14, Dusk (<%s>) escribió:",
		"Il giorno mar 3 mar 2026 alle ore 20:14 Dusk <%s> ha scritto:",
		"Em ter., 3 de mar. de 2026 às 20:14, Dusk <%s> escreveu:",
		"Op di 3 mrt 2026 om 20:14 schreef Dusk <%s>:",
		"Op 3 mrt 2026, om 20:14 heeft Dusk <%s> het volgende geschreven:",
		"Den tis 3 mars 2026 kl 20:14 skrev Dusk <%s>:",
		"tir. 3. mar. 2026 kl. 20.14 skrev Dusk <%s>:",
		"ti 3. maalisk. 2026 klo 20.14 Dusk (%s) kirjoitti:",
		"wt., 3 mar 2026 o 20:14 Dusk <%s> napisał(a):",
		"út 3. 3. 2026 v 20:14 odesílatel Dusk <%s> napsal:",
		"вт, 3 мар. 2026 г. в 20:14, Dusk <%s>:",
		"вт, 3 бер. 2026 р. о 20:14 Dusk <%s> пише:",
		"3 Mar 2026 Sal, 20:14 tarihinde Dusk <%s> şunu yazdı:",
		"Dusk <%s> ezt írta (időpont: 2026. márc. 3., K, 20:14):",
		"Dusk <%s> 于2026年3月3日周二 20:14写道：",
		"2026年3月3日(火) 20:14 Dusk <%s>:",
		"2026년 3월 3일 (화) 오후 8:14, Dusk <%s>님이 작성:",
		"Στις Τρί 3 Μαρ 2026 στις 20:14, ο/η Dusk <%s> έγραψε:",
	} {
		for _, address := range []string{"pbem+tok@example.test", "dusk@elsewhere.test"} {
			text := "fire at Zog\n\n" + fmt.Sprintf(line, address) + "\n\n> run to E4\n> wait"
			if got := texts(Divide(ZoneInput{Text: text, Us: us}).New); !slices.Equal(got, []string{"fire at Zog"}) {
				t.Errorf("new text is %q", got)
			}
		}
	}
}

func quote(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }

// tailOf are the lines of a text that are not blank.
func tailOf(s string) []string { return texts(linesOf(s)) }

func wrapAt(s string, n int) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		now := ""
		for _, w := range strings.Fields(line) {
			if now != "" && len(now)+1+len(w) > n {
				out = append(out, now)
				now = ""
			}
			now = strings.TrimSpace(now + " " + w)
		}
		out = append(out, now)
	}
	return strings.Join(out, "\n")
}

func TestTailLinesThatAreOrders(t *testing.T) {
	t.Parallel()
	z := Divide(ZoneInput{Text: "crouch\n-- \nAnna\nfire twice at Zog\nTel. 0123"})
	z.JudgeTail([]Actor{shed()})
	if diff := cmp.Diff([]string{"fire twice at Zog"}, texts(z.TailOrders)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain", "“Fire!” – don’t": `"Fire!" - don't`, "a\u00a0b\u2003c": "a b c", "fi\u200bre\ufeff": "fire", "e\u0301": "é",
		"a\x00b\tc": "ab c", "x×2…": "xx2.", "line\nline": "line\nline", "\u202eevil": "evil", "bad\xff": "bad?",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A letter at all bounds is read in linear time.
func TestDivideIsBounded(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "the same four words %d On 3 March <pbem+tok@example.test> wrote:\n", i%7)
	}
	began := time.Now()
	z := Divide(ZoneInput{Text: long.String(), Us: us, Sent: slices.Repeat([]string{long.String()}, 20)})
	seen := map[int]bool{}
	for _, l := range slices.Concat(z.New, z.Tail, z.Quoted, z.Form) {
		seen[l.N] = true
	}
	if len(seen) != MaxLines {
		t.Errorf("%d lines, want %d", len(seen), MaxLines)
	}
	if len(z.Notes) == 0 {
		t.Error("nobody is told that lines were left out")
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
}

// Whatever repeats in a letter, its zones are told apart in time that grows with
// its length: what looks up or down from a line looks a few lines far.
func TestRepetitionsCostLinearTime(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"header blocks":        "From: a@b.test\nDate: Tue, 3 Mar 2026 20:14\nTo: c@d.test\n\n",
		"our header blocks":    "From: a@b.test\nTo: pbem@orders.example.test\n\n",
		"attributions":         "On 3 Mar 2026 Dusk <a@b.test> wrote:\n",
		"attributions of ours": "On 3 Mar 2026 Dusk <pbem+tok@example.test>\nwrote:\n\n",
		"their ends":           "wrote:\n",
		"brackets":             "<\n>:\n",
		"initials":             "ab> x:\n",
		"original messages":    "-----Original Message-----\n",
		"leads":                strings.Repeat("On 3 ", 300) + "\n",
		"our addresses":        strings.Repeat("pbem@orders.example.test", 80) + ":\n",
		"markers":              Marker + " x\n",
		"rules":                "________________________________________\n",
		"forms":                "BEGIN ORDERS x\n",
		"quotes and new text":  "> x\ny:\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(line, min(MaxLines/strings.Count(line, "\n"), 1<<20/len(line))) // mail keeps no more
			began := time.Now()
			Divide(ZoneInput{Text: text, Us: us, Sent: []string{sentMail}, FormID: "x"})
			if d := time.Since(began); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func FuzzDivide(f *testing.F) {
	f.Add("fire\n> x\nOn 3 <pbem+tok@example.test> wrote:\n"+sentMail, sentMail)
	f.Add("From: a <pbem+tok@example.test>\nTo: b\n\nfire", "x")
	f.Add("BEGIN ORDERS dusk-7-mira\nx\nEND ORDERS\n-- \ny", sentMail)
	f.Fuzz(func(t *testing.T, text, sent string) {
		z := Divide(ZoneInput{Text: text, Us: us, Sent: []string{sent}, FormID: "dusk-7-mira"})
		lines, _ := split(text)
		whole := make([]string, len(lines)) // a line that begins new and ends quoted is put together again
		for _, list := range [][]Line{z.New, z.Form, z.Tail, z.Quoted} {
			last := 0
			for _, l := range list {
				if l.N <= last || l.N > len(lines) {
					t.Fatalf("line %+v is not the letter's, or out of order", l)
				}
				last = l.N
				whole[l.N-1] += l.Text
			}
		}
		for i, l := range lines {
			if whole[i] != l.Text {
				t.Errorf("line %d is %q in the zones, %q in the letter", l.N, whole[i], l.Text)
			}
		}
		if n := Normalize(text); Normalize(n) != n {
			t.Errorf("normalising %q twice changes it", text)
		}
	})
}
