package mail

// ReadHeader reads no more than sender, Message-ID, references, recipients,
// Subject and the time of receipt: what is wanted of a letter before it is stored. It runs
// no parser of bodies and looks nothing up; Kind is KindQuarantine where the
// header is not fit to be read.
func ReadHeader(raw []byte, o ReadOptions) Letter {
	l := Letter{Kind: KindLetter, ReceivedAt: o.InternalDate, Auth: Auth{AuthNone, "only the header was read"}}
	head, _ := splitHeader(raw)
	if why := prescanHeader(head); why != "" {
		l.Kind, l.Why = KindQuarantine, why
		return l
	}
	fields, _ := parseHeader(head)
	l.readHeader(fields, o)
	l.From, l.FromName, _ = oneFrom(fields) // no sender: empty
	return l
}
