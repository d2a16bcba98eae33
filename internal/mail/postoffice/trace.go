package postoffice

import (
	"bytes"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// A traced letter is stored below the fields that trace makes, given the id and
// the time of storing.
type traced struct {
	trace func(id string, at time.Time) string
	raw   []byte
}

// submitted is a letter for one recipient from an authenticated client; raw has
// been through stripResults. The newest fields come first, and the result is
// above Received so that no reader counts it to an earlier hop.
func (sess *smtpSession) submitted(rcpt string, raw []byte) traced {
	opts := &sess.srv.opts
	return traced{raw: raw, trace: func(id string, at time.Time) string {
		return fmt.Sprintf("Return-Path: <%s>\r\nDelivered-To: %s\r\n", sess.from, rcpt) +
			fmt.Sprintf("Authentication-Results: %s; auth=pass smtp.auth=%s\r\n", opts.ID, sess.user) +
			fmt.Sprintf("Received: from %s by %s with ESMTPA id %s; %s\r\n",
				heloName(sess.conn.Hostname()), opts.Domain, id, at.Format(time.RFC1123Z))
	}}
}

// injected is a letter from Deliver.
func (s *Server) injected(rcpt string, raw []byte) traced {
	return traced{raw: raw, trace: func(id string, at time.Time) string {
		path := ""
		if !hasPrefixFold(raw, "Return-Path:") {
			path = fmt.Sprintf("Return-Path: <%s>\r\n", fromAddress(raw))
		}
		return path + fmt.Sprintf("Delivered-To: %s\r\nReceived: by %s with ESMTP id %s; %s\r\n",
			rcpt, s.opts.Domain, id, at.Format(time.RFC1123Z))
	}}
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// fromAddress guesses an envelope sender. Letters without a usable From get a
// made-up one, since an empty Return-Path would mark them as automatic mail.
func fromAddress(raw []byte) string {
	if m, err := mail.ReadMessage(bytes.NewReader(raw)); err == nil {
		if list, err := m.Header.AddressList("From"); err == nil && validPath(list[0].Address) {
			return list[0].Address
		}
	}
	return "unknown@invalid"
}

// validPath reports whether an envelope address can stand in a field of ours.
func validPath(addr string) bool {
	return len(addr) <= 320 && !strings.ContainsFunc(addr, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || r == '<' || r == '>'
	})
}

var plainHelo = regexp.MustCompile(`^[A-Za-z0-9.:_\[\]-]{1,255}$`)

func heloName(helo string) string {
	if plainHelo.MatchString(helo) {
		return helo
	}
	return "unknown"
}

// stripResults deletes every Authentication-Results field of a letter and
// brings its header into plain form: all line ends CRLF, and no continuation
// line before the first field, which would continue our own. The body is left
// as it is. RFC 8601 section 5 asks only for fields with our id; a client of a
// submission server has no business with any.
func stripResults(raw []byte) []byte {
	var out, field bytes.Buffer
	flush := func() {
		if !isResults(field.Bytes()) {
			out.Write(field.Bytes())
		}
		field.Reset()
	}
	for len(raw) > 0 {
		line, rest := cutLine(raw)
		if len(line) == 0 {
			break // the blank line goes out with the body
		}
		raw = rest
		folded := line[0] == ' ' || line[0] == '\t'
		if folded && field.Len() == 0 {
			continue
		}
		if !folded {
			flush()
		}
		field.Write(line)
		field.WriteString("\r\n")
	}
	flush()
	if _, body := cutLine(raw); len(raw) > 0 {
		out.WriteString("\r\n")
		out.Write(body)
	}
	return out.Bytes()
}

// foldMalformed sets a blank before each line of a header that is no field, so
// that it continues the field above: the memory server gives a letter with such
// a line to nobody. All else stays as it is.
func foldMalformed(raw []byte) []byte {
	var out []byte // nil while nothing was changed
	done := 0      // bytes of raw that are in out
	for at := 0; at < len(raw); {
		line := raw[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		if ended {
			text = bytes.TrimSuffix(text, []byte("\r"))
		}
		if len(text) == 0 {
			break
		}
		if at > 0 && text[0] != ' ' && text[0] != '\t' && !isField(text) {
			out = append(append(out, raw[done:at]...), ' ')
			done = at
		}
		at += len(line)
	}
	if out == nil {
		return raw
	}
	return append(out, raw[done:]...)
}

// isField reports a line that begins a field (RFC 5322 section 2.2), with blanks
// before the colon or without.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && !bytes.ContainsFunc(bytes.TrimRight(name, " \t"), func(r rune) bool { return r <= ' ' || r > '~' })
}

// cutLine takes any of CRLF, LF and CR for a line end: a field must not hide
// behind one that some reader honours and another does not.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return b, nil
	}
	if bytes.HasPrefix(b[i:], []byte("\r\n")) {
		return b[:i], b[i+2:]
	}
	return b[:i], b[i+1:]
}

// isResults judges the name of a field by its letters and hyphens alone, so
// that neither blanks, folds, control characters nor odd cases disguise it.
func isResults(field []byte) bool {
	name, _, colon := bytes.Cut(field, []byte(":"))
	letters := strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsLetter(r) {
			return r
		}
		return -1
	}, string(name))
	const results = "Authentication-Results"
	if !colon {
		return hasPrefixFold([]byte(letters), results)
	}
	return strings.EqualFold(letters, results)
}
