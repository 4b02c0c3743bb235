package rounds_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/registry/internal/rounds"
)

var options = rounds.Options{Parallel: 4, Slow: 500 * time.Millisecond, Most: 64}

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("n%03d", i)
	}
	return list
}

// gates let looks hang until they are opened.
type gates map[string]chan struct{}

func (g gates) look(ctx context.Context, name string) string {
	select {
	case <-g[name]: // nil for names that do not hang
	case <-ctx.Done():
		return "cancelled"
	default:
		if g[name] == nil {
			return name
		}
		<-g[name] // as a file system hangs, also after the context has ended
	}
	return name
}

func hanging(list []string) gates {
	g := gates{}
	for _, name := range list {
		g[name] = make(chan struct{})
	}
	return g
}

// One round looks at everything, with a few looks at a time.
func TestRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, busy, most := rounds.New[int](options), make(chan struct{}, 64), 0
		var taken []string
		err := r.Run(t.Context(), names(50), rounds.Timeout{}, func(context.Context, string) int {
			busy <- struct{}{}
			time.Sleep(100 * time.Millisecond)
			n := len(busy)
			<-busy
			return n
		}, func(name string, n int) {
			taken, most = append(taken, name), max(most, n)
		})
		slices.Sort(taken)
		if err != nil || !slices.Equal(taken, names(50)) || most > options.Parallel {
			t.Errorf("%v: %d at once, took %v", err, most, taken)
		}
	})
}

// A look that hangs delays no others, is started once, and its result is taken when it ends.
func TestHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := names(20)
		g := hanging(list[3:9])
		r, began, taken := rounds.New[string](options), map[string]int{}, map[string]int{}
		starts := make(chan string, 1000)
		look := func(ctx context.Context, name string) string { starts <- name; return g.look(ctx, name) }
		take := func(name, _ string) { taken[name]++ }
		for range 5 {
			if err := r.Run(t.Context(), list, rounds.Timeout{Total: 2 * time.Second}, look, take); err != nil {
				t.Fatal(err)
			}
		}
		for len(starts) > 0 {
			began[<-starts]++
		}
		for i, name := range list {
			hangs := i >= 3 && i < 9
			if _, running := r.Since(name); running != hangs || hangs && (began[name] != 1 || taken[name] != 0) || !hangs && taken[name] != 5 {
				t.Errorf("%s: hangs %v, started %d times, taken %d, running %v", name, hangs, began[name], taken[name], running)
			}
		}
		for _, gate := range g {
			close(gate)
		}
		synctest.Wait()
		if err := r.Run(t.Context(), nil, rounds.Timeout{Total: time.Second}, look, take); err != nil || taken[list[3]] != 1 {
			t.Errorf("when it has ended: %v, taken %d", err, taken[list[3]])
		}
	})
}

// When most looks hang, the others still have their turn, and goroutines do not pile up.
func TestManyHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := names(100)
		g := hanging(list[:99])
		r, turns := rounds.New[string](options), 0
		before := runtime.NumGoroutine()
		for range 20 {
			if err := r.Run(t.Context(), list[40:], rounds.Timeout{Total: time.Second}, g.look, func(name, _ string) { turns++ }); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // a round does not wait for looks of earlier rounds
		}
		if turns < 10 {
			t.Errorf("what does not hang had %d turns", turns)
		}
		for range 50 {
			if err := r.Run(t.Context(), list, rounds.Timeout{Total: time.Second}, g.look, func(string, string) {}); err != nil {
				t.Fatal(err)
			}
		}
		if n := runtime.NumGoroutine() - before; n > options.Most+2 { // some may be about to end
			t.Errorf("%d goroutines", n)
		}
		for _, gate := range g {
			close(gate)
		}
	})
}

// A round ends at once with its context, and also when no look has ended for a while.
func TestEndOfRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := names(3)
		g := hanging(list[:1])
		defer close(g[list[0]])
		r := rounds.New[string](options)
		began := time.Now()
		if err := r.Run(t.Context(), list, rounds.Timeout{Idle: 10 * time.Second}, g.look, func(string, string) {}); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		other := rounds.New[string](options)
		time.AfterFunc(time.Second, cancel)
		if err := other.Run(ctx, list, rounds.Timeout{}, g.look, func(string, string) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
	})
}
