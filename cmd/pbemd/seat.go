package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/game"
	"github.com/pbemd/pbemd/internal/mail"
)

// Script is what the seats of a demonstration mail, by what comes in. It is a
// file of its own beside the game file (demo.toml, demo.mails.toml).
type Script struct {
	Mail []ScriptMail `toml:"mail"`
}

// ScriptMail is one mail: when the Nth mail of a turn comes in whose first line
// says When, the seat answers it with Text.
type ScriptMail struct {
	Seat  string `toml:"seat"`  // local part of the seat's address
	When  string `toml:"when"`  // words of the marker line
	Turn  int    `toml:"turn"`  // of the mail answered; 0: every turn that has no line of its own
	Nth   int    `toml:"nth"`   // 0: the first
	Style string `toml:"style"` // plain (quotes below), html (no plain part), reply-all
	Text  string `toml:"text"`
}

// readScript reads and checks a script; unknown keys are errors.
func readScript(name string, text []byte) (Script, error) {
	var s Script
	md, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&s)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if un := md.Undecoded(); len(un) > 0 {
		return s, fmt.Errorf("%s: there is no key %s", name, un[0])
	}
	for i, m := range s.Mail {
		if m.Seat == "" || m.When == "" || strings.TrimSpace(m.Text) == "" {
			return s, fmt.Errorf("%s: mail %d needs seat, when and text", name, i+1)
		}
		switch m.Style {
		case "", "plain", "html", "reply-all":
		default:
			return s, fmt.Errorf("%s: mail %d: style %q is none of plain, html, reply-all", name, i+1, m.Style)
		}
	}
	return s, nil
}

// seat is a scripted person with a mailbox at the post office.
type seat struct {
	user, address, password string
	script                  []ScriptMail
	others                  []string // addresses for reply-all
	send                    mail.Sender
	log                     *slog.Logger
	now                     func() time.Time

	mu      sync.Mutex
	seen    map[string]int // turn/when -> how many came in
	stopped bool
	sent    int
}

// stop ends the script: a person has taken the seat.
func (s *seat) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.stopped
	s.stopped = true
	return !was
}

// muttrc is a config file of neomutt with which a person takes the seat.
func (s *seat) muttrc(smtp, imap string) string {
	submit := url.URL{Scheme: "smtp", User: url.User(s.address), Host: smtp}
	return fmt.Sprintf(`set ssl_starttls = no ssl_force_tls = no
set folder = "imap://%s/" spoolfile = "+INBOX"
set imap_user = "%s" imap_pass = "%s"
set smtp_url = "%s" smtp_pass = "%[3]s"
set from = "%[2]s" use_from = yes
set reply_to = yes copy = no mail_check = 5
`, imap, s.address, s.password, submit.String())
}

// receive answers a mail that came in, if the script says so.
func (s *seat) receive(ctx context.Context, raw []byte) {
	env, err := enmime.ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		s.log.Warn("a seat cannot read its mail", "seat", s.user, "err", err)
		return
	}
	marker, _, _ := strings.Cut(env.Text, "\n")
	turn := turnOf(env.GetHeader("Subject"))
	m, ok := s.next(marker, turn)
	if !ok {
		return
	}
	letter := s.compose(env, m)
	for _, to := range letter.to {
		if err := s.send.Send(ctx, s.address, to, letter.raw); err != nil && ctx.Err() == nil {
			s.log.Warn("a seat cannot send its mail", "seat", s.user, "err", err)
		}
	}
}

// next finds the line of the script that a mail calls for.
func (s *seat) next(marker string, turn int) (ScriptMail, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || !strings.HasPrefix(marker, game.Marker) {
		return ScriptMail{}, false
	}
	counted := map[string]bool{}
	own := false
	var general *ScriptMail
	for i, m := range s.script {
		if !strings.Contains(marker, m.When) {
			own = own || m.Turn == turn
			continue
		}
		key := fmt.Sprintf("%d/%s", turn, m.When)
		if !counted[key] {
			s.seen[key]++
			counted[key] = true
		}
		if s.seen[key] != max(1, m.Nth) {
			own = own || m.Turn == turn
			continue
		}
		switch m.Turn {
		case turn:
			return m, true
		case 0:
			general = &s.script[i]
		}
	}
	if general != nil && !own {
		return *general, true
	}
	return ScriptMail{}, false
}

// turnOf reads the tag of a Subject: "[Dusk-3] …" is turn 3.
func turnOf(subject string) int {
	var n int
	if _, rest, ok := strings.Cut(subject, "-"); ok {
		fmt.Sscanf(rest, "%d]", &n)
	}
	return n
}

type written struct {
	raw []byte
	to  []string
}

// compose writes the answer as a mail program would: a reply to Reply-To in the
// same thread, with the original quoted.
func (s *seat) compose(env *enmime.Envelope, m ScriptMail) written {
	s.mu.Lock()
	s.sent++
	n := s.sent
	s.mu.Unlock()
	to := strings.Trim(env.GetHeader("Reply-To"), "<> ")
	out := written{to: []string{to}}
	var b bytes.Buffer
	head := func(k, v string) { fmt.Fprintf(&b, "%s: %s\r\n", k, v) }
	head("From", s.address)
	head("To", to)
	if m.Style == "reply-all" {
		head("Cc", strings.Join(s.others, ", "))
		out.to = append(out.to, s.others...)
	}
	subject := env.GetHeader("Subject")
	if !strings.HasPrefix(subject, "Re: ") {
		subject = "Re: " + subject
	}
	head("Subject", mime.QEncoding.Encode("utf-8", subject))
	head("Date", s.now().Format(time.RFC1123Z))
	head("Message-ID", fmt.Sprintf("<%s.%d.%d@%s>", s.user, n, s.now().UnixMicro(), s.address[strings.IndexByte(s.address, '@')+1:]))
	head("In-Reply-To", env.GetHeader("Message-Id"))
	head("References", strings.TrimSpace(env.GetHeader("References")+" "+env.GetHeader("Message-Id")))
	head("MIME-Version", "1.0")
	kind, body := "text/plain", plainReply(env, m.Text)
	if m.Style == "html" {
		kind, body = "text/html", htmlReply(env, m.Text)
	}
	head("Content-Type", kind+"; charset=utf-8")
	head("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	w.Write([]byte(strings.ReplaceAll(body, "\n", "\r\n"))) // a bytes.Buffer never fails
	w.Close()
	out.raw = b.Bytes()
	return out
}

func plainReply(env *enmime.Envelope, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nOn %s, %s wrote:\n", strings.TrimSpace(text), env.GetHeader("Date"), env.GetHeader("From"))
	for line := range strings.Lines(env.Text) {
		b.WriteString("> " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// htmlReply is what a phone sends: no plain part, the original in a quote box.
func htmlReply(env *enmime.Envelope, text string) string {
	var b strings.Builder
	b.WriteString("<html><body>")
	for line := range strings.Lines(strings.TrimSpace(text)) {
		b.WriteString("<div dir=\"ltr\">" + html.EscapeString(strings.TrimSpace(line)) + "</div>")
	}
	fmt.Fprintf(&b, "<br><div class=\"gmail_quote\"><div dir=\"ltr\" class=\"gmail_attr\">On %s %s wrote:<br></div><blockquote class=\"gmail_quote\" style=\"margin:0 0 0 .8ex\">%s</blockquote></div></body></html>",
		html.EscapeString(env.GetHeader("Date")), html.EscapeString(env.GetHeader("From")), strings.ReplaceAll(html.EscapeString(env.Text), "\n", "<br>\n"))
	return b.String()
}
