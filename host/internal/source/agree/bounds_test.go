package agree_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/source/agree"
	"github.com/slipstick/slipstick/registry"
)

const prefix = "slipstick:agree2:{slipstick}:"

// Invalid values in Redis never make a server serve a version that is not in its registry, and cause no
// failure.
func TestHostileRedis(t *testing.T) {
	long := strings.Repeat("9", 500)
	for _, commit := range []string{
		"", "x", "1 0 0 9.9.9", "2 0 0 9.9.9 -", "2 0 99999999999999 9.9.9 1.0.0", "-1 0 0 9.9.9 -", "4503599627370496 0 0 9.9.9 -", long + " 0 0 9.9.9 -",
		"2 0 0 ../../etc -", "2 0 0 9.9.9 \x00\xff", "2 1 0 9.9.9 -",
	} {
		s := newService(t, false)
		s.join(0)
		s.join(5)
		s.run(time.Second, nil)
		s.redis.HSet(prefix+"current", capability, commit)
		s.redis.HSet(prefix+"current", "../"+long, commit)
		s.redis.ZAdd(prefix+"changes", 7, capability)
		s.redis.ZAdd(prefix+"changes", 8, "../"+long)
		s.redis.Set(prefix+"counter", "9")
		for i, record := range []string{"", "{", "[]", `{"wants":{"../x":{"version":"1.0.0"}}}`, `{"joined":-1}`, `{"knows":null,"signs":"` + long + `"}`, strings.Repeat("x", 1<<16)} {
			s.redis.HSet(prefix+"hosts", fingerprint(i), record)
			s.redis.ZAdd(prefix+"alive", float64(s.now.UnixMilli()), fingerprint(i))
		}
		s.run(10*time.Second, func() {
			for _, h := range s.servers {
				if h.served != "1.0.0" && h.served != "" {
					t.Fatalf("%q: %s serves %q", commit, h.name, h.served)
				}
			}
		})
	}
	s := newService(t, false)
	s.join(0)
	s.redis.FlushAll()
	s.redis.Set(prefix+"hosts", "no hash")
	s.next = 2
	s.run(5*time.Second, nil)
	s.want("a key of another type", "2.0.0")
	if !s.servers[0].State().Alone {
		t.Error("its state does not report that it is alone")
	}
}

// A server with another key is not ready while there are older servers, until each knows the key of the other. A
// new key changes nothing if all servers know it before one signs with it.
func TestKeys(t *testing.T) {
	s := newService(t, false)
	for phase, k := range []agree.Keys{keysOf(1, 1), keysOf(2, 2), keysOf(1, 1)} {
		s.joinWith(phase, k)
		s.run(time.Second, nil)
	}
	want := func(what string, fit ...bool) {
		t.Helper()
		s.run(time.Second, nil)
		for i, h := range s.servers {
			if state := h.State(); (state.Misfit == nil) != fit[i] {
				t.Errorf("%s: %s fits: %v", what, h.name, state.Misfit == nil)
			}
		}
	}
	want("another key", true, false, true)
	s.servers[1].keys = keysOf(2, 1, 2)
	want("one knows the other's key", true, false, true)
	for i, k := range []agree.Keys{keysOf(1, 1, 2), keysOf(1, 1, 2), keysOf(1, 1, 2)} {
		s.servers[i].keys = k
		want(fmt.Sprint("the new key is known to ", i), true, true, i >= 1) // the older server of a mismatch is ready
	}
	for i := range s.servers {
		s.servers[i].keys = keysOf(2, 1, 2)
		want(fmt.Sprint("the new key signs at ", i), true, true, true)
	}
}

// If two servers have different bytes of one version, the second one refuses them. If Redis loses its data,
// the servers send the digests again.
func TestDigests(t *testing.T) {
	s := newService(t, false)
	a, b := s.join(0), s.join(5)
	list := func(digit string) []registry.Capability {
		return []registry.Capability{{ID: capability, Releases: []*registry.Release{{Capability: capability, Version: "1.0.0", Digest: "sha256:" + strings.Repeat(digit, 64)}}}}
	}
	problem := func(h *server, digit string) error {
		given := list(digit)
		found := h.Vet(t.Context(), given)[0].Releases[0].Problem
		if given[0].Releases[0].Problem != nil {
			t.Error("Vet has changed its argument")
		}
		return found
	}
	if err := problem(a, "a"); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := problem(b, "b"); err == nil || !strings.Contains(err.Error(), "the server at host0 first saw it") {
			t.Errorf("other bytes: %v", err)
		}
	}
	if err := problem(b, "a"); err != nil {
		t.Errorf("the same bytes: %v", err)
	}
	s.redis.FlushAll()
	s.run(time.Second, nil)
	if !a.Fresh() || !b.Fresh() {
		t.Error("Redis was emptied, and the servers do not send the digests again")
	}
	if err := problem(a, "a"); err != nil || a.Fresh() {
		t.Errorf("sent again: %v, fresh %v", err, a.Fresh())
	}
	if err := problem(b, "b"); err == nil {
		t.Error("other bytes are accepted after Redis was emptied")
	}
	b.cut = true
	s.run(agree.Lease+time.Second, nil)
	if err := problem(b, "a"); err != nil {
		t.Errorf("alone: %v", err)
	}
	s.redis.HSet(prefix+"digests", capability+"@2.0.0", "no digest")
	other := list("c")
	other[0].Releases[0].Version = "2.0.0"
	if err := a.Vet(t.Context(), other)[0].Releases[0].Problem; err != nil {
		t.Errorf("a damaged digest in Redis: %v", err)
	}
}

// A server without Redis is alone.
func TestNil(t *testing.T) {
	var a *agree.Agreement
	if a.Fresh() || a.Nudged() != nil || len(a.Vet(t.Context(), make([]registry.Capability, 1))) != 1 {
		t.Error("a nil Agreement has an opinion")
	}
	a.Run(t.Context())
	b := agree.New(open(t, "127.0.0.1:1"), &agree.Options{Keys: func() agree.Keys { return agree.Keys{} }, ReadAt: func() time.Time { return time.Time{} }, Changed: func() {}, Log: slog.New(slog.DiscardHandler)})
	b.Beat(t.Context())
	if !b.State().Alone {
		t.Error("a server that never reached Redis is not alone")
	}
}
