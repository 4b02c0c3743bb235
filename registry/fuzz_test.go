package registry_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// A served release always has the bytes of its digests, for any index.json.
func FuzzIndex(f *testing.F) {
	r, d := published(f)
	whole := d.read(d.path("index.json"))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.ReplaceAll(whole, []byte(`"1.0.0"`), []byte(`"1.1.0"`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"current"`), []byte(`"2.0.0"`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`sha256:`), []byte(`sha512:`)))
	f.Add([]byte(`{"schemaVersion":2,"manifests":[{"digest":"x","size":-1,"annotations":{"org.opencontainers.image.ref.name":"1.0.0"}},{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := disk{t, d.dir}
		d.write(d.path("index.json"), data)
		checkServed(t, r, d)
	})
}

// The same for a manifest that has the digest in index.json.
func FuzzManifest(f *testing.F) {
	r, d := published(f)
	x := d.index()
	whole := d.read(d.blob(d.entry(&x, "1.0.0").Digest))
	f.Add(whole)
	f.Add(d.read(d.blob(d.entry(&x, "report 1.0.0").Digest)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"size":`), []byte(`"size":-`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"platform"`), []byte(`"p"`)))
	f.Add(bytes.ReplaceAll(whole, []byte("engine.v1"), []byte("vectors.v1+json")))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := disk{t, d.dir}
		desc := d.add(v1.MediaTypeImageManifest, data)
		d.edit(func(x *v1.Index) {
			*x = v1.Index{Versioned: x.Versioned, MediaType: x.MediaType}
			release, report := desc, desc
			release.Annotations = map[string]string{v1.AnnotationRefName: "1.0.0"}
			x.Manifests = []v1.Descriptor{release, report}
		})
		checkServed(t, r, d)
	})
}

// checkServed fails if a release without a problem does not match its digests.
func checkServed(t *testing.T, r *registry.Registry, d disk) {
	t.Helper()
	c := capability(t, r, beam)
	if v, err := versions.Parse(c.Current); c.Current != "" && (err != nil || v.Prerelease() != "" || release(c, c.Current) == nil) {
		t.Errorf("current = %q of %v", c.Current, versionsOf(c))
	}
	for _, rel := range c.Releases {
		if rel.Problem != nil {
			if data, err := rel.Engine(); err == nil || data != nil {
				t.Errorf("engine of a release with the problem %v", rel.Problem)
			}
			continue
		}
		var m v1.Manifest
		data := d.read(d.blob(digest.Digest(rel.Digest)))
		if err := json.Unmarshal(data, &m); err != nil || digest.FromBytes(data).String() != rel.Digest {
			t.Errorf("%s: manifest has the digest %s, %v", rel.Version, digest.FromBytes(data), err)
		}
		binary, err := rel.Engine()
		if err != nil || digest.FromBytes(binary).String() != rel.EngineDigest {
			t.Errorf("%s: engine has the digest %s, %v", rel.Version, digest.FromBytes(binary), err)
		}
		if !slices.ContainsFunc(m.Layers, func(l v1.Descriptor) bool { return l.Digest.String() == rel.EngineDigest }) {
			t.Errorf("%s: engine %s is not in the manifest", rel.Version, rel.EngineDigest)
		}
		if digest.FromBytes(rel.SpecJSON) != m.Config.Digest || rel.Spec.Capability != beam || rel.Spec.Version != rel.Version {
			t.Errorf("%s: Spec of %s %s with the digest %s", rel.Version, rel.Spec.Capability, rel.Spec.Version, digest.FromBytes(rel.SpecJSON))
		}
		if rel.Verification.Tier != verification.Candidate && !bytes.Contains(rel.Report, []byte(rel.EngineDigest)) {
			t.Errorf("%s: tier %s without evidence", rel.Version, rel.Verification.Tier)
		}
	}
}
