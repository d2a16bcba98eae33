package mail_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// relay passes connections on to a server, and keeps what the client says.
type relay struct {
	addr string
	mu   sync.Mutex
	said bytes.Buffer
	n    int // connections
}

// newRelay listens on a loopback address for a server. hide lists pairs of what
// the server says and what the client is to hear instead, within a line.
func newRelay(t testing.TB, host, server string, hide ...string) *relay {
	t.Helper()
	ln, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{addr: ln.Addr().String()}
	var wg sync.WaitGroup
	t.Cleanup(func() { ln.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.n++
			r.mu.Unlock()
			there, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			wg.Go(func() {
				io.Copy(there, io.TeeReader(client, r))
				there.Close()
			})
			wg.Go(func() {
				defer client.Close()
				if len(hide) == 0 {
					io.Copy(client, there)
					return
				}
				words := strings.NewReplacer(hide...)
				for in := bufio.NewReader(there); ; {
					line, err := in.ReadString('\n')
					io.WriteString(client, words.Replace(line))
					if err != nil {
						return
					}
				}
			})
		}
	})
	return r
}

func (r *relay) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.Write(b)
}

// heard is what clients said so far.
func (r *relay) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.String()
}
