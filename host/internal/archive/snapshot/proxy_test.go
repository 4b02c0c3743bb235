package snapshot_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// proxy forwards between a client and a server. It changes replies as a bad network or an old
// server would do.
type proxy struct {
	addr string

	mu      sync.Mutex
	cut     int           // number of replies still to drop, with their connections
	lost    int           // number of dropped replies
	hold    chan struct{} // replies wait until it is closed; nil: no wait
	rewrite [2]string     // text to replace in replies, and its replacement
	replace string        // replaces each reply

	done chan struct{}
	all  sync.WaitGroup
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), done: make(chan struct{})}
	p.all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.all.Go(func() { p.serve(client, target) })
		}
	})
	t.Cleanup(func() {
		close(p.done)
		l.Close()
		p.all.Wait()
	})
	return p
}

func (p *proxy) set(change func(*proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *proxy) serve(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	p.all.Go(func() { _, _ = io.Copy(server, client); cancel() })
	p.all.Go(func() { p.reply(ctx, client, server); cancel() })
	select {
	case <-ctx.Done():
	case <-p.done:
		cancel()
	}
}

func (p *proxy) reply(ctx context.Context, client io.Writer, server io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		cut, hold, rewrite, replace := p.cut > 0, p.hold, p.rewrite, p.replace
		if cut {
			p.cut--
			p.lost++
		}
		p.mu.Unlock()
		if cut {
			return
		}
		if hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				return
			}
		}
		reply := buf[:n]
		if rewrite[0] != "" {
			reply = bytes.ReplaceAll(reply, []byte(rewrite[0]), []byte(rewrite[1]))
		}
		if replace != "" {
			reply = []byte(replace)
		}
		if _, err := client.Write(reply); err != nil {
			return
		}
	}
}
