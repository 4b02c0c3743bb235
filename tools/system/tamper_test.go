package system

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
)

// marking returns a program of the given size that creates a file when it is executed.
func marking(t *testing.T, marker string, size int) []byte {
	t.Helper()
	dir := t.TempDir()
	source, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "marking")
	text := fmt.Sprintf("package main\n\nimport \"os\"\n\nfunc main() { os.WriteFile(%q, nil, 0o600) }\n", marker)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := goBuild(dir, built, source); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(built)
	if err != nil || len(data) > size {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	return append(data, make([]byte, size-len(data))...)
}

// starter returns a function that starts a release in a new pool, alternately from disk and from memory.
func starter(t *testing.T) func(*registry.Release) error {
	places, n := []string{t.TempDir(), ""}, 0
	return func(rel *registry.Release) error {
		n++
		e, err := pool.New(&pool.Options{Programs: places[n%2]})
		if err != nil {
			return err
		}
		defer e.Close()
		return e.Start(t.Context(), rel, true)
	}
}

// G1: an engine is swapped on disk while it starts, in place, by a rename and by a link. Only the published bytes
// start.
func TestSwappedWhileStarting(t *testing.T) {
	registry := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", registry, swaps(t, "1.0.0")["1.0.0"])
	reg, err := source.Directory(registry, source.Trust{})
	if err != nil {
		t.Fatal(err)
	}
	rel, err := reg.Release(t.Context(), "test.life.swap", "1.0.0")
	if err != nil || rel.Problem != nil {
		t.Fatal(err, rel.Problem)
	}
	good, err := rel.Engine()
	if err != nil {
		t.Fatal(err)
	}
	start := starter(t)
	marker := filepath.Join(t.TempDir(), "executed")
	evil := marking(t, marker, len(good))
	checkMarkerWorks(t, evil, marker)

	blob := largestBlob(t, filepath.Join(registry, "test.life.swap"))
	var stop atomic.Bool
	done := make(chan int)
	go func() {
		swapped := 0
		for ; !stop.Load(); swapped++ {
			swapIn(t, blob, good, evil, swapped)
		}
		done <- swapped
	}()
	tries, started := 10_000, 0
	deadline := time.Now().Add(8 * time.Second)
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		deadline = time.Now().Add(time.Hour)
	}
	n := 0
	for ; n < tries && time.Now().Before(deadline); n++ {
		if start(rel) == nil {
			started++
		}
	}
	stop.Store(true)
	t.Logf("%d tries while %d swaps were made; %d started", n, <-done, started)
	if _, err := os.Stat(marker); err == nil {
		t.Error("bytes that were not published were executed")
	}
	if started == n {
		t.Error("no swap was ever in time: the race does not reach the start")
	}
}

// checkMarkerWorks makes sure that an execution of the swapped program would be detected.
func checkMarkerWorks(t *testing.T, evil []byte, marker string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(file, evil, 0o700); err != nil {
		t.Fatal(err)
	}
	slipstick(t.Context(), "check", "--no-sandbox", file)
	if _, err := os.Stat(marker); err != nil {
		t.Fatalf("the program leaves no mark when it is executed: %v", err)
	}
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
}

// swapIn replaces one of the programs with the other, each time in a different way.
func swapIn(t *testing.T, blob string, good, evil []byte, n int) {
	data := [][]byte{evil, good}[n%2]
	var err error
	switch replacement := blob + ".beside"; n / 2 % 3 {
	case 0:
		err = os.Remove(blob)
		if err == nil {
			err = os.WriteFile(blob, data, 0o644)
		}
		if err == nil && n%2 == 0 {
			err = os.WriteFile(blob, good, 0o644) // in place, while it may be open
		}
	case 1:
		err = os.WriteFile(replacement, data, 0o644)
		if err == nil {
			err = os.Rename(replacement, blob)
		}
	default:
		_ = os.Remove(replacement)
		err = os.WriteFile(replacement+".target", data, 0o644)
		if err == nil {
			err = os.Symlink(filepath.Base(replacement)+".target", replacement)
		}
		if err == nil {
			err = os.Rename(replacement, blob)
		}
	}
	if err != nil {
		t.Errorf("swap %d: %v", n, err)
	}
}
