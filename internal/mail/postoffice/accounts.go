package postoffice

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// AccountsFile gives an Accounts function that reads the file at each call,
// unless neither its time nor its size has changed; the map is not to be written
// to. Its lines are "address password"; blank lines and lines that begin with #
// are comments. Of two lines for one address the first counts. An absent file
// has no accounts.
func AccountsFile(path string) func() (map[string]string, error) {
	var mu sync.Mutex
	var last fs.FileInfo
	var accounts map[string]string
	return func() (map[string]string, error) {
		mu.Lock()
		defer mu.Unlock()
		now, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			last = nil
			return map[string]string{}, nil
		}
		if err != nil {
			return nil, err
		}
		if last != nil && os.SameFile(last, now) && last.Size() == now.Size() && last.ModTime().Equal(now.ModTime()) {
			return accounts, nil
		}
		read, err := readAccounts(path)
		if err != nil {
			return nil, err
		}
		// What was written while it was read is read again: now is from before.
		last, accounts = now, read
		return accounts, nil
	}
}

func readAccounts(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	accounts := make(map[string]string)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s line %d: want %q", path, number, "address password")
		}
		address := strings.ToLower(fields[0])
		if _, taken := accounts[address]; !taken {
			accounts[address] = fields[1]
		}
	}
	return accounts, nil
}

// AddAccount is AddAccounts for one address.
func AddAccount(path, address string) (password string, err error) {
	accounts, err := AddAccounts(path, address)
	return accounts[strings.ToLower(address)], err
}

// AddAccounts gives the passwords of addresses in an accounts file, after
// appending a new random one (16 letters and digits, 80 bits) for each that had
// none. The file is made if absent, readable by its owner only. Any number of
// processes may add at the same time. An address that cannot be an account is
// told in the error; the others are added.
func AddAccounts(path string, addresses ...string) (accounts map[string]string, err error) {
	read := AccountsFile(path)
	if accounts, err = read(); err != nil {
		return nil, fmt.Errorf("adding accounts: %w", err)
	}
	var lines strings.Builder
	var faults []error
	for _, address := range addresses {
		address = strings.ToLower(address)
		if local, domain, _ := strings.Cut(address, "@"); !validName(local) || domain == "" || !validPath(domain) {
			faults = append(faults, fmt.Errorf("adding account %s: not an address with a plain local part (letters, digits, dot, hyphen, underscore)", address))
		} else if _, there := accounts[address]; !there {
			fmt.Fprintf(&lines, "%s %s\n", address, strings.ToLower(rand.Text()[:16]))
		}
	}
	if lines.Len() > 0 {
		// One append is atomic, and the first line for an address counts, so adders
		// need no lock if they read what won.
		if err := appendLines(path, lines.String()); err != nil {
			return nil, fmt.Errorf("adding accounts: %w", err)
		}
		if accounts, err = read(); err != nil {
			return nil, fmt.Errorf("adding accounts: %w", err)
		}
	}
	return accounts, errors.Join(faults...)
}

func appendLines(path, lines string) error {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		lines = "\n" + lines
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(lines)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// mailboxName reads a user name: an address at our domain or a local part.
func (s *Server) mailboxName(user string) (name string, ok bool) {
	local, domain, found := strings.Cut(user, "@")
	if found && !strings.EqualFold(domain, s.opts.Domain) {
		return "", false
	}
	name = strings.ToLower(local)
	return name, validName(name)
}

func (s *Server) account(name string) (password string, ok bool, err error) {
	accounts, err := s.opts.Accounts()
	if err != nil {
		return "", false, fmt.Errorf("reading accounts: %w", err)
	}
	password, ok = accounts[name+"@"+strings.ToLower(s.opts.Domain)]
	return password, ok, nil
}

// login gives the mailbox name if the password is right; ok is false if it is
// not or there is no such user.
func (s *Server) login(user, password string) (name string, ok bool, err error) {
	name, valid := s.mailboxName(user)
	want, known, err := s.account(name)
	if err != nil {
		return "", false, err
	}
	// Hashes have one length, so the time taken tells nothing about the password.
	a, b := sha256.Sum256([]byte(password)), sha256.Sum256([]byte(want))
	same := subtle.ConstantTimeCompare(a[:], b[:]) == 1
	return name, valid && known && want != "" && same, nil
}

// validName reports whether a local part can be a mailbox and so a folder.
func validName(name string) bool {
	if name == "" || len(name) > 64 || name[0] == '.' {
		return false
	}
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
