package registry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/sdk"
)

// Offer is what another registry has of a capability.
type Offer struct {
	// Entries are as index.json would list them: releases by their version, perhaps
	// one as current, and without a tag what is said of them.
	Entries []v1.Descriptor

	// Fetch opens a blob. Nothing is believed of what it reads.
	Fetch func(context.Context, v1.Descriptor) (io.ReadCloser, error)
}

// IsRecord reports whether an artifact of a type is something that is said of a release.
func IsRecord(artifactType string) bool {
	return strings.HasPrefix(artifactType, "application/vnd.slipstick.") && artifactType != ReleaseType
}

// Mirror adds what is offered of a capability and is not here yet, for all readers at
// once. Every byte is compared with its digest, and every Spec with its place, before
// that; engines for other platforms than this one are left out.
//
// What is here stays: a version that is offered with another digest, or no longer, is
// damage there, and so is one that cannot be read. The damage says so; the error is that
// nothing could be done here. Other capabilities can be mirrored meanwhile.
func (r *Registry) Mirror(ctx context.Context, capability string, o *Offer) (damage, err error) {
	if !sdk.IsCapability(capability) {
		return nil, fmt.Errorf("mirror %.200q: that is no capability id", capability)
	}
	unlock, err := r.lockAs(ctx, lockFile+"-"+capability)
	if err != nil {
		return nil, fmt.Errorf("mirror %s: %w", capability, err)
	}
	defer unlock()
	w, err := r.writer()
	if err != nil {
		return nil, fmt.Errorf("mirror %s: %w", capability, err)
	}
	defer w.close()
	if damage, err = w.mirror(ctx, r, capability, o); err != nil {
		return nil, fmt.Errorf("mirror %s: %w", capability, err)
	}
	return damage, nil
}

func (w *writer) mirror(ctx context.Context, r *Registry, capability string, o *Offer) (damage, err error) {
	l, err := r.layout(w.root, capability)
	if errors.Is(err, fs.ErrNotExist) {
		if err = w.remove(newPrefix + capability); err == nil { // what a process that was killed has left
			l, err = w.create(capability)
		}
	}
	if err != nil {
		return nil, err
	}
	defer l.close()
	l.options = r.options.unrun()
	x, err := l.index()
	if err != nil {
		return nil, err
	}
	m := &mirroring{writer: w, layout: l, offer: o, was: x}
	next, err := m.merge(ctx)
	if err != nil || bytes.Equal(next.raw, x.raw) {
		if l.dir != l.id {
			err = errors.Join(err, w.remove(l.dir))
		}
		return errors.Join(m.damage...), err
	}
	if len(next.raw) > MaxJSON {
		return nil, fmt.Errorf("index.json would have %d bytes, more than the %d that are read", len(next.raw), MaxJSON)
	}
	for _, dir := range []string{blobDir, "blobs", "."} {
		if err := w.sync(l.path(dir)); err != nil {
			return nil, err
		}
	}
	return errors.Join(m.damage...), w.show(l, x, next)
}

// mirroring is one look at an offer.
type mirroring struct {
	*writer
	layout *layout
	offer  *Offer
	was    *index
	damage []error
	lost   bool // versions or records that are here
	swept  bool
}

// merge returns the index with what could be added to it.
func (m *mirroring) merge(ctx context.Context) (*index, error) {
	offered, err := parseIndex(marshal(v1.Index{Versioned: m.was.doc.Versioned, Manifests: m.offer.Entries}))
	if err != nil {
		return nil, err
	}
	next := m.was
	for _, version := range offered.versions() {
		entry, err := offered.release(version)
		if err == nil {
			next, err = m.version(ctx, next, entry, version)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.note(err, "version %s", version)
	}
	if next, err = m.records(ctx, next, offered); err != nil {
		return nil, err
	}
	m.missing(offered)
	return m.current(next, offered)
}

// note remembers what is wrong with a part of the offer.
func (m *mirroring) note(err error, format string, args ...any) {
	if err != nil {
		m.damage = append(m.damage, fmt.Errorf(format+": %w", append(args, err)...))
	}
}

// version returns x with a version that is offered, if it can be read.
func (m *mirroring) version(ctx context.Context, x *index, offered v1.Descriptor, version string) (*index, error) {
	known := x.tags[version]
	if len(known) > 0 && known[0].Digest != offered.Digest {
		m.lost = true
		return x, fmt.Errorf("the registry now says %s, but it was published as %s, which is kept: restore the registry", offered.Digest, known[0].Digest)
	}
	manifest, err := m.manifest(ctx, offered)
	if err == nil && manifest.ArtifactType != ReleaseType {
		err = fmt.Errorf("it is a %.100q, not a %s", manifest.ArtifactType, ReleaseType)
	}
	if err == nil {
		err = m.parts(ctx, manifest)
	}
	if err != nil || len(known) > 0 {
		return x, err
	}
	if err := m.layout.fillSpec(&Release{Version: version}, manifest); err != nil {
		return x, err
	}
	return x.plus(tagged(offered, version)), nil
}

// records returns x with what is said of its versions, in the order in which it was
// said.
func (m *mirroring) records(ctx context.Context, x, offered *index) (*index, error) {
	type record struct {
		v1.Descriptor
		sequence int
	}
	var list []record
	for _, d := range offered.untagged {
		if x.lists(d.Digest) {
			continue
		}
		manifest, err := m.manifest(ctx, d)
		if err == nil && (!IsRecord(manifest.ArtifactType) || manifest.Subject == nil || !x.named[manifest.Subject.Digest]) {
			continue // it is somebody else's, or about what is not here
		}
		if err == nil {
			err = m.parts(ctx, manifest)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.note(err, "record %s", d.Digest); err != nil {
			continue
		}
		d.ArtifactType = manifest.ArtifactType
		sequence, _ := strconv.Atoi(manifest.Annotations[SequenceNote])
		list = append(list, record{d, sequence})
	}
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.Digest, b.Digest))
	})
	for _, r := range list {
		x = x.plus(r.Descriptor)
	}
	return x, nil
}

// missing notes what is here and no longer offered.
func (m *mirroring) missing(offered *index) {
	gone := errors.New("it is gone from the registry, and kept: restore it there")
	for _, version := range m.was.versions() {
		if len(offered.tags[version]) == 0 {
			m.note(gone, "version %s", version)
			m.lost = true
		}
	}
	for _, d := range m.was.untagged {
		if !offered.lists(d.Digest) {
			m.note(gone, "record %s about version %s", d.Digest, d.Annotations[v1.AnnotationVersion])
			m.lost = true
		}
	}
}

// current returns x with the current version that is offered. An offer that has lost
// versions has no say in that, and a version that is withdrawn gives way as it does in
// SetStanding.
func (m *mirroring) current(x, offered *index) (*index, error) {
	was, err := m.was.current()
	if err != nil {
		return nil, err
	}
	want := was
	if entries := offered.tags[CurrentTag]; len(entries) > 0 && (!m.lost || was == "") {
		if list := x.versionsOf(entries[0].Digest); len(list) == 1 {
			want = list[0]
		} else {
			m.note(fmt.Errorf("it points to %s, which is no version that is here: promote one", entries[0].Digest), "current")
		}
	}
	if want == was && len(x.doc.Manifests) == len(m.was.doc.Manifests) {
		return x, nil
	}
	releases, err := m.layout.releases(x)
	if err != nil {
		return nil, err
	}
	if rel, err := find(releases, want); err == nil && !rel.Standing.Serves() {
		want = leader(releases)
	}
	if want == "" && was == "" {
		return x, nil
	}
	return x.pointing(want)
}

// manifest fetches a manifest, if it is not here.
func (m *mirroring) manifest(ctx context.Context, entry v1.Descriptor) (*v1.Manifest, error) {
	if err := m.fetch(ctx, entry, MaxJSON); err != nil {
		return nil, err
	}
	return m.layout.manifest(entry)
}

// parts fetches what a manifest names and is not here.
func (m *mirroring) parts(ctx context.Context, manifest *v1.Manifest) error {
	for _, d := range append(slices.Clone(manifest.Layers), manifest.Config) {
		limit := int64(MaxJSON)
		if d.MediaType == EngineType {
			if m.layout.options.Engines == WithoutEngines || d.Platform == nil || d.Platform.OS+"/"+d.Platform.Architecture != runtime.GOOS+"/"+runtime.GOARCH {
				continue
			}
			limit = MaxEngine
		}
		if err := m.fetch(ctx, d, limit); err != nil {
			return err
		}
	}
	return nil
}

// fetch writes a blob that is not here.
func (m *mirroring) fetch(ctx context.Context, d v1.Descriptor, limit int64) error {
	name, err := blobName(d.Digest)
	switch {
	case err != nil:
		return err
	case d.Size < 0 || d.Size > limit:
		return fmt.Errorf("%s of %d bytes: at most %d are allowed", d.Digest, d.Size, limit)
	}
	if m.has(d, limit) {
		return nil
	}
	if !m.swept {
		if err := errors.Join(m.sweepDir(m.layout.dir), m.makeDirs(m.layout)); err != nil {
			return err
		}
		m.swept = true
	}
	from, err := m.offer.Fetch(ctx, d)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", d.Digest, err)
	}
	return errors.Join(m.pour(m.layout, name, d, from), from.Close())
}

// has reports whether a blob is here and whole. Engines are compared when they are run.
func (m *mirroring) has(d v1.Descriptor, limit int64) bool {
	if d.MediaType != EngineType {
		return m.layout.verify(d, limit) == nil
	}
	f, err := m.layout.openBlob(d, limit)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
