package registry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/transparency"
)

// remembered reads the registry and checks it against a file, as a server does when it starts.
func remembered(t *testing.T, r *registry.Registry, file string) registry.Capability {
	t.Helper()
	m, err := registry.OpenMemory(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err = m.Check(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.ID == beam {
			return c
		}
	}
	return registry.Capability{}
}

// G3, G4: if the registry changes while no server runs, the next server refuses the changed
// parts.
func TestMemory(t *testing.T) {
	republish := func(t *testing.T, dir string) {
		d := disk{t, dir}
		d.must(os.RemoveAll(dir))
		r, err := registry.Open(dir, nil)
		d.must(err)
		other := candidate(beam, "1.0.0")
		other.Revision = "another"
		publish(t, r, other)
	}
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, r *registry.Registry, dir string)
		refused string // in the Problem of 1.0.0
		problem string // in the Problem of the capability
		current string
	}{
		{"nothing", func(*testing.T, *registry.Registry, string) {}, "", "", "1.1.0"},
		{"a new version", func(t *testing.T, r *registry.Registry, _ string) { publish(t, r, candidate(beam, "1.2.0")) }, "", "", "1.2.0"},
		{"deleted and published again", func(t *testing.T, _ *registry.Registry, dir string) { republish(t, dir) }, "first seen here", "version 1.1.0 is gone", "1.0.0"},
		{"rewritten by hand", func(t *testing.T, _ *registry.Registry, dir string) {
			disk{t, filepath.Join(dir, beam)}.forge("1.0.0", func(m *v1.Manifest) { m.Annotations["org.example"] = "other" })
		}, "first seen here", "about nothing", "1.1.0"},
		{"an older copy", func(t *testing.T, _ *registry.Registry, dir string) {
			disk{t, filepath.Join(dir, beam)}.drop("1.1.0")
		}, "", "version 1.1.0 is gone", ""},
		{"all gone", func(t *testing.T, _ *registry.Registry, dir string) {
			disk{t, dir}.must(os.RemoveAll(filepath.Join(dir, beam)))
		}, "", "gone from the registry", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, dir := open(t)
			publish(t, r, candidate(beam, "1.0.0"))
			publish(t, r, candidate(beam, "1.1.0"))
			file := filepath.Join(t.TempDir(), "below", "seen.json")
			if c := remembered(t, r, file); c.Problem != nil {
				t.Fatal(c.Problem)
			}
			tt.change(t, r, dir)
			for range 2 { // refused data is not remembered either
				c := remembered(t, r, file)
				if c.Current != tt.current || !mentions(c.Problem, tt.problem) {
					t.Errorf("current %q, problem %v; want %q and %q", c.Current, c.Problem, tt.current, tt.problem)
				}
				if rel := release(c, "1.0.0"); rel != nil {
					if !mentions(rel.Problem, tt.refused) {
						t.Errorf("1.0.0: %v, want %q", rel.Problem, tt.refused)
					}
					if _, err := rel.OpenEngine(); (err == nil) != (tt.refused == "") {
						t.Errorf("its engine can be opened: %v", err)
					}
				}
			}
		})
	}
}

func mentions(err error, text string) bool {
	if text == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), text)
}

// An older copy of the registry does not undo a revocation.
func TestMemoryOfRevocation(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate(beam, "1.1.0"))
	d := disk{t, filepath.Join(dir, beam)}
	older := d.read(d.path("index.json"))
	file := filepath.Join(t.TempDir(), "seen.json")
	remembered(t, r, file)
	set(t, r, "1.1.0", lifecycle(evidence.Revoked))
	remembered(t, r, file)
	d.write(d.path("index.json"), older)
	c := remembered(t, r, file)
	rel := release(c, "1.1.0")
	if rel.Lifecycle.State != evidence.Revoked || rel.Lifecycle.Reason != "because" || c.Current != "1.0.0" || !mentions(c.Problem, "was revoked") {
		t.Errorf("it is %+v, current %s, problem %v", rel.Lifecycle, c.Current, c.Problem)
	}
}

// Unreadable data is not remembered, and an invalid file is not used as a memory.
func TestMemoryLearnsOnlyWhatIsWhole(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	d := disk{t, filepath.Join(dir, beam)}
	spec := d.blob(d.manifest("1.0.0").Config.Digest)
	good := d.read(spec)
	d.write(spec, []byte("damaged"))
	file := filepath.Join(t.TempDir(), "seen.json")
	remembered(t, r, file)
	if _, err := os.Stat(file); err == nil {
		t.Error("a damaged version is remembered")
	}
	d.write(spec, good)
	remembered(t, r, file)
	if data := d.read(file); !strings.Contains(string(data), release(capability(t, r, beam), "1.0.0").Digest) {
		t.Errorf("remembered: %s", data)
	}
	d.write(file, []byte("{"))
	if _, err := registry.OpenMemory(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error = %v", err)
	}
}

// A known version that is no longer listed is listed with a problem. If the capability cannot
// be read, its versions are reported neither as missing nor as unpublished.
func TestMemoryOfWhatCannotBeRead(t *testing.T) {
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate(beam, "1.1.0"))
	d := disk{t, filepath.Join(dir, beam)}
	good := d.read(d.path("index.json"))
	file := filepath.Join(t.TempDir(), "seen.json")
	was := release(remembered(t, r, file), "1.1.0").Digest
	d.drop("1.1.0")
	c := remembered(t, r, file)
	if rel := release(c, "1.1.0"); rel == nil || !mentions(rel.Problem, "gone from the registry") || rel.Digest != was || versionsOf(c)[0] != "1.1.0" {
		t.Errorf("the missing release: %+v among %v", rel, versionsOf(c))
	}
	if rel := release(c, "1.0.0"); rel.Problem != nil {
		t.Errorf("what is there: %v", rel.Problem)
	}
	log := logOf(t, transparency.Entry{Kind: transparency.Published, Capability: beam, Version: "1.1.0", Release: was})
	if err := problemsUnder(log, c); !mentions(err, "1.1.0 is gone") {
		t.Errorf("a log that has it: %v", err)
	}
	d.write(d.path("index.json"), []byte("{"))
	if c := remembered(t, r, file); !mentions(c.Problem, "index.json") || strings.Contains(c.Problem.Error(), "gone") || len(c.Releases) > 0 {
		t.Errorf("what cannot be read: %v, %v", c.Problem, versionsOf(c))
	}
	d.write(d.path("index.json"), good)
	if c := remembered(t, r, file); c.Problem != nil || c.Current != "1.1.0" {
		t.Errorf("when it is back: %v, current %s", c.Problem, c.Current)
	}
}

// Data that could not be written is written later, also if nothing else is new.
func TestMemoryIsWrittenLater(t *testing.T) {
	r, _ := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	dir := filepath.Join(t.TempDir(), "below")
	file := filepath.Join(dir, "seen.json")
	m, err := registry.OpenMemory(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file at the path of its directory
		t.Fatal(err)
	}
	list := []registry.Capability{capability(t, r, beam)}
	for range 2 {
		if _, err := m.Check(list); err == nil {
			t.Error("it was written into a file as if that were a directory")
		}
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Check(list); err != nil {
		t.Error(err)
	}
	if c := remembered(t, r, file); c.Problem != nil {
		t.Error(c.Problem)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// Saving a change keeps the form of a completely new file.
func TestMemoryFileForm(t *testing.T) {
	r, _ := open(t)
	file := filepath.Join(t.TempDir(), "seen.json")
	m, err := registry.OpenMemory(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"", "1.0.0", "1.1.0"} {
		if version != "" {
			publish(t, r, candidate(beam, version))
			publish(t, r, candidate("thermo.radiation.grey_surface", version))
		}
		list, err := r.Capabilities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Check(list); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if version == "" {
			continue // nothing was remembered
		}
		var form struct {
			Format       int `json:"format"`
			Capabilities map[string]struct {
				Versions map[string]struct {
					Digest string `json:"digest"`
				} `json:"versions"`
			} `json:"capabilities"`
		}
		if err != nil || json.Unmarshal(data, &form) != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if again, _ := json.MarshalIndent(form, "", " "); string(again)+"\n" != string(data) {
			t.Errorf("the file is\n%s\nand should be\n%s", data, again)
		}
	}
}
