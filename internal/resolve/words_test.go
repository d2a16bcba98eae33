package resolve

import "testing"

// TestTitleOfAnyLetter: names of other languages begin a sentence too.
func TestTitleOfAnyLetter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"the gate": "The gate", "ältester": "Ältester", "": ""} {
		if got := Title(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
