package released

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// here returns the checkout with this test.
func here(t *testing.T) Repository {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return Repository(root)
}

func example() Release {
	return Release{
		Capability: "electrical.basic.ohms_law", Version: "1.0.0", Package: "electrical/basic/ohms_law", Source: "h1:" + strings.Repeat("A", 43) + "=",
		Archive: "plugins-" + strings.Repeat("0", 16), SDK: "sdk-" + strings.Repeat("1", 16), Toolchain: "go1.26.8", Revision: strings.Repeat("a", 40),
		Engines: map[string]string{"linux/amd64": "sha256:" + strings.Repeat("b", 64)},
	}
}

func TestLockIsSorted(t *testing.T) {
	r := Repository(t.TempDir())
	if err := os.Mkdir(r.path("plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if list, err := r.Releases(); err != nil || list != nil {
		t.Errorf("without a file: %v, %v", list, err)
	}
	var list []Release
	for _, version := range []string{"1.10.0", "1.9.0", "2.0.0-rc.1", "2.0.0"} {
		one := example()
		one.Version = version
		list = append(list, one)
	}
	if err := r.Write(list); err != nil {
		t.Fatal(err)
	}
	read, err := r.Releases()
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, one := range read {
		versions = append(versions, one.Version)
	}
	if got := strings.Join(versions, " "); got != "1.9.0 1.10.0 2.0.0-rc.1 2.0.0" {
		t.Error(got)
	}
	if newest := Newest(read, "electrical/basic/ohms_law"); newest == nil || newest.Version != "2.0.0" || Newest(read, "electrical/basic") != nil {
		t.Errorf("newest: %v", newest)
	}
	before, _ := os.ReadFile(r.LockFile())
	slices.Reverse(read)
	if err := r.Write(read); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(r.LockFile()); !bytes.Equal(before, after) {
		t.Error("the same releases gave other bytes")
	}
}

// Members of the lock file become parts of paths and command lines, so invalid ones are refused.
func TestLockIsRefused(t *testing.T) {
	good := func(change func(*Release)) string {
		r := Repository(t.TempDir())
		_ = os.Mkdir(r.path("plugins"), 0o700)
		if err := r.Write([]Release{example()}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(r.LockFile())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}(nil)
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	line := strings.SplitAfter(good, "\n")[1]
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {"", "cut off"},
		"another format":  {strings.Replace(good, `:1}`, `:2}`, 1), "line 1"},
		"cut off":         {good[:len(good)-9], "cut off"},
		"twice":           {good + line, "line 3: it is a duplicate"},
		"unknown member":  {strings.Replace(good, `{"cap`, `{"x":1,"cap`, 1), "unknown field"},
		"two objects":     {strings.Replace(good, "}}\n", "}}{}\n", 1), "more than one"},
		"an empty line":   {good + "\n", "line 3"},
		"a path":          {strings.Replace(good, "electrical/basic/", "../../", 1), "package"},
		"an absolute one": {strings.Replace(good, `"electrical/`, `"/electrical/`, 1), "package"},
		"a flag":          {strings.Replace(good, `"electrical/basic/ohms_law`, `"-toolexec`, 1), "package"},
		"an archive":      {strings.Replace(good, `"plugins-0`, `"../plugins-0`, 1), "archive"},
		"a capability":    {strings.Replace(good, "electrical.basic", "electrical basic", 1), "capability_id"},
		"a version":       {strings.Replace(good, `"1.0.0"`, `"v1.0.0"`, 1), "version"},
		"a toolchain":     {strings.Replace(good, "go1.26.8", "go1.26.8 -x", 1), "toolchain"},
		"a revision":      {strings.Replace(good, strings.Repeat("a", 40), "--output=x", 1), "revision"},
		"a digest":        {strings.Replace(good, "sha256:b", "sha256:B", 1), "digest"},
		"a platform":      {strings.Replace(good, "linux/amd64", "linux/../../x", 1), "platform"},
		"no engines":      {strings.Replace(good, `"linux/amd64":"sha256:`+strings.Repeat("b", 64)+`"`, "", 1), "no engines"},
	} {
		if tt.text == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if list, err := parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %q", name, list, err, tt.want)
		}
	}
}

func TestArchives(t *testing.T) {
	files := fstest.MapFS{"sdk/a.go": {Data: []byte("package a\n")}, "sdk/b/b.go": {Data: []byte("package b\n")}}
	made, err := pack(files, "sdk", []string{"sdk/b/b.go", "sdk/a.go", "sdk/a.go"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := pack(files, "sdk", []string{"sdk/a.go", "sdk/b/b.go"})
	if err != nil || again.Name != made.Name || !bytes.Equal(again.data, made.data) {
		t.Errorf("the same files: %s and %s, %v", made.Name, again.Name, err)
	}
	dir := t.TempDir()
	if err := made.Unpack(dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "sdk", "b", "b.go")); err != nil || string(data) != "package b\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// zipped creates an archive of unusual files, with the name for its content.
func zipped(t *testing.T, name string, add func(*zip.Writer) error) *Archive {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	if err := add(z); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &Archive{name, out.Bytes()}
}

func TestArchivesAreRefused(t *testing.T) {
	file := func(name, content string) func(*zip.Writer) error {
		return func(z *zip.Writer) error {
			w, err := z.Create(name)
			if err == nil {
				_, err = io.WriteString(w, content)
			}
			return err
		}
	}
	for name, tt := range map[string]struct {
		add  func(*zip.Writer) error
		want string
	}{
		"outside":  {file("sdk/../../evil.go", "x"), "not a file of sdk"},
		"absolute": {file("/etc/evil", "x"), "not a file of sdk"},
		"another":  {file("plugins/evil.go", "x"), "not a file of sdk"},
		"windows":  {file(`sdk/..\..\evil.go`, "x"), "not a file of sdk"},
		"content":  {file("sdk/a.go", "x"), "does not match its name"},
		"link": {func(z *zip.Writer) error {
			h := &zip.FileHeader{Name: "sdk/link"}
			h.SetMode(fs.ModeSymlink | 0o777)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = io.WriteString(w, "/etc/passwd")
			}
			return err
		}, "not a file of sdk"},
		"bomb": {func(z *zip.Writer) error {
			w, err := z.Create("sdk/bomb")
			zeros := make([]byte, 1<<20)
			for i := 0; err == nil && i <= maxUnpacked>>20; i++ {
				_, err = w.Write(zeros)
			}
			return err
		}, "more than"},
		"many": {func(z *zip.Writer) error {
			for range maxFiles + 1 {
				if _, err := z.CreateHeader(&zip.FileHeader{Name: "sdk/a"}); err != nil {
					return err
				}
			}
			return nil
		}, "more than"},
	} {
		dir := filepath.Join(t.TempDir(), "inside")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		err := zipped(t, "sdk-"+strings.Repeat("0", 16), tt.add).Unpack(dir)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
	}
	if err := (&Archive{"sdk-0", []byte("no zip")}).Unpack(t.TempDir()); err == nil {
		t.Error("a file that is not an archive was unpacked")
	}
}

// Every release can be built again, and no other archives exist.
func TestReleasesAreComplete(t *testing.T) {
	r := here(t)
	list, err := r.Releases()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("nothing is released")
	}
	needed := map[string]bool{}
	for i := range list {
		if got := list[i].platforms(); !slices.Equal(got, Platforms) {
			t.Errorf("%s is for %v, want %v", list[i].Name(), got, Platforms)
		}
		needed[list[i].Archive], needed[list[i].SDK] = true, true
	}
	kept, err := filepath.Glob(r.archive("*"))
	if err != nil || len(kept) != len(needed) {
		t.Errorf("%d archives are kept, and %d needed: %v", len(kept), len(needed), err)
	}
	for name := range needed {
		a, err := r.readArchive(name)
		if err == nil {
			err = a.Unpack(t.TempDir())
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Releases are built in a different environment: another directory, time zone and umask. scripts/soak reproducible does so
// with empty caches.
func TestReleasesAreReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds engines")
	}
	r := here(t)
	list, err := r.Releases()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("LANG", "de_DE.UTF-8")
	t.Setenv("GOFLAGS", "-ldflags=-w")
	t.Setenv("GOAMD64", "v3")
	defer setUmask(setUmask(0o077))
	for i := range list {
		one := &list[i]
		if one.Toolchain != runtime.Version() {
			t.Skipf("released by %s, and this is %s", one.Toolchain, runtime.Version())
		}
		dir := t.TempDir()
		if err := r.Unpack(one, dir); err != nil {
			t.Fatal(err)
		}
		built, err := Build(t.Context(), dir, Here, filepath.Join(dir, "out"), []*Release{one})
		if err == nil {
			err = built[0].Err()
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// tree returns a small Git repository with one engine.
func tree(t *testing.T) Repository {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Repository(root)
	for name, text := range map[string]string{
		"sdk/go.mod":                    "module github.com/slipstick/slipstick/sdk\n\ngo 1.26.0\n",
		"sdk/sdk.go":                    "package sdk\n\nvar development, released string\n\nfunc Version() string { return released + \" \" + development }\n",
		"sdk/linux.go":                  "//go:build linux\n\npackage sdk\n",
		"sdk/other.go":                  "//go:build !linux\n\npackage sdk\n",
		"plugins/go.mod":                "module github.com/slipstick/slipstick/plugins\n\ngo 1.26.0\n\nrequire github.com/slipstick/slipstick/sdk v0.0.0\n\nreplace github.com/slipstick/slipstick/sdk => ../sdk\n",
		"plugins/go.sum":                "",
		"plugins/a/b/one/main.go":       "package main\n\nimport (\n\t_ \"embed\"\n\n\t\"github.com/slipstick/slipstick/plugins/internal/shared\"\n\t\"github.com/slipstick/slipstick/sdk\"\n)\n\n//go:embed vectors.json\nvar vectors string\n\nfunc main() { println(sdk.Version(), shared.X, vectors) }\n",
		"plugins/a/b/one/vectors.json":  "[]",
		"plugins/a/b/one/one_test.go":   "package main\n",
		"plugins/a/b/two/main.go":       "package main\n\nfunc main() {}\n",
		"plugins/internal/shared/x.go":  "package shared\n\nconst X = 1\n",
		"plugins/internal/other/x.go":   "package other\n",
		"plugins/internal/shared/x.txt": "",
	} {
		write(t, r, name, text)
	}
	runGit(t, r, "init", "-q")
	commit(t, r)
	return r
}

func write(t *testing.T, r Repository, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func runGit(t *testing.T, r Repository, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = string(r)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, r Repository) {
	t.Helper()
	runGit(t, r, "add", "-A")
	runGit(t, r, "commit", "-q", "-m", "x")
}

// engineOf finds an engine of a tree.
func engineOf(t *testing.T, r Repository, releases []Release, name string) Engine {
	t.Helper()
	engines, err := r.Engines(t.Context(), releases)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(engines, func(e Engine) bool { return e.Package == name })
	if i < 0 || len(engines) != 2 {
		t.Fatalf("%+v", engines)
	}
	return engines[i]
}

// An engine changes with its source. It does not change with its tests, with other engines, or with
// the SDK, which is archived with its release.
func TestChanged(t *testing.T) {
	r := tree(t)
	first := engineOf(t, r, nil, "a/b/one")
	if want := "plugins/a/b/one/main.go plugins/a/b/one/vectors.json plugins/internal/shared/x.go"; strings.Join(sorted(first.Files), " ") != want || first.Changed() {
		t.Fatalf("%+v, want %s", first, want)
	}
	one := example()
	one.Package, one.Source, one.Revision = "a/b/one", first.Source, runGit(t, r, "rev-parse", "HEAD")
	releases := []Release{one}
	number := func() string {
		e := engineOf(t, r, releases, "a/b/one")
		n, err := r.Development(t.Context(), &e)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, file := range []string{"plugins/a/b/one/one_test.go", "plugins/a/b/two/main.go", "sdk/sdk.go", "plugins/internal/other/x.go"} {
		data, _ := os.ReadFile(r.path(file))
		write(t, r, file, string(data)+"\n// changed\n")
		if e := engineOf(t, r, releases, "a/b/one"); e.Changed() {
			t.Errorf("%s changed it", file)
		}
	}
	commit(t, r)
	for i, file := range []string{"plugins/a/b/one/main.go", "plugins/internal/shared/x.go", "plugins/a/b/one/vectors.json"} {
		data, _ := os.ReadFile(r.path(file))
		write(t, r, file, string(data)+"\n")
		if e := engineOf(t, r, releases, "a/b/one"); !e.Changed() {
			t.Errorf("%s did not change it", file)
		}
		dirty := number()
		write(t, r, file, string(data)+"\n\n")
		if again := number(); again == dirty || !strings.HasPrefix(again, string(rune('1'+i))+".x") {
			t.Errorf("other bytes: %s and %s", dirty, again)
		}
		commit(t, r)
		if got, want := number(), string(rune('2'+i)); got != want { // the SDK was changed first
			t.Errorf("after %d commits the number is %s, want %s", i+2, got, want)
		}
	}
	releases[0].Revision = strings.Repeat("f", 40) // as in a clone without history
	if got := number(); !strings.HasPrefix(got, "0.x") {
		t.Errorf("without history: %s", got)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// BuildAll builds the release from the archived source, whatever the work tree contains, and the
// tree's engine as a development build.
func TestBuildAll(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	r := tree(t)
	engines, err := r.Engines(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	source, kit, err := r.Pack(t.Context(), engines[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Archive{source, kit} {
		if err := r.Keep(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Keep(&Archive{"sdk-unneeded", nil}); err != nil {
		t.Fatal(err)
	}
	one := example()
	one.Package, one.Source, one.Archive, one.SDK, one.Toolchain = "a/b/one", engines[0].Source, source.Name, kit.Name, runtime.Version()
	one.Revision = runGit(t, r, "rev-parse", "HEAD")
	dir := t.TempDir()
	if err := r.Unpack(&one, dir); err != nil {
		t.Fatal(err)
	}
	built, err := Build(t.Context(), dir, Here, filepath.Join(dir, "out"), []*Release{&one})
	if err != nil || built[0].Err() == nil || built[0].OtherToolchain() {
		t.Fatalf("a digest that is made up: %+v, %v", built, err)
	}
	one.Engines = map[string]string{Here: built[0].Digest}
	if err := r.Sweep([]Release{one}); err != nil {
		t.Fatal(err)
	}
	if kept, _ := filepath.Glob(r.archive("*")); len(kept) != 2 {
		t.Errorf("kept %v", kept)
	}

	write(t, r, "plugins/a/b/one/vectors.json", "[1]")
	write(t, r, "sdk/sdk.go", "package sdk\n\nvar development, released string\n\nfunc Version() string { return \"new: \" + released + \" \" + development }\n")
	commit(t, r)
	engines, err = r.Engines(t.Context(), []Release{one})
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	outputs := map[string]string{}
	build := func() {
		err := r.BuildAll(t.Context(), []Release{one}, engines, to, func(files []string, err error) error {
			for _, file := range files {
				out, err := exec.CommandContext(t.Context(), file).CombinedOutput()
				if err != nil {
					t.Error(err)
				}
				name, _ := filepath.Rel(to, file)
				outputs[name] = strings.TrimSpace(string(out))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	build()
	released := filepath.Join(kit.Name+"+"+source.Name, "one")
	if want := "new: 1.0.0 1 1 [1]"; len(outputs) != 3 || outputs[released] != "1 []" || outputs["one"] != want || outputs["two"] != "" {
		t.Errorf("%q", outputs)
	}

	// A damaged file is built again.
	for name := range outputs {
		if err := os.WriteFile(filepath.Join(to, name), []byte("#!/bin/false"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := maps.Clone(outputs)
	clear(outputs)
	build()
	if !maps.Equal(outputs, before) {
		t.Errorf("after damage: %q", outputs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.BuildAll(ctx, []Release{one}, nil, t.TempDir(), func(_ []string, err error) error { return err }); err == nil {
		t.Error("built after the end")
	}
}

// Scripts build the server with the same flags, so that engines and server share compiled packages.
func TestFlags(t *testing.T) {
	data, err := os.ReadFile(here(t).path("scripts", "lib.sh"))
	if err != nil || !strings.Contains(string(data), "\nbuild_flags=\""+Flags+"\"\n") {
		t.Errorf("scripts/lib.sh has other flags than %s (%v)", Flags, err)
	}
}
