package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pbemd/pbemd/internal/store"
	"github.com/pbemd/pbemd/internal/store/pgtest"
)

// TestHealthLimits: what is wrong, and how wrong it is.
func TestHealthLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) store.Waiting { return store.Waiting{Count: 1, Oldest: now.Add(-d)} }
	long := now.Add(-100 * time.Hour)
	for name, tt := range map[string]struct {
		set    func(h *store.Health, p *pulse)
		wrong  string
		status string
	}{
		"a quiet house":                  {func(*store.Health, *pulse) {}, "", healthOK},
		"a search 10 minutes ago":        {func(h *store.Health, _ *pulse) { h.Searched = now.Add(-10 * time.Minute) }, "", healthOK},
		"a search longer ago":            {func(h *store.Health, _ *pulse) { h.Searched = now.Add(-10*time.Minute - time.Second) }, "search", degraded},
		"a start without a search yet":   {func(h *store.Health, p *pulse) { h.Searched, p.started = time.Time{}, now.Add(-9*time.Minute) }, "", healthOK},
		"no search since long":           {func(h *store.Health, p *pulse) { h.Searched, p.started = time.Time{}, now.Add(-11*time.Minute) }, "search", degraded},
		"a letter of 15 minutes":         {func(h *store.Health, _ *pulse) { h.Letters = ago(15 * time.Minute) }, "", healthOK},
		"an older letter":                {func(h *store.Health, _ *pulse) { h.Letters = ago(16 * time.Minute) }, "letters", degraded},
		"a mail of 30 minutes":           {func(h *store.Health, _ *pulse) { h.Outbox = ago(30 * time.Minute) }, "", healthOK},
		"an older mail":                  {func(h *store.Health, _ *pulse) { h.Outbox = ago(31 * time.Minute) }, "outbox", degraded},
		"an overdue turn":                {func(h *store.Health, _ *pulse) { h.Overdue = ago(time.Hour) }, "overdue", degraded},
		"a turn in review since long":    {func(h *store.Health, _ *pulse) { h.Review = ago(100 * time.Hour) }, "", healthOK},
		"a stuck turn only warns":        {func(h *store.Health, _ *pulse) { h.Stuck = []store.StuckTurn{{Game: "Dusk", N: 1}} }, "stuck", healthOK},
		"the search loop is gone":        {func(_ *store.Health, p *pulse) { p.watching = false }, "watch", failing},
		"the search loop keeps still":    {func(h *store.Health, _ *pulse) { h.Holder, h.Until = "me", now.Add(-11*time.Minute) }, "watch", failing},
		"a lease that just ended":        {func(h *store.Health, _ *pulse) { h.Holder, h.Until = "me", now.Add(-time.Minute) }, "", healthOK},
		"another process keeps still":    {func(h *store.Health, _ *pulse) { h.Holder, h.Until = "you", long }, "", healthOK},
		"the workers are gone":           {func(_ *store.Health, p *pulse) { p.working = false }, "workers", failing},
		"nobody sweeps":                  {func(h *store.Health, _ *pulse) { h.Neglected = now.Add(-31 * time.Minute) }, "workers", failing},
		"nobody swept before this start": {func(h *store.Health, p *pulse) { h.Neglected, p.started = long, now.Add(-time.Minute) }, "", healthOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := store.Health{Now: now, Searched: now, Holder: "me", Until: now.Add(time.Minute), Term: 10 * time.Minute}
			p := pulse{started: long, holder: "me", watching: true, working: true}
			tt.set(&h, &p)
			checks := append(p.judge(h), judge(h, p.started)...)
			var wrong []string
			for _, c := range checks {
				if !c.OK {
					wrong = append(wrong, c.Name)
				}
				if c.Do == "" || c.What == "" {
					t.Errorf("%s does not say what it is and what to do", c.Name)
				}
			}
			if got := strings.Join(wrong, " "); got != tt.wrong || status(checks) != tt.status {
				t.Errorf("wrong: %q, status %s", got, status(checks))
			}
		})
	}
}

// get asks a handler.
func get(t *testing.T, h http.Handler, method, path string) (code int, body string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return rec.Code, rec.Body.String()
}

// TestHTTPFigures: both pages tell the figures of the database as they are at
// that instant, no address and no secret; without the database they tell none.
func TestHTTPFigures(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "x.db") },
		"postgres": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ReadConfig(embedded(t))
			if err != nil {
				t.Fatal(err)
			}
			c.Database.URL = dsn(t)
			noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			var past atomic.Int64 // noon
			h := &House{Config: c, Log: newLog(LogConfig{Level: "error"}, io.Discard), holder: "me",
				Now: func() time.Time { return noon.Add(time.Duration(past.Load())) }}
			if st, err := h.openStore(t.Context()); err != nil {
				t.Fatal(err)
			} else if err := st.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			} else if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if err := h.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if _, faults, err := h.Daemon.CreateGame(t.Context(), "dusk.toml", []byte(demoText(t))); err != nil || faults != nil {
				t.Fatal(faults, err)
			}
			if h.workers, err = h.Store.Work(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			pages := (&web{house: h, started: noon}).handler()

			code, body := get(t, pages, "GET", "/healthz")
			var d diagnosis
			if err := json.Unmarshal([]byte(body), &d); err != nil || code != http.StatusOK || d.Status != healthOK || len(d.Checks) != 8 {
				t.Errorf("healthz: %d, %v, %s", code, err, body)
			}
			metrics := func(want ...string) {
				t.Helper()
				code, body := get(t, pages, "GET", "/metrics")
				for _, w := range want {
					if code != http.StatusOK || !strings.Contains(body, "\n"+w+"\n") {
						t.Errorf("metrics: %d, no %q in\n%s", code, w, body)
					}
				}
				if strings.Contains(body, "@") {
					t.Error("the metrics show an address")
				}
			}
			if strings.Contains(body, "@") {
				t.Errorf("healthz shows an address: %s", body)
			}
			metrics("pbemd_up 1", "pbemd_last_search_age_seconds +Inf", "pbemd_mailbox_held 0", "pbemd_letters_waiting 0", "pbemd_outbox_age_seconds 0")

			if ok, err := h.Store.Lease(t.Context(), "main", "me", time.Hour); err != nil || !ok {
				t.Fatal(ok, err)
			}
			if err := h.Store.SearchDone(t.Context(), "main", "INBOX", "me", store.Mailbox{UIDValidity: 1, SearchedFrom: noon}); err != nil {
				t.Fatal(err)
			}
			past.Store(int64(25 * time.Minute))
			metrics("pbemd_up 1", "pbemd_last_search_age_seconds 1500", "pbemd_mailbox_held 1", "pbemd_outbox_age_seconds 1500", "pbemd_turns_overdue 1")
			code, body = get(t, pages, "GET", "/healthz")
			if err := json.Unmarshal([]byte(body), &d); err != nil || code != http.StatusOK || d.Status != degraded {
				t.Errorf("healthz with the mail servers down: %d, %v, %s", code, err, body)
			}

			for path, want := range map[string]int{"/": http.StatusNotFound, "/debug/pprof/": http.StatusNotFound} {
				if code, _ := get(t, pages, "GET", path); code != want {
					t.Errorf("%s: %d", path, code)
				}
			}
			if code, _ := get(t, pages, "POST", "/healthz"); code != http.StatusMethodNotAllowed {
				t.Errorf("a POST: %d", code)
			}

			if err := h.workers.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Fatal(err)
			}
			if code, body = get(t, pages, "GET", "/healthz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "restart pbemd") {
				t.Errorf("healthz without workers: %d, %s", code, body)
			}
			h.workers = nil
			if err := h.Store.Close(); err != nil {
				t.Fatal(err)
			}
			code, body = get(t, pages, "GET", "/healthz")
			if err := json.Unmarshal([]byte(body), &d); err != nil || code != http.StatusServiceUnavailable || d.Status != failing || len(d.Checks) != 1 {
				t.Errorf("healthz without a database: %d, %v, %s", code, err, body)
			}
			metrics("pbemd_up 0")
			if _, body := get(t, pages, "GET", "/metrics"); strings.Contains(body, "pbemd_outbox") {
				t.Error("figures without a database")
			}
		})
	}
}

// TestHTTPOfServe: serve answers where the config says, says it when the address
// is taken, and is gone when it has stopped.
func TestHTTPOfServe(t *testing.T) {
	t.Parallel()
	start := func(listen string) (*House, error) {
		c, err := ReadConfig(embedded(t))
		if err != nil {
			t.Fatal(err)
		}
		c.Log.Level, c.HTTP.Listen = "error", listen
		h := &House{Config: c, Log: newLog(c.Log, t.Output())}
		err = h.Open(t.Context())
		if err == nil {
			err = h.Serve(t.Context())
		}
		return h, err
	}
	first, err := start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := first.web.ln.Addr().String()
	if code, body, err := getHealth(t.Context(), addr); err != nil || code != http.StatusOK {
		t.Errorf("asked: %d, %s, %v", code, body, err)
	}
	second, err := start(addr)
	if err == nil || !strings.Contains(err.Error(), "http.listen") || !strings.Contains(err.Error(), "in use") {
		t.Errorf("an address in use: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Errorf("closing what did not start: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("draining: %v", err)
	}
	if _, _, err := getHealth(t.Context(), addr); err == nil {
		t.Error("it answers after it has stopped")
	}
}

func TestHealthURL(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"127.0.0.1:8025":  "http://127.0.0.1:8025/healthz",
		"0.0.0.0:8025":    "http://127.0.0.1:8025/healthz",
		":8025":           "http://127.0.0.1:8025/healthz",
		"[::]:8025":       "http://[::1]:8025/healthz",
		"[fe80::1]:8025":  "http://[fe80::1]:8025/healthz",
		"pbemd.test:8025": "http://pbemd.test:8025/healthz",
	} {
		if got, err := healthURL(listen); err != nil || got != want {
			t.Errorf("%s: %q, %v", listen, got, err)
		}
	}
}

// TestHTTPMetricsAreDocumented: the alarms and docs/operations.md speak of metrics
// that exist, and the latter of all.
func TestHTTPMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	metrics := map[string]bool{"pbemd_up": true, "pbemd_build_info": true}
	for _, g := range gauges {
		metrics[regexp.MustCompile(`"(pbemd_\w+)"`).FindStringSubmatch(g.desc.String())[1]] = true
	}
	for path, all := range map[string]bool{"../../docs/operations.md": true, "../../contrib/prometheus/pbemd.rules.yml": false} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, name := range regexp.MustCompile(`\bpbemd_[a-z_]+`).FindAllString(string(text), -1) {
			told[name] = true
			if !metrics[name] {
				t.Errorf("%s tells of %s, which is no metric", path, name)
			}
		}
		for name := range metrics {
			if all && !told[name] {
				t.Errorf("%s does not tell of %s", path, name)
			}
		}
	}
}
