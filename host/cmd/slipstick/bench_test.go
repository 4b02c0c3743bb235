package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The bench compares like with like: its contestants answer with the very bytes that
// Slipstick answers with, or it fails.
func TestBench(t *testing.T) {
	unseen(t)
	dir := t.TempDir()
	bench, engine := filepath.Join(dir, "bench"), filepath.Join(dir, "engine")
	for program, source := range map[string]string{bench: "./cmd/bench", engine: "./cmd/bench/engine"} {
		if err := goBuild(filepath.Join(root, "host"), program, source); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), bench, "--slipstick", built.slipstick, "--engine", engine, "--dir", dir,
		"--only", "unique1", "--rounds", "1", "--seconds", "1").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "slipstick ") {
		t.Errorf("%v\n%s", err, out)
	}
}
