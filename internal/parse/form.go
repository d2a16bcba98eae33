package parse

import (
	"fmt"
	"strings"
)

// The frame of an order form in our mails: BEGIN ORDERS <id> … END ORDERS.
const (
	FormBegin = "BEGIN ORDERS"
	FormEnd   = "END ORDERS"
)

// block is a form found in a text: its id, and the lines between the frame's.
type block struct {
	id         string
	begin, end int // lines of the frame
}

// forms finds the order forms of the letter, and gives each its zone: one that
// is as we sent it, or that belongs to another turn or phase, is tail; one in
// force that was changed is the form, if it is not quoted.
func (d *divider) forms(z *Zones) {
	sent := d.sentForms()
	for _, b := range findForms(d.plain) {
		quoted := d.zone[b.begin] == zoneQuoted || d.zone[b.end] == zoneQuoted
		body := formBody(d.plain[b.begin+1 : b.end])
		changed := !sent[b.id+"\n"+body]
		switch {
		case quoted:
			if changed && b.id == d.in.FormID {
				z.QuotedFormChanged = true
				z.Notes = append(z.Notes, "The order form in the quoted text was changed. Quoted text is never carried out: write the orders above it, or send the form back without quote marks.")
			}
			for i := b.begin; i <= b.end; i++ {
				d.zone[i] = zoneQuoted
			}
			continue
		case b.id != d.in.FormID || b.id == "":
			if changed {
				z.Notes = append(z.Notes, fmt.Sprintf("The order form %s is not the one in force; it was not read.", b.id))
			}
		case changed && !z.FormChanged:
			z.FormID, z.FormChanged = b.id, true
			d.zone[b.begin], d.zone[b.end] = zoneTail, zoneTail
			for i := b.begin + 1; i < b.end; i++ {
				d.zone[i] = zoneForm
			}
			continue
		case changed:
			z.Notes = append(z.Notes, "The order form stands in the letter twice; only the first was read.")
		}
		for i := b.begin; i <= b.end; i++ {
			d.zone[i] = zoneTail
		}
	}
}

// findForms finds the frames of forms, quoted or not.
func findForms(lines []string) []block {
	var all []block
	begin, id := -1, ""
	for i, l := range lines {
		l = strings.Join(copyWords(l), " ")
		if rest, ok := strings.CutPrefix(l, FormBegin); ok && len(strings.Fields(rest)) <= 1 {
			begin, id = i, strings.TrimSpace(rest)
			continue
		}
		if begin >= 0 && (l == FormEnd || strings.HasPrefix(l, FormEnd+" ")) {
			all = append(all, block{id: id, begin: begin, end: i})
			begin = -1
		}
	}
	return all
}

// formBody is what counts of a form: its words, whatever the wrapping.
func formBody(lines []string) string {
	var words []string
	for _, l := range lines {
		words = append(words, copyWords(l)...)
	}
	return strings.Join(words, " ")
}

// sentForms are the forms that we sent, by id and content.
func (d *divider) sentForms() map[string]bool {
	sent := map[string]bool{}
	for _, o := range d.sent {
		for _, b := range findForms(o.plain) {
			sent[b.id+"\n"+formBody(o.plain[b.begin+1:b.end])] = true
		}
	}
	return sent
}
