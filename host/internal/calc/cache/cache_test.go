package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/calc/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func value(v string) func() (string, int64, error) {
	return func() (string, int64, error) { return v, int64(len(v)), nil }
}

func TestKept(t *testing.T) {
	c := cache.New[string](1 << 20)
	for i, want := range []bool{false, false, true, true} {
		got, hit, err := c.Do(t.Context(), []byte("a"), value("A"))
		if got != "A" || hit != want || err != nil {
			t.Errorf("ask %d: %q, %v, %v", i, got, hit, err)
		}
	}
	if got, hit, _ := c.Do(t.Context(), []byte("b"), value("B")); got != "B" || hit {
		t.Errorf("another key: %q, %v", got, hit)
	}
	if s := c.Stats(); s.Hits != 2 || s.Misses != 3 || s.Entries != 1 || s.Bytes <= 0 {
		t.Errorf("stats %+v", s)
	}
}

// Errors and panics are not kept, and let the next one compute.
func TestFailure(t *testing.T) {
	c := cache.New[string](1 << 20)
	failed := errors.New("failed")
	if _, _, err := c.Do(t.Context(), []byte("a"), func() (string, int64, error) { return "", 0, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _, _ = c.Do(t.Context(), []byte("a"), func() (string, int64, error) { panic("oops") })
	}()
	if got, hit, err := c.Do(t.Context(), []byte("a"), value("A")); got != "A" || hit || err != nil {
		t.Errorf("after failures: %q, %v, %v", got, hit, err)
	}
}

// Concurrent calls with one key wait for one computation. When it fails, another call
// computes. A call with a canceled context stops waiting.
func TestTogether(t *testing.T) {
	c := cache.New[string](1 << 20)
	begun, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _, err := c.Do(t.Context(), []byte("a"), func() (string, int64, error) {
			close(begun)
			<-release
			return "", 0, errors.New("the first fails")
		})
		if err == nil {
			t.Error("the first did not fail")
		}
	})
	<-begun
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := c.Do(left, []byte("a"), value("never")); !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	computed := 0
	var mu sync.Mutex
	for range 20 {
		wg.Go(func() {
			got, _, err := c.Do(t.Context(), []byte("a"), func() (string, int64, error) {
				mu.Lock()
				defer mu.Unlock()
				computed++
				return "A", 1, nil
			})
			if got != "A" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	close(release)
	wg.Wait()
	if computed != 1 {
		t.Errorf("computed %d times after the first", computed)
	}
}

// The bound holds for every sequence of requests, and a value belongs to its key.
func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const bound = 16 * 1000
		c := cache.New[string](bound)
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 1, 500).Draw(t, "keys") {
			key := fmt.Sprint(n)
			got, _, err := c.Do(context.Background(), []byte(key), func() (string, int64, error) { return key, int64(n * 3), nil })
			if got != key || err != nil {
				t.Fatalf("key %s has %q, %v", key, got, err)
			}
			if s := c.Stats(); s.Bytes > bound || s.Bytes < 0 || s.Entries < 0 {
				t.Fatalf("%+v exceeds %d", s, bound)
			}
		}
		if s := c.Stats(); (s.Entries == 0) != (s.Bytes == 0) || s.Misses < uint64(s.Entries)+s.Evictions {
			t.Fatalf("stats %+v", s)
		}
	})
}
