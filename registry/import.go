package registry

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/sdk"
)

// Import adds everything in a file of [Registry.Export] that is not here yet, with all engines in the
// file. It executes nothing, and compares every byte with its digest. A version with other bytes
// than here is refused, and so is a tool id of another capability. The current version of a capability
// changes only to a newer one.
//
// Refused has the reasons by capability; the rest of such a capability is imported. The error means
// that the file cannot be read, or that nothing more could be written.
//
// Changed is called after each capability to which something was added, unless it is nil.
//
// A registry that was empty also gets the log in the file. Otherwise the log here has an entry for each
// addition, as with [Registry.Publish].
func (r *Registry) Import(ctx context.Context, file *zip.Reader, changed func(capability string) error) (added Transferred, refused map[string]error, err error) {
	in := &importing{registry: r, changed: changed, files: map[string]*zip.File{}, refused: map[string]error{}}
	if err := in.all(ctx, file); err != nil {
		return in.count, in.refused, fmt.Errorf("import into registry %s: %w", r.store.Dir(), err)
	}
	return in.count, in.refused, nil
}

type importing struct {
	registry *Registry
	changed  func(capability string) error
	files    map[string]*zip.File // by name
	tools    map[string]string    // capability that has a tool id first, by tool id
	refused  map[string]error
	count    Transferred
}

func (in *importing) all(ctx context.Context, file *zip.Reader) error {
	var names []string
	for _, f := range file.File {
		if in.files[f.Name] != nil {
			return fmt.Errorf("the file has %.200q twice: export it again", f.Name)
		}
		in.files[f.Name] = f
		if dir, base := path.Split(f.Name); base == v1.ImageIndexFile && sdk.IsCapability(path.Clean(dir)) {
			names = append(names, path.Clean(dir))
		}
	}
	if len(names) == 0 {
		return errors.New("the file has no capability: slipstick mirror export makes such files")
	}
	log, rotations, err := in.log()
	if err != nil {
		return fmt.Errorf("the log in the file: %w", err)
	}
	w, err := in.registry.store.Lock(ctx) // so that no one publishes at the same time
	if err != nil {
		return err
	}
	defer w.Close()
	was, err := in.registry.readLogFirst()
	if err != nil {
		return err
	}
	here, err := in.registry.Names(ctx)
	if err != nil {
		return err
	}
	in.tools, err = in.registry.toolOwners(ctx)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, id := range names {
		if err := in.capability(ctx, id); err != nil {
			return err
		}
	}
	if len(here) == 0 && was == nil && log != nil {
		return in.registry.PutLog(ctx, log, rotations)
	}
	return in.registry.logged(ctx, w, was)
}

// accept refuses the tool id of another capability.
func (in *importing) accept(s *sdk.Spec) error {
	if in.tools[s.Tool] == "" {
		in.tools[s.Tool] = s.Capability
	}
	if owner := in.tools[s.Tool]; owner != s.Capability {
		return fmt.Errorf("the tool id %s belongs to %s here: import the file into another registry", s.Tool, owner)
	}
	return nil
}

// capability imports a capability.
func (in *importing) capability(ctx context.Context, id string) error {
	before, err := in.registry.Entries(ctx, id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data, err := in.read(path.Join(id, v1.ImageIndexFile), store.MaxJSON)
	if err != nil {
		return err
	}
	offered, err := store.ParseIndex(data)
	if err == nil {
		err = offered.Check()
	}
	if err != nil {
		in.refused[id] = err
		return nil
	}
	damage, err := in.registry.Mirror(ctx, id, &Offer{
		Entries: offered.Entries(), Addition: true, Accept: in.accept,
		Fetch: func(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) {
			dir := id
			if d.MediaType == mediatype.Runtime {
				dir = store.Shared
			}
			from, err := in.open(blobIn(dir, d.Digest))
			if absentElsewhere(d, err) {
				in.count.LeftOut++
			}
			return from, err
		},
	})
	if err != nil {
		return err
	}
	if damage != nil {
		in.refused[id] = damage
	}
	after, err := in.registry.Entries(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return in.add(id, before, after)
}

// add counts what is new in a capability.
func (in *importing) add(id string, before, after []v1.Descriptor) error {
	was, err := store.IndexOf(before)
	if err != nil {
		return err
	}
	is, err := store.IndexOf(after)
	if err != nil {
		return err
	}
	versions, records := len(is.Versions())-len(was.Versions()), len(is.Untagged())-len(was.Untagged())
	if versions+records == 0 {
		return nil
	}
	in.count.add(id)
	in.count.Versions += versions
	in.count.Records += records
	if in.changed == nil {
		return nil
	}
	return in.changed(id)
}

// log returns the log in the file, compared with its checkpoint, or nil if there is none.
func (in *importing) log() (l *transparency.Log, rotations []byte, err error) {
	note, err := in.read(path.Join(logDir, transparency.CheckpointFile), transparency.MaxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	rotations, err = in.read(path.Join(logDir, transparency.RotationsFile), sign.MaxRotations)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	c, err := transparency.ParseCheckpoint(note)
	if err != nil {
		return nil, nil, err
	}
	l, err = transparency.Assemble(c, nil, func(bundle string) ([]byte, error) {
		return in.read(path.Join(logDir, bundle), transparency.MaxBundle)
	})
	return l, rotations, err
}

// read returns a file of at most limit bytes.
func (in *importing) read(name string, limit int64) ([]byte, error) {
	from, err := in.open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than the %d bytes that are read", name, limit)
	}
	return data, errors.Join(err, from.Close())
}

// open opens a file. The caller bounds what it reads.
func (in *importing) open(name string) (io.ReadCloser, error) {
	f := in.files[name]
	if f == nil {
		return nil, fmt.Errorf("the file lacks %s: %w", name, fs.ErrNotExist)
	}
	return f.Open()
}
