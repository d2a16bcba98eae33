package resolve

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Words that could not come to bear are faults of the data.
func TestFaultyWordsOfASystem(t *testing.T) {
	t.Parallel()
	const verb = "[[verb]]\nname = \"move\"\nclass = \"move\"\nfields = [\"mode\"]\n"
	for text, want := range map[string]string{
		verb: "",
		verb + "[[verb.form]]\nwords = [\"at half speed\"]\nset = { mode = \"walk\" }\n":  "",
		verb + "[[verb.form]]\nwords = [\"at half speed\"]\nset = { moode = \"walk\" }\n": "none of its fields",
		verb + "[[verb.form]]\nwords = []\nset = { mode = \"walk\" }\n":                   "needs words",
		"[[verb]]\nname = \"move\"\n": "needs a name and a class",
	} {
		_, err := NewPlanned("test", fstest.MapFS{"verbs.toml": {Data: []byte(text)}, "weapons.toml": {Data: []byte("sword = [\"melee\"]\n")}})
		if got := err == nil; got != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
