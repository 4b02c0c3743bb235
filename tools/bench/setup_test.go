package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A file with a name in each of two directories counts once.
func TestOnDisk(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(one, "file"), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(one, "file"), filepath.Join(other, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "second"), make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := onDisk(one, other); err != nil || n != 1010 {
		t.Errorf("onDisk = %d, %v, want 1010", n, err)
	}
}
