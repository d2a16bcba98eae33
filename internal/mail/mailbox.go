package mail

import (
	"context"
	"errors"
	"time"
)

// Mailbox is one folder of one account, as the daemon works it: look for new
// UIDs, fetch each, store it, move it away. It is not safe for concurrent use.
// After an error that is neither ErrGone nor ErrWithheld the connection may be lost: Close it and
// dial again.
type Mailbox interface {
	// Select opens a folder; all other methods work in the one selected last.
	// It may be repeated to learn the folder's state anew.
	Select(ctx context.Context, folder string) (FolderState, error)
	// ListUIDs returns the UIDs that are at least from, rising.
	ListUIDs(ctx context.Context, from uint32) ([]uint32, error)
	// FetchMeta returns what is known of the messages without their text, in
	// rising order of UID. UIDs that are gone are left out.
	FetchMeta(ctx context.Context, uids []uint32) ([]Meta, error)
	// FetchRaw returns the bytes of a message, at most limit of them, without
	// marking it as read; cut reports whether there are more. The error is
	// ErrGone if there is no such message any more, and ErrWithheld if the server
	// answers and does not give this one.
	FetchRaw(ctx context.Context, uid uint32, limit int64) (raw []byte, cut bool, err error)
	// Move moves a message to another folder of the account. Where the server
	// cannot move safely the message stays and is marked (see MovedKeyword).
	// The error is ErrGone if there is no such message any more.
	Move(ctx context.Context, uid uint32, folder string) error
	// Flag adds a keyword to a message.
	Flag(ctx context.Context, uid uint32, keyword string) error
	// EnsureFolders creates those of the folders that do not exist.
	EnsureFolders(ctx context.Context, folders ...string) error
	// Idle waits until the server has news, the context ends (no error), or
	// some minutes have passed. It is a hint: search whatever it returns.
	Idle(ctx context.Context) error
	// Noop asks whether the server is still there.
	Noop(ctx context.Context) error
	// Close ends the connection at once.
	Close() error
}

// BatchMover is a Mailbox that moves many messages at the price of one.
type BatchMover interface {
	// MoveAll is Move for several messages; those that are gone are left out.
	MoveAll(ctx context.Context, uids []uint32, folder string) error
}

// FolderState is what a server says of a folder.
type FolderState struct {
	UIDValidity uint32
	UIDNext     uint32 // 0 if the server does not say
	Messages    uint32
}

// Meta is what a server knows of a message.
type Meta struct {
	UID          uint32
	Flags        []string
	InternalDate time.Time // when the server took the message
	Size         int64     // bytes
}

// ErrGone means that a message is no longer in the folder.
var ErrGone = errors.New("the message is no longer there")

// ErrWithheld means that the server, still there, answers that it cannot or will
// not give one message.
var ErrWithheld = errors.New("the server does not give the message")

// MovedKeyword marks a message that is done with on a server that cannot move.
const MovedKeyword = "PbemProcessed"
