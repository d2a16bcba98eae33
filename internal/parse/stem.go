package parse

import "strings"

// stem cuts the ending off a word, so that forms of it compare equal: scar,
// scarred, scars; plume, plumed. It is no dictionary: two words of different
// meaning may share a stem, so it only tells apart what stands on a map.
func stem(w string) string {
	if len(w) <= 3 {
		return w
	}
	for _, ends := range [][]string{{"ies", "es", "s"}, {"ing", "ed", "er"}} {
		for _, end := range ends {
			cut, ok := strings.CutSuffix(w, end)
			if !ok || len(cut) < 3 || end == "s" && strings.HasSuffix(cut, "s") || end == "es" && !sibilant(cut) {
				continue
			}
			if end == "ies" {
				cut += "y"
			}
			w = cut
			break
		}
	}
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 's' {
		w = w[:n-1]
	}
	return w
}

// sibilant reports a word whose plural is made with -es.
func sibilant(w string) bool {
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
