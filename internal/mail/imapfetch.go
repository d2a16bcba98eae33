package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

func (m *imapMailbox) FetchMeta(ctx context.Context, uids []uint32) (metas []Meta, err error) {
	if len(uids) == 0 {
		return nil, nil
	}
	err = m.do(ctx, "fetching message data", m.brief(int64(len(uids))*metaBytes), func() error {
		found, err := m.fetchMeta(uids)
		if err != nil {
			return err
		}
		var again []uint32
		for _, f := range found {
			if f.InternalDate.IsZero() {
				again = append(again, uint32(f.UID))
			}
		}
		if len(again) > 0 { // see fetchOnce
			more, err := m.fetchMeta(again)
			if err != nil {
				return err
			}
			found = append(found, more...)
		}
		metas = mergeMeta(found)
		return nil
	})
	return metas, err
}

func (m *imapMailbox) fetchMeta(uids []uint32) ([]*imapclient.FetchMessageBuffer, error) {
	return m.client.Fetch(uidSet(uids...), &imap.FetchOptions{
		UID: true, Flags: true, InternalDate: true, RFC822Size: true,
	}).Collect()
}

// mergeMeta joins what a server may have said of one message in several lines.
func mergeMeta(found []*imapclient.FetchMessageBuffer) []Meta {
	byUID := map[uint32]Meta{}
	for _, f := range found {
		m := byUID[uint32(f.UID)]
		m.UID = uint32(f.UID)
		m.Size = cmp.Or(m.Size, f.RFC822Size)
		if m.InternalDate.IsZero() {
			m.InternalDate = f.InternalDate
		}
		if f.Flags != nil {
			m.Flags = nil
			for _, flag := range f.Flags {
				m.Flags = append(m.Flags, string(flag))
			}
		}
		byUID[m.UID] = m
	}
	metas := make([]Meta, 0, len(byUID))
	for _, m := range byUID {
		metas = append(metas, m)
	}
	slices.SortFunc(metas, func(a, b Meta) int { return cmp.Compare(a.UID, b.UID) })
	return metas
}

func (m *imapMailbox) FetchRaw(ctx context.Context, uid uint32, limit int64) (raw []byte, cut bool, err error) {
	// What comes is the text, and at most an eighth of it by the way it is wrapped.
	all := allowance{m.config.BodyTimeout, m.briefBytes + limit + limit/8}
	err = m.do(ctx, fmt.Sprintf("fetching message %d", uid), all, func() error {
		found := false
		raw, found, err = m.fetchOnce(uid, limit)
		if err == nil && found && len(raw) == 0 {
			raw, found, err = m.fetchOnce(uid, limit)
		}
		switch {
		case answerCode(err) == expungeIssued:
			return ErrGone
		case err != nil && aboutMessage(err):
			return fmt.Errorf("%w: %w", ErrWithheld, err)
		case err != nil:
			return err
		case !found:
			return ErrGone
		case len(raw) == 0: // some servers give nothing of what they cannot read
			return fmt.Errorf("%w: no text", ErrWithheld)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if int64(len(raw)) > limit {
		return raw[:limit], true, nil
	}
	return raw, false, nil
}

// fetchOnce asks for a text. The library takes the first line that speaks of a
// message for the answer, and that may be the news of a changed flag: a message
// that is found without a text is to be asked for once more.
func (m *imapMailbox) fetchOnce(uid uint32, limit int64) (raw []byte, found bool, err error) {
	cmd := m.client.Fetch(uidSet(uid), &imap.FetchOptions{
		UID: true,
		BodySection: []*imap.FetchItemBodySection{{
			Peek:    true,
			Partial: &imap.SectionPartial{Size: limit + 1},
		}},
	})
	for msg := cmd.Next(); msg != nil; msg = cmd.Next() {
		found = true
		for item := msg.Next(); item != nil; item = msg.Next() {
			body, ok := item.(imapclient.FetchItemDataBodySection)
			if !ok || body.Literal == nil {
				continue
			}
			if raw, err = m.readLiteral(body.Literal, limit); err != nil {
				// Touching the command again would race inside the library.
				return nil, true, err
			}
		}
	}
	return raw, found, cmd.Close()
}

// aboutMessage tells an answer that refuses one message from one that a part of
// the server is down for a while (RFC 5530 section 3).
func aboutMessage(err error) bool {
	_, ok := errors.AsType[*imap.Error](err)
	code := answerCode(err)
	return ok && code != imap.ResponseCodeUnavailable && code != imap.ResponseCodeInUse
}

// expungeIssued is the answer of a server that knows that another client took a
// message away (RFC 5530 section 3).
const expungeIssued imap.ResponseCode = "EXPUNGEISSUED"

// answerCode is the code of a server's refusal, if err is one that has a code.
func answerCode(err error) imap.ResponseCode {
	if answer, ok := errors.AsType[*imap.Error](err); ok {
		return answer.Code
	}
	return ""
}

// readLiteral reads a literal of at most limit+1 bytes to its end. The library
// reports a connection lost inside a literal as its end, so the length is what
// tells.
func (m *imapMailbox) readLiteral(literal imap.LiteralReader, limit int64) ([]byte, error) {
	if literal.Size() > limit+1 {
		m.conn.expire()
		io.Copy(io.Discard, literal)
		return nil, fmt.Errorf("the server sends %d bytes where at most %d were asked for", literal.Size(), limit+1)
	}
	buf := bytes.NewBuffer(make([]byte, 0, literal.Size()+bytes.MinRead))
	if _, err := io.Copy(buf, literal); err != nil {
		return nil, err
	}
	if int64(buf.Len()) != literal.Size() {
		return nil, fmt.Errorf("the connection was lost after %d of %d bytes", buf.Len(), literal.Size())
	}
	return buf.Bytes(), nil
}
