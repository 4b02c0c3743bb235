package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The contestants of the bench must answer with the same bytes as Slipstick, or the bench fails.
func TestBench(t *testing.T) {
	busy(t)
	dir := t.TempDir()
	version := filepath.Join(dir, "flagship", "1.0.0") // scripts/bench builds the releases, this test the source
	if err := os.MkdirAll(version, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, program := range []struct{ module, name, source string }{
		{"tools", "bench", "./bench"},
		{"tools", "engine", "./bench/engine"},
		{"plugins", "flagship/1.0.0/" + filepath.Base(flagship), flagship},
	} {
		if err := goBuild(filepath.Join(root, program.module), filepath.Join(dir, program.name), program.source); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"slipstick", "slipstick-text"} {
		if err := os.Symlink(filepath.Join(filepath.Dir(built.slipstick), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "bench"), "--dir", dir,
		"--only", "unique1,flagship1", "--rounds", "1", "--seconds", "1").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "slipstick ") || !strings.Contains(string(out), "document ") {
		t.Errorf("%v\n%s", err, out)
	}
}
