package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pbemd/pbemd/internal/store"
)

// Limits of the checks.
const (
	searchLimit  = 10 * time.Minute // since the last complete search began
	leaseLimit   = 10 * time.Minute // since a lease ended that its holder neither prolongs nor gives back
	letterLimit  = 15 * time.Minute // since a letter was stored that has no disposition
	outboxLimit  = 30 * time.Minute // since a mail was due that is not sent
	neglectTerms = 3                // terms since anybody was told of a row that is due
	readLimit    = 5 * time.Second  // for all figures
)

// What a check that is not right means.
const (
	healthOK = "ok"
	warning  = "warning"  // somebody must do something; the house is right
	degraded = "degraded" // something outside is wrong; the house goes on and mends itself
	failing  = "failing"  // this process is of no use
)

// check is one line of /healthz.
type check struct {
	Name  string  `json:"name"`
	OK    bool    `json:"ok"`
	Level string  `json:"level"` // what it means when it is not ok: warning, degraded, failing
	What  string  `json:"what"`
	Age   float64 `json:"age_seconds,omitempty"`
	Limit float64 `json:"limit_seconds,omitempty"`
	Count int     `json:"count,omitempty"`
	Do    string  `json:"do,omitempty"` // when it is not ok
}

// pulse is what only the process itself knows.
type pulse struct {
	started           time.Time
	holder            string // of the mailbox lease, in this process
	watching, working bool   // its search loop and its workers run
}

// judge says what is wrong with the process.
func (p pulse) judge(h store.Health) []check {
	watch := check{Name: "watch", Level: failing, What: "the loop that searches the mailbox runs", OK: p.watching, Limit: leaseLimit.Seconds(),
		Do: "restart pbemd; if it comes back, report it with the log"}
	if h.Holder == p.holder && h.Now.After(h.Until) {
		watch.age(h.Now.Sub(h.Until), leaseLimit)
	}
	workers := check{Name: "workers", Level: failing, What: "the workers take work, and the sweep looks after it", OK: p.working,
		Do: "restart pbemd; if it comes back, report it with the log"}
	if !h.Neglected.IsZero() {
		since := h.Neglected
		if since.Before(p.started) { // a process may have its first term
			since = p.started
		}
		workers.age(h.Now.Sub(since), neglectTerms*h.Term)
	}
	return []check{watch, workers}
}

// age says how old something is, and that it is wrong above a limit.
func (c *check) age(d, limit time.Duration) {
	c.Age, c.Limit = max(d.Seconds(), 0), limit.Seconds()
	c.OK = c.OK && d <= limit
}

// judge says what is wrong with the house, whichever process looks. A search is
// expected from an instant on: when this process began, if there never was one.
func judge(h store.Health, from time.Time) []check {
	search := check{Name: "search", Level: degraded, What: "the mailbox was searched to its end", OK: true,
		Do: "see whether the IMAP server answers and takes the password: pbemd doctor. Turns wait for the mailbox; nobody is late by it"}
	if h.Searched.After(from) {
		from = h.Searched
	}
	search.age(h.Now.Sub(from), searchLimit)
	letters := check{Name: "letters", Level: degraded, What: "letters are read", OK: true, Count: h.Letters.Count,
		Do: `look in the log for "work failed" with kind=ingest. The letters are kept and tried again`}
	letters.age(h.Letters.Age(h.Now), letterLimit)
	outbox := check{Name: "outbox", Level: degraded, What: "mail goes out", OK: true, Count: h.Outbox.Count,
		Do: `look in the log for "mail waits": the SMTP server refuses it for now, or one recipient's does. It is tried again for five days`}
	outbox.age(h.Outbox.Age(h.Now), outboxLimit)
	overdue := check{Name: "overdue", Level: degraded, What: "turns close when they are due", OK: h.Overdue.Count == 0, Count: h.Overdue.Count,
		Age: h.Overdue.Age(h.Now).Seconds(), Do: "put search and letters right: the turns wait for them, and then close by themselves"}
	stuck := check{Name: "stuck", Level: warning, What: "no turn is stuck", OK: len(h.Stuck) == 0, Count: len(h.Stuck),
		Do: "read the mail that operator and GM got; the GM goes on with REOPEN"}
	return []check{search, letters, outbox, overdue, stuck}
}

// diagnosis is the body of /healthz.
type diagnosis struct {
	Status  string  `json:"status"` // ok, degraded, failing
	Version string  `json:"version"`
	Checks  []check `json:"checks"`
}

// status sums checks up. What only warns does not count.
func status(checks []check) string {
	s := healthOK
	for _, c := range checks {
		switch {
		case c.OK:
		case c.Level == failing:
			return failing
		case c.Level == degraded:
			s = degraded
		}
	}
	return s
}

// web serves /healthz and /metrics of a house.
type web struct {
	house   *House
	started time.Time
	ln      net.Listener
	srv     *http.Server
}

// listenHTTP takes the address of http.listen, if there is one.
func (h *House) listenHTTP() error {
	if h.Config.HTTP.Listen == "" {
		return nil
	}
	ln, err := net.Listen("tcp", h.Config.HTTP.Listen)
	if err != nil {
		return fmt.Errorf("serving /healthz and /metrics: %w; choose another address with http.listen", err)
	}
	h.web = &web{house: h, started: h.now(), ln: ln}
	return nil
}

func (h *House) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// serve answers until close.
func (w *web) serve() {
	if w == nil {
		return
	}
	w.srv = &http.Server{
		Handler: w.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(w.house.Log.Handler(), slog.LevelWarn),
	}
	w.house.wait.Go(func() {
		if err := w.srv.Serve(w.ln); !errors.Is(err, http.ErrServerClosed) {
			w.house.Log.Error("serving /healthz and /metrics", "err", err)
		}
	})
}

// close answers what was asked and ends.
func (w *web) close() error {
	switch {
	case w == nil:
		return nil
	case w.srv == nil:
		return w.ln.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	if err := w.srv.Shutdown(ctx); err != nil {
		return w.srv.Close()
	}
	return nil
}

func (w *web) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), w)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", w.healthz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return mux
}

// health reads the figures, for as long as may be waited for them.
func (w *web) health(ctx context.Context) (store.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return w.house.Store.Health(ctx, w.house.Config.Mail.Account)
}

func (w *web) pulse() pulse {
	return pulse{started: w.started, holder: w.house.holder, watching: !w.house.unwatched.Load(), working: w.house.workers.Alive()}
}

func (w *web) healthz(rw http.ResponseWriter, r *http.Request) {
	d := diagnosis{Version: build(), Checks: []check{{Name: "database", Level: failing, What: "the database answers", OK: true, Limit: readLimit.Seconds(),
		Do: "see whether the database runs and can be reached: pbemd doctor. Nothing is lost meanwhile"}}}
	h, err := w.health(r.Context())
	if err != nil {
		// The error may name the database's address and user: it is for the log.
		w.house.Log.Error("health", "err", err)
		d.Checks[0].OK = false
	} else {
		d.Checks = append(append(d.Checks, w.pulse().judge(h)...), judge(h, w.started)...)
	}
	for i := range d.Checks {
		if d.Checks[i].OK {
			d.Checks[i].Do = ""
		}
	}
	d.Status = status(d.Checks)
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		w.house.Log.Error("health", "err", err)
		http.Error(rw, "no answer", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Cache-Control", "no-store")
	if d.Status == failing {
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
	rw.Write(append(body, '\n')) // whoever asked may have gone
}

// gauge is one metric that is read from the database at each scrape.
type gauge struct {
	desc  *prometheus.Desc
	value func(store.Health, pulse) float64
}

func newGauge(name, help string, value func(store.Health, pulse) float64) gauge {
	return gauge{prometheus.NewDesc("pbemd_"+name, help, nil, nil), value}
}

var (
	upDesc    = prometheus.NewDesc("pbemd_up", "1 if the figures could be read from the database; without them only this one is told.", nil, nil)
	buildDesc = prometheus.NewDesc("pbemd_build_info", "1; the labels name the program.", []string{"version", "go"}, nil)
	gauges    = []gauge{
		newGauge("last_search_age_seconds", "Seconds since the last complete search of the mailbox began; +Inf if there was none.", func(h store.Health, _ pulse) float64 {
			if h.Searched.IsZero() {
				return math.Inf(1)
			}
			return max(h.Now.Sub(h.Searched).Seconds(), 0)
		}),
		newGauge("oldest_letter_age_seconds", "Seconds since the oldest letter without a disposition was stored; 0 if there is none.", func(h store.Health, _ pulse) float64 { return h.Letters.Age(h.Now).Seconds() }),
		newGauge("letters_waiting", "Letters without a disposition.", func(h store.Health, _ pulse) float64 { return float64(h.Letters.Count) }),
		newGauge("outbox_age_seconds", "Seconds since the oldest mail that is not sent was due; 0 if there is none.", func(h store.Health, _ pulse) float64 { return h.Outbox.Age(h.Now).Seconds() }),
		newGauge("outbox_waiting", "Mails that are due and not sent.", func(h store.Health, _ pulse) float64 { return float64(h.Outbox.Count) }),
		newGauge("turns_waiting_for_gm", "Turns whose draft waits for the GM.", func(h store.Health, _ pulse) float64 { return float64(h.Review.Count) }),
		newGauge("gm_wait_age_seconds", "Seconds since the oldest draft that waits for its GM was made; 0 if there is none.", func(h store.Health, _ pulse) float64 { return h.Review.Age(h.Now).Seconds() }),
		newGauge("turns_stuck", "Turns that cannot go on without a person.", func(h store.Health, _ pulse) float64 { return float64(len(h.Stuck)) }),
		newGauge("turns_overdue", "Open turns that have been due to close for more than 20 minutes.", func(h store.Health, _ pulse) float64 { return float64(h.Overdue.Count) }),
		newGauge("letters_quarantined", "Letters that were set aside unread, ever.", func(h store.Health, _ pulse) float64 { return float64(h.Quarantined) }),
		newGauge("addresses_unreachable", "Addresses that refused a mail for good and took none since.", func(h store.Health, _ pulse) float64 { return float64(h.Unreachable) }),
		newGauge("mailbox_held", "1 if this process has the lease of the mailbox.", func(h store.Health, p pulse) float64 {
			if h.Holder == p.holder && h.Until.After(h.Now) {
				return 1
			}
			return 0
		}),
	}
)

// Describe lists the metrics (prometheus.Collector).
func (w *web) Describe(ch chan<- *prometheus.Desc) {
	ch <- upDesc
	ch <- buildDesc
	for _, g := range gauges {
		ch <- g.desc
	}
}

// Collect reads the metrics (prometheus.Collector). What cannot be read is left
// out: an old figure would look like a good one.
func (w *web) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(buildDesc, prometheus.GaugeValue, 1, build(), runtime.Version())
	h, err := w.health(context.Background())
	if err != nil {
		w.house.Log.Error("metrics", "err", err)
		ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 0)
		return
	}
	ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 1)
	p := w.pulse()
	for _, g := range gauges {
		ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.value(h, p))
	}
}

// healthURL is where this machine asks a daemon that listens at an address.
func healthURL(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/healthz", nil
}
