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

// Bounds limits what one client, and all clients together, can make the host keep. A zero
// field means its default.
type Bounds struct {
	Connections       int // at once; 2000
	ClientConnections int // of one client address, unless it is a trusted proxy's; 500
	Batches           int // under way at once; 64
	ClientBatches     int // of one client address; 16

	Held          int64         // MiB for rows and answers of batches, at most a quarter of GOMEMLIMIT; 128
	Spool         int64         // MiB on the disk for files of Parquet that are computed; 1024
	AnswerTimeout time.Duration // for a client to receive 64 KiB of an answer; 30 s
}

// WithDefaults returns the bounds with the defaults for what is zero.
func (b Bounds) WithDefaults() Bounds {
	return Bounds{
		Connections: cmp.Or(b.Connections, 2000), ClientConnections: cmp.Or(b.ClientConnections, 500),
		Batches: cmp.Or(b.Batches, 64), ClientBatches: cmp.Or(b.ClientBatches, 16),
		Held: cmp.Or(b.Held, 128), Spool: cmp.Or(b.Spool, 1024), AnswerTimeout: cmp.Or(b.AnswerTimeout, 30*time.Second),
	}
}

// clientShare is the part of Held, and of Spool, that one client may use: a quarter. Files of typed columns
// may take twice Held besides, of which half is for one client, since a file is read by whole pages.
const clientShare = 4

// answerPiece is how many bytes of an answer a client must receive within AnswerTimeout.
const answerPiece = 64 << 10

// capacity is the capacity that the bounds leave for clients.
type capacity struct {
	bounds  Bounds
	trusted *limit.Proxies
	batches *limit.Budget // under way
	rows    *limit.Budget // bytes of memory for rows of batches
	answers *limit.Budget // bytes of answers that wait until they are taken
	files   *limit.Budget // bytes of memory for what is read and written of files with typed columns
	spool   *limit.Budget // bytes of such files on the disk

	collecting sync.Mutex
}

// newCapacity returns the room for the bounds in the memory of this process.
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

// collectPressed takes the place of [memory.Roomy] while many batches hold much memory: what they leave behind
// is then no longer small.
const collectPressed = 50

// collect lets the garbage collector run more often while batches use much memory. When they
// have ended, it returns memory to the system, which would otherwise take minutes. It collects
// twice, because a sync.Pool drops its objects at the second collection.
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

// listen bounds the connections of a listener. For ending, see [conn.Options].
func (r *capacity) listen(l net.Listener, ending *atomic.Bool) *conn.Listener {
	return conn.NewListener(l, &conn.Options{
		Ending: ending,
		Max:    r.bounds.Connections, Share: r.bounds.ClientConnections, Client: r.peer,
		MinRate: conn.MinRate{Bytes: answerPiece, Time: r.bounds.AnswerTimeout},
	})
}

// peer is whose a connection is. A trusted proxy speaks for many.
func (r *capacity) peer(remoteAddr string) netip.Prefix {
	return r.trusted.Peer(remoteAddr)
}

// count shows how much of the room is taken.
func (r *capacity) count(m *telemetry.Metrics, l *conn.Listener) {
	m.Gauge("slipstick_connections", "Connections of clients.", func() float64 { return float64(l.Figures().Open) })
	m.Watch("slipstick_connections_evicted_total", "Idle connections that were ended to make room for others.", func() float64 { return float64(l.Figures().Evicted) })
	m.Watch("slipstick_connections_refused_total", "Connections beyond what one client may have.", func() float64 { return float64(l.Figures().Refused) })
	m.Watch("slipstick_answers_stalled_total", "Answers that were ended because the client did not take them.", func() float64 { return float64(l.Figures().Stalled) })
	m.Gauge("slipstick_batches", "Batches under way.", func() float64 { return float64(r.batches.Used()) })
	m.Gauge("slipstick_held_bytes", "Memory for rows and files of batches and for answers that wait until they are taken, about.", func() float64 {
		return float64(r.rows.Used() + r.answers.Used() + r.files.Used())
	})
	m.Gauge("slipstick_spooled_bytes", "Parquet files of batches under way, on the disk.", func() float64 { return float64(r.spool.Used()) })
}

// Limits of the HTTP server.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

// newHTTPServer returns the HTTP server for a handler. Its answers are bounded by the pace
// of the listener, and not in whole.
func newHTTPServer(handler http.Handler, l *conn.Listener, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:                      handler,
		ConnContext:                  conn.ConnContext,
		ConnState:                    l.State,
		ReadHeaderTimeout:            readHeaderTimeout,
		ReadTimeout:                  readTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true, // OPTIONS * is answered like any OPTIONS
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
