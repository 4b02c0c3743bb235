// Package enginetest has an engine for tests of packages that start engines. [Program] returns an executable of
// the running test, which plays the engine. [ShortDir] returns a directory for its sockets.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// Program returns the running test program, for tests that start it as an engine. With the race detector it returns a
// second one, which is built as engines are, without it: that starts in a fifth of the time.
func Program(t testing.TB) []byte {
	t.Helper()
	p, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ShortDir returns an empty directory, which is removed after the test. Its path is shorter than the one of
// [testing.T.TempDir], because the path of a socket in it has at most 104 bytes.
func ShortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var program = sync.OnceValues(func() ([]byte, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}
	dir, err := os.MkdirTemp("", "slipstick-enginetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "engine")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s", "-o", path)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the engine of this test: %w\n%s", err, out)
	}
	return os.ReadFile(path)
})
