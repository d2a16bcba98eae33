package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/mail/postoffice"
)

// password is a person's at the post office of the rig.
func (r *rig) password(who string) (string, error) {
	return postoffice.AddAccount(filepath.Join(r.dir, "data", "accounts"), r.address(who))
}

// arrival is how a letter comes in.
type arrival struct {
	by      string    // who sends it; empty: the person whose mail it answers
	from    string    // address; empty: the sender's own
	auth    string    // what the MX says: "pass" (default), "fail", "none"; the lab only
	subject string    // default: Re: what it answers
	id      string    // Message-ID; default: a new one
	at      time.Time // when the MX took it, default: now; the lab only
}

// meet lets the rig wait for the mails of somebody who has no part in its game.
func (r *rig) meet(who string) {
	if !slices.Contains(people, who) && !slices.Contains(r.others, who) {
		r.others = append(r.others, who)
	}
}

// write makes a person's letter: an answer to m, or a new one to our address.
func (r *rig) write(who string, m *mailIn, text string, a arrival) (to string, raw []byte) {
	r.n++
	if a.from == "" {
		a.from = r.address(who)
	}
	if a.id == "" {
		a.id = fmt.Sprintf("<%s.%d.%s>", who, r.n, a.from)
	}
	if a.at.IsZero() {
		a.at = r.clock.now()
	}
	at := a.at.UTC().Format(time.RFC1123Z)
	var b bytes.Buffer
	if r.lab != nil {
		fmt.Fprintf(&b, "Received: from client.test by mx.test with ESMTPS id %d; %s\r\n", r.n, at)
		switch a.auth {
		case "", "pass":
			fmt.Fprintf(&b, "Authentication-Results: mx.test; dmarc=pass header.from=%s\r\n", a.from[strings.IndexByte(a.from, '@')+1:])
		case "fail":
			fmt.Fprintf(&b, "Authentication-Results: mx.test; dmarc=fail header.from=%s\r\n", a.from[strings.IndexByte(a.from, '@')+1:])
		}
	}
	to = r.address("pbem")
	if m != nil {
		to = m.replyTo
		if a.subject == "" {
			a.subject = "Re: " + m.subject
		}
	}
	fmt.Fprintf(&b, "From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: %s\r\nDate: %s\r\n", a.from, to, a.subject, a.id, at)
	if m != nil {
		fmt.Fprintf(&b, "In-Reply-To: %s\r\nReferences: %s\r\n", m.messageID, m.messageID)
	}
	fmt.Fprintf(&b, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n", strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\r\n"))
	return to, b.Bytes()
}

// send brings a letter under way: by LMTP as an MX would deliver it, or by
// submission at the post office.
func (r *rig) send(who, to string, raw []byte) error {
	if r.lab != nil {
		return r.lab.Deliver(r.address(who), to, raw)
	}
	p, err := r.running()
	if err != nil {
		return err
	}
	pass, err := r.password(who)
	if err != nil {
		return err
	}
	s := mail.SMTP{Addr: p.smtp, TLS: mail.TLSNone, User: r.address(who), Pass: pass}
	return s.Send(r.ctx, r.address(who), to, raw)
}

// answer writes and sends a letter that answers the newest mail whose first
// line holds the words.
func (r *rig) answer(who, words, text string, a arrival) error {
	m, err := r.newest(who, words)
	if err != nil {
		return err
	}
	who = cmp.Or(a.by, who)
	to, raw := r.write(who, &m, text, a)
	return r.send(who, to, raw)
}

// unlessDead forgives an error of sending where the post office is in a process
// that was to die of the letter: it may have died before it could say that it has
// it. A letter that it does not have is missed later.
func (r *rig) unlessDead(err error) error {
	if err == nil || r.lab != nil {
		return err
	}
	for _, p := range r.procs {
		if !p.mortal {
			continue
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(rigPatience):
		}
	}
	return err
}

// open opens somebody's mailbox.
func (r *rig) open(who string) (mail.Mailbox, error) {
	if r.lab != nil {
		return r.lab.Dial(r.ctx, r.user(who))
	}
	p, err := r.running()
	if err != nil {
		return nil, err
	}
	pass, err := r.password(who)
	if err != nil {
		return nil, err
	}
	return mail.DialIMAP(r.ctx, mail.IMAPConfig{Addr: p.imap, TLS: mail.TLSNone, User: r.address(who), Pass: pass})
}

// inbox gives all mails of a person in their order. The post office numbers its
// letters anew when it starts, but keeps their order.
func (r *rig) inbox(who string) ([]mailIn, error) {
	box, err := r.open(who)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	if _, err := box.Select(r.ctx, "INBOX"); err != nil {
		return nil, err
	}
	uids, err := box.ListUIDs(r.ctx, 1)
	if err != nil {
		return nil, err
	}
	for _, uid := range uids[min(len(r.letters[who]), len(uids)):] {
		raw, _, err := box.FetchRaw(r.ctx, uid, 32<<20)
		if err != nil {
			return nil, err
		}
		m, err := readMail(raw)
		if err != nil {
			return nil, err
		}
		r.letters[who] = append(r.letters[who], m)
	}
	return r.letters[who], nil
}

func readMail(raw []byte) (mailIn, error) {
	env, err := enmime.ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		return mailIn{}, err
	}
	m := mailIn{subject: env.GetHeader("Subject"), text: strings.ReplaceAll(env.Text, "\r\n", "\n"),
		replyTo: strings.Trim(env.GetHeader("Reply-To"), "<>"), messageID: env.GetHeader("Message-Id"), raw: raw}
	m.marker, _, _ = strings.Cut(m.text, "\n")
	return m, nil
}

// find gives the mails of a person whose first line or Subject holds the words.
func (r *rig) find(who, words string) (found []mailIn, err error) {
	all, err := r.inbox(who)
	for _, m := range all {
		if strings.Contains(m.marker, words) || strings.Contains(m.subject, words) {
			found = append(found, m)
		}
	}
	return found, err
}

// newest gives the last of them.
func (r *rig) newest(who, words string) (mailIn, error) {
	found, err := r.find(who, words)
	if err == nil && len(found) == 0 {
		var have []string
		for _, m := range r.letters[who] {
			have = append(have, m.marker)
		}
		err = fmt.Errorf("%s has no mail %q, only %q", who, words, have)
	}
	if err != nil {
		return mailIn{}, err
	}
	return found[len(found)-1], nil
}
