// Package agree coordinates the servers of a service through one Redis. They agree on the keys of snapshots,
// on the bytes of every published version, and on the time at which a version becomes current.
// [Agreement.Run] exchanges messages, [Agreement.Settle] decides on the current versions, and
// [Agreement.Vet] compares digests.
//
// An agreement can only delay a server, or keep it from answering. A server never serves a version that its
// own registry has not made current. The servers seal their values with keys that are derived from
// the keys of snapshots, and ignore values without a valid seal. An attacker with write access to Redis can
// remove values and copy old ones back, but cannot forge one. While Redis does not answer, each server acts
// alone.
package agree

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// Keys describes the keys of snapshots for an [Agreement].
type Keys struct {
	Signs   string   // fingerprint of the signing key
	Knows   []string // fingerprints of all keys
	Secrets [][]byte // one for each key, derived from it for this use only
}

// Options are options of an [Agreement].
type Options struct {
	Address string           // address on which the server listens, for people
	Keys    func() Keys      // returns the present keys
	Ready   func() bool      // reports whether the server receives requests, apart from problems that the Agreement knows; nil: always
	ReadAt  func() time.Time // returns the time of the registry's data; zero while the registry cannot be read
	Changed func()           // is called when Settle can decide otherwise
	Log     *slog.Logger
	Timeout time.Duration    // for one call of Redis; 400 ms if zero
	Now     func() time.Time // with a monotonic clock; time.Now if nil
}

// Agreement is the part of one server in the agreement of a service. A nil Agreement belongs to a server
// that is always alone. It is safe for concurrent use.
type Agreement struct {
	options Options
	redis   store
	id      string
	start   time.Time
	nudged  chan struct{}
	woken   chan struct{}
	beating sync.Mutex // is locked by Beat

	renewing sync.Mutex   // is locked while Current updates the decision
	until    atomic.Int64 // local time until which the last decision is valid

	mu             sync.Mutex
	opinions       map[string]*opinion
	commits        map[string]*known
	servers        []Server
	misfit         *Server  // a server with other keys than this one, nil if there is none
	admitted       []string // fingerprints of the keys of this server when they last matched the keys of the others
	joined         int64
	epoch          string    // identifies the data in Redis
	counter        uint64    // number of the last change that was read from Redis
	contact        time.Time // start of the last complete exchange with Redis
	asked          time.Time // start of the last attempt of an exchange
	settled        int64     // local time of the last Settle
	settledAlone   bool      // the last Settle decided without the other servers
	settledStopped bool      // this server was stopped before the last Settle
	clockRead      time.Time // local time at which Redis's clock showed clock
	clock          int64
	connected      bool              // the last exchange was complete; false before the first one
	loggedAlone    bool              // the log output has a message that this server acts alone
	news           bool              // the decision can have changed since the last call of Changed
	switches       uint64            // changes of served versions
	late           time.Duration     // delay of the last change
	stored         map[string]string // the last known values of commits in Redis, by capability
	forged         uint64            // number of values read without a valid seal
	warned         map[string]bool   // kinds of forged values that were logged
	ahead          map[string]ahead  // by capability: versions of others that the registry of this server does not have as current
	digests
}

// ahead is a version that another server wants or has agreed on, and the time when this server learned it.
type ahead struct {
	version string
	since   time.Time
}

// New returns the [Agreement] of a server with all servers that use the same Redis. The client needs
// ContextTimeoutEnabled. The Agreement sends nothing before Beat or Run.
func New(client redis.Client, o *Options) *Agreement {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	a := &Agreement{
		options: *o, redis: store{client, cmp.Or(o.Timeout, timeout)}, id: hex.EncodeToString(id), nudged: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		opinions: map[string]*opinion{}, commits: map[string]*known{}, ahead: map[string]ahead{}, stored: map[string]string{}, warned: map[string]bool{},
	}
	if a.options.Now == nil {
		a.options.Now = time.Now
	}
	a.start = a.options.Now()
	return a
}

// Run exchanges messages until the context ends. Then it removes this server from Redis.
func (a *Agreement) Run(ctx context.Context) {
	if a == nil {
		return
	}
	var due *time.Timer
	due = time.AfterFunc(time.Hour, func() {
		a.changed()
		a.schedule(due)
	})
	defer due.Stop()
	next := time.NewTicker(Beat)
	defer next.Stop()
	for ctx.Err() == nil {
		a.Beat(ctx)
		a.schedule(due)
		select {
		case <-next.C:
		case <-a.woken:
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.redis.timeout)
	defer cancel()
	a.redis.leave(ctx, a.id)
}

// Nudged returns a channel that receives when another server has newer data of the registry than this one.
func (a *Agreement) Nudged() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.nudged
}

// maxRounds is the maximum number of exchanges of one Beat. A large registry takes several replies.
const maxRounds = 64

var errEndless = errors.New("redis: every reply is incomplete")

// Beat exchanges messages with the other servers through Redis, and updates the decisions.
func (a *Agreement) Beat(ctx context.Context) {
	a.beating.Lock()
	defer a.beating.Unlock()
	start, next, err := time.Time{}, incomplete, error(nil)
	for range maxRounds {
		start = a.options.Now()
		next, err = a.round(ctx, start)
		if err != nil || next == settled {
			break
		}
	}
	switch {
	case err != nil:
		a.noteFailure(err, start)
	case next == incomplete:
		a.noteFailure(errEndless, start)
	default:
		a.noteSuccess(start)
	}
	if a.takeNews() {
		a.changed()
	}
}

// takeNews reports whether the decision can have changed, and resets news.
func (a *Agreement) takeNews() (news bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	news, a.news = a.news, false
	if !news {
		a.extend()
	}
	return news
}

// progress is the progress of the exchanges of one Beat.
type progress int

const (
	incomplete progress = iota // Redis has more changes
	offered                    // all changes are read; it is unknown whether Redis stored the offers
	settled                    // all changes are read, and there are no offers
)

// round is one exchange with Redis. The first one only reads, because a message needs Redis's time. If an
// exchange takes longer than its timeout allows, the process was stopped. round ignores the reply then,
// because it can be out of date.
func (a *Agreement) round(ctx context.Context, start time.Time) (progress, error) {
	message := a.message()
	reply, err := a.redis.beat(ctx, message)
	if a.options.Now().Sub(start) > 2*a.redis.timeout {
		return incomplete, nil
	}
	if err != nil {
		return incomplete, err
	}
	offers, more := a.receive(message, reply, start)
	for chunk := range slices.Chunk(offers, maxChanges) {
		if err := a.offer(ctx, chunk); err != nil {
			return incomplete, err
		}
	}
	switch {
	case more || message.record == "":
		return incomplete, nil
	case len(offers) > 0:
		return offered, nil
	}
	return settled, nil
}

// noteSuccess records a complete exchange.
func (a *Agreement) noteSuccess(start time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.contact, a.asked = start, start
	a.news = a.news || a.settledAlone
	if a.connected {
		return
	}
	if a.loggedAlone { // a server that starts without problems logs nothing
		a.options.Log.Info("the server agrees on current versions with the other servers again", "servers", len(a.servers))
	}
	a.connected, a.loggedAlone, a.news = true, false, true
}

// noteFailure records that Redis did not answer.
func (a *Agreement) noteFailure(err error, start time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = start
	a.news = a.news || a.settledStopped
	if a.alone() && !a.loggedAlone {
		a.connected, a.loggedAlone, a.news = false, true, true
		a.options.Log.Warn("the server cannot read the agreement of the servers from Redis, and acts alone", "error", err)
	}
}
