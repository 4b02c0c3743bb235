package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	client "oras.land/oras-go/v2/registry/remote"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/versions"
)

// capabilityType is the artifact type of a tag of the prefix. Its only meaning is that the
// capability exists.
const capabilityType = "application/vnd.slipstick.capability.v1"

// maxTag is the largest length of a tag in the specification of OCI.
const maxTag = 128

// push is the upload of one capability.
type push struct {
	*Draft
	id   string
	repo *client.Repository
}

func (p *push) run(ctx context.Context) error {
	if problem := p.damage[p.id]; problem != nil {
		return fmt.Errorf("it must be repaired there first: %w", problem)
	}
	if len(p.id) > maxTag {
		return fmt.Errorf("the id has %d characters, and OCI registries take at most %d", len(p.id), maxTag)
	}
	entries, err := p.local.Entries(ctx, p.id)
	if err != nil {
		return err
	}
	there, err := p.remote.offer(ctx, p.id)
	if isNotFound(err) {
		there, err = new(registry.Offer), nil
	}
	if err != nil {
		return err
	}
	if err := p.compare(entries, there.Entries); err != nil {
		return err
	}
	ours, err := p.numbers(ctx, len(there.Entries) == 0)
	if err != nil {
		return err
	}
	if err := p.releases(ctx, entries, there.Entries); err != nil {
		return err
	}
	if err := p.lead(ctx, entries, there.Entries); err != nil {
		return err
	}
	if err := p.enlist(ctx); err != nil {
		return fmt.Errorf("list it: %w", err)
	}
	if err := p.readBack(ctx, entries); err != nil {
		return err
	}
	return p.alone(ctx, ours)
}

// compare returns an error if the push would change anything that others have published since
// the draft was made.
func (p *push) compare(entries, there []v1.Descriptor) error {
	ours, theirs := tagged(entries), tagged(there)
	for tag, d := range theirs {
		if own, ok := ours[tag]; ok && tag != store.CurrentTag && own.Digest != d.Digest {
			return &registry.ExistsError{Capability: p.id, Version: tag, Published: d.Digest.String(), Offered: own.Digest.String()}
		}
	}
	now := theirs[store.CurrentTag].Digest
	if now != p.current[p.id] && now != ours[store.CurrentTag].Digest {
		return fmt.Errorf("another publisher has moved current to %s since: look at it, and try again", now)
	}
	return nil
}

// releases pushes the missing versions, and the missing statements about all versions.
func (p *push) releases(ctx context.Context, entries, there []v1.Descriptor) error {
	theirs := tagged(there)
	ours := tagged(entries)
	delete(ours, store.CurrentTag)
	for _, version := range versions.Newest(slices.Collect(maps.Keys(ours))) {
		release := ours[version]
		if _, ok := theirs[version]; !ok {
			if err := p.manifest(ctx, release); err != nil {
				return fmt.Errorf("version %s: %w", version, err)
			}
		}
		for _, record := range entries {
			if record.Annotations[v1.AnnotationRefName] != "" || record.Annotations[v1.AnnotationVersion] != version || lists(there, record.Digest) {
				continue
			}
			if err := p.record(ctx, release, record); err != nil {
				return fmt.Errorf("statement about version %s: %w", version, err)
			}
		}
		if _, ok := theirs[version]; !ok {
			if err := p.tag(ctx, release, version); err != nil {
				return fmt.Errorf("version %s: %w", version, err)
			}
		}
	}
	return nil
}

// manifest pushes a manifest by its digest, after all blobs that it names.
func (p *push) manifest(ctx context.Context, d v1.Descriptor) error {
	data, err := p.local.Blob(ctx, p.id, d)
	if err != nil {
		return err
	}
	var m v1.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	for _, blob := range append(m.Layers, m.Config) {
		if err := p.blob(ctx, blob); err != nil {
			return fmt.Errorf("%s %s: %w", blob.MediaType, blob.Digest, err)
		}
	}
	ctx, cancel := bounded(ctx, int64(len(data)))
	defer cancel()
	return p.repo.Push(ctx, plain(d), bytes.NewReader(data))
}

// plain returns the parts of a descriptor that a registry needs.
func plain(d v1.Descriptor) v1.Descriptor {
	return v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
}

// blob pushes bytes that the registry lacks, and reads them back.
func (p *push) blob(ctx context.Context, d v1.Descriptor) error {
	ctx, cancel := bounded(ctx, 3*d.Size)
	defer cancel()
	if there, err := p.repo.Exists(ctx, plain(d)); err != nil {
		return err
	} else if !there {
		if err := p.upload(ctx, d); err != nil {
			return err
		}
	}
	from, err := p.repo.Fetch(ctx, plain(d))
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	defer from.Close()
	verified := content.NewVerifyReader(from, d)
	_, err = io.Copy(io.Discard, verified)
	if err == nil {
		err = verified.Verify()
	}
	if err != nil {
		return fmt.Errorf("the bytes in the registry do not match the digest: %w", err)
	}
	return nil
}

// upload uploads a blob. A runtime is uploaded once, to the repository of the prefix, from which
// the repositories of all capabilities mount it. If the registry cannot mount, it is uploaded again.
func (p *push) upload(ctx context.Context, d v1.Descriptor) error {
	data, err := p.local.Blob(ctx, p.id, d)
	if err != nil {
		return err
	}
	if d.MediaType != mediatype.Runtime {
		return p.repo.Push(ctx, plain(d), bytes.NewReader(data))
	}
	shared := p.remote.repository("")
	there, err := shared.Exists(ctx, plain(d))
	if err == nil && !there {
		err = shared.Push(ctx, plain(d), bytes.NewReader(data))
	}
	if err != nil {
		return err
	}
	return p.repo.Mount(ctx, plain(d), shared.Reference.Repository, func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	})
}

// attempts is how often a record is pushed until it is listed. Some registries do not list the
// artifacts that refer to a release. There, publishers write the list, and may overwrite the
// lists of others.
const attempts = 5

func (p *push) record(ctx context.Context, release, record v1.Descriptor) error {
	for range attempts {
		if err := p.manifest(ctx, record); err != nil {
			return err
		}
		list, err := referrers(ctx, p.repo, plain(release), "")
		if err != nil {
			return err
		}
		if lists(list, record.Digest) {
			return nil
		}
	}
	return fmt.Errorf("the registry does not list %s after %d attempts: try again", record.Digest, attempts)
}

// tag sets the tag of a release, unless it exists already.
func (p *push) tag(ctx context.Context, release v1.Descriptor, version string) error {
	taken, err := resolve(ctx, p.repo, version)
	switch {
	case err == nil && taken.Digest != release.Digest:
		return &registry.ExistsError{Capability: p.id, Version: version, Published: taken.Digest.String(), Offered: release.Digest.String()}
	case err == nil:
		return nil
	case !isNotFound(err):
		return err
	}
	return p.point(ctx, release, version)
}

func (p *push) point(ctx context.Context, release v1.Descriptor, tag string) error {
	ctx, cancel := bounded(ctx, release.Size)
	defer cancel()
	return p.repo.Tag(ctx, plain(release), tag)
}

// lead moves the tag current. The tag does not move if no version may be current: registries
// do not delete tags, and readers ignore a withdrawn version.
func (p *push) lead(ctx context.Context, entries, there []v1.Descriptor) error {
	want, ok := tagged(entries)[store.CurrentTag]
	if !ok || want.Digest == tagged(there)[store.CurrentTag].Digest {
		return nil
	}
	if err := p.point(ctx, want, store.CurrentTag); err != nil {
		return fmt.Errorf("the version is there, but current could not be moved (promote moves it): %w", err)
	}
	return nil
}

// enlist adds the capability to the published ones.
func (p *push) enlist(ctx context.Context) error {
	repo := p.remote.repository("")
	if _, err := resolve(ctx, repo, p.id); err == nil || !isNotFound(err) {
		return err
	}
	ctx, cancel := bounded(ctx, 0)
	defer cancel()
	empty := v1.DescriptorEmptyJSON
	there, err := repo.Exists(ctx, plain(empty))
	if err == nil && !there {
		err = repo.Push(ctx, plain(empty), bytes.NewReader(empty.Data))
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, ArtifactType: capabilityType,
		Config: plain(empty), Layers: []v1.Descriptor{plain(empty)},
		Annotations: map[string]string{v1.AnnotationTitle: p.id},
	})
	if err != nil {
		return err
	}
	m := v1.Descriptor{MediaType: v1.MediaTypeImageManifest, Digest: digest.FromBytes(data), Size: int64(len(data))}
	return repo.PushReference(ctx, m, bytes.NewReader(data), p.id)
}

// readBack updates the mirror and compares it with the pushed content.
func (p *push) readBack(ctx context.Context, entries []v1.Descriptor) error {
	damage, err := p.remote.take(ctx, p.id)
	err = errors.Join(damage, err)
	if err != nil {
		return fmt.Errorf("read it back: %w", err)
	}
	mirrored, err := p.remote.mirror.Entries(ctx, p.id)
	if err != nil {
		return err
	}
	now := tagged(mirrored)
	for tag, d := range tagged(entries) {
		if now[tag].Digest != d.Digest {
			return fmt.Errorf("it was pushed, but %s is %s there and not %s: another publisher has written it since", tag, now[tag].Digest, d.Digest)
		}
	}
	for _, d := range entries {
		if !lists(mirrored, d.Digest) {
			return fmt.Errorf("it was pushed, but the registry does not have %s: try again", d.Digest)
		}
	}
	p.current[p.id] = now[store.CurrentTag].Digest
	return nil
}
