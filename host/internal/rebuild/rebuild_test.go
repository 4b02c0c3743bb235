package rebuild_test

import (
	"archive/zip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/host/internal/build"
	"github.com/slipstick/slipstick/host/internal/rebuild"
	"github.com/slipstick/slipstick/host/internal/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/sdk"
)

// source is a small program: two modules beside each other, and a file that is embedded.
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

// changed is the source with one text in place of another.
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

// described is how the executable was built from the source below a directory.
func described(t *testing.T, dir string, executable []byte) *provenance.Build {
	t.Helper()
	program, err := tree.Program(dir, "example.org/beams/strut")
	if err != nil {
		t.Fatal(err)
	}
	files, err := tree.Files(t.Context(), program, []build.Platform{build.Here}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tree.Describe(files, map[string]tree.Executable{build.Here.String(): {Bytes: executable, Digest: digest.FromBytes(executable).String()}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// release publishes an executable, and what it is said to be built from.
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

func TestRun(t *testing.T) {
	home := write(t, source)
	executable := built(t, home)
	record := described(t, home, executable)
	strut := release(t, executable, record)
	rebuilt := func(t *testing.T, rel *registry.Release, sources ...string) *rebuild.Result {
		t.Helper()
		r, err := rebuild.Run(t.Context(), rel, sources)
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
		"a changed line":    {changed(t, "beams/strut/main.go", "os.Exit", "_, _ = os.Args, 1; os.Exit"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/beams/strut/main.go"}},
		"a comment":         {changed(t, "kit/kit.go", "func", "// Twice.\nfunc"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/kit/kit.go"}},
		"an embedded file":  {changed(t, "beams/strut/vectors.json", "[]", "{}"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/beams/strut/vectors.json"}},
		"the language":      {changed(t, "kit/go.mod", "1.26", "1.25"), rebuild.Difference{Kind: rebuild.ChangedFile, Name: "example.org/kit/go.mod"}},
		"one file more":     {with("beams/strut/more.go", "package main\n"), rebuild.Difference{Kind: rebuild.AddedFile, Name: "example.org/beams/strut/more.go"}},
		"a test":            {with("kit/kit_test.go", "package kit\n"), rebuild.Difference{}},
		"what is no source": {with("beams/README.md", "Beams"), rebuild.Difference{}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want.Kind == "" { // nothing is to be built for that
				if got := described(t, write(t, c.files), executable); got.Source() != record.Source() {
					t.Errorf("the source is another")
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

	t.Run("a commit", func(t *testing.T) {
		repository := write(t, source)
		git(t, repository, "init", "-q")
		git(t, repository, "add", ".")
		git(t, repository, "commit", "-qm", "a")
		commit := git(t, repository, "rev-parse", "HEAD")
		program := filepath.Join(repository, "beams", "strut")
		revision := func() (string, error) {
			files, err := tree.Files(t.Context(), program, []build.Platform{build.Here}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return tree.Revision(t.Context(), program, files)
		}
		if got, err := revision(); got != commit || err != nil {
			t.Errorf("the revision is %q (%v), want %s", got, err, commit)
		}
		if err := os.WriteFile(filepath.Join(repository, "kit", "kit.go"), []byte("package kit\n\nfunc Twice(x int) int { return x + x }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		dirty, err := errors.AsType[*tree.DirtyError](second(revision()))
		if !err || dirty.File != "kit/kit.go" {
			t.Errorf("changes are told as %+v", dirty)
		}
		if r := rebuilt(t, strut, "git+"+repository+"@"+commit); r.Difference != nil || r.Rebuilt.Revision != commit {
			t.Errorf("%+v, rebuilt as %+v", r.Difference, r.Rebuilt)
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
			"path outside":   {record, zipped(t, map[string]string{"../up.go": "package up"}), is[*rebuild.SourceError]},
		} {
			if _, err := rebuild.Run(t.Context(), release(t, executable, c.record), []string{c.from}); !c.is(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
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
