package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/git"
)

// run runs plain Git in a directory, without settings of the user.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// engine are the files in the repositories of these tests.
var engine = map[string]string{"engine/main.go": "package main\n\n// $Id$\nfunc main() {}\n", "engine/:(top) *.s": "// a name that is also a pattern\n"}

var names = []string{"engine/main.go", "engine/:(top) *.s"}

// repository creates a repository with two commits of the same engine.
func repository(t *testing.T, more ...string) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, engine)
	write(t, dir, map[string]string{".gitignore": "made/\n", "note.md": "one\n"})
	run(t, dir, append([]string{"init", "-q", "-b", "main"}, more...)...)
	for _, text := range []string{"one\n", "two\n"} {
		write(t, dir, map[string]string{"note.md": text})
		run(t, dir, "add", ".")
		run(t, dir, "commit", "-q", "-m", "a")
	}
	return dir, run(t, dir, "rev-parse", "HEAD")
}

func open(t *testing.T, dir string) *git.Repository {
	t.Helper()
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// compared returns the first difference between the engine and the commit.
func compared(t *testing.T, dir string, names ...string) *git.Change {
	t.Helper()
	change, err := open(t, dir).Compare(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// Open finds the commit that is checked out in every form of references, and Compare compares its files.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T) (dir, commit string){
		"a branch": func(t *testing.T) (string, string) { return repository(t) },
		"SHA-256":  func(t *testing.T) (string, string) { return repository(t, "--object-format=sha256") },
		"no branch": func(t *testing.T) (string, string) {
			dir, commit := repository(t)
			run(t, dir, "checkout", "-q", "--detach")
			return dir, commit
		},
		"packed": func(t *testing.T) (string, string) {
			dir, commit := repository(t)
			run(t, dir, "pack-refs", "--all")
			run(t, dir, "gc", "-q")
			return dir, commit
		},
		"other tree": func(t *testing.T) (string, string) {
			dir, _ := repository(t)
			further := filepath.Join(t.TempDir(), "further")
			run(t, dir, "worktree", "add", "-q", "-b", "feature/further", further)
			write(t, further, map[string]string{"note.md": "three\n"})
			run(t, further, "commit", "-q", "-a", "-m", "b")
			return further, run(t, further, "rev-parse", "HEAD")
		},
		"shared objects": func(t *testing.T) (string, string) {
			dir, commit := repository(t)
			run(t, dir, "clone", "-q", "--shared", dir, filepath.Join(dir, "made", "clone"))
			return filepath.Join(dir, "made", "clone"), commit
		},
		"of another user": func(t *testing.T) (string, string) {
			dir, commit := repository(t)
			if os.Geteuid() == 0 { // other users test a plain repository
				if out, err := exec.Command("chown", "-R", "65534:65534", dir).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			return dir, commit
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, commit := prepare(t)
			if r := open(t, filepath.Join(dir, "engine")); r.Top != dir || r.Head != commit {
				t.Errorf("%s at %s, want %s at %s", r.Head, r.Top, commit, dir)
			}
			if change := compared(t, dir, names...); change != nil {
				t.Errorf("%+v", change)
			}
			into := t.TempDir()
			if err := git.Fetch(t.Context(), "file://"+dir, commit, into); err != nil {
				t.Fatal(err)
			}
			for name, text := range engine {
				if got := read(t, filepath.Join(into, name)); got != text {
					t.Errorf("%s has %q", name, got)
				}
			}
		})
	}
	if _, err := git.Open(t.TempDir()); !errors.Is(err, git.ErrNone) {
		t.Errorf("of no repository: %v", err)
	}
}

// Compare returns a file that differs from the commit, also if Git itself sees no change.
func TestCompare(t *testing.T) {
	t.Parallel()
	const main = "engine/main.go"
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   git.Change
	}{
		"edited": {func(t *testing.T, dir string) { write(t, dir, map[string]string{main: "package main\n"}) }, git.Change{Name: main}},
		"only staged": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{main: "package main\n"})
			run(t, dir, "add", ".")
		}, git.Change{Name: main}},
		"hidden": {func(t *testing.T, dir string) {
			run(t, dir, "update-index", "--assume-unchanged", main)
			write(t, dir, map[string]string{main: "package main\n"})
		}, git.Change{Name: main}},
		"not committed": {func(t *testing.T, dir string) {
			run(t, dir, "rm", "-q", "--cached", main)
			run(t, dir, "commit", "-q", "-m", "b")
		}, git.Change{Name: main, Missing: true}},
		"no commit": {func(t *testing.T, dir string) { run(t, dir, "checkout", "-q", "--orphan", "other") }, git.Change{Name: main, Missing: true}},
		"a link": {func(t *testing.T, dir string) {
			if err := errors.Join(os.Remove(filepath.Join(dir, main)), os.Symlink("text", filepath.Join(dir, main))); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "commit", "-q", "-a", "-m", "b")
			if err := os.Remove(filepath.Join(dir, main)); err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{main: "text"})
		}, git.Change{Name: main, Missing: true}},
		"line ends": {func(t *testing.T, dir string) {
			run(t, dir, "config", "core.autocrlf", "true")
			if err := os.Remove(filepath.Join(dir, main)); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "checkout", "-q", "--", main)
			if status := run(t, dir, "status", "--porcelain"); status != "" {
				t.Errorf("Git sees a change: %s", status)
			}
		}, git.Change{Name: main, LineEnds: true}},
		"a filter": {func(t *testing.T, dir string) {
			run(t, dir, "config", "filter.upper.smudge", "tr a-z A-Z")
			run(t, dir, "config", "filter.upper.clean", "cat")
			write(t, dir, map[string]string{".gitattributes": main + " filter=upper\n"})
			if err := os.Remove(filepath.Join(dir, main)); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "checkout", "-q", "--", main)
		}, git.Change{Name: main}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := repository(t)
			c.change(t, dir)
			if change := compared(t, dir, names...); change == nil || *change != c.want {
				t.Errorf("%+v, want %+v", change, c.want)
			}
		})
	}
	dir, _ := repository(t)
	write(t, dir, map[string]string{".git/info/exclude": "/private/\n"})
	for name, want := range map[string]bool{"made/engine": true, "private": true, "engine": false, "fresh": false} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if ignored, err := open(t, dir).Ignores(t.Context(), name); ignored != want || err != nil {
			t.Errorf("%s: %t %v", name, ignored, err)
		}
	}
}

// No operation runs a program of a hostile repository, in which every possible setting names a program.
func TestHostile(t *testing.T) {
	t.Parallel()
	dir, _ := repository(t)
	write(t, dir, map[string]string{"engine/go.mod": "module example.org/engine\n", "engine/a.json": "{}\n", "engine/a.h": "\n", "engine/a.s": "\n"})
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "b")
	commit := run(t, dir, "rev-parse", "HEAD")
	markers := filepath.Join(t.TempDir(), "markers")
	hostile := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("testdata/hostile", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	ran := func() (list []string) {
		t.Helper()
		entries, err := os.ReadDir(markers)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	hostile(dir, markers)
	if change := compared(t, dir, names...); change != nil {
		t.Errorf("%+v", change)
	}
	write(t, dir, map[string]string{"engine/main.go": "package main\n", "fresh/main.go": "package main\n"})
	if change := compared(t, dir, names...); change == nil {
		t.Error("an edit is not noticed")
	}
	r := open(t, dir)
	if ignored, err := r.Ignores(t.Context(), "fresh"); ignored || err != nil {
		t.Errorf("ignored: %t %v", ignored, err)
	}
	if n, err := r.Count(t.Context(), commit+"~2", []string{"note.md"}); n != 1 || err != nil {
		t.Errorf("%d commits: %v", n, err)
	}
	into := t.TempDir()
	if err := git.Fetch(t.Context(), dir, commit, into); err != nil || read(t, filepath.Join(into, "engine", "main.go")) != engine["engine/main.go"] {
		t.Errorf("of a checkout: %v", err)
	}
	for _, from := range []string{"ext::" + markers + ".programs/evil", "--upload-pack=" + markers + ".programs/evil", "evil::x", "https://127.0.0.1:1/x"} {
		if err := git.Fetch(t.Context(), from, commit, t.TempDir()); err == nil {
			t.Errorf("%s is fetched", from)
		}
	}
	if list := ran(); list != nil {
		t.Errorf("it ran %s", list)
	}
	hostile("--control", dir)
	list := ran()
	for _, name := range []string{"core.editor", "core.fsmonitor", "core.sshCommand", "diff.evil.textconv", "filter.evil.clean", "filter.include.clean", "filter.worktree.clean", "gpg.program", "hook.pre-commit", "remote.ext.url", "remote.local.uploadpack"} {
		if !slices.Contains(list, name) {
			t.Errorf("plain Git did not run %s: the test proves nothing about it", name)
		}
	}
}

// Git does not fetch a missing object of a partial clone from the remote in its settings.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	dir, commit := repository(t)
	marker := filepath.Join(t.TempDir(), "marker")
	for _, setting := range [][2]string{
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "origin"}, {"remote.origin.promisor", "true"},
		{"remote.origin.url", "ext::touch " + marker}, {"protocol.ext.allow", "always"},
	} {
		run(t, dir, "config", setting[0], setting[1])
	}
	blob := run(t, dir, "rev-parse", "HEAD:engine/main.go")
	if err := os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	ran := func() bool { _, err := os.Stat(marker); return err == nil }
	if err := git.Fetch(t.Context(), dir, commit, t.TempDir()); err == nil || !strings.Contains(err.Error(), "does not have all of it") || ran() {
		t.Errorf("a commit without a file: %v, and a program ran: %t", err, ran())
	}
	_ = exec.Command("git", "-C", dir, "cat-file", "-p", blob).Run() // fails
	if !ran() {
		t.Error("plain Git does not fetch the object either: the test proves nothing")
	}
}

// Fetch writes a commit byte for byte, within limits and without links, for any temporary directory.
func TestFetch(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	dir, _ := repository(t)
	write(t, dir, map[string]string{".gitattributes": "* text eol=crlf ident\n"})
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "engine", "link.go")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "b")
	into := t.TempDir()
	if err := git.Fetch(t.Context(), dir, run(t, dir, "rev-parse", "HEAD"), into); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"engine/main.go": engine["engine/main.go"], "engine/link.go": "/etc/passwd"} {
		info, err := os.Lstat(filepath.Join(into, name))
		if err != nil || !info.Mode().IsRegular() || read(t, filepath.Join(into, name)) != text {
			t.Errorf("%s is not what was committed (%v)", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(into, ".git")); err == nil {
		t.Error("the checkout has a Git directory")
	}

	// Ten trees of ten entries each are ten objects and 10^10 files.
	blob := run(t, dir, "rev-parse", "HEAD:note.md")
	entry := "100644 blob " + blob
	tree := ""
	for range 10 {
		var list strings.Builder
		for i := range 10 {
			list.WriteString(entry + "\tf" + string(rune('0'+i)) + "\n")
		}
		cmd := exec.Command("git", "mktree")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(list.String())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		tree = strings.TrimSpace(string(out))
		entry = "040000 tree " + tree
	}
	bomb := run(t, dir, "commit-tree", "-m", "bomb", tree)
	if err := git.Fetch(t.Context(), dir, bomb, t.TempDir()); err == nil || !strings.Contains(err.Error(), "more than 200000 files") {
		t.Errorf("10^10 files: %v", err)
	}
	if err := git.Fetch(t.Context(), dir, strings.Repeat("ab", 20), t.TempDir()); err == nil || !strings.Contains(err.Error(), "does not have all of it") {
		t.Errorf("a commit that is not there: %v", err)
	}
	for _, from := range []string{"nowhere", "file:///nowhere", t.TempDir()} {
		if err := git.Fetch(t.Context(), from, strings.Repeat("ab", 20), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a repository of Git") {
			t.Errorf("%s: %v", from, err)
		}
	}
}
