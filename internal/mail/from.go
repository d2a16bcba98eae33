package mail

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	errNoFrom   = errors.New("the letter has no From field")
	errManyFrom = errors.New("the letter has more than one From field")
)

// parseFrom reads the one mailbox of a From field and nothing else: no list, no
// group, no route. The address is what stands in the only pair of angle
// brackets, at the end, or the whole value where there are none. What stands
// before it is a name, whatever it looks like: "gm@gm.test <alice@player.test>"
// is alice. The errors say why the field names nobody for sure.
func parseFrom(value string) (addr, name string, err error) {
	if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return "", "", errors.New("the From field holds control characters")
	}
	bare, names, err := stripQuoted(value)
	if err != nil {
		return "", "", err
	}
	bare = strings.TrimSpace(bare)
	text, inside, angled := strings.Cut(bare, "<")
	if !angled {
		if strings.ContainsAny(bare, ",; \t") {
			return "", "", errors.New("the From field does not hold exactly one address")
		}
		if addr, err = NormalizeAddress(bare); err != nil {
			return "", "", errors.New("the From field holds no valid address")
		}
		return addr, headerText(names), nil
	}
	inner, ok := strings.CutSuffix(inside, ">")
	if !ok || strings.ContainsAny(inner, "<>") || strings.Contains(text, ">") {
		return "", "", errors.New("the From field does not hold exactly one address in angle brackets, at its end")
	}
	// A comma or semicolon beside an unquoted "@" is a list, and readers differ
	// in which of its members they show.
	if strings.ContainsAny(text, ",;") && strings.Contains(text, "@") {
		return "", "", errors.New("the From field holds a list of addresses")
	}
	if addr, err = NormalizeAddress(inner); err != nil {
		return "", "", errors.New("the From field holds no valid address")
	}
	name = strings.TrimSpace(value[:strings.LastIndexByte(value, '<')])
	if len(name) >= 2 && name[0] == '"' && name[len(name)-1] == '"' {
		name = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(name[1 : len(name)-1])
	}
	return addr, headerText(name), nil
}

// stripQuoted takes quoted strings and comments (RFC 5322 section 3.2) out of a
// field, each replaced by a blank, and returns the text of the comments as well.
func stripQuoted(value string) (bare, comments string, err error) {
	var out, comment strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\' && (quoted || depth > 0) && i+1 < len(value):
			i++
			if depth > 0 {
				comment.WriteByte(value[i])
			}
		case quoted:
			quoted = c != '"'
		case c == '(':
			depth++
			out.WriteByte(' ')
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
			comment.WriteByte(c)
		case c == '"':
			quoted = true
			out.WriteByte(' ')
		case c == ')':
			return "", "", errors.New("the From field has a bracket too many")
		default:
			out.WriteByte(c)
		}
	}
	if quoted || depth > 0 {
		return "", "", errors.New("the From field has an open quote or bracket")
	}
	return out.String(), comment.String(), nil
}

// looseAddresses finds the addresses in a list of recipients: leniently, since
// they only say where a letter was sent, never who sent it. They come as they
// were written, at most limit of them.
func looseAddresses(value string, limit int) []string {
	var found []string
	for len(found) < limit && value != "" {
		var item string
		item, value = nextListItem(value)
		if at := strings.LastIndexByte(item, '<'); at >= 0 {
			item, _, _ = strings.Cut(item[at+1:], ">")
		} else if bare, _, err := stripQuoted(item); err == nil && !strings.HasPrefix(strings.TrimSpace(bare), "@") {
			item = bare // a local part in quotes stays
		}
		item = strings.Trim(item, " \t;")
		if strings.Count(item, "@") == 1 && len(item) <= maxAddress && !strings.ContainsFunc(item, isNotInAddress) {
			found = append(found, item)
		}
	}
	return found
}

func isNotInAddress(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
}

// nextListItem cuts a list at its first comma outside quotes.
func nextListItem(value string) (item, rest string) {
	quoted := false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case ',':
			if !quoted {
				return value[:i], value[i+1:]
			}
		}
	}
	return value, ""
}
