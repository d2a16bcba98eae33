package report

import (
	"testing"

	"github.com/pbemd/pbemd/internal/game"
)

// TestAnswersNameTheirEvent by the number that it has in the packet.
func TestAnswersNameTheirEvent(t *testing.T) {
	t.Parallel()
	in := PacketIn{
		Events: []game.Event{{Ref: "ann/s0"}, {Ref: "ann/s0.t"}},
		Inquiries: []game.Inquiry{
			{Ref: "ann/s0.t", Kind: "structure", Answer: "EVENT # COLLAPSES"},
			{Ref: "none", Kind: "fall", Answer: "zog FALL 10"},
			{Ref: "ann/s0", Of: "long sword: damage"},
		},
	}
	got := in.ToDecide()
	if len(got) != 2 || got[0].Answer != "EVENT 2 COLLAPSES" || got[1].Answer != "zog FALL 10" {
		t.Errorf("%+v", got)
	}
	if in.Inquiries[0].Answer != "EVENT # COLLAPSES" {
		t.Error("the attempt itself is changed")
	}
}
