package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// Registry is a directory of capabilities. It is safe for concurrent use, also by several
// processes. Readers see each version completely or not at all; publishers take turns.
type Registry struct {
	store   *store.Store
	options Options
}

// Options of a Registry: how it is read, and who signs changes. With the zero value every engine
// is compared with its digest, signatures are not checked, and nothing is signed.
type Options struct {
	Engines EngineCheck

	// Trust is the trust file for evidence: a signed document counts if its signature does.
	// Reviews count only with a trust file. It is nil if there is none.
	Trust *sign.Trust

	// RequireSignatures counts only evidence that a trusted key has signed. A release without
	// such a signature of its publisher is never served.
	RequireSignatures bool

	// Signer signs everything that is written: releases, reports, reviews, changes of the
	// lifecycle, and the checkpoint of a log that it keeps. Nil signs nothing.
	Signer *sign.Signer

	// Now returns the time for entries in the log; time.Now if nil.
	Now func() time.Time
}

// withoutExecution returns the options for reading without running engines: engines are
// compared later, or not at all.
func (o Options) withoutExecution() Options {
	if o.Engines == EnginesNow {
		o.Engines = EnginesLater
	}
	return o
}

// policy returns the policy that decides which evidence counts.
func (o *Options) policy() evidence.Policy {
	return evidence.Policy{Trust: o.Trust, Required: o.RequireSignatures}
}

// EngineCheck is when the bytes of an engine are compared with their digest.
type EngineCheck int

// The ways to check engines, which are large.
const (
	EnginesNow     EngineCheck = iota // when a release is read
	EnginesLater                      // by the caller that runs them: reading a release compares only their size, see [Release.OpenEngine]
	WithoutEngines                    // never: they may be missing, because nothing will be run
)

// Open returns the registry in a directory, which it creates if there is none. Nil options
// are the zero ones.
func Open(dir string, o *Options) (*Registry, error) {
	files, err := store.Open(dir, nil)
	if err != nil {
		return nil, fmt.Errorf("open registry %s: %w", dir, err)
	}
	return open(files, o), nil
}

func open(files *store.Store, o *Options) *Registry {
	r := &Registry{store: files}
	if o != nil {
		r.options = *o
	}
	return r
}

// Signs reports whether the registry signs its changes.
func (r *Registry) Signs() bool { return r.options.Signer != nil }

// Clone returns a registry in a new directory with the present content of r. The two share
// their files, which are replaced and never changed, so a clone needs no extra space. Both
// must be in one file system. Nil options are the zero ones.
func (r *Registry) Clone(ctx context.Context, dir string, o *Options) (*Registry, error) {
	files, err := r.store.Clone(ctx, dir)
	if err != nil {
		return nil, err
	}
	return open(files, o), nil
}

// LinkEngine replaces the file at path, a copy of a published engine, by a hard link to that
// engine. Then the disk has the bytes once. It compares the published bytes with the digest
// first. If the file system cannot link the two, both copies stay.
func (r *Registry) LinkEngine(capability, engine, path string) error {
	return r.store.Link(capability, digest.Digest(engine), MaxEngine, path)
}

// Capability is the published content of one id.
type Capability struct {
	ID       string
	Current  string     // version for requests without a pin; "" if there is none
	Releases []*Release // newest first
	Tools    []string   // tool ids that belong to it, sorted; see [Names.Assign]
	Promoted time.Time  // when Current became so after its publication; zero if it did not, or if that is not known
	History  *History   // which version was current when, by the transparency log; nil if there is none, see [Logged.Apply]

	// Sequence is the sequence number of the last signed statement that counts, see
	// [evidence.Lead]; 0 if there is none. Sequenced is true where signatures are required:
	// then only such statements determine Current.
	Sequence  uint64
	Sequenced bool

	// Problem is the error of the capability as a whole, with advice. Releases without a
	// Problem of their own are exactly as they were published.
	Problem error

	led    uint64 // number of the statement that made Current the current version, 0 if there is none
	unread bool   // such a statement cannot be read, so another version may be current
}

// equal reports whether two capabilities without a Problem have the same current version, and
// the same releases at the same memory addresses.
func (c *Capability) equal(o *Capability) bool {
	return c.ID == o.ID && c.Problem == nil && o.Problem == nil && c.Current == o.Current && c.Promoted.Equal(o.Promoted) && c.Sequence == o.Sequence &&
		c.Sequenced == o.Sequenced && c.led == o.led && c.unread == o.unread && slices.Equal(c.Tools, o.Tools) && slices.Equal(c.Releases, o.Releases)
}

// Capabilities reads and verifies everything, sorted by id. A damaged capability or release
// has a Problem, and does not affect others. The error is about the registry directory or the
// context.
func (r *Registry) Capabilities(ctx context.Context) ([]Capability, error) {
	names, err := r.store.Names(ctx)
	if err != nil {
		return nil, fmt.Errorf("read registry %s: %w", r.store.Dir(), err)
	}
	var list []Capability
	for _, id := range names {
		c, err := r.capability(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("read registry %s: %w", r.store.Dir(), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// capability reads the capability with an id. The error is about the context.
func (r *Registry) capability(ctx context.Context, id string) (Capability, error) {
	if err := ctx.Err(); err != nil {
		return Capability{}, err
	}
	l, x, err := r.open(id)
	if err != nil {
		return Capability{ID: id, Problem: err}, nil
	}
	defer l.Close()
	return r.read(ctx, l, x)
}

// read reads an open capability.
func (r *Registry) read(ctx context.Context, l *layout, x *store.Index) (Capability, error) {
	c := Capability{ID: l.ID()}
	about, stray := l.attachments(x)
	for _, version := range x.Versions() {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		rel := l.release(x, version, about)
		rel.registry = r
		if n := len(c.Releases); n > 0 {
			share(&rel.Spec, &c.Releases[n-1].Spec)
		}
		c.Releases = append(c.Releases, rel)
	}
	var err error
	c.Current, err = x.Current()
	err = errors.Join(err, c.readLead(r.options.RequireSignatures))
	c.Promoted = x.Promoted()
	if i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == c.Current }); i >= 0 && !c.Releases[i].Lifecycle.Serves() {
		err = errors.Join(err, fmt.Errorf("current is %s, which is %s: promote another version", c.Current, c.Releases[i].Lifecycle.State))
		c.Current = ""
	}
	if len(c.Releases) == 0 {
		err = errors.Join(err, errors.New("no version is listed here: restore index.json from a backup; if nothing was ever published, remove the directory"))
	}
	c.Problem = errors.Join(err, stray)
	return c, nil
}

// errFound ends a search after its first match.
var errFound = errors.New("found")

// FindEngine returns the release that has an engine with the digest, for any platform. It
// reads indexes and manifests, not the engines, and ignores unreadable ones.
func (r *Registry) FindEngine(ctx context.Context, engineDigest string) (capability, version string, found bool, err error) {
	want := digest.Digest(engineDigest)
	if err := store.CheckDigest(want); err != nil {
		return "", "", false, fmt.Errorf("find engine: %w", err)
	}
	err = r.eachManifest(ctx, func(l *layout, v string, m *v1.Manifest) error {
		p, err := partsOf(m)
		if err == nil && slices.ContainsFunc(p.engines, func(e engineFile) bool { return e.digest == want }) {
			capability, version, found = l.ID(), v, true
			return errFound
		}
		return nil
	})
	if err != nil && !found {
		return "", "", false, fmt.Errorf("find engine %s: %w", want, err)
	}
	return capability, version, found, nil
}

// FindVersion returns the digest of the manifest that is published under a version. It
// reads the index only.
func (r *Registry) FindVersion(ctx context.Context, capability, version string) (digest string, found bool, err error) {
	err = r.in(ctx, capability, func(_ *layout, x *store.Index) error {
		if entries := x.Tagged(version); version != store.CurrentTag && len(entries) > 0 {
			digest, found = entries[0].Digest.String(), true
		}
		return nil
	})
	if err != nil {
		return "", false, fmt.Errorf("find %s %s: %w", capability, version, err)
	}
	return digest, found, nil
}

// Versions lists the published versions of a capability, newest first. It reads the index
// only.
func (r *Registry) Versions(ctx context.Context, capability string) ([]string, error) {
	var list []string
	err := r.in(ctx, capability, func(_ *layout, x *store.Index) error {
		list = x.Versions()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", capability, err)
	}
	return list, nil
}

// Release reads and verifies one published version. Damage is its Problem. The error means
// that there is no such version.
func (r *Registry) Release(ctx context.Context, capability, version string) (*Release, error) {
	var rel *Release
	err := r.in(ctx, capability, func(l *layout, x *store.Index) error {
		if version == store.CurrentTag || len(x.Tagged(version)) == 0 {
			return nil
		}
		about, _ := l.attachments(x)
		rel = l.release(x, version, about)
		rel.registry = r
		return nil
	})
	if err == nil && rel == nil {
		err = errors.New("it is not published")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", capability, version, err)
	}
	return rel, nil
}

// Names lists the capabilities, including unreadable ones.
func (r *Registry) Names(ctx context.Context) ([]string, error) {
	return r.store.Names(ctx)
}

// Entries returns the entries of index.json of a capability. The error is fs.ErrNotExist if
// there is no such capability.
func (r *Registry) Entries(ctx context.Context, capability string) ([]v1.Descriptor, error) {
	var list []v1.Descriptor
	found := false
	err := r.in(ctx, capability, func(_ *layout, x *store.Index) error {
		list, found = x.Entries(), true
		return nil
	})
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", capability, err)
	}
	return list, nil
}

// Blob returns the bytes of a blob of a capability, compared with the digest.
func (r *Registry) Blob(ctx context.Context, capability string, d v1.Descriptor) ([]byte, error) {
	var data []byte
	err := r.in(ctx, capability, func(l *layout, _ *store.Index) (err error) {
		if d.MediaType == mediatype.Runtime {
			data, err = l.readShared(d)
			return err
		}
		data, err = l.Read(d, MaxEngine)
		return err
	})
	return data, err
}

// in calls look with the layout and index of a capability, if there is one.
func (r *Registry) in(ctx context.Context, capability string, look func(*layout, *store.Index) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l, x, err := r.open(capability)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Close()
	return look(l, x)
}

// eachManifest calls visit with the manifest of every release that can be read.
func (r *Registry) eachManifest(ctx context.Context, visit func(l *layout, version string, m *v1.Manifest) error) error {
	names, err := r.store.Names(ctx)
	if err != nil {
		return err
	}
	for _, id := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.manifestsOf(id, visit); err != nil {
			return err
		}
	}
	return nil
}

// manifestsOf is eachManifest for one capability. It skips everything that cannot be read.
func (r *Registry) manifestsOf(id string, visit func(l *layout, version string, m *v1.Manifest) error) error {
	l, x, err := r.open(id)
	if err != nil {
		return nil
	}
	defer l.Close()
	for _, version := range x.Versions() {
		entry, err := x.Release(version)
		if err != nil {
			continue
		}
		m, err := l.releaseManifest(entry)
		if err != nil {
			continue
		}
		if err := visit(l, version, m); err != nil {
			return err
		}
	}
	return nil
}
