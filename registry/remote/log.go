package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	client "oras.land/oras-go/v2/registry/remote"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/internal/rounds"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
)

// logRepository has the transparency log of the registry: the artifact under logTag has the
// checkpoint and the bundles of entries. No capability has this id.
const (
	logRepository = "slipstick-log"
	logTag        = "checkpoint"
)

// followLog updates the log of the mirror. It only checks that the log is complete. It also
// mirrors a log that does not continue the earlier one, and readers of the mirror notice that.
func (r *Registry) followLog(ctx context.Context, p rounds.Timeout) error {
	return r.logs.Run(ctx, []string{""}, p, func(ctx context.Context, _ string) logTaken {
		began := time.Now()
		at, err := r.takeLog(ctx, r.log)
		if err != nil {
			err = fmt.Errorf("%s: %w", logRepository, err)
		}
		return logTaken{at, began, stable(err)}
	}, func(_ string, now logTaken) {
		if ctx.Err() != nil {
			return
		}
		r.unlogged = now.err
		if now.err == nil {
			r.log, r.loggedAt = now.at, now.began
		}
	})
}

// logTaken is the result of a request for the log.
type logTaken struct {
	at    digest.Digest // of the artifact; "" if there is none
	began time.Time
	err   error
}

// Logged returns the start of the last look that found the log of the registry, or found that
// there is none. It is zero if there was no such look.
func (r *Registry) Logged() time.Time {
	r.round.Lock()
	defer r.round.Unlock()
	return r.loggedAt
}

// takeLog mirrors the log, unless its artifact was mirrored already.
func (r *Registry) takeLog(ctx context.Context, was digest.Digest) (digest.Digest, error) {
	repo := r.repository(logRepository)
	d, err := resolve(ctx, repo, logTag)
	here, unread := r.mirror.Log(nil) // a log that cannot be read is fetched again
	switch {
	case isNotFound(err) && (here != nil || unread != nil):
		return "", errors.New("it is gone, and what was mirrored of it is kept: restore it there")
	case isNotFound(err):
		return "", nil
	case err != nil:
		return "", err
	case d.Digest == was && unread == nil && here != nil:
		return was, nil
	}
	l, rotations, err := fetchLog(ctx, repo, d, here)
	if err == nil {
		err = r.mirror.PutLog(ctx, l, rotations)
	}
	return d.Digest, err
}

// fetchLog fetches the log of an artifact. It fetches only entries that the mirror does not
// have.
func fetchLog(ctx context.Context, repo *client.Repository, d v1.Descriptor, here *transparency.Log) (l *transparency.Log, rotations []byte, err error) {
	data, err := small(ctx, repo, d, store.MaxJSON)
	if err != nil {
		return nil, nil, err
	}
	var m v1.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, nil, err
	}
	bundles := map[string]v1.Descriptor{}
	var note []byte
	for _, layer := range m.Layers {
		switch layer.MediaType {
		case mediatype.LogCheckpoint:
			note, err = small(ctx, repo, layer, transparency.MaxCheckpoint)
		case mediatype.Rotations:
			rotations, err = small(ctx, repo, layer, sign.MaxRotations)
		case mediatype.LogEntries:
			bundles[layer.Annotations[v1.AnnotationTitle]] = layer
		}
		if err != nil {
			return nil, nil, err
		}
	}
	c, err := transparency.ParseCheckpoint(note)
	if err != nil {
		return nil, nil, err
	}
	l, err = transparency.Assemble(c, here, func(name string) ([]byte, error) {
		layer, ok := bundles[name]
		if !ok {
			return nil, fmt.Errorf("it lacks %s", name)
		}
		return small(ctx, repo, layer, transparency.MaxBundle)
	})
	return l, rotations, err
}

// small fetches a blob or manifest of at most limit bytes, and compares it with its digest.
func small(ctx context.Context, repo *client.Repository, d v1.Descriptor, limit int64) ([]byte, error) {
	if d.Size > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are read", d.Digest, d.Size, limit)
	}
	ctx, cancel := bounded(ctx, d.Size)
	defer cancel()
	return content.FetchAll(ctx, repo, plain(d))
}

// EditLog calls edit to change the log in a copy of the registry, and replaces the remote log
// by the result. Only one publisher may do that at a time: OCI registries cannot replace a tag
// only if it has not changed. Nil options are the zero ones.
func (r *Registry) EditLog(ctx context.Context, o *registry.Options, edit func(*registry.Registry) (*transparency.Log, error)) (*transparency.Log, error) {
	draft, err := r.Draft(ctx, o)
	if err != nil {
		return nil, err
	}
	defer draft.Close()
	was, err := r.mirror.Log(nil)
	if err == nil && was != nil {
		var rotations []byte
		rotations, err = r.mirror.LogRotations()
		if err == nil {
			err = draft.local.PutLog(ctx, was, rotations)
		}
	}
	if err != nil {
		return nil, err
	}
	at := r.logArtifact()
	l, err := edit(draft.local)
	if err != nil {
		return nil, err
	}
	rotations, err := draft.local.LogRotations()
	if err != nil {
		return nil, err
	}
	if err := r.pushLog(ctx, at, l, rotations); err != nil {
		return nil, fmt.Errorf("write the log to %s: %w", r, err)
	}
	return l, nil
}

// logArtifact returns the digest of the artifact that was mirrored.
func (r *Registry) logArtifact() digest.Digest {
	r.round.Lock()
	defer r.round.Unlock()
	return r.log
}

// pushLog replaces the log with the digest was, "" for none, by another one.
func (r *Registry) pushLog(ctx context.Context, was digest.Digest, l *transparency.Log, rotations []byte) error {
	repo := r.repository(logRepository)
	d, err := resolve(ctx, repo, logTag)
	if err != nil && !isNotFound(err) {
		return err
	}
	if err == nil && d.Digest != was {
		return errors.New("another publisher has written it since: try again")
	}
	layers := []layer{{mediatype.LogCheckpoint, transparency.CheckpointFile, l.Checkpoint().Note()}}
	if rotations != nil {
		layers = append(layers, layer{mediatype.Rotations, transparency.RotationsFile, rotations})
	}
	for _, f := range l.Bundles(0) {
		layers = append(layers, layer{mediatype.LogEntries, f.Name, f.Data})
	}
	return pushArtifact(ctx, repo, mediatype.Log, logTag, layers)
}

// layer is a part of an artifact that is not a release.
type layer struct {
	mediaType, title string
	data             []byte
}

// pushArtifact pushes the missing parts of an artifact, and then sets the tag.
func pushArtifact(ctx context.Context, repo *client.Repository, artifactType, tag string, layers []layer) error {
	empty := v1.DescriptorEmptyJSON
	m := v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, ArtifactType: artifactType,
		Config: plain(empty), Annotations: map[string]string{v1.AnnotationTitle: tag},
	}
	if err := pushBlob(ctx, repo, plain(empty), empty.Data); err != nil {
		return err
	}
	for _, part := range layers {
		d := v1.Descriptor{MediaType: part.mediaType, Digest: digest.FromBytes(part.data), Size: int64(len(part.data))}
		if err := pushBlob(ctx, repo, d, part.data); err != nil {
			return err
		}
		if part.title != "" {
			d.Annotations = map[string]string{v1.AnnotationTitle: part.title}
		}
		m.Layers = append(m.Layers, d)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d := v1.Descriptor{MediaType: v1.MediaTypeImageManifest, Digest: digest.FromBytes(data), Size: int64(len(data))}
	ctx, cancel := bounded(ctx, d.Size)
	defer cancel()
	return repo.PushReference(ctx, d, bytes.NewReader(data), tag)
}

func pushBlob(ctx context.Context, repo *client.Repository, d v1.Descriptor, data []byte) error {
	ctx, cancel := bounded(ctx, d.Size)
	defer cancel()
	if there, err := repo.Exists(ctx, d); err != nil || there {
		return err
	}
	return repo.Push(ctx, d, bytes.NewReader(data))
}
