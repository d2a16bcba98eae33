package daemon

import (
	"strings"
	"testing"
	"time"
)

// TestTheFormHoldsWhatSilenceDoes: as it came it orders nothing, and what is
// changed in it is ordered together with what was left.
func TestTheFormHoldsWhatSilenceDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, "sqlite:"+t.TempDir()+"/pbemd.db", benchOptions{})
	formOf := func(m mailIn) string {
		_, rest, found := strings.Cut(m.text, "BEGIN ORDERS")
		form, _, ends := strings.Cut(rest, "END ORDERS")
		if !found || !ends {
			t.Fatalf("no form in %s:\n%s", m.subject, m.text)
		}
		return "BEGIN ORDERS" + form + "END ORDERS\n"
	}
	opening := b.one("anna")
	form := formOf(opening)
	contains(t, "the form", form, "\ndefend\n")
	send := func(m mailIn, text string) mailIn {
		b.clock.advance(time.Minute)
		b.reply("anna", m, text)
		b.crank()
		return b.one("anna")
	}
	contains(t, "the answer to the form as it came", send(opening, form).text, "Bobo", "Nothing")
	if _, has := b.game().InForce()["bobo"]; has {
		t.Error("a form that came back as it was is an order")
	}
	contains(t, "the receipt", send(opening, strings.Replace(form, "defend", "two shots at Zog\ncrouch", 1)).text,
		"1. fire 2 shots at Zog with automatic pistol", "2. crouch")

	// What stands from one turn to the next is in the next form.
	contains(t, "the receipt", send(opening, "Standing order: if Zog comes within 5 m, fire one shot at Zog with the automatic pistol.").text, "standing order:")
	b.clock.advance(24 * time.Hour)
	b.crank()
	b.reply("greta", b.with("greta", "attempt 1"), "OK")
	b.crank()
	report := b.with("anna", "report")
	form = formOf(report)
	contains(t, "the form", form, "Dusk-2", "within 5 m")
	if strings.Contains(form, "defend") {
		t.Errorf("the form holds what is not done without an answer:\n%s", form)
	}
	contains(t, "the receipt", send(report, strings.Replace(form, "\nEND", "crouch\nEND", 1)).text, "1. crouch", "2. if Zog comes within 5 m")
}
