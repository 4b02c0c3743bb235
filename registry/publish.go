package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/document"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Candidate is the content of a release that is to be published.
type Candidate struct {
	Spec     sdk.Spec
	Table    *preset.Table      // a table, instead of the fields up to Reports
	Engines  map[string][]byte  // executables by platform, such as linux/amd64
	Files    map[string]File    // Engines in files that may become the published ones; see LinkEngine
	Vectors  []byte             // reference vectors, JSON
	Report   *report.Document   // conformance report; nil if there is none
	Reports  []*report.Document // further ones, made on other platforms
	Source   *provenance.Build  // the source of the engines; nil if it is not known
	Revision string             // of the source, if known
	Created  time.Time          // not covered by the version's digest
}

// File is the file from which an executable was read. Its content must match the digest.
type File struct {
	Path   string
	Digest string // of the executable, as sha256:<hex>
}

// Status is the result of publishing.
type Status string

// The statuses of a publication.
const (
	Published Status = "published" // the version is new
	Unchanged Status = "unchanged" // exactly these bytes were published already
)

// Publication is the result of Publish.
type Publication struct {
	Capability string
	Version    string
	Digest     string            // of the manifest
	Engines    map[string]string // digests by platform
	Status     Status
	Current    string // version for calls without a pin, "" if there is none
	Restored   int    // files of an unchanged release that were missing or damaged and were restored
}

// Publish makes a version visible to all readers at once, or changes nothing. The version is
// on disk when Publish returns.
//
//   - A version is written once: the same content again is Unchanged, and other content is an
//     [*ExistsError].
//   - A Spec that claims more than its evidence supports is a [*ClaimError].
//   - An engine without a report is unverified on its platform.
//   - A table is refused if its values contradict each other, see package tables.
//   - A candidate is refused if its Spec is invalid, or its version has build metadata.
//   - It is also refused without an engine, or with an engine that is not an executable for
//     its platform.
//   - It is also refused with a tool id of another capability, or with a conformance report
//     that did not pass or is about other bytes.
//   - The tag current moves to the version if it is not a pre-release, its report passed and
//     it is newer than the current version.
//
// If the disk is full or fails, the version is not visible, and publishing again is safe.
func (r *Registry) Publish(ctx context.Context, c Candidate) (Publication, error) {
	if c.Table != nil {
		c.Spec = nameTable(&c.Table.Spec)
	}
	p, err := r.publish(ctx, &c)
	if err != nil {
		return Publication{}, fmt.Errorf("publish %.200s %.100s: %w", c.Spec.Capability, c.Spec.Version, err)
	}
	return p, nil
}

func (r *Registry) publish(ctx context.Context, c *Candidate) (Publication, error) {
	a, err := assemble(c, r.options.Signer)
	if err != nil {
		return Publication{}, err
	}
	w, err := r.store.Lock(ctx)
	if err != nil {
		return Publication{}, err
	}
	defer w.Close()
	if c.Table == nil {
		if err := r.checkTool(ctx, c); err != nil {
			return Publication{}, err
		}
	}
	if err := w.Sweep(); err != nil {
		return Publication{}, err
	}
	log, err := r.readLogFirst()
	if err != nil {
		return Publication{}, err
	}
	l, err := r.openOrCreate(w, c.Spec.Capability)
	if err != nil {
		return Publication{}, err
	}
	defer l.Close()
	p, err := r.release(ctx, w, l, c, a)
	if err != nil {
		return p, err
	}
	return p, r.logged(ctx, w, log)
}

// openOrCreate opens the layout of a capability. If there is none, it creates an empty hidden
// one.
func (r *Registry) openOrCreate(w *store.Writer, id string) (*layout, error) {
	l, err := r.openLayout(w, id)
	if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	empty, err := w.Create(id)
	if err != nil {
		return nil, err
	}
	return &layout{empty, r.options, w}, nil
}

// checkTool refuses the tool id of another capability. A capability can always publish under a
// tool id that it already has, so a squatter cannot block it. checkTool reads the releases of
// the capability first: only a new tool id requires reading all others.
func (r *Registry) checkTool(ctx context.Context, c *Candidate) error {
	read := calledAs(c.Spec.Tool)
	named := func(l *layout, version string, m *v1.Manifest) error {
		_, s, err := l.spec(m, read)
		if err != nil || s.Tool != c.Spec.Tool || s.Capability != l.ID() {
			return nil
		}
		return fmt.Errorf("the tool id %s belongs to %s (version %s): choose another", s.Tool, s.Capability, version)
	}
	if own := r.manifestsOf(c.Spec.Capability, named); own != nil {
		return nil
	}
	return r.eachManifest(ctx, named)
}

// calledAs parses a Spec completely only if it names the tool id. A large registry has many
// Specs, and few of them name it.
func calledAs(tool string) func([]byte) (*sdk.Spec, error) {
	return func(data []byte) (*sdk.Spec, error) {
		var named struct{ Tool string }
		if err := json.Unmarshal(data, &named); err != nil || named.Tool != tool {
			return new(sdk.Spec), err
		}
		return document.ParseSpec(data)
	}
}

// release writes an artifact into its layout: all blobs, then the index.
func (r *Registry) release(ctx context.Context, w *store.Writer, l *layout, c *Candidate, a *artifact) (Publication, error) {
	p := Publication{
		Capability: l.ID(), Version: c.Spec.Version, Digest: a.release.Digest.String(), Engines: a.engines, Status: Published,
	}
	x, err := l.Index()
	if err == nil {
		err = x.Check()
	}
	if err != nil {
		return p, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	next, blobs := x, a.blobs
	if entries := x.Tagged(p.Version); len(entries) == 0 {
		next, err = l.add(x, c, a, r.options.Signer)
	} else {
		p.Status = Unchanged
		if entries[0].Digest != a.release.Digest {
			err = &ExistsError{p.Capability, p.Version, entries[0].Digest.String(), p.Digest}
		}
	}
	if err != nil {
		return p, err
	}
	if !slices.ContainsFunc(a.attached, func(d v1.Descriptor) bool { return !next.Lists(d.Digest) }) {
		blobs = slices.Concat(blobs, a.about)
	}
	written, err := r.fillShared(ctx, a.shared)
	if err != nil {
		return p, err
	}
	own, err := w.Fill(ctx, l.Layout, blobs)
	if err != nil {
		return p, err
	}
	p.Current, _ = next.Current()
	if p.Status == Unchanged {
		p.Restored = written + own
		return p, nil
	}
	return p, w.Show(l.Layout, x, next)
}
