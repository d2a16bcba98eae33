package mail

import (
	"bytes"
	"regexp"
	"strings"
)

// Bounce is what a delivery report says (RFC 3464). It may be forged: it counts
// only if the letter came to an address with a valid bounce token.
type Bounce struct {
	Action string // "failed", "delayed", "delivered", "relayed", "expanded"; empty if unknown
	Status string // enhanced code such as "5.1.1"; empty if unknown
	Said   string // what the refusing server said, one line; may be empty
}

// Unreachable reports whether the recipient's address is at fault: the delivery
// failed with 5.1.x (address) or 5.2.x (mailbox), or with no code that says more.
func (b Bounce) Unreachable() bool {
	class, rest, _ := strings.Cut(b.Status, ".")
	subject, _, _ := strings.Cut(rest, ".")
	return b.Failed() && (class == "" || class == "5" && (subject == "0" || subject == "1" || subject == "2"))
}

// Failed reports whether the mail will not arrive.
func (b Bounce) Failed() bool { return b.Action == "failed" && !strings.HasPrefix(b.Status, "4") }

// readDeliveryStatus reads the first recipient's outcome.
func readDeliveryStatus(content []byte) Bounce {
	var b Bounce
	for line := range bytes.Lines(content) {
		name, value, ok := strings.Cut(string(line[:min(len(line), maxSaid)]), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "action":
			if b.Action == "" {
				b.Action = keyword(value)
			}
		case "status":
			if b.Status == "" {
				b.Status = keyword(value)
			}
		case "diagnostic-code":
			if b.Said == "" {
				_, said, _ := strings.Cut(value, ";")
				b.Said = headerText(said)
			}
		}
	}
	if code := enhanced.FindStringSubmatch(b.Said); code != nil && (b.Status == "" || strings.HasSuffix(b.Status, ".0.0")) {
		b.Status = code[1]
	}
	return b
}

const maxSaid = 400

var (
	enhanced = regexp.MustCompile(`(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?:[^\d.]|\.?$|\.\s)`)
	smtpCode = regexp.MustCompile(`(?:^|[^\d.])([45])\d\d[ -]`)
	returned = regexp.MustCompile(`(?i)^[ >]*(received|return-path|message-id|dkim-signature):`)
)

// readDeliveryText finds an outcome in a report for people, for systems that
// write no other. It looks no further than where the returned mail begins.
func readDeliveryText(text string) Bounce {
	n, end := 0, 0
	for line := range strings.Lines(text) {
		if n++; n > 100 || returned.MatchString(line) {
			break
		}
		end += len(line)
	}
	text = text[:end]
	if b := readDeliveryStatus([]byte(text)); b.Action != "" && b.Status != "" {
		return b // its parts could not be told apart
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		var class, status string
		if code := enhanced.FindStringSubmatch(line); code != nil {
			class, status = code[1][:1], code[1]
		} else if code := smtpCode.FindStringSubmatch(line); code != nil {
			class = code[1]
		}
		switch class {
		case "5":
			return Bounce{Action: "failed", Status: status, Said: headerText(line)}
		case "4":
			return Bounce{Action: "delayed", Status: status, Said: headerText(line)}
		}
	}
	return Bounce{}
}
