package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// stored puts letters into the database of a config and carries them to their
// ends; it gives their numbers.
func stored(t *testing.T, config string, letters ...string) (ids []int64) {
	t.Helper()
	c, err := ReadConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	h := &House{Config: c, Log: slog.New(slog.DiscardHandler)}
	defer h.Close()
	if err := h.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, raw := range letters {
		whole := []byte(strings.ReplaceAll(raw, "\n", "\r\n"))
		l := mail.ReadHeader(whole, mail.ReadOptions{})
		id, _, err := h.Store.StoreLetter(t.Context(), store.NewLetter{Account: c.Mail.Account, Raw: whole, MessageID: l.MessageID, From: l.From, ReceivedAt: time.Now(), Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	due, err := h.Store.Due(t.Context(), time.Now(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range due {
		if w.Kind != store.DoIngest {
			continue
		}
		if err := h.Daemon.Handlers()[w.Kind](t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// TestLetters lists letters, says why each ended as it did, and has one read again
// only if it changed nothing.
func TestLetters(t *testing.T) {
	withConfigs(t, func(t *testing.T, config string) {
		created(t, config)
		run := func(args ...string) (int, string, string) {
			t.Helper()
			return pbemd(t, "", append([]string{"letters", "--config", config}, args...)...)
		}
		says := func(what, text string, words ...string) {
			t.Helper()
			flat := strings.Join(strings.Fields(text), " ")
			for _, w := range words {
				if !strings.Contains(flat, w) {
					t.Errorf("%s: no %q in\n%s", what, w, text)
				}
			}
		}
		if code, out, _ := run(); code != exitDone || !strings.Contains(out, "no letters") {
			t.Errorf("none: code %d, %s", code, out)
		}
		const submitted = "Authentication-Results: pbemd.localhost; auth=pass smtp.auth=anna@pbemd.localhost\nReceived: by pbemd.localhost with ESMTPA id 1; Mon, 30 Nov 2026 10:00:00 +0000\n"
		ids := stored(t, config,
			submitted+"From: Anna <anna@pbemd.localhost>\nTo: pbem@pbemd.localhost\nSubject: [Dusk-1] orders\nMessage-ID: <1@x.test>\n\none shot at Zog\n\n> old\n",
			"From: mallory@evil.test\nTo: pbem@pbemd.localhost\nSubject: hello\nMessage-ID: <2@x.test>\n\nwho is there?\n",
			"From: anna@pbemd.localhost\nAuto-Submitted: auto-replied\nSubject: away\n\nI am away\n",
			submitted+"From: Anna <anna@pbemd.localhost>\nTo: pbem@pbemd.localhost\nSubject: "+strings.Repeat("very ", 100)+"long\nMessage-ID: <3@x.test>\n\nthanks!\n",
			submitted+"From: Anna <anna@pbemd.localhost>\nTo: pbem@pbemd.localhost\nMessage-ID: <1@x.test>\n\none shot at Zog\n\n> old\n",
			"From: a@b.test\nFrom: c@d.test\n\nx\n")
		name := func(i int) string { return fmt.Sprint(ids[i]) }
		acted, stranger, away, answered, again, two := name(0), name(1), name(2), name(3), name(4), name(5)

		code, out, _ := run("list")
		if code != exitDone {
			t.Fatalf("list: code %d", code)
		}
		says("list", out, acted+" ", "anna@pbemd.localhost Dusk acted", stranger+" ", "mallory@evil.test ignored a stranger's letter", "more than one From field")
		says("list", out, "anna@pbemd.localhost Dusk duplicate of "+acted, "anna@pbemd.localhost Dusk answered [Dusk-1] Nothing changed")
		if _, out, _ := run("--end", "acted", "--game", "dusk", "--from", "Anna@PBEMD.localhost"); strings.Count(out, "\n") != 2 || !strings.Contains(out, acted) {
			t.Errorf("chosen: %s", out)
		}
		if _, out, _ := run("list", "--json", "--limit", "1"); !json.Valid([]byte(out)) || !strings.Contains(out, two) {
			t.Errorf("list --json: %s", out)
		}

		_, out, _ = run("why", acted)
		says("why", out, "ended acted:", "kind letter", "sender verified: submitted to us by anna@pbemd.localhost", "belongs to player Anna of game Dusk", "is the registered one", "has no token of ours", "orders count")
		_, out, _ = run("show", acted)
		says("show", out, "new | one shot at Zog", "1 quoted")
		_, out, _ = run("why", stranger)
		says("why of a stranger's", out, "ended ignored: a stranger's letter whose sender nobody vouches for", "belongs to nobody that is known")
		_, out, _ = run("why", away)
		says("why of a machine's", out, "kind automatic: it is marked Auto-Submitted: auto-replied")
		_, out, _ = run("why", answered)
		says("why of thanks", out, "Subject very very very", "very …", "ended answered: [Dusk-1] Nothing changed")
		_, out, _ = run("why", again)
		says("why of a copy", out, "Subject (none)", "ended duplicate of "+acted)
		_, out, _ = run("show", two)
		says("show of one in quarantine", out, "ended quarantined: the letter has more than one From field", "its text is not read, because that is not safe")
		_, out, _ = run("show", "--json", acted)
		var facts struct {
			Letter                          int64
			Disposition, From, Subject      string
			Kind, Auth, Role, Game, Address string
			New                             []string
			Quoted                          int
		}
		if err := json.Unmarshal([]byte(out), &facts); err != nil {
			t.Fatal(err)
		}
		if facts.Letter != ids[0] || facts.Disposition != store.Acted || facts.From != "anna@pbemd.localhost" || facts.Kind != "letter" || facts.Auth != "verified" ||
			facts.Game != "Dusk" || facts.Role != "player Anna" || facts.Address != "registered" || facts.Quoted != 1 || facts.New[0] != "one shot at Zog" {
			t.Errorf("show --json: %+v", facts)
		}

		if code, _, errs := run("requeue", acted); code != exitError || !strings.Contains(errs, "would do so twice") {
			t.Errorf("requeue of orders: code %d, %s", code, errs)
		}
		if code, _, errs := run("requeue", again); code != exitError || !strings.Contains(errs, "it is duplicate of "+acted) {
			t.Errorf("requeue of a copy: code %d, %s", code, errs)
		}
		code, out, _ = run("requeue", stranger)
		says("requeue", out, "letter "+stranger+" was ignored", "read again as soon as pbemd serve runs")
		if code != exitDone {
			t.Errorf("requeue: code %d", code)
		}
		if code, _, errs := run("requeue", stranger); code != exitError || !strings.Contains(errs, "waits to be read anyway") {
			t.Errorf("requeue twice: code %d, %s", code, errs)
		}
		if _, out, _ := run("why", stranger); !strings.Contains(out, "not read yet") {
			t.Errorf("after requeue: %s", out)
		}
		stored(t, config)
		if _, out, _ := run("why", stranger); !strings.Contains(out, "ended       ignored: a stranger's letter") {
			t.Errorf("read again: %s", out)
		}
		for _, args := range [][]string{{"show"}, {"why", "x"}, {"list", "7"}, {"nothing"}, {"--limit", "0"}} {
			if code, _, errs := run(args...); code != exitUsage || !strings.Contains(errs, "usage") {
				t.Errorf("%q: code %d, %s", args, code, errs)
			}
		}
		if code, _, errs := run("--end", "lost"); code != exitUsage || !strings.Contains(errs, "acted, answered, held") {
			t.Errorf("--end lost: code %d, %s", code, errs)
		}
		for _, args := range [][]string{{"show", "1"}, {"why", "1"}, {"requeue", "1"}, {"--game", "Dawn"}, {"--from", "nobody"}} {
			if code, _, errs := run(args...); code != exitError || errs == "" {
				t.Errorf("%q: code %d, %s", args, code, errs)
			}
		}
	})
}
