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

const someonesKey = "slipstick:limit:calc:10.0.0.0/32"

func TestSharedParallel(t *testing.T) {
	s := startRedis(t)
	for _, hosts := range []int{1, 2, 5} {
		var all []limiter
		for range hosts {
			all = append(all, patientHost(t, s.addr, nil, nil))
		}
		got := atOnce(t, 100, func(i int) limiter { return all[i%hosts] })
		figure(t, "100 parallel calls to %d hosts: %d accepted", hosts, got)
		if got != 60 {
			t.Errorf("%d of 100 parallel calls to %d hosts accepted, want 60", got, hosts)
		}
		ask(t, newClient(t, s.addr), "flushall")
	}
}

func TestTwoHostsShareOneLimit(t *testing.T) {
	s := startRedis(t)
	first, second := patientHost(t, s.addr, nil, nil), patientHost(t, s.addr, nil, nil)
	wantAccepted(t, first, someone(0), 40, 40)
	wantAccepted(t, second, someone(0), 40, 20)
	wantAccepted(t, first, someone(0), 10, 0)
	wantAccepted(t, second, someone(1), 61, 60)
}

// What Redis refuses does not count on the host.
func TestRefusedByRedisIsTakenBack(t *testing.T) {
	c, m := &clock{}, miniredis.RunT(t)
	begin := time.Now()
	m.SetTime(begin)
	first, second := patientHost(t, m.Addr(), nil, c.read), patientHost(t, m.Addr(), nil, c.read)
	wantAccepted(t, first, someone(0), 60, 60)
	wantAccepted(t, second, someone(0), 500, 0)
	c.now = time.Millisecond // the calls of second would still count here
	m.SetTime(begin.Add(limit.Window))
	wantAccepted(t, second, someone(0), 61, 60)
}

// The script does in Redis what it does in miniredis.
func TestScriptInRedis(t *testing.T) {
	s, ctx := startRedis(t), t.Context()
	client, host := newClient(t, s.addr), patientHost(t, s.addr, nil, nil)
	wantAccepted(t, host, someone(0), 1, 1)
	text, _ := ask(t, client, "lindex", someonesKey, 0).(string)
	first, err := strconv.ParseInt(text, 10, 64)
	serverNow := timeOf(t, client)
	if age := serverNow.Sub(time.UnixMicro(first)); err != nil || age < 0 || age > limit.Window {
		t.Fatalf("recorded %d, %v, at server time %v", first, err, serverNow)
	}
	if ttl := lifeOf(t, client); ttl <= limit.Window || ttl > limit.Window+2*time.Second {
		t.Errorf("key lives for %v, want a little more than the window", ttl)
	}
	for i := range int64(59) { // leave the window while the test runs
		ask(t, client, "lpush", someonesKey, first-limit.Window.Microseconds()-i)
	}
	d := host.Allow(ctx, limit.Calc, someone(0))
	if kept := ask(t, client, "llen", someonesKey); !d.Allowed || d.Remaining != 58 || kept != int64(2) {
		t.Errorf("after 59 old calls and one new: %+v, %d times kept", d, kept)
	}
	accepted(t, host, limit.Calc, someone(0), 100)
	figure(t, "60 calls of one client take %d bytes in Redis", ask(t, client, "memory", "usage", someonesKey))
}

// timeOf is what Redis takes the time for.
func timeOf(t *testing.T, client redis.Client) time.Time {
	t.Helper()
	parts, _ := ask(t, client, "time").([]any)
	var n [2]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(parts[i].(string), 10, 64)
	}
	return time.Unix(n[0], n[1]*1000)
}

// lifeOf is how long the key of someone lives yet.
func lifeOf(t *testing.T, client redis.Client) time.Duration {
	t.Helper()
	ms, _ := ask(t, client, "pttl", someonesKey).(int64)
	return time.Duration(ms) * time.Millisecond
}

// Reliability D1: the clock of Redis jumps, that of the hosts does not.
func TestRedisClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour, 49 * 24 * time.Hour, -49 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			m, c := miniredis.RunT(t), &clock{}
			start := time.Now()
			m.SetTime(start)
			first, second := patientHost(t, m.Addr(), nil, c.read), patientHost(t, m.Addr(), nil, c.read)
			wantAccepted(t, first, someone(0), 60, 60)

			c.now += 10 * time.Second
			start = start.Add(jump)
			m.SetTime(start.Add(c.now))
			wantAccepted(t, first, someone(0), 100, 0)
			extra := accepted(t, second, limit.Calc, someone(0), 100)
			if want := map[bool]int{true: 60, false: 0}[jump > 0]; extra != want {
				t.Errorf("%d extra calls, want %d", extra, want)
			}

			lockOut := time.Duration(0)
			for ; lockOut < 10*limit.Window && accepted(t, second, limit.Calc, someone(0), 1) == 0; lockOut += time.Second {
				c.now += time.Second
				m.SetTime(start.Add(c.now))
			}
			figure(t, "jump %v: %d extra calls, locked out for %v", jump, extra, lockOut)
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
				host := patientHost(t, addr, nil, c.read)
				if got := accepted(t, host, limit.Calc, someone(0), 100); !slices.Contains(tt.want, got) {
					t.Errorf("%d accepted, want one of %d", got, tt.want)
				}
				if ttl := lifeOf(t, client); ttl <= 0 {
					t.Errorf("key lives for %v, want it to expire", ttl)
				}
				now := float64(timeOf(t, client).UnixMicro())
				list, _ := ask(t, client, "lrange", someonesKey, 0, -1).([]any)
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
				wantAccepted(t, host, someone(0), 100, 60)
			})
		}
	}
}

func push(value func(now time.Time, i int) any) func(*testing.T, redis.Client, time.Time) {
	return func(t *testing.T, client redis.Client, now time.Time) {
		for i := range 60 {
			ask(t, client, "rpush", someonesKey, value(now, i+1))
		}
	}
}

func miniRedis(t *testing.T) (string, func(time.Duration)) {
	m, start := miniredis.RunT(t), time.Now()
	m.SetTime(start)
	return m.Addr(), func(d time.Duration) { m.SetTime(start.Add(d)) }
}

func realRedis(t *testing.T) (string, func(time.Duration)) { return startRedis(t).addr, nil }

// A value of another type concerns one client, who keeps the windows of the hosts.
func TestWrongType(t *testing.T) {
	s := startRedis(t)
	client := patience{newClient(t, s.addr)}
	ask(t, client, "set", someonesKey, 1)
	host := limit.NewShared(client, limit.NewLocal(nil, nil))
	wantAccepted(t, host, someone(0), 100, 60)
	if host.Degraded() || host.Fallbacks() != 60 {
		t.Errorf("degraded %v with %d fallbacks, want 60 that say nothing about Redis", host.Degraded(), host.Fallbacks())
	}
	wantAccepted(t, host, someone(1), 100, 60)
	if value := ask(t, client, "get", someonesKey); host.Fallbacks() != 60 || value != "1" {
		t.Errorf("%d fallbacks after the calls of another client, foreign value %q", host.Fallbacks(), value)
	}
}

// A limit that became smaller holds for the calls accepted before.
func TestSmallerLimit(t *testing.T) {
	addr, advance := miniRedis(t)
	c := &clock{}
	before := patientHost(t, addr, limit.Limits{limit.Calc: 60}, c.read)
	wantAccepted(t, before, someone(0), 30, 30)
	c.now = 20 * second
	advance(c.now)
	wantAccepted(t, before, someone(0), 30, 30)
	after := patientHost(t, addr, limit.Limits{limit.Calc: 10}, c.read)
	if d := after.Allow(t.Context(), limit.Calc, someone(0)); d.Allowed || d.RetryAfter != limit.Window {
		t.Errorf("%+v, want a refusal until the second half has left", d)
	}
}
