package pool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// counted returns a program of this content, and the number of times that it was opened.
func counted(content string) (*registry.Release, *atomic.Int64) {
	sum, opened := sha256.Sum256([]byte(content)), new(atomic.Int64)
	return registry.Unpublished(sdk.Spec{}, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) {
		opened.Add(1)
		return io.NopCloser(bytes.NewReader([]byte(content))), nil
	}), opened
}

// onDisk returns executables that are kept on disk, or skips where there is no disk for them.
func onDisk(t *testing.T) *executables {
	t.Helper()
	e := newExecutables(t.TempDir())
	t.Cleanup(e.close)
	probe, _ := counted("probe")
	x, err := e.acquire(probe)
	if err != nil {
		t.Fatal(err)
	}
	defer e.release(x, false)
	if !x.OnDisk() {
		t.Skip("no program can be kept on this disk")
	}
	return e
}

// A program is read and hashed once for all callers that acquire it at the same time or soon after
// its last use.
func TestExecutablesAreReadOnce(t *testing.T) {
	e := onDisk(t)
	program, opened := counted(strings.Repeat("x", 1<<20))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			x, err := e.acquire(program)
			if err != nil || x.Digest() != program.EngineDigest || x.Size() != 1<<20 {
				t.Errorf("%+v, %v", x, err)
				return
			}
			e.release(x, true)
		})
	}
	wg.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("it was opened %d times", n)
	}
	x, err := e.acquire(program)
	if err != nil {
		t.Fatal(err)
	}
	e.retain(x)
	e.release(x, true)
	e.release(x, false) // it did not start
	if again, err := e.acquire(program); err != nil || again == x || opened.Load() != 2 {
		t.Errorf("a program that is not to be kept: %v, opened %d times", err, opened.Load())
	} else {
		e.release(again, true)
	}
}

// The number of unused programs is bounded, and the oldest is removed first.
func TestExecutablesAreBounded(t *testing.T) {
	e := onDisk(t)
	use := func(p *registry.Release) {
		t.Helper()
		x, err := e.acquire(p)
		if err != nil {
			t.Fatal(err)
		}
		e.release(x, true)
	}
	first, openedFirst := counted("0")
	second, openedSecond := counted("1")
	use(first)
	use(second)
	use(first)
	for i := 2; i <= maxKept; i++ {
		p, _ := counted(fmt.Sprint(i))
		use(p)
	}
	if len(e.unused) != maxKept || len(e.held) != maxKept {
		t.Errorf("%d of %d are unused, want %d", len(e.unused), len(e.held), maxKept)
	}
	use(first)
	use(second)
	if openedFirst.Load() != 1 || openedSecond.Load() != 2 {
		t.Errorf("opened %d and %d times, want 1 and 2", openedFirst.Load(), openedSecond.Load())
	}
	e.close()
	if len(e.held) != 0 {
		t.Errorf("%d are held after the end", len(e.held))
	}
}

// A program whose bytes are not the published ones, or that cannot be read, is not held.
func TestExecutablesThatAreRefused(t *testing.T) {
	e := onDisk(t)
	published, opened := counted("published")
	other := registry.Unpublished(published.Spec, published.EngineDigest, func() (io.ReadCloser, error) {
		opened.Add(1)
		return io.NopCloser(strings.NewReader("other")), nil
	})
	for range 2 {
		if _, err := e.acquire(other); err == nil || !strings.Contains(err.Error(), "executable has digest") {
			t.Errorf("other bytes: %v", err)
		}
	}
	if opened.Load() != 2 || len(e.held) != 0 {
		t.Errorf("opened %d times, %d are held", opened.Load(), len(e.held))
	}
}
