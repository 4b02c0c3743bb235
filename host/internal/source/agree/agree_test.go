package agree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/source/agree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Servers that read a promotion at different times switch at the same time.
func TestSwitchTogether(t *testing.T) {
	for _, signed := range []bool{false, true} {
		s := newService(t, signed)
		for phase := range 3 {
			s.join(phase * 3)
		}
		s.run(2*time.Second, nil)
		s.next = 2
		s.run(5*time.Second, func() {
			if v := s.versions(all); len(v) != 1 {
				t.Fatalf("signed %v: versions %v at once", signed, v)
			}
		})
		s.want("promoted", "2.0.0", "2.0.0", "2.0.0")
	}
}

// A server without access to its registry refuses calls without a pin after the others have switched. It
// follows when it can read the registry again. Two of three such servers delay the third one.
func TestBlindServer(t *testing.T) {
	s := newService(t, false)
	for phase := range 3 {
		s.join(phase)
	}
	s.run(time.Second, nil)
	s.servers[2].blind, s.next = true, 2
	s.run(agree.Limit+agree.Notice+3*time.Second, nil)
	s.want("one is blind", "2.0.0", "2.0.0", "")
	if state := s.servers[2].State(); len(state.OutOfDate) != 1 || state.OutOfDate[0] != capability {
		t.Errorf("state %+v", state)
	}
	s.servers[2].blind = false
	s.run(3*time.Second, nil)
	s.want("it can see", "2.0.0", "2.0.0", "2.0.0")

	s.servers[1].blind, s.servers[2].blind, s.next = true, true, 3
	s.run(10*time.Second, nil)
	s.want("two are blind", "2.0.0", "2.0.0", "2.0.0")
	if state := s.servers[0].State(); len(state.Waiting) != 1 {
		t.Errorf("state %+v", state)
	}
	s.servers[1].blind, s.servers[2].blind = false, false
	s.run(5*time.Second, nil)
	s.want("all can see", "3.0.0", "3.0.0", "3.0.0")
}

// A server never serves a withdrawn version after it has read the withdrawal.
func TestWithdrawn(t *testing.T) {
	s := newService(t, true)
	s.join(0)
	s.join(5)
	s.run(time.Second, nil)
	s.withdrawn["1.0.0"], s.next = true, 2
	s.servers[0].look()
	if s.servers[0].served != "2.0.0" {
		t.Errorf("it serves %q after it has seen the withdrawal", s.servers[0].served)
	}
	s.run(agree.Beat+2*tick, nil)
	s.want("withdrawn", "2.0.0", "2.0.0")
}

// While Redis does not answer, each server follows its registry alone. When Redis is back, with or without
// its data, no server switches back.
func TestRedisDown(t *testing.T) {
	for _, empty := range []bool{false, true} {
		s := newService(t, false)
		s.join(0)
		s.join(5)
		s.run(time.Second, nil)
		cut := func(is bool) {
			for _, h := range s.servers {
				h.cut = is
			}
		}
		cut(true)
		s.run(agree.Lease+time.Second, nil)
		if !s.servers[0].State().Alone {
			t.Fatal("its state does not report that it is alone")
		}
		s.next = 2
		s.run(2*time.Second, nil)
		s.want("alone", "2.0.0", "2.0.0")
		if empty {
			s.redis.FlushAll()
		}
		cut(false)
		s.run(3*time.Second, func() { s.want("it is back", "2.0.0", "2.0.0") })
		s.next = 3
		s.run(5*time.Second, nil)
		s.want("together again", "3.0.0", "3.0.0")
	}
}

// If all servers restart with another current version than Redis has, they agree on the new version.
func TestAllRestart(t *testing.T) {
	s := newService(t, false)
	s.join(0)
	s.run(time.Second, nil)
	s.servers, s.next = nil, 4
	s.join(0)
	s.join(5)
	s.run(agree.Dead+3*time.Second, nil)
	s.want("started again", "4.0.0", "4.0.0")
}

// For any sequence of failures of servers, Redis and registries, no server switches back. Connected servers
// serve the same version. Other servers differ only for the stated time. In the end all servers serve the
// last version.
func TestAnyOrder(t *testing.T) {
	// A server sees the version, sends it, and waits for the others. Then it sees the end of the wait, and
	// the commit takes effect.
	const bound = look + agree.Beat + agree.Limit + agree.Beat + agree.Notice
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			s := newService(t, seed%2 == 0)
			for range 2 + r.IntN(3) {
				s.join(r.IntN(10))
			}
			disagreeing, highest := time.Duration(0), map[*server]int{}
			check := func() {
				connected := func(h *server) bool { return s.now.Sub(h.alone) > agree.Grace+2*agree.Beat }
				if v := s.versions(connected); len(v) > 1 {
					t.Fatalf("connected servers serve %v", v)
				}
				disagreeing += tick // counts only while all servers can read their registry
				if len(s.versions(all)) < 2 || slices.ContainsFunc(s.servers, func(h *server) bool { return h.blind || h.paused }) {
					disagreeing = 0
				}
				if disagreeing > bound+tick {
					t.Fatalf("different versions for %v: %v", disagreeing, s.versions(all))
				}
				for _, h := range s.servers {
					var n int
					fmt.Sscan(strings.TrimSuffix(h.served, ".0.0"), &n)
					if n != 0 && n < highest[h] {
						t.Fatalf("%s went back from %d to %d", h.name, highest[h], n)
					}
					highest[h] = max(highest[h], n)
				}
			}
			s.run(2*time.Second, check)
			for range 12 {
				h := s.servers[r.IntN(len(s.servers))]
				switch r.IntN(6) {
				case 0, 1:
					s.next++
					disagreeing = 0 // the wait starts again for this version
				case 2:
					h.cut = !h.cut
				case 3:
					h.blind = !h.blind
				case 4:
					h.paused = !h.paused
				case 5:
					if r.IntN(3) == 0 {
						s.redis.FlushAll()
						for _, h := range s.servers { // some servers read a commit only from other servers
							h.alone = s.now
						}
					}
				}
				s.run(time.Duration(r.IntN(4000))*time.Millisecond, check)
			}
			for _, h := range s.servers {
				h.cut, h.blind, h.paused = false, false, false
			}
			s.run(20*time.Second, nil)
			for _, h := range s.servers {
				if h.served != version(s.next) {
					t.Errorf("%s serves %q in the end, want %s: %+v", h.name, h.served, version(s.next), h.State())
				}
			}
		})
	}
}

// A server that was stopped while the others switched does not answer from the old version if it reaches
// Redis. Otherwise it is alone. It continues with its version if it was stopped only briefly, or if the
// others have not switched.
func TestStopped(t *testing.T) {
	for _, redis := range []bool{true, false} {
		s := newService(t, false)
		s.join(0)
		h := s.join(5)
		s.run(2*time.Second, nil)
		h.paused = true
		s.run(agree.Beat, nil)
		h.paused = false
		h.Current()
		s.want("stopped briefly", "1.0.0", "1.0.0")

		h.paused, s.next = true, 2
		s.run(8*time.Second, nil)
		s.want("the others have switched", "2.0.0", "1.0.0")
		h.paused, h.blind, h.cut = false, true, !redis
		h.settle() // the timer fires first
		h.Current()
		if h.cut {
			s.want("it cannot reach Redis", "2.0.0", "1.0.0")
			if !h.State().Alone {
				t.Error("its state does not report that it is alone")
			}
			h.cut = false
			s.run(agree.Beat, nil)
		}
		s.want("it cannot follow", "2.0.0", "")
		h.blind = false
		s.run(time.Second, nil)
		s.want("it follows", "2.0.0", "2.0.0")
	}
}

// A promotion right after a withdrawal waits until the servers agree on it. So a server that was stopped for
// less than its lease, and does not ask Redis, answers like the others.
func TestPromotedAfterWithdrawal(t *testing.T) {
	for _, signed := range []bool{false, true} {
		for stopped := 20; stopped < 36; stopped++ {
			s := newService(t, signed)
			for phase := range 3 {
				s.join(phase)
			}
			s.next = 2
			s.run(4*time.Second, nil)
			s.want("at first", "2.0.0", "2.0.0", "2.0.0")
			s.withdrawn["2.0.0"], s.next = true, 3
			for _, h := range s.servers {
				h.look()
			}
			s.want("withdrawn", "3.0.0", "3.0.0", "3.0.0")
			h := s.servers[2]
			h.paused, s.next = true, 4
			s.run(time.Duration(stopped)*tick, nil)
			h.paused = false
			h.Current()
			if list := s.versions(all); len(list) > 1 {
				t.Errorf("stopped for %v: %q", time.Duration(stopped)*tick, list)
			}
			s.run(10*time.Second, nil)
			s.want("in the end", "4.0.0", "4.0.0", "4.0.0")
		}
	}
}

// A server with a slow start and an outdated registry does not act alone.
func TestSlowStart(t *testing.T) {
	s := newService(t, true)
	s.join(0)
	s.run(time.Second, nil)
	s.next = 2
	s.run(5*time.Second, nil)
	s.start, s.next = 3*time.Second, 1
	h := s.join(5)
	h.blind, s.next = true, 2
	h.Current()
	s.want("started", "2.0.0", "")
	h.blind = false
	s.run(2*time.Second, nil)
	s.want("it follows", "2.0.0", "2.0.0")
}

// A commit takes effect for the first call after its time, without a timer.
func TestSwitchWithoutTimer(t *testing.T) {
	s := newService(t, true)
	a := s.join(0)
	s.join(0)
	s.run(time.Second, nil)
	s.next = 2
	for _, h := range s.servers {
		h.look()
		h.Beat(t.Context())
	}
	for _, h := range s.servers {
		h.Beat(t.Context())
	}
	s.want("agreed", "1.0.0", "1.0.0")
	s.now = s.now.Add(agree.Notice - time.Millisecond)
	a.Current()
	s.want("before", "1.0.0", "1.0.0")
	s.now = s.now.Add(2 * time.Millisecond)
	a.Current()
	s.want("after", "2.0.0", "1.0.0")
	if late := a.State().Late; late != time.Millisecond {
		t.Errorf("%v late", late)
	}
}

func BenchmarkCurrent(b *testing.B) {
	s := newService(b, false)
	h := s.join(0)
	for b.Loop() {
		h.Current()
	}
}
