package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store"
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

// TestUseForm: whatever became of the words outside of the form, USE FORM takes the
// form that the receipt says was left aside.
func TestUseForm(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{
		"orders":     "One shot at Kira.",
		"a question": "One shot at Xyzzy.",
		"a CHECK":    "CHECK\nOne shot at Kira.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, oneDatabase(t), benchOptions{})
			opening := b.one("anna")
			form := "BEGIN ORDERS Dusk-1\ntwo shots at Zog\nEND ORDERS\n"
			got := only(t, name, b.deliver(func() { b.reply("anna", opening, words+"\n\n"+form) }), "anna")
			says(t, name, got, "Answer USE FORM to take the form instead")
			got = only(t, "USE FORM", b.deliver(func() { b.reply("anna", got, "USE FORM") }), "anna")
			says(t, "USE FORM", got, "Orders for Bobo received", "1. fire 2 shots at Zog")
			b.disposed("USE FORM", store.Acted, "orders")
		})
	}
}

// TestUseFormOfNobodyElse: a form in a letter that might not act is never taken.
func TestUseFormOfNobodyElse(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	opening := b.one("anna")
	letter := "One shot at Kira.\n\nBEGIN ORDERS Dusk-1\ntwo shots at Zog\nEND ORDERS\n"
	b.unchanged("a stranger's form", func() { b.reply("mallory", opening, letter, arrival{auth: "none"}) })
	b.unchanged("a forged form", func() { b.letter("anna", "Dusk", "", letter, arrival{auth: "none"}) })
	got := b.unchanged("USE FORM", func() { b.reply("anna", opening, "USE FORM") })
	says(t, "USE FORM", only(t, "USE FORM", got, "anna"), "No letter of yours in this turn holds the order form")
}
