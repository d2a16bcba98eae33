package mail

import (
	"bytes"
	"fmt"
)

// What a letter may hold. Real mail stays far below; the parsers behind need
// time that grows with the square of some of these (measured: 5,000 nested
// parts cost 24 s), and cannot be stopped.
const (
	maxHeaderBytes    = 256 << 10
	maxHeaderFields   = 1000
	maxBoundaryLines  = 200
	maxDashLines      = 2000 // lines that begin with "--", declared as a boundary or not
	maxMultiparts     = 20
	maxBoundaryWords  = 100 // the word "boundary" anywhere: no nesting without it
	maxHeaderLine     = 100 << 10
	maxBodyLine       = maxText // more of it would not be read; base64 may be longer
	defaultMaxMessage = 10 << 20
)

// prescan looks at the bytes of a letter before any parser does, in linear
// time. It returns why the letter must not be parsed, or "".
func prescan(raw, body []byte, maxSize int) string {
	if len(raw) > maxSize {
		return fmt.Sprintf("the letter has more than %d bytes", maxSize)
	}
	boundaries, words := declaredBoundaries(raw)
	if words > maxBoundaryWords {
		return "the letter declares too many parts within parts"
	}
	var boundaryLines, dashLines int
	for line := range bytes.Lines(body) {
		if len(line) > maxBodyLine && !isBase64Line(line) {
			return fmt.Sprintf("the letter has a line of %d bytes", len(line))
		}
		if !bytes.HasPrefix(line, []byte("--")) {
			continue
		}
		if dashLines++; dashLines > maxDashLines {
			return "the letter has too many lines that divide parts"
		}
		for _, b := range boundaries {
			if bytes.HasPrefix(line[2:], b) {
				boundaryLines++
				break
			}
		}
		if boundaryLines > maxBoundaryLines {
			return fmt.Sprintf("the letter has more than %d parts", maxBoundaryLines)
		}
	}
	if countMultiparts(raw) > maxMultiparts {
		return fmt.Sprintf("the letter has more than %d multiparts", maxMultiparts)
	}
	return ""
}

// prescanHeader is the same for the header alone.
func prescanHeader(head []byte) string {
	if len(head) > maxHeaderBytes {
		return fmt.Sprintf("the header has %d bytes, more than %d", len(head), maxHeaderBytes)
	}
	fields := 0
	for line := range bytes.Lines(head) {
		if len(line) > maxHeaderLine {
			return fmt.Sprintf("the header has a line of %d bytes", len(line))
		}
		if line[0] != ' ' && line[0] != '\t' {
			fields++
		}
	}
	if fields > maxHeaderFields {
		return fmt.Sprintf("the header has %d fields, more than %d", fields, maxHeaderFields)
	}
	return ""
}

// declaredBoundaries finds what follows "boundary=" anywhere, and counts the
// word "boundary". It looks no further than maxBoundaryWords.
func declaredBoundaries(raw []byte) (found [][]byte, words int) {
	for i := 0; words <= maxBoundaryWords; {
		at := indexFold(raw[i:], "boundary")
		if at < 0 {
			break
		}
		words++
		i += at + len("boundary")
		rest := bytes.TrimLeft(raw[i:min(len(raw), i+100)], " \t")
		if len(rest) == 0 || rest[0] != '=' {
			continue
		}
		rest = bytes.TrimLeft(rest[1:], " \t\"")
		if end := bytes.IndexAny(rest, "\"; \t\r\n"); end >= 0 {
			rest = rest[:end]
		}
		if len(rest) > 0 {
			found = append(found, rest)
		}
	}
	return found, words
}

// countMultiparts counts the Content-Type fields, of the letter or of a part,
// that say multipart, folded or not.
func countMultiparts(raw []byte) int {
	n := 0
	for i := 0; n <= maxMultiparts; {
		at := indexFold(raw[i:], "content-type")
		if at < 0 {
			break
		}
		i += at + len("content-type")
		value := bytes.TrimLeft(raw[i:min(len(raw), i+200)], " \t")
		if len(value) > 0 && value[0] == ':' {
			value = bytes.TrimLeft(value[1:], " \t\r\n")
			if len(value) >= 9 && bytes.EqualFold(value[:9], []byte("multipart")) {
				n++
			}
		}
	}
	return n
}

// indexFold is bytes.Index without regard to case, for an ASCII word that begins
// with a letter.
func indexFold(b []byte, word string) int {
	lower, upper := word[0], word[0]-'a'+'A'
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i] != lower && b[i] != upper {
			continue
		}
		if bytes.EqualFold(b[i:i+len(word)], []byte(word)) {
			return i
		}
	}
	return -1
}

func isBase64Line(line []byte) bool {
	for _, c := range bytes.TrimRight(line, "\r\n") {
		if !isBase64(rune(c)) {
			return false
		}
	}
	return true
}
