package parse

import (
	"regexp"
	"strings"
)

// headers marks a block of n header lines at i and what comes below it. With
// new text above, all below is a copy; as the first thing in the letter, only
// what we can show to be a copy is. It reports whether nothing below is left to
// be looked at.
func (d *divider) headers(i, n int) bool {
	above := d.newAbove(i)
	first := i
	for first > 0 && (rule(d.plain[first-1]) || separator(d.plain[first-1]) || blank(d.plain[first-1]) && first > 1 && (rule(d.plain[first-2]) || separator(d.plain[first-2]))) {
		first--
	}
	ours := false
	for j := first; j < i+n; j++ {
		d.zone[j] = zoneQuoted
		ours = ours || d.namesUs(d.plain[j])
	}
	if !above {
		return false
	}
	if !ours {
		d.below(i, i+n) // somebody's letter to him, or a program that prints no addresses
		return false
	}
	var o *original
	p := 0
	for j := i + n; j < len(d.plain); j++ {
		if d.zone[j] == zoneQuoted {
			continue
		}
		d.zone[j] = zoneQuoted
		if o == nil {
			o = d.original(d.words[j])
		}
		if o == nil || blank(d.plain[j]) {
			continue
		}
		next, ok := o.find(d.words[j], p)
		if !ok {
			d.zone[j] = zoneTail // typed below the copy: reported, never acts
			continue
		}
		p = next
	}
	return true
}

// headerBlock is the number of lines of a block of two or more "Word: value"
// lines of which one names us, or that can only be the header of a letter, or 0.
func (d *divider) headerBlock(i int) int {
	us, n := false, 0
	roles := map[string]bool{}
	for j := i; j < len(d.plain) && n < 14 && d.zone[j] == zoneNew; j++ {
		name, value, header := headerLine(d.plain[j])
		if header && tables().header[name] == "raw" {
			return 0 // what a broken letter left of its own header
		}
		if !header {
			// A long value runs on over the next line.
			runsOn := n > 0 && !blank(d.plain[j]) && d.namesUs(d.plain[j]) && strings.HasPrefix(d.plain[j], " ")
			// HTML with a paragraph for each field leaves blank lines between them.
			spaced := n > 0 && blank(d.plain[j]) && j+1 < len(d.plain) && d.role(j-1) != "" && d.role(j+1) != ""
			if !runsOn && !spaced && (n < 2 || j+1 >= len(d.plain) || blank(d.plain[j]) || d.role(j+1) == "" || d.role(j-1) == "") {
				break
			}
		}
		if role := tables().header[name]; role != "" && (role != "sent" || dated(value) || clock.MatchString(value)) {
			roles[role] = true
		}
		us = us || d.namesUs(d.plain[j])
		n++
	}
	switch {
	case n < 2:
		return 0
	case us:
		return n
	case roles["from"] && roles["sent"] && len(roles) >= 3 && (i == 0 || !forwardLine(d.plain[i-1])):
		return n
	}
	next := d.nextText(i + n)
	if roles["from"] && len(roles) >= 2 && next < len(d.plain) && strings.HasPrefix(d.plain[next], Marker) {
		return n
	}
	return 0
}

var clock = regexp.MustCompile(`\b\d{1,2}[:.]\d\d\b`)

// role is what field of a header a line holds, "" for none.
func (d *divider) role(i int) string {
	name, _, _ := headerLine(d.plain[i])
	return tables().header[name]
}

// headerLine takes a line "Word: value" apart, the word in lower case.
func headerLine(line string) (name, value string, ok bool) {
	line = strings.Trim(line, " *")
	name, value, ok = strings.Cut(line, ":")
	if wide, rest, found := strings.Cut(line, "："); found && (!ok || len(wide) < len(name)) {
		name, value, ok = wide, rest, true
	}
	name = strings.ToLower(strings.Trim(name, " *"))
	words := len(strings.Fields(name))
	return name, value, ok && words >= 1 && words <= 2 && len(name) <= 24
}

// copyLine reports a line that mail programs set above a copy.
func copyLine(line string) bool { return tables().copied[bareLine(line)] }

// forwardLine reports one above a letter that is sent on: what stands below was
// chosen by the sender, so it is new text unless it is ours.
func forwardLine(line string) bool { return tables().passed[bareLine(line)] }

func bareLine(line string) string { return strings.ToLower(strings.Trim(line, "-*_=<>: ")) }

// rule reports a line of one repeated mark, such as Outlook's underscores.
func rule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 5 && strings.Trim(line, line[:1]) == "" && strings.ContainsAny(line[:1], "_-=*")
}

// separator reports a line such as "-----Original Message-----".
func separator(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "---") && strings.HasSuffix(line, "---") || copyLine(line) || forwardLine(line)
}
