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

// service is a set of servers that share one Redis and one clock, which the test moves.
type service struct {
	t         testing.TB
	now       time.Time
	redis     *miniredis.Miniredis
	servers   []*server
	signed    bool
	next      int           // version that is current in the registry
	start     time.Duration // how long a start of a server takes
	withdrawn map[string]bool
	log       *slog.Logger
	forged    int // number of forged values
}

// server is a server of a service, with its own copy of the registry.
type server struct {
	service *service
	*agree.Agreement
	name       string
	keys       agree.Keys
	published  int // version that is current in its copy of the registry
	looked     time.Time
	served     string
	outOfDate  bool
	cut        bool // cut from Redis
	blind      bool // cut from the registry
	paused     bool
	unprepared bool
	phase      int
	alone      time.Time // when it was last alone
}

func newService(t testing.TB, signed bool) *service {
	s := &service{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), redis: miniredis.RunT(t), signed: signed, next: 1, withdrawn: map[string]bool{}, log: slog.New(slog.DiscardHandler)}
	s.redis.SetTime(s.now)
	return s
}

func fingerprint(i int) string { return fmt.Sprintf("%032x", i) }

var errCut = errors.New("cut")

// cuttable fails the calls of a server that is cut from Redis.
type cuttable struct {
	redis.Client
	h *server
}

func (c cuttable) Do(ctx context.Context, words ...any) (any, error) {
	if c.h.cut {
		return nil, errCut
	}
	return c.Client.Do(ctx, words...)
}

// keysOf returns keys. The first parameter is the signing key.
func keysOf(signs int, knows ...int) (k agree.Keys) {
	k.Signs = fingerprint(signs)
	for _, n := range knows {
		k.Knows, k.Secrets = append(k.Knows, fingerprint(n)), append(k.Secrets, []byte(fingerprint(n)))
	}
	return k
}

func (s *service) join(phase int) *server { return s.joinWith(phase, keysOf(1, 1)) }

func (s *service) joinWith(phase int, keys agree.Keys) *server {
	h := &server{service: s, name: fmt.Sprint("host", len(s.servers)), phase: phase, keys: keys}
	h.Agreement = agree.New(cuttable{open(s.t, s.redis.Addr()), h}, &agree.Options{
		Address: h.name, Keys: func() agree.Keys { return h.keys }, ReadAt: func() time.Time { return h.looked },
		Changed: h.settle, Log: s.log, Timeout: 10 * time.Second, Now: func() time.Time { return s.now },
	})
	s.servers = append(s.servers, h)
	h.Beat(s.t.Context())
	s.now = s.now.Add(s.start)
	h.look()
	h.Beat(s.t.Context())
	return h
}

func version(n int) string { return fmt.Sprintf("%d.0.0", n) }

// look reads the registry.
func (h *server) look() {
	if h.blind {
		return
	}
	h.published, h.looked = h.service.next, h.service.now
	h.settle()
}

// settle serves the decided version.
func (h *server) settle() {
	if h.published == 0 {
		return
	}
	o := agree.Opinion{Capability: capability, Version: version(h.published), Prepared: !h.unprepared, Serves: func(v string) (known, serves bool) {
		for n := range h.published + 1 {
			if version(n) == v {
				return true, !h.service.withdrawn[v] || h.blind
			}
		}
		return false, false
	}}
	if h.service.signed {
		o.Order = uint64(h.published)
	}
	d := h.Settle([]agree.Opinion{o})[capability]
	h.served, h.outOfDate = d.Version, d.OutOfDate
}

// tick is the length of one step of the clock.
const tick = 50 * time.Millisecond

// look is the interval between two looks at a registry.
const look = time.Second

// step moves the clock, and runs the due work of every server.
func (s *service) step(n int) {
	s.now = s.now.Add(tick)
	s.redis.SetTime(s.now)
	for _, h := range s.servers {
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
	for _, h := range s.servers { // a call
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

// versions returns the different versions that the counted servers serve.
func (s *service) versions(counts func(*server) bool) (list []string) {
	for _, h := range s.servers {
		if !h.paused && h.served != "" && counts(h) && !slices.Contains(list, h.served) {
			list = append(list, h.served)
		}
	}
	return list
}

func all(*server) bool { return true }

// want checks the version that each server serves; "" means that it refuses calls without a pin.
func (s *service) want(what string, served ...string) {
	s.t.Helper()
	for i, h := range s.servers {
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
