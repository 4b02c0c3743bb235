package registry_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// look returns beam as the follower sees it now.
func look(t *testing.T, f *registry.Follower, change bool) registry.Capability {
	t.Helper()
	list, changed, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if changed != change {
		t.Errorf("changed: %v, want %v", changed, change)
	}
	i := slices.IndexFunc(list, func(c registry.Capability) bool { return c.ID == beam })
	if i < 0 {
		return registry.Capability{}
	}
	return list[i]
}

func TestFollow(t *testing.T) {
	r, _ := open(t)
	f := r.Follow()
	look(t, f, false)
	publish(t, r, candidate(beam, "1.0.0"))
	first := look(t, f, true)
	look(t, f, false)
	publish(t, r, candidate(beam, "1.1.0"))
	second := look(t, f, true)
	if second.Current != "1.1.0" || release(second, "1.0.0") != release(first, "1.0.0") {
		t.Errorf("current %s; 1.0.0 is another Release than before", second.Current)
	}
	set(t, r, "1.1.0", lifecycle(evidence.Yanked))
	third := look(t, f, true)
	if third.Current != "1.0.0" || release(third, "1.1.0").Lifecycle.State != evidence.Yanked || release(third, "1.0.0") != release(first, "1.0.0") {
		t.Errorf("after the yank: %+v", third)
	}
	publish(t, r, candidate("other.one.thing", "1.0.0"))
	look(t, f, true)
	if t.Failed() {
		t.Log("another capability")
	}
}

// A follower keeps everything that it has seen when the registry is damaged, and reports the
// damage.
func TestFollowDamage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(d disk)
		want   string
	}{
		{"directory gone", func(d disk) { d.must(os.Rename(d.dir, filepath.Join(filepath.Dir(d.dir), ".away"))) }, "gone from the registry"},
		{"index garbled", func(d disk) { d.write(d.path("index.json"), []byte("{")) }, "index.json"},
		{"version gone", func(d disk) { d.drop("1.0.0") }, "version 1.0.0 is gone"},
		{"older copy restored", func(d disk) { d.drop("1.1.0") }, "version 1.1.0 is gone"},
		{"other bytes", func(d disk) { d.forge("1.0.0", func(m *v1.Manifest) { m.Annotations["org.example"] = "other" }) }, "was published as"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, dir := three(t)
			f := r.Follow()
			before := look(t, f, true)
			tt.damage(disk{t, filepath.Join(dir, beam)})
			after := look(t, f, true)
			if after.Problem == nil || !strings.Contains(after.Problem.Error(), tt.want) {
				t.Errorf("problem %v, want something about %q", after.Problem, tt.want)
			}
			for _, rel := range before.Releases {
				if release(after, rel.Version) != rel {
					t.Errorf("%s is not what it was", rel.Version)
				}
			}
			if after.Current != before.Current {
				t.Errorf("current %q, was %q", after.Current, before.Current)
			}
			if !slices.Equal(versionsOf(after), versionsOf(before)) {
				t.Errorf("versions %v, were %v", versionsOf(after), versionsOf(before))
			}
			look(t, f, false)
		})
	}
}

// A follower removes the problem after a repair.
func TestFollowRepair(t *testing.T) {
	r, dir := three(t)
	f := r.Follow()
	d := disk{t, filepath.Join(dir, beam)}
	good := d.read(d.path("index.json"))
	before := look(t, f, true)
	d.write(d.path("index.json"), []byte("{"))
	look(t, f, true)
	d.write(d.path("index.json"), good)
	if after := look(t, f, true); after.Problem != nil || release(after, "1.0.0") != release(before, "1.0.0") {
		t.Errorf("problem %v", after.Problem)
	}
}
