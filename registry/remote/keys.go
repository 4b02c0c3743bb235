package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	client "oras.land/oras-go/v2/registry/remote"

	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/mediatype"
)

// keysRepository has the public keys of hosts, a tag for each name. No capability has this id.
const keysRepository = "slipstick-keys"

// HostKeys returns the public keys of hosts that the registry has. They are not mirrored.
func (r *Registry) HostKeys(ctx context.Context) (files []hostkeys.File, err error) {
	repo := r.repository(keysRepository)
	tags, err := r.tags(ctx, repo)
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, r.failed(err)
	}
	slices.Sort(tags)
	for _, tag := range tags {
		if hostkeys.CheckName(tag) != nil {
			continue // somebody else's
		}
		if len(files) == hostkeys.MaxFiles {
			return nil, r.failed(fmt.Errorf("%s has more than %d tags", keysRepository, hostkeys.MaxFiles))
		}
		data, err := hostKeys(ctx, repo, tag)
		if err != nil {
			return nil, r.failed(fmt.Errorf("%s:%s: %w", keysRepository, tag, err))
		}
		files = append(files, hostkeys.File{Name: tag, Data: data})
	}
	return files, nil
}

func hostKeys(ctx context.Context, repo *client.Repository, tag string) ([]byte, error) {
	ctx, cancel := bounded(ctx, maxListing)
	defer cancel()
	d, err := repo.Resolve(ctx, tag)
	if err != nil {
		return nil, err
	}
	data, err := bytesOf(ctx, repo, d)
	if err != nil {
		return nil, err
	}
	var m v1.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if len(m.Layers) != 1 || m.Layers[0].MediaType != mediatype.HostKeyList {
		return nil, fmt.Errorf("it is no artifact of %s", mediatype.HostKeys)
	}
	return bytesOf(ctx, repo, m.Layers[0])
}

// bytesOf fetches a small blob or manifest, and compares it with its digest.
func bytesOf(ctx context.Context, repo *client.Repository, d v1.Descriptor) ([]byte, error) {
	if d.Size > hostkeys.MaxDocument {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are read", d.Digest, d.Size, hostkeys.MaxDocument)
	}
	return content.FetchAll(ctx, repo, d)
}

// PutHostKeys keeps the public keys of a host in place of those that had the name.
func (r *Registry) PutHostKeys(ctx context.Context, f hostkeys.File) error {
	if err := hostkeys.CheckName(f.Name); err != nil {
		return err
	}
	ctx, cancel := bounded(ctx, 2*hostkeys.MaxDocument)
	defer cancel()
	layer := v1.Descriptor{MediaType: mediatype.HostKeyList, Digest: digest.FromBytes(f.Data), Size: int64(len(f.Data))}
	empty := v1.DescriptorEmptyJSON
	data, err := json.Marshal(v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, ArtifactType: mediatype.HostKeys,
		Config: plain(empty), Layers: []v1.Descriptor{layer}, Annotations: map[string]string{v1.AnnotationTitle: f.Name},
	})
	if err != nil {
		return err
	}
	repo := r.repository(keysRepository)
	for _, blob := range []struct {
		v1.Descriptor
		data []byte
	}{{empty, empty.Data}, {layer, f.Data}} {
		there, err := repo.Exists(ctx, plain(blob.Descriptor))
		if err == nil && !there {
			err = repo.Push(ctx, plain(blob.Descriptor), bytes.NewReader(blob.data))
		}
		if err != nil {
			return r.written(err)
		}
	}
	m := v1.Descriptor{MediaType: v1.MediaTypeImageManifest, Digest: digest.FromBytes(data), Size: int64(len(data))}
	return r.written(repo.PushReference(ctx, m, bytes.NewReader(data), f.Name))
}

func (r *Registry) written(err error) error {
	if err != nil {
		return fmt.Errorf("write the keys of a host to %s: %w", r, err)
	}
	return nil
}
