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

	"github.com/slipstick/slipstick/registry/sign"
)

// attachment is what somebody says of a release: a manifest with the release as its
// subject, whose layers are a document and, if it is signed, the statement with its
// signature.
type attachment struct {
	kind    sign.Kind
	digest  digest.Digest // of its manifest
	content []byte        // report, review, standing or lead; nil for a release's signature
	signed  *sign.Signed  // nil if it is not signed
	err     error         // why it cannot be read
}

// artifactTypes tell the kinds of attachments apart, contentTypes are those of their
// documents.
var (
	artifactTypes = map[sign.Kind]string{
		sign.Release: SignatureType, sign.Report: ConformanceType, sign.Review: ReviewType, sign.Standing: StandingType,
		sign.Current: CurrentType,
	}
	contentTypes = map[sign.Kind]string{
		sign.Report: ReportType, sign.Review: ReviewType + "+json", sign.Standing: StandingType + "+json",
		sign.Current: CurrentType + "+json",
	}
)

func kindOf(artifactType string) (sign.Kind, bool) {
	for kind, t := range artifactTypes {
		if t == artifactType {
			return kind, true
		}
	}
	return "", false
}

// attachments are what is said of releases, by the manifest that it is about, in the
// order in which it was attached.
type attachments map[digest.Digest][]attachment

// attachments reads the referrers that index.json lists. The error is about those that
// belong to no release listed.
func (l *layout) attachments(x *index) (attachments, error) {
	found, stray := attachments{}, []error(nil)
	for _, d := range x.untagged {
		kind, ours := kindOf(d.ArtifactType)
		if d.MediaType != v1.MediaTypeImageManifest || d.ArtifactType != "" && !ours {
			continue
		}
		m, err := l.manifest(d)
		if err == nil {
			if kind, ours = kindOf(m.ArtifactType); !ours && m.ArtifactType != "" {
				continue
			}
		}
		about := subject(x, d, m)
		if about == "" {
			stray = append(stray, errors.Join(fmt.Errorf("index.json lists %.100q, which is about nothing that is published here: restore index.json from a backup", d.Digest), err))
			continue
		}
		a := attachment{kind: cmp.Or(kind, sign.Report), digest: d.Digest, err: err}
		if err == nil {
			a.err = l.unpack(&a, m)
		}
		found[about] = append(found[about], a)
	}
	return found, errors.Join(stray...)
}

// subject returns the release that an attachment is about, "" if none is listed. Where
// its manifest cannot be read (nil), index.json tells the version.
func subject(x *index, d v1.Descriptor, m *v1.Manifest) digest.Digest {
	if m != nil {
		if m.Subject == nil || !x.named[m.Subject.Digest] {
			return ""
		}
		return m.Subject.Digest
	}
	if entry, err := x.release(d.Annotations[v1.AnnotationVersion]); err == nil {
		return entry.Digest
	}
	return ""
}

// unpack reads the layers of an attachment.
func (l *layout) unpack(a *attachment, m *v1.Manifest) (err error) {
	signed := new(sign.Signed)
	for _, part := range []struct {
		mediaType string
		limit     int64
		needed    bool
		into      *[]byte
	}{
		{contentTypes[a.kind], MaxJSON, a.kind != sign.Release, &a.content},
		{StatementType, sign.MaxStatement, a.kind == sign.Release || a.kind == sign.Review || a.kind == sign.Current, &signed.Document},
		{MinisignType, sign.MaxSignature, false, &signed.Signature},
		{RotationsType, sign.MaxRotations, false, &signed.Rotations},
	} {
		i := slices.IndexFunc(m.Layers, func(d v1.Descriptor) bool { return d.MediaType == part.mediaType && part.mediaType != "" })
		switch {
		case i >= 0 && m.Layers[i].Size > part.limit:
			return fmt.Errorf("its %s has %d bytes, more than the %d that are read: restore it from a backup", part.mediaType, m.Layers[i].Size, part.limit)
		case i >= 0:
			if *part.into, err = l.read(m.Layers[i], part.limit); err != nil {
				return err
			}
		case part.needed:
			return fmt.Errorf("the %s has no %s layer: restore it from a backup, or make it again", a.kind, part.mediaType)
		}
	}
	if signed.Document != nil || signed.Signature != nil {
		a.signed = signed
	}
	return nil
}

// contentDigest is the digest of what comes with a statement, "" if nothing does.
func contentDigest(content []byte) string {
	if content == nil {
		return ""
	}
	return digest.FromBytes(content).String()
}

// subjectOf is a release as statements name it.
func subjectOf(rel *Release) sign.Subject {
	return sign.Subject{Capability: rel.Capability, Version: rel.Version, Release: rel.Digest, Engines: rel.Engines}
}

// attach makes the manifest of an attachment with the notes, signed if there is a signer,
// and returns the entry for index.json and all blobs.
func attach(kind sign.Kind, about v1.Descriptor, of sign.Subject, content []byte, by *sign.Signer, at time.Time, notes map[string]string) (v1.Descriptor, []blob, error) {
	var layers []v1.Descriptor
	empty := blobOf(v1.MediaTypeEmptyJSON, v1.DescriptorEmptyJSON.Data)
	blobs := []blob{empty}
	add := func(mediaType string, data []byte) {
		if data != nil {
			b := blobOf(mediaType, data)
			blobs, layers = append(blobs, b), append(layers, b.Descriptor)
		}
	}
	add(contentTypes[kind], content)
	if by != nil {
		s, err := by.Sign(sign.Statement{Kind: kind, Subject: of, Content: contentDigest(content), Time: at})
		if err != nil {
			return v1.Descriptor{}, nil, err
		}
		add(StatementType, s.Document)
		add(MinisignType, s.Signature)
		add(RotationsType, s.Rotations)
	}
	m := manifestOf(v1.Manifest{
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

// SignRelease adds the signature of who opened the registry to a release: that they
// published, or vouch for, exactly these bytes, and if the tag current points to it that
// it is current, unless a signed statement has made another release current. It returns
// the digest of the signature's manifest.
func (r *Registry) SignRelease(ctx context.Context, capability, version string) (string, error) {
	return r.attach(ctx, capability, version, sign.Release, nil, func(*Release) error { return nil })
}

// AttachReport adds a conformance report to a release. It must have passed, on an engine
// of the release.
func (r *Registry) AttachReport(ctx context.Context, capability, version string, report []byte) (string, error) {
	return r.attach(ctx, capability, version, sign.Report, report, func(rel *Release) error {
		about, err := aboutEngines(report)
		if err != nil {
			return err
		}
		var engines []digest.Digest
		for _, platform := range rel.Platforms {
			if slices.Contains(about, rel.Engines[platform]) {
				engines = append(engines, digest.Digest(rel.Engines[platform]))
			}
		}
		if len(engines) == 0 {
			return fmt.Errorf("the conformance report is not about an engine of the release but about %.400q: run the suite on exactly these bytes", about)
		}
		_, err = weigh(report, engines, rel.Vectors)
		return err
	})
}

// AttachReview adds a review to a release, signed by who opened the registry.
func (r *Registry) AttachReview(ctx context.Context, capability, version string, review Review) (string, error) {
	if r.options.Signer == nil {
		return "", errors.New("a review needs a signature: give the key of the reviewer")
	}
	if err := review.Check(); err != nil {
		return "", err
	}
	return r.attach(ctx, capability, version, sign.Review, marshal(review), func(rel *Release) error {
		return review.dated(rel.Created, time.Now())
	})
}

// vouchLead returns the index in which it is signed that the release is current, if it is
// and no statement says otherwise.
func (r *Registry) vouchLead(ctx context.Context, w *writer, l *layout, x *index, rel *Release) (*index, error) {
	said, err := l.said(x)
	if err != nil {
		return nil, err
	}
	current, err := x.current()
	if err != nil || current != rel.Version || !rel.mayLead() || said.lead != "" && said.lead.String() != rel.Digest {
		return x, nil
	}
	return w.leading(ctx, l, x, current, &said, rel, r.options.Signer, time.Now())
}

func (r *Registry) attach(ctx context.Context, capability, version string, kind sign.Kind, content []byte, check func(*Release) error) (string, error) {
	if kind == sign.Release && r.options.Signer == nil {
		return "", errors.New("a signature needs a key")
	}
	var made v1.Descriptor
	err := r.change(ctx, capability, func(w *writer, l *layout, x *index) (*index, error) {
		entry, err := x.release(version)
		if err != nil || len(x.tags[version]) == 0 {
			return nil, cmp.Or(err, errors.New("it is not published"))
		}
		found, err := l.attachments(x)
		if err != nil {
			return nil, fmt.Errorf("the registry must be repaired first: %w", err)
		}
		rel := l.release(x, version, found)
		if rel.Engines == nil { // else what is wrong is not for this to judge
			return nil, rel.Problem
		}
		if err := check(rel); err != nil {
			return nil, err
		}
		var blobs []blob
		if made, blobs, err = attach(kind, entry, subjectOf(rel), content, r.options.Signer, time.Now(), nil); err != nil {
			return nil, err
		}
		if _, err := w.fill(ctx, l, blobs); err != nil {
			return nil, err
		}
		if !x.lists(made.Digest) {
			x = x.plus(made)
		}
		if kind == sign.Release {
			return r.vouchLead(ctx, w, l, x, rel)
		}
		return x, nil
	})
	if err != nil {
		return "", fmt.Errorf("%s of %.200s %.100s: %w", kind, capability, version, err)
	}
	return made.Digest.String(), nil
}
