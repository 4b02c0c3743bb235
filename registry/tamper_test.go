package registry_test

import (
	"context"
	_ "crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

const cable = "mechanical.statics.cable"

// published returns a registry with two versions of beam and one of cable.
func published(t testing.TB) (*registry.Registry, disk) {
	t.Helper()
	r, dir := open(t)
	publish(t, r, candidate(beam, "1.0.0"))
	publish(t, r, candidate(beam, "1.1.0"))
	publish(t, r, candidate(cable, "1.0.0"))
	return r, disk{t, filepath.Join(dir, beam)}
}

// mustServe fails unless a release is in order.
func mustServe(t *testing.T, rel *registry.Release) {
	t.Helper()
	if rel == nil {
		t.Fatal("the release is not listed")
	}
	if rel.Problem != nil {
		t.Errorf("%s %s: problem %v, want none", rel.Capability, rel.Version, rel.Problem)
	}
	data, err := rel.Engine()
	if err != nil || digest.FromBytes(data).String() != rel.EngineDigest {
		t.Errorf("%s %s: engine of %d bytes, %v", rel.Capability, rel.Version, len(data), err)
	}
}

// mustRefuse fails unless a release is listed with a problem that contains want.
func mustRefuse(t *testing.T, rel *registry.Release, want string) {
	t.Helper()
	if rel == nil {
		t.Fatal("the release is not listed")
	}
	if rel.Problem == nil || !strings.Contains(rel.Problem.Error(), want) {
		t.Errorf("%s %s: problem %v, want one with %q", rel.Capability, rel.Version, rel.Problem, want)
	}
	if data, err := rel.Engine(); err == nil || data != nil {
		t.Errorf("%s %s: engine of %d bytes in spite of %v", rel.Capability, rel.Version, len(data), rel.Problem)
	}
}

// blobKinds finds the blobs of version 1.0.0.
var blobKinds = map[string]func(d disk) digest.Digest{
	"manifest":        func(d disk) digest.Digest { x := d.index(); return d.entry(&x, "1.0.0").Digest },
	"spec":            func(d disk) digest.Digest { return d.manifest("1.0.0").Config.Digest },
	"engine":          func(d disk) digest.Digest { return d.manifest("1.0.0").Layers[0].Digest },
	"vectors":         func(d disk) digest.Digest { return d.manifest("1.0.0").Layers[1].Digest },
	"report manifest": func(d disk) digest.Digest { x := d.index(); return d.entry(&x, "report 1.0.0").Digest },
	"report":          func(d disk) digest.Digest { return d.manifest("report 1.0.0").Layers[0].Digest },
}

// blobDamages are kinds of damage to a file. bytes is the new content of the file, nil if
// there is none.
var blobDamages = map[string]func(d disk, file string) (bytes []byte){
	"byte flipped": func(d disk, file string) []byte {
		data := d.read(file)
		data[len(data)/2] ^= 1
		d.write(file, data)
		return data
	},
	"truncated": func(d disk, file string) []byte {
		data := d.read(file)
		data = data[:len(data)-1]
		d.write(file, data)
		return data
	},
	"emptied": func(d disk, file string) []byte {
		d.write(file, nil)
		return []byte{}
	},
	"grown": func(d disk, file string) []byte {
		data := append(d.read(file), ' ')
		d.write(file, data)
		return data
	},
	"swapped with another": func(d disk, file string) []byte {
		other := d.blob(d.manifest("1.0.0").Config.Digest)
		if other == file {
			other = d.blob(d.manifest("1.0.0").Layers[0].Digest)
		}
		a, b := d.read(file), d.read(other)
		d.write(file, b)
		d.write(other, a)
		return b
	},
	"deleted": func(d disk, file string) []byte {
		d.must(os.Remove(file))
		return nil
	},
	"a link to the same bytes": func(d disk, file string) []byte {
		d.must(os.Rename(file, file+".moved"))
		d.must(os.Symlink(filepath.Base(file)+".moved", file))
		return nil
	},
	"a link to outside": func(d disk, file string) []byte {
		outside := filepath.Join(d.t.TempDir(), "bytes")
		d.must(os.Rename(file, outside))
		d.must(os.Symlink(outside, file))
		return nil
	},
	"a directory": func(d disk, file string) []byte {
		d.must(os.Remove(file))
		d.must(os.Mkdir(file, 0o755))
		return nil
	},
}

func TestDamagedBlobIsFoundAndHurtsNothingElse(t *testing.T) {
	for kind, find := range blobKinds {
		for damage, inflict := range blobDamages {
			t.Run(kind+" "+damage, func(t *testing.T) {
				t.Parallel()
				r, d := published(t)
				before := release(capability(t, r, beam), "1.0.0")
				dg := find(d)
				found := inflict(d, d.blob(dg))

				c := capability(t, r, beam)
				if c.Problem != nil || c.Current != "1.1.0" {
					t.Errorf("current = %q, problem %v", c.Current, c.Problem)
				}
				mustServe(t, release(c, "1.1.0"))
				mustServe(t, release(capability(t, r, cable), "1.0.0"))
				rel := release(c, "1.0.0")
				mustRefuse(t, rel, dg.Encoded())
				if rel.Verification.Tier != verification.Candidate {
					t.Errorf("tier = %s without evidence", rel.Verification.Tier)
				}
				if data, err := before.Engine(); kind == "engine" && (err == nil || data != nil) {
					t.Error("a release read before the damage still gives the engine")
				}
				if found == nil || damage == "swapped with another" {
					return
				}
				var mismatch *store.DigestError
				if !errors.As(rel.Problem, &mismatch) {
					t.Fatalf("problem = %v, want a DigestError", rel.Problem)
				}
				want := store.DigestError{
					File: beam + "/blobs/sha256/" + dg.Encoded(), Expected: dg.String(), Found: digest.FromBytes(found).String(),
				}
				if *mismatch != want {
					t.Errorf("problem = %+v\nwant %+v", *mismatch, want)
				}
			})
		}
	}
}

func TestPublishingAgainRestoresDamagedBlobs(t *testing.T) {
	for kind, find := range blobKinds {
		for damage, inflict := range blobDamages {
			if damage == "a directory" || damage == "swapped with another" {
				continue
			}
			t.Run(kind+" "+damage, func(t *testing.T) {
				t.Parallel()
				r, d := published(t)
				inflict(d, d.blob(find(d)))
				p := publish(t, r, candidate(beam, "1.0.0"))
				if p.Status != registry.Unchanged || p.Restored != 1 {
					t.Errorf("publication = %+v, want unchanged with 1 file restored", p)
				}
				mustServe(t, release(capability(t, r, beam), "1.0.0"))
			})
		}
	}
}

func TestHugeBlobIsNotRead(t *testing.T) {
	for kind, find := range blobKinds {
		t.Run(kind, func(t *testing.T) {
			r, d := published(t)
			d.must(os.Truncate(d.blob(find(d)), registry.MaxEngine+1)) // a sparse file
			mustRefuse(t, release(capability(t, r, beam), "1.0.0"), "more than the")
		})
	}
}

func TestWrongReleaseIsRefusedAndHurtsNothingElse(t *testing.T) {
	entry := func(change func(*v1.Descriptor)) func(disk) {
		return func(d disk) { d.edit(func(x *v1.Index) { change(d.entry(x, "1.0.0")) }) }
	}
	manifest := func(change func(*v1.Manifest)) func(disk) {
		return func(d disk) { d.forge("1.0.0", change) }
	}
	respec := func(change func(*sdk.Spec)) func(disk) {
		return func(d disk) {
			s := spec(beam, "1.0.0")
			change(&s)
			data, err := json.Marshal(s)
			d.must(err)
			config := d.add(mediatype.Spec, data)
			d.forge("1.0.0", func(m *v1.Manifest) { m.Config = config })
		}
	}
	rereport := func(data string) func(disk) {
		return func(d disk) {
			layer := d.add(mediatype.Report, []byte(strings.ReplaceAll(data, "ENGINE", d.manifest("1.0.0").Layers[0].Digest.String())))
			d.forge("report 1.0.0", func(m *v1.Manifest) { m.Layers = []v1.Descriptor{layer} })
		}
	}
	cases := []struct {
		name   string
		damage func(disk)
		want   string
	}{
		{"size in index", entry(func(e *v1.Descriptor) { e.Size++ }), "its descriptor has"},
		{"media type in index", entry(func(e *v1.Descriptor) { e.MediaType = v1.MediaTypeImageIndex }), "media type"},
		{"digest that is a path", entry(func(e *v1.Descriptor) { e.Digest = "sha256:../../../etc/passwd" }), "64 hexadecimal digits"},
		{"digest without algorithm", entry(func(e *v1.Descriptor) { e.Digest = zeros }), "64 hexadecimal digits"},
		{"digest by a weaker algorithm", entry(func(e *v1.Descriptor) { e.Digest = "md5:d41d8cd98f00b204e9800998ecf8427e" }), "64 hexadecimal digits"},
		{"digest of another algorithm", entry(func(e *v1.Descriptor) { e.Digest = digest.SHA512.FromString("") }), "64 hexadecimal digits"},
		{"no digest", entry(func(e *v1.Descriptor) { e.Digest = "" }), "64 hexadecimal digits"},
		{"two entries", func(d disk) {
			d.edit(func(x *v1.Index) {
				e := *d.entry(x, "1.0.0")
				e.Digest = d.entry(x, "1.1.0").Digest
				x.Manifests = append(x.Manifests, e)
			})
		}, "2 entries tagged 1.0.0"},
		{"the same entry twice", func(d disk) {
			d.edit(func(x *v1.Index) { x.Manifests = append(x.Manifests, *d.entry(x, "1.0.0")) })
		}, "2 entries tagged 1.0.0"},
		{"tag on another kind", func(d disk) {
			d.edit(func(x *v1.Index) {
				r := d.entry(x, "report 1.1.0")
				e := d.entry(x, "1.0.0")
				e.Digest, e.Size = r.Digest, r.Size
			})
		}, "remove its tag"},
		{"manifest that is not JSON", func(d disk) {
			desc := d.add(v1.MediaTypeImageManifest, []byte("{"))
			d.edit(func(x *v1.Index) { e := d.entry(x, "1.0.0"); e.Digest, e.Size = desc.Digest, desc.Size })
		}, "is not a manifest"},
		{"schema version", manifest(func(m *v1.Manifest) { m.SchemaVersion = 1 }), "schema version"},
		{"artifact type", manifest(func(m *v1.Manifest) { m.ArtifactType = "application/x" }), "application/x"},
		{"config type", manifest(func(m *v1.Manifest) { m.Config.MediaType = "application/x" }), "application/x"},
		{"config too big", manifest(func(m *v1.Manifest) { m.Config.Size = 1 << 62 }), "its descriptor has"},
		{"negative size", manifest(func(m *v1.Manifest) { m.Layers[1].Size = -1 }), "its descriptor has"},
		{"no engine", manifest(func(m *v1.Manifest) { m.Layers = m.Layers[1:] }), "no engine for " + here},
		{"engine for another platform", manifest(func(m *v1.Manifest) { m.Layers[0].Platform.OS = "plan9" }), "no engine for " + here},
		{"engine without platform", manifest(func(m *v1.Manifest) { m.Layers[0].Platform = nil }), "without a platform"},
		{"two engines", manifest(func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }), "two engines"},
		{"two sets of vectors", manifest(func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[1]) }), "two sets of vectors"},
		{"Spec of another version", respec(func(s *sdk.Spec) { s.Version = "1.0.1" }), "1.0.1"},
		{"Spec of another capability", respec(func(s *sdk.Spec) { s.Capability = cable }), cable},
		{"invalid Spec", respec(func(s *sdk.Spec) { s.Outputs = nil }), "invalid Spec"},
		{"Spec that is not JSON", func(d disk) {
			config := d.add(mediatype.Spec, []byte("version: 1"))
			d.forge("1.0.0", func(m *v1.Manifest) { m.Config = config })
		}, "is not one"},
		{"report that did not pass", rereport(`{"engine_digests":["ENGINE"],"passed":false,"vectors":{"total":3,"passed":3}}`), "did not pass"},
		{"report of other bytes", rereport(`{"engine_digests":["sha256:` + zeros + `"],"passed":true,"vectors":{"total":3,"passed":3}}`), "not about the engine"},
		{"report that is not JSON", rereport(`passed`), "conformance report is not one"},
		{"empty report", rereport(``), "conformance report is not one"},
		{"report without a layer", func(d disk) { d.forge("report 1.0.0", func(m *v1.Manifest) { m.Layers = nil }) }, "no " + mediatype.Report},
		{"a second report that did not pass", func(d disk) {
			first := d.index()
			rereport(`{"engine_digests":["ENGINE"],"passed":false,"vectors":{"total":3,"passed":3}}`)(d)
			d.edit(func(x *v1.Index) { x.Manifests = append(x.Manifests, *d.entry(&first, "report 1.0.0")) })
		}, "did not pass"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, d := published(t)
			if !strings.Contains(tc.name, "report") {
				d.drop("report 1.0.0") // it would be about the earlier manifest
			}
			tc.damage(d)
			c := capability(t, r, beam)
			if c.Problem != nil {
				t.Errorf("problem of the capability: %v", c.Problem)
			}
			mustRefuse(t, release(c, "1.0.0"), tc.want)
			mustServe(t, release(c, "1.1.0"))
			mustServe(t, release(capability(t, r, cable), "1.0.0"))
		})
	}
}

func TestUnusableLayoutIsListedWithItsProblem(t *testing.T) {
	write := func(name, data string) func(disk) {
		return func(d disk) { d.write(d.path(name), []byte(data)) }
	}
	cases := []struct {
		name   string
		damage func(disk)
		want   string
	}{
		{"no oci-layout", func(d disk) { d.must(os.Remove(d.path("oci-layout"))) }, "oci-layout is missing"},
		{"oci-layout garbled", write("oci-layout", "1.0.0"), "imageLayoutVersion"},
		{"other layout version", write("oci-layout", `{"imageLayoutVersion":"2.0.0"}`), "imageLayoutVersion"},
		{"half-written: blobs but no index", func(d disk) { d.must(os.Remove(d.path("index.json"))) }, "the layout is incomplete"},
		{"index empty", write("index.json", ""), "not an OCI index"},
		{"index garbled", write("index.json", "\x00\xff{]"), "not an OCI index"},
		{"index cut", func(d disk) {
			data := d.read(d.path("index.json"))
			d.write(d.path("index.json"), data[:len(data)/2])
		}, "not an OCI index"},
		{"index with text after it", func(d disk) { d.write(d.path("index.json"), append(d.read(d.path("index.json")), '}')) }, "not an OCI index"},
		{"index of schema 1", func(d disk) { d.edit(func(x *v1.Index) { x.SchemaVersion = 1 }) }, "schema version 1"},
		{"index that is a manifest", func(d disk) { d.edit(func(x *v1.Index) { x.MediaType = v1.MediaTypeImageManifest }) }, "media type"},
		{"index too big", func(d disk) { d.must(os.Truncate(d.path("index.json"), store.MaxJSON+1)) }, "more than the 16777216"},
		{"index a link", func(d disk) {
			d.must(os.Rename(d.path("index.json"), d.path("other.json")))
			d.must(os.Symlink("other.json", d.path("index.json")))
		}, "not a regular file"},
		{"index a directory", func(d disk) {
			d.must(os.Remove(d.path("index.json")))
			d.must(os.Mkdir(d.path("index.json"), 0o755))
		}, "not a regular file"},
		{"directory empty", func(d disk) {
			d.must(os.RemoveAll(d.dir))
			d.must(os.Mkdir(d.dir, 0o755))
		}, "the layout is incomplete"},
		{"a file", func(d disk) {
			d.must(os.RemoveAll(d.dir))
			d.write(d.dir, nil)
		}, "not a directory"},
		{"a link to outside", func(d disk) {
			outside := filepath.Join(d.t.TempDir(), "outside")
			d.must(os.Rename(d.dir, outside))
			d.must(os.Symlink(outside, d.dir))
		}, "not a directory"},
		{"nothing listed", func(d disk) { d.edit(func(x *v1.Index) { x.Manifests = nil }) }, "no version is listed"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, d := published(t)
			tc.damage(d)
			c := capability(t, r, beam)
			if c.Problem == nil || !strings.Contains(c.Problem.Error(), tc.want) {
				t.Errorf("problem = %v, want one with %q", c.Problem, tc.want)
			}
			if c.ID != beam || c.Current != "" || len(c.Releases) != 0 {
				t.Errorf("capability = %+v", c)
			}
			mustServe(t, release(capability(t, r, cable), "1.0.0"))
		})
	}
}

func TestBlobsOutsideTheLayoutAreNotRead(t *testing.T) {
	r, d := published(t)
	outside := filepath.Join(t.TempDir(), "outside")
	d.must(os.Rename(d.path("blobs"), outside))
	d.must(os.Symlink(outside, d.path("blobs")))
	for _, rel := range capability(t, r, beam).Releases {
		mustRefuse(t, rel, "escapes")
	}
}

func TestWrongCurrentLeavesPinnedVersionsServable(t *testing.T) {
	cases := []struct {
		name   string
		change func(d disk, x *v1.Index)
		want   string
	}{
		{"dangling", func(d disk, x *v1.Index) { d.entry(x, "current").Digest = "sha256:" + zeros }, "0 versions"},
		{"at a report", func(d disk, x *v1.Index) { d.entry(x, "current").Digest = d.entry(x, "report 1.0.0").Digest }, "0 versions"},
		{"at a pre-release", func(d disk, x *v1.Index) { d.entry(x, "current").Digest = d.entry(x, "2.0.0-rc.1").Digest }, "pre-release"},
		{"twice", func(d disk, x *v1.Index) { x.Manifests = append(x.Manifests, *d.entry(x, "current")) }, "2 entries tagged current"},
		{"not a digest", func(d disk, x *v1.Index) { d.entry(x, "current").Digest = "1.0.0" }, "0 versions"},
		{"at something under two versions", func(d disk, x *v1.Index) {
			e := *d.entry(x, "1.1.0")
			e.Annotations = map[string]string{v1.AnnotationRefName: "3.0.0"}
			x.Manifests = append(x.Manifests, e)
		}, "2 versions"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, d := published(t)
			publish(t, r, candidate(beam, "2.0.0-rc.1"))
			d.edit(func(x *v1.Index) { tc.change(d, x) })
			c := capability(t, r, beam)
			if c.Current != "" || c.Problem == nil || !strings.Contains(c.Problem.Error(), tc.want) {
				t.Errorf("current = %q, problem %v; want none and one with %q", c.Current, c.Problem, tc.want)
			}
			for _, v := range []string{"1.0.0", "1.1.0", "2.0.0-rc.1"} {
				mustServe(t, release(c, v))
			}
		})
	}
}

func TestNamesAndTagsOfOtherKinds(t *testing.T) {
	r, d := published(t)
	dir := filepath.Dir(d.dir)
	d.must(os.Mkdir(filepath.Join(dir, "lost+found"), 0o700))
	d.must(os.Mkdir(filepath.Join(dir, ".new-x.y"), 0o700))
	d.must(os.CopyFS(filepath.Join(dir, "mechanical.statics.copied"), os.DirFS(d.dir)))
	d.write(d.path("README"), []byte("not of OCI"))
	d.edit(func(x *v1.Index) {
		for _, tag := range []string{"latest", "v1.0.0", "sha256-" + zeros} {
			e := *d.entry(x, "1.0.0")
			e.Annotations = map[string]string{v1.AnnotationRefName: tag}
			x.Manifests = append(x.Manifests, e)
		}
		e := *d.entry(x, "report 1.0.0")
		e.ArtifactType, e.Digest = "application/vnd.example.signature", "sha256:"+zeros
		untyped := *d.entry(x, "1.0.0")
		untyped.ArtifactType, untyped.Annotations = "", nil
		nested := untyped
		nested.MediaType = v1.MediaTypeImageIndex
		x.Manifests = append(x.Manifests, e, untyped, nested)
	})
	list, err := r.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	want := []string{"lost+found", beam, cable, "mechanical.statics.copied"}
	if fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Fatalf("ids = %v, want %v", ids, want)
	}
	if p := list[0].Problem; p == nil || !strings.Contains(p.Error(), "not a capability id") {
		t.Errorf("problem of lost+found = %v", p)
	}
	for _, rel := range list[3].Releases {
		mustRefuse(t, rel, "not mechanical.statics.copied")
	}
	if got := fmt.Sprint(versionsOf(list[1])); got != "[1.1.0 1.0.0 latest v1.0.0]" {
		t.Errorf("versions = %s", got)
	}
	if list[1].Problem != nil || list[1].Current != "1.1.0" {
		t.Errorf("current = %q, problem %v", list[1].Current, list[1].Problem)
	}
	mustRefuse(t, release(list[1], "latest"), "tag in index.json")
	mustRefuse(t, release(list[1], "v1.0.0"), "tag in index.json")
	mustServe(t, release(list[1], "1.1.0"))
	mustServe(t, release(list[1], "1.0.0"))
}

func TestStrayReportIsAProblem(t *testing.T) {
	for name, change := range map[string]func(disk){
		"of a version that is gone": func(d disk) { d.drop("1.0.0") },
		"of nothing":                func(d disk) { d.forge("report 1.0.0", func(m *v1.Manifest) { m.Subject = nil }) },
		"unreadable and of no version": func(d disk) {
			d.edit(func(x *v1.Index) {
				e := d.entry(x, "report 1.0.0")
				e.Digest, e.Annotations = "sha256:"+zeros, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, d := published(t)
			change(d)
			c := capability(t, r, beam)
			if c.Problem == nil || !strings.Contains(c.Problem.Error(), "about nothing that is published here") {
				t.Errorf("problem = %v", c.Problem)
			}
			mustServe(t, release(c, "1.1.0"))
		})
	}
}

// patience is a context that ends after a number of calls of Err.
type patience struct {
	context.Context
	left *int
}

func (p patience) Err() error {
	*p.left--
	if *p.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCapabilitiesStopsBetweenReleases(t *testing.T) {
	r, dir := open(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		publish(t, r, candidate(beam, v))
	}
	for left := range 3 {
		list, err := r.Capabilities(patience{t.Context(), &left})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), dir) {
			t.Errorf("capabilities = %v, %v; want the error of the context", list, err)
		}
	}
}

func TestCapabilitiesStopsWithTheContext(t *testing.T) {
	r, _ := published(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Capabilities(ctx); err == nil {
		t.Error("no error")
	}
	if _, _, _, err := r.FindEngine(ctx, "sha256:"+zeros); err == nil {
		t.Error("no error")
	}
}
