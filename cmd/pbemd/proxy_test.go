package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// proxy stands between pbemd and a server, and does what networks do.
type proxy struct {
	t      *testing.T
	addr   string
	target string

	mu    sync.Mutex
	mode  proxyMode
	ln    net.Listener // nil while it refuses
	conns map[net.Conn]bool
	taken int // connections of pbemd, ever
	peak  int // most of them at a time
	alive int // of them now
	wg    sync.WaitGroup
}

type proxyMode string

const (
	pass   proxyMode = "pass"
	refuse proxyMode = "refuse" // nobody listens
	silent proxyMode = "silent" // connections are taken, and nothing is said any more
)

// newProxy passes connections on to a server.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	// An address of its own keeps the port free while nobody listens: local ends of
	// connections have 127.0.0.1.
	ln, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.N(250), rand.N(250), 1+rand.N(250)))
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, addr: ln.Addr().String(), target: target, mode: pass, ln: ln, conns: map[net.Conn]bool{}}
	p.wg.Go(func() { p.accept(ln) })
	t.Cleanup(func() {
		p.set(refuse)
		p.wg.Wait()
	})
	return p
}

// set changes what becomes of connections. Those that are there go on only from
// pass to silent: what was said into a silence is lost, and they with it.
func (p *proxy) set(mode proxyMode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	if mode != silent {
		p.cutAll()
	}
	switch {
	case mode == refuse && p.ln != nil:
		p.ln.Close()
		p.ln = nil
	case mode != refuse && p.ln == nil:
		ln, err := net.Listen("tcp", p.addr)
		if err != nil {
			p.t.Error(err)
			return
		}
		p.ln = ln
		p.wg.Go(func() { p.accept(ln) })
	}
}

// cut breaks all connections as they stand.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutAll()
}

func (p *proxy) cutAll() {
	for c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			tcp.SetLinger(0) // a reset, and no orderly end
		}
		c.Close()
	}
}

// count says how many connections pbemd has made, and the most at a time.
func (p *proxy) count() (taken, peak int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, p.peak
}

func (p *proxy) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			p.t.Errorf("proxy: %v", err)
			return
		}
		p.wg.Go(func() { p.serve(c) })
	}
}

func (p *proxy) serve(client net.Conn) {
	if !p.keep(client) {
		return
	}
	p.mu.Lock()
	p.taken++
	p.alive++
	p.peak = max(p.peak, p.alive)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.alive--
		p.mu.Unlock()
	}()
	defer p.drop(client)
	server, err := net.DialTimeout("tcp", p.target, 10*time.Second)
	if err != nil {
		return
	}
	if !p.keep(server) {
		return
	}
	defer p.drop(server)
	var wg sync.WaitGroup
	wg.Go(func() { p.pump(server, client); server.Close() })
	wg.Go(func() { p.pump(client, server); client.Close() })
	wg.Wait()
}

// keep lists a connection among those that can be cut.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == refuse {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// pump carries bytes until its connection ends; a silent proxy swallows them,
// and the end too.
func (p *proxy) pump(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		swallow := p.mode == silent
		p.mu.Unlock()
		if n > 0 && !swallow {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err == nil {
			continue
		}
		if swallow && errors.Is(err, io.EOF) {
			_, _ = to.Read(buf) // waits until the other side gives up or all is cut
		}
		return
	}
}

// through puts proxies between pbemd and the lab's servers; nil: none.
func (r *rig) through(imap, smtp *proxy) error {
	path := filepath.Join(r.dir, "pbemd.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	config := string(text)
	for _, p := range []*proxy{imap, smtp} {
		if p == nil {
			continue
		}
		from := fmt.Sprintf("addr = %q", p.target)
		if strings.Count(config, from) != 1 {
			return fmt.Errorf("the config has no one line %s", from)
		}
		config = strings.Replace(config, from, fmt.Sprintf("addr = %q", p.addr), 1)
	}
	return os.WriteFile(path, []byte(config), 0o600)
}

// TestProxy does to connections what it is told.
func TestProxy(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	p := newProxy(t, ln.Addr().String())
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	echo := func(c net.Conn, wait time.Duration) error {
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		c.SetReadDeadline(time.Now().Add(wait))
		_, err := io.ReadFull(c, make([]byte, 1))
		return err
	}
	c := dial()
	if err := echo(c, time.Minute); err != nil {
		t.Errorf("pass: %v", err)
	}
	p.set(silent)
	if err := echo(c, 50*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silent: %v", err)
	}
	if err := echo(dial(), 50*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silent from the beginning: %v", err)
	}
	p.set(refuse)
	if err := echo(c, time.Minute); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("refuse leaves a connection: %v", err)
	}
	if _, err := net.Dial("tcp", p.addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("refuse: %v", err)
	}
	p.set(pass)
	c = dial()
	if err := echo(c, time.Minute); err != nil {
		t.Errorf("pass again: %v", err)
	}
	p.cut()
	if err := echo(c, time.Minute); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("cut: %v", err)
	}
	if err := echo(dial(), time.Minute); err != nil {
		t.Errorf("after the cut: %v", err)
	}
	if taken, peak := p.count(); taken != 4 || peak < 2 {
		t.Errorf("%d connections, %d at a time", taken, peak)
	}
}
