package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/released"
)

func TestBefore(t *testing.T) {
	of := func(version string) released.Release {
		return released.Release{Capability: "electrical.basic.ohms_law", Version: version}
	}
	list := []released.Release{of("1.0.0"), of("1.9.0"), of("1.10.0"), of("2.0.0-rc.1"), of("3.0.0"), {Capability: "electrical.basic.other", Version: "1.99.0"}}
	for version, want := range map[string]string{"1.0.1": "1.0.0", "2.0.0": "1.10.0", "1.9.1": "1.9.0", "4.0.0": "3.0.0", "0.9.0": ""} {
		next := of(version)
		got := before(list, &next)
		if want == "" && got != nil || want != "" && (got == nil || got.Version != want) {
			t.Errorf("before %s: %v, want %q", version, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	release := &released.Release{Version: "1.0.0", Source: "h1:a"}
	r := &run{engines: []released.Engine{
		{Package: "a/b/same", Source: "h1:a", Released: release}, {Package: "a/b/changed", Source: "h1:b", Released: release},
		{Package: "a/b/fresh", Source: "h1:c"},
	}}
	for _, tt := range []struct {
		c             cutCmd
		want, wantErr string
	}{
		{cutCmd{All: true}, "a/b/changed a/b/fresh", ""},
		{cutCmd{Engines: []string{"a.b.fresh", "plugins/a/b/changed/"}}, "a/b/fresh a/b/changed", ""},
		{cutCmd{}, "", "name capabilities"},
		{cutCmd{All: true, Engines: []string{"a.b.fresh"}}, "", "name capabilities"},
		{cutCmd{Engines: []string{"a.b.none"}}, "", "there is no engine in plugins/a/b/none"},
		{cutCmd{Engines: []string{"a.b.same"}}, "", "a.b.same is released as it is, as 1.0.0"},
	} {
		chosen, err := tt.c.choose(r)
		var names []string
		for _, e := range chosen {
			names = append(names, e.Package)
		}
		if got := strings.Join(names, " "); got != tt.want || (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
			t.Errorf("%+v: %s, %v", tt.c, got, err)
		}
	}
	r.engines[2].Fault = "no Go files"
	if _, err := (&cutCmd{All: true}).choose(r); err == nil || !strings.Contains(err.Error(), "plugins/a/b/fresh: no Go files") {
		t.Errorf("what cannot be built: %v", err)
	}
}

// maintainer has a clone of the committed repository, and the programs.
type maintainer struct {
	*testing.T
	clone, programs string
}

func newMaintainer(t *testing.T) *maintainer {
	m := &maintainer{t, filepath.Join(t.TempDir(), "clone"), t.TempDir()}
	for module, program := range map[string]string{"tools": "./release", "host": "./cmd/slipstick"} {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags=-s", "-o", m.programs+"/", program)
		cmd.Dir = filepath.Join("..", "..", module)
		cmd.Env = append(os.Environ(), "GOFLAGS="+released.Flags, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "--depth=1", "file://"+top, m.clone).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return m
}

// run runs a command in the clone.
func (m *maintainer) run(name string, args ...string) (out string, err error) {
	cmd := exec.CommandContext(m.Context(), name, args...)
	cmd.Dir = m.clone
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (m *maintainer) does(name string, args ...string) string {
	m.Helper()
	out, err := m.run(name, args...)
	if err != nil {
		m.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

func (m *maintainer) cut(args ...string) (string, error) {
	return m.run(filepath.Join(m.programs, "release"), append([]string{"--root", ".", "cut", "--slipstick", filepath.Join(m.programs, "slipstick")}, args...)...)
}

// refused cuts a release that must be refused without any change.
func (m *maintainer) refused(wantErr string, args ...string) {
	m.Helper()
	before := m.does("git", "status", "--porcelain")
	if out, err := m.cut(args...); err == nil || !strings.Contains(strings.Join(strings.Fields(out), " "), wantErr) {
		m.Errorf("cut %v: %v, want %q\n%s", args, err, wantErr, out)
	}
	if after := m.does("git", "status", "--porcelain"); after != before {
		m.Errorf("cut %v changed %s", args, after)
	}
}

func (m *maintainer) edit(file, old, now string) {
	m.Helper()
	data, err := os.ReadFile(filepath.Join(m.clone, file))
	if err != nil || !strings.Contains(string(data), old) {
		m.Fatalf("%s has no %q: %v", file, old, err)
	}
	if err := os.WriteFile(filepath.Join(m.clone, file), []byte(strings.Replace(string(data), old, now, 1)), 0o644); err != nil {
		m.Fatal(err)
	}
}

func (m *maintainer) commit() { m.does("git", "commit", "-qam", "x") }

// TestRelease covers a release from the first edit to the signed version in a registry. It runs in
// scripts/soak, because it builds engines for three platforms each time.
func TestRelease(t *testing.T) {
	if os.Getenv("SLIPSTICK_SOAK") == "" {
		t.Skip("in scripts/soak reproducible")
	}
	m := newMaintainer(t)
	const name = "mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection"
	const main = "plugins/" + name + "/main.go"
	engine := strings.ReplaceAll(name, "/", ".")
	repository := released.Repository(m.clone)
	releases, err := repository.Releases()
	if err != nil {
		t.Fatal(err)
	}
	first := released.Newest(releases, name)
	if first == nil || first.Version != "1.0.0" {
		t.Skipf("this test begins with %s 1.0.0, and there is %v", engine, first)
	}
	m.refused("is released as it is, as 1.0.0", engine)

	m.edit(main, "package main\n", "package main // edited\n")
	m.refused("has changes that are not committed", engine)
	m.refused("is released already, from other source: give plugins/"+name+" a new version", "--dry-run", engine)
	m.commit()
	m.refused("is released already, from other source", engine)

	m.edit(main, `"1.0.0"`, `"1.1.0"`)
	m.commit()
	m.refused("the Spec must say in Changes what changed", engine)
	m.edit(main, `"1.1.0",`, `"1.1.0", Changes: "It was edited.",`)
	m.commit()
	m.refused("say where, with --to", "--key", main, engine)
	if out, err := m.cut("--dry-run", engine); err != nil || !strings.Contains(out, "legal") || m.does("git", "status", "--porcelain") != "" {
		t.Errorf("a dry run: %v\n%s", err, out)
	}

	registry, keys := filepath.Join(t.TempDir(), "registry"), t.TempDir()
	m.does(filepath.Join(m.programs, "slipstick"), "keys", "new", "--no-password", filepath.Join(keys, "publisher"))
	if out, err := m.cut("--to", registry, "--key", filepath.Join(keys, "publisher.key"), engine); err != nil || !strings.Contains(out, "released "+engine+" 1.1.0") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out := m.does(filepath.Join(m.programs, "slipstick"), "show", "--registry", registry, "cantilever-deflection"); !strings.Contains(out, "It was edited.") {
		t.Errorf("published:\n%s", out)
	}
	releases, err = repository.Releases()
	if err != nil {
		t.Fatal(err)
	}
	second := released.Newest(releases, name)
	if second.Version != "1.1.0" || second.Archive == first.Archive || second.SDK != first.SDK || second.Engines["linux/arm64"] == first.Engines["linux/arm64"] {
		t.Errorf("locked: %+v", second)
	}
	m.does("git", "add", "-A")
	m.commit()
	verified := m.does(filepath.Join(m.programs, "release"), "--root", ".", "verify", "--platform", released.Here, first.Name(), second.Name())
	if !strings.Contains(verified, "2 of 2 executables of 2 releases") || !strings.Contains(verified, "1 of 1 executables of 1 releases, built from the work tree") {
		t.Error(verified)
	}
	engines, err := repository.Engines(context.Background(), releases)
	if err != nil {
		t.Fatal(err)
	}
	for i := range engines {
		if e := &engines[i]; e.Changed() {
			t.Errorf("%s has changed since its release", e.Package)
		}
	}
}
