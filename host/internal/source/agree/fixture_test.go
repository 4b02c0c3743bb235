package agree_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/source/agree"
)

const capability = "test.life.swap"

// service is hosts that share one Redis and one clock, which the test moves.
type service struct {
	t      testing.TB
	now    time.Time
	redis  *miniredis.Miniredis
	hosts  []*host
	signed bool
	next   int           // version that was made current last
	start  time.Duration // that hosts take for it
	gone   map[string]bool
	log    *slog.Logger
	forged int // values
}

// host is one of them, with its own copy of the registry.
type host struct {
	service *service
	*agree.Agreement
	name       string
	keys       agree.Keys
	says       int // version that its copy of the registry makes current
	looked     time.Time
	served     string
	behind     bool
	cut        bool // from Redis
	blind      bool // cut from the registry
	paused     bool
	unprepared bool
	phase      int
	alone      time.Time // when it was last alone
}

func newService(t testing.TB, signed bool) *service {
	s := &service{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), redis: miniredis.RunT(t), signed: signed, next: 1, gone: map[string]bool{}, log: slog.New(slog.DiscardHandler)}
	s.redis.SetTime(s.now)
	return s
}

func print(i int) string { return fmt.Sprintf("%032x", i) }

var errCut = errors.New("cut")

// cable fails the calls of a host that is cut from Redis.
type cable struct {
	redis.Client
	h *host
}

func (c cable) Do(ctx context.Context, words ...any) (any, error) {
	if c.h.cut {
		return nil, errCut
	}
	return c.Client.Do(ctx, words...)
}

// keysOf are keys of which the first one signs.
func keysOf(signs int, knows ...int) (k agree.Keys) {
	k.Signs = print(signs)
	for _, n := range knows {
		k.Knows, k.Secrets = append(k.Knows, print(n)), append(k.Secrets, []byte(print(n)))
	}
	return k
}

func (s *service) join(phase int) *host { return s.joinWith(phase, keysOf(1, 1)) }

func (s *service) joinWith(phase int, keys agree.Keys) *host {
	h := &host{service: s, name: fmt.Sprint("host", len(s.hosts)), phase: phase, keys: keys}
	h.Agreement = agree.New(cable{open(s.t, s.redis.Addr()), h}, &agree.Options{
		Address: h.name, Keys: func() agree.Keys { return h.keys }, ReadAt: func() time.Time { return h.looked },
		Changed: h.settle, Log: s.log, Timeout: 10 * time.Second, Now: func() time.Time { return s.now },
	})
	s.hosts = append(s.hosts, h)
	h.Beat(s.t.Context())
	s.now = s.now.Add(s.start)
	h.look()
	h.Beat(s.t.Context())
	return h
}

func version(n int) string { return fmt.Sprintf("%d.0.0", n) }

// look reads what the registry says.
func (h *host) look() {
	if h.blind {
		return
	}
	h.says, h.looked = h.service.next, h.service.now
	h.settle()
}

// settle serves what is decided.
func (h *host) settle() {
	if h.says == 0 {
		return
	}
	o := agree.Opinion{Capability: capability, Version: version(h.says), Prepared: !h.unprepared, Serves: func(v string) (known, serves bool) {
		for n := range h.says + 1 {
			if version(n) == v {
				return true, !h.service.gone[v] || h.blind
			}
		}
		return false, false
	}}
	if h.service.signed {
		o.Order = uint64(h.says)
	}
	d := h.Settle([]agree.Opinion{o})[capability]
	h.served, h.behind = d.Version, d.OutOfDate
}

// tick is how far the clock moves at a time.
const tick = 50 * time.Millisecond

// look is the time between two looks at a registry.
const look = time.Second

// step moves the clock, and lets every host do what is due.
func (s *service) step(n int) {
	s.now = s.now.Add(tick)
	s.redis.SetTime(s.now)
	for _, h := range s.hosts {
		if h.paused {
			continue
		}
		if h.State().Alone {
			h.alone = s.now
		}
		select {
		case <-h.Nudged():
			h.look()
		default:
		}
		if (n+3*h.phase)%20 == 0 {
			h.look()
		}
		if (n+h.phase)%10 == 0 {
			h.Beat(s.t.Context())
		}
	}
	for _, h := range s.hosts { // a call
		if !h.paused {
			h.Current()
		}
	}
}

func (s *service) run(d time.Duration, each func()) {
	for n := range int(d / tick) {
		s.step(n)
		if each != nil {
			each()
		}
	}
}

// versions are those that hosts answer with.
func (s *service) versions(counts func(*host) bool) (list []string) {
	for _, h := range s.hosts {
		if !h.paused && h.served != "" && counts(h) && !slices.Contains(list, h.served) {
			list = append(list, h.served)
		}
	}
	return list
}

func everyone(*host) bool { return true }

// want checks what each host serves; "" is a host that refuses calls without a pin.
func (s *service) want(what string, served ...string) {
	s.t.Helper()
	for i, h := range s.hosts {
		if h.served != served[i] {
			s.t.Errorf("%s: %s serves %q, want %q (%+v)", what, h.name, h.served, served[i], h.State())
		}
	}
}

// open returns a client that sends every command once.
func open(t testing.TB, addr string) redis.Client {
	t.Helper()
	c, err := redis.Open("redis://" + addr + "?max_retries=0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
