package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// Options are options of [New]. With the zero value, a store makes only embedded ids.
type Options struct {
	// Redis stores the records of short ids. It must be version 7 or later. Its client tries
	// requests again, which is safe after a lost reply.
	Redis redis.Client

	// File stores the records of short ids if there is no Redis. If there is one, File is only
	// read: its older snapshots stay available.
	File *File

	Embed    bool             // make embedded ids although a store is configured; short ids are still read
	Deadline time.Duration    // of each request to a backend; each backend has its own default if zero
	Now      func() time.Time // time.Now
}

// backend stores records under short ids.
type backend interface {
	// put stores the value, unless the id has one already; put returns that former value. Calling
	// put again after a lost reply is safe.
	put(ctx context.Context, id string, value []byte, expires time.Time) (former []byte, err error)

	// get returns the value, or ErrNotFound.
	get(ctx context.Context, id string) ([]byte, error)
}

// Store creates and reads snapshots. It is safe for concurrent use.
type Store struct {
	keys     atomic.Pointer[Keys]
	backends []backend // new records go to the first backend; none: only embedded ids
	embed    bool
	now      func() time.Time
	forged   atomic.Uint64
}

// New returns a Store. It does not connect to Redis, and does not open the file; see [CheckStore]
// and [File.Check].
func New(keys *Keys, o *Options) (*Store, error) {
	s := &Store{now: time.Now}
	s.keys.Store(keys)
	if o == nil {
		return s, nil
	}
	s.embed = o.Embed
	if o.Now != nil {
		s.now = o.Now
	}
	if o.Redis != nil {
		s.backends = append(s.backends, newClient(o.Redis, o.Deadline))
	}
	if o.File != nil {
		s.backends = append(s.backends, &backendFile{o.File, o.Deadline})
	}
	return s, nil
}

// Open returns a Store that makes embedded ids, with the keys of the directory and of the
// configuration; see [LoadKeys].
func Open(dir string, configured ...string) (*Store, error) {
	keys, err := LoadKeys(dir, configured...)
	if err != nil {
		return nil, err
	}
	return New(keys, nil)
}

// Create creates a snapshot of the content. The same content has the same short id. While the first
// record lives, Create returns the bytes of that record.
//
// If there is no store, or the store fails, the id is embedded. If the content does not fit into an
// embedded id, the error is ErrUnavailable and ErrTooLarge.
func (s *Store) Create(ctx context.Context, c Content) (Snapshot, error) {
	f, err := check(c, s.now())
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w", err)
	}
	if len(s.backends) == 0 || s.embed {
		return s.embedded(f, nil)
	}
	snap, err := s.put(ctx, f)
	if errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
		return s.embedded(f, err)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w", err)
	}
	return snap, nil
}

// embedded makes an embedded id. If a store failed, cause is its error; otherwise nil.
func (s *Store) embedded(f *checked, cause error) (Snapshot, error) {
	id, err := encodeEmbedded(f, s.keys.Load().signing(f.created))
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w: %w", ErrUnavailable, errors.Join(cause, err))
	}
	return Snapshot{
		ID: id, Body: f.appendRecord(nil, id, time.Time{}),
		Created: true, Fallback: cause != nil, Cause: cause, checked: f,
	}, nil
}

// put stores the record, unless the id has one already. In that case it returns the existing
// record.
func (s *Store) put(ctx context.Context, f *checked) (Snapshot, error) {
	id := s.keys.Load().shortID(f)
	expires := f.created.Add(Lifetime)
	snap := Snapshot{ID: id, Body: f.appendRecord(nil, id, expires), ExpiresAt: expires, Created: true}
	former, err := s.backends[0].put(ctx, id, appendValue(nil, snap), expires)
	if err != nil {
		return Snapshot{}, err
	}
	if former == nil {
		return snap, nil
	}
	first, err := s.read(id, former)
	if err == nil && !s.now().Before(first.ExpiresAt) {
		// Redis can keep a record up to a second longer than its expiry time.
		return Snapshot{}, fmt.Errorf("%w: %s is about to be removed", ErrUnavailable, id)
	}
	return first, err
}

// SetKeys replaces the keys that sign, derive and verify, from the next call on.
func (s *Store) SetKeys(keys *Keys) { s.keys.Store(keys) }

// Keys returns the current keys.
func (s *Store) Keys() *Keys { return s.keys.Load() }

// Forged returns the number of reads that failed with ErrForged.
func (s *Store) Forged() uint64 { return s.forged.Load() }

// Get returns the snapshot with the id. The error is ErrNotFound, ErrUnavailable, ErrCorrupt or
// ErrForged. Embedded ids need no store.
func (s *Store) Get(ctx context.Context, id string) (Snapshot, error) {
	if strings.HasPrefix(id, embeddedPrefix) {
		f, err := decodeEmbedded(id, s.keys.Load())
		if err != nil {
			return Snapshot{}, err
		}
		return Snapshot{ID: id, Body: f.appendRecord(nil, id, time.Time{})}, nil
	}
	if !isShort(id) {
		return Snapshot{}, ErrNotFound
	}
	for _, b := range s.backends {
		snap, err := s.get(ctx, b, id)
		if !errors.Is(err, ErrNotFound) {
			return snap, err
		}
	}
	return Snapshot{}, ErrNotFound
}

func (s *Store) get(ctx context.Context, from backend, id string) (Snapshot, error) {
	value, err := from.get(ctx, id)
	if err != nil {
		return Snapshot{}, err
	}
	snap, err := s.read(id, value)
	if err == nil && !s.now().Before(snap.ExpiresAt) {
		return Snapshot{}, ErrNotFound
	}
	return snap, err
}
