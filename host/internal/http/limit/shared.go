package limit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// callTimeout is how long a decision waits for Redis. It is longer than a busy machine stops a process. With a
// shorter timeout, servers would count alone and accept more than the limit although Redis works. A call that
// creates a snapshot has the same deadline.
const callTimeout = 250 * time.Millisecond

// keyPrefix is the prefix of all keys in Redis: slipstick:limit:<surface>:<client>.
const keyPrefix = "slipstick:limit:"

//go:embed window.lua
var windowScript string

// Shared keeps one window per client for all servers that use one Redis, by the clock of that Redis. It is safe
// for concurrent use.
//
// Every call also counts in a Local with the same limits, which decides first. So one server never accepts more
// than N calls of a client in a window, even if Redis fails. Calls that the server itself refuses do not reach
// Redis.
//
// If Redis does not answer within 250 ms, the Local decides alone. Clients that Redis refused before remain
// refused until the time that Redis reported. M servers together then accept at most M*N calls. After a failure
// Redis gets pings in the background, and at most one call per second until it answers. So when Redis stops
// answering, the calls of the first 250 ms wait for at most 250 ms. After that, one call a second waits. A
// Redis that answers late delays every call. A Redis that lost its data starts with empty windows.
//
// If the clock of Redis is set forward, the other servers may accept one window of calls too early. If it is
// set back, calls count from the new time on, so that no client is refused for longer than Window.
type Shared struct {
	client       redis.Client
	script       *redis.Script
	local        *Local
	breaker      breaker
	refusals     refusals
	fallbacks    atomic.Int64
	lastFallback atomic.Int64 // 1 ns after the last fallback, by the clock of local; 0: there was none
}

// NewShared returns a Shared with the limits and the clock of local. The caller closes the
// client.
func NewShared(client redis.Client, local *Local) *Shared {
	return &Shared{client: client, script: redis.NewScript(windowScript), local: local}
}

// Allow decides on a call, which counts if it is allowed. The client must come from Client. Allow panics if the
// surface does not exist. It ignores the cancellation of the context, because a caller who leaves must not look
// like a failure of Redis.
func (s *Shared) Allow(ctx context.Context, surface string, client netip.Prefix) Decision {
	own, at := s.local.reserve(surface, client)
	if !own.Allowed || own.Limit == 0 {
		return own
	}
	all, err := s.ask(context.WithoutCancel(ctx), surface, client, own.Limit)
	switch {
	case err != nil:
		k, now := keyOf(surfaceIndex(surface), client), s.local.clock()
		if wait := s.refusals.wait(k, now); wait > 0 {
			s.local.undo(surface, client, at)
			return decide(surface, false, own.Limit, own.Limit, wait)
		}
		s.fallbacks.Add(1)
		s.lastFallback.Store(int64(now) + 1)
		return own
	case !all.Allowed:
		s.local.undo(surface, client, at)
		now := s.local.clock()
		s.refusals.note(keyOf(surfaceIndex(surface), client), now, now+all.RetryAfter)
	case own.Remaining < all.Remaining:
		return own
	}
	return all
}

// Degraded reports whether the last call of Redis failed.
func (s *Shared) Degraded() bool { return s.breaker.open() }

// Fallbacks returns how many calls were accepted without Redis.
func (s *Shared) Fallbacks() int64 { return s.fallbacks.Load() }

// FellBackWithin reports whether a call was accepted without Redis in the last d.
func (s *Shared) FellBackWithin(d time.Duration) bool {
	last := s.lastFallback.Load()
	return last != 0 && s.local.clock()-time.Duration(last-1) < d
}

var errOpen = errors.New("redis failed less than a second ago")

// ask lets Redis decide.
func (s *Shared) ask(ctx context.Context, surface string, client netip.Prefix, limit int) (Decision, error) {
	p, ok := s.breaker.admit(s.local.clock())
	if !ok {
		return Decision{}, errOpen
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	key := keyPrefix + surface + ":" + client.String()
	reply, err := s.script.Run(ctx, s.client, []string{key}, limit, Window.Microseconds())
	var numbers [3]int64
	if err == nil {
		numbers, err = parseReply(reply)
	}
	if err != nil && !wrongType(err) {
		if p, opened := s.breaker.failed(s.local.clock()); opened {
			go s.probe(context.WithoutCancel(ctx), p)
		}
		return Decision{}, err
	}
	s.breaker.succeeded(p)
	if err != nil {
		return Decision{}, err
	}
	return decide(surface, numbers[0] == 1, limit, int(numbers[1]), time.Duration(numbers[2])*time.Microsecond), nil
}

// parseReply reads the reply of the script: whether the call is allowed, how many calls count, and how long to
// wait, in us.
func parseReply(reply any) (numbers [3]int64, err error) {
	list, _ := reply.([]any)
	if len(list) != len(numbers) {
		return numbers, fmt.Errorf("redis: %v in place of three numbers", reply)
	}
	for i, one := range list {
		n, ok := one.(int64)
		if !ok {
			return numbers, fmt.Errorf("redis: %v in place of a number", one)
		}
		numbers[i] = n
	}
	return numbers, nil
}

// probe checks in the background whether a late Redis answers again. So a server does not count alone for
// longer than Redis was stopped.
func (s *Shared) probe(ctx context.Context, p pass) {
	for range probeEvery / callTimeout {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		err := ping(ctx, s.client)
		cancel()
		if err == nil {
			s.breaker.succeeded(p)
			return
		}
	}
}

func ping(ctx context.Context, client redis.Client) error {
	_, err := client.Do(ctx, "ping")
	return err
}

// wrongType reports whether the key holds a value of another program. This affects one client only, so it is
// not a failure of Redis.
func wrongType(err error) bool {
	return redis.IsRefusal(err, "") && strings.Contains(err.Error(), "WRONGTYPE")
}
