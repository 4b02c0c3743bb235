// Package publish adds engines and tables to a registry. [Run] looks for a published release with the same
// bytes, reads the Spec of the engine, and runs the conformance rules. Then it compares the engine with
// the nearest published versions, and stores the release. A refusal has its own error type with the
// report, so that callers can present it.
package publish

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/sdk"
)

// Target is the registry for new releases. It must not be copied.
type Target struct {
	Registry *registry.Registry // signs its changes if it was opened with a key
	Draft    Draft              // nil if Registry is not a draft

	storing sync.Mutex // is locked from a comparison until the engine is stored, so that the next engine is compared with it
}

// Draft is a local copy of a remote registry, such as a [*remote.Draft].
type Draft interface {
	// Engines downloads the published engines of a capability, so that they can run.
	Engines(ctx context.Context, capability string) error
	// Push publishes the local changes of a capability in the remote registry.
	Push(ctx context.Context, capability string) error
}

// Options are options of [Run]. They must not be copied.
type Options struct {
	Launch    process.Options  // for processes of the engine, and of engines that it is compared with
	Revision  string           // revision of the source, if known
	Others    []Other          // the same engine for other platforms
	Platforms []build.Platform // further platforms, for which documents and programs in Go are published too
	Link      bool             // replace the file by a hard link to the published engine
	Record    bool             // record the source of engines that are built from a directory or from Source
	Source    string           // directory with the source of executables; "" if unknown
	Created   time.Time        // creation time in the release; now if zero
	OwnSteps  bool             // the registry need not have the calculations that a document calls

	listing tree.Listing // of Source

	// Progress is called before each rule. It is called concurrently if several engines are published at
	// once.
	Progress func(spec *sdk.Spec, rule string)
}

// Result is the result of [Run]. Status belongs to the version. A damaged release that Run has written again
// has the status Restored.
type Result struct {
	registry.Publication
	Spec   sdk.Spec
	Report *report.Report // nil if Run did not check the engine

	Others []PlatformTier // of the engines for other platforms

	Compared int // steps of a document, with the published calculations alone

	Unrecorded error // an [*UnrecordedError] if Run should record the source, but could not
}

// publication is the publication of one engine.
type publication struct {
	*Options
	to        *Target
	engine    *engine
	others    []Other           // of the options, and for their platforms
	published *registry.Release // release with exactly this engine; nil if there is none
	report    *report.Report
	compared  int // steps

	source     *provenance.Build // the source; nil if it is not recorded
	unrecorded error             // why the source cannot be recorded
}

// Run publishes the engine in a file, or the program or table in a directory. It does not change a release
// that is published already, but writes a damaged one again. It refuses an engine with a
// [*NotConformingError], a [*NotCompatibleError], a [*MissingChangesError] or a [*registry.ExistsError].
// Several goroutines can call it at once.
func Run(ctx context.Context, to *Target, path string, o *Options) (Result, error) {
	if o == nil {
		o = new(Options)
	}
	if IsTable(path) {
		return runTable(ctx, to, path, o)
	}
	e, err := open(ctx, path, o.Launch)
	if err != nil {
		return Result{}, err
	}
	defer e.close()
	p := &publication{Options: o, to: to, engine: e}
	p.others, err = o.othersOf(ctx, path)
	if err != nil {
		return Result{}, err
	}
	if err := p.find(ctx); err != nil {
		return Result{}, err
	}
	result, err := p.publish(ctx)
	if err == nil && p.links() {
		err = to.Registry.LinkEngine(result.Capability, e.program.Digest(), path)
	}
	return result, err
}

// links reports whether Run replaces the engine's file by a hard link to the published engine. A text
// engine is published in parts.
func (p *publication) links() bool {
	return p.Link && !build.IsProgram(p.engine.path) && !p.engine.program.IsText()
}

// publish runs the steps that this engine needs.
func (p *publication) publish(ctx context.Context) (Result, error) {
	if p.published != nil && p.published.Problem == nil {
		return p.unchanged(ctx)
	}
	if p.published == nil { // a damaged release is written again without changes
		if err := p.record(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := p.describe(ctx); err != nil {
		return Result{}, err
	}
	if p.published == nil {
		if err := p.checkUses(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := p.judge(ctx); err != nil {
		return Result{}, err
	}
	if p.published == nil { // a published engine was compared at its publication
		p.to.storing.Lock()
		defer p.to.storing.Unlock()
		if err := p.compare(ctx); err != nil {
			return Result{}, err
		}
	}
	return p.store(ctx)
}

// find looks for a published release with exactly this engine, and with the same engines for other platforms.
func (p *publication) find(ctx context.Context) error {
	reg := p.to.Registry
	capability, version, found, err := reg.FindEngine(ctx, p.engine.program.Digest())
	if err != nil || !found {
		return err
	}
	p.published, err = reg.Release(ctx, capability, version)
	if err != nil {
		return err
	}
	return sameEngines(p.published, p.others)
}

// unchanged returns the result for an intact published release. It pushes the release, because an earlier
// publication can have ended before its push.
func (p *publication) unchanged(ctx context.Context) (Result, error) {
	r := p.published
	if err := p.addSource(ctx); err != nil {
		return Result{}, err
	}
	if err := p.push(ctx, r.Capability); err != nil {
		return Result{}, err
	}
	return Result{Spec: r.Spec, Publication: registry.Publication{
		Capability: r.Capability, Version: r.Version, Digest: r.Digest, Engines: r.Engines, Status: registry.Unchanged,
	}}, nil
}

// describe reads the engine's Spec. If the version is published with other bytes, it returns an error before
// the conformance rules run.
func (p *publication) describe(ctx context.Context) error {
	if err := p.engine.describe(ctx); err != nil || p.published != nil {
		return err
	}
	spec := &p.engine.spec
	published, taken, err := p.to.Registry.FindVersion(ctx, spec.Capability, spec.Version)
	if err != nil || !taken {
		return err
	}
	if p.Link { // the file can be a link to the published engine, so both can be damaged
		release, err := p.to.Registry.Release(ctx, spec.Capability, spec.Version)
		if err == nil {
			err = release.Problem
		}
		if err != nil {
			return fmt.Errorf("publish %s %s: %w", spec.Capability, spec.Version, err)
		}
	}
	return fmt.Errorf("publish %s %s: %w", spec.Capability, spec.Version, &registry.ExistsError{
		Capability: spec.Capability, Version: spec.Version, Published: published, Offered: "engine " + p.engine.program.Digest(),
	})
}

// judge returns a [*NotConformingError] if the engine does not conform.
func (p *publication) judge(ctx context.Context) error {
	p.report = p.engine.judge(ctx, nil, func(rule string) {
		if p.Progress != nil {
			p.Progress(&p.engine.spec, rule)
		}
	})
	if !p.report.Passed {
		return &NotConformingError{p.report}
	}
	return nil
}

// compare returns an error if the version is not compatible with the nearest published versions, or if it has no Changes but
// needs them.
func (p *publication) compare(ctx context.Context) error {
	if p.to.Draft != nil {
		if err := p.to.Draft.Engines(ctx, p.engine.spec.Capability); err != nil {
			return err
		}
	}
	if err := checkCompatible(ctx, p.to.Registry, p.engine.side(), p.Launch); err != nil {
		return err
	}
	return checkChanges(ctx, p.to.Registry, &p.engine.spec)
}

// store writes the release, in one atomic step.
func (p *publication) store(ctx context.Context) (Result, error) {
	document, err := p.report.Document()
	if err != nil {
		return Result{}, err
	}
	spec, revision := p.engine.spec, p.Revision
	if p.published != nil { // a damaged release is written again without changes
		revision = p.published.Revision
	}
	candidate := registry.Candidate{
		Source: p.source, Spec: spec, Engines: map[string][]byte{Platform: p.engine.bytes},
		Vectors: p.engine.vectors, Report: document, Revision: revision, Created: p.Created,
	}
	if candidate.Created.IsZero() {
		candidate.Created = time.Now()
	}
	if p.links() {
		candidate.Files = map[string]registry.File{Platform: {Path: p.engine.path, Digest: p.engine.program.Digest()}}
	}
	if err := addOthers(&candidate, p.others); err != nil {
		return Result{}, err
	}
	publication, err := p.to.Registry.Publish(ctx, candidate)
	if err == nil {
		err = p.push(ctx, spec.Capability)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{publication, spec, p.report, tiersOf(p.others), p.compared, p.unrecorded}, nil
}

func (p *publication) push(ctx context.Context, capability string) error {
	if p.to.Draft == nil {
		return nil
	}
	return p.to.Draft.Push(ctx, capability)
}
