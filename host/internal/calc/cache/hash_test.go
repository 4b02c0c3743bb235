package cache

import "testing"

// Two keys with one hash are distinguished, in flight and when they are kept.
func TestEqualHashes(t *testing.T) {
	s := &New[string](1 << 20).shards[0]
	const hash = 1 << 40
	a, mine := s.join(hash, []byte("a"))
	b, also := s.join(hash, []byte("b"))
	if !mine || !also || a == b {
		t.Fatal("two keys share a computation")
	}
	if again, mine := s.join(hash, []byte("a")); again != a || mine {
		t.Error("a key that is computed is not found")
	}
	s.land(a, "A", 1, true)
	b.keep = true
	s.land(b, "B", 1, true)
	if e := s.entries[hash]; len(s.entries) != 1 || e.key != "a" || e.value != "A" || s.stats.Entries != 1 {
		t.Errorf("%+v", s.entries)
	}
	if len(s.flights) != 0 || a.value != "A" || !a.ok {
		t.Errorf("%d in flight; who waits gets %q, %v", len(s.flights), a.value, a.ok)
	}
}
