package system

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/released"
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

// Publishing the same engines with the same SOURCE_DATE_EPOCH gives the same registry.
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

// A build with changes since its release is served next to the release, to callers that pin it.
func TestDevelopmentBuild(t *testing.T) {
	busy(t)
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	repository := released.Repository(top)
	releases, err := repository.Releases()
	if err != nil {
		t.Fatal(err)
	}
	engines, err := repository.Engines(t.Context(), releases)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(engines, func(e released.Engine) bool { return "./"+e.Package == flagship })
	made, err := repository.BuildTree(t.Context(), released.Here, t.TempDir(), &engines[i])
	if err != nil {
		t.Fatal(err)
	}
	question := []string{"cantilever-deflection", "L=3", "E=210e9", "I=8.356e-5", "w0=12000"}
	dir := filepath.Join(t.TempDir(), "registry")
	does(t, "publish", "--to", dir, made[0])
	if r := slipstick(t.Context(), append([]string{"calc", "--registry", dir}, question...)...); r.code != exitFailed || !strings.Contains(r.err, "no version is current") {
		t.Errorf("a development build became current: %+v", r)
	}
	does(t, "publish", "--to", dir, filepath.Join(built.engines, filepath.Base(flagship)))
	listed := does(t, "list", "--registry", dir)
	version := regexp.MustCompile(`\b[0-9.]+-dev\.[0-9]+(\.x[0-9a-f]{8})?\b`).FindString(listed)
	if version == "" {
		t.Fatalf("no development build in\n%s", listed)
	}
	if out := does(t, append([]string{"calc", "--registry", dir, "--json"}, question...)...); strings.Contains(out, "-dev.") {
		t.Errorf("without a pin: %s", out)
	}
	if out := does(t, append([]string{"calc", "--registry", dir, "--json", "--pin", version}, question...)...); !strings.Contains(out, `"calculation_version":"`+version+`"`) {
		t.Errorf("with a pin: %s", out)
	}
}
