package mail

import (
	"mime"
	"slices"
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
	system := mailSystem(fields, from)
	why := automatic(fields, from, mediaType, params)
	switch {
	case fields.has("x-failed-recipients"): // of Exim, and of Google
		return KindBounce, "it names recipients that failed"
	case system == "postmaster" && why != "":
		// A postmaster writes notices of other kinds too.
		return KindAutomatic, why
	case system != "":
		return KindBounce, "it comes from " + system
	case why != "":
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

// mailSystem is the mail system that a letter says it comes from, "" if none. On
// their own machine such systems write their name without a domain, or no address.
func mailSystem(fields headerFields, from string) string {
	if IsMailSystem(from) {
		local, _, _ := splitAddress(from)
		return local
	}
	values := fields.all("from")
	if from != "" || len(values) != 1 {
		return ""
	}
	value := strings.ToLower(strings.TrimSpace(values[0]))
	if at := strings.LastIndexByte(value, '<'); at >= 0 {
		if inside := strings.Trim(value[at:], "<> "); inside != "" || !strings.Contains(value[:at], "mailer-daemon") {
			value = inside
		} else {
			value = "mailer-daemon"
		}
	}
	if value == "" || IsMailSystem(value+"@") {
		return "the mail system"
	}
	return ""
}

// Local parts from which nobody reads mail, so nobody has written it.
var unattended = []string{"no-reply", "noreply", "no_reply", "donotreply", "do-not-reply", "do_not_reply"}

// How answering machines begin their Subject, in lower case, before a colon.
var automaticSubjects = []string{
	"automatic reply", "auto reply", "auto-reply", "autoreply", "auto response", "out of office", "out of the office", "vacation reply",
	"out-of-office", "out of office autoreply", "out of office re", "fuera de oficina", "fuera de la oficina", "fuori ufficio", "absence du bureau",
	"absent du bureau", "afwezigheidsbericht", "ausência temporária", "frånvaro", "fraværsmelding", "fravær", "poissaoloilmoitus", "nieobecność",
	"automatische antwort", "abwesenheitsnotiz", "abwesenheit", "réponse automatique", "respuesta automática", "risposta automatica",
	"resposta automática", "automatisch antwoord", "automatiskt svar", "autosvar", "automatisk svar", "automaattinen vastaus",
	"odpowiedź automatyczna", "automatická odpověď", "automatikus válasz", "автоматический ответ", "автоответ", "автоматична відповідь",
	"otomatik yanıt", "răspuns automat", "自動応答", "自動返信", "自动回复", "自動回覆", "자동 회신",
}

func automatic(fields headerFields, from, mediaType string, params map[string]string) string {
	if v := keyword(fields.get("auto-submitted")); v != "" && v != "no" {
		return "it is marked Auto-Submitted: " + v
	}
	switch v := keyword(fields.get("precedence")); v {
	case "bulk", "junk", "list", "auto_reply":
		return "it is marked Precedence: " + v
	}
	for _, name := range []string{"list-id", "list-post", "x-mlserver", "x-ml-name", "x-mailman-version"} {
		if fields.has(name) {
			return "it comes from a mailing list"
		}
	}
	for _, f := range fields {
		if repliesByItself(f.name) && keyword(f.value) != "no" || f.name == "x-post-messageclass" && strings.Contains(strings.ToLower(f.value), "autoresponder") {
			return "it is marked as an automatic reply"
		}
	}
	subject, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(headerText(fields.get("subject")), "：", ":")), ":")
	if slices.Contains(automaticSubjects, strings.TrimSpace(subject)) {
		return "its Subject is an automatic reply's"
	}
	local, _, _ := splitAddress(from)
	if slices.Contains(unattended, local) {
		return "it comes from " + local
	}
	if isCalendarReply(mediaType, params) {
		return whyCalendar
	}
	return ""
}

const whyCalendar = "it is the answer to an invitation"

func isCalendarReply(mediaType string, params map[string]string) bool {
	return mediaType == "text/calendar" && strings.EqualFold(params["method"], "reply")
}

// repliesByItself knows the fields that answering machines write: X-Autoreply,
// X-Autorespond, X-Auto-Response-Type, X-Mail-Autoreply and their like, but not
// X-Auto-Response-Suppress, which people's programs write too.
func repliesByItself(name string) bool {
	switch name {
	case "x-autogenerated", "x-vacation", "x-fc-machinegenerated", "x-ms-exchange-generated-message-source":
		return true
	}
	name = strings.ReplaceAll(name, "-", "")
	return strings.HasPrefix(name, "x") && (strings.Contains(name, "autoreply") || strings.Contains(name, "autorespon")) &&
		!strings.HasSuffix(name, "suppress")
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
