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

// Hosts that hear of a promote at different times move in the same moment.
func TestMoveTogether(t *testing.T) {
	for _, signed := range []bool{false, true} {
		s := newService(t, signed)
		for phase := range 3 {
			s.join(phase * 3)
		}
		s.run(2*time.Second, nil)
		s.next = 2
		s.run(5*time.Second, func() {
			if v := s.versions(everyone); len(v) != 1 {
				t.Fatalf("signed %v: versions %v at once", signed, v)
			}
		})
		s.want("promoted", "2.0.0", "2.0.0", "2.0.0")
	}
}

// A host whose registry is cut refuses calls without a pin when the others have moved, and
// follows when it can read again. Two of three that are cut hold the third one back.
func TestBlindHost(t *testing.T) {
	s := newService(t, false)
	for phase := range 3 {
		s.join(phase)
	}
	s.run(time.Second, nil)
	s.hosts[2].blind, s.next = true, 2
	s.run(agree.Limit+agree.Notice+3*time.Second, nil)
	s.want("one is blind", "2.0.0", "2.0.0", "")
	if state := s.hosts[2].State(); len(state.OutOfDate) != 1 || state.OutOfDate[0] != capability {
		t.Errorf("state %+v", state)
	}
	s.hosts[2].blind = false
	s.run(3*time.Second, nil)
	s.want("it can see", "2.0.0", "2.0.0", "2.0.0")

	s.hosts[1].blind, s.hosts[2].blind, s.next = true, true, 3
	s.run(10*time.Second, nil)
	s.want("two are blind", "2.0.0", "2.0.0", "2.0.0")
	if state := s.hosts[0].State(); len(state.Waiting) != 1 {
		t.Errorf("state %+v", state)
	}
	s.hosts[1].blind, s.hosts[2].blind = false, false
	s.run(5*time.Second, nil)
	s.want("all can see", "3.0.0", "3.0.0", "3.0.0")
}

// What was withdrawn is not served for a moment by a host that knows it.
func TestWithdrawn(t *testing.T) {
	s := newService(t, true)
	s.join(0)
	s.join(5)
	s.run(time.Second, nil)
	s.gone["1.0.0"], s.next = true, 2
	s.hosts[0].look()
	if s.hosts[0].served != "2.0.0" {
		t.Errorf("it serves %q after it has seen the withdrawal", s.hosts[0].served)
	}
	s.run(agree.Beat+2*tick, nil)
	s.want("withdrawn", "2.0.0", "2.0.0")
}

// While Redis does not answer all follow their registry alone; when it is back, with its data
// or without, nobody moves back.
func TestRedisGone(t *testing.T) {
	for _, empty := range []bool{false, true} {
		s := newService(t, false)
		s.join(0)
		s.join(5)
		s.run(time.Second, nil)
		cut := func(is bool) {
			for _, h := range s.hosts {
				h.cut = is
			}
		}
		cut(true)
		s.run(agree.Lease+time.Second, nil)
		if !s.hosts[0].State().Alone {
			t.Fatal("it is not said to be alone")
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

// Hosts that all start again with another registry than what is kept in Redis agree on that.
func TestAllStartAgain(t *testing.T) {
	s := newService(t, false)
	s.join(0)
	s.run(time.Second, nil)
	s.hosts, s.next = nil, 4
	s.join(0)
	s.join(5)
	s.run(agree.Dead+3*time.Second, nil)
	s.want("started again", "4.0.0", "4.0.0")
}

// Whatever happens to hosts, Redis and registries: nobody moves back, hosts that are in touch
// answer alike, others only for the stated time, and in the end all have the last version.
func TestAnyOrder(t *testing.T) {
	// Until it is seen, until it is told, while the others are waited for, until that is seen to be
	// over, and until what is committed then comes into force.
	const bound = look + agree.Beat + agree.Limit + agree.Beat + agree.Notice
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			s := newService(t, seed%2 == 0)
			for range 2 + r.IntN(3) {
				s.join(r.IntN(10))
			}
			apart, most := time.Duration(0), map[*host]int{}
			check := func() {
				inTouch := func(h *host) bool { return s.now.Sub(h.alone) > agree.Grace+2*agree.Beat }
				if v := s.versions(inTouch); len(v) > 1 {
					t.Fatalf("hosts in touch serve %v", v)
				}
				apart += tick // of those that can read their registry, if all can
				if len(s.versions(everyone)) < 2 || slices.ContainsFunc(s.hosts, func(h *host) bool { return h.blind || h.paused }) {
					apart = 0
				}
				if apart > bound+tick {
					t.Fatalf("%v apart: %v", apart, s.versions(everyone))
				}
				for _, h := range s.hosts {
					var n int
					fmt.Sscan(strings.TrimSuffix(h.served, ".0.0"), &n)
					if n != 0 && n < most[h] {
						t.Fatalf("%s went back from %d to %d", h.name, most[h], n)
					}
					most[h] = max(most[h], n)
				}
			}
			s.run(2*time.Second, check)
			for range 12 {
				h := s.hosts[r.IntN(len(s.hosts))]
				switch r.IntN(6) {
				case 0, 1:
					s.next++
					apart = 0 // it is waited for this one anew
				case 2:
					h.cut = !h.cut
				case 3:
					h.blind = !h.blind
				case 4:
					h.paused = !h.paused
				case 5:
					if r.IntN(3) == 0 {
						s.redis.FlushAll()
						for _, h := range s.hosts { // what some have not heard of they hear from others
							h.alone = s.now
						}
					}
				}
				s.run(time.Duration(r.IntN(4000))*time.Millisecond, check)
			}
			for _, h := range s.hosts {
				h.cut, h.blind, h.paused = false, false, false
			}
			s.run(20*time.Second, nil)
			for _, h := range s.hosts {
				if h.served != version(s.next) {
					t.Errorf("%s serves %q in the end, want %s: %+v", h.name, h.served, version(s.next), h.State())
				}
			}
		})
	}
}

// A host that was stopped while the others moved gives no answer of before, if it reaches Redis;
// if not, it is alone, as any other. It goes on with what it served if it was stopped for a moment,
// or if the others have not moved.
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
		s.want("stopped for a moment", "1.0.0", "1.0.0")

		h.paused, s.next = true, 2
		s.run(8*time.Second, nil)
		s.want("the others have moved", "2.0.0", "1.0.0")
		h.paused, h.blind, h.cut = false, true, !redis
		h.settle() // the timer goes off first
		h.Current()
		if h.cut {
			s.want("nobody can tell it", "2.0.0", "1.0.0")
			if !h.State().Alone {
				t.Error("it does not say that it is alone")
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

// What is promoted right after a version was withdrawn waits until the hosts agree on it: one that
// was stopped for less than its lease, and does not ask, answers as the others do.
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
			s.gone["2.0.0"], s.next = true, 3
			for _, h := range s.hosts {
				h.look()
			}
			s.want("withdrawn", "3.0.0", "3.0.0", "3.0.0")
			h := s.hosts[2]
			h.paused, s.next = true, 4
			s.run(time.Duration(stopped)*tick, nil)
			h.paused = false
			h.Current()
			if list := s.versions(everyone); len(list) > 1 {
				t.Errorf("stopped for %v: %q", time.Duration(stopped)*tick, list)
			}
			s.run(10*time.Second, nil)
			s.want("in the end", "4.0.0", "4.0.0", "4.0.0")
		}
	}
}

// A host whose start takes long, and whose registry lags behind, does not go on alone.
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

// What comes into force does so for the first call, without a timer.
func TestSwitchWithoutTimer(t *testing.T) {
	s := newService(t, true)
	a := s.join(0)
	s.join(0)
	s.run(time.Second, nil)
	s.next = 2
	for _, h := range s.hosts {
		h.look()
		h.Beat(t.Context())
	}
	for _, h := range s.hosts {
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
