package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry"
)

// Draft is a registry on this machine that is changed first, and then pushed.
type Draft struct {
	remote *Registry
	local  *registry.Registry
	dir    string

	mu      sync.Mutex               // pushes take turns
	damage  map[string]error         // by capability: damage that must be repaired first
	current map[string]digest.Digest // by capability: the remote tag current when the draft was made
}

// Draft updates the mirror and returns a copy of it, to be changed with the options. Nil
// options are the zero ones.
func (r *Registry) Draft(ctx context.Context, o *registry.Options) (*Draft, error) {
	damage, err := r.Sync(ctx)
	if err != nil {
		return nil, err
	}
	mirrors := filepath.Dir(r.dir)
	sweepDrafts(mirrors)
	dir, err := os.MkdirTemp(mirrors, draftPrefix)
	if err != nil {
		return nil, err
	}
	var options registry.Options
	if o != nil {
		options = *o
	}
	options.Engines = registry.WithoutEngines
	d := &Draft{remote: r, dir: dir, damage: damage, current: r.leading()}
	d.local, err = r.mirror.Clone(ctx, filepath.Join(dir, "registry"), &options)
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

const (
	draftPrefix = ".draft-"
	draftLives  = 24 * time.Hour // longer than any publisher works
)

// sweepDrafts removes the drafts of publishers that were killed.
func sweepDrafts(mirrors string) {
	left, _ := filepath.Glob(filepath.Join(mirrors, draftPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > draftLives {
			_ = os.RemoveAll(dir)
		}
	}
}

// Registry returns the registry to change.
func (d *Draft) Registry() *registry.Registry { return d.local }

// Engines copies the engines of a capability for this platform into the draft, to be run.
func (d *Draft) Engines(ctx context.Context, capability string) error {
	o, err := d.remote.offer(ctx, capability)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return d.remote.failed(err)
	}
	mirror, err := registry.Open(d.remote.dir, &registry.Options{Engines: registry.EnginesLater})
	if err != nil {
		return err
	}
	local, err := registry.Open(filepath.Join(d.dir, "registry"), &registry.Options{Engines: registry.EnginesLater})
	if err != nil {
		return err
	}
	damage, err := mirror.Mirror(ctx, capability, o)
	err = errors.Join(damage, err)
	if err != nil {
		return d.remote.failed(err)
	}
	o.Fetch = func(ctx context.Context, b v1.Descriptor) (io.ReadCloser, error) {
		data, err := mirror.Blob(ctx, capability, b)
		return io.NopCloser(bytes.NewReader(data)), err
	}
	_, err = local.Mirror(ctx, capability, o) // Push refuses damage in the remote registry
	return err
}

// Close removes the draft.
func (d *Draft) Close() { _ = os.RemoveAll(d.dir) }

// Push uploads the new content of a capability in the draft, and reads it back. Everything
// that a version needs is uploaded before its tag, and the tag current moves after that. The
// tag that lists a new capability comes last. If Push is interrupted, calling it again
// completes the upload.
//
// If another publisher has published the version with another digest since the draft was made,
// the error is a *registry.ExistsError. Push also fails, and pushes nothing, in two more
// cases:
//
//   - the remote tag current has moved since the draft was made,
//   - another publisher has signed a statement with a sequence number that the draft also
//     uses. If both do so at the same instant, at least one of them gets the error.
//
// OCI registries cannot set a tag only if it does not exist. If two publishers push one
// version at the same instant, the later one wins. Servers that saw the earlier one keep it
// and report that. A registry with immutable tags refuses the later one.
func (d *Draft) Push(ctx context.Context, capability string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &push{Draft: d, id: capability, repo: d.remote.repository(capability)}
	if err := p.run(ctx); err != nil {
		return fmt.Errorf("push %s to %s: %w", capability, d.remote, err)
	}
	return nil
}
