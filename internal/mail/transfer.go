package mail

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// decodeTransfer undoes a Content-Transfer-Encoding (RFC 2045 section 6) so far
// as the bytes really have it; defect reports that they are not what the field
// says. Nothing that was written is dropped.
func decodeTransfer(b []byte, encoding string) (out []byte, defect bool) {
	e := strings.ToLower(encoding)
	switch {
	case strings.Contains(e, "quoted"):
		return decodeQuotedPrintable(b)
	case strings.Contains(e, "base64"), strings.Contains(e, "base-64"):
		return decodeBase64(b)
	}
	return b, false
}

// decodeQuotedPrintable keeps an escape that is none as it stands. A line with
// such an escape was never encoded, so a "=" at its end is no soft break either.
func decodeQuotedPrintable(b []byte) (out []byte, defect bool) {
	out = make([]byte, 0, len(b))
	for line := range bytes.Lines(b) {
		body := bytes.TrimRight(line, " \t\r\n")
		soft := bytes.HasSuffix(body, []byte("="))
		if soft {
			body = body[:len(body)-1]
		}
		good := true
		for i := 0; i < len(body); i++ {
			if body[i] != '=' {
				out = append(out, body[i])
				continue
			}
			if i+2 < len(body) {
				hi, lo := unhex(body[i+1]), unhex(body[i+2])
				if hi >= 0 && lo >= 0 {
					out = append(out, byte(hi<<4|lo))
					i += 2
					continue
				}
			}
			out = append(out, '=')
			good = false
		}
		if soft && !good {
			out = append(out, '=')
			soft = false
		}
		defect = defect || !good
		if !soft && line[len(line)-1] == '\n' {
			out = append(out, '\n')
		}
	}
	return out, defect
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// decodeBase64 decodes the leading lines that are base64 and keeps the rest as
// it stands: a list may have put a footer below. If what comes out is no text
// although what went in was, the field lied and nothing is decoded.
func decodeBase64(b []byte) (out []byte, defect bool) {
	out, defect = decodeBase64Lines(b)
	if !defect && !utf8.Valid(out) && isWords(b) {
		return b, true
	}
	if defect {
		// Blanks within the lines may have come from a gateway.
		together := bytes.Join(bytes.FieldsFunc(b, func(r rune) bool { return r == ' ' || r == '\t' }), nil)
		if whole, bad := decodeBase64Lines(together); !bad && isText(whole) {
			return whole, true
		}
	}
	return out, defect
}

// isWords reports letters in one short line, which are also base64: "shootZog".
func isWords(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) <= 76 && !bytes.ContainsFunc(b, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// isText reports UTF-8 without control characters.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\n' })
}

// decodeBase64Lines decodes line by line; padding ends a block, and another may follow.
func decodeBase64Lines(b []byte) (out []byte, defect bool) {
	var decoded, digits []byte
	flush := func() {
		if len(digits)%4 == 1 {
			digits = digits[:len(digits)-1]
			defect = true
		}
		var err error
		if decoded, err = base64.RawStdEncoding.AppendDecode(decoded, digits); err != nil {
			defect = true
		}
		digits = digits[:0]
	}
	rest := b
	for len(rest) > 0 {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		trimmed := bytes.TrimSpace(line)
		if bytes.ContainsFunc(trimmed, func(r rune) bool { return !isBase64(r) }) {
			break
		}
		block := bytes.TrimRight(trimmed, "=")
		digits = append(digits, block...)
		if len(block) < len(trimmed) {
			flush()
		}
		rest = rest[len(line):]
	}
	flush()
	defect = defect || len(rest) > 0
	if defect && !utf8.Valid(decoded) || len(decoded) == 0 {
		return b, len(bytes.TrimSpace(b)) > 0
	}
	return append(decoded, rest...), defect
}

func isBase64(r rune) bool {
	return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '+' || r == '/' || r == '='
}
