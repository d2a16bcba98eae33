package mail

import (
	"bytes"
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headerField is one field of a letter as it came: the name in lower case, the
// value unfolded, not decoded.
type headerField struct {
	name  string
	value string
}

// headerFields are the fields of a letter, top to bottom.
type headerFields []headerField

// splitHeader cuts a letter at the first blank line. Without one all of it is header.
func splitHeader(raw []byte) (head, body []byte) {
	for start := 0; start < len(raw); {
		end := bytes.IndexByte(raw[start:], '\n')
		if end < 0 {
			return raw, nil
		}
		line := raw[start : start+end]
		if len(bytes.TrimSuffix(line, []byte("\r"))) == 0 {
			return raw[:start], raw[start+end+1:]
		}
		start += end + 1
	}
	return raw, nil
}

// parseHeader reads the fields of a header. Lines that are neither a field nor
// the continuation of one are skipped; defect reports whether there were any.
func parseHeader(head []byte) (fields headerFields, defect bool) {
	var value []byte // of the field being read
	var odd headerFields
	inField := false
	flush := func() {
		if inField {
			fields[len(fields)-1].value = strings.Trim(string(value), " \t")
		}
	}
	first := true
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		mbox := first && bytes.HasPrefix(line, []byte("From "))
		first = false
		if mbox {
			continue
		}
		for piece := range bytes.SplitSeq(line, []byte("\r")) {
			if value, found := oddFrom(piece); found && len(piece) < len(line) {
				odd, defect = append(odd, headerField{"from", value}), true
			}
		}
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			if inField {
				value = append(append(value, ' '), bytes.TrimLeft(line, " \t")...)
			} else {
				defect = true
			}
			continue
		}
		flush()
		written, rest, ok := bytes.Cut(line, []byte(":"))
		name := bytes.TrimRight(written, " \t")
		if inField = ok && isFieldName(name); !inField {
			defect = true
			if value, found := oddFrom(line); found {
				odd = append(odd, headerField{"from", value})
			}
			continue
		}
		field := headerField{name: strings.ToLower(string(name))}
		if field.name == resultsField && len(name) < len(written) {
			field.name += " " // no server writes it so, and one that deletes others' may pass it over
		}
		fields = append(fields, field)
		value = append(value[:0], rest...)
	}
	flush()
	return append(fields, odd...), defect
}

// oddFrom reads a From field of a line that is no field by the book: other readers,
// such as those that verify signatures, pass over more kinds of blanks than are
// allowed there, and some take a lone carriage return for the end of a line.
func oddFrom(line []byte) (value string, found bool) {
	name, rest, ok := bytes.Cut(line, []byte(":"))
	if !ok || !bytes.EqualFold(bytes.TrimFunc(name, isInvisible), []byte("from")) {
		return "", false
	}
	return strings.TrimSpace(string(rest)), true
}

// resultsField is what our servers write of the sender (RFC 8601).
const resultsField = "authentication-results"

func isFieldName(name []byte) bool {
	return len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// get returns the first field of the name, "" if there is none.
func (fs headerFields) get(name string) string {
	for _, f := range fs {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// all returns all values of the name, top to bottom.
func (fs headerFields) all(name string) []string {
	var values []string
	for _, f := range fs {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// has reports whether there is a field of the name.
func (fs headerFields) has(name string) bool {
	for _, f := range fs {
		if f.name == name {
			return true
		}
	}
	return false
}

var wordDecoder = &mime.WordDecoder{CharsetReader: charsetReader}

// headerText decodes a field that is meant for people (RFC 2047). What cannot
// be decoded stays as it came. The result has no control characters and at most
// maxHeaderText bytes.
func headerText(value string) string {
	if len(value) > 4*maxHeaderText {
		value = value[:4*maxHeaderText]
	}
	value = decodeCharset([]byte(value), "")
	if decoded, err := wordDecoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	value = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, value)
	value = strings.Join(strings.Fields(value), " ")
	if len(value) > maxHeaderText {
		value = strings.ToValidUTF8(value[:maxHeaderText], "")
	}
	return value
}

// maxHeaderText is how many bytes of a Subject or a name are kept.
const maxHeaderText = 998

// messageIDs returns the ids "<...>" in a field, in order.
func messageIDs(value string) []string {
	var ids []string
	for {
		_, rest, ok := strings.Cut(value, "<")
		if !ok {
			return ids
		}
		inner, after, ok := strings.Cut(rest, ">")
		if !ok {
			return ids
		}
		if id := "<" + inner + ">"; isMessageID(id) {
			ids = append(ids, id)
			value = after
		} else {
			value = rest
		}
	}
}
