package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/registry/sign"
)

// Registry is a directory of capabilities. It is safe for concurrent use, also by
// several processes: readers see each version whole or not at all, publishers take
// turns.
type Registry struct {
	dir     string
	options Options
	fault   func(step string) error // tests: what happens before a step of writing
}

// Options say how a registry is read, and by whom it is written. The zero value compares
// every engine, checks no signature and signs nothing.
type Options struct {
	Engines EngineCheck

	// Trust is the trust file by which evidence is read: a signed document counts if its
	// signature does. Reviews count only then. Nil if there is none.
	Trust *sign.Trust

	// RequireSignatures counts only what is signed by a key that counts. A release without
	// such a signature of its publisher is never served.
	RequireSignatures bool

	// Signer signs everything that is written: releases, reports, reviews and changes of
	// a release's lifecycle. Nil signs nothing.
	Signer *sign.Signer
}

// unrun are the options for reading without running anything: engines are compared later,
// or not at all.
func (o Options) unrun() Options {
	if o.Engines == EnginesNow {
		o.Engines = EnginesLater
	}
	return o
}

// policy is whose word counts.
func (o *Options) policy() policy { return policy{o.Trust, o.RequireSignatures} }

// EngineCheck says when the bytes of an engine are compared with their digest.
type EngineCheck int

// The ways to check engines, which are large.
const (
	EnginesNow     EngineCheck = iota // when a release is read
	EnginesLater                      // by whoever runs them: reading a release compares their size, see [Release.OpenEngine]
	WithoutEngines                    // never: they may be missing, because nothing is going to be run
)

// Open returns the registry in a directory, which it creates if there is none. Nil options
// are the zero ones.
func Open(dir string, o *Options) (*Registry, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open registry %s: %w", dir, err)
	}
	if err := makeDir(abs); err != nil {
		return nil, fmt.Errorf("open registry %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open registry %s: %w", dir, err)
	}
	r := &Registry{dir: abs}
	if o != nil {
		r.options = *o
	}
	return r, root.Close()
}

// Capability is what is published under one id.
type Capability struct {
	ID       string
	Current  string     // version meant when none is asked for, "" if there is none
	Releases []*Release // newest first
	Tools    []string   // tool ids that belong to it, sorted; see [Names.Give]

	// Sequence is the number of the last signed statement that counts and says which
	// version is current or where one stands, see [Lead]; 0 if there is none. Sequenced is
	// set where signatures are required: then Current follows from such statements alone.
	Sequence  uint64
	Sequenced bool

	// Problem says what is wrong beside the releases, and what to do. Releases that
	// could be read and have no Problem of their own are still what was published.
	Problem error

	led    uint64 // number of the statement by which Current is so, 0 if there is none
	unread bool   // such a statement cannot be read: Current may be another
}

// Capabilities reads and verifies everything, sorted by id. What is damaged
// carries a Problem and hides nothing else; the error is about the registry
// directory or the context.
func (r *Registry) Capabilities(ctx context.Context) ([]Capability, error) {
	var list []Capability
	err := r.each(ctx, func(root *os.Root, id string) error {
		c, err := r.capability(ctx, root, id)
		list = append(list, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read registry %s: %w", r.dir, err)
	}
	return list, nil
}

func (r *Registry) capability(ctx context.Context, root *os.Root, id string) (Capability, error) {
	c := Capability{ID: id}
	l, err := r.layout(root, id)
	if err != nil {
		c.Problem = err
		return c, nil
	}
	defer l.close()
	x, err := l.index()
	if err != nil {
		c.Problem = err
		return c, nil
	}
	about, stray := l.attachments(x)
	for _, version := range x.versions() {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		rel := l.release(x, version, about)
		rel.registry = r.dir
		c.Releases = append(c.Releases, rel)
	}
	c.Current, err = x.current()
	err = errors.Join(err, r.options.policy().lead(&c))
	if i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == c.Current }); i >= 0 && !c.Releases[i].Standing.Serves() {
		err = errors.Join(err, fmt.Errorf("current is %s, which is %s: promote another version", c.Current, c.Releases[i].Standing.State))
		c.Current = ""
	}
	if len(c.Releases) == 0 {
		err = errors.Join(err, errors.New("no version is listed here: restore index.json from a backup; if nothing was ever published, remove the directory"))
	}
	c.Problem = errors.Join(err, stray)
	return c, nil
}

// errFound ends a search.
var errFound = errors.New("found")

// FindEngine returns the release that has an engine with the digest, for any
// platform. It reads indexes and manifests, not the engines; what cannot be read is
// passed over.
func (r *Registry) FindEngine(ctx context.Context, engineDigest string) (capability, version string, found bool, err error) {
	want := digest.Digest(engineDigest)
	if _, err := blobName(want); err != nil {
		return "", "", false, fmt.Errorf("find engine: %w", err)
	}
	err = r.eachManifest(ctx, func(l *layout, v string, m *v1.Manifest) error {
		for _, d := range m.Layers {
			if d.MediaType == EngineType && d.Digest == want {
				capability, version, found = l.id, v, true
				return errFound
			}
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
	err = r.in(ctx, capability, func(_ *layout, x *index) error {
		if entries := x.tags[version]; version != CurrentTag && len(entries) > 0 {
			digest, found = entries[0].Digest.String(), true
		}
		return nil
	})
	if err != nil {
		return "", false, fmt.Errorf("find %s %s: %w", capability, version, err)
	}
	return digest, found, nil
}

// Versions lists what is published of a capability, newest first. It reads the index only.
func (r *Registry) Versions(ctx context.Context, capability string) ([]string, error) {
	var list []string
	err := r.in(ctx, capability, func(_ *layout, x *index) error {
		list = x.versions()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", capability, err)
	}
	return list, nil
}

// Release reads and verifies one published version. What is damaged is its Problem; the
// error is that there is no such version.
func (r *Registry) Release(ctx context.Context, capability, version string) (*Release, error) {
	var rel *Release
	err := r.in(ctx, capability, func(l *layout, x *index) error {
		if version == CurrentTag || len(x.tags[version]) == 0 {
			return nil
		}
		about, _ := l.attachments(x)
		rel = l.release(x, version, about)
		rel.registry = r.dir
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

// Names lists the capabilities, whether they can be read or not.
func (r *Registry) Names(ctx context.Context) ([]string, error) {
	var list []string
	err := r.each(ctx, func(_ *os.Root, id string) error {
		list = append(list, id)
		return nil
	})
	return list, err
}

// Entries returns what index.json lists of a capability. The error is fs.ErrNotExist if
// there is no such capability.
func (r *Registry) Entries(ctx context.Context, capability string) ([]v1.Descriptor, error) {
	var list []v1.Descriptor
	found := false
	err := r.in(ctx, capability, func(_ *layout, x *index) error {
		list, found = x.doc.Manifests, true
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

// Blob returns the bytes of a blob of a capability, which are those of its digest.
func (r *Registry) Blob(ctx context.Context, capability string, d v1.Descriptor) ([]byte, error) {
	var data []byte
	err := r.in(ctx, capability, func(l *layout, _ *index) (err error) {
		data, err = l.read(d, MaxEngine)
		return err
	})
	return data, err
}

// in calls look with the layout and index of a capability, if there is one.
func (r *Registry) in(ctx context.Context, capability string, look func(*layout, *index) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.HasPrefix(capability, ".") || strings.ContainsRune(capability, '/') {
		return nil // no capability has such a name
	}
	root, err := regular.Root(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	l, err := r.layout(root, capability)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.close()
	x, err := l.index()
	if err != nil {
		return err
	}
	return look(l, x)
}

// layout opens the layout of a capability, to be read with the options of the registry.
func (r *Registry) layout(root *os.Root, id string) (*layout, error) {
	l, err := openLayout(root, id)
	if err == nil {
		l.options = r.options
	}
	return l, err
}

// each calls visit with every name in the registry, sorted, but those of hidden
// files.
func (r *Registry) each(ctx context.Context, visit func(root *os.Root, id string) error) error {
	root, err := regular.Root(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(root, e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// eachManifest calls visit with the manifest of every release that can be read.
func (r *Registry) eachManifest(ctx context.Context, visit func(l *layout, version string, m *v1.Manifest) error) error {
	return r.each(ctx, func(root *os.Root, id string) error {
		l, err := r.layout(root, id)
		if err != nil {
			return nil
		}
		defer l.close()
		x, err := l.index()
		if err != nil {
			return nil
		}
		for _, version := range x.versions() {
			entry, err := x.release(version)
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
	})
}
