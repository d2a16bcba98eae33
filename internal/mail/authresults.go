package mail

import (
	"errors"
	"strings"
)

// authResults is one Authentication-Results field (RFC 8601).
type authResults struct {
	serv    string // authserv-id in lower case
	results []authResult
}

// authResult is one method's verdict. All strings but property values are in lower case.
type authResult struct {
	method string
	result string
	props  map[string]string // "header.from" -> value; "" if it occurs twice with two values
}

var errAuthResults = errors.New("malformed Authentication-Results field")

// parseAuthResults reads a field by its grammar: comments and quoted strings are
// never taken for results, since an attacker chooses what is quoted in them. A
// field that leaves the grammar is an error as a whole.
func parseAuthResults(value string) (authResults, error) {
	l := &arLexer{s: value}
	serv, ok := l.value()
	if !ok {
		return authResults{}, errAuthResults
	}
	a := authResults{serv: strings.ToLower(serv)}
	if l.peek() != ';' && l.peek() != 0 {
		if version, ok := l.value(); !ok || version != "1" { // RFC 8601 section 2.2
			return authResults{}, errAuthResults
		}
	}
	for l.take(';') {
		if l.peek() == 0 {
			break
		}
		r, ok := l.result()
		if !ok {
			return authResults{}, errAuthResults
		}
		if r.method != "" {
			a.results = append(a.results, r)
		}
	}
	if l.bad || l.peek() != 0 {
		return authResults{}, errAuthResults
	}
	return a, nil
}

// arLexer reads the tokens of RFC 8601 section 2.2. bad is set by an open
// comment or quote.
type arLexer struct {
	s   string
	i   int
	bad bool
}

// result reads `method[/version]=result *(ptype.property=pvalue)`; "none" is a
// result without a method.
func (l *arLexer) result() (authResult, bool) {
	method, ok := l.word()
	if !ok {
		return authResult{}, false
	}
	method = strings.ToLower(method)
	if l.peek() == '/' {
		l.take('/')
		if _, ok := l.word(); !ok {
			return authResult{}, false
		}
	}
	if !l.take('=') {
		return authResult{}, method == "none"
	}
	result, ok := l.word()
	if !ok {
		return authResult{}, false
	}
	r := authResult{method: method, result: strings.ToLower(result), props: map[string]string{}}
	for c := l.peek(); c != ';' && c != 0; c = l.peek() {
		name, ok := l.word()
		if !ok || !l.take('=') {
			return authResult{}, false
		}
		value, ok := l.value()
		if !ok {
			return authResult{}, false
		}
		name = strings.ToLower(name)
		if old, twice := r.props[name]; twice && !strings.EqualFold(old, value) {
			value = ""
		}
		r.props[name] = value
	}
	return r, true
}

// skip passes blanks and comments, which nest.
func (l *arLexer) skip() {
	depth := 0
	for ; l.i < len(l.s); l.i++ {
		switch c := l.s[l.i]; {
		case c == '(':
			depth++
		case depth > 0 && c == '\\':
			l.i++
		case depth > 0 && c == ')':
			depth--
		case depth == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return
		}
	}
	l.i = min(l.i, len(l.s))
	if depth > 0 {
		l.bad = true
	}
}

// peek is the next character after blanks and comments, 0 at the end.
func (l *arLexer) peek() byte {
	l.skip()
	if l.i == len(l.s) {
		return 0
	}
	return l.s[l.i]
}

func (l *arLexer) take(c byte) bool {
	if l.peek() != c {
		return false
	}
	l.i++
	return true
}

// word reads a keyword: letters, digits, "-", "_" and the "." of a property.
func (l *arLexer) word() (string, bool) {
	l.skip()
	start := l.i
	for l.i < len(l.s) && isKeyword(l.s[l.i]) {
		l.i++
	}
	return l.s[start:l.i], l.i > start
}

func isKeyword(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
}

// value reads a token or a quoted string, or an address made of both.
func (l *arLexer) value() (string, bool) {
	l.skip()
	var out strings.Builder
	start := l.i
	for l.i < len(l.s) {
		switch c := l.s[l.i]; c {
		case ' ', '\t', '\r', '\n', ';', '(', ')':
			return out.String(), l.i > start
		case '"':
			if !l.quoted(&out) {
				return "", false
			}
		default:
			out.WriteByte(c)
			l.i++
		}
	}
	return out.String(), l.i > start
}

func (l *arLexer) quoted(out *strings.Builder) bool {
	for l.i++; l.i < len(l.s); l.i++ {
		switch c := l.s[l.i]; c {
		case '"':
			l.i++
			return true
		case '\\':
			if l.i++; l.i < len(l.s) {
				out.WriteByte(l.s[l.i])
			}
		default:
			out.WriteByte(c)
		}
	}
	l.bad = true
	return false
}
