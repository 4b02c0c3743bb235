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

	"github.com/redis/go-redis/v9"
)

// callTimeout is how long a decision waits for Redis.
const callTimeout = 25 * time.Millisecond

// keyPrefix begins all keys in Redis: slipstick:limit:<surface>:<client>.
const keyPrefix = "slipstick:limit:"

//go:embed window.lua
var windowScript string

// Shared keeps one window per client for all hosts that use one Redis, by the clock of that
// Redis. It is safe for concurrent use.
//
// Every call also counts in a Local with the same limits, which is asked first. So one host
// never accepts more than N calls of a client in a window, whatever happens to Redis, and calls
// that the host refuses do not reach Redis. While Redis does not answer within 25 ms, the Local
// decides alone: M hosts together then accept at most M*N calls. After a failure Redis gets
// only one call per second until one succeeds. A Redis that lost its data starts with empty
// windows.
//
// If the clock of Redis is set forward, the other hosts may accept one window of calls too
// early. If it is set back, calls count again from that moment, so that no client is refused
// for longer than Window.
type Shared struct {
	client    redis.UniversalClient
	script    *redis.Script
	local     *Local
	breaker   breaker
	fallbacks atomic.Int64
}

// NewShared returns a Shared with the limits and the clock of local. The caller closes
// the client, whose option ContextTimeoutEnabled must be set: without it a call to a
// slow Redis takes as long as ReadTimeout. NewShared panics if it is not.
func NewShared(client redis.UniversalClient, local *Local) *Shared {
	if !keepsDeadlines(client) {
		panic("limit: the Redis client needs ContextTimeoutEnabled")
	}
	return &Shared{client: client, script: redis.NewScript(windowScript), local: local}
}

func keepsDeadlines(client redis.UniversalClient) bool {
	switch c := client.(type) {
	case *redis.Client:
		return c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		return c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		return c.Options().ContextTimeoutEnabled
	}
	return true
}

// Allow decides on a call, which counts if it is allowed. The client must come from Client.
// Allow panics if the surface does not exist. It ignores the cancellation of the context,
// because a caller who leaves must not look like a failure of Redis.
func (s *Shared) Allow(ctx context.Context, surface string, client netip.Prefix) Decision {
	own, at := s.local.reserve(surface, client)
	if !own.Allowed || own.Limit == 0 {
		return own
	}
	all, err := s.ask(context.WithoutCancel(ctx), surface, client, own.Limit)
	switch {
	case err != nil:
		s.fallbacks.Add(1)
		return own
	case !all.Allowed:
		s.local.undo(surface, client, at)
	case own.Remaining < all.Remaining:
		return own
	}
	return all
}

// Degraded reports whether the last call of Redis failed.
func (s *Shared) Degraded() bool { return s.breaker.open() }

// Fallbacks returns how many calls were accepted without Redis.
func (s *Shared) Fallbacks() int64 { return s.fallbacks.Load() }

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
	reply, err := s.script.Run(ctx, s.client, []string{key}, limit, Window.Microseconds()).Int64Slice()
	if err == nil && len(reply) != 3 {
		err = fmt.Errorf("%d values instead of 3", len(reply))
	}
	if err != nil && !wrongType(err) {
		s.breaker.failed(s.local.clock())
		return Decision{}, err
	}
	s.breaker.succeeded(p)
	if err != nil {
		return Decision{}, err
	}
	return decide(surface, reply[0] == 1, limit, int(reply[1]), time.Duration(reply[2])*time.Microsecond), nil
}

// wrongType reports whether the key holds a value of another program. That concerns one client
// only, so it is not a failure of Redis.
func wrongType(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && strings.Contains(err.Error(), "WRONGTYPE")
}
