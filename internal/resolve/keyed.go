package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// maxText is the length of the longest text that a key of a file may hold.
const maxText = 2000

// Keyed is one key of a file at its place, to be read as what it must be. What
// is wrong is added to Faults, and the value is left as it was.
type Keyed struct {
	File   string
	At     string // the path above the key
	Value  game.Value
	Faults *[]game.Fault
}

// Fault notes what is wrong with the value.
func (k Keyed) Fault(text string, args ...any) {
	*k.Faults = append(*k.Faults, game.Fault{File: k.File, Line: k.Value.Line, Key: k.At + "." + k.Value.Key, Text: fmt.Sprintf(text, args...)})
}

// Number reads a whole number from low to high.
func (k Keyed) Number(into *int, low, high int) {
	n, err := strconv.Atoi(strings.TrimSpace(string(k.Value.Raw)))
	if err != nil || n < low || n > high {
		k.Fault("must be a whole number from %d to %d", low, high)
		return
	}
	*into = n
}

// Word reads one of the words allowed.
func (k Keyed) Word(into *string, allowed ...string) {
	var s string
	if json.Unmarshal(k.Value.Raw, &s) != nil || !slices.Contains(allowed, s) {
		k.Fault("must be one of %s", strings.Join(allowed, ", "))
		return
	}
	*into = s
}

// Text reads a text.
func (k Keyed) Text(into *string) {
	if json.Unmarshal(k.Value.Raw, into) != nil || len(*into) > maxText {
		k.Fault("must be a text of at most %d characters", maxText)
	}
}

// Truth reads true or false.
func (k Keyed) Truth(into *bool) {
	if json.Unmarshal(k.Value.Raw, into) != nil {
		k.Fault("must be true or false")
	}
}
