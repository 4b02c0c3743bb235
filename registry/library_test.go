package registry_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry"
)

// include adds a library, and checks the number of added versions.
func include(t *testing.T, r, library *registry.Registry, want int) {
	t.Helper()
	added, damage, err := r.Include(t.Context(), library)
	if added != want || damage != nil || err != nil {
		t.Fatalf("%d versions, want %d; damage %v, %v", added, want, damage, err)
	}
}

// libraryOf returns a registry with releases, each also with an engine for another platform.
func libraryOf(t *testing.T, list ...registry.Candidate) *registry.Registry {
	t.Helper()
	r, _ := open(t)
	for _, c := range list {
		c.Engines = map[string][]byte{here: c.Engines[here], "linux/riscv64": join(t, program(elf.EM_RISCV, "runtime"), c.Spec.Capability+c.Spec.Version)}
		publish(t, r, c)
	}
	return r
}

// A library is added whole, but without engines for other platforms. Adding it again changes nothing.
func TestInclude(t *testing.T) {
	list := []registry.Candidate{textCandidate(t, beam, "1.0.0"), textCandidate(t, beam, "1.1.0"), textCandidate(t, other, "1.0.0")}
	library := libraryOf(t, list...)
	publish(t, library, registry.Candidate{Table: table(t, "1.0.0", "50.3")})
	r, dir := open(t)
	include(t, r, library, 4)
	for i := range list {
		c := capability(t, r, list[i].Spec.Capability)
		serves(t, release(c, list[i].Spec.Version), &list[i])
		if rel := release(c, list[i].Spec.Version); !rel.Judged {
			t.Errorf("the report about %s %s is missing", rel.Capability, rel.Version)
		}
	}
	if c := capability(t, r, beam); c.Current != "1.1.0" {
		t.Errorf("current is %q", c.Current)
	}
	if rel := release(capability(t, r, bars), "1.0.0"); rel == nil || rel.Problem != nil {
		t.Errorf("the table: %+v", rel)
	}
	if _, err := release(capability(t, r, beam), "1.0.0").EngineFor("linux/riscv64"); err == nil {
		t.Error("the engine for another platform was added")
	}
	before := tree(t, dir)
	include(t, r, library, 0)
	if after := tree(t, dir); !reflect.DeepEqual(before, after) {
		t.Errorf("files before %v\nafter %v", before, after)
	}
}

// A registry with the engines for one platform can be exported and imported.
func TestTransferOfOnePlatform(t *testing.T) {
	kept := textCandidate(t, beam, "1.0.0")
	r, _ := open(t)
	include(t, r, libraryOf(t, kept, textCandidate(t, beam, "1.1.0")), 2)
	file, count := exported(t, r)
	to, _ := open(t)
	added, refused := imported(t, to, file)
	if len(refused) > 0 || count.LeftOut != 2 || added.LeftOut != 2 || added.Versions != 2 {
		t.Errorf("exported %+v, imported %+v, refused %v", count, added, refused)
	}
	rel := release(capability(t, to, beam), "1.0.0")
	serves(t, rel, &kept)
	if err := rel.CheckEngine("linux/riscv64"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the engine for another platform: %v", err)
	}
	if again, _ := exported(t, to); !bytes.Equal(file, again) {
		t.Error("the copy has another file")
	}
}

// The next library has a new version, and other bytes for a known one. Known versions stay, and the new one
// becomes current.
func TestIncludeNextLibrary(t *testing.T) {
	first, second := textCandidate(t, beam, "1.0.0"), textCandidate(t, beam, "1.1.0")
	kept := textCandidate(t, other, "1.0.0")
	rebuilt := kept
	rebuilt.Revision = "0000000"
	r, _ := open(t)
	include(t, r, libraryOf(t, first, kept), 2)
	include(t, r, libraryOf(t, second, rebuilt), 1)
	if c := capability(t, r, beam); c.Current != "1.1.0" || !slices.Equal(versionsOf(c), []string{"1.1.0", "1.0.0"}) || c.Problem != nil {
		t.Errorf("%+v", c)
	}
	if rel := release(capability(t, r, other), "1.0.0"); rel.Revision != kept.Revision || rel.Problem != nil {
		t.Errorf("%+v", rel)
	}
	if err := r.Promote(t.Context(), beam, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	include(t, r, libraryOf(t, second), 0)
	if c := capability(t, r, beam); c.Current != "1.0.0" {
		t.Errorf("a promotion is undone: current is %s", c.Current)
	}
}

// An own version stays current, and an own tool id keeps its owner.
func TestIncludeKeepsOwn(t *testing.T) {
	library := libraryOf(t, textCandidate(t, beam, "2.0.0"))
	r, _ := open(t)
	publish(t, r, textCandidate(t, beam, "1.0.0"))
	include(t, r, library, 1)
	if c := capability(t, r, beam); c.Current != "1.0.0" || len(c.Releases) != 2 {
		t.Errorf("%+v", c)
	}

	r, _ = open(t)
	own := textCandidate(t, other, "1.0.0")
	own.Spec.Tool = "beam"
	publish(t, r, own)
	added, damage, err := r.Include(t.Context(), library)
	if added != 0 || err != nil || damage == nil || !strings.Contains(damage.Error(), "its tool id beam belongs to "+other) {
		t.Errorf("%d, %v, %v", added, damage, err)
	}
	if c := capability(t, r, beam); c.ID != "" {
		t.Errorf("%+v", c)
	}
}

// Included versions are in the log of the registry.
func TestIncludeIsLogged(t *testing.T) {
	r, _ := open(t)
	if _, _, err := r.UpdateLog(t.Context(), &registry.LogUpdate{Create: true}); err != nil {
		t.Fatal(err)
	}
	include(t, r, libraryOf(t, textCandidate(t, beam, "1.0.0")), 1)
	l, err := r.Log(nil)
	if err != nil || len(l.Entries()) == 0 {
		t.Errorf("%+v, %v", l, err)
	}
}
