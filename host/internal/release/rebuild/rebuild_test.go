package rebuild_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/sdk"
)

// source is a small program with two adjacent modules and an embedded file.
var source = map[string]string{
	"beams/go.mod":              "module example.org/beams\n\ngo 1.26\n\nrequire example.org/kit v0.0.0\n\nreplace example.org/kit => ../kit\n",
	"beams/strut/main.go":       "package main\n\nimport (\n\t_ \"embed\"\n\t\"os\"\n\n\t\"example.org/kit\"\n)\n\n//go:embed vectors.json\nvar vectors string\n\nfunc main() { os.Exit(kit.Twice(len(vectors))) }\n",
	"beams/strut/vectors.json":  "[]",
	"beams/strut/strut_test.go": "package main\n",
	"kit/go.mod":                "module example.org/kit\n\ngo 1.26\n",
	"kit/kit.go":                "package kit\n\n//go:noinline\nfunc Twice(x int) int { return 2 * x }\n",
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// changed returns the source with one text replaced by another.
func changed(t *testing.T, name, old, text string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for n, content := range source {
		if n == name {
			if !strings.Contains(content, old) {
				t.Fatalf("%s has no %q", name, old)
			}
			content = strings.Replace(content, old, text, 1)
		}
		files[n] = content
	}
	return files
}

// built builds the program below a directory.
func built(t *testing.T, dir string) []byte {
	t.Helper()
	made, err := build.All(t.Context(), filepath.Join(dir, "beams", "strut"), []build.Platform{build.Here}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(made[0].File)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// described returns the record of a build of the executable from the source below a directory.
func described(t *testing.T, dir string, executable []byte) *provenance.Build {
	t.Helper()
	program, err := tree.Program(dir, "example.org/beams/strut")
	if err != nil {
		t.Fatal(err)
	}
	source, err := tree.Of(t.Context(), program, []build.Platform{build.Here}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := source.Describe(map[string]tree.Executable{build.Here.String(): {Bytes: executable, Digest: digest.FromBytes(executable).String()}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// release publishes an executable with a record of its build.
func release(t *testing.T, executable []byte, b *provenance.Build) *registry.Release {
	t.Helper()
	reg, err := registry.Open(filepath.Join(t.TempDir(), "registry"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reg.Publish(t.Context(), registry.Candidate{
		Spec: sdk.Spec{
			Contract: sdk.ContractVersion, Capability: "mechanical.statics.strut", Version: "1.0.0", Tool: "strut", Group: "statics",
			Title: "Strut", Summary: "A strut.", Outputs: []sdk.Field{{Name: "force", Type: sdk.TypeNumber, Unit: "N", Required: true}},
		},
		Engines: map[string][]byte{build.Here.String(): executable}, Source: b, Created: time.Unix(1_800_000_000, 0),
	}); err != nil {
		t.Fatal(err)
	}
	rel, err := reg.Release(t.Context(), "mechanical.statics.strut", "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// userCache returns the build cache of the user, which saves minutes of compilation.
func userCache(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

func TestRun(t *testing.T) {
	home := write(t, source)
	executable := built(t, home)
	record := described(t, home, executable)
	strut := release(t, executable, record)
	rebuilt := func(t *testing.T, rel *registry.Release, sources ...string) *rebuild.Result {
		t.Helper()
		r, err := rebuild.Run(t.Context(), rel, sources, &rebuild.Options{Cache: userCache(t)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	t.Run("the same source elsewhere", func(t *testing.T) {
		t.Setenv("GOFLAGS", "-tags=other")
		t.Setenv("TZ", "Asia/Kathmandu")
		r := rebuilt(t, strut, write(t, source))
		if r.Difference != nil || r.Rebuilt.Source() != record.Source() || r.Rebuilt.Engines[build.Here.String()] != strut.EngineDigest || r.Rebuilt.Revision != "" {
			t.Errorf("%+v, rebuilt as %+v", r.Difference, r.Rebuilt)
		}
	})

	for name, c := range map[string]struct {
		files map[string]string
		want  rebuild.Difference
	}{
		"a changed line":   {changed(t, "beams/strut/main.go", "os.Exit", "_, _ = os.Args, 1; os.Exit"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/beams/strut/main.go"}},
		"a comment":        {changed(t, "kit/kit.go", "func", "// Twice.\nfunc"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/kit/kit.go"}},
		"an embedded file": {changed(t, "beams/strut/vectors.json", "[]", "{}"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/beams/strut/vectors.json"}},
		"the language":     {changed(t, "kit/go.mod", "1.26", "1.25"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/kit/go.mod"}},
		"one file more":    {with("beams/strut/more.go", "package main\n"), rebuild.Difference{Kind: rebuild.AddedFile, Name: "example.org/beams/strut/more.go"}},
		"a test":           {with("kit/kit_test.go", "package kit\n"), rebuild.Difference{}},
		"not a source":     {with("beams/README.md", "Beams"), rebuild.Difference{}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want.Kind == "" { // this case needs no build
				if got := described(t, write(t, c.files), executable); got.Source() != record.Source() {
					t.Errorf("the source differs")
				}
				return
			}
			r := rebuilt(t, strut, zipped(t, c.files))
			if d := r.Difference; d == nil || d.Kind != c.want.Kind || d.Name != c.want.Name || r.Rebuilt != nil {
				t.Errorf("the difference is %+v, want %+v", d, c.want)
			}
		})
	}

	t.Run("published bytes of other source", func(t *testing.T) {
		forged := built(t, write(t, changed(t, "kit/kit.go", "2 * x", "3*x + 1")))
		r := rebuilt(t, release(t, forged, described(t, home, forged)), home)
		if d := r.Difference; d == nil || d.Kind != rebuild.Function || d.Name != "example.org/kit.Twice" {
			t.Errorf("the difference is %+v, want the function example.org/kit.Twice", d)
		}
	})

	t.Run("a commit of a hostile repository", func(t *testing.T) {
		repository, markers := write(t, source), filepath.Join(t.TempDir(), "markers")
		git(t, repository, "init", "-q")
		git(t, repository, "add", ".")
		git(t, repository, "commit", "-qm", "a")
		commit := git(t, repository, "rev-parse", "HEAD")
		if out, err := exec.Command("../git/testdata/hostile", repository, markers).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		program := filepath.Join(repository, "beams", "strut")
		revision := func() (string, error) {
			source, err := tree.Of(t.Context(), program, []build.Platform{build.Here}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return source.Revision(t.Context())
		}
		if got, err := revision(); got != commit || err != nil {
			t.Errorf("the revision is %q (%v), want %s", got, err, commit)
		}
		if r := rebuilt(t, strut, repository); r.Difference != nil {
			t.Errorf("%+v, rebuilt as %+v", r.Difference, r.Rebuilt)
		}
		if err := os.WriteFile(filepath.Join(repository, "kit", "kit.go"), []byte("package kit\n\nfunc Twice(x int) int { return x + x }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		dirty, ok := errors.AsType[*tree.DirtyError](second(revision()))
		if !ok || dirty.File != "kit/kit.go" || dirty.LineEnds {
			t.Errorf("the change is %+v", dirty)
		}
		if r := rebuilt(t, strut, "git+"+repository+"@"+commit); r.Difference != nil || r.Rebuilt.Revision != commit {
			t.Errorf("%+v, rebuilt as %+v", r.Difference, r.Rebuilt)
		}
		if ran, err := os.ReadDir(markers); err != nil || len(ran) > 0 {
			t.Errorf("the repository ran %s (%v)", ran, err)
		}
	})

	t.Run("changed during the build", func(t *testing.T) {
		dir := write(t, source)
		_, err := rebuild.Run(t.Context(), strut, []string{dir}, &rebuild.Options{Cache: userCache(t), Progress: func(string) {
			text := strings.Replace(source["kit/kit.go"], "func", "// Twice.\nfunc", 1)
			if err := os.WriteFile(filepath.Join(dir, "kit", "kit.go"), []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		}})
		if changed, ok := errors.AsType[*rebuild.ChangedError](err); !ok || changed.File != "example.org/kit/kit.go" {
			t.Error(err)
		}
	})

	t.Run("a vendor directory", func(t *testing.T) {
		files := with("beams/vendor/modules.txt", "# example.org/kit v0.0.0 => ../kit\n## explicit; go 1.26\nexample.org/kit\n# example.org/kit => ../kit\n")
		files["beams/vendor/example.org/kit/kit.go"] = "package kit\n\nfunc Twice(x int) int { return 7 * x }\n"
		_, err := rebuild.Run(t.Context(), strut, []string{zipped(t, files)}, nil)
		if vendored, ok := errors.AsType[*tree.VendorError](err); !ok || vendored.Package != "example.org/kit" {
			t.Error(err)
		}
	})

	t.Run("an unlisted file", func(t *testing.T) {
		files := with("beams/strut/hidden_"+build.Here.Arch+".s", "#include \"../hidden.h\"\n")
		files["beams/hidden.h"] = "\n"
		_, err := rebuild.Run(t.Context(), strut, []string{zipped(t, files)}, nil)
		if failed, ok := errors.AsType[*build.FailedError](err); !ok || !strings.Contains(failed.Error(), `#include "../hidden.h"`) {
			t.Error(err)
		}
	})

	t.Run("refused", func(t *testing.T) {
		t.Setenv("GOPROXY", "off")
		later, otherwise := *record, *record
		later.Toolchain, otherwise.Settings = "go1.999.1", []string{"-toolexec=/bin/true"}
		for name, c := range map[string]struct {
			record *provenance.Build
			from   string
			is     func(error) bool
		}{
			"unnamed":        {nil, home, is[*rebuild.UnnamedError]},
			"toolchain":      {&later, home, is[*rebuild.ToolchainError]},
			"settings":       {&otherwise, home, is[*rebuild.SettingsError]},
			"no source":      {record, filepath.Join(home, "nowhere"), is[*rebuild.SourceError]},
			"another module": {record, filepath.Join(home, "kit"), is[*rebuild.SourceError]},
			"no commit":      {record, "git+" + home, is[*rebuild.SourceError]},
			"a repository":   {record, zipped(t, with("beams/.git/config", "[core]\n")), is[*rebuild.SourceError]},
			"in capitals":    {record, zipped(t, with(".GIT", "gitdir: ../elsewhere\n")), is[*rebuild.SourceError]},
			"path outside":   {record, zipped(t, map[string]string{"../up.go": "package up"}), is[*rebuild.SourceError]},
		} {
			if _, err := rebuild.Run(t.Context(), release(t, executable, c.record), []string{c.from}, nil); !c.is(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A rebuild does not trust packages that were compiled before. The test changes a compiled package in the build
// cache of the user. A release with these forged bytes is not confirmed. A release with honest bytes
// is confirmed.
func TestTamperedCache(t *testing.T) {
	if testing.Short() {
		t.Skip("the test compiles the runtime of Go")
	}
	nonce := fmt.Sprintf("%x", time.Now().UnixNano())
	files := map[string]string{
		"beams/go.mod":        "module example.org/beams\n\ngo 1.26\n",
		"beams/strut/main.go": "package main\n\nfunc main() { println(\"honest" + nonce + "\") }\n",
	}
	dir := write(t, files)
	honest := built(t, dir)
	t.Setenv("GOCACHE", userCache(t))
	out, err := build.Command(t.Context(), filepath.Join(dir, "beams", "strut"), build.Here, nil, "list", "-export", "-f", "{{.Export}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiled := strings.TrimSpace(string(out))
	t.Cleanup(func() { os.Remove(compiled) })
	data, err := os.ReadFile(compiled)
	if err == nil {
		err = os.WriteFile(compiled, bytes.ReplaceAll(data, []byte("honest"+nonce), []byte("forged"+nonce)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	forged := built(t, dir)
	if bytes.Equal(forged, honest) || !bytes.Contains(forged, []byte("forged"+nonce)) {
		t.Fatal("the cache of the user was not changed: the test proves nothing")
	}
	rel := release(t, forged, described(t, dir, forged))
	r, err := rebuild.Run(t.Context(), rel, []string{dir}, &rebuild.Options{Cache: os.Getenv("GOCACHE")})
	if err != nil || r.Difference != nil {
		t.Fatalf("a build with the cache of the user does not produce the forged bytes (%v): the test proves nothing", err)
	}
	r, err = rebuild.Run(t.Context(), rel, []string{zipped(t, files)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Difference == nil {
		t.Error("forged bytes are confirmed")
	}
	if got := r.Rebuilt.Engines[build.Here.String()]; got != digest.FromBytes(honest).String() {
		t.Errorf("the honest source produced %s", got)
	}
}

// Run detects a changed module in the module cache before it compiles it, also if the module replaces another
// one in go.mod.
func TestTamperedModule(t *testing.T) {
	proxy, modules := t.TempDir(), t.TempDir()
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", modules).Run() })
	versions := filepath.Join(proxy, "example.org", "dep", "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	const mod = "module example.org/dep\n\ngo 1.26\n"
	for name, text := range map[string]string{"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": mod} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive := zipped(t, map[string]string{
		"example.org/dep@v1.0.0/go.mod": mod, "example.org/dep@v1.0.0/dep.go": "package dep\n\nconst Answer = 42\n",
	})
	if err := os.Rename(archive, filepath.Join(versions, "v1.0.0.zip")); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GOPROXY": "file://" + proxy, "GONOSUMDB": "example.org", "GOMODCACHE": modules} {
		t.Setenv(name, value)
	}
	home := write(t, map[string]string{
		"beams/go.mod":        "module example.org/beams\n\ngo 1.26\n\nrequire example.org/old v0.1.0\n\nreplace example.org/old => example.org/dep v1.0.0\n",
		"beams/strut/main.go": "package main\n\nimport \"example.org/old\"\n\nfunc main() { println(dep.Answer) }\n",
	})
	program := filepath.Join(home, "beams", "strut")
	if out, err := build.Command(t.Context(), program, build.Here, nil, "mod", "tidy").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	executable := built(t, home)
	record := described(t, home, executable)
	honest, err := tree.Of(t.Context(), program, []build.Platform{build.Here}, nil)
	if err == nil {
		err = honest.CheckFetched(record.Modules)
	}
	if err != nil || len(record.Modules) != 1 {
		t.Fatalf("of the modules %v: %v", record.Modules, err)
	}
	file := filepath.Join(modules, "example.org", "dep@v1.0.0", "dep.go")
	if err := errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("package dep\n\nconst Answer = 43\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err = rebuild.Run(t.Context(), release(t, executable, record), []string{home}, nil)
	if changed, ok := errors.AsType[*tree.ModuleError](err); !ok || changed.Module.String() != "example.org/dep@v1.0.0" {
		t.Error(err)
	}
}

func second(_ string, err error) error { return err }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func with(name, text string) map[string]string {
	files := map[string]string{name: text}
	for n, content := range source {
		files[n] = content
	}
	return files
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "source.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
