package conn_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

type input struct {
	Side  float64  `name:"side" alias:"a" unit:"m" range:"(0,)"`
	Count *float64 `name:"count"`
	Note  string   `name:"note" default:"none"`
}

type output struct {
	Volume float64 `name:"volume" unit:"m3"`
}

// Counts that make the engine of the tests do something other than compute.
const (
	countRejected    = 13
	countFails       = 500
	countPanics      = 501
	countUnavailable = 503
)

func engine(version string) sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.geometry.volume", Version: version, Tool: "volume", Group: "geometry",
		Title: "Volume", Summary: "Volume of a cube.", Assumptions: []string{"sharp edges"}, Errors: []string{"TOO_ODD"},
	}, func(_ context.Context, in input) (output, error) {
		if in.Count != nil && *in.Count == countRejected {
			return output{}, sdk.Reject("TOO_ODD", "count", "count is %v", *in.Count)
		}
		return output{Volume: in.Side * in.Side * in.Side}, nil
	})
}

// inProcess runs the engines of the tests in this process. If hold is set, calls with a count of 0 wait until
// held is closed.
type inProcess struct {
	engines map[string]sdk.Engine
	hold    bool
	held    chan struct{}
	asked   chan struct{} // receives from waiting calls
}

func (p *inProcess) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	if len(in) > 1 && in[1].Kind() == value.Number {
		switch in[1].Number() {
		case 0:
			if p.hold {
				p.asked <- struct{}{}
				<-p.held
			}
		case countFails:
			return sdk.Outcome{}, errors.New("secret cause")
		case countPanics:
			panic("bug")
		case countUnavailable:
			return sdk.Outcome{}, problem.Unavailable(r.Capability, r.Version, errors.New("secret cause"))
		}
	}
	return p.engines[r.Version].Calculate(context.WithoutCancel(ctx), in)
}

func (p *inProcess) CalculateBatch(context.Context, time.Duration, *registry.Release, []value.Values) ([]response.Result, error) {
	return nil, errors.ErrUnsupported
}

func (p *inProcess) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.ErrUnsupported
}

const base = "https://calc.example.org"

// newService publishes two versions, the first deprecated.
func newService(o *calc.Options) (*calc.Service, *inProcess) {
	p := &inProcess{engines: map[string]sdk.Engine{}, held: make(chan struct{}), asked: make(chan struct{})}
	var releases []*registry.Release
	for _, v := range []string{"2.0.0", "1.0.0"} {
		p.engines[v] = engine(v)
		releases = append(releases, &registry.Release{
			Capability: "test.geometry.volume", Version: v, EngineDigest: "sha256:" + strings.Repeat("1", 64), Spec: p.engines[v].Spec(),
			Verification: verification.Record{Tier: verification.Candidate}, Vectors: []byte(`[]`), Report: []byte(`{"passed":true}`),
		})
	}
	releases[1].Lifecycle = catalog.Lifecycle{State: catalog.Deprecated, Since: time.Unix(1700000000, 0), Sunset: "2030-01-02", Successor: "2.0.0", Reason: "it is old"}
	catalog := catalog.New([]registry.Capability{{ID: "test.geometry.volume", Current: "2.0.0", Releases: releases}})
	return calc.New(catalog, p, o), p
}

// testServer serves calculations, with or without the front.
type testServer struct {
	addr    string
	engines *inProcess
	http    *http.Server
	front   *conn.Front // nil without the front
	conns   *conn.Listener
	answers *limit.Budget
	clock   *time.Duration // clock of the limits

	mu     sync.Mutex
	log    bytes.Buffer
	seen   []web.Observation
	handed int // connections that net/http got
}

// Write receives the log output.
func (h *testServer) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(p)
}

// setup configures a server of the tests. The zero value has no limits.
type setup struct {
	front   bool
	limits  string
	proxied bool // the peer of connections is a trusted proxy
	cache   int64
	conns   conn.Options
	answers *limit.Budget
	header  time.Duration // timeout for the head of a request; 20 s
	idle    time.Duration // timeout of an idle connection; 20 s
	hold    bool          // calls wait, see inProcess
	quiet   bool          // no logging and recording of requests
	tracer  *telemetry.Tracer
}

// trusted are proxies; the tests connect from the second one.
var trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}

func start(t testing.TB, s setup) *testServer {
	t.Helper()
	service, engines := newService(&calc.Options{BaseURL: base, MCP: true, Cache: s.cache})
	engines.hold = s.hold
	h := &testServer{engines: engines, clock: new(time.Duration), answers: s.answers}
	log := slog.New(slog.NewTextHandler(h, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		if a.Key == "peer" {
			a.Value = slog.StringValue(a.Value.String()[:len("127.0.0.1")])
		}
		return a
	}}))
	clients := &web.Clients{Trusted: limit.NewProxies(trusted[:1])}
	if s.proxied {
		clients.Trusted.Replace(trusted)
	}
	if s.limits != "" {
		limits, err := limit.ParseLimits(s.limits)
		if err != nil {
			t.Fatal(err)
		}
		clients.Limiter = limit.NewLocal(limits, &limit.Options{Clients: 5000, Clock: func() time.Duration { return *h.clock }})
	}
	o := &web.Options{Log: log, LogRequests: true, Clients: clients, Answers: s.answers, Ending: s.conns.Ending, Tracer: s.tracer, Observe: func(o web.Observation) {
		h.mu.Lock()
		defer h.mu.Unlock()
		o.Duration = 0
		h.seen = append(h.seen, o)
	}}
	if s.quiet {
		o.LogRequests, o.Observe = false, nil
	}
	routes := append(api.Routes(service, nil), web.Route{ // the pages have one too
		Method: http.MethodPost, Pattern: "/api/v1/calc/{id}", Page: true,
		Handler: func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "text/html")
			_, err := io.WriteString(w, "<p>page</p>")
			return err
		},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr, h.conns = l.Addr().String(), conn.NewListener(l, &s.conns)
	h.http = &http.Server{
		Handler: staying(web.New(base, routes, o)), ConnContext: conn.ConnContext, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: cmp.Or(s.header, 20*time.Second), ReadTimeout: 20 * time.Second, IdleTimeout: cmp.Or(s.idle, 20*time.Second), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				h.mu.Lock()
				h.handed++
				h.mu.Unlock()
			}
			h.conns.State(c, state)
		},
	}
	var accepted net.Listener = h.conns
	if s.front {
		h.front = conn.NewFront(h.conns, api.Direct(service, routes, o), h.http)
		accepted = h.front
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.http.Serve(conn.Watch(accepted, web.Refuse(base)))
	}()
	t.Cleanup(func() {
		_ = h.http.Close()
		if h.front != nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := h.front.Wait(ctx); err != nil {
				t.Error("connections of the front are left", err)
			}
		}
		<-ended
	})
	return h
}

// staying hides from the handler that a caller has left, because these callers close their side of the
// connection after sending everything.
func staying(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	})
}

// dial opens a connection that closes with the test.
func (h *testServer) dial(t testing.TB) *net.TCPConn {
	t.Helper()
	c := h.connect(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// connect opens a connection.
func (h *testServer) connect(t testing.TB) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return c.(*net.TCPConn)
}

// sendAll sends bytes, a piece at a time, and returns everything received until the connection ends.
func (h *testServer) sendAll(t testing.TB, sent []byte, piece int) string {
	t.Helper()
	c := h.connect(t)
	defer c.Close()
	go func() {
		for part := range slices.Chunk(sent, piece) {
			if _, err := c.Write(part); err != nil {
				return
			}
		}
		_ = c.CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return mask(string(got)) + "\nreset" // bytes that the server does not read reset the connection
	}
	return mask(string(got))
}

// The parts that differ between two answers. All ids in these tests start in the same way.
var (
	dates = regexp.MustCompile(`Date: [^\r\n]*`)
	ids   = func() *regexp.Regexp {
		h, _ := web.Refuse(base)(http.StatusBadRequest, "")
		process, _, _ := strings.Cut(h.Get("X-Request-Id"), "-")
		return regexp.MustCompile(process + `-[0-9a-f]{10}`)
	}()
)

// mask replaces the parts that differ between answers.
func mask(text string) string {
	return ids.ReplaceAllString(dates.ReplaceAllString(text, "Date: D"), "ID")
}

// client returns the client of a connection from here.
func client(t *testing.T, c net.Conn) netip.Prefix {
	t.Helper()
	return limit.Client(c.LocalAddr().String(), nil, nil)
}

// observed returns the log and the observations since the last call, and how many connections net/http got.
func (h *testServer) observed() (log string, seen []web.Observation, handed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	log, seen, handed = mask(h.log.String()), h.seen, h.handed
	h.log.Reset()
	h.seen, h.handed = nil, 0
	return log, seen, handed
}
