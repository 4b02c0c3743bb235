package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// repository creates a repository with two published modules. The second requires the first. A third
// requires the first by its directory.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sdk/go.mod": "module " + modulePrefix + "sdk\n\ngo 1.26\n", "sdk/sdk.go": "package sdk\n", ".gitignore": "*.out\n",
		"conformance/go.mod": "module " + modulePrefix + "conformance\n\ngo 1.26\n\nrequire " + modulePrefix + "sdk v0.0.0\n",
		"plugins/go.mod":     "module " + modulePrefix + "plugins\n\ngo 1.26\n\nrequire " + modulePrefix + "sdk v0.0.0\n\nreplace " + modulePrefix + "sdk => ../sdk\n",
		"conformance/c.go":   "package conformance\n\nimport _ \"" + modulePrefix + "sdk\"\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	gits(t, dir, "init", "--quiet")
	commit(t, dir, "LICENSE", "free\n")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func gits(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(dir, []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// commit commits a file, and everything else that changed.
func commit(t *testing.T, dir, name, text string) {
	t.Helper()
	write(t, filepath.Join(dir, name), text)
	gits(t, dir, "add", "--all")
	gits(t, dir, "commit", "--quiet", "-m", "all")
}

// released releases both modules, and returns the output.
func released(r release) (string, error) {
	var out bytes.Buffer
	err := r.run(&out, []string{"sdk", "conformance"})
	return out.String(), err
}

// A proxy serves all files for Go from committed files, with the released module and the licence.
func TestRelease(t *testing.T) {
	dir, proxy := repository(t), t.TempDir()
	write(t, filepath.Join(dir, "sdk", "ignored.out"), "no part of it")
	sums, err := released(release{repository: dir, version: "1.2.3", out: proxy, tag: true})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, filepath.FromSlash(modulePrefix), "conformance", "@v")
	mod, err := os.ReadFile(filepath.Join(at, "v1.2.3.mod"))
	if want := "module " + modulePrefix + "conformance\n\ngo 1.26\n\nrequire " + modulePrefix + "sdk v1.2.3\n"; err != nil || string(mod) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, mod, want)
	}
	unpacked := filepath.Join(t.TempDir(), "unpacked")
	if err := zip.Unzip(unpacked, module.Version{Path: modulePrefix + "conformance", Version: "v1.2.3"}, filepath.Join(at, "v1.2.3.zip")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"go.mod": string(mod), "LICENSE": "free\n", "go.sum": sums[:strings.Index(sums, modulePrefix+"conformance")]} {
		if got, err := os.ReadFile(filepath.Join(unpacked, name)); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
	head := gits(t, dir, "rev-parse", "HEAD")
	for _, tag := range []string{"v1.2.3", "sdk/v1.2.3", "conformance/v1.2.3"} {
		if commit := gits(t, dir, "rev-parse", tag); commit != head {
			t.Errorf("the tag %s is on %s, not on %s", tag, commit, head)
		}
	}
	if text := gits(t, dir, "show", "HEAD:plugins/go.mod"); !strings.Contains(text, "sdk v1.2.3\n") || !strings.Contains(text, "sdk => ../sdk\n") {
		t.Errorf("plugins has\n%s", text)
	}
	if sums2, err := released(release{repository: dir, version: "1.2.3", out: proxy, tag: true}); err != nil || sums2 != sums || gits(t, dir, "rev-parse", "HEAD") != head {
		t.Errorf("again: %v\n%s", err, sums2)
	}
	commit(t, dir, "sdk/more.go", "package sdk\n")
	if _, err := released(release{repository: dir, version: "1.2.3", out: t.TempDir(), tag: true}); err == nil || !strings.Contains(err.Error(), "on another commit") {
		t.Errorf("the tags of another commit: %v", err)
	}
	if changed := gits(t, dir, "status", "--porcelain"); changed != "" {
		t.Errorf("the repository has changed: %s", changed)
	}
}

// The same revision gives the same bytes, and an existing version is not replaced.
func TestReleaseAgain(t *testing.T) {
	dir, proxies := repository(t), []string{t.TempDir(), t.TempDir()}
	for _, proxy := range append(proxies, proxies[0]) {
		if _, err := released(release{repository: dir, version: "1.2.3", out: proxy}); err != nil {
			t.Fatal(err)
		}
	}
	first := os.DirFS(proxies[0])
	err := fs.WalkDir(first, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		one, err := fs.ReadFile(first, name)
		if err != nil {
			return err
		}
		if other, err := os.ReadFile(filepath.Join(proxies[1], name)); err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s is another one (%v)", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sdk", "more.go"), "package sdk\n")
	if _, err := released(release{repository: dir, version: "1.2.4", out: proxies[0]}); err == nil || !strings.Contains(err.Error(), "sdk/more.go") {
		t.Errorf("of what is not committed: %v", err)
	}
	commit(t, dir, "sdk/more.go", "package sdk\n")
	if _, err := released(release{repository: dir, version: "1.2.3", out: proxies[0]}); err == nil || !strings.Contains(err.Error(), "never changes") {
		t.Errorf("the same version of another revision: %v", err)
	}
	if _, err := released(release{repository: dir, version: "1.2.4-rc.1", out: proxies[0]}); err != nil {
		t.Error(err)
	}
	list, err := os.ReadFile(filepath.Join(proxies[0], filepath.FromSlash(modulePrefix), "sdk", "@v", "list"))
	if err != nil || string(list) != "v1.2.3\nv1.2.4-rc.1\n" {
		t.Errorf("%v: %q", err, list)
	}
}

func TestReleaseRefuses(t *testing.T) {
	dir := repository(t)
	for version, want := range map[string]string{"": "-version", "v1.2.3": "-version", "1.2": "-version", "2.0.0": "-version"} {
		if _, err := released(release{repository: dir, version: version, out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", version, err)
		}
	}
	r := release{repository: dir, version: "1.2.3", out: t.TempDir()}
	if err := r.run(new(bytes.Buffer), []string{"conformance"}); err == nil || !strings.Contains(err.Error(), "not released before it") {
		t.Errorf("a module without what it requires: %v", err)
	}
}
