package registry_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/registry"
)

func find(t *testing.T, list []registry.Capability, id string) registry.Capability {
	t.Helper()
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("%s is not there", id)
	return registry.Capability{}
}

// gates make the reading of capabilities hang, and count the starts of each reading.
type gates struct {
	hung  map[string]chan struct{}
	began map[string]*atomic.Int32
}

func hang(ids ...string) *gates {
	g := &gates{map[string]chan struct{}{}, map[string]*atomic.Int32{}}
	for _, id := range ids {
		g.hung[id], g.began[id] = make(chan struct{}), new(atomic.Int32)
	}
	return g
}

func (g *gates) gate(id string) <-chan struct{} {
	if g.hung[id] == nil {
		return nil
	}
	g.began[id].Add(1)
	return g.hung[id]
}

func (g *gates) open() {
	for _, c := range g.hung {
		close(c)
	}
}

// A capability that hangs does not affect others: they are followed at once. It is read once,
// is damaged after a long time, and its result is used when it arrives.
func TestHangingCapabilityDelaysNoOther(t *testing.T) {
	r, _ := three(t)
	const other = "other.one.thing"
	publish(t, r, candidate(other, "1.0.0"))
	synctest.Test(t, func(t *testing.T) {
		f := r.Follow()
		if list, _, err := f.Look(t.Context()); err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		g := hang(beam)
		f.Hang(g.gate)
		look := func(changed bool) (c, hung registry.Capability) {
			t.Helper()
			list, differs, err := f.LookFor(t.Context(), 250*time.Millisecond)
			if err != nil || differs != changed {
				t.Errorf("changed %v, want %v: %v", differs, changed, err)
			}
			return find(t, list, other), find(t, list, beam)
		}
		publish(t, r, candidate(beam, "4.0.0"))
		look(false)
		publish(t, r, candidate(other, "1.1.0"))
		began := time.Now()
		if c, hung := look(true); c.Current != "1.1.0" || hung.Problem != nil || release(hung, "4.0.0") != nil || time.Since(began) > time.Second {
			t.Errorf("after %s the other is at %s, and the hanging one has the problem %v", time.Since(began), c.Current, hung.Problem)
		}
		if since := f.ReadingSince(); since.IsZero() {
			t.Error("no reading is under way")
		}
		time.Sleep(registry.Overdue)
		c, hung := look(true)
		if c.Problem != nil || !mentions(hung.Problem, "has not ended") || hung.Current == "" || len(hung.Releases) == 0 {
			t.Errorf("what hangs: %v, current %q of %d", hung.Problem, hung.Current, len(hung.Releases))
		}
		for range 20 {
			look(false)
		}
		if n := g.began[beam].Load(); n != 1 {
			t.Errorf("it was read %d times at once", n)
		}
		g.open()
		synctest.Wait()
		if _, hung := look(true); hung.Problem != nil || hung.Current != "4.0.0" || !f.ReadingSince().IsZero() {
			t.Errorf("when it has ended: %v, current %s", hung.Problem, hung.Current)
		}
	})
}

// A server starts with the readable capabilities when many hang. It reports the problem of
// each, starts a bounded number of goroutines, and ends at once.
func TestManyHang(t *testing.T) {
	r, dir := three(t)
	var ids []string
	for i := range 60 {
		id := fmt.Sprintf("hung.capability.n%d", i)
		if err := os.CopyFS(filepath.Join(dir, id), os.DirFS(filepath.Join(dir, beam))); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	synctest.Test(t, func(t *testing.T) {
		f, g := r.Follow(), hang(ids...)
		defer g.open()
		f.Hang(g.gate)
		before, began := runtime.NumGoroutine(), time.Now()
		list, _, err := f.Look(t.Context())
		if err != nil || time.Since(began) > 2*registry.Overdue {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if c := find(t, list, beam); c.Problem != nil || c.Current == "" {
			t.Errorf("what can be read: %v", c.Problem)
		}
		for _, id := range ids {
			if c := find(t, list, id); !mentions(c.Problem, "has not ended") {
				t.Errorf("%s: %v", id, c.Problem)
			}
		}
		for range 20 {
			if _, _, err := f.LookFor(t.Context(), time.Second); err != nil {
				t.Error(err)
			}
		}
		if n := runtime.NumGoroutine() - before; n > len(ids)+2 {
			t.Errorf("%d goroutines", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := f.Look(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
	})
}

// A memory does not count a version as missing if its reading hangs from the start.
func TestMemoryOfWhatHangs(t *testing.T) {
	r, _ := three(t)
	file := filepath.Join(t.TempDir(), "seen.json")
	remembered(t, r, file)
	synctest.Test(t, func(t *testing.T) {
		f, g := r.Follow(), hang(beam)
		defer g.open()
		f.Hang(g.gate)
		list, _, err := f.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := registry.OpenMemory(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err = m.Check(list)
		if c := find(t, list, beam); err != nil || !mentions(c.Problem, "has not ended") || strings.Contains(c.Problem.Error(), "gone") {
			t.Errorf("problem %v, error %v", c.Problem, err)
		}
	})
}
