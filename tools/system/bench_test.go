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
	for _, program := range []struct{ module, name, source string }{
		{"tools", "bench", "./bench"},
		{"tools", "engine", "./bench/engine"},
		{"plugins", "flagship", "./mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection"},
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
