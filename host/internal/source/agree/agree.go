// Package agree answers one question: what have the servers that share one Redis agreed on? They
// agree on the keys of snapshots, on the bytes of every published version, and on the time at
// which a version becomes current.
//
// What is agreed only ever holds a server back, or keeps it from answering. The version that a
// server serves is always one that its own registry makes current. The servers seal what they
// write with keys that are derived from the keys of snapshots, and ignore values without a valid
// seal. An attacker with write access to Redis can remove values and copy old ones back, but
// cannot forge one. While Redis does not answer, each server acts alone.
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

// Keys are what an Agreement needs of the keys of snapshots.
type Keys struct {
	Signs   string   // fingerprint of the key that signs
	Knows   []string // fingerprints of all keys
	Secrets [][]byte // one for each key, derived from it for this use only
}

// Options of an Agreement.
type Options struct {
	Address string      // that the host listens on, for people
	Keys    func() Keys // as they are now
	Ready   func() bool // whether requests are sent to this host, apart from what the Agreement knows; nil: always
	ReadAt  func() time.Time
	Changed func() // is called when something may be decided otherwise
	Log     *slog.Logger
	Timeout time.Duration    // of one call of Redis; 400 ms if zero
	Now     func() time.Time // with a monotonic clock; time.Now if nil
}

// Agreement is one host's part in what is agreed. A nil Agreement is that of a host that is
// always alone. It is safe for concurrent use.
type Agreement struct {
	options Options
	redis   store
	id      string
	began   time.Time
	nudged  chan struct{}
	woken   chan struct{}
	beating sync.Mutex // held by Beat

	renewing sync.Mutex   // held while Current finds out what is decided
	until    atomic.Int64 // local time at which what was settled last may not hold any more

	mu       sync.Mutex
	opinions map[string]*opinion
	commits  map[string]*known
	hosts    []Host
	misfit   *Host    // the host whose keys differ from those of this one, nil if there is none
	admitted []string // fingerprints of its keys when they fitted to those of the others, or it was the first
	joined   int64
	epoch    string    // of the data in Redis
	counter  uint64    // of the last change read from there
	contact  time.Time // Redis was asked then, and has told everything
	asked    time.Time // the same, whether or not it answered
	settled  int64     // local time of the last Settle
	apart    bool      // that was settled without the other hosts
	guessed  bool      // that was settled by a host that was stopped
	mid      time.Time // when Redis's clock showed clock
	clock    int64
	inTouch  bool // Redis answers; false as well while that is not known yet
	lonely   bool // that this host acts alone was said
	news     bool // since the last Changed
	switches uint64
	late     time.Duration     // of the last one
	kept     map[string]string // values of commits that Redis had last, by capability
	forged   uint64            // values read without a valid seal
	warned   map[string]bool   // kinds of such values that the log has
	ahead    map[string]ahead  // what others want or have agreed on, and this host does not want
	digests
}

// ahead is a version that another host knows of, and since when this one has heard of it.
type ahead struct {
	version string
	since   time.Time
}

// New returns the Agreement of a host with those that use the same Redis. The client needs
// ContextTimeoutEnabled. Nothing is sent before Beat or Run.
func New(client redis.Client, o *Options) *Agreement {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	a := &Agreement{
		options: *o, redis: store{client, cmp.Or(o.Timeout, timeout)}, id: hex.EncodeToString(id), nudged: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		opinions: map[string]*opinion{}, commits: map[string]*known{}, ahead: map[string]ahead{}, kept: map[string]string{}, warned: map[string]bool{},
	}
	if a.options.Now == nil {
		a.options.Now = time.Now
	}
	a.began = a.options.Now()
	return a
}

// Run sends messages until the context ends, and then says that this host has gone.
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

// Nudged receives when another host has seen something in the registry that this one has not.
func (a *Agreement) Nudged() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.nudged
}

// mostRounds bounds how often one Beat asks Redis: a large library takes several replies.
const mostRounds = 64

var errEndless = errors.New("redis: there is more to hear after each answer")

// Beat tells the other hosts of this one, hears of them, and decides what there is to decide.
func (a *Agreement) Beat(ctx context.Context) {
	a.beating.Lock()
	defer a.beating.Unlock()
	began, next, err := time.Time{}, unheard, error(nil)
	for range mostRounds {
		began = a.options.Now()
		next, err = a.round(ctx, began)
		if err != nil || next == settled {
			break
		}
	}
	switch {
	case err != nil:
		a.lost(err, began)
	case next == unheard:
		a.lost(errEndless, began)
	default:
		a.touched(began)
	}
	if a.takeNews() {
		a.changed()
	}
}

// takeNews reports whether something was heard that may change what is served.
func (a *Agreement) takeNews() (news bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	news, a.news = a.news, false
	if !news {
		a.extend()
	}
	return news
}

// progress is how far the exchanges of one Beat have come.
type progress int

const (
	unheard progress = iota // Redis has more to tell
	offered                 // everything is heard; whether Redis took the offers is not
	settled
)

// round is one exchange with Redis. The first one only listens, because a message needs Redis's
// time. An exchange that took longer than it can was interrupted because the process was stopped,
// and does not describe the present.
func (a *Agreement) round(ctx context.Context, began time.Time) (progress, error) {
	message := a.message()
	reply, err := a.redis.beat(ctx, message)
	if a.options.Now().Sub(began) > 2*a.redis.timeout {
		return unheard, nil
	}
	if err != nil {
		return unheard, err
	}
	offers, more := a.hear(message, reply, began)
	for chunk := range slices.Chunk(offers, maxChanges) {
		if err := a.offer(ctx, chunk); err != nil {
			return unheard, err
		}
	}
	switch {
	case more || message.record == "":
		return unheard, nil
	case len(offers) > 0:
		return offered, nil
	}
	return settled, nil
}

// touched notes that Redis answered.
func (a *Agreement) touched(began time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.contact, a.asked = began, began
	a.news = a.news || a.apart
	if a.inTouch {
		return
	}
	if a.lonely { // that is what is said, and not that a host starts as it should
		a.options.Log.Info("this host takes part in what the hosts agree on again", "hosts", len(a.hosts))
	}
	a.inTouch, a.lonely, a.news = true, false, true
}

// lost notes that Redis did not answer.
func (a *Agreement) lost(err error, began time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = began
	a.news = a.news || a.guessed
	if a.alone() && !a.lonely {
		a.inTouch, a.lonely, a.news = false, true, true
		a.options.Log.Warn("what the hosts agree on cannot be read from Redis; this host acts alone", "error", err)
	}
}
