package mail

import (
	"bytes"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode"

	"github.com/jhillyerd/enmime/v2"
)

// The notes that Read may leave, for the sender to see.
const (
	noteHeader    = "Part of the letter's header was damaged and was skipped."
	noteHTML      = "The letter had no plain text, so its HTML was read."
	noteDiffers   = "The HTML of the letter says more than its plain text; the plain text was read."
	noteLost      = "Part of the letter is damaged and could not be read."
	noteTransfer  = "Part of the letter was not encoded as it claims; it was read as it stands."
	noteWinmail   = "The letter holds a winmail.dat, which cannot be read: set Outlook to send plain text or HTML instead of rich text."
	noteEncrypted = "The letter is encrypted, which cannot be read: send it unencrypted."
	noteLong      = "A very long line was divided."
	noteCut       = "The letter was too long; its end was not read."
	noteFile      = "The letter itself says nothing, so the attached file %s was read."
	noteUnread    = "The attached file %s was not read: write into the letter what it says."
)

// maxFile is the size of a text file that is read in place of an empty letter, in
// bytes as it came.
const maxFile = 256 << 10

const (
	maxAttachments = 100
	maxContentType = 4 << 10
)

var partReader = enmime.NewParser(
	enmime.RawContent(true), // transfer encodings and charsets are undone here
	enmime.SkipMalformedParts(true),
	enmime.MultipartWOBoundaryAsSinglePart(true),
	enmime.StripMediaTypeInvalidCharacters(true),
	enmime.MaxStoredPartErrors(10),
)

// readBody fills in Text and Attachments. It returns why the body cannot be
// read, or "".
func (l *Letter) readBody(fields headerFields, body []byte) string {
	root, err := readParts(fields, body)
	if err != nil {
		return "its parts cannot be told apart"
	}
	b := bodyReader{letter: l, root: root}
	if lostParts(root, 0) {
		l.note(noteLost)
	}
	var text strings.Builder
	for _, s := range b.walk(root, 0) {
		if text.Len() > 0 && !strings.HasSuffix(text.String(), "\n") {
			text.WriteByte('\n')
		}
		text.WriteString(s.text)
		if s.html {
			l.note(noteHTML)
		}
	}
	l.Text = l.limitText(l.withoutPGP(cleanText(b.orFile(text.String()))))
	return ""
}

// lostParts reports whether the part reader left parts out.
func lostParts(p *enmime.Part, depth int) bool {
	lost := func(e *enmime.Error) bool { return e.Name == enmime.ErrorMalformedChildPart && e.Severe }
	if slices.ContainsFunc(p.Errors, lost) {
		return true
	}
	for c := p.FirstChild; c != nil && depth < maxBoundaryWords; c = c.NextSibling {
		if lostParts(c, depth+1) {
			return true
		}
	}
	return false
}

// orFile is the text of the letter, or of the one text file that came with a
// letter that says nothing. Other files are named, since their sender may
// believe that they are read.
func (b *bodyReader) orFile(text string) string {
	read := len(b.files) == 1 && isBlank([]segment{{text: text}}) && isTextFile(b.files[0]) && len(b.files[0].Content) <= maxFile
	for _, p := range b.files[:min(len(b.files), 5)] {
		note := noteUnread
		if read {
			note = noteFile
		}
		name := headerText(p.FileName)
		if name == "" {
			name = "without a name"
		}
		b.letter.note(fmt.Sprintf(note, name))
	}
	if !read {
		return text
	}
	return b.decode(b.files[0])
}

func isTextFile(p *enmime.Part) bool {
	mediaType := strings.ToLower(p.ContentType)
	if mediaType == "text/plain" {
		return true
	}
	named := strings.HasSuffix(strings.ToLower(p.FileName), ".txt")
	return named && (mediaType == "application/octet-stream" || mediaType == "application/x-txt" || isProse(mediaType) && mediaType != "text/html")
}

// mayHoldOrders reports a file in which people write.
func mayHoldOrders(p *enmime.Part) bool {
	switch mediaType := strings.ToLower(p.ContentType); mediaType {
	case "text/plain", "text/html", "text/rtf", "text/markdown", "application/rtf", "application/msword", "application/pdf", "application/vnd.oasis.opendocument.text":
		return true
	}
	name := strings.ToLower(p.FileName)
	for _, end := range []string{".txt", ".doc", ".docx", ".rtf", ".odt", ".pdf", ".md", ".pages", ".zip"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// readParts gives the part reader only those header fields it needs, so that
// nothing it makes of the others can matter.
func readParts(fields headerFields, body []byte) (root *enmime.Part, err error) {
	// The reader is another's, and the bytes are a stranger's.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading parts: %v", p)
		}
	}()
	var in bytes.Buffer
	for _, name := range []string{"content-type", "content-transfer-encoding", "content-disposition"} {
		v := fields.get(name)
		if name == "content-type" {
			v = withBoundary(v, body)
		}
		if v != "" && len(v) <= maxContentType {
			fmt.Fprintf(&in, "%s: %s\r\n", name, strings.ReplaceAll(v, "\r", " "))
		}
	}
	in.WriteString("\r\n")
	in.Write(body)
	return partReader.ReadParts(&in)
}

// segment is the text of one part.
type segment struct {
	text string
	html bool
}

type bodyReader struct {
	letter *Letter
	root   *enmime.Part
	files  []*enmime.Part // attachments in which orders may stand
}

// walk returns the text below a part in the order of the parts: of alternatives
// the plain one if it says anything.
func (b *bodyReader) walk(p *enmime.Part, depth int) []segment {
	if depth > maxBoundaryWords {
		return nil
	}
	if p.FirstChild == nil {
		return b.leaf(p)
	}
	if p.ContentType == "multipart/encrypted" {
		b.letter.note(noteEncrypted)
	}
	if p.ContentType != "multipart/alternative" {
		var all []segment
		for c := p.FirstChild; c != nil; c = c.NextSibling {
			all = append(all, b.walk(c, depth+1)...)
		}
		return all
	}
	var plain, html []segment
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		switch s := b.walk(c, depth+1); {
		case isPlain(s) && len(plain) == 0:
			plain = s
		case !isPlain(s) && !isBlank(s):
			html = s // the last one is the richest (RFC 2046 section 5.1.4)
		}
	}
	switch {
	case len(html) == 0 || !isBlank(plain) && !isApology(plain):
		if saysMore(html, plain) {
			b.letter.note(noteDiffers)
		}
		return plain
	}
	return html
}

func isPlain(segments []segment) bool {
	for _, s := range segments {
		if s.html {
			return false
		}
	}
	return len(segments) > 0
}

func isBlank(segments []segment) bool {
	for _, s := range segments {
		if strings.TrimFunc(s.text, isInvisible) != "" {
			return false
		}
	}
	return true
}

func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Cc)
}

// isApology recognises a plain part that only says that there is HTML.
func isApology(segments []segment) bool {
	if len(segments) != 1 || len(segments[0].text) > 300 {
		return false
	}
	text := strings.ToLower(segments[0].text)
	if !strings.Contains(text, "html") {
		return false
	}
	for _, word := range []string{"view", "mail client", "mail program", "support", "format"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// saysMore reports whether the unquoted words of the HTML are not all in the
// plain text, in the same order.
func saysMore(html, plain []segment) bool {
	have := words(plain, true)
	for _, w := range words(html, false) {
		i := 0
		for i < len(have) && have[i] != w {
			i++
		}
		if i == len(have) {
			return true
		}
		have = have[i+1:]
	}
	return false
}

func words(segments []segment, quoted bool) []string {
	var all []string
	for _, s := range segments {
		for line := range strings.Lines(s.text) {
			if !quoted && strings.HasPrefix(line, ">") {
				continue
			}
			all = append(all, strings.FieldsFunc(line, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r)
			})...)
		}
	}
	return all
}

// leaf reads a part without parts in it.
func (b *bodyReader) leaf(p *enmime.Part) []segment {
	mediaType := strings.ToLower(p.ContentType)
	named := p.FileName != "" && p != b.root
	if !named && p.Disposition != "attachment" {
		switch mediaType {
		case "text/html", "application/xhtml+xml":
			return []segment{{htmlLines(b.decode(p)), true}}
		}
		if isProse(mediaType) {
			return b.plain(p)
		}
		if p == b.root && strings.HasPrefix(mediaType, "multipart/") {
			// A multipart without parts: what is there is text.
			return []segment{{b.decode(p), false}}
		}
	}
	b.attach(p, mediaType)
	return nil
}

// isProse reports a type that is read as plain text: no type at all (RFC 2045
// section 5.2), and texts of a kind that is not known (RFC 2046 section 4.1.4), but
// none that programs write for programs.
func isProse(mediaType string) bool {
	kind, ok := strings.CutPrefix(mediaType, "text/")
	if !ok {
		return !strings.Contains(mediaType, "/")
	}
	switch kind {
	case "calendar", "css", "csv", "directory", "javascript", "rfc822-headers", "rtf", "tab-separated-values", "vcard", "x-amp-html", "x-vcard", "xml":
		return false
	}
	return true
}

// plain reads a part of plain text.
func (b *bodyReader) plain(p *enmime.Part) []segment {
	text := b.decode(p)
	// The part reader does not keep the parameters of a field.
	_, params, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
	if strings.EqualFold(params["format"], "flowed") {
		text = unflow(text, strings.EqualFold(params["delsp"], "yes"))
	}
	return []segment{{text, false}}
}

func (b *bodyReader) attach(p *enmime.Part, mediaType string) {
	name := headerText(p.FileName)
	switch {
	case mediaType == "application/ms-tnef", strings.EqualFold(name, "winmail.dat"):
		b.letter.note(noteWinmail)
	case mediaType == "application/pkcs7-mime", mediaType == "application/x-pkcs7-mime", strings.HasSuffix(strings.ToLower(name), ".p7m"):
		b.letter.note(noteEncrypted)
	case mediaType == "text/calendar" && b.letter.Kind == KindLetter:
		// The part reader does not keep the parameters of a field.
		if _, params, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); isCalendarReply(mediaType, params) {
			b.letter.Kind, b.letter.Why = KindAutomatic, whyCalendar
		}
	case mediaType == "message/delivery-status", mediaType == "message/global-delivery-status":
		content, _ := decodeTransfer(p.Content, p.Header.Get("Content-Transfer-Encoding"))
		b.letter.Bounce = readDeliveryStatus(content)
	}
	if mayHoldOrders(p) {
		b.files = append(b.files, p)
	}
	if len(b.letter.Attachments) < maxAttachments {
		b.letter.Attachments = append(b.letter.Attachments, Attachment{name, headerText(mediaType), len(p.Content)})
	}
}

func (b *bodyReader) decode(p *enmime.Part) string {
	content, defect := decodeTransfer(p.Content, p.Header.Get("Content-Transfer-Encoding"))
	if defect {
		b.letter.note(noteTransfer)
	}
	return decodeCharset(content, p.Charset)
}

// note adds a note once.
func (l *Letter) note(text string) {
	for _, n := range l.Notes {
		if n == text {
			return
		}
	}
	l.Notes = append(l.Notes, text)
}
