package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/scenario"
	"github.com/pbemd/pbemd/internal/store"
)

// Reasons why an address is not forgotten.
var (
	ErrOurs    = errors.New("the address is pbemd's own or its operator's")
	ErrRunning = errors.New("the person has a part in a running game")
)

// TracesOf says what the database knows of an address, as a person writes it.
func (d *Daemon) TracesOf(ctx context.Context, address string) (addr string, tr store.Traces, err error) {
	addr, err = mail.NormalizeAddress(address)
	if err != nil {
		return "", tr, fmt.Errorf("%q is not an address: %w", address, err)
	}
	operator, err := mail.NormalizeAddress(d.Operator)
	if d.ours(addr) || err == nil && addr == operator {
		return addr, tr, ErrOurs
	}
	tr, err = d.Store.TracesOf(ctx, addr)
	return addr, tr, err
}

// Forget blanks what the database holds of an address (see store.Forget), and
// takes it out of the stored game files. ErrRunning: a part of its person is in
// a game that has not ended, and running is false.
func (d *Daemon) Forget(ctx context.Context, address string, running bool) (done store.Forgotten, err error) {
	for range maxRetries {
		done, err = d.forgetOnce(ctx, address, running)
		if !errors.Is(err, store.ErrChanged) && !errors.Is(err, store.ErrOtherFile) {
			break
		}
	}
	return done, err
}

func (d *Daemon) forgetOnce(ctx context.Context, address string, running bool) (store.Forgotten, error) {
	addr, tr, err := d.TracesOf(ctx, address)
	if err != nil {
		return store.Forgotten{}, err
	}
	if len(tr.Running()) > 0 && !running {
		return store.Forgotten{}, ErrRunning
	}
	in := store.Forgetting{Address: addr, StandIn: tr.StandIn}
	for _, g := range tr.Games {
		text, named, err := withoutPerson(g, addr, tr.StandIn)
		if err != nil {
			return store.Forgotten{}, err
		}
		if !named {
			d.Log.Warn("the game file still tells the name; pbemd game edit can change it", "game", g.Name)
		}
		sum := sha256.Sum256([]byte(text))
		in.Files = append(in.Files, store.NewFile{Game: g.ID, WasSHA: g.FileSHA, File: text, SHA: hex.EncodeToString(sum[:])})
	}
	done, err := d.Store.Forget(ctx, in)
	if err == nil {
		d.Log.Info("an address was forgotten", "now", tr.StandIn)
	}
	return done, err
}

// withoutPerson puts a stand-in for a person into a game's file: for his
// address wherever it stands, and for his name in his table, if it stands there
// in a line of its own. A file that cannot be read (of an older program, say)
// only loses the address.
func withoutPerson(g store.Game, addr, standIn string) (text string, named bool, err error) {
	text = store.WithoutAddress(g.File, addr, standIn)
	f, faults := scenario.ReadGame(g.Name+".toml", []byte(g.File))
	if len(faults) > 0 {
		return text, false, nil
	}
	isHis := func(p scenario.Person) bool {
		norm, err := mail.NormalizeAddress(p.Address)
		return err == nil && norm == addr
	}
	people := append(slices.Clone(f.Players), f.GM)
	for _, p := range people {
		if isHis(p) {
			text = store.WithoutAddress(text, p.Address, standIn) // as it is written: an international domain
		}
	}
	if !slices.ContainsFunc(people, isHis) {
		return text, true, nil
	}
	name, _, _ := strings.Cut(standIn, "@")
	if renamed := withoutName(text, standIn, name); standsIn(renamed, g.Name, f, isHis, standIn, name) {
		return renamed, true, nil
	}
	if standsIn(text, g.Name, f, isHis, standIn, "") {
		return text, false, nil
	}
	return "", false, fmt.Errorf("the file of game %s does not write the person's address as it is: write it plainly with pbemd game edit, then forget again", g.Name)
}

// standsIn checks a file from which a person was taken out: he, and nobody else,
// has another address, and another name unless that is empty.
func standsIn(text, game string, was *scenario.Game, isHis func(scenario.Person) bool, standIn, name string) bool {
	is, faults := scenario.ReadGame(game+".toml", []byte(text))
	if len(faults) > 0 || len(is.Players) != len(was.Players) || is.Name != was.Name || is.Clock != was.Clock {
		return false
	}
	right := func(a, b scenario.Person) bool {
		if isHis(a) {
			a.Address, a.Name = standIn, cmp.Or(name, a.Name)
		}
		return a == b
	}
	for i := range is.Players {
		if !right(was.Players[i], is.Players[i]) {
			return false
		}
	}
	return right(was.GM, is.GM)
}

var nameLine = regexp.MustCompile(`^(\s*name\s*=\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*')(.*)$`)

// withoutName puts another name into the tables of people that hold an address.
func withoutName(text, address, name string) string {
	lines, tables, nth := tableLines(text)
	for i, line := range lines {
		if (tables[i] == "gm" || tables[i] == "player") && nameLine.MatchString(line) && holds(lines, tables, nth, i, address) {
			lines[i] = nameLine.ReplaceAllString(line, `${1}"`+name+`"${2}`)
		}
	}
	return strings.Join(lines, "\n")
}

// holds reports that the table of line i has an address line with this address.
func holds(lines, tables []string, nth []int, i int, address string) bool {
	for j, line := range lines {
		key, value, ok := strings.Cut(line, "=")
		if ok && tables[j] == tables[i] && nth[j] == nth[i] && strings.TrimSpace(key) == "address" && strings.Contains(value, address) {
			return true
		}
	}
	return false
}
