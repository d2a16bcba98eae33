package mail

import (
	"bytes"
	"strings"
)

// Bounce is what a delivery report says (RFC 3464). It may be forged: it counts
// only if the letter came to an address with a valid bounce token.
type Bounce struct {
	Action string // "failed", "delayed", "delivered", "relayed", "expanded"; empty if unknown
	Status string // enhanced code such as "5.1.1"; empty if unknown
}

// readDeliveryStatus reads the first recipient's outcome.
func readDeliveryStatus(content []byte) Bounce {
	var b Bounce
	for line := range bytes.Lines(content) {
		name, value, ok := strings.Cut(string(line[:min(len(line), 200)]), ":")
		if !ok {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "action":
			if b.Action == "" {
				b.Action = keyword(strings.TrimSpace(value))
			}
		case "status":
			if b.Status == "" {
				b.Status = keyword(strings.TrimSpace(value))
			}
		}
		if b.Action != "" && b.Status != "" {
			break
		}
	}
	return b
}
