package mail

import "strings"

// The frame of text that was signed or encrypted in place (RFC 9580 section 6.2).
const (
	pgpMessage   = "-----BEGIN PGP MESSAGE-----"
	pgpSigned    = "-----BEGIN PGP SIGNED MESSAGE-----"
	pgpSignature = "-----BEGIN PGP SIGNATURE-----"
	pgpEnd       = "-----END PGP "
)

// withoutPGP takes the frame off signed text and undoes its escapes (RFC 9580
// section 7.1). The signature is not verified: it proves nothing here. Encrypted
// text is left away, and its sender told.
func (l *Letter) withoutPGP(text string) string {
	if !strings.Contains(text, "-----BEGIN PGP ") {
		return text
	}
	var out strings.Builder
	signed, head, hidden := false, false, false
	for line := range strings.Lines(text) {
		switch bare := strings.TrimRight(line, " \t\r\n"); {
		case bare == pgpSigned:
			signed, head = true, true
		case head: // "Hash: SHA256", to a blank line
			head = bare != ""
		case bare == pgpMessage:
			l.note(noteEncrypted)
			hidden = true
		case bare == pgpSignature:
			signed, hidden = false, true
		case hidden:
			hidden = !strings.HasPrefix(bare, pgpEnd)
		case signed:
			out.WriteString(strings.TrimPrefix(line, "- "))
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}
