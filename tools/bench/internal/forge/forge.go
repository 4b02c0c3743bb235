// Package forge writes registries with very many releases, to measure a server with such a registry. Use
// [Releases] for a whole registry. The index, manifests, Specs, vectors and conformance reports are valid,
// but the engines are not programs. A server can read such a registry and do everything but run an engine.
package forge

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
)

// Releases writes a registry into the directory, with the number of capabilities and the number of
// versions of each. It does not sync files to disk, because they are for one measurement.
func Releases(dir string, capabilities, versions int) error {
	for number := range capabilities {
		if err := Capability(dir, number, versions); err != nil {
			return err
		}
	}
	return nil
}

// ID returns the capability id with a number.
func ID(number int) string { return fmt.Sprintf("forged.%s.n%04d", Group(number), number) }

// Group returns the group of a capability.
func Group(number int) string { return groups[number%len(groups)] }

// Tool returns the tool id of a capability.
func Tool(number int) string { return fmt.Sprintf("forged-n%04d", number) }

// Version returns a version, counted from 0. The last one of a capability is current.
func Version(n int) string { return fmt.Sprintf("1.%d.0", n) }

var groups = []string{"beams", "columns", "fluids", "heat", "circuits", "soils", "optics", "gears"}

// Capability writes one capability with that number of versions. It keeps existing versions, so a
// larger number publishes more of them, for all readers at once.
func Capability(dir string, number, versions int) error {
	l := layout{filepath.Join(dir, ID(number))}
	if err := os.MkdirAll(filepath.Join(l.dir, "blobs", "sha256"), 0o755); err != nil {
		return err
	}
	var entries []v1.Descriptor
	for n := range versions {
		release, about, err := l.release(number, n)
		if err != nil {
			return err
		}
		entries = append(entries, store.Tag(release, Version(n)), about)
		if n == versions-1 {
			entries = append(entries, store.Tag(release, store.CurrentTag))
		}
	}
	mark := store.Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
	if err := l.write(v1.ImageLayoutFile, mark); err != nil {
		return err
	}
	return l.write(v1.ImageIndexFile, store.Marshal(v1.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: entries,
	}))
}

// layout is the directory of a capability.
type layout struct{ dir string }

// release writes the blobs of a release, and of the report about it. It returns their entries
// for index.json.
func (l layout) release(number, n int) (release, about v1.Descriptor, err error) {
	engine := store.BlobOf(mediatype.Engine, fmt.Appendf(nil, "no program: %s %s", ID(number), Version(n)))
	engine.Platform = &v1.Platform{OS: runtime.GOOS, Architecture: runtime.GOARCH}
	spec := spec(number, n)
	vectors := vectors(number, n)
	document, err := report(&spec, engine.Digest.String(), len(vectors))
	if err != nil {
		return release, about, err
	}
	config := store.BlobOf(mediatype.Spec, store.Marshal(spec))
	tests := store.BlobOf(mediatype.Vectors, store.Marshal(vectors))
	manifest := store.ManifestOf(v1.Manifest{
		ArtifactType: mediatype.Release, Config: config.Descriptor, Layers: []v1.Descriptor{engine.Descriptor, tests.Descriptor},
		Annotations: map[string]string{v1.AnnotationVersion: spec.Version, v1.AnnotationTitle: spec.Title},
	})
	empty := store.BlobOf(v1.MediaTypeEmptyJSON, v1.DescriptorEmptyJSON.Data)
	content := store.BlobOf(mediatype.Report, document)
	statement := store.ManifestOf(v1.Manifest{
		ArtifactType: mediatype.Conformance, Config: empty.Descriptor, Layers: []v1.Descriptor{content.Descriptor},
		Subject: &v1.Descriptor{MediaType: manifest.MediaType, Digest: manifest.Digest, Size: manifest.Size},
	})
	for _, b := range []store.Blob{engine, config, tests, manifest, empty, content, statement} {
		if err := l.write(filepath.Join("blobs", "sha256", b.Digest.Encoded()), b.Data); err != nil {
			return release, about, err
		}
	}
	return entry(manifest.Descriptor, mediatype.Release, spec.Version), entry(statement.Descriptor, mediatype.Conformance, spec.Version), nil
}

// entry returns a descriptor in the format of index.json.
func entry(d v1.Descriptor, artifactType, version string) v1.Descriptor {
	d.ArtifactType = artifactType
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Annotations = map[string]string{v1.AnnotationVersion: version, v1.AnnotationCreated: created.Format(time.RFC3339Nano)}
	return d
}

// write creates a file by renaming it, as a publisher does. It keeps existing blobs.
func (l layout) write(name string, data []byte) error {
	name = filepath.Join(l.dir, name)
	if _, err := os.Stat(name); err == nil && filepath.Base(filepath.Dir(name)) == "sha256" {
		return nil
	}
	if err := os.WriteFile(name+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
