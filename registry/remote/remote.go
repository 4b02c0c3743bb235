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

// Registry is a remote OCI registry, with its mirror on this machine. It is safe for
// concurrent use. Several processes can share one mirror.
type Registry struct {
	ref    oras.Reference
	plain  bool
	client *auth.Client
	mirror *registry.Registry
	dir    string

	mu      sync.Mutex
	current map[string]digest.Digest      // current in the registry at the last look, by capability
	repos   map[string]*client.Repository // they remember the features of the registry

	following
}

// Options are how a registry is reached. The zero value uses HTTPS, or plain HTTP for this
// machine, and the credentials in docker's configuration.
type Options struct {
	PlainHTTP          bool   // also for other machines
	Username, Password string // instead of docker's configuration

	// Other servers to which the registry may send requests, each with its port unless that is
	// the default. AuthHosts issue tokens, and get the name and password for that.
	// RedirectHosts have blobs, and get neither.
	AuthHosts, RedirectHosts []string

	// Mirror has the options for reading the mirror.
	Mirror registry.Options
}

// Bounds on the answers of a registry.
const (
	maxPages     = 100     // of tags, or of what refers to a release
	maxListing   = 2 << 20 // bytes of all pages of tags
	maxReferrers = 10000   // of a release
	parallel     = 4       // capabilities at once
)

// Open returns the registry at a URL such as oci://registry.example.org/calc, with its mirror
// in a directory of its own below mirrors. Nil options are the zero ones. Open sends no
// requests.
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

// Mirror returns the mirror. It has the content of the registry at the last Sync.
func (r *Registry) Mirror() *registry.Registry { return r.mirror }

// String returns the URL.
func (r *Registry) String() string { return Scheme + r.ref.Registry + "/" + r.ref.Repository }

// ErrRemoved is the damage of a capability in the mirror that the registry no longer lists.
var ErrRemoved = errors.New("gone")

// failed returns an error about a registry that could not be read.
func (r *Registry) failed(err error) error { return fmt.Errorf("read registry %s: %w", r, err) }

// capabilities lists the published capabilities.
func (r *Registry) capabilities(ctx context.Context) (map[string]bool, error) {
	tags, err := r.tags(ctx, r.repository(""))
	listed := map[string]bool{}
	if isNotFound(err) {
		return listed, nil // nothing has been published there yet
	}
	for _, tag := range tags {
		if sdk.IsCapability(tag) {
			listed[tag] = true
		}
	}
	return listed, err
}

// tags lists the tags of a repository. It bounds the whole list, since each page may be small
// enough and all pages too large.
func (r *Registry) tags(ctx context.Context, repo *client.Repository) (list []string, err error) {
	ctx, cancel := bounded(ctx, maxListing)
	defer cancel()
	size := 0
	err = repo.Tags(ctx, "", func(tags []string) error {
		for _, tag := range tags {
			size += len(tag) + len(`"",`)
		}
		if size > maxListing {
			return fmt.Errorf("it lists more than %d bytes of tags: remove the tags of other programs", maxListing)
		}
		list = append(list, tags...)
		return nil
	})
	return list, err
}

// take updates one capability of the mirror.
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

// leading returns the current version of every capability at the last look.
func (r *Registry) leading() map[string]digest.Digest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.current)
}

// offer fetches the content of a capability in the registry.
func (r *Registry) offer(ctx context.Context, id string) (*registry.Offer, error) {
	repo := r.repository(id)
	tags, err := r.tags(ctx, repo)
	if err != nil {
		return nil, err
	}
	o := &registry.Offer{Fetch: func(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) { return fetch(ctx, repo, d) }}
	visited := map[digest.Digest]bool{}
	for _, tag := range tags {
		if _, err := versions.Parse(tag); err != nil && tag != store.CurrentTag {
			continue // of the tag scheme of referrers, or of another program
		}
		release, err := resolve(ctx, repo, tag)
		if isNotFound(err) {
			continue // it was removed after the listing
		}
		if err != nil {
			return nil, fmt.Errorf("tag %s: %w", tag, err)
		}
		o.Entries = append(o.Entries, entry(release, tag))
		if tag == store.CurrentTag || visited[release.Digest] {
			continue
		}
		visited[release.Digest] = true
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

// entry returns the entry of a release in index.json.
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
			return fmt.Errorf("more than %d artifacts refer to it: remove the artifacts of other programs", maxReferrers)
		}
		for _, d := range page {
			if d.MediaType == v1.MediaTypeImageManifest { // registries report its artifact type in several ways, but the manifest has it
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

// fetch opens a blob or manifest. Closing it ends its timeout.
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

// Timeout of one request to a registry, and the minimum rate of transfers.
const (
	responseTime = 10 * time.Second
	slowest      = 64 << 10
)

// bounded returns the context of a request that transfers at most size bytes.
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
