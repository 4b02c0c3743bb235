package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	oras "oras.land/oras-go/v2/registry"
	client "oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// Registry is an OCI registry elsewhere, and its mirror here. It is safe for concurrent
// use, and so is one mirror for several processes.
type Registry struct {
	ref    oras.Reference
	plain  bool
	client *auth.Client
	mirror *registry.Registry
	dir    string

	mu      sync.Mutex
	current map[string]digest.Digest      // what current was at the last look, by capability
	repos   map[string]*client.Repository // which remember what the registry can do

	following
}

// Options are how a registry is reached. The zero value is HTTPS, or plain HTTP for this
// machine, with what the configuration of docker knows.
type Options struct {
	PlainHTTP          bool   // also for other machines
	Username, Password string // instead of those that docker's configuration has

	// Hosts other than the registry's own that its answers may send us to, each with its
	// port unless that is the usual one. AuthHosts are asked for tokens, and given the name
	// and password for that. RedirectHosts have blobs, and are given neither.
	AuthHosts, RedirectHosts []string

	// Mirror is how the mirror is read.
	Mirror registry.Options
}

// Bounds on the answers of a registry.
const (
	maxPages     = 100     // of tags, or of what refers to a release
	maxListing   = 2 << 20 // bytes of all pages
	maxReferrers = 10000   // of a release
	parallel     = 4       // capabilities at once
)

// Open returns the registry at an address such as oci://registry.example.org/calc, with
// its mirror in a directory of its own below mirrors. Nil options are the zero ones. It
// asks nothing of the registry yet.
func Open(address, mirrors string, o *Options) (*Registry, error) {
	if o == nil {
		o = new(Options)
	}
	ref, err := parse(address)
	if err != nil {
		return nil, err
	}
	r := &Registry{ref: ref, plain: o.PlainHTTP || isLoopback(ref.Registry), repos: map[string]*client.Repository{}, current: map[string]digest.Digest{}, following: newFollowing()}
	r.client, err = newClient(ref.Registry, r.plain, o)
	if err != nil {
		return nil, err
	}
	r.dir = filepath.Join(mirrors, dirName(ref))
	r.mirror, err = registry.Open(r.dir, &o.Mirror)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Mirror returns the mirror. It has what the registry had at the last Sync.
func (r *Registry) Mirror() *registry.Registry { return r.mirror }

// String returns the address.
func (r *Registry) String() string { return Scheme + r.ref.Registry + "/" + r.ref.Repository }

// ErrRemoved marks the damage that a capability of the mirror is no longer listed.
var ErrRemoved = errors.New("gone")

// failed returns an error about a registry that could not be read.
func (r *Registry) failed(err error) error { return fmt.Errorf("read registry %s: %w", r, err) }

// capabilities lists what is published.
func (r *Registry) capabilities(ctx context.Context) (map[string]bool, error) {
	tags, err := r.tags(ctx, r.repository(""))
	listed := map[string]bool{}
	if isNotFound(err) {
		return listed, nil // nothing was ever published there
	}
	for _, tag := range tags {
		if sdk.IsCapability(tag) {
			listed[tag] = true
		}
	}
	return listed, err
}

// tags lists the tags of a repository, of which there may be so many pages that each may
// be read and all may not.
func (r *Registry) tags(ctx context.Context, repo *client.Repository) (list []string, err error) {
	ctx, cancel := bounded(ctx, maxListing)
	defer cancel()
	size := 0
	err = repo.Tags(ctx, "", func(tags []string) error {
		for _, tag := range tags {
			size += len(tag) + len(`"",`)
		}
		if size > maxListing {
			return fmt.Errorf("it lists more than %d bytes of tags: remove those that are none of this registry's", maxListing)
		}
		list = append(list, tags...)
		return nil
	})
	return list, err
}

// take brings one capability of the mirror up to date.
func (r *Registry) take(ctx context.Context, id string) (damage, err error) {
	o, err := r.offer(ctx, id)
	switch {
	case isNotFound(err):
		return fmt.Errorf("%s lists it, but does not have it: publish it again", r), nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	r.mu.Lock()
	r.current[id] = tagged(o.Entries)[store.CurrentTag].Digest
	r.mu.Unlock()
	return r.mirror.Mirror(ctx, id, o)
}

// leading returns what current was everywhere at the last look.
func (r *Registry) leading() map[string]digest.Digest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.current)
}

// offer asks what the registry has of a capability.
func (r *Registry) offer(ctx context.Context, id string) (*registry.Offer, error) {
	repo := r.repository(id)
	tags, err := r.tags(ctx, repo)
	if err != nil {
		return nil, err
	}
	o := &registry.Offer{Fetch: func(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) { return fetch(ctx, repo, d) }}
	said := map[digest.Digest]bool{}
	for _, tag := range tags {
		if _, err := versions.Parse(tag); err != nil && tag != store.CurrentTag {
			continue // of the tag scheme of referrers, or of somebody else
		}
		release, err := resolve(ctx, repo, tag)
		if isNotFound(err) {
			continue // it has just gone
		}
		if err != nil {
			return nil, fmt.Errorf("tag %s: %w", tag, err)
		}
		o.Entries = append(o.Entries, entry(release, tag))
		if tag == store.CurrentTag || said[release.Digest] {
			continue
		}
		said[release.Digest] = true
		records, err := referrers(ctx, repo, release, tag)
		if err != nil {
			return nil, fmt.Errorf("what refers to %s: %w", tag, err)
		}
		o.Entries = append(o.Entries, records...)
	}
	return o, nil
}

func resolve(ctx context.Context, repo *client.Repository, tag string) (v1.Descriptor, error) {
	ctx, cancel := bounded(ctx, 0)
	defer cancel()
	return repo.Resolve(ctx, tag)
}

// entry is the entry of a release in index.json.
func entry(d v1.Descriptor, tag string) v1.Descriptor {
	notes := map[string]string{v1.AnnotationRefName: tag}
	if tag != store.CurrentTag {
		notes[v1.AnnotationVersion] = tag
	}
	return v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, ArtifactType: mediatype.Release, Annotations: notes}
}

// referrers returns the entries of the statements about a release.
func referrers(ctx context.Context, repo *client.Repository, release v1.Descriptor, version string) (list []v1.Descriptor, err error) {
	ctx, cancel := bounded(ctx, maxListing)
	defer cancel()
	entries := 0
	err = repo.Referrers(ctx, release, "", func(page []v1.Descriptor) error {
		entries += len(page)
		if entries > maxReferrers {
			return fmt.Errorf("more than %d things refer to it: remove those that are none of this registry's", maxReferrers)
		}
		for _, d := range page {
			if d.MediaType == v1.MediaTypeImageManifest { // of what type it is registries tell in several ways, the manifest in one
				list = append(list, v1.Descriptor{
					MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
					Annotations: map[string]string{v1.AnnotationVersion: version},
				})
			}
		}
		return nil
	})
	return list, err
}

// fetch opens a blob or manifest; closing it ends the time for it.
func fetch(ctx context.Context, repo *client.Repository, d v1.Descriptor) (io.ReadCloser, error) {
	ctx, cancel := bounded(ctx, d.Size)
	from, err := repo.Fetch(ctx, d)
	if err != nil {
		cancel()
		return nil, err
	}
	return &timed{from, cancel}, nil
}

type timed struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (t *timed) Close() error {
	defer t.cancel()
	return t.ReadCloser.Close()
}

// Time for one thing that is asked of a registry, and what it must carry in a second.
const (
	responseTime = 10 * time.Second
	slowest      = 64 << 10
)

// bounded is the context of a request that moves at most so many bytes.
func bounded(ctx context.Context, size int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, responseTime+time.Duration(max(0, size)/slowest)*time.Second)
}

func isNotFound(err error) bool {
	var response *errcode.ErrorResponse
	return errors.Is(err, errdef.ErrNotFound) || errors.As(err, &response) && response.StatusCode == http.StatusNotFound
}

// tagged returns the entries by their tags.
func tagged(entries []v1.Descriptor) map[string]v1.Descriptor {
	byTag := map[string]v1.Descriptor{}
	for _, d := range entries {
		if tag := d.Annotations[v1.AnnotationRefName]; tag != "" {
			byTag[tag] = d
		}
	}
	return byTag
}

func lists(entries []v1.Descriptor, d digest.Digest) bool {
	return slices.ContainsFunc(entries, func(e v1.Descriptor) bool { return e.Digest == d })
}
