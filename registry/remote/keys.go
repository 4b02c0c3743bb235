package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	client "oras.land/oras-go/v2/registry/remote"

	"github.com/slipstick/slipstick/registry/hostkeys"
	"github.com/slipstick/slipstick/registry/mediatype"
)

// keysRepository has the public keys of servers, a tag for each name. No capability has this
// id.
const keysRepository = "slipstick-keys"

// HostKeys returns the public keys of servers in the registry. They are not mirrored.
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
			continue // written by another program
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
	data, err := small(ctx, repo, d, hostkeys.MaxDocument)
	if err != nil {
		return nil, err
	}
	var m v1.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if len(m.Layers) != 1 || m.Layers[0].MediaType != mediatype.HostKeyList {
		return nil, fmt.Errorf("it is not an artifact of %s", mediatype.HostKeys)
	}
	return small(ctx, repo, m.Layers[0], hostkeys.MaxDocument)
}

// PutHostKeys stores the public keys of a server. It replaces the earlier keys with the same
// name.
func (r *Registry) PutHostKeys(ctx context.Context, f hostkeys.File) error {
	if err := hostkeys.CheckName(f.Name); err != nil {
		return err
	}
	layers := []layer{{mediatype.HostKeyList, "", f.Data}}
	return r.written(pushArtifact(ctx, r.repository(keysRepository), mediatype.HostKeys, f.Name, layers))
}

func (r *Registry) written(err error) error {
	if err != nil {
		return fmt.Errorf("write the keys of a server to %s: %w", r, err)
	}
	return nil
}
