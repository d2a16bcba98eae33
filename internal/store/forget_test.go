package store

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const hers = "anna@example.org"

// from stores a letter with a sender; it ends as an ingest would end it, unless
// disposition is empty.
func (b *bench) from(addr, raw, disposition string, role int64) int64 {
	b.t.Helper()
	b.n++
	id, _, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte(raw), MessageID: fmt.Sprintf("<%d@mail.example>", b.n), From: addr, ReceivedAt: noon, Now: noon})
	b.must(err)
	if disposition != "" {
		b.must(b.EndLetter(b.ctx, Ending{Letter: id, Disposition: disposition, Why: "from " + addr, Role: role, From: addr, TextSHA: "sha", Now: noon}))
	}
	return id
}

func (b *bench) forget(addr string) Forgotten {
	b.t.Helper()
	tr, err := b.TracesOf(b.ctx, addr)
	b.must(err)
	f := Forgetting{Address: addr, StandIn: tr.StandIn}
	for _, g := range tr.Games {
		f.Files = append(f.Files, NewFile{Game: g.ID, WasSHA: g.FileSHA, File: WithoutAddress(g.File, addr, tr.StandIn), SHA: g.FileSHA + "'"})
	}
	done, err := b.Forget(b.ctx, f)
	b.must(err)
	return done
}

// everywhere gives the columns of all tables whose rows hold a text, read by
// the test itself.
func everywhere(t *testing.T, s *Store, text string) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if s.path == "" {
		query = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	var tables, found []string
	read := func(query string, each func(*sql.Rows) error) {
		rows, err := s.db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	read(query, func(r *sql.Rows) error {
		tables = append(tables, "")
		return r.Scan(&tables[len(tables)-1])
	})
	if len(tables) < 20 {
		t.Fatalf("only the tables %v", tables)
	}
	for _, table := range tables {
		read(`SELECT * FROM "`+table+`"`, func(r *sql.Rows) error {
			columns, err := r.Columns()
			if err != nil {
				return err
			}
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := r.Scan(values...); err != nil {
				return err
			}
			for i, v := range values {
				value := *v.(*any)
				if b, ok := value.([]byte); ok {
					value = string(b)
				}
				if strings.Contains(strings.ToLower(fmt.Sprint(value)), text) {
					found = append(found, table+"."+columns[i])
				}
			}
			return nil
		})
	}
	return found
}

func TestForgottenAddressStandsNowhere(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn})
		gert, anna, bert := b.roles[0], b.roles[1], b.roles[2]
		b.must(b.EditGame(b.ctx, GameEdit{Game: b.game.ID, WasSHA: "y", File: "# Anna@Example.org\njoanna@example.org", SHA: "s"}))
		// Her orders, in force and told of; a letter held, one late to be read.
		order := b.from(hers, "From: ANNA@Example.org\n\nquincunx", "", 0)
		rev := Revision{Combatant: "mira", Role: anna.ID, Letter: order, MessageID: "<a@mail.example>", TextSHA: "sha", ReceivedAt: noon, Text: "quincunx", Plan: []byte(`{"steps":[]}`)}
		b.must(b.StoreOrders(b.ctx, Ending{Letter: order, Disposition: Acted, Role: anna.ID, From: hers, TextSHA: "sha", Now: noon}, b.key(), []Revision{rev}))
		held := b.from(hers, "held quincunx", "", 0)
		_, err := b.HoldLetter(b.ctx, Ending{Letter: held, From: hers, Why: "w", Now: noon}, Hold{Game: b.game.ID, Turn: b.snap().Turn.ID, Role: gert.ID, Kind: Suspect, Why: "it came from " + hers, From: hers, Subject: "quincunx"}, nil)
		b.must(err)
		waiting := b.from(hers, "waiting quincunx", "", 0)
		// Others who speak of her, and of somebody whose address ends alike.
		b.from("bert@example.org", "Cc: Anna@example.org\n\nwords of Bert", Acted, bert.ID)
		joanna := b.from("joanna@example.org", "To: joanna@example.org", Acted, bert.ID)
		// Mails: to her sent, unsent and in somebody's hands; to others about her.
		for i, m := range []NewMail{b.mailTo(1, "sent", ""), b.mailTo(1, "unsent", ""), b.mailTo(1, "claimed", ""), b.mailTo(0, "about", "")} {
			m.Subject, m.Text, m.Bytes = "about "+hers, "quincunx for Anna@Example.Org.", []byte("To: =3Canna@example.org>")
			if i == 3 {
				m.Text = "it came from anna@example.org, and joanna@example.org"
			}
			b.must(b.QueueMails(b.ctx, []NewMail{m}))
		}
		var claims []Mail
		for _, id := range b.dueMails() {
			m, err := b.ClaimMail(b.ctx, id, noon)
			b.must(err)
			switch m.Kind {
			case "sent", "about":
				b.must(b.MailSent(b.ctx, m.ID, m.Claim, noon))
			case "claimed":
				claims = append(claims, m)
			default:
				b.must(b.MailRetry(b.ctx, m.ID, m.Claim, noon.Add(time.Hour), "450 <"+hers+">: not now"))
			}
		}
		tr, err := b.TracesOf(b.ctx, hers)
		b.must(err)
		if tr.Letters != 3 || tr.Held != 1 || tr.Texts != 1 || tr.Mails != 3 || tr.Unsent != 2 || len(tr.Roles) != 1 || len(tr.Games) != 1 || tr.StandIn != "forgotten-1@invalid" {
			t.Errorf("traces %+v", tr)
		}
		old := b.key()

		done := b.forget(hers)
		if diff := cmp.Diff(Forgotten{Letters: 3, Texts: 1, Mails: 3, Others: 2}, done); diff != "" {
			t.Error(diff)
		}
		if got := everywhere(t, b.Store, "quincunx"); got != nil {
			t.Errorf("her words stand in %v", got)
		}
		if got, err := b.Find(b.ctx, hers); err != nil || got != nil {
			t.Errorf("her address is found in %v, %v", got, err)
		}
		if got := everywhere(t, b.Store, "joanna@example.org"); len(got) != 5 {
			t.Errorf("the other address stands in %v", got)
		}
		for _, column := range everywhere(t, b.Store, hers) {
			if rows := everywhere(t, b.Store, "joanna@example.org"); !strings.Contains(strings.Join(rows, " "), column) {
				t.Errorf("her address stands in %s", column)
			}
		}

		sn := b.snap()
		got, want := sn.Roles[1], anna
		want.Address, want.Name, want.Epoch, want.Reachable = "forgotten-1@invalid", "forgotten-1", 1, false
		if got != want {
			t.Errorf("role %+v, want %+v", got, want)
		}
		if sn.Game.File != "# forgotten-1@invalid\njoanna@example.org" || sn.Game.FileSHA != "s'" {
			t.Errorf("file %q", sn.Game.File)
		}
		inForce := sn.InForce()["mira"]
		if inForce.Text != "" || string(inForce.Plan) != `{"steps":[]}` || inForce.MessageID != "<a@mail.example>" || inForce.TextSHA != "sha" {
			t.Errorf("orders in force %+v", inForce)
		}
		if len(sn.Holds) != 0 {
			t.Errorf("held: %+v", sn.Holds)
		}
		for id, disposition := range map[int64]string{order: Acted, held: Ignored, waiting: Ignored, joanna: Acted} {
			l, err := b.LetterByID(b.ctx, id)
			b.must(err)
			if l.Disposition != disposition || (len(l.Raw) == 0) != (id != joanna) || l.SHA == "" {
				t.Errorf("letter %+v", l)
			}
		}
		// Whoever was at work on something of hers stores nothing.
		wantErr(t, "an ingest begun before", b.EndLetter(b.ctx, Ending{Letter: waiting, Disposition: Acted, From: hers}), ErrDone)
		wantErr(t, "orders read before", b.StoreOrders(b.ctx, Ending{Now: noon}, old, nil), ErrChanged)
		wantErr(t, "a mail that was in hands", b.MailSent(b.ctx, claims[0].ID, claims[0].Claim, noon), ErrDone)
		b.clock.set(noon.Add(2 * time.Hour))
		if ids := b.dueMails(); len(ids) != 0 {
			t.Errorf("mails due: %v", ids)
		}
		// The same bytes again are the same letter; others are a stranger's.
		if _, fresh, err := b.StoreLetter(b.ctx, NewLetter{Account: account, Raw: []byte("held quincunx"), From: hers, ReceivedAt: noon, Now: noon}); fresh || err != nil {
			t.Errorf("found again: fresh %v, %v", fresh, err)
		}
		if rs, err := b.RolesOf(b.ctx, hers); err != nil || len(rs) != 0 {
			t.Errorf("her parts: %v, %v", rs, err)
		}
		if tr, err := b.TracesOf(b.ctx, hers); err != nil || !tr.None() || tr.StandIn != "forgotten-2@invalid" {
			t.Errorf("traces %+v, %v", tr, err)
		}
	})
}

func TestWhatWaitsKeepsTheAddressUntilItIsDone(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		gert, bert := b.roles[0], b.roles[2]
		letter := b.from("bert@example.org", "Cc: anna@example.org", "", 0)
		m := b.mailTo(0, "about", "")
		m.Text = "to anna@example.org"
		b.must(b.QueueMails(b.ctx, []NewMail{m}))
		id := b.letter(noon)
		rev := orders(id, noon, "bobo", "run")
		rev[0].MessageID = "<anna@example.org>"
		b.must(b.StoreOrders(b.ctx, acted(id), b.key(), rev))
		b.forget(hers)
		found := func() (out []string) {
			fs, err := b.Find(b.ctx, hers)
			b.must(err)
			for _, f := range fs {
				out = append(out, f.Table+"."+f.Column)
			}
			return out
		}
		if diff := cmp.Diff([]string{"letter.message_id", "letter.raw", "outbox.text", "revision.message_id"}, append([]string{"letter.message_id"}, found()...)); diff != "" {
			t.Error(diff)
		}
		b.must(b.EndLetter(b.ctx, Ending{Letter: letter, Disposition: Acted, Role: bert.ID, From: "bert@example.org", Now: noon}))
		sent, err := b.ClaimMail(b.ctx, b.dueMails()[0], noon)
		b.must(err)
		if sent.Text != "to anna@example.org" || sent.Role != gert.ID {
			t.Errorf("the mail that waited: %+v", sent)
		}
		b.must(b.MailSent(b.ctx, sent.ID, sent.Claim, noon))
		b.close()
		b.draft("d")
		b.must(b.Approve(b.ctx, Ending{Now: noon}, b.key(), 1, "d", nil))
		err = b.StoreRelease(b.ctx, Release{Key: b.key(), Attempt: 1, Digest: "d", Now: noon, Next: b.ahead(NewTurn{N: 2, OpenedAt: noon, DeadlineAt: deadline})})
		b.must(err)
		b.forget(hers)
		if got := found(); got != nil {
			t.Errorf("still in %v", got)
		}
	})
}

func TestForgettingIsMadeFromTheFilesAsTheyAre(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		f := Forgetting{Address: hers, StandIn: "forgotten-1@invalid", Files: []NewFile{{Game: b.game.ID, WasSHA: "older", File: "f", SHA: "s"}}}
		_, err := b.Forget(b.ctx, f)
		wantErr(t, "another file", err, ErrOtherFile)
		f.Files[0].WasSHA = "y"
		b.newGame("dawn")
		_, err = b.Forget(b.ctx, f)
		wantErr(t, "a game more", err, ErrOtherFile)
		if sn := b.snap(); sn.Roles[1].Address != hers || sn.Turn.Seq != 0 {
			t.Errorf("a refused forgetting changed %+v", sn.Roles[1])
		}
		b.forget(hers)
		f.Address, f.Files = "bert@example.org", nil
		tr, err := b.TracesOf(b.ctx, "bert@example.org")
		b.must(err)
		for _, g := range tr.Games {
			f.Files = append(f.Files, NewFile{Game: g.ID, WasSHA: g.FileSHA, File: "f", SHA: "s2"})
		}
		_, err = b.Forget(b.ctx, f)
		wantErr(t, "a stand-in that somebody else has by now", err, ErrChanged)
	})
}

func TestForgettingMeetsALetterThatIsBeingRead(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		r := newRacing(t, dsn)
		id, key := r.from(hers, "quincunx", "", 0), r.key()
		rev := orders(id, noon, "mira", "quincunx")
		err1, err2 := r.race(func(s *Store) error {
			return s.StoreOrders(r.ctx, Ending{Letter: id, Disposition: Acted, From: hers, Now: noon}, key, rev)
		}, func(s *Store) error {
			_, err := s.Forget(r.ctx, Forgetting{Address: hers, StandIn: "forgotten-1@invalid", Files: []NewFile{{Game: r.game.ID, WasSHA: "y", File: "f", SHA: "s"}}})
			return err
		})
		wantErr(t, "the ingest", err1, nil)
		wantErr(t, "forgetting", err2, nil)
		if got := everywhere(t, r.Store, "quincunx"); got != nil {
			t.Errorf("her words stand in %v", got)
		}
		if sn := r.snap(); len(sn.Revisions) != 1 || sn.Revisions[0].Plan == nil {
			t.Errorf("revisions %+v", sn.Revisions)
		}
	})
}

func TestScrubbedFileHoldsNothingOfIt(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		other := open(t, Options{DSN: dsn, NoJobs: true}) // another process, idle
		if _, err := other.Games(b.ctx, true); err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			b.from(hers, fmt.Sprintf("From: %s\n\n%d %s", hers, i, strings.Repeat("quincunx ", 300)), Acted, b.roles[1].ID)
		}
		b.forget(hers)
		b.must(b.Scrub(b.ctx))
		if b.path == "" {
			return
		}
		for _, end := range []string{"", "-wal"} {
			data, err := os.ReadFile(b.path + end)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			for _, word := range []string{"quincunx", hers} {
				if strings.Contains(string(data), word) {
					t.Errorf("%s stands in the file %s", word, end)
				}
			}
		}
	})
}

func TestAddressIsFoundWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Anna@Example.ORG":                       "X",
		"<anna@example.org>, anna@example.org.":  "<X>, X.",
		"joanna@example.org":                     "joanna@example.org",
		"jo.anna@example.org":                    "jo.anna@example.org",
		"anna@example.organic":                   "anna@example.organic",
		"anna@example.org.uk":                    "anna@example.org.uk",
		"anna@example.org-x":                     "anna@example.org-x",
		"=3Canna@example.org=3E":                 "=3CX=3E",
		"mailto:anna@example.org?subject=x":      "mailto:X?subject=x",
		"“anna@example.org”":                     "“X”",
		"joanna@example.org anna@example.org ok": "joanna@example.org X ok",
		"":                                       "",
	} {
		if got := WithoutAddress(text, hers, "X"); got != want || HasAddress(text, hers) != (got != text) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := WithoutAddress("Ünal@bücher.example!", "Ünal@Bücher.example", "X"); got != "X!" {
		t.Errorf("an address of other letters becomes %q", got)
	}
}

func FuzzAddressLeavesText(f *testing.F) {
	f.Add("joanna@example.org anna@example.org =3Canna@example.org")
	f.Fuzz(func(t *testing.T, text string) {
		got := WithoutAddress(text, hers, "forgotten-1@invalid")
		if HasAddress(got, hers) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
