package mail

import (
	"bytes"
	"mime"
	"strings"
)

// withBoundary gives a Content-Type field of a multipart the boundary that its
// body really has, where the declared one divides nothing: a gateway may have
// written another. Where there is none at all, the body is one text.
func withBoundary(contentType string, body []byte) string {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(mediaType, "multipart/") {
		return contentType
	}
	if declared := params["boundary"]; declared == "" || divides(body, declared) {
		return contentType
	}
	found := boundaryOf(body)
	if found == "" {
		return "text/plain"
	}
	params["boundary"] = found
	if repaired := mime.FormatMediaType(mediaType, params); repaired != "" {
		return repaired
	}
	return contentType
}

// divides reports whether a line of the body begins with the boundary.
func divides(body []byte, boundary string) bool {
	mark := []byte("--" + boundary)
	return bytes.HasPrefix(body, mark) || bytes.Contains(body, append([]byte("\n"), mark...))
}

// boundaryOf is what the first line divides by that begins with "--" and has a
// field of a part below it.
func boundaryOf(body []byte) string {
	previous := ""
	for line := range bytes.Lines(body) {
		text := strings.TrimRight(string(line[:min(len(line), 200)]), " \t\r\n")
		if previous != "" && len(text) > 8 && strings.EqualFold(text[:8], "content-") {
			return previous
		}
		previous = ""
		if mark, ok := strings.CutPrefix(text, "--"); ok && mark != "" && len(mark) <= 70 && mark == strings.TrimSpace(mark) {
			previous = mark
		}
	}
	return ""
}
