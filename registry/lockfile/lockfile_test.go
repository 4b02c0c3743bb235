package lockfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/lockfile"
)

const beam, cable = "mechanical.statics.beam", "mechanical.statics.cable"

func rel(version string) *registry.Release {
	return &registry.Release{
		Version: version, Digest: "sha256:manifest-" + version, Lifecycle: evidence.Lifecycle{State: evidence.Active},
		Engines: map[string]string{"linux/amd64": "sha256:amd-" + version, "linux/arm64": "sha256:arm-" + version},
	}
}

// published are two capabilities; beam 1.10.0 is current.
func published() []registry.Capability {
	return []registry.Capability{
		{ID: beam, Current: "1.10.0", Releases: []*registry.Release{rel("2.0.0-rc.1"), rel("1.10.0"), rel("1.9.0")}},
		{ID: cable, Current: "1.0.0", Releases: []*registry.Release{rel("1.0.0")}},
	}
}

func all(t *testing.T) *lockfile.File {
	t.Helper()
	f, err := lockfile.All("oci://registry.example.org/calc", published())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// names lists versions, and marks current ones with a star.
func names(f *lockfile.File) (list []string) {
	for _, r := range f.Releases {
		name := r.Capability + "@" + r.Version
		if r.Current {
			name += "*"
		}
		list = append(list, name)
	}
	return list
}

func TestLockFileIsStable(t *testing.T) {
	f := all(t)
	if want := []string{beam + "@2.0.0-rc.1", beam + "@1.10.0*", beam + "@1.9.0", cable + "@1.0.0*"}; !slices.Equal(names(f), want) {
		t.Errorf("locked %v, want %v", names(f), want)
	}
	name := filepath.Join(t.TempDir(), "slipstick.lock")
	write := func(f *lockfile.File) string {
		t.Helper()
		if err := f.Write(name); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := write(f)
	slices.Reverse(f.Releases)
	if again := write(f); again != first {
		t.Errorf("the order matters:\n%s\n%s", first, again)
	}
	read, err := lockfile.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if again := write(read); again != first {
		t.Errorf("reading it changes it:\n%s", again)
	}
}

func TestAddingVersions(t *testing.T) {
	f := &lockfile.File{Format: lockfile.Format}
	list := published()
	add := func(version string) {
		t.Helper()
		if err := f.Add(&list[0], version); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		version string
		want    []string
	}{
		{"2.0.0-rc.1", []string{beam + "@2.0.0-rc.1"}},
		{"1.9.0", []string{beam + "@2.0.0-rc.1", beam + "@1.9.0*"}},
		{"1.10.0", []string{beam + "@2.0.0-rc.1", beam + "@1.10.0*", beam + "@1.9.0"}},
		{"1.10.0", []string{beam + "@2.0.0-rc.1", beam + "@1.10.0*", beam + "@1.9.0"}},
	} {
		add(step.version)
		if !slices.Equal(names(f), step.want) {
			t.Errorf("after %s: %v, want %v", step.version, names(f), step.want)
		}
	}
	list[0].Releases[1].Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong"}
	if err := f.Add(&list[0], "1.10.0"); err == nil || !strings.Contains(err.Error(), "wrong") {
		t.Errorf("a revoked version: %v", err)
	}
	if err := f.Add(&list[0], "3.0.0"); err == nil {
		t.Error("a version that is not published is locked")
	}
	again, err := lockfile.All("", list)
	if err != nil || slices.Contains(names(again), beam+"@1.10.0") {
		t.Errorf("all with a revoked one: %v, %v", names(again), err)
	}
}

// A plain name keeps its version when versions are added or removed, and when everything is locked again. Only Name
// changes it.
func TestNamesKeepTheirVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slipstick.lock")
	list := published()
	// A file of an older program has no names: the current version has the plain name.
	old := `{"lock_format": 1, "registry": "", "releases": [{"capability_id": "` + beam + `", "calculation_version": "1.9.0",
		"digest": "sha256:manifest-1.9.0", "engines": {"linux/amd64": "sha256:amd-1.9.0"}, "current": true}]}`
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func(f *lockfile.File) error
		want string
	}{
		{"read", func(*lockfile.File) error { return nil }, "1.9.0"},
		{"add the current version", func(f *lockfile.File) error { return f.Add(&list[0], "1.10.0") }, "1.9.0"},
		{"remove the newer version", func(f *lockfile.File) error { return f.Remove(&list[0], "1.10.0") }, "1.9.0"},
		{"add it again", func(f *lockfile.File) error { return f.Add(&list[0], "1.10.0") }, "1.9.0"},
		{"remove the version with the name", func(f *lockfile.File) error { return f.Remove(&list[0], "1.9.0") }, "1.9.0"},
		{"add a third version", func(f *lockfile.File) error { return f.Add(&list[0], "2.0.0-rc.1") }, "1.9.0"},
		{"name another", func(f *lockfile.File) error { return f.Name(beam, "1.10.0") }, "1.10.0"},
		{"remove all", func(f *lockfile.File) error { return f.Remove(&list[0], "") }, ""},
		{"add after removing all", func(f *lockfile.File) error { return f.Add(&list[0], "1.10.0") }, "1.10.0"},
	} {
		f, err := lockfile.Read(file)
		if err == nil {
			err = step.do(f)
		}
		if err == nil {
			err = f.Write(file)
		}
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if f.Names[beam] != step.want {
			t.Errorf("%s: the plain name means %q, want %q", step.name, f.Names[beam], step.want)
		}
	}
	f, err := lockfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var missing *lockfile.NotLockedError
	if err := f.Name(beam, "1.9.0"); !errors.As(err, &missing) {
		t.Errorf("a name for a version that is not locked: %v", err)
	}
	if err := f.Remove(&list[1], ""); !errors.As(err, &missing) {
		t.Errorf("removing a capability that is not locked: %v", err)
	}
	list[0].Releases[1].Digest = "sha256:other"
	if err := f.Changed(&list[0], "1.10.0"); err == nil || !strings.Contains(err.Error(), "sha256:other") {
		t.Errorf("other bytes: %v", err)
	}
	if err := f.Changed(&list[0], "1.9.0"); err != nil {
		t.Errorf("a version that is not locked: %v", err)
	}
	if err := os.WriteFile(file, []byte(`{"lock_format": 1, "releases": [], "names": {"a.b": "now"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lockfile.Read(file); err == nil {
		t.Error("a name that is given to no version is read")
	}
}

// Only locked versions are served, and only with the locked digests.
func TestApply(t *testing.T) {
	f := &lockfile.File{Format: lockfile.Format}
	list := published()
	if err := f.Add(&list[0], "1.9.0"); err != nil {
		t.Fatal(err)
	}
	now := f.Apply(published())
	if len(now) != 1 || len(now[0].Releases) != 1 || now[0].Current != "1.9.0" || now[0].Releases[0].Problem != nil {
		t.Fatalf("served: %+v", now)
	}
	for name, change := range map[string]func(*registry.Release){
		"manifest":             func(r *registry.Release) { r.Digest = "sha256:other" },
		"engine of this":       func(r *registry.Release) { r.Engines["linux/amd64"] = "sha256:other" },
		"engine of another":    func(r *registry.Release) { r.Engines["linux/arm64"] = "sha256:other" },
		"engine that has gone": func(r *registry.Release) { delete(r.Engines, "linux/arm64") },
	} {
		list := published()
		change(list[0].Releases[2])
		now := f.Apply(list)
		if p := now[0].Releases[0].Problem; p == nil || !strings.Contains(p.Error(), "not run") {
			t.Errorf("%s: problem %v", name, p)
		}
		if list[0].Releases[2].Problem != nil {
			t.Errorf("%s: what was read is changed", name)
		}
		if len(f.Missing(list)) != 1 || len(f.Differences(list)) != 1 {
			t.Errorf("%s: missing %v, differences %v", name, f.Missing(list), f.Differences(list))
		}
	}
}

func TestDifferences(t *testing.T) {
	f := all(t)
	for _, tt := range []struct {
		name   string
		change func(list []registry.Capability) []registry.Capability
		want   string // "" for none
		starts bool   // it can still be served
	}{
		{"nothing", func(l []registry.Capability) []registry.Capability { return l }, "", true},
		{"more", func(l []registry.Capability) []registry.Capability {
			l[0].Releases = append(l[0].Releases, rel("1.0.0"))
			return append(l, registry.Capability{ID: "other.thing"})
		}, "", true},
		{"version gone", func(l []registry.Capability) []registry.Capability { l[0].Releases = l[0].Releases[:2]; return l }, beam + " 1.9.0: it is not published", false},
		{"capability gone", func(l []registry.Capability) []registry.Capability { return l[:1] }, cable + " 1.0.0: it is not published", false},
		{"damaged", func(l []registry.Capability) []registry.Capability {
			l[1].Releases[0].Problem = errors.New("no engine for plan9/amd64")
			return l
		}, "plan9", false},
		{"current moved", func(l []registry.Capability) []registry.Capability { l[0].Current = "1.9.0"; return l }, "has made 1.9.0 current", true},
		{"revoked", func(l []registry.Capability) []registry.Capability {
			l[1].Releases[0].Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: "wrong"}
			return l
		}, "revoked: wrong", true},
	} {
		list := tt.change(published())
		var lines []string
		for _, d := range f.Differences(list) {
			lines = append(lines, d.String())
		}
		got := strings.Join(lines, "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: differences %q, want %q", tt.name, got, tt.want)
		}
		if missing := f.Missing(list); (len(missing) == 0) != tt.starts {
			t.Errorf("%s: missing %v", tt.name, missing)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	entry := `{"capability_id":"a.b","calculation_version":"1.0.0","digest":"sha256:x","current":true}`
	for _, data := range []string{
		``, `{}`, `[]`, `{"lock_format":2}`,
		`{"lock_format":1,"releases":[{"capability_id":"a.b","calculation_version":"1.0.0"}]}`,
		`{"lock_format":1,"releases":[{"capability_id":"a.b","calculation_version":"latest","digest":"sha256:x"}]}`,
		`{"lock_format":1,"releases":[` + entry + `,` + entry + `]}`,
		`{"lock_format":1,"releases":[` + entry + `,` + strings.Replace(entry, "1.0.0", "1.1.0", 1) + `]}`,
	} {
		name := filepath.Join(t.TempDir(), "slipstick.lock")
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := lockfile.Read(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := lockfile.Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "slipstick lock makes one") {
		t.Errorf("no file: %v", err)
	}
}
