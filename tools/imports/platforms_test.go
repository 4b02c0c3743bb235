package imports

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// On Windows and macOS, the processor decides about no file. So scripts/test checks the types for one processor of
// each system.
func TestPlatforms(t *testing.T) {
	context := func(system, processor string) *build.Context {
		c := build.Default
		c.GOOS, c.GOARCH, c.CgoEnabled = system, processor, false
		return &c
	}
	files := 0
	for _, module := range modules {
		top := filepath.Join("..", "..", module)
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
				return err
			}
			files++
			for _, system := range []string{"windows", "darwin"} {
				amd64, err := context(system, "amd64").MatchFile(filepath.Dir(path), d.Name())
				if err != nil {
					return err
				}
				arm64, err := context(system, "arm64").MatchFile(filepath.Dir(path), d.Name())
				if err != nil {
					return err
				}
				if amd64 != arm64 {
					t.Errorf("%s is in %s/amd64: %t, in %[2]s/arm64: %[4]t", path, system, amd64, arm64)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 {
		t.Errorf("only %d files were found", files)
	}
}
