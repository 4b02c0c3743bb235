package server

import (
	"cmp"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// Bounds are the limits of connections, batches and memory, for each client and for all clients
// together. The default replaces a zero field.
type Bounds struct {
	Connections       int // at once; 2000
	ClientConnections int // of one client address, unless it is the address of a trusted proxy; 500
	Batches           int // under way at once; 64
	ClientBatches     int // of one client address; 16

	Held          int64         // MiB for rows and responses of batches, at most a quarter of GOMEMLIMIT; 128
	Spool         int64         // MiB on the disk for Parquet files of running batches; 1024
	AnswerTimeout time.Duration // for a client to receive 64 KiB of a response; 30 s
}

// WithDefaults returns the bounds with defaults in place of zero fields.
func (b Bounds) WithDefaults() Bounds {
	return Bounds{
		Connections: cmp.Or(b.Connections, 2000), ClientConnections: cmp.Or(b.ClientConnections, 500),
		Batches: cmp.Or(b.Batches, 64), ClientBatches: cmp.Or(b.ClientBatches, 16),
		Held: cmp.Or(b.Held, 128), Spool: cmp.Or(b.Spool, 1024), AnswerTimeout: cmp.Or(b.AnswerTimeout, 30*time.Second),
	}
}

// clientShare is the divisor for the share of one client: a client can use a quarter of Held and of
// Spool. Files with typed columns can use another two times Held, and one client half of that,
// because files are read by whole pages.
const clientShare = 4

// answerPiece is the number of bytes of a response that a client must receive within AnswerTimeout.
const answerPiece = 64 << 10

// capacity has the budgets for clients that the bounds define.
type capacity struct {
	bounds  Bounds
	trusted *limit.Proxies
	batches *limit.Budget // under way
	rows    *limit.Budget // bytes of memory for rows of batches
	answers *limit.Budget // bytes of responses that clients have not received yet
	files   *limit.Budget // bytes of memory for reading and writing files with typed columns
	spool   *limit.Budget // bytes of such files on the disk

	collecting sync.Mutex
}

// newCapacity returns the capacity for the bounds in the memory of this process.
func newCapacity(b Bounds, trusted *limit.Proxies) *capacity {
	held := b.Held << 20
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		held = min(held, limit/4)
	}
	rows, answers := held/4*3, held/4
	r := &capacity{bounds: b, trusted: trusted}
	r.batches = limit.NewBudget(int64(b.Batches), int64(b.ClientBatches), nil)
	r.rows = limit.NewBudget(rows, rows/clientShare, r.collect)
	r.answers = limit.NewBudget(answers, answers/clientShare, nil)
	r.files = limit.NewBudget(2*held, held, nil)
	r.spool = limit.NewBudget(b.Spool<<20, b.Spool<<20/clientShare, nil)
	return r
}

// collectPressed replaces [memory.Ample] as the garbage collection percentage while many batches
// use much memory, because the garbage of batches is then large.
const collectPressed = 50

// collect makes garbage collections more frequent while batches use much memory. After the batches
// have ended, it returns memory to the operating system, which would otherwise take minutes. It
// collects twice, because a sync.Pool drops its objects at the second collection.
func (r *capacity) collect() {
	r.collecting.Lock()
	defer r.collecting.Unlock()
	pressed := r.rows.Pressed()
	memory.CollectAt(map[bool]int{true: collectPressed, false: memory.Ample}[pressed])
	if !pressed {
		runtime.GC()
		debug.FreeOSMemory()
	}
}

// listen limits the connections of a listener. See [conn.Options] for ending.
func (r *capacity) listen(l net.Listener, ending *atomic.Bool) *conn.Listener {
	return conn.NewListener(l, &conn.Options{
		Ending: ending,
		Max:    r.bounds.Connections, Share: r.bounds.ClientConnections, Client: r.peer,
		MinRate: conn.MinRate{Bytes: answerPiece, Time: r.bounds.AnswerTimeout},
	})
}

// peer returns the client of a connection. A trusted proxy has many clients.
func (r *capacity) peer(remoteAddr string) netip.Prefix {
	return r.trusted.Peer(remoteAddr)
}

// count registers the metrics of connections and batches.
func (r *capacity) count(m *telemetry.Metrics, l *conn.Listener) {
	m.Gauge("slipstick_connections", "Open client connections.", func() float64 { return float64(l.Stats().Open) })
	m.Watch("slipstick_connections_evicted_total", "Idle client connections that the server closed because the connection limit was reached.", func() float64 { return float64(l.Stats().Evicted) })
	m.Watch("slipstick_connections_refused_total", "Connections that the server refused because the client had reached its connection limit.", func() float64 { return float64(l.Stats().Refused) })
	m.Watch("slipstick_answers_stalled_total", "Responses that the server ended because the client received them too slowly.", func() float64 { return float64(l.Stats().Stalled) })
	m.Gauge("slipstick_batches", "Batches that are running now.", func() float64 { return float64(r.batches.Used()) })
	m.Gauge("slipstick_held_bytes", "Approximate memory, in bytes, for rows and files of running batches, and for responses that clients have not received yet.", func() float64 {
		return float64(r.rows.Used() + r.answers.Used() + r.files.Used())
	})
	m.Gauge("slipstick_spooled_bytes", "Disk space, in bytes, of the temporary Parquet files of running batches.", func() float64 { return float64(r.spool.Used()) })
}

// Limits of the HTTP server.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

// newHTTPServer returns the HTTP server for a handler. There is no write timeout, because the
// listener enforces a minimum rate for responses.
func newHTTPServer(handler http.Handler, l *conn.Listener, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:                      handler,
		ConnContext:                  conn.ConnContext,
		ConnState:                    l.State,
		ReadHeaderTimeout:            readHeaderTimeout,
		ReadTimeout:                  readTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true, // OPTIONS * is handled like any OPTIONS
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
