package game

import "testing"

func TestAClockSaysWhichTimeATurnTakes(t *testing.T) {
	t.Parallel()
	segments := Clock{Unit: "segment", RunsOn: true, First: 12, Last: 23}
	for _, c := range []struct {
		clock Clock
		want  string
	}{
		{segments, "segments 12 to 23"},
		{segments.Reached(18), "segments 12 to 17"},
		{segments.Reached(13), "segment 12"},
		{segments.Reached(12), ""},
		{Clock{Unit: "slot"}, ""},
		{Clock{Unit: "slot"}.Reached(3), ""},
	} {
		if got := c.clock.Window(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.clock, got, c.want)
		}
	}
	if got := segments.Says(14); got != "segment 14" {
		t.Error(got)
	}
}
