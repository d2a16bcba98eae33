package daemon

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// TestLock: LOCK voids every address that its writer could answer to, and its
// answer carries a fresh one. Who is not vouched for is asked first.
func TestLock(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	epoch := func() uint8 { return b.role("anna").Epoch }

	got := b.deliver(func() { b.reply("anna", anna, "Lock!") })
	locked := only(t, "LOCK", got, "anna")
	says(t, "LOCK", locked, "every mail before this one are void")
	if epoch() != 1 {
		t.Fatalf("epoch %d after LOCK", epoch())
	}
	b.disposed("LOCK", store.Acted, "addresses are void")
	// The old address proves nothing any more, the fresh one does.
	b.unchanged("the old address", func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "none"}) })
	b.deliver(func() { b.reply("anna", locked, "one shot at Zog", arrival{auth: "none"}) })
	if len(b.game().InForce()) != 1 {
		t.Fatal("orders to the fresh address do not count")
	}

	// Without proof: one word of confirmation.
	got = b.unchanged("LOCK without proof", func() { b.reply("anna", locked, "LOCK", arrival{auth: "none"}) })
	ask := only(t, "LOCK without proof", got, "anna")
	says(t, "LOCK without proof", ask, "Did you write this?", "LOCK", "CONFIRM")
	got = b.deliver(func() { b.reply("anna", ask, "CONFIRM", arrival{auth: "none"}) })
	says(t, "the confirmed LOCK", only(t, "the confirmed LOCK", got, "anna"), "every mail before this one are void")
	if epoch() != 2 {
		t.Fatalf("epoch %d after the confirmed LOCK", epoch())
	}

	// A verified letter needs no address; somebody else's changes nothing.
	b.deliver(func() { b.reply("anna", mailIn{subject: "x", replyTo: ourAddress}, "LOCK") })
	if epoch() != 3 {
		t.Fatalf("epoch %d after LOCK without a token", epoch())
	}
	b.unchanged("LOCK by a stranger", func() { b.reply("mallory", locked, "LOCK") })
	b.unchanged("LOCK whose authentication failed", func() { b.reply("anna", locked, "LOCK", arrival{auth: "fail"}) })
}

// TestLockByTheGM: the packet in force comes again with a good address.
func TestLockByTheGM(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	packet := review(b)
	got := b.deliver(func() { b.reply("greta", packet, "LOCK") })
	if len(got) != 1 || len(got["greta"]) != 2 {
		t.Fatalf("LOCK brought %s", subjects(got))
	}
	again := b.unchanged("OK to the voided packet", func() { b.reply("greta", packet, "OK") })
	says(t, "OK to the voided packet", again["greta"][0], "Nothing was released")
	b.deliver(func() { b.reply("greta", got["greta"][1], "OK") })
	if n := b.game().Turn.N; n != 2 {
		t.Fatalf("turn %d after OK to the fresh packet", n)
	}
}

// TestKeyRotation: after a new key was added, mails sent before can be answered
// still, and those sent from then on are sealed with it.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	anna := b.one("anna")
	rotated, err := mail.ParseKeys(fmt.Appendf(nil, "1 010203%058x\n2 %064x\n", 0, 99))
	if err != nil {
		t.Fatal(err)
	}
	old := b.d
	b.d = b.another(func(o *Options) { o.Keys = rotated }, nil)
	got := b.deliver(func() { b.reply("anna", anna, "one shot at Zog", arrival{auth: "none"}) })
	receipt := only(t, "orders to the old address", got, "anna")
	says(t, "orders to the old address", receipt, "fire 1 shot at Zog")
	token := mail.FindTokens([]string{receipt.replyTo}, ourAddress)
	if len(token) != 1 {
		t.Fatalf("the receipt's address is %s", receipt.replyTo)
	}
	if _, err := old.Keys.Open(token[0]); !errors.Is(err, mail.ErrTokenForged) {
		t.Errorf("the receipt is sealed with the old key (%v)", err)
	}
	got = b.deliver(func() { b.reply("anna", receipt, "two shots at Zog", arrival{auth: "none"}) })
	says(t, "orders to the new address", only(t, "orders to the new address", got, "anna"), "fire 2 shots at Zog")
}
