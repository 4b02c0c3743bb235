package main

import (
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/conns"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/smuggling"
	"github.com/slipstick/slipstick/host/internal/telemetry"
)

// bounds say what clients can make the host hold: one, and all together.
type bounds struct {
	MaxConnections    int   `default:"2000" env:"SLIPSTICK_MAX_CONNECTIONS" help:"Connections at once. When there are as many, the one that has been idle for the longest time goes, of the client with the most. Default: ${default}." placeholder:"N"`
	ClientConnections int   `default:"500" env:"SLIPSTICK_CLIENT_CONNECTIONS" help:"Connections at once of one client address; not for a --trusted-proxy. Default: ${default}." placeholder:"N"`
	MaxBatches        int   `default:"64" env:"SLIPSTICK_MAX_BATCHES" help:"Batches under way at once. Default: ${default}." placeholder:"N"`
	ClientBatches     int   `default:"16" env:"SLIPSTICK_CLIENT_BATCHES" help:"Batches under way at once of one client address. Default: ${default}." placeholder:"N"`
	MaxHeld           int64 `default:"128" env:"SLIPSTICK_MAX_HELD" help:"MiB for rows of batches that are computed, and for answers that wait until they are taken; one client address has at most a quarter. Never more than a quarter of GOMEMLIMIT. Default: ${default}." placeholder:"MIB"`

	AnswerPatience time.Duration `default:"30s" env:"SLIPSTICK_ANSWER_PATIENCE" help:"How long a client may take for each 64 KiB of an answer. Default: ${default}." placeholder:"TIME"`
}

// clientShare is the part of the held bytes that one client may have: a quarter.
const clientShare = 4

// maxHeld bounds --max-held, in MiB.
const maxHeld = 1 << 20

// paceBytes is how much of an answer a client has to take while the patience lasts.
const paceBytes = 64 << 10

func (b *bounds) check() error {
	if b.MaxConnections <= 0 || b.ClientConnections <= 0 {
		return errors.New("--max-connections and --client-connections must be above zero")
	}
	if b.MaxBatches <= 0 || b.ClientBatches <= 0 {
		return errors.New("--max-batches and --client-batches must be above zero")
	}
	if b.MaxHeld <= 0 || b.MaxHeld > maxHeld {
		return errors.New("--max-held must lie between 1 and 1048576 MiB")
	}
	if b.AnswerPatience <= 0 {
		return errors.New("--answer-patience must be above zero")
	}
	return nil
}

// room is what the bounds leave to clients.
type room struct {
	bounds  bounds
	trusted *limit.Proxies
	Batches *conns.Budget // under way
	Rows    *conns.Budget // bytes of memory for rows of batches
	Answers *conns.Budget // bytes of answers that wait until they are taken

	collecting sync.Mutex
}

// newRoom returns the room for the bounds in the memory of this process.
func newRoom(b bounds, trusted *limit.Proxies) *room {
	held := b.MaxHeld << 20
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		held = min(held, limit/4)
	}
	rows, answers := held/4*3, held/4
	r := &room{bounds: b, trusted: trusted}
	r.Batches = conns.NewBudget(int64(b.MaxBatches), int64(b.ClientBatches), nil)
	r.Rows = conns.NewBudget(rows, rows/clientShare, r.collect)
	r.Answers = conns.NewBudget(answers, answers/clientShare, nil)
	return r
}

// collectPressed is collectAt while many batches hold much memory: what they leave behind
// is then no longer small.
const collectPressed = 50

// collect lets the collector come sooner while batches hold much. When they have ended,
// it gives memory back to the system, which would take minutes else; it collects twice,
// because pools give up what they hold at the second time.
func (r *room) collect() {
	r.collecting.Lock()
	defer r.collecting.Unlock()
	pressed := r.Rows.Pressed()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(map[bool]int{true: collectPressed, false: collectAt}[pressed])
	}
	if !pressed {
		runtime.GC()
		debug.FreeOSMemory()
	}
}

// listen bounds the connections of a listener.
func (r *room) listen(l net.Listener) *conns.Listener {
	return conns.NewListener(l, &conns.Options{
		Max: r.bounds.MaxConnections, Share: r.bounds.ClientConnections, Client: r.peer,
		Pace: conns.Pace{Bytes: paceBytes, Time: r.bounds.AnswerPatience},
	})
}

// peer is whose a connection is. A trusted proxy speaks for many.
func (r *room) peer(remoteAddr string) netip.Prefix {
	return r.trusted.Peer(remoteAddr)
}

// count shows how much of the room is taken.
func (r *room) count(m *telemetry.Metrics, l *conns.Listener) {
	m.Gauge("slipstick_connections", "Connections of clients.", func() float64 { return float64(l.Figures().Open) })
	m.Watch("slipstick_connections_evicted_total", "Idle connections that were ended to make room for others.", func() float64 { return float64(l.Figures().Evicted) })
	m.Watch("slipstick_connections_refused_total", "Connections beyond what one client may have.", func() float64 { return float64(l.Figures().Refused) })
	m.Watch("slipstick_answers_stalled_total", "Answers that were ended because the client did not take them.", func() float64 { return float64(l.Figures().Stalled) })
	m.Gauge("slipstick_batches", "Batches under way.", func() float64 { return float64(r.Batches.Used()) })
	m.Gauge("slipstick_held_bytes", "Memory for rows of batches and for answers that wait until they are taken, about.", func() float64 {
		return float64(r.Rows.Used() + r.Answers.Used())
	})
}

// newServer returns the HTTP server for a handler. Its answers are bounded by the pace
// of the listener, and not in whole.
func newServer(handler http.Handler, l *conns.Listener, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:                      handler,
		ConnContext:                  smuggling.ConnContext,
		ConnState:                    l.State,
		ReadHeaderTimeout:            readHeaderTimeout,
		ReadTimeout:                  readTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeaderBytes,
		DisableGeneralOptionsHandler: true, // OPTIONS * is answered like any OPTIONS
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
