package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// HostError reports a registry that refers to another server, which is not allowed.
type HostError struct {
	Host     string
	Redirect bool // by a redirect; otherwise as the server for tokens
}

// Error names the server and the option that allows it.
func (e *HostError) Error() string {
	if e.Redirect {
		return fmt.Sprintf("the registry redirects to %s, which is not followed: if its blobs are on that server, allow it with --registry-redirect %s", e.Host, e.Host)
	}
	return fmt.Sprintf("the registry sends token requests to %s, which is not allowed: if that server issues its tokens, allow it with --registry-auth %s", e.Host, e.Host)
}

// guard sends requests only to the registry's own server and to allowed servers.
type guard struct {
	next           http.RoundTripper
	scheme         string
	home           string
	auth, redirect map[string]bool
}

func newGuard(next http.RoundTripper, host string, plain bool, o *Options) *guard {
	g := &guard{next: next, scheme: "https", auth: map[string]bool{}, redirect: map[string]bool{}}
	if plain {
		g.scheme = "http"
	}
	g.home = g.port(host)
	for _, h := range o.AuthHosts {
		g.auth[g.port(h)] = true
	}
	for _, h := range o.RedirectHosts {
		g.redirect[g.port(h)] = true
	}
	return g
}

// port returns a name or IP address with its port. It adds the default port if there is none.
func (g *guard) port(host string) string {
	host = strings.ToLower(host)
	if u := (url.URL{Host: host}); u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[g.scheme])
	}
	return host
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Host
	redirected := req.Response != nil
	upload := req.Method == http.MethodPut || req.Method == http.MethodPatch
	switch at := (&guard{scheme: req.URL.Scheme}).port(host); {
	case req.URL.Scheme != g.scheme && req.URL.Scheme != "https": // also refuses plain HTTP if the registry uses HTTPS
	case at == g.home || g.auth[at]:
		return g.next.RoundTrip(req)
	case g.redirect[at] && (redirected || upload):
		req = req.Clone(req.Context())
		req.Header.Del("Authorization")
		return g.next.RoundTrip(req)
	}
	if req.Body != nil {
		req.Body.Close()
	}
	return nil, &HostError{Host: host, Redirect: redirected || upload}
}

var errSlow = errors.New("the registry hangs, or sends too slowly")

// watched ends requests that transfer less than a minimum rate. A deadline alone would have to
// allow for the largest transfer.
type watched struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (p *watched) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	clock := &watchdog{began: time.Now(), cancel: cancel}
	clock.timer = time.AfterFunc(responseTime, func() { cancel(errSlow) })
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &watchedBody{req.Body, clock, ctx, false}
	}
	resp, err := p.next.RoundTrip(req)
	if err != nil {
		clock.end()
		return nil, cause(ctx, err)
	}
	resp.Body = &watchedBody{resp.Body, clock, ctx, true}
	return resp, nil
}

func cause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	return err
}

// watchdog ends a request that has transferred too little for its time.
type watchdog struct {
	began  time.Time
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	moved int64
	done  bool
}

func (c *watchdog) move(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || n == 0 {
		return
	}
	c.moved += int64(n)
	c.timer.Reset(time.Until(c.began.Add(responseTime + time.Duration(c.moved)*time.Second/slowest)))
}

func (c *watchdog) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	c.timer.Stop()
	c.cancel(nil)
}

type watchedBody struct {
	io.ReadCloser
	clock *watchdog
	ctx   context.Context
	last  bool // closing it ends the request
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.clock.move(n)
	if err != nil && err != io.EOF {
		err = cause(b.ctx, err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	if b.last {
		b.clock.end()
	}
	return b.ReadCloser.Close()
}
