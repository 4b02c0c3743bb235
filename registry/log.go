package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/sdk/document"
)

// logDir has the transparency log of the registry, see package transparency. The name is
// hidden, so listings of capabilities do not contain it.
const logDir = ".log"

// ErrNoLog reports a registry without a transparency log, where one is required.
var ErrNoLog = errors.New("the registry has no log: slipstick log init makes one")

// Log reads the transparency log of the registry; it is nil if there is none. Was is the
// result of an earlier read, or nil; Log then reads only newer entries. The error may be a
// [*transparency.Fault].
func (r *Registry) Log(was *transparency.Log) (*transparency.Log, error) {
	l, err := transparency.Read(filepath.Join(r.store.Dir(), logDir), was)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return l, err
}

// Endorsement returns who signed the checkpoint of the log, by the trust file of the registry.
// The error explains why the signature does not count, or is not enough. Without a trust file
// there is no error. A nil log is an error if the trust file demands a log.
func (r *Registry) Endorsement(l *transparency.Log) (sign.Endorsement, error) {
	trust := r.options.Trust
	switch {
	case trust == nil:
		return sign.Endorsement{}, nil
	case l == nil && trust.Log() != nil:
		return sign.Endorsement{}, fmt.Errorf("the trust file demands a log: %w", ErrNoLog)
	case l == nil:
		return sign.Endorsement{}, nil
	}
	rotations, err := r.LogRotations()
	if err != nil {
		return sign.Endorsement{}, err
	}
	of := map[string]bool{}
	for _, e := range l.Entries() {
		of[e.Capability] = true
	}
	c := l.Checkpoint()
	return trust.CheckNote(&sign.Note{
		Name: c.Origin, Text: c.Text(), Signatures: c.Signatures(), Signed: c.Signed,
		Capabilities: slices.Sorted(maps.Keys(of)), Rotations: rotations,
	}, r.options.RequireSignatures, r.now())
}

// LogRotations returns the rotations that lead to the key of the checkpoint, or nil if the key
// needs none.
func (r *Registry) LogRotations() ([]byte, error) {
	data, err := regular.Read(filepath.Join(r.store.Dir(), logDir, transparency.RotationsFile), sign.MaxRotations)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// PutLog replaces the log of a mirror by a newer copy of the mirrored log.
func (r *Registry) PutLog(ctx context.Context, l *transparency.Log, rotations []byte) error {
	w, err := r.store.LockOne(ctx, logDir)
	if err != nil {
		return err
	}
	defer w.Close()
	if rotations != nil {
		if err := w.Keep(path.Join(logDir, transparency.RotationsFile), rotations); err != nil {
			return err
		}
	}
	was, _ := r.Log(nil)
	if was == nil || l.Continues(was.Checkpoint()) != nil {
		was, err = transparency.New(l.Checkpoint().Origin)
		if err != nil {
			return err
		}
	}
	return keepLog(w, was, l)
}

// Cosign adds the signature of a witness to the checkpoint of the log, unless it has one
// already. First it calls remember. Remember refuses a log that contradicts an earlier
// checkpoint that the witness saw, and stores the checkpoint.
func (r *Registry) Cosign(ctx context.Context, by *sign.Signer, remember func(*transparency.Log) error) (*transparency.Log, error) {
	w, err := r.store.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	l, err := r.Log(nil)
	if err == nil && l == nil {
		err = ErrNoLog
	}
	if err == nil {
		_, err = r.Endorsement(l)
		if errors.Is(err, sign.ErrWitnesses) {
			err = nil // the log is about to become a copy
		}
	}
	if err == nil {
		err = remember(l)
	}
	if err != nil {
		return nil, err
	}
	c := *l.Checkpoint()
	if by.HasCosigned(c.Signatures()) {
		return l, nil
	}
	line, err := by.Cosign(c.Text(), r.now())
	if err != nil {
		return nil, err
	}
	next := l.Signed(c.With(line))
	return next, keepLog(w, l, next)
}

func (r *Registry) now() time.Time {
	if r.options.Now != nil {
		return r.options.Now()
	}
	return time.Now()
}

// LogUpdate has the options of [Registry.UpdateLog]. The zero value is usable.
type LogUpdate struct {
	// Create makes the log if there is none.
	Create bool

	// Valid is the time until the checkpoint expires; a newer one must follow before that. If
	// it is 0, the time of the previous checkpoint applies. It needs a signer.
	Valid time.Duration

	// Removed are capabilities, or versions as CAPABILITY@VERSION, that were removed on
	// purpose. The registry must not have them any more.
	Removed []string
}

// UpdateLog logs every change of the registry that is not in its log yet, and signs the
// checkpoint with Options.Signer. Writers log their own changes. So use UpdateLog for changes
// by other writers, and for a checkpoint that is about to expire. Added is the number of new
// entries.
func (r *Registry) UpdateLog(ctx context.Context, o *LogUpdate) (l *transparency.Log, added int, err error) {
	if o == nil {
		o = new(LogUpdate)
	}
	l, added, err = r.updateLog(ctx, o)
	if err != nil {
		return nil, 0, fmt.Errorf("log of %s: %w", r.store.Dir(), err)
	}
	return l, added, nil
}

func (r *Registry) updateLog(ctx context.Context, o *LogUpdate) (*transparency.Log, int, error) {
	w, err := r.store.Lock(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	was, err := r.Log(nil)
	switch {
	case err != nil:
		return nil, 0, err
	case was == nil && !o.Create:
		return nil, 0, ErrNoLog
	case was == nil:
		was, err = transparency.New(transparency.NewOrigin())
		if err != nil {
			return nil, 0, err
		}
	case o.Create:
		return nil, 0, fmt.Errorf("there is one already, %s: slipstick log update brings it up to date", was.Checkpoint().Origin)
	}
	if was.Checkpoint().IsSigned() && r.options.Signer == nil {
		return nil, 0, errors.New("its checkpoint is signed, and so must be the next one: give the key")
	}
	if o.Valid != 0 && r.options.Signer == nil {
		return nil, 0, errors.New("a checkpoint that expires is one that is signed: give the key")
	}
	pending, err := r.unlogged(ctx, was)
	if err != nil {
		return nil, 0, err
	}
	removed, err := r.removals(ctx, was, o.Removed)
	if err != nil {
		return nil, 0, err
	}
	pending = append(pending, removed...)
	next, err := r.extend(w, was, pending, r.options.Signer, o.Valid)
	return next, len(pending), err
}

// removals returns entries for everything that was removed on purpose.
func (r *Registry) removals(ctx context.Context, l *transparency.Log, names []string) (list []transparency.Entry, err error) {
	logged := LoggedIn(l)
	for _, name := range names {
		id, version := name, ""
		if at := slices.Index([]byte(name), '@'); at >= 0 {
			id, version = name[:at], name[at+1:]
		}
		held := logged.holding(id, nil)
		if _, logged := held.versions[version]; !logged && (version != "" || len(held.versions) == 0) {
			return nil, fmt.Errorf("%.200s is not in the log", name)
		}
		here, err := r.Versions(ctx, id)
		if err == nil && (version == "" && len(here) > 0 || slices.Contains(here, version)) {
			err = fmt.Errorf("%.200s is still in the registry", name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, transparency.Entry{Kind: transparency.Removed, Capability: id, Version: version})
	}
	return list, nil
}

// readLogFirst reads the log before a writer changes the registry, so that nothing is added to
// a registry with a damaged log. The result is nil if there is no log, or if another party
// keeps it.
func (r *Registry) readLogFirst() (*transparency.Log, error) {
	l, err := r.Log(nil)
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	if l == nil {
		return nil, nil
	}
	if c := l.Checkpoint(); c.IsSigned() && (r.options.Signer == nil || !r.options.Signer.Keeps(c.Origin, c.Signatures())) {
		return nil, nil
	}
	return l, nil
}

// logged logs the changes since the log was read, and changes by a writer that crashed before
// it could log them. The log may be nil.
func (r *Registry) logged(ctx context.Context, w *store.Writer, was *transparency.Log) error {
	if was == nil {
		return nil
	}
	pending, err := r.unlogged(ctx, was)
	if err == nil && len(pending) > 0 {
		by := r.options.Signer
		if !was.Checkpoint().IsSigned() { // the signer of the change may be another party than the keeper of the log
			by = nil
		}
		_, err = r.extend(w, was, pending, by, 0)
	}
	if err != nil {
		return fmt.Errorf("it is in the registry, and not in its log yet: slipstick log update adds it: %w", err)
	}
	return nil
}

// extend writes the log with further entries and a new checkpoint. It signs the checkpoint
// unless by is nil.
func (r *Registry) extend(w *store.Writer, was *transparency.Log, entries []transparency.Entry, by *sign.Signer, valid time.Duration) (*transparency.Log, error) {
	now := r.now()
	next, err := was.Append(now, entries)
	if err != nil {
		return nil, err
	}
	if by != nil {
		if rotations := by.Rotations(); rotations != nil {
			if err := w.Keep(path.Join(logDir, transparency.RotationsFile), rotations); err != nil {
				return nil, err
			}
		}
		c := *next.Checkpoint()
		c.Signed = now.UTC().Truncate(time.Second)
		valid = cmp.Or(valid, was.Checkpoint().Valid())
		if valid > 0 {
			c.Until = c.Signed.Add(valid).Truncate(time.Second)
		}
		line, err := by.SignNote(c.Origin, c.Text())
		if err != nil {
			return nil, err
		}
		next = next.Signed(c.With(line))
	}
	return next, keepLog(w, was, next)
}

// keepLog replaces the log on disk by its next state.
func keepLog(w *store.Writer, was, next *transparency.Log) error {
	size := was.Checkpoint().Size
	files, err := next.Files(size)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := w.Keep(path.Join(logDir, f.Name), f.Data); err != nil {
			return err
		}
	}
	for _, name := range next.Outdated(size) {
		if err := w.Remove(path.Join(logDir, name)); err != nil {
			return err
		}
	}
	return nil
}

// unlogged returns entries for changes of the registry that its log does not have. A
// capability that cannot be read gets none, because the log must not prevent its repair.
func (r *Registry) unlogged(ctx context.Context, was *transparency.Log) (list []transparency.Entry, err error) {
	names, err := r.store.Names(ctx)
	if err != nil {
		return nil, err
	}
	logged := LoggedIn(was)
	for _, id := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, x, err := r.open(id)
		if err != nil {
			continue
		}
		list = append(list, l.unlogged(x, logged)...)
		l.Close()
	}
	return list, nil
}

// unlogged returns entries for everything that the index of a capability lists and the log
// does not have.
func (l *layout) unlogged(x *store.Index, logged *Logged) (list []transparency.Entry) {
	held := logged.holding(l.ID(), nil)
	released := x.Versions()
	slices.Reverse(released) // the oldest first
	for _, version := range released {
		entry, err := x.Release(version)
		if err != nil || held.versions[version].release == entry.Digest.String() {
			continue
		}
		list = append(list, transparency.Entry{
			Kind: transparency.Published, Capability: l.ID(), Version: version, Release: entry.Digest.String(), Tool: l.toolOf(entry),
		})
	}
	var statements []transparency.Entry
	for _, d := range x.Untagged() {
		if !held.statements[d.Digest.String()] {
			if e, ok := l.statement(x, d); ok {
				statements = append(statements, e)
			}
		}
	}
	// Remote registries list statements in any order; numbered statements have an order.
	slices.SortStableFunc(statements, func(a, b transparency.Entry) int { return cmp.Compare(a.Sequence, b.Sequence) })
	list = append(list, statements...)
	for i := range list {
		held.take(&list[i])
	}
	if current, err := x.Current(); err == nil && current != held.current {
		e := transparency.Entry{Kind: transparency.Current, Capability: l.ID(), Version: current}
		if entry, err := x.Release(current); err == nil {
			e.Release = entry.Digest.String()
		}
		list = append(list, e)
	}
	return list
}

// toolOf returns the tool id that a release names, or "" if that cannot be read.
func (l *layout) toolOf(entry v1.Descriptor) string {
	m, err := l.releaseManifest(entry)
	if err != nil {
		return ""
	}
	_, s, err := l.spec(m, document.ParseSpec)
	if err != nil {
		return ""
	}
	return s.Tool
}

// entryKinds are the kinds of entries, by kinds of statements.
var entryKinds = map[sign.Kind]transparency.Kind{
	sign.Release: transparency.Signature, sign.Report: transparency.Report, sign.Review: transparency.Review,
	sign.Lifecycle: transparency.Status, sign.Current: transparency.Current,
}

// statement returns the entry for a statement, if the statement can be read.
func (l *layout) statement(x *store.Index, d v1.Descriptor) (transparency.Entry, bool) {
	m, err := l.Manifest(d)
	if err != nil || m.Subject == nil {
		return transparency.Entry{}, false
	}
	kind, ours := kindOf(m.ArtifactType)
	about := x.VersionsOf(m.Subject.Digest)
	if !ours || len(about) != 1 {
		return transparency.Entry{}, false
	}
	a := evidence.Attachment{Kind: kind, Digest: d.Digest}
	if err := l.unpack(&a, m); err != nil {
		return transparency.Entry{}, false
	}
	read, err := evidence.Read(&a)
	if err != nil && (kind == sign.Lifecycle || kind == sign.Current) {
		return transparency.Entry{}, false // it states nothing
	}
	e := transparency.Entry{
		Kind: entryKinds[kind], Capability: l.ID(), Version: about[0],
		Release: m.Subject.Digest.String(), Statement: d.Digest.String(), Sequence: read.Sequence(),
	}
	if read.Lifecycle != nil {
		e.State = string(read.Lifecycle.State)
	}
	return e, true
}
