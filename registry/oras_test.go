package registry_test

import (
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/registry"

	"github.com/slipstick/slipstick/registry/mediatype"
)

// oras, the common client, judges the layout.
func TestOrasReadsTheLayout(t *testing.T) {
	r, d := published(t)
	ctx := t.Context()
	store, err := oci.New(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	if err := store.Tags(ctx, "", func(list []string) error { tags = append(tags, list...); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(tags)
	if want := []string{"1.0.0", "1.1.0", "current"}; !slices.Equal(tags, want) {
		t.Errorf("tags = %v, want %v", tags, want)
	}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		rel := release(capability(t, r, beam), version)
		desc, err := store.Resolve(ctx, version)
		if err != nil || desc.Digest.String() != rel.Digest {
			t.Fatalf("resolve %s = %s, %v; want %s", version, desc.Digest, err, rel.Digest)
		}
		if desc.ArtifactType != mediatype.Release || desc.Annotations[v1.AnnotationCreated] != "2026-03-01T12:00:00Z" {
			t.Errorf("entry = %+v", desc)
		}
		blobs := fetchAll(t, store, desc)
		for _, want := range [][]byte{rel.SpecJSON, rel.Vectors, candidate(beam, version).Engines[here]} {
			if !slices.Contains(blobs, digest.FromBytes(want)) {
				t.Errorf("%s: blob %s is not reached from its manifest", version, digest.FromBytes(want))
			}
		}
		reports, err := registry.Referrers(ctx, store, desc, mediatype.Conformance)
		if err != nil || len(reports) != 1 {
			t.Fatalf("referrers of %s = %v, %v", version, reports, err)
		}
		if blobs := fetchAll(t, store, reports[0]); !slices.Contains(blobs, digest.FromBytes(rel.Report)) {
			t.Errorf("%s: the report is not reached from its manifest", version)
		}
	}
	current, err := store.Resolve(ctx, "current")
	if newest, _ := store.Resolve(ctx, "1.1.0"); err != nil || current.Digest != newest.Digest {
		t.Errorf("current = %s, %v; want %s", current.Digest, err, newest.Digest)
	}
	if _, err := oras.ExtendedCopy(ctx, store, "current", memory.New(), "", oras.DefaultExtendedCopyOptions); err != nil {
		t.Errorf("copy with referrers: %v", err)
	}
}

// fetchAll reads a manifest and everything below it, and returns the digests. oras compares
// them.
func fetchAll(t *testing.T, store *oci.Store, desc v1.Descriptor) []digest.Digest {
	t.Helper()
	data, err := content.FetchAll(t.Context(), store, desc)
	if err != nil {
		t.Fatal(err)
	}
	var m v1.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	var list []digest.Digest
	for _, child := range append(m.Layers, m.Config) {
		rc, err := store.Fetch(t.Context(), child)
		if err != nil {
			t.Fatal(err)
		}
		defer rc.Close()
		v := content.NewVerifyReader(rc, child)
		if _, err := io.Copy(io.Discard, v); err != nil {
			t.Fatal(err)
		}
		if err := v.Verify(); err != nil {
			t.Errorf("%s %s: %v", child.MediaType, child.Digest, err)
		}
		list = append(list, child.Digest)
	}
	return list
}

// A layout that oras copied is served like the original.
func TestLayoutCopiedByOrasIsServed(t *testing.T) {
	r, d := published(t)
	from, err := oci.New(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	mirror, dir := open(t)
	to, err := oci.New(dir + "/" + beam)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"1.0.0", "1.1.0", "current"} {
		if _, err := oras.ExtendedCopy(t.Context(), from, tag, to, "", oras.DefaultExtendedCopyOptions); err != nil {
			t.Fatal(err)
		}
	}
	want, got := capability(t, r, beam), capability(t, mirror, beam)
	if got.Problem != nil || got.Current != want.Current || !slices.Equal(versionsOf(got), versionsOf(want)) {
		t.Fatalf("mirror = %+v, want %+v", got, want)
	}
	for i, rel := range got.Releases {
		mustServe(t, rel)
		if rel.Digest != want.Releases[i].Digest || rel.Verification.Tier != want.Releases[i].Verification.Tier {
			t.Errorf("mirror's %s = %+v, want %+v", rel.Version, rel, want.Releases[i])
		}
	}
	publish(t, mirror, candidate(beam, "1.2.0"))
	if c := capability(t, mirror, beam); c.Problem != nil || c.Current != "1.2.0" {
		t.Errorf("after publishing to the mirror: current %q, problem %v", c.Current, c.Problem)
	}
}
