package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contentsOf lists the files below a directory with their digests.
func contentsOf(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		fmt.Fprintf(&list, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// Who publishes the same engines with the same SOURCE_DATE_EPOCH gets the same registry.
func TestPublishAtSourceDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	var made []string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "registry")
		does(t, "publish", "--to", dir, executables()[0], executables()[1])
		made = append(made, contentsOf(t, dir))
	}
	if made[0] != made[1] {
		t.Errorf("two registries:\n%s\n%s", made[0], made[1])
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if r := slipstick(t.Context(), "publish", "--to", t.TempDir(), executables()[0]); r.code != exitMisuse || !strings.Contains(r.err, `SOURCE_DATE_EPOCH="yesterday"`) {
		t.Errorf("of no date: %+v", r)
	}
}
