package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// artifactTypes are the OCI artifact types of attachments, contentTypes the media types of
// their documents.
var (
	artifactTypes = map[sign.Kind]string{
		sign.Release: mediatype.Signature, sign.Report: mediatype.Conformance, sign.Review: mediatype.Review, sign.Lifecycle: mediatype.Lifecycle,
		sign.Current: mediatype.Current, sign.Shadow: mediatype.Shadow, sign.Source: mediatype.Source, sign.Rebuild: mediatype.Rebuild,
	}
	contentTypes = map[sign.Kind]string{
		sign.Report: mediatype.Report, sign.Review: mediatype.Review + "+json", sign.Lifecycle: mediatype.Lifecycle + "+json",
		sign.Current: mediatype.Current + "+json", sign.Shadow: mediatype.Shadow + "+json", sign.Source: mediatype.InToto, sign.Rebuild: mediatype.InToto,
	}
)

// needsSignature reports whether a kind of statement counts only with a signature.
func needsSignature(kind sign.Kind) bool {
	return kind == sign.Release || kind == sign.Review || kind == sign.Current || kind == sign.Rebuild
}

func kindOf(artifactType string) (sign.Kind, bool) {
	for kind, t := range artifactTypes {
		if t == artifactType {
			return kind, true
		}
	}
	return "", false
}

// attachments are the statements about releases, by the digest of the release's manifest, in
// the order in which they were attached.
type attachments map[digest.Digest][]evidence.Attachment

// attachments reads the statements that index.json lists. The error is about statements that
// belong to no listed release; attachments still returns the others.
func (l *layout) attachments(x *store.Index) (attachments, error) {
	found, stray := attachments{}, []error(nil)
	for _, d := range x.Untagged() {
		kind, ours := kindOf(d.ArtifactType)
		if d.MediaType != v1.MediaTypeImageManifest || d.ArtifactType != "" && !ours {
			continue
		}
		m, err := l.Manifest(d)
		if err == nil {
			kind, ours = kindOf(m.ArtifactType)
			if !ours && m.ArtifactType != "" {
				continue
			}
		}
		about := subject(x, d, m)
		if about == "" {
			stray = append(stray, errors.Join(fmt.Errorf("index.json lists %.100q, which is about nothing that is published here: restore index.json from a backup", d.Digest), err))
			continue
		}
		a := evidence.Attachment{Kind: cmp.Or(kind, sign.Report), Digest: d.Digest, Err: err}
		if err == nil {
			a.Err = l.unpack(&a, m)
		}
		found[about] = append(found[about], a)
	}
	return found, errors.Join(stray...)
}

// subject returns the digest of the release that an attachment is about, or "" if that
// release is not listed. If the manifest of the attachment cannot be read (m is nil), its
// entry in index.json has the version.
func subject(x *store.Index, d v1.Descriptor, m *v1.Manifest) digest.Digest {
	if m != nil {
		if m.Subject == nil || !x.Named(m.Subject.Digest) {
			return ""
		}
		return m.Subject.Digest
	}
	if entry, err := x.Release(d.Annotations[v1.AnnotationVersion]); err == nil {
		return entry.Digest
	}
	return ""
}

// unpack reads the layers of an attachment.
func (l *layout) unpack(a *evidence.Attachment, m *v1.Manifest) (err error) {
	signed := new(sign.Signed)
	for _, part := range []struct {
		mediaType string
		limit     int64
		needed    bool
		into      *[]byte
	}{
		{contentTypes[a.Kind], store.MaxJSON, a.Kind != sign.Release, &a.Content},
		{mediatype.Statement, sign.MaxStatement, needsSignature(a.Kind), &signed.Document},
		{mediatype.Minisign, sign.MaxSignature, false, &signed.Signature},
		{mediatype.Rotations, sign.MaxRotations, false, &signed.Rotations},
	} {
		i := slices.IndexFunc(m.Layers, func(d v1.Descriptor) bool { return d.MediaType == part.mediaType && part.mediaType != "" })
		switch {
		case i >= 0 && m.Layers[i].Size > part.limit:
			return fmt.Errorf("its %s has %d bytes, more than the %d that are read: restore it from a backup", part.mediaType, m.Layers[i].Size, part.limit)
		case i >= 0:
			*part.into, err = l.Read(m.Layers[i], part.limit)
			if err != nil {
				return err
			}
		case part.needed:
			return fmt.Errorf("the %s has no %s layer: restore it from a backup, or make it again", a.Kind, part.mediaType)
		}
	}
	if signed.Document != nil || signed.Signature != nil {
		a.Signed = signed
	}
	return nil
}

// subjectOf returns a release in the form in which statements name it.
func subjectOf(rel *Release) sign.Subject {
	return sign.Subject{Capability: rel.Capability, Version: rel.Version, Release: rel.Digest, Engines: rel.Engines}
}

// attach makes an attachment, with the notes as annotations. It is signed if by is not nil.
// The result is the entry for index.json, and all blobs.
func attach(kind sign.Kind, about v1.Descriptor, of sign.Subject, content []byte, by *sign.Signer, at time.Time, notes map[string]string) (v1.Descriptor, []store.Blob, error) {
	var layers []v1.Descriptor
	empty := store.BlobOf(v1.MediaTypeEmptyJSON, v1.DescriptorEmptyJSON.Data)
	blobs := []store.Blob{empty}
	add := func(mediaType string, data []byte) {
		if data != nil {
			b := store.BlobOf(mediaType, data)
			blobs, layers = append(blobs, b), append(layers, b.Descriptor)
		}
	}
	add(contentTypes[kind], content)
	if by != nil {
		s, err := by.Sign(sign.Statement{Kind: kind, Subject: of, Content: evidence.ContentDigest(content), Time: at})
		if err != nil {
			return v1.Descriptor{}, nil, err
		}
		add(mediatype.Statement, s.Document)
		add(mediatype.Minisign, s.Signature)
		add(mediatype.Rotations, s.Rotations)
	}
	m := store.ManifestOf(v1.Manifest{
		ArtifactType: artifactTypes[kind], Config: empty.Descriptor, Layers: layers,
		Subject:     &v1.Descriptor{MediaType: about.MediaType, Digest: about.Digest, Size: about.Size},
		Annotations: notes,
	})
	d := m.Descriptor
	d.ArtifactType = artifactTypes[kind]
	d.Annotations = map[string]string{v1.AnnotationVersion: of.Version}
	if !at.IsZero() {
		d.Annotations[v1.AnnotationCreated] = at.UTC().Format(time.RFC3339Nano)
	}
	return d, append(blobs, m), nil
}

// SignRelease signs a release with Options.Signer and returns the digest of the signature's
// manifest. The signature states that the signer published, or approves, exactly these
// bytes.
//
// If the tag current points to the release, SignRelease also signs that it is current,
// unless a signed statement has made another release current.
func (r *Registry) SignRelease(ctx context.Context, capability, version string) (string, error) {
	return r.attach(ctx, capability, version, sign.Release, nil, func(*Release) error { return nil })
}

// AttachReport adds a conformance report to a release and returns the digest of its
// manifest. The report must be about an engine of the release, and must have passed.
func (r *Registry) AttachReport(ctx context.Context, capability, version string, report []byte) (string, error) {
	return r.attach(ctx, capability, version, sign.Report, report, func(rel *Release) error {
		return evidence.CheckReport(report, evidence.Tested{Engines: rel.Engines, Vectors: rel.Vectors})
	})
}

// AttachReview adds a review to a release, signed with Options.Signer, and returns the digest
// of its manifest.
func (r *Registry) AttachReview(ctx context.Context, capability, version string, review evidence.Review) (string, error) {
	if r.options.Signer == nil {
		return "", errors.New("a review needs a signature: give the key of the reviewer")
	}
	if err := review.Check(); err != nil {
		return "", err
	}
	return r.attach(ctx, capability, version, sign.Review, store.Marshal(review), func(rel *Release) error {
		return review.CheckDate(rel.Created, time.Now())
	})
}

// AttachSource adds the source from which a release was built, and returns the digest of its
// manifest.
func (r *Registry) AttachSource(ctx context.Context, capability, version string, b *provenance.Build) (string, error) {
	return r.attachBuild(ctx, capability, version, sign.Source, b)
}

// AttachRebuild adds the statement, signed with Options.Signer, that building a release again
// gave the same bytes, and returns the digest of its manifest.
func (r *Registry) AttachRebuild(ctx context.Context, capability, version string, b *provenance.Build) (string, error) {
	if r.options.Signer == nil {
		return "", errors.New("a rebuild needs a signature: give the key of who rebuilt")
	}
	return r.attachBuild(ctx, capability, version, sign.Rebuild, b)
}

func (r *Registry) attachBuild(ctx context.Context, capability, version string, kind sign.Kind, b *provenance.Build) (string, error) {
	content, err := b.Statement()
	if err != nil {
		return "", err
	}
	return r.attach(ctx, capability, version, kind, content, func(rel *Release) error { return evidence.CheckBuild(b, rel.Engines) })
}

func (r *Registry) attach(ctx context.Context, capability, version string, kind sign.Kind, content []byte, check func(*Release) error) (string, error) {
	if kind == sign.Release && r.options.Signer == nil {
		return "", errors.New("a signature needs a key")
	}
	var made v1.Descriptor
	err := r.change(ctx, capability, func(e *edit) (*store.Index, error) {
		rel, err := e.readable(version)
		if err != nil {
			return nil, err
		}
		if err := check(rel); err != nil {
			return nil, err
		}
		entry, err := e.was.Release(version)
		if err != nil {
			return nil, err
		}
		var blobs []store.Blob
		made, blobs, err = attach(kind, entry, subjectOf(rel), content, e.by, time.Now(), nil)
		if err != nil {
			return nil, err
		}
		if _, err := e.Fill(ctx, e.layout.Layout, blobs); err != nil {
			return nil, err
		}
		next := e.was
		if !next.Lists(made.Digest) {
			next = next.Plus(made)
		}
		if kind == sign.Release {
			return e.signLead(ctx, next, rel)
		}
		return next, nil
	})
	if err != nil {
		return "", fmt.Errorf("%s of %.200s %.100s: %w", kind, capability, version, err)
	}
	return made.Digest.String(), nil
}

// readable reads a version. At least its manifest must be readable.
func (e *edit) readable(version string) (*Release, error) {
	if _, err := e.was.Release(version); err != nil || len(e.was.Tagged(version)) == 0 {
		return nil, cmp.Or(err, errors.New("it is not published"))
	}
	found, err := e.layout.attachments(e.was)
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	rel := e.layout.release(e.was, version, found)
	if rel.Engines == nil { // other problems do not prevent a statement about it
		return nil, rel.Problem
	}
	return rel, nil
}

// signLead returns x with a signed statement that the release is current. It returns x itself
// if the release is not current, or a statement names another one.
func (e *edit) signLead(ctx context.Context, x *store.Index, rel *Release) (*store.Index, error) {
	records, err := e.layout.recorded(x)
	if err != nil {
		return nil, err
	}
	current, err := x.Current()
	if err != nil || current != rel.Version || !rel.MayBeCurrent() || records.lead != "" && records.lead.String() != rel.Digest {
		return x, nil
	}
	return e.lead(ctx, x, rel, &records, time.Now())
}
