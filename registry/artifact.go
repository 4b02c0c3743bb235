package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/versions"
)

// artifact is a candidate in its stored form. The same candidate always gives the same
// release.
type artifact struct {
	release v1.Descriptor // as index.json lists it
	blobs   []store.Blob  // of the release; its manifest is last
	shared  []store.Blob  // of the release, and of others: runtimes
	engines map[string]string

	attached     []v1.Descriptor // statements about it, as index.json lists them
	about        []store.Blob    // of these statements
	mayBeCurrent bool            // it may become the current version
}

// assemble makes all blobs of a candidate. It checks everything that does not depend on the
// registry: the Spec, the version, the engines, the reports and the claims. If by is not nil,
// it signs the release and its reports.
func assemble(c *Candidate, by *sign.Signer) (*artifact, error) {
	if c.Table != nil {
		return assembleTable(c, by)
	}
	if preset.IsTable(c.Spec.Capability) {
		return nil, fmt.Errorf("ids that start with %s are reserved for tables: choose another", preset.Prefix)
	}
	if err := c.Spec.Validate(); err != nil {
		return nil, fmt.Errorf("invalid Spec: %w", err)
	}
	version, err := versions.Parse(c.Spec.Version)
	if err != nil {
		return nil, err
	}
	a := &artifact{engines: map[string]string{}}
	layers, digests, err := a.addEngines(c)
	if err != nil {
		return nil, err
	}
	if len(c.Vectors) > 0 {
		layers = append(layers, a.add(store.BlobOf(mediatype.Vectors, c.Vectors)))
	}
	tested, err := evidence.TierOf(c.reports(), digests, c.Vectors)
	if err != nil {
		return nil, err
	}
	if claims := evidence.Unsupported(c.Spec.Verification, tested); claims != nil {
		return nil, &ClaimError{c.Spec.Capability, c.Spec.Version, claims, tested.Tier}
	}
	spec, err := json.Marshal(c.Spec)
	if err != nil {
		return nil, fmt.Errorf("write the Spec as JSON: %w", err)
	}
	a.addManifest(c, a.add(store.BlobOf(mediatype.Spec, spec)), layers)
	if by != nil {
		err = a.attach(sign.Release, c, nil, by)
	}
	for _, document := range c.reports() {
		if err == nil {
			err = a.attach(sign.Report, c, document.JSON, by)
		}
		a.mayBeCurrent = version.Prerelease() == ""
	}
	if err == nil && c.Source != nil {
		err = a.attachSource(c, by)
	}
	return a, errors.Join(err, a.checkSizes())
}

func (a *artifact) addEngines(c *Candidate) (layers []v1.Descriptor, digests []digest.Digest, err error) {
	if len(c.Engines) == 0 {
		return nil, nil, errors.New("there is no engine: give the binary of at least one platform")
	}
	var text *enginefile.Text // of the engines of all platforms
	for i, platform := range slices.Sorted(maps.Keys(c.Engines)) {
		data := c.Engines[platform]
		if err := checkEngine(platform, data); err != nil {
			return nil, nil, err
		}
		file, err := splitEngine(data)
		if err != nil {
			return nil, nil, fmt.Errorf("the engine for %s: %w", platform, err)
		}
		if i == 0 && file != nil {
			text = &file.Text
		}
		if !sameText(text, file) {
			return nil, nil, fmt.Errorf("the engine for %s has another document than the engines for other platforms: make all of one document", platform)
		}
		var layer v1.Descriptor
		if file == nil {
			layer = a.addProgram(c, platform)
			digests = append(digests, layer.Digest)
		} else {
			whole := digest.FromBytes(data)
			layer = a.addRuntime(file, data, whole)
			digests = append(digests, whole)
		}
		goos, arch, _ := strings.Cut(platform, "/")
		layer.Platform = &v1.Platform{OS: goos, Architecture: arch}
		layers = append(layers, layer)
		a.engines[platform] = digests[i].String()
	}
	if text != nil {
		layers = append(layers, a.addText(text)...)
	}
	return layers, digests, nil
}

// addProgram adds an engine that is one blob.
func (a *artifact) addProgram(c *Candidate, platform string) v1.Descriptor {
	data := c.Engines[platform]
	if file, there := c.Files[platform]; there {
		return a.add(store.BlobIn(mediatype.Engine, file.Path, digest.Digest(file.Digest), data))
	}
	return a.add(store.BlobOf(mediatype.Engine, data))
}

func (a *artifact) add(b store.Blob) v1.Descriptor {
	a.blobs = append(a.blobs, b)
	return b.Descriptor
}

func (a *artifact) addManifest(c *Candidate, config v1.Descriptor, layers []v1.Descriptor) {
	notes := map[string]string{v1.AnnotationVersion: c.Spec.Version, v1.AnnotationTitle: c.Spec.Title}
	if c.Revision != "" {
		notes[v1.AnnotationRevision] = c.Revision
	}
	a.release = a.add(store.ManifestOf(v1.Manifest{
		ArtifactType: mediatype.Release, Config: config, Layers: layers, Annotations: notes,
	}))
	list(&a.release, mediatype.Release, c)
}

// reports returns all conformance reports of the candidate.
func (c *Candidate) reports() (list []*report.Document) {
	if c.Report != nil {
		list = append(list, c.Report)
	}
	return append(list, c.Reports...)
}

// attach adds a statement about the release.
func (a *artifact) attach(kind sign.Kind, c *Candidate, content []byte, by *sign.Signer) error {
	d, blobs, err := attach(kind, a.release, a.subject(c), content, by, c.Created, nil)
	a.attached, a.about = append(a.attached, d), append(a.about, blobs...)
	return err
}

func (a *artifact) attachSource(c *Candidate, by *sign.Signer) error {
	if err := evidence.CheckBuild(c.Source, a.engines); err != nil {
		return err
	}
	content, err := c.Source.Statement()
	if err != nil {
		return err
	}
	return a.attach(sign.Source, c, content, by)
}

// subject returns the release in the form in which statements name it.
func (a *artifact) subject(c *Candidate) sign.Subject {
	return sign.Subject{Capability: c.Spec.Capability, Version: c.Spec.Version, Release: a.release.Digest.String(), Engines: a.engines}
}

// list completes the entry of a release for index.json.
func list(d *v1.Descriptor, artifactType string, c *Candidate) {
	d.ArtifactType = artifactType
	d.Annotations = map[string]string{v1.AnnotationVersion: c.Spec.Version}
	if !c.Created.IsZero() {
		d.Annotations[v1.AnnotationCreated] = c.Created.UTC().Format(time.RFC3339Nano)
	}
}

// checkSizes refuses blobs that would be too large to read again.
func (a *artifact) checkSizes() error {
	for _, b := range slices.Concat(a.blobs, a.about) {
		if b.MediaType != mediatype.Engine && b.Size > store.MaxJSON {
			return fmt.Errorf("%s of %d bytes: at most %d are allowed; split it or leave something out", b.MediaType, b.Size, store.MaxJSON)
		}
	}
	return nil
}
