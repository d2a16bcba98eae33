package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/mail"
)

// reply is a letter of a published collection and what is to be kept of it.
type reply struct {
	name string
	raw  []byte
	us   []string
	keep string
}

const repliesDir = "testdata/replies"

// TestReplyCollections reads the answers that published strippers of quotations
// are tested with. No line that they keep may be lost, and of the lines that
// they take away less than a twentieth may stay new text.
func TestReplyCollections(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]func(*testing.T) []reply{
		"email_reply_trimmer":              trimmerReplies,
		"github-email_reply_parser":        githubReplies,
		"mail-parser-reply":                mailParserReplies,
		"talon":                            talonReplies,
		"talon-inline":                     talonInline,
		"activecollab-EmailReplyExtractor": activeCollabReplies,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, quoted, lost := 0, 0, 0
			replies := load(t)
			for _, r := range replies {
				l := readLetter(r.name, r.raw, r.us, nil)
				if l.Kind != mail.KindLetter {
					t.Errorf("%s: %s (%s)", r.name, l.Kind, l.Why)
					continue
				}
				got := plainLines(strings.Join(l.New, "\n"))
				rest := plainLines(mail.Read(r.raw, mail.ReadOptions{}).Text)
				all := strings.Join(got, " ")
				for _, line := range plainLines(r.keep) {
					rest, _ = without(rest, line)
					var found bool
					got, found = without(got, line)
					// A line may have been wrapped, or have stood before an attribution.
					if !found && !strings.Contains(all, line) && !belowTheText(line) {
						t.Errorf("%s: line %q is lost", r.name, line)
						lost++
					}
				}
				quoted += len(rest)
				for _, line := range rest {
					var found bool
					if got, found = without(got, line); found {
						kept++
					}
				}
			}
			t.Logf("%d letters, %d lines lost, %d of %d quoted lines kept (%.1f %%)", len(replies), lost, kept, quoted, 100*float64(kept)/float64(quoted))
			if len(replies) < 10 || quoted < 50 || kept*20 > quoted {
				t.Errorf("%d letters, %d of %d quoted lines kept", len(replies), kept, quoted)
			}
		})
	}
}

// belowTheText are lines that the collections keep and that never act here: what
// the sender himself marks as quoted, and signatures.
func belowTheText(line string) bool {
	switch line {
	case "--", "xxx", "Sent from my iPhone", "Sent with Sparrow (http://www.sparrowmailapp.com/?sig)", // signatures
		// The introduction of a quotation that is answered line by line.
		"On Tue, 2011-03-01 at 18:02 +0530, Abhishek Kona wrote:",
		"On Tue, Apr 29, 2014 at 4:22 PM, Example Dev <sugar@example.com>wrote:":
		return true
	}
	return strings.HasPrefix(line, ">")
}

// TestHTMLReplies: what the HTML of each mail program marks as its answer comes
// out, and nothing else.
func TestHTMLReplies(t *testing.T) {
	t.Parallel()
	expected := expectedReplies(t, "talon/expected-html_replies.json")
	if len(expected) != 9 {
		t.Fatalf("%d replies, want 9", len(expected))
	}
	for name, keep := range expected {
		source := readBytes(t, "talon/html_replies/"+name)
		r := readLetter(name, asLetter("text/html", source), addresses(string(source)), nil)
		if got, want := squeezed(strings.Join(r.New, "")), squeezed(keep); got != want {
			t.Errorf("%s: new text %q, want %q", name, got, want)
		}
	}
}

// TestInlineHTMLReplies: as far as talon's opinion of HTML is ours, so is the result.
func TestInlineHTMLReplies(t *testing.T) {
	t.Parallel()
	different := map[string]string{
		"test_gmail_quote_blockquote":                     "what Gmail marks as quoted is quoted",
		"test_gmail_forwarded_msg":                        "what Gmail marks as quoted is quoted",
		"test_unicode_in_reply":                           "an indented paragraph is not quoted",
		"test_blockquote_disclaimer":                      "an indented paragraph is not quoted",
		"test_reply_separated_by_hr":                      "a name is text",
		"test_from_block_and_quotations_in_separate_divs": "two fields in one line are no header",
		"test_readable_html_empty":                        "an attribution is not text, whatever stands below",
	}
	n := 0
	for _, p := range inlinePairs(t) {
		if p.Kind != "html" {
			continue
		}
		n++
		r := readLetter(p.Test, asLetter("text/html", []byte(p.Input)), addresses(p.Input), nil)
		got, want := squeezed(strings.Join(r.New, "")), squeezed(words(p.Expected))
		if why := different[p.Test]; (got == want) == (why != "") {
			t.Errorf("%s: new text %q, want %q %s", p.Test, got, want, why)
		}
	}
	if n < 20 {
		t.Errorf("only %d pairs", n)
	}
}

func trimmerReplies(t *testing.T) (all []reply) {
	files, err := filepath.Glob(filepath.Join(repliesDir, "email_reply_trimmer/emails/*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	us := []string{"info@discourse.org", "team@discourse.org", "meta@discoursemail.com", "someone@example.com", "foo@bar.com",
		"arpit.jalan@discourse.org", "discourse@discourse.org", "try_discourse@discoursemail.com", "noreply@meta.discourse.org"}
	for _, f := range files {
		name := filepath.Base(f)
		all = append(all, reply{name, asLetter("text/plain", readBytes(t, "email_reply_trimmer/emails/"+name)), us, string(readBytes(t, "email_reply_trimmer/trimmed/"+name))})
	}
	return all
}

func githubReplies(t *testing.T) (all []reply) {
	for name, keep := range expectedReplies(t, "github-email_reply_parser/expected.json") {
		raw := asLetter("text/plain", readBytes(t, "github-email_reply_parser/emails/"+name+".txt"))
		all = append(all, reply{name, raw, []string{"notifications@github.com", "reply@reply.github.com"}, keep})
	}
	return all
}

func mailParserReplies(t *testing.T) (all []reply) {
	for name, keep := range expectedReplies(t, "mail-parser-reply/expected.json") {
		text := readBytes(t, "mail-parser-reply/emails/"+name)
		all = append(all, reply{name, asLetter("text/plain", text), addresses(string(text)), keep})
	}
	return all
}

func talonReplies(t *testing.T) (all []reply) {
	for name, keep := range expectedReplies(t, "talon/expected-standard_replies.json") {
		all = append(all, reply{name, readBytes(t, "talon/standard_replies/"+name), []string{"xxx@xxx.mailgun.org"}, keep})
	}
	return all
}

func talonInline(t *testing.T) (all []reply) {
	for i, p := range inlinePairs(t) {
		if p.Kind != "plain" {
			continue
		}
		r := reply{fmt.Sprintf("%d %s", i, p.Test), asLetter("text/plain", []byte(p.Input)), addresses(p.Input), p.Expected}
		if strings.Contains(p.Input, "Forwarded message -") {
			r.us = nil // it is somebody else's that is sent on
		}
		all = append(all, r)
	}
	return all
}

func activeCollabReplies(t *testing.T) (all []reply) {
	for name, keep := range expectedReplies(t, "activecollab-EmailReplyExtractor/expected.json") {
		raw := readBytes(t, "activecollab-EmailReplyExtractor/example_messages/"+name)
		l := mail.Read(raw, mail.ReadOptions{})
		us := slices.DeleteFunc(l.To, func(a string) bool { return a == l.From }) // written to oneself
		all = append(all, reply{name, raw, us, keep})
	}
	return all
}

type inlinePair struct{ Test, Kind, Input, Expected string }

func inlinePairs(t *testing.T) []inlinePair {
	t.Helper()
	var file struct{ Pairs []inlinePair }
	if err := json.Unmarshal(readBytes(t, "talon/expected-inline.json"), &file); err != nil {
		t.Fatal(err)
	}
	return file.Pairs
}

func expectedReplies(t *testing.T, name string) map[string]string {
	t.Helper()
	var file struct{ Expected map[string]string }
	if err := json.Unmarshal(readBytes(t, name), &file); err != nil {
		t.Fatal(err)
	}
	return file.Expected
}

func readBytes(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repliesDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asLetter makes a letter of a body.
func asLetter(mediaType string, body []byte) []byte {
	return fmt.Appendf(nil, "From: player@player.test\r\nTo: us@us.test\r\nMIME-Version: 1.0\r\nContent-Type: %s; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n%s", mediaType, body)
}

var addressPattern = regexp.MustCompile(`[\w.+-]+@[\w.-]+\w`)

func addresses(s string) []string { return addressPattern.FindAllString(s, -1) }

// plainLines are the lines of a text that are not blank, each blank of theirs single.
func plainLines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func without(lines []string, line string) ([]string, bool) {
	i := slices.Index(lines, line)
	if i < 0 {
		return lines, false
	}
	return slices.Delete(slices.Clone(lines), i, i+1), true
}

var (
	unseen = regexp.MustCompile(`(?is)<(style|head|title)[^>]*>.*?</(style|head|title)>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

// words is the text of a piece of HTML.
func words(source string) string {
	return html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(source, ""), ""))
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
