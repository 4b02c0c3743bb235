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
	Table    *preset.Table      // instead of everything up to Reports: a table
	Engines  map[string][]byte  // executables by platform, such as linux/amd64
	Files    map[string]File    // of Engines that may become the published ones, as LinkEngine leaves them
	Vectors  []byte             // reference vectors, JSON
	Report   *report.Document   // conformance report; nil if there is none
	Reports  []*report.Document // further ones, made on other platforms
	Source   *provenance.Build  // what the engines were built from; nil if that is not known
	Revision string             // of the source, if known
	Created  time.Time          // not part of what is published under the version's digest
}

// File is where an executable was read from.
type File struct {
	Path   string
	Digest string // of the executable, as sha256:<hex>
}

// Status is the result of publishing.
type Status string

// The statuses.
const (
	Published Status = "published" // the version is new
	Unchanged Status = "unchanged" // exactly these bytes were published already
)

// Publication is what is published after Publish.
type Publication struct {
	Capability string
	Version    string
	Digest     string            // of the manifest
	Engines    map[string]string // digests by platform
	Status     Status
	Current    string // version meant when none is asked for, "" if there is none
	Restored   int    // files of an unchanged release that were missing or damaged and were restored
}

// Publish makes a version visible to all readers at once, or changes nothing. It
// is on disk when Publish returns.
//
//   - A version is written once: the same content again is Unchanged, and other
//     content is an [*ExistsError].
//   - A Spec that claims more than the evidence shows is a [*ClaimError].
//   - An engine that no report is about is a candidate's on its platform.
//   - A table is refused if its figures contradict each other, see package tables.
//   - Refused too: an invalid Spec, a version with build metadata, no engine or one
//     that is no executable for its platform, a tool id of another capability, a
//     conformance report that did not pass or is about other bytes.
//   - The tag current moves here if this is not a pre-release, its report passed and
//     it is newer than the version that is current.
//
// When it fails for want of space or a broken disk, the version is not visible, and
// publishing again is safe.
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
	log, err := r.beginning()
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

// openOrCreate opens the layout of a capability, an empty hidden one if there is none.
func (r *Registry) openOrCreate(w *store.Writer, id string) (*layout, error) {
	l, err := r.openLayout(w, id)
	if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	empty, err := w.Create(id)
	if err != nil {
		return nil, err
	}
	return &layout{empty, r.options}, nil
}

// checkTool refuses the tool id of another capability. One that this capability has
// already it goes on with, whoever else names it since: nobody can keep it from publishing.
// Its own releases are read first, so that only a new tool id has those of all others read.
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

// calledAs parses a Spec, whole only if it names the tool id: the Specs of a large registry
// are many, and few of them do.
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
	written, err := w.Fill(ctx, l.Layout, blobs)
	if err != nil {
		return p, err
	}
	p.Current, _ = next.Current()
	if p.Status == Unchanged {
		p.Restored = written
		return p, nil
	}
	return p, w.Show(l.Layout, x, next)
}
