package fleet_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/bench/internal/fleet"
)

// If this variable is set, the test binary plays slipstick. The command publish --to DIR FILE adds the
// engine in the file to the registry, and a line to the file of this name.
const logVar = "BENCH_TEST_LOG"

func TestMain(m *testing.M) {
	log := os.Getenv(logVar)
	if log == "" {
		os.Exit(m.Run())
	}
	if err := publish(log, os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func publish(log, registry, file string) error {
	engine, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fields := strings.Fields(string(engine)) // capability, tool, version
	release := filepath.Join(registry, fields[0], fields[2])
	if err := os.MkdirAll(filepath.Dir(release), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(release, engine, 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, strings.Join(fields, " "))
	return err
}

const engine = "bench.spread.n000 bench-spread-n000 1.0.1001"

// newFleet returns a fleet, and a function that returns the number of engines it has published.
func newFleet(t *testing.T) (*fleet.Fleet, func() int) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet.Fleet{Dir: filepath.Join(dir, "registries"), Slipstick: self, Engine: filepath.Join(dir, "engine"), Flagship: filepath.Join(dir, "flagship"), Progress: io.Discard}
	write(t, f.Engine, engine)
	if err := os.MkdirAll(filepath.Join(f.Flagship, "source"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(f.Flagship, "source", "cantilever_wall_triangle_outer_moment_at_deflection"), "its.own flagship 1.0.0")
	log := filepath.Join(dir, "log")
	t.Setenv(logVar, log)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each process would wait for a second at its end
	return f, func() int {
		lines, _ := os.ReadFile(log)
		return strings.Count(string(lines), "\n")
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Each engine is published once, even if many registries contain it, until a program
// changes.
func TestRegistry(t *testing.T) {
	f, published := newFleet(t)
	for _, step := range []struct{ engines, published int }{{2, 2}, {3, 3}, {3, 3}, {1, 3}} {
		dir, err := f.Registry(t.Context(), step.engines)
		if err != nil {
			t.Fatal(err)
		}
		if got := published(); got != step.published {
			t.Errorf("after a registry of %d: %d published, want %d", step.engines, got, step.published)
		}
		for i := range step.engines {
			text, err := os.ReadFile(filepath.Join(dir, fleet.Capability(i), fleet.Current))
			if want := fmt.Sprintf("%s %s %s", fleet.Capability(i), fleet.Tool(i), fleet.Current); err != nil || string(text) != want {
				t.Errorf("engine %d is %q, %v, want %q", i, text, err, want)
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != step.engines {
			t.Errorf("a registry of %d holds %d", step.engines, len(all))
		}
	}
	write(t, f.Engine, engine+" changed")
	if _, err := f.Registry(t.Context(), 2); err != nil || published() != 5 {
		t.Errorf("after the engine changed: %v, %d published, want 5", err, published())
	}
}

func TestWithOlder(t *testing.T) {
	f, published := newFleet(t)
	plain, err := f.Registry(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := f.WithOlder(t.Context(), 2)
	if err != nil || published() != 4 {
		t.Fatalf("%v, %d published, want 4", err, published())
	}
	for _, version := range []string{fleet.Older, fleet.Current} {
		if _, err := os.Stat(filepath.Join(dir, fleet.Capability(1), version)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(plain, fleet.Capability(1), fleet.Older)); err == nil {
		t.Error("the older version is in the other registry too")
	}
}

// Both versions of a document come from one text.
func TestDocumentVersions(t *testing.T) {
	older, current := fleet.Document(7, fleet.Older), fleet.Document(7, fleet.Current)
	if !strings.Contains(older, "- version: "+fleet.Older+"\n") || !strings.Contains(older, "bench-document-n007") || strings.Contains(older, "n000") {
		t.Errorf("the older version is\n%s", older)
	}
	if strings.Replace(older, fleet.Older, fleet.Current, 1) != current {
		t.Error("the versions differ in more than their version")
	}
}

func TestOfFlagship(t *testing.T) {
	f, published := newFleet(t)
	for range 2 {
		dir, err := f.OfFlagship(t.Context())
		if err != nil || published() != 1 {
			t.Fatalf("%v, %d published, want 1", err, published())
		}
		if _, err := os.Stat(filepath.Join(dir, "its.own", "1.0.0")); err != nil {
			t.Error(err)
		}
	}
}

func TestPublishFails(t *testing.T) {
	f, _ := newFleet(t)
	t.Setenv(logVar, filepath.Join(t.TempDir(), "absent", "log"))
	if _, err := f.Registry(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("error = %v, want the message of slipstick", err)
	}
}

func TestForge(t *testing.T) {
	original := "\x00bench.spread.n000\x00bench-spread-n0001.0.1001 and bench.spread.n000"
	got, err := fleet.Forge([]byte(original), 42, fleet.Older)
	if want := "\x00bench.spread.n042\x00bench-spread-n0421.0.1000 and bench.spread.n042"; err != nil || string(got) != want {
		t.Errorf("Forge = %q, %v, want %q", got, err, want)
	}
	for _, bad := range []struct {
		executable string
		number     int
		version    string
	}{
		{"bench.spread.n000", 1, fleet.Older},
		{original, 1000, fleet.Older},
		{original, 1, "1.0.0"},
	} {
		if _, err := fleet.Forge([]byte(bad.executable), bad.number, bad.version); err == nil {
			t.Errorf("engine %d %s was made of %q", bad.number, bad.version, bad.executable)
		}
	}
}
