// Package publish answers one question: may this engine be added to a registry under the
// version that it has? Run takes it through five steps: find whether it is published
// already, describe it, judge it by the conformance rules, compare it with the published
// versions beside it, and store it. A refusal is an error of its own type, which carries
// the report. Nothing here is worded for a terminal.
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

// Target is the registry that is published to. It must not be copied.
type Target struct {
	Registry *registry.Registry // which signs what it writes, if it was opened with a key
	Draft    Draft              // nil if Registry is the registry itself

	storing sync.Mutex // held from a comparison until its engine is stored: the next is compared with it
}

// Draft is a local copy of a remote registry. A [*remote.Draft] is one.
type Draft interface {
	// Engines fetches the published engines of a capability, so that they can be run.
	Engines(ctx context.Context, capability string) error
	// Push makes local changes effective in the remote registry.
	Push(ctx context.Context, capability string) error
}

// Options are what a caller of Run may change. They must not be copied.
type Options struct {
	Launch   process.Options // of the engine's processes, and of those that it is compared with
	Revision string          // of the source, if known
	Others   []Other         // the same engine for other platforms
	Link     bool            // replace the file by a hard link to the published engine
	Record   bool            // what programs in directories, and those of Source, are built from
	Source   string          // directory with the source of engines that are executables; "" if it is not known
	Created  time.Time       // when the release says that it was made; now if zero

	listing tree.Listing // of Source

	// Progress receives the rule that is being judged. It is called concurrently if several
	// engines are published at once.
	Progress func(spec *sdk.Spec, rule string)
}

// Result is what is published now. Status is that of the version; what was Unchanged may
// have been Restored.
type Result struct {
	registry.Publication
	Spec   sdk.Spec
	Report *report.Report // nil if the engine did not need to be judged

	Unrecorded error // an [*UnrecordedError] if the source was to be recorded, and could not be
}

// publication is one engine on its way into the registry.
type publication struct {
	*Options
	to        *Target
	engine    *engine
	published *registry.Release // that holds exactly this engine; nil if none does
	report    *report.Report

	source     *provenance.Build // what it was built from; nil if that is not to be recorded
	unrecorded error             // why it cannot be
}

// Run publishes the engine in a file, or the program or table in a directory. What is published
// already stays as it is, and is written again where it is damaged. An engine is refused with a [*NotConformingError], a
// [*NotCompatibleError] or a [*registry.ExistsError]. Several may run at once.
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
	if err := p.find(ctx); err != nil {
		return Result{}, err
	}
	result, err := p.publish(ctx)
	if err == nil && p.links() {
		err = to.Registry.LinkEngine(result.Capability, e.program.Digest(), path)
	}
	return result, err
}

// links reports whether the engine's file is to be one with the published engine.
func (p *publication) links() bool { return p.Link && !build.IsProgram(p.engine.path) }

// publish goes through the steps that an engine of its kind needs.
func (p *publication) publish(ctx context.Context) (Result, error) {
	if p.published != nil && p.published.Problem == nil {
		return p.unchanged(ctx)
	}
	if p.published == nil { // what is damaged is written again as it was
		if err := p.record(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := p.describe(ctx); err != nil {
		return Result{}, err
	}
	if err := p.judge(ctx); err != nil {
		return Result{}, err
	}
	if p.published == nil { // a published engine was compared when it was published
		p.to.storing.Lock()
		defer p.to.storing.Unlock()
		if err := p.compare(ctx); err != nil {
			return Result{}, err
		}
	}
	return p.store(ctx)
}

// find looks for a published release of exactly this engine, with the same engines for other
// platforms.
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
	return sameEngines(p.published, p.Others)
}

// unchanged returns the result for a release that is published and intact. It pushes the release,
// because an earlier publisher may have been interrupted before it did.
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

// describe reads the engine's Spec. A version that is taken by other bytes is refused before
// the engine is judged.
func (p *publication) describe(ctx context.Context) error {
	if err := p.engine.describe(ctx); err != nil || p.published != nil {
		return err
	}
	spec := &p.engine.spec
	published, taken, err := p.to.Registry.FindVersion(ctx, spec.Capability, spec.Version)
	if err != nil || !taken {
		return err
	}
	if p.Link { // the file may be a link to the published engine, and both are damaged
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

// judge refuses an engine that does not conform.
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

// compare refuses a version that does not say what changed, or is not compatible with those
// published beside it.
func (p *publication) compare(ctx context.Context) error {
	if p.to.Draft != nil {
		if err := p.to.Draft.Engines(ctx, p.engine.spec.Capability); err != nil {
			return err
		}
	}
	if err := checkChanges(ctx, p.to.Registry, &p.engine.spec); err != nil {
		return err
	}
	return checkCompatible(ctx, p.to.Registry, p.engine.side(), p.Launch)
}

// store writes the release, in one atomic step.
func (p *publication) store(ctx context.Context) (Result, error) {
	document, err := p.report.Document()
	if err != nil {
		return Result{}, err
	}
	spec, revision := p.engine.spec, p.Revision
	if p.published != nil { // what is damaged is written again as it was
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
	if err := addOthers(&candidate, p.Others); err != nil {
		return Result{}, err
	}
	publication, err := p.to.Registry.Publish(ctx, candidate)
	if err == nil {
		err = p.push(ctx, spec.Capability)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{publication, spec, p.report, p.unrecorded}, nil
}

func (p *publication) push(ctx context.Context, capability string) error {
	if p.to.Draft == nil {
		return nil
	}
	return p.to.Draft.Push(ctx, capability)
}
