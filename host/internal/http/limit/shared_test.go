package limit_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

const clientKey = "slipstick:limit:calc:10.0.0.0/32"

func TestSharedParallel(t *testing.T) {
	s := startRedis(t)
	for _, servers := range []int{1, 2, 5} {
		var all []limiter
		for range servers {
			all = append(all, newPatientShared(t, s.addr, nil, nil))
		}
		got := atOnce(t, 100, func(i int) limiter { return all[i%servers] })
		logMeasured(t, "100 parallel calls to %d servers: %d accepted", servers, got)
		if got != 60 {
			t.Errorf("%d of 100 parallel calls to %d servers accepted, want 60", got, servers)
		}
		ask(t, newClient(t, s.addr), "flushall")
	}
}

func TestTwoServersShareOneLimit(t *testing.T) {
	s := startRedis(t)
	first, second := newPatientShared(t, s.addr, nil, nil), newPatientShared(t, s.addr, nil, nil)
	wantAccepted(t, first, nthClient(0), 40, 40)
	wantAccepted(t, second, nthClient(0), 40, 20)
	wantAccepted(t, first, nthClient(0), 10, 0)
	wantAccepted(t, second, nthClient(1), 61, 60)
}

// A call that Redis refuses does not count on the server.
func TestRefusedByRedisIsTakenBack(t *testing.T) {
	c, m := &clock{}, miniredis.RunT(t)
	begin := time.Now()
	m.SetTime(begin)
	first, second := newPatientShared(t, m.Addr(), nil, c.read), newPatientShared(t, m.Addr(), nil, c.read)
	wantAccepted(t, first, nthClient(0), 60, 60)
	wantAccepted(t, second, nthClient(0), 500, 0)
	c.now = time.Millisecond // the calls of second would still count here
	m.SetTime(begin.Add(limit.Window))
	wantAccepted(t, second, nthClient(0), 61, 60)
}

// The script has the same effect in Redis as in miniredis.
func TestScriptInRedis(t *testing.T) {
	s, ctx := startRedis(t), t.Context()
	client, server := newClient(t, s.addr), newPatientShared(t, s.addr, nil, nil)
	wantAccepted(t, server, nthClient(0), 1, 1)
	text, _ := ask(t, client, "lindex", clientKey, 0).(string)
	first, err := strconv.ParseInt(text, 10, 64)
	serverNow := timeOf(t, client)
	if age := serverNow.Sub(time.UnixMicro(first)); err != nil || age < 0 || age > limit.Window {
		t.Fatalf("recorded %d, %v, at server time %v", first, err, serverNow)
	}
	if ttl := ttlOf(t, client); ttl <= limit.Window || ttl > limit.Window+2*time.Second {
		t.Errorf("key lives for %v, want a little more than the window", ttl)
	}
	for i := range int64(59) { // they leave the window while the test runs
		ask(t, client, "lpush", clientKey, first-limit.Window.Microseconds()-i)
	}
	d := server.Allow(ctx, limit.Calc, nthClient(0))
	if kept := ask(t, client, "llen", clientKey); !d.Allowed || d.Remaining != 58 || kept != int64(2) {
		t.Errorf("after 59 old calls and one new: %+v, %d times kept", d, kept)
	}
	accepted(t, server, limit.Calc, nthClient(0), 100)
	logMeasured(t, "60 calls of one client take %d bytes in Redis", ask(t, client, "memory", "usage", clientKey))
}

// timeOf returns the time of the Redis server.
func timeOf(t *testing.T, client redis.Client) time.Time {
	t.Helper()
	parts, _ := ask(t, client, "time").([]any)
	var n [2]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(parts[i].(string), 10, 64)
	}
	return time.Unix(n[0], n[1]*1000)
}

// ttlOf returns the remaining lifetime of clientKey.
func ttlOf(t *testing.T, client redis.Client) time.Duration {
	t.Helper()
	ms, _ := ask(t, client, "pttl", clientKey).(int64)
	return time.Duration(ms) * time.Millisecond
}

// Reliability D1: the clock of Redis jumps, and the clocks of the servers do not.
func TestRedisClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 49 * 24 * time.Hour, -49 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			m, c := miniredis.RunT(t), &clock{}
			start := time.Now()
			m.SetTime(start)
			first, second := newPatientShared(t, m.Addr(), nil, c.read), newPatientShared(t, m.Addr(), nil, c.read)
			wantAccepted(t, first, nthClient(0), 60, 60)

			c.now += 10 * time.Second
			start = start.Add(jump)
			m.SetTime(start.Add(c.now))
			wantAccepted(t, first, nthClient(0), 100, 0)
			extra := accepted(t, second, limit.Calc, nthClient(0), 100)
			if want := map[bool]int{true: 60, false: 0}[jump > 0]; extra != want {
				t.Errorf("%d extra calls, want %d", extra, want)
			}

			lockOut := time.Duration(0)
			for ; lockOut < 10*limit.Window && accepted(t, second, limit.Calc, nthClient(0), 1) == 0; lockOut += time.Second {
				c.now += time.Second
				m.SetTime(start.Add(c.now))
			}
			logMeasured(t, "jump %v: %d extra calls, locked out for %v", jump, extra, lockOut)
			if lockOut > limit.Window {
				t.Errorf("locked out for %v", lockOut)
			}
		})
	}
}

// Reliability D2 and C9: values under the key that no script wrote.
func TestForeignValues(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(t *testing.T, client redis.Client, now time.Time)
		want []int // accepted of 100, by what the server makes of the value; after a window always 60
	}{
		{"future times", push(func(now time.Time, _ int) any { return now.Add(time.Hour).UnixMicro() }), []int{0}},
		{"growing future times", push(func(now time.Time, i int) any { return now.Add(time.Duration(i) * time.Hour).UnixMicro() }), []int{0}},
		{"times of which the newer are in the future", push(func(now time.Time, i int) any { return now.Add(time.Duration(i/31) * time.Hour).UnixMicro() }), []int{0}},
		{"endless times", push(func(time.Time, int) any { return "1e300" }), []int{0, 60}},
		{"not numbers", push(func(time.Time, int) any { return "nan" }), []int{0, 60}},
		{"words", push(func(time.Time, int) any { return "soon" }), []int{60}},
		{"negative times", push(func(time.Time, int) any { return -1 }), []int{60}},
	} {
		for _, open := range []func(t *testing.T) (addr string, advance func(time.Duration)){miniRedis, realRedis} {
			t.Run(tt.name, func(t *testing.T) {
				addr, advance := open(t)
				client := newClient(t, addr)
				tt.set(t, client, timeOf(t, client))
				c := &clock{}
				server := newPatientShared(t, addr, nil, c.read)
				if got := accepted(t, server, limit.Calc, nthClient(0), 100); !slices.Contains(tt.want, got) {
					t.Errorf("%d accepted, want one of %d", got, tt.want)
				}
				if ttl := ttlOf(t, client); ttl <= 0 {
					t.Errorf("key lives for %v, want it to expire", ttl)
				}
				now := float64(timeOf(t, client).UnixMicro())
				list, _ := ask(t, client, "lrange", clientKey, 0, -1).([]any)
				for _, kept := range list {
					if at, err := strconv.ParseFloat(kept.(string), 64); err != nil || !(at <= now) {
						t.Errorf("kept %q, want a time that is not in the future", kept)
					}
				}
				if advance == nil {
					return
				}
				c.now = limit.Window
				advance(limit.Window)
				wantAccepted(t, server, nthClient(0), 100, 60)
			})
		}
	}
}

func push(value func(now time.Time, i int) any) func(*testing.T, redis.Client, time.Time) {
	return func(t *testing.T, client redis.Client, now time.Time) {
		for i := range 60 {
			ask(t, client, "rpush", clientKey, value(now, i+1))
		}
	}
}

func miniRedis(t *testing.T) (string, func(time.Duration)) {
	m, start := miniredis.RunT(t), time.Now()
	m.SetTime(start)
	return m.Addr(), func(d time.Duration) { m.SetTime(start.Add(d)) }
}

func realRedis(t *testing.T) (string, func(time.Duration)) { return startRedis(t).addr, nil }

// A value of another type affects one client, and the servers count this client alone.
func TestWrongType(t *testing.T) {
	s := startRedis(t)
	client := noDeadlines{newClient(t, s.addr)}
	ask(t, client, "set", clientKey, 1)
	server := limit.NewShared(client, limit.NewLocal(nil, nil))
	wantAccepted(t, server, nthClient(0), 100, 60)
	if server.Degraded() || server.Fallbacks() != 60 {
		t.Errorf("degraded %v with %d fallbacks, want 60 without a failure of Redis", server.Degraded(), server.Fallbacks())
	}
	wantAccepted(t, server, nthClient(1), 100, 60)
	if value := ask(t, client, "get", clientKey); server.Fallbacks() != 60 || value != "1" {
		t.Errorf("%d fallbacks after the calls of another client, foreign value %q", server.Fallbacks(), value)
	}
}

// A smaller limit also counts the calls that were accepted before.
func TestSmallerLimit(t *testing.T) {
	addr, advance := miniRedis(t)
	c := &clock{}
	before := newPatientShared(t, addr, limit.Limits{limit.Calc: 60}, c.read)
	wantAccepted(t, before, nthClient(0), 30, 30)
	c.now = 20 * second
	advance(c.now)
	wantAccepted(t, before, nthClient(0), 30, 30)
	after := newPatientShared(t, addr, limit.Limits{limit.Calc: 10}, c.read)
	if d := after.Allow(t.Context(), limit.Calc, nthClient(0)); d.Allowed || d.RetryAfter != limit.Window {
		t.Errorf("%+v, want a refusal until the second half has left", d)
	}
}
