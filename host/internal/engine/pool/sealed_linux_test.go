package pool_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/registry"
)

// sealedBytes counts the executables that this process holds in memory, and their bytes.
func sealedBytes(t *testing.T) (held int, bytes int64) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join("/proc/self/fd", e.Name())
		if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "/memfd:") {
			held++
			if info, err := os.Stat(path); err == nil {
				bytes += info.Size()
			}
		}
	}
	return held, bytes
}

// awaitSealed waits until so many executables are held.
func awaitSealed(t *testing.T, want int) {
	t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for {
		held, bytes := sealedBytes(t)
		if held == want {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d executables of %d bytes are held, want %d", held, bytes, want)
		}
	}
}

// The pool releases the bytes of a program that does not start, whether the program is to be kept
// or not. It keeps the bytes of a program while the program runs.
func TestSealedBytes(t *testing.T) {
	p, _, events := newPoolWith(t, pool.Options{})
	before, _ := sealedBytes(t)
	const duds = 8
	for i := range duds {
		text := fmt.Sprintf("#!/nowhere/%d\n%s", i, strings.Repeat("x", 1<<20))
		sum := sha256.Sum256([]byte(text))
		spec := testEngine().Spec()
		dud := registry.Unpublished(spec, "sha256:"+hex.EncodeToString(sum[:]), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
		if err := p.Start(t.Context(), dud, i%2 == 0); !errors.Is(err, pool.ErrUnavailable) {
			t.Fatalf("dud %d: %v", i, err)
		}
		p.End(dud) // a program that is kept would be started again
	}
	awaitSealed(t, before)
	program, _ := self(t)
	if err := p.Start(t.Context(), program, true); err != nil {
		t.Fatal(err)
	}
	awaitSealed(t, before+1)
	p.End(program)
	events.wait(t, pool.Ended, 1)
	awaitSealed(t, before)
}
