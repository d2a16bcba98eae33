package mail

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// decodeCharset turns the bytes of a text part into a string: by the declared
// charset if that leaves nothing undecodable; else as UTF-8 if it is valid;
// else as windows-1252, in which every byte means something. "us-ascii", no
// charset and an unknown one declare nothing about bytes above 127.
//
// Text of two bytes a character has a NUL in each blank and line break, and mostly
// says by its first bytes that it is such; that counts more than what is declared.
func decodeCharset(b []byte, charset string) string {
	enc := charsetOf(charset)
	switch {
	case bytes.HasPrefix(b, []byte("\xFF\xFE")), bytes.HasPrefix(b, []byte("\xFE\xFF")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case isUTF16(charset) && bytes.IndexByte(b, 0) < 0:
		enc = nil
	}
	if enc != nil {
		if out, err := enc.NewDecoder().Bytes(b); err == nil && !bytes.ContainsRune(out, utf8.RuneError) {
			return strings.TrimPrefix(string(out), "\uFEFF")
		}
	}
	if utf8.Valid(b) {
		return strings.TrimPrefix(string(b), "\uFEFF")
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(out)
}

func isUTF16(charset string) bool {
	return strings.Contains(strings.ToLower(charset), "utf-16")
}

// charsetOf is nil for charsets that are unknown, refused (UTF-7 can hide any
// text) or say nothing.
func charsetOf(name string) encoding.Encoding {
	name = strings.ToLower(strings.Trim(name, " \t\"'"))
	name = strings.TrimPrefix(name, "charset=")
	switch name {
	case "", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit":
		return nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return enc
}

// charsetReader is for words of RFC 2047.
func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	enc := charsetOf(charset)
	if enc == nil {
		return nil, errors.New("unknown charset")
	}
	return enc.NewDecoder().Reader(input), nil
}
