package mail

import (
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ReadOptions say what Read may believe. The zero value trusts nobody.
type ReadOptions struct {
	// InternalDate is when the mailbox took the letter.
	InternalDate time.Time
	// MXHops is how many Received fields our own mail system writes on top of a
	// letter. The lowest of them gives the time of receipt, and only
	// Authentication-Results fields above the next one are read. 0: none is known.
	MXHops int
	// AuthservID is the name under which our mail system writes
	// Authentication-Results (RFC 8601); case does not count. Empty: none.
	AuthservID string
	// SubmissionID is the name under which our own post office writes who logged
	// in to submit the letter. Empty: none.
	SubmissionID string
	// LookupTXT asks the DNS for TXT records. It is used, and needed, only where
	// neither id is set: DKIM signatures are then verified here.
	LookupTXT func(domain string) ([]string, error)
	// Own reports whether a normalised address is one of ours; nil: none is.
	Own func(addr string) bool
	// MaxSize is how many bytes of a letter are read; 0: 10 MiB.
	MaxSize int
}

const (
	maxRecipients = 200
	maxIDs        = 50
)

// Read takes a letter apart. It takes any bytes, in bounded time and memory:
// what cannot be read safely becomes KindQuarantine. Where at least the header
// is sound, a quarantined letter still says who sent it, whereto and when.
func Read(raw []byte, o ReadOptions) Letter {
	l := Letter{Kind: KindLetter, ReceivedAt: o.InternalDate, Auth: Auth{AuthNone, "the letter was not read"}}
	head, body := splitHeader(raw)
	if why := prescanHeader(head); why != "" {
		l.Kind, l.Why = KindQuarantine, why
		return l
	}
	fields, defect := parseHeader(head)
	if defect {
		l.note(noteHeader)
	}
	l.readHeader(fields, o)
	from, name, err := oneFrom(fields)
	l.From, l.FromName = from, name
	l.Kind, l.Why = classify(fields, from, o.Own)

	why := ""
	switch {
	case err != nil && l.Kind == KindLetter:
		why = err.Error()
	default:
		why = prescan(raw, body, o.maxSize())
		if err == nil {
			l.Auth = judge(raw, fields, from, o)
		}
	}
	if why == "" {
		why = l.readBody(fields, body)
		l.judgeBody()
	}
	if why != "" && l.Kind == KindLetter {
		l.Kind, l.Why = KindQuarantine, why
	}
	return l
}

// judgeBody tells a report from a letter where only the body shows it.
func (l *Letter) judgeBody() {
	returned := false
	for _, a := range l.Attachments {
		switch a.Type {
		case "message/delivery-status", "message/global-delivery-status":
			if l.Kind == KindLetter {
				l.Kind, l.Why = KindBounce, "it holds a delivery status"
			}
		case "message/disposition-notification", "message/global-disposition-notification", "message/feedback-report":
			if l.Kind == KindLetter {
				l.Kind, l.Why = KindAutomatic, "it holds a report"
			}
		case "message/rfc822", "text/rfc822-headers", "message/global":
			returned = true
		}
	}
	local, _, _ := splitAddress(l.From)
	if l.Kind == KindAutomatic && returned && slices.Contains(unattended, local) {
		l.Kind, l.Why = KindBounce, "it comes from "+local+" and returns a letter"
	}
	if l.Kind == KindBounce && l.Bounce == (Bounce{}) {
		l.Bounce = readDeliveryText(l.Text)
	}
}

func (o *ReadOptions) maxSize() int {
	if o.MaxSize <= 0 {
		return defaultMaxMessage
	}
	return o.MaxSize
}

// oneFrom reads the sender; there must be exactly one From field.
func oneFrom(fields headerFields) (addr, name string, err error) {
	values := fields.all("from")
	switch len(values) {
	case 0:
		return "", "", errNoFrom
	case 1:
		return parseFrom(values[0])
	}
	return "", "", errManyFrom
}

func (l *Letter) readHeader(fields headerFields, o ReadOptions) {
	l.Subject = headerText(fields.get("subject"))
	if ids := messageIDs(fields.get("message-id")); len(ids) > 0 {
		l.MessageID = ids[0]
	}
	if ids := messageIDs(fields.get("in-reply-to")); len(ids) > 0 {
		l.InReplyTo = ids[0]
	}
	l.References = messageIDs(fields.get("references"))
	l.References = slices.Clip(l.References[max(0, len(l.References)-maxIDs):])
	l.Date = parseDate(fields.get("date"))
	if at, ok := receivedAt(fields, o.MXHops); ok {
		l.ReceivedAt = at
	}
	for _, name := range recipientFields {
		for _, value := range fields.all(name) {
			found := looseAddresses(value, maxRecipients-len(l.Recipients))
			l.Recipients = append(l.Recipients, found...)
			switch name {
			case "to":
				l.To = appendNormalized(l.To, found)
			case "cc":
				l.Cc = appendNormalized(l.Cc, found)
			}
		}
	}
	for _, stamp := range fields.all("received") {
		if m := forClause.FindStringSubmatch(stamp); m != nil {
			l.Recipients = append(l.Recipients, looseAddresses(m[1], maxRecipients-len(l.Recipients))...)
		}
	}
}

// recipientFields are where servers write whom a letter was for. A gateway may
// have changed To, or left us out of it.
var recipientFields = []string{"to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-delivered-to",
	"x-original-recipient", "x-rcpt-to", "x-real-to", "x-forwarded-to", "resent-to", "resent-cc", "apparently-to"}

// forClause is the recipient in a Received field (RFC 5321 section 4.4).
var forClause = regexp.MustCompile(`(?i)\sfor\s+(<?[^\s;<>]{3,254}>?)[\s;]`)

func appendNormalized(list, addrs []string) []string {
	for _, a := range addrs {
		if n, err := NormalizeAddress(a); err == nil && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// receivedAt is the stamp of the lowest Received field that our own mail system wrote.
func receivedAt(fields headerFields, hops int) (time.Time, bool) {
	stamps := fields.all("received")
	if hops <= 0 || len(stamps) < hops {
		return time.Time{}, false
	}
	_, date, ok := cutLast(stamps[hops-1], ";")
	if !ok {
		return time.Time{}, false
	}
	at := parseDate(date)
	return at, !at.IsZero()
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// parseDate reads a date of RFC 5322; zero if it is none.
func parseDate(value string) time.Time {
	if len(value) > 200 {
		return time.Time{}
	}
	at, err := netmail.ParseDate(strings.TrimSpace(value))
	if err != nil || at.Year() < 1970 || at.Year() > 9999 {
		return time.Time{}
	}
	return at.UTC()
}
