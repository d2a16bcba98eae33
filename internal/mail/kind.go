package mail

import (
	"mime"
	"strings"
)

// classify tells a machine's letter from a person's (RFC 3834, RFC 3464). It
// returns KindLetter if nothing speaks against it.
//
// A bounce that says so by its type comes before all else: it often calls itself
// an automatic reply as well, and a return to us is how we hear of it.
func classify(fields headerFields, from string, own func(string) bool) (Kind, string) {
	if fields.has(strings.ToLower(LoopField)) || from != "" && own != nil && own(from) {
		return KindAutomatic, "it is our own mail"
	}
	mediaType, params, _ := mime.ParseMediaType(fields.get("content-type"))
	if mediaType == "" {
		mediaType, _, _ = strings.Cut(strings.ToLower(fields.get("content-type")), ";")
	}
	if mediaType == "multipart/report" {
		switch strings.ToLower(params["report-type"]) {
		case "delivery-status", "":
			return KindBounce, "it is a delivery report"
		default:
			return KindAutomatic, "it is a report of type " + headerText(params["report-type"])
		}
	}
	if IsMailSystem(from) {
		local, _, _ := splitAddress(from)
		return KindBounce, "it comes from " + local
	}
	if why := automatic(fields, mediaType, params); why != "" {
		return KindAutomatic, why
	}
	if path, ok := returnPath(fields); ok && path == "" {
		return KindBounce, "its return path is empty"
	}
	return KindLetter, ""
}

// IsMailSystem reports whether a normalised address is one from which mail systems
// write, not people: letters from there are always taken for bounces.
func IsMailSystem(addr string) bool {
	local, _, _ := splitAddress(addr)
	return local == "mailer-daemon" || local == "postmaster"
}

func automatic(fields headerFields, mediaType string, params map[string]string) string {
	if v := keyword(fields.get("auto-submitted")); v != "" && v != "no" {
		return "it is marked Auto-Submitted: " + v
	}
	switch v := keyword(fields.get("precedence")); v {
	case "bulk", "junk", "list", "auto_reply":
		return "it is marked Precedence: " + v
	}
	for _, name := range []string{"list-id", "list-post"} {
		if fields.has(name) {
			return "it comes from a mailing list"
		}
	}
	for _, name := range []string{"x-autoreply", "x-autorespond", "x-auto-response-type"} {
		if v := keyword(fields.get(name)); fields.has(name) && v != "no" {
			return "it is marked as an automatic reply"
		}
	}
	if mediaType == "text/calendar" && strings.EqualFold(params["method"], "reply") {
		return "it is the answer to an invitation"
	}
	return ""
}

// returnPath is the envelope sender as the last server wrote it down.
func returnPath(fields headerFields) (path string, ok bool) {
	if !fields.has("return-path") {
		return "", false
	}
	return strings.Trim(fields.get("return-path"), "<> \t"), true
}

// keyword is the first word of a field, in lower case, without what may follow.
func keyword(value string) string {
	if i := strings.IndexAny(value, ";( \t"); i >= 0 {
		value = value[:i]
	}
	return headerText(strings.ToLower(value))
}
