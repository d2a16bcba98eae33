package mail

import "strings"

// unflow undoes format=flowed (RFC 3676): soft line breaks are joined, space
// stuffing is removed, and quoted lines come out with one "> " a level. The
// signature line "-- " is never joined. delSp says that the blank before a soft
// break was added by the sender's program.
func unflow(text string, delSp bool) string {
	var out strings.Builder
	var para strings.Builder // the paragraph being joined
	depth := 0               // its quote depth
	open := false            // whether its last line ended soft
	flush := func() {
		if !open {
			return
		}
		out.WriteString(strings.Repeat("> ", depth))
		out.WriteString(para.String())
		out.WriteByte('\n')
		para.Reset()
		open = false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		content := strings.TrimLeft(line, ">")
		d := len(line) - len(content)
		content = strings.TrimPrefix(content, " ")
		if open && d != depth {
			flush()
		}
		if content == "-- " {
			flush()
		}
		depth = d
		soft := strings.HasSuffix(content, " ") && content != "-- "
		if soft && delSp {
			content = content[:len(content)-1]
		}
		para.WriteString(content)
		open = true
		if !soft {
			flush()
		}
	}
	flush()
	return out.String()
}
