package tree_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/tree"
)

// write creates the files of a module tree, and returns its directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program is a module with a program, and a module next to it that go.mod replaces by its directory.
var program = map[string]string{
	"a/go.mod":           "module example.com/a\n\ngo 1.26\n\nrequire example.com/b v0.0.0\n\nreplace example.com/b => ../b\n",
	"a/tool/main.go":     "package main\n\nimport \"example.com/b/used\"\n\nfunc main() { used.Do() }\n",
	"a/tool/x_test.go":   "package main\n",
	"a/other/other.go":   "package other\n",
	"b/go.mod":           "module example.com/b\n\ngo 1.26\n",
	"b/used/used.go":     "package used\n\nfunc Do() {}\n",
	"b/unused/unused.go": "package unused\n",
}

// A source has the files of a program and of replaced modules, and no tests.
func TestOf(t *testing.T) {
	dir := filepath.Join(write(t, program), "a", "tool")
	want := []string{"example.com/a/go.mod", "example.com/a/tool/main.go", "example.com/b/go.mod", "example.com/b/used/used.go"}
	platforms := []build.Platform{build.Here}
	one, err := tree.Of(t.Context(), dir, platforms, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := new(tree.Listing).Of(t.Context(), dir, "example.com/a/tool", platforms)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []*tree.Source{one, listed} {
		var names []string
		for _, f := range source.Recorded() {
			names = append(names, f.Name)
			if len(f.SHA256) != 64 {
				t.Errorf("%s has the digest %q", f.Name, f.SHA256)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("files %q, want %q", names, want)
		}
	}
	_, err = new(tree.Listing).Of(t.Context(), dir, "example.com/a/missing", platforms)
	if _, ok := errors.AsType[*tree.NotFoundError](err); !ok {
		t.Errorf("a missing program: %v", err)
	}
}

// A program outside a Git repository has no revision.
func TestRevisionOutsideGit(t *testing.T) {
	dir := filepath.Join(write(t, program), "a", "tool")
	source, err := tree.Of(t.Context(), dir, []build.Platform{build.Here}, nil)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := source.Revision(t.Context())
	if revision != "" || err != nil {
		t.Errorf("revision %q, %v", revision, err)
	}
}

// The search finds a program by its import path, and ignores copies in vendor and testdata.
func TestProgram(t *testing.T) {
	files := map[string]string{}
	for _, top := range []string{"", "deep/copy/", "vendor/", "testdata/"} {
		for name, text := range program {
			files[top+name] = text
		}
	}
	root, err := filepath.EvalSymlinks(write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := tree.Program(root, "example.com/a/tool")
	if want := filepath.Join(root, "a", "tool"); dir != want || err != nil {
		t.Errorf("%s, %v, want %s", dir, err, want)
	}
	for _, missing := range []string{"example.com/a/missing", "example.com/ab/tool"} {
		_, err = tree.Program(root, missing)
		if _, ok := errors.AsType[*tree.NotFoundError](err); !ok {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

func TestPackageOfNoProgram(t *testing.T) {
	_, err := tree.PackageOf([]byte("text"))
	if err == nil {
		t.Error("a text has an import path")
	}
}
