package queue

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A worker reads rows only from regular files in its directories, and writes results only there,
// whichever paths a job names.
func TestPaths(t *testing.T) {
	base := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	for _, dir := range []string{"in/below", "out"} {
		must(os.MkdirAll(at(dir), 0o700))
	}
	for _, file := range []string{"in/rows.csv", "in/below/rows.csv", "in/linked.csv", "out/secret"} {
		must(os.WriteFile(at(file), []byte("V,R\n"), 0o600))
	}
	must(os.Symlink(at("out/secret"), at("in/absolute.csv")))
	must(os.Symlink("../out/secret", at("in/relative.csv")))
	must(os.Symlink("rows.csv", at("in/inside.csv")))
	must(os.Symlink(at("out"), at("in/dir")))
	must(os.Symlink("below", at("in/near")))
	must(os.Link(at("out/secret"), at("in/hard.csv")))
	must(syscall.Mkfifo(at("in/pipe"), 0o600))
	dirs := []string{at("in")}
	for path, want := range map[string]bool{
		at("in/rows.csv"): true, at("in/below/rows.csv"): true, at("in/near/rows.csv"): true,
		at("out/secret"): false, "/etc/passwd": false, "/dev/zero": false, "/proc/self/environ": false, "/": false, "": false, "rows.csv": false,
		at("in") + "/../out/secret": false, at("in") + "/below/../../out/secret": false, "../out/secret": false, "file://" + at("in/rows.csv"): false,
		at("in/absolute.csv"): false, at("in/relative.csv"): false, at("in/inside.csv"): false, at("in/dir/secret"): false,
		at("in/hard.csv"): false, at("in/pipe"): false, at("in/below"): false, at("in"): false, at("in/none"): false, at("inner/rows.csv"): false,
	} {
		if err := checkRows(dirs, path); (err == nil) != want {
			t.Errorf("rows in %q: %v", path, err)
		}
		if err := checkRows(nil, path); err == nil {
			t.Errorf("rows in %q without a directory", path)
		}
	}
	for path, want := range map[string]bool{
		at("in"): true, at("in/new/deep"): true, at("in/below"): true,
		at("out"): false, at("in/dir"): false, at("in/dir/new"): false, at("in") + "/../out/new": false, "new": false, at("in/rows.csv"): false, at("in/pipe"): false,
	} {
		if err := makeDir(dirs, path); (err == nil) != want {
			t.Errorf("results in %q: %v", path, err)
		}
	}
	if _, err := os.Stat(at("out/new")); err == nil {
		t.Error("a directory was made elsewhere")
	}
}
