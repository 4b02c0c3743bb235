package registry

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Release is one published version. Every byte slice in it matches the published digest.
type Release struct {
	Capability   string
	Version      string
	Digest       string              // of the manifest, "sha256:..."
	EngineDigest string              // of the engine for this platform, "sha256:..."
	Engines      map[string]string   // digests of the engines of all platforms
	Spec         sdk.Spec            // of a table: id, version, title and summary
	Table        *preset.Table       // nil if the release is an engine
	SpecJSON     []byte              // nil, like the next two, in a release of a large library: see Content
	Vectors      []byte              // nil if there are none
	Report       []byte              // conformance report on the engine for this platform, nil if none counts
	Verification verification.Record // what the evidence supports, not what the Spec claims
	Evidence     []evidence.Evidence // statements about it, in the order in which they were attached
	Revision     string              // of the source, "" if not known
	Created      time.Time           // zero if not known
	Platforms    []string            // such as linux/amd64, sorted
	Lifecycle    evidence.Lifecycle  // its lifecycle state
	Shadow       *evidence.Shadow    // how servers compare it with the current release; nil if there is no statement

	// Problem is why this release must not be served, with advice. If it is set, the other
	// fields have everything that could still be read.
	Problem error

	unlisted bool // it is known only from memory
	Judged   bool // a report counts for the engine for this platform
	stored   *stored
	registry *Registry
	naming   evidence.Naming // whether it may name its tool id
	renamed  *sdk.Spec       // as it was published, if its tool id belongs to another capability or some of its characters are invisible
	engines  []engineFile
	opener   func() (io.ReadCloser, error) // opens its engine, if the release is in no registry
}

// Engine returns the engine binary for this platform, after comparing it with EngineDigest.
// Run these bytes, not the file.
func (rel *Release) Engine() ([]byte, error) {
	var data []byte
	err := rel.read(func(l *layout) (err error) {
		data, err = l.readEngine(rel.engineFor(platform))
		return err
	})
	return data, err
}

// EngineFor returns the engine binary for a platform, compared with its digest now. It does so
// also for a release that must not be served.
func (rel *Release) EngineFor(platform string) ([]byte, error) {
	var data []byte
	err := rel.open(func(l *layout) (err error) {
		data, err = l.readEngine(rel.engineFor(platform))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("engine of %s %s for %s: %w", rel.Capability, rel.Version, platform, err)
	}
	return data, nil
}

// OpenEngine returns the file of the engine for this platform. Its bytes have not been
// compared with EngineDigest. The caller must compare exactly the bytes that it runs.
func (rel *Release) OpenEngine() (io.ReadCloser, error) {
	if rel.opener != nil {
		return rel.opener()
	}
	var file io.ReadCloser
	err := rel.read(func(l *layout) (err error) {
		file, err = l.openEngine(rel.engineFor(platform))
		return err
	})
	return file, err
}

// CheckEngine compares the engine for a platform with its digest. It does so also for a
// release that must not be served. The error is [fs.ErrNotExist] if the engine is not here: a registry
// can have the engines for its own platform only.
func (rel *Release) CheckEngine(platform string) error {
	err := rel.open(func(l *layout) error { return l.verifyEngine(rel.engineFor(platform)) })
	if err != nil {
		return fmt.Errorf("engine of %s %s for %s: %w", rel.Capability, rel.Version, platform, err)
	}
	return nil
}

// read opens the layout of the release for look.
func (rel *Release) read(look func(*layout) error) error {
	err := rel.Problem
	if err == nil {
		err = rel.open(look)
	}
	if err != nil {
		return fmt.Errorf("engine of %s %s: %w", rel.Capability, rel.Version, err)
	}
	return nil
}

func (rel *Release) open(look func(*layout) error) error {
	if rel.registry == nil {
		return errors.New("it is not published")
	}
	l, err := rel.registry.openLayout(rel.registry.store, rel.Capability)
	if err != nil {
		return err
	}
	defer l.Close()
	return look(l)
}

// check compares an engine with its descriptor, completely or by size only, as Options.Engines
// asks. It checks nothing if engines may be missing.
func (l *layout) check(engine *engineFile) error {
	switch l.options.Engines {
	case WithoutEngines:
		return nil
	case EnginesNow:
		return l.verifyEngine(engine)
	}
	f, err := l.openEngine(engine)
	if err != nil {
		return err
	}
	return f.Close()
}

// release reads and verifies one version.
func (l *layout) release(x *store.Index, version string, about attachments) *Release {
	rel := &Release{
		Capability: l.ID(), Version: version,
		Verification: verification.Record{Tier: verification.Candidate}, Lifecycle: evidence.Lifecycle{State: evidence.Active},
	}
	rel.Problem = l.fill(rel, x, about)
	return rel
}

func (l *layout) fill(rel *Release, x *store.Index, about attachments) error {
	entry, err := x.Release(rel.Version)
	if err != nil {
		return err
	}
	rel.Digest, rel.Created = entry.Digest.String(), store.Created(entry)
	m, damage := l.releaseManifest(entry)
	p := new(parts)
	if damage == nil {
		p, damage = partsOf(m)
		rel.setEngines(p)
	}
	policy := l.options.policy()
	rel.Evidence = policy.Evaluate(evidence.Subject{Subject: subjectOf(rel), Created: rel.Created}, about[entry.Digest])
	rel.Shadow = policy.ShadowOf(rel.Evidence)
	rel.Lifecycle, err = policy.LifecycleOf(rel.Evidence)
	if err != nil {
		return err
	}
	if damage != nil {
		return damage
	}
	rel.Revision = m.Annotations[v1.AnnotationRevision]
	if err := l.fillSpec(rel, m); err != nil {
		return err
	}
	if rel.Table != nil {
		return policy.Authorize(rel.Evidence)
	}
	rel.naming = policy.NamingOf(rel.Spec.Tool, rel.Created, rel.Evidence)
	if p.vectors != nil {
		rel.Vectors, err = l.Read(*p.vectors, store.MaxJSON)
		if err != nil {
			return err
		}
	}
	if err := policy.Authorize(rel.Evidence); err != nil {
		return err
	}
	if rel.EngineDigest == "" {
		return &PlatformError{platform, rel.Platforms}
	}
	if err := l.check(rel.engineFor(platform)); err != nil {
		return err
	}
	rel.Report, rel.Verification, err = evidence.DeriveTier(rel.Evidence,
		evidence.Tested{Engine: rel.EngineDigest, Engines: rel.Engines, Vectors: rel.Vectors})
	rel.Judged = rel.Report != nil
	return err
}

// platform is the platform of this program.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// setEngines records the engines of the release, and the engine for this platform.
func (rel *Release) setEngines(p *parts) {
	rel.Engines = map[string]string{}
	for _, e := range p.engines {
		rel.Engines[e.platform] = e.digest.String()
	}
	rel.Platforms = slices.Sorted(maps.Keys(rel.Engines))
	rel.engines, rel.EngineDigest = p.engines, rel.Engines[platform]
}

// engineFor returns the engine for a platform, or an empty one if there is none.
func (rel *Release) engineFor(platform string) *engineFile {
	for i := range rel.engines {
		if rel.engines[i].platform == platform {
			return &rel.engines[i]
		}
	}
	return new(engineFile)
}

func (l *layout) fillSpec(rel *Release, m *v1.Manifest) (err error) {
	if preset.IsTable(l.ID()) {
		return l.fillTable(rel, m)
	}
	rel.SpecJSON, rel.Spec, err = l.spec(m, document.ReadSpec)
	if rel.SpecJSON == nil {
		return err
	}
	if rel.Spec.Capability != l.ID() || rel.Spec.Version != rel.Version {
		return fmt.Errorf("this is %.200q %.100q by its Spec, not %s %s by its place: restore index.json from a backup",
			rel.Spec.Capability, rel.Spec.Version, l.ID(), rel.Version)
	}
	if err != nil {
		return err
	}
	shown, err := document.Shown(rel.SpecJSON)
	if shown != nil {
		other := rel.Spec
		rel.renamed, rel.Spec = &other, *shown
	}
	return err
}

// releaseManifest reads a manifest and checks that it belongs to a release.
func (l *layout) releaseManifest(entry v1.Descriptor) (*v1.Manifest, error) {
	m, err := l.Manifest(entry)
	if err != nil {
		return nil, err
	}
	if m.ArtifactType != mediatype.Release {
		return nil, fmt.Errorf("manifest %s is a %.100q, not a %s: remove its tag from index.json", entry.Digest, m.ArtifactType, mediatype.Release)
	}
	return m, nil
}

// spec reads the Spec of a release, by document.ReadSpec or ParseSpec. It returns an invalid
// Spec together with the error.
func (l *layout) spec(m *v1.Manifest, read func([]byte) (*sdk.Spec, error)) ([]byte, sdk.Spec, error) {
	if m.Config.MediaType != mediatype.Spec {
		return nil, sdk.Spec{}, fmt.Errorf("the config of the release is a %.100q, not a %s", m.Config.MediaType, mediatype.Spec)
	}
	data, err := l.Read(m.Config, store.MaxJSON)
	if err != nil {
		return nil, sdk.Spec{}, err
	}
	s, err := read(data)
	switch {
	case s == nil:
		return nil, sdk.Spec{}, fmt.Errorf("the Spec of the release is not one: %w", err)
	case err != nil:
		err = fmt.Errorf("invalid Spec: %w", err)
	}
	return data, *s, err
}

// parts are the layers of a release by their meaning.
type parts struct {
	engines []engineFile
	vectors *v1.Descriptor
	text    text
}

// partsOf sorts the layers. It ignores layers of other types.
func partsOf(m *v1.Manifest) (*parts, error) {
	p := new(parts)
	for _, d := range m.Layers {
		switch d.MediaType {
		case mediatype.Engine, mediatype.Runtime:
			if d.Platform == nil {
				return p, errors.New("the release has an engine without a platform")
			}
			platform := d.Platform.OS + "/" + d.Platform.Architecture
			if slices.ContainsFunc(p.engines, func(e engineFile) bool { return e.platform == platform }) {
				return p, fmt.Errorf("the release has two engines for %.100q", platform)
			}
			e := engineFile{platform: platform, storedFile: storedFile{d.Digest, d.Size}}
			if d.MediaType == mediatype.Runtime {
				e.runtime, e.digest, e.text = &d, digest.Digest(d.Annotations[mediatype.EngineNote]), &p.text
				if err := store.CheckDigest(e.digest); err != nil {
					return p, fmt.Errorf("the engine for %.100q: %w", platform, err)
				}
			}
			p.engines = append(p.engines, e)
		case mediatype.Document:
			if p.text.document.Digest != "" {
				return p, errors.New("the release has two documents")
			}
			p.text.document = d
		case mediatype.VectorsFile:
			p.text.vectors = d
		case mediatype.Closure:
			p.text.closure = d
		case mediatype.Vectors:
			if p.vectors != nil {
				return p, errors.New("the release has two sets of vectors")
			}
			p.vectors = &d
		}
	}
	return p, nil
}

// hasStatementsOf reports whether the statements about both releases are the same.
func (rel *Release) hasStatementsOf(next *Release) bool {
	return rel.Lifecycle == next.Lifecycle && slices.EqualFunc(rel.Evidence, next.Evidence, func(a, b evidence.Evidence) bool {
		return a.Digest == b.Digest && a.Counts == b.Counts && a.Why == b.Why
	})
}

// Unpublished returns a release that is in no registry. Open opens its engine. Digest is the
// digest of the bytes.
func Unpublished(spec sdk.Spec, digest string, open func() (io.ReadCloser, error)) *Release {
	return &Release{Capability: spec.Capability, Version: spec.Version, Spec: spec, EngineDigest: digest, opener: open}
}
