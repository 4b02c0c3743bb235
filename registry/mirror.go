package registry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// Offer is the content of a capability in another registry.
type Offer struct {
	// Entries are in the form of index.json: releases tagged with their version, possibly
	// one tagged as current, and statements about them without a tag.
	Entries []v1.Descriptor

	// Fetch opens a blob. Its bytes are compared with the digest.
	Fetch func(context.Context, v1.Descriptor) (io.ReadCloser, error)

	// Addition adds the offer to a registry that has releases of its own. Its gaps are not
	// damage then, engines for all platforms that it has are kept, and the current version only becomes newer.
	Addition bool

	// Accept refuses a new version of an engine by its error. Nil accepts all.
	Accept func(*sdk.Spec) error
}

// Mirror adds everything in the offer that is not here yet, for all readers at once. First it
// compares every byte with its digest, and every Spec with its capability and version. Unless the
// offer is an addition, it leaves out engines for other platforms.
//
// Mirror never removes or changes a version. If the offer lacks a version, has another digest
// for it, or cannot be read, Mirror returns that as damage of the other registry. The error
// means that nothing could be mirrored. Other capabilities can be mirrored at the same time.
func (r *Registry) Mirror(ctx context.Context, capability string, o *Offer) (damage, err error) {
	if !sdk.IsCapability(capability) {
		return nil, fmt.Errorf("mirror %.200q: that is not a capability id", capability)
	}
	w, err := r.store.LockOne(ctx, capability)
	if err != nil {
		return nil, fmt.Errorf("mirror %s: %w", capability, err)
	}
	defer w.Close()
	damage, err = r.mirror(ctx, w, capability, o)
	if err != nil {
		return nil, fmt.Errorf("mirror %s: %w", capability, err)
	}
	return damage, nil
}

func (r *Registry) mirror(ctx context.Context, w *store.Writer, capability string, o *Offer) (damage, err error) {
	l, err := r.openOrCreate(w, capability)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	l.options = r.options.withoutExecution()
	x, err := l.Index()
	if err != nil {
		return nil, err
	}
	m := &mirroring{Writer: w, registry: r, layout: l, offer: o, was: x}
	next, err := m.merge(ctx)
	if err != nil || bytes.Equal(next.Bytes(), x.Bytes()) {
		if l.Hidden() {
			err = errors.Join(err, w.Discard(l.Layout))
		}
		return errors.Join(m.damage...), err
	}
	if err := w.Flush(l.Layout); err != nil {
		return nil, err
	}
	return errors.Join(m.damage...), w.Show(l.Layout, x, next)
}

// mirroring is one comparison with an offer.
type mirroring struct {
	*store.Writer
	registry *Registry
	layout   *layout
	offer    *Offer
	was      *store.Index
	damage   []error
	lost     bool // the offer lacks versions or records that are here
	swept    bool // the layout was prepared for writing
}

// merge returns the index with everything that could be added.
func (m *mirroring) merge(ctx context.Context) (*store.Index, error) {
	offered, err := store.IndexOf(m.offer.Entries)
	if err != nil {
		return nil, err
	}
	next := m.was
	for _, version := range offered.Versions() {
		entry, err := offered.Release(version)
		if err == nil {
			next, err = m.version(ctx, next, entry, version)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.note(err, "version %s", version)
	}
	next, err = m.records(ctx, next, offered)
	if err != nil {
		return nil, err
	}
	m.missing(offered)
	return m.current(next, offered)
}

// note records damage in a part of the offer, unless err is nil.
func (m *mirroring) note(err error, format string, args ...any) {
	if err != nil {
		m.damage = append(m.damage, fmt.Errorf(format+": %w", append(args, err)...))
	}
}

// version returns x with an offered version. The error is damage; then x is unchanged.
func (m *mirroring) version(ctx context.Context, x *store.Index, offered v1.Descriptor, version string) (*store.Index, error) {
	known := x.Tagged(version)
	if len(known) > 0 && known[0].Digest != offered.Digest {
		m.lost = true
		return x, fmt.Errorf("the registry now has %s, but it was published as %s, which is kept: restore the registry", offered.Digest, known[0].Digest)
	}
	manifest, err := m.manifest(ctx, offered)
	if err == nil && manifest.ArtifactType != mediatype.Release {
		err = fmt.Errorf("it is a %.100q, not a %s", manifest.ArtifactType, mediatype.Release)
	}
	if err == nil {
		err = m.parts(ctx, manifest)
	}
	if err != nil || len(known) > 0 {
		return x, err
	}
	rel := &Release{Version: version}
	if err := m.layout.fillSpec(rel, manifest); err != nil {
		return x, err
	}
	if m.offer.Accept != nil && rel.Table == nil {
		if err := m.offer.Accept(&rel.Spec); err != nil {
			return x, err
		}
	}
	return x.Plus(store.Tag(offered, version)), nil
}

// records returns x with the offered statements about its versions, in the order in which
// they were made.
func (m *mirroring) records(ctx context.Context, x, offered *store.Index) (*store.Index, error) {
	type record struct {
		v1.Descriptor
		sequence int
	}
	var list []record
	for _, d := range offered.Untagged() {
		if x.Lists(d.Digest) {
			continue
		}
		manifest, err := m.manifest(ctx, d)
		if err == nil && (!mediatype.IsRecord(manifest.ArtifactType) || manifest.Subject == nil || !x.Named(manifest.Subject.Digest)) {
			continue // of an unknown type, or about a release that the mirror does not have
		}
		if err == nil {
			err = m.parts(ctx, manifest)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.note(err, "record %s", d.Digest)
		if err != nil {
			continue
		}
		d.ArtifactType = manifest.ArtifactType
		sequence, _ := strconv.Atoi(manifest.Annotations[mediatype.SequenceNote])
		list = append(list, record{d, sequence})
	}
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.Digest, b.Digest))
	})
	for _, r := range list {
		x = x.Plus(r.Descriptor)
	}
	return x, nil
}

// missing records versions and statements in the mirror that the offer no longer has.
func (m *mirroring) missing(offered *store.Index) {
	if m.offer.Addition {
		return
	}
	absent := errors.New("it is gone from the registry, and kept: restore it there")
	for _, version := range m.was.Versions() {
		if len(offered.Tagged(version)) == 0 {
			m.note(absent, "version %s", version)
			m.lost = true
		}
	}
	for _, d := range m.was.Untagged() {
		if !offered.Lists(d.Digest) {
			m.note(absent, "record %s about version %s", d.Digest, d.Annotations[v1.AnnotationVersion])
			m.lost = true
		}
	}
}

// current returns x with the offered current version. An offer that has lost versions does not
// decide which version is current. A withdrawn version is replaced as in SetLifecycle.
func (m *mirroring) current(x, offered *store.Index) (*store.Index, error) {
	was, err := m.was.Current()
	if err != nil {
		return nil, err
	}
	want := was
	if entries := offered.Tagged(store.CurrentTag); len(entries) > 0 && (!m.lost || was == "") {
		if list := x.VersionsOf(entries[0].Digest); len(list) == 1 {
			want = m.successor(was, list[0])
		} else {
			m.note(fmt.Errorf("it points to %s, and no version here has that digest: promote one", entries[0].Digest), "current")
		}
	}
	if want == was && len(x.Entries()) == len(m.was.Entries()) {
		return x, nil
	}
	releases, err := m.layout.releases(x)
	if err != nil {
		return nil, err
	}
	if rel, err := find(releases, want); err == nil && !rel.Lifecycle.Serves() {
		want = newestEligible(releases)
	}
	if want == "" && was == "" {
		return x, nil
	}
	since := offered.Promoted()
	if want == was {
		since = x.Promoted()
	}
	return x.Pointing(want, since)
}

// successor returns the next current version, where was is current here and another one in the offer.
func (m *mirroring) successor(was, offered string) string {
	if !m.offer.Addition || was == "" {
		return offered
	}
	return versions.Newest([]string{was, offered})[0]
}

// manifest returns a manifest, which it fetches if it is not here.
func (m *mirroring) manifest(ctx context.Context, entry v1.Descriptor) (*v1.Manifest, error) {
	if err := m.fetch(ctx, entry, store.MaxJSON); err != nil {
		return nil, err
	}
	return m.layout.Manifest(entry)
}

// parts fetches the blobs of a manifest that are not here.
func (m *mirroring) parts(ctx context.Context, manifest *v1.Manifest) error {
	for _, d := range append(slices.Clone(manifest.Layers), manifest.Config) {
		limit := int64(store.MaxJSON)
		if isProgram(d) {
			if !m.takes(d) {
				continue
			}
			limit = MaxEngine
		}
		err := m.fetch(ctx, d, limit)
		if absentElsewhere(d, err) {
			continue // the offer is from a machine of another platform
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// absentElsewhere reports whether a program for another platform is missing. A registry can have the programs for its own
// platform only.
func absentElsewhere(d v1.Descriptor, err error) bool {
	return errors.Is(err, fs.ErrNotExist) && isProgram(d) && !isHere(d)
}

// takes reports whether the registry keeps a program.
func (m *mirroring) takes(d v1.Descriptor) bool {
	return m.offer.Addition || m.layout.options.Engines != WithoutEngines && isHere(d)
}

// fetch fetches and writes a blob, unless it is here already. Limit is its largest size.
func (m *mirroring) fetch(ctx context.Context, d v1.Descriptor, limit int64) error {
	switch err := store.CheckDigest(d.Digest); {
	case err != nil:
		return err
	case d.Size < 0 || d.Size > limit:
		return fmt.Errorf("%s of %d bytes: at most %d are allowed", d.Digest, d.Size, limit)
	}
	if d.MediaType == mediatype.Runtime {
		return m.fetchShared(ctx, d)
	}
	if m.has(d, limit) {
		return nil
	}
	if !m.swept {
		if err := m.Prepare(m.layout.Layout); err != nil {
			return err
		}
		m.swept = true
	}
	from, err := m.offer.Fetch(ctx, d)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", d.Digest, err)
	}
	return errors.Join(m.Pour(m.layout.Layout, d, from), from.Close())
}

// fetchShared is fetch for a runtime. Another mirror may fetch it at the same time; then it waits.
func (m *mirroring) fetchShared(ctx context.Context, d v1.Descriptor) error {
	if m.layout.hasShared(d) {
		return nil
	}
	return m.registry.changeShared(ctx, func(w *store.Writer, l *store.Layout) error {
		if m.layout.hasShared(d) {
			return nil
		}
		from, err := m.offer.Fetch(ctx, d)
		if err != nil {
			return fmt.Errorf("fetch %s: %w", d.Digest, err)
		}
		err = errors.Join(w.Pour(l, d, from), from.Close())
		if err == nil {
			err = w.Flush(l)
		}
		return err
	})
}

// has reports whether a blob is here and complete. Engines are only compared with their
// digest when they are run.
func (m *mirroring) has(d v1.Descriptor, limit int64) bool {
	if d.MediaType != mediatype.Engine {
		return m.layout.Verify(d, limit) == nil
	}
	f, err := m.layout.OpenBlob(d, limit)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
