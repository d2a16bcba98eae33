package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func readText(t *testing.T, header, body string) Letter {
	t.Helper()
	return Read([]byte("From: alice@player.test\n"+header+"\n\n"+body), ReadOptions{})
}

func TestWhichPartIsRead(t *testing.T) {
	t.Parallel()
	part := func(mediaType, text string) string { return "--b\nContent-Type: " + mediaType + "\n\n" + text + "\n" }
	alternative := func(parts ...string) (header, body string) {
		return `Content-Type: multipart/alternative; boundary="b"`, strings.Join(parts, "") + "--b--\n"
	}
	tests := map[string]struct {
		parts []string
		text  string
		notes []string
	}{
		"plain is preferred":       {[]string{part("text/plain", "fire"), part("text/html", "<p>fire</p>")}, "fire\n", nil},
		"order does not matter":    {[]string{part("text/html", "<p>fire</p>"), part("text/plain", "fire")}, "fire\n", nil},
		"blank plain":              {[]string{part("text/plain", "\n \u00a0\n"), part("text/html", "<p>fire</p>")}, "fire\n\n", []string{noteHTML}},
		"plain that apologises":    {[]string{part("text/plain", "Please view this mail in HTML format."), part("text/html", "fire")}, "fire\n", []string{noteHTML}},
		"HTML says more":           {[]string{part("text/plain", "fire"), part("text/html", "<p>fire twice</p>")}, "fire\n", []string{noteDiffers}},
		"HTML only quotes more":    {[]string{part("text/plain", "fire"), part("text/html", `fire<blockquote type="cite">old words</blockquote>`)}, "fire\n", nil},
		"other layout is the same": {[]string{part("text/plain", "* fire *at*\nzog"), part("text/html", "<b>fire</b> at zog")}, "* fire *at*\nzog\n", nil},
		"attached text":            {[]string{part("text/plain", "see file"), part("text/plain; name=o.txt", "fire")}, "see file\n", []string{fmt.Sprintf(noteUnread, "o.txt")}},
		"only an attached text":    {[]string{part("text/plain", " "), part("text/plain; name=o.txt", "fire")}, "fire\n", []string{fmt.Sprintf(noteFile, "o.txt")}},
		"two attached texts":       {[]string{part("text/plain", " "), part("text/plain; name=o.txt", "fire"), part("text/plain; name=p.txt", "run")}, " \n", []string{fmt.Sprintf(noteUnread, "o.txt"), fmt.Sprintf(noteUnread, "p.txt")}},
		"too long an attachment":   {[]string{part("text/plain", " "), part("text/plain; name=o.txt", strings.Repeat("fire\n", maxFile/5+1))}, " \n", []string{fmt.Sprintf(noteUnread, "o.txt")}},
		"a text of another kind":   {[]string{part("text/plain", " "), part("text/x-fixed; name=o.txt", "fire")}, "fire\n", []string{fmt.Sprintf(noteFile, "o.txt")}},
		"a table":                  {[]string{part("text/plain", " "), part("text/csv", "fire")}, " \n", nil},
		"an archive":               {[]string{part("text/plain", " "), part("application/zip; name=o.zip", "x")}, " \n", []string{fmt.Sprintf(noteUnread, "o.zip")}},
		"a document":               {[]string{part("text/plain", "fire"), part("application/msword; name=o.doc", "x")}, "fire\n", []string{fmt.Sprintf(noteUnread, "o.doc")}},
		"a picture needs no note":  {[]string{part("text/plain", "fire"), part("image/png; name=o.png", "x")}, "fire\n", nil},
	}
	for name, tt := range tests {
		header, body := alternative(tt.parts...)
		l := readText(t, header, body)
		if diff := cmp.Diff([]any{tt.text, tt.notes}, []any{l.Text, l.Notes}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMixedPartsAreReadInOrder(t *testing.T) {
	t.Parallel()
	l := readText(t, `Content-Type: multipart/mixed; boundary="b"`,
		"preamble\n--b\nContent-Type: text/html\n\n<p>one</p>\n--b\nContent-Type: application/pdf\n\nx\n--b\n\ntwo\n"+
			"--b\nContent-Type: message/rfc822\n\nSubject: old\n\nfire\n--b--\nepilogue\n")
	if l.Text != "one\n\ntwo\n" {
		t.Errorf("%q", l.Text)
	}
	if want := []Attachment{{"", "application/pdf", 1}, {"", "message/rfc822", 18}}; !cmp.Equal(l.Attachments, want) {
		t.Errorf("%+v", l.Attachments)
	}
}

func TestUnreadableLettersSayWhatToDo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ header, body, note string }{
		"PGP":             {"Content-Type: multipart/encrypted; boundary=b", "--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n", noteEncrypted},
		"S/MIME":          {"Content-Type: application/pkcs7-mime; name=smime.p7m", "xxxx", noteEncrypted},
		"S/MIME by name":  {"Content-Type: application/octet-stream; name=smime.P7M", "xxxx", noteEncrypted},
		"a damaged part":  {"Content-Type: multipart/mixed; boundary=b", "--b\nContent-Type: text/plain\nfire at zog\n--b--\n", noteLost},
		"PGP in the text": {"X: y", "-----BEGIN PGP MESSAGE-----\n\nhQIM\n-----END PGP MESSAGE-----\n", noteEncrypted},
	}
	for name, tt := range tests {
		l := readText(t, tt.header, tt.body)
		if l.Kind != KindLetter || l.Text != "" || !cmp.Equal(l.Notes, []string{tt.note}) {
			t.Errorf("%s: %s %q %q", name, l.Kind, l.Text, l.Notes)
		}
	}
}

func TestBrokenStructureLosesNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ header, body string }{
		"no boundary":           {"Content-Type: multipart/mixed", "fire\n"},
		"no Content-Type":       {"X: y", "fire\n"},
		"junk Content-Type":     {"Content-Type: ;;;", "fire\n"},
		"type that is HTML":     {"Content-Type: <html>", "fire\n"},
		"type without slash":    {"Content-Type: text", "fire\n"},
		"unknown encoding":      {"Content-Transfer-Encoding: 7-bit", "fire\n"},
		"spelled with blank":    {"Content-Transfer-Encoding: quoted printable", "fi=72e\n"},
		"another boundary":      {"Content-Type: multipart/mixed; boundary=a", "--b\nContent-Type: text/plain\n\nfire\n--b--\n"},
		"boundary not there":    {"Content-Type: multipart/mixed; boundary=a", "fire\n-- \nAnna\n"},
		"open boundary":         {"Content-Type: multipart/mixed; boundary=b", "--b\n\nfire\n"},
		"base64 in one line":    {"Content-Transfer-Encoding: base64", "ZmlyZQo=\n"},
		"base64 without end":    {"Content-Transfer-Encoding: base64", "ZmlyZQo"},
		"base64 cut":            {"Content-Transfer-Encoding: base64", "ZmlyZQ\n"},
		"base64 that is none":   {"Content-Transfer-Encoding: base64", "fire at zog\n"},
		"base64 that is words":  {"Content-Transfer-Encoding: base64", "fire zog\n"},
		"base64 that is a word": {"Content-Transfer-Encoding: base64", "firefire\n"},
		"base64 with blanks":    {"Content-Transfer-Encoding: base64", "Zm lyZ Qo=\n\tZm lyZ Qo=\n"},
		"text of a new kind":    {"Content-Type: text/x-fixed", "fire\n"},
		"base64 in blocks":      {"Content-Transfer-Encoding: base64", "ZmlyZQo=\nZmlyZQo=\n"},
		"XHTML":                 {"Content-Type: application/xhtml+xml", "<p>fire</p>\n"},
		"wide, not declared":    {"Content-Transfer-Encoding: base64", "//5mAGkAcgBlAAoA\n"},
		"wide, not really":      {"Content-Type: text/plain; charset=utf-16", "fire at zog\n"},
	}
	for name, tt := range tests {
		if l := readText(t, tt.header, tt.body); l.Kind != KindLetter || !strings.HasPrefix(l.Text, "fire") {
			t.Errorf("%s: %s (%s) %q", name, l.Kind, l.Why, l.Text)
		}
	}
}

func TestSignedTextIsReadWithoutItsFrame(t *testing.T) {
	t.Parallel()
	l := readText(t, "X: y", "Hello\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nfire\n- -- \nAnna\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n\nP.S.\n")
	if l.Text != "Hello\nfire\n-- \nAnna\n\nP.S.\n" || len(l.Notes) > 0 {
		t.Errorf("%q %q", l.Text, l.Notes)
	}
	if l := readText(t, "X: y", "> -----BEGIN PGP SIGNED MESSAGE-----\nfire\n"); l.Text != "> -----BEGIN PGP SIGNED MESSAGE-----\nfire\n" {
		t.Errorf("a quoted frame: %q", l.Text)
	}
}

func TestListFooterBelowBase64IsKept(t *testing.T) {
	t.Parallel()
	l := readText(t, "Content-Transfer-Encoding: base64", "ZmlyZQo=\n-- \nlist footer\n")
	if l.Text != "fire\n-- \nlist footer\n" {
		t.Errorf("%q", l.Text)
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ charset, raw, want string }{
		"declared":               {"iso-8859-15", "\xa4", "€"},
		"latin-1 is windows":     {"iso-8859-1", "\x93x\x94", "“x”"},
		"ascii that is UTF-8":    {"us-ascii", "ö", "ö"},
		"ascii that is windows":  {"us-ascii", "\xf6", "ö"},
		"UTF-8 that is windows":  {"utf-8", "\xf6", "ö"},
		"unknown that is UTF-8":  {"x-unknown", "ö", "ö"},
		"none at all":            {"", "\x96", "–"},
		"UTF-7 is not undone":    {"utf-7", "+AGY-ire", "+AGY-ire"},
		"Japanese":               {"iso-2022-jp", "\x1b$B%\"\x1b(B", "ア"},
		"UTF-16":                 {"utf-16le", "f\x00i\x00", "fi"},
		"UTF-16 in no charset":   {"utf-8", "\xff\xfef\x00i\x00", "fi"},
		"UTF-16 the other way":   {"", "\xfe\xff\x00f\x00i", "fi"},
		"UTF-16 that is UTF-8":   {"utf-16le", "fiö\n", "fiö\n"},
		"byte order mark":        {"utf-8", "\ufefffire", "fire"},
		"parameter named twice":  {"charset=iso-8859-15", "\xa4", "€"},
		"Japanese that is UTF-8": {"iso-2022-jp", "ö", "ö"},
		"replacement charset":    {"hz-gb-2312", "fire", "fire"},
	}
	for name, tt := range tests {
		if got := decodeCharset([]byte(tt.raw), tt.charset); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestTextIsCleanedAndBounded(t *testing.T) {
	t.Parallel()
	l := readText(t, "X: y", "a\x00b\x07c\td\r\ne\rf\x7f\n\u0085g\u2028h\n")
	if l.Text != "abc\td\ne\nf\n\ng\nh\n" {
		t.Errorf("%q", l.Text)
	}
	l = readText(t, "X: y", strings.Repeat("x\n", maxTextLines+5))
	if strings.Count(l.Text, "\n") != maxTextLines || !cmp.Equal(l.Notes, []string{noteCut}) {
		t.Errorf("%d lines, %q", strings.Count(l.Text, "\n"), l.Notes)
	}
	l = readText(t, "X: y", strings.Repeat(strings.Repeat("x", 1900)+"\n", 1000))
	if len(l.Text) > maxText || !cmp.Equal(l.Notes, []string{noteCut}) {
		t.Errorf("%d bytes, %q", len(l.Text), l.Notes)
	}
}

func TestLongLinesAreDividedAndNothingIsLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ word, prefix string }{
		"words":    {"fire ", ""},
		"no blank": {"ö", ""},
		"quoted":   {"fire ", "> "},
	} {
		l := readText(t, "Content-Type: text/plain; charset=utf-8", tt.prefix+strings.Repeat(tt.word, 2500)+"\n")
		joined := ""
		for line := range strings.Lines(l.Text) {
			line = strings.TrimSuffix(line, "\n")
			if len(line) > maxTextLine || !strings.HasPrefix(line, tt.prefix) {
				t.Errorf("%s: a line of %d bytes, %q", name, len(line), line[:20])
			}
			joined += strings.TrimPrefix(line, tt.prefix)
		}
		if got, want := strings.ReplaceAll(joined, " ", ""), strings.Repeat(strings.TrimSpace(tt.word), 2500); got != want {
			t.Errorf("%s: %d bytes came out, %d went in", name, len(got), len(want))
		}
		if !cmp.Equal(l.Notes, []string{noteLong}) {
			t.Errorf("%s: %q", name, l.Notes)
		}
	}
}

// TestVeryLongLineIsRead: what stands above and below a line of 750 KB is read in
// the time that is meant for a letter, and the line stays quoted if it was.
func TestVeryLongLineIsRead(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"marks": strings.Repeat(">", 750_000), "words": "> " + strings.Repeat("On x at y wrote: ", 45_000)} {
		began := time.Now()
		l := readText(t, "X: y", "fire\n"+line+"\nrun\n")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		lines := strings.Split(strings.TrimSuffix(l.Text, "\n"), "\n")
		if l.Kind != KindLetter || lines[0] != "fire" || lines[len(lines)-1] != "run" || !cmp.Equal(l.Notes, []string{noteLong}) {
			t.Fatalf("%s: %s (%s), %d lines, %q", name, l.Kind, l.Why, len(lines), l.Notes)
		}
		for _, line := range lines[1 : len(lines)-1] {
			if len(line) > maxTextLine || !strings.HasPrefix(line, ">") {
				t.Fatalf("%s: a piece of %d bytes, %.20q", name, len(line), line)
			}
		}
	}
}

func TestFlowedLinesAreJoined(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		delSp bool
		want  string
	}{
		"soft break":               {"a \nb\n", false, "a b\n"},
		"DelSp":                    {"a \nb\n", true, "ab\n"},
		"hard break":               {"a\nb\n", false, "a\nb\n"},
		"blank line":               {"a \n\nb\n", false, "a \nb\n"},
		"space stuffing":           {" >a\n From b\n", false, ">a\nFrom b\n"},
		"signature is never soft":  {"a \n-- \nb\n", false, "a \n-- \nb\n"},
		"quotes of one depth join": {"> a \n> b\nc\n", false, "> a b\nc\n"},
		"depths do not join":       {"> a \n>> b \nc\n", false, "> a \n> > b \nc\n"},
		"open at the end":          {"a ", false, "a \n"},
		"empty":                    {"", false, ""},
	}
	for name, tt := range tests {
		if got := unflow(tt.text, tt.delSp); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestHTMLBecomesLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ html, want string }{
		"br, div, p, li, tr":   {"a<br>b<div>c</div><p>d</p><ul><li>e<li>f</ul><table><tr><td>g<td>h<tr><td>i</table>", "a\nb\nc\nd\n\ne\nf\ng h\ni\n"},
		"blanks collapse":      {"a \n\t b<b> c</b>d &nbsp;&amp;", "a b cd &\n"},
		"pre keeps lines":      {"<pre>a  b\n c</pre>d", "a  b\n c\nd\n"},
		"hidden text":          {`<head><title>t</title></head><style>s</style><script>s</script><div style="DISPLAY: none">x</div><p hidden>y</p>z`, "z\n"},
		"unseen text":          {`<p style="font-size:0px">x<b>y</b></p><i style="opacity:0">x</i><i style="max-height:0pt; overflow:hidden">x</i><i style="mso-hide:all">x</i>z`, "z\n"},
		"size within a size":   {`<div style="font-size:0">x<p style="font-size:10pt">a</p></div><p style="opacity:.5;font-size:0.8em">b</p>`, "a\n\nb\n\n"},
		"style keeps lines":    {"<div style=\"color:red; White-Space : pre-wrap !important\">a  b\n c<p style=\"white-space:normal\">d\ne</p></div>", "a  b\n c\nd e\n\n"},
		"empty div is a break": {"a<div><br></div>b", "a\n\nb\n"},
		"not HTML at all":      {"fire at zog", "fire at zog\n"},
		"nothing":              {"", ""},

		"cite":            {`a<blockquote type="cite">old<br>er</blockquote>b`, "a\n> old\n> er\nb\n"},
		"own blockquote":  {`<blockquote>mine</blockquote>`, "mine\n"},
		"Gmail":           {`a<div class="gmail_quote gmail_quote_container"><div class="gmail_attr">On x wrote:</div>old</div>b`, "a\n> On x wrote:\n> old\nb\n"},
		"Outlook":         {`a<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: us</div><div>old</div>`, "a\n> From: us\n> old\n"},
		"Outlook reply":   {`<div>a</div><div><div id="divRplyFwdMsg">From: us</div></div><p>old</p>`, "a\n> From: us\n> old\n> \n"},
		"Outlook new":     {`a<div id="mail-editor-reference-message-container">old</div>`, "a\n> old\n"},
		"Outlook for Mac": {`a<span id="OLK_SRC_BODY_SECTION">old</span>`, "a\n> old\n"},
		"Thunderbird":     {`a<div class="moz-cite-prefix">On x wrote:</div><blockquote>old</blockquote>b`, "a\n> On x wrote:\n> old\nb\n"},
		"Proton":          {`a<div class="protonmail_quote">old</div>`, "a\n> old\n"},
		"Yahoo":           {`a<div class="yahoo_quoted">old</div>`, "a\n> old\n"},
		"Zimbra":          {`a<div data-marker="__QUOTED_TEXT__">old</div>`, "a\n> old\n"},
		"Spark":           {`a<div name="messageReplySection">old</div>`, "a\n> old\n"},
		"Yahoo's prefix":  {`a<div class="ydp1b2c3yahoo_quoted" id="x">old</div>`, "a\n> old\n"},
		"Yahoo's id":      {`a<div id="yahoo_quoted_123">old</div>`, "a\n> old\n"},
		"Mail.ru":         {`a<blockquote style="border-left:1px solid #0857A6; margin:10px">old</blockquote>`, "a\n> old\n"},
		"moved right":     {`a<blockquote style="margin:0 0 0 40px;border:none;border-left:none;padding:0">mine</blockquote>`, "a\nmine\n"},
		"Zoho":            {`a<div class="zmail_extra">On x wrote<blockquote id="blockquote_zmail">old</blockquote></div>`, "a\n> On x wrote\n> old\n"},
		"GMX":             {`a<div name="quote">old</div>`, "a\n> old\n"},
		"Roundcube":       {`a<p id="reply-intro">On x wrote:</p><blockquote type="cite">old</blockquote>b`, "a\n> On x wrote:\n> \n> old\nb\n"},
		"Tuta":            {`a<blockquote class="tutanota_quote">old</blockquote>b`, "a\n> old\nb\n"},
		"inside a line":   {`a <span class="gmail_quote">old</span> b`, "a\n> old\nb\n"},
	}
	for name, tt := range tests {
		if got := htmlLines(tt.html); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestHTMLNestedTooDeeplyIsQuoted(t *testing.T) {
	t.Parallel()
	got := htmlLines(strings.Repeat("<div>", 5000) + "fire")
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "> ") {
			t.Errorf("%q acts", line)
		}
	}
	if !strings.Contains(got, "fire") {
		t.Errorf("%q", got)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add(`a<div class="gmail_quote">b<blockquote type=cite>c</blockquote></div><pre>d
e</pre><table><tr><td>f`)
	f.Fuzz(func(t *testing.T, source string) { htmlLines(source) })
}

func FuzzTransfer(f *testing.F) {
	f.Add("=41=\n=ZZ===", "QSBMT04gLSBOVEgK")
	f.Fuzz(func(t *testing.T, qp, b64 string) {
		decodeTransfer([]byte(qp), "quoted-printable")
		decodeTransfer([]byte(b64), "base64")
		unflow(qp, true)
	})
}

func ExampleRead() {
	l := Read([]byte("From: Alice <Alice@player.test>\r\nSubject: Re: [Dusk-7]\r\n\r\nfire at zog\r\n"), ReadOptions{})
	fmt.Println(l.Kind, l.From, l.Auth.Level)
	fmt.Print(l.Text)
	// Output:
	// letter alice@player.test none
	// fire at zog
}
