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

// Options of a Store. The zero value makes embedded ids only.
type Options struct {
	// Redis keeps the records of short ids. It needs version 7. Its client's retries make a
	// lost reply harmless.
	Redis redis.Client

	// File keeps the records of short ids where there is no Redis. Beside one it is only
	// read: what was frozen before there was a Redis stays.
	File *File

	Embed    bool             // give embedded ids all the same; short ones are still read
	Deadline time.Duration    // of each question to what keeps records; each kind has its own if zero
	Now      func() time.Time // time.Now
}

// backend keeps records under short ids.
type backend interface {
	// put keeps the value unless there is one already, and returns that one then. Doing it
	// again after a lost reply is harmless.
	put(ctx context.Context, id string, value []byte, expires time.Time) (former []byte, err error)

	// get returns what is kept, or ErrNotFound.
	get(ctx context.Context, id string) ([]byte, error)
}

// Store creates and finds snapshots. It is safe for concurrent use.
type Store struct {
	keys   atomic.Pointer[Keys]
	kept   []backend // the first one keeps what is new; none: embedded ids only
	embed  bool
	now    func() time.Time
	forged atomic.Uint64
}

// New returns a Store. It does not contact Redis, nor open the file; see [CheckStore] and
// [File.Check].
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
		s.kept = append(s.kept, newClient(o.Redis, o.Deadline))
	}
	if o.File != nil {
		s.kept = append(s.kept, &asked{o.File, o.Deadline})
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

// Create freezes the content. The same content gives the same short id and, while
// the first record lives, that record's bytes.
//
// Without a store, or with one that cannot be used, the id is an embedded one. If the
// content does not fit into that either, the error is ErrUnavailable and ErrTooLarge.
func (s *Store) Create(ctx context.Context, c Content) (Snapshot, error) {
	f, err := check(c, s.now())
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w", err)
	}
	if len(s.kept) == 0 || s.embed {
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

// embedded makes an embedded id. The cause is why the store was not used, nil if there is none.
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

// put keeps the record unless there is one already, and returns the one that is there then.
func (s *Store) put(ctx context.Context, f *checked) (Snapshot, error) {
	id := s.keys.Load().shortID(f)
	expires := f.created.Add(Lifetime)
	snap := Snapshot{ID: id, Body: f.appendRecord(nil, id, expires), ExpiresAt: expires, Created: true}
	former, err := s.kept[0].put(ctx, id, appendValue(nil, snap), expires)
	if err != nil {
		return Snapshot{}, err
	}
	if former == nil {
		return snap, nil
	}
	first, err := s.read(id, former)
	if err == nil && !s.now().Before(first.ExpiresAt) {
		// Redis keeps a record for up to a second longer than it says.
		return Snapshot{}, fmt.Errorf("%w: %s is about to be removed", ErrUnavailable, id)
	}
	return first, err
}

// SetKeys makes other keys sign, derive and verify, from the next call on.
func (s *Store) SetKeys(keys *Keys) { s.keys.Store(keys) }

// Keys returns the keys in force.
func (s *Store) Keys() *Keys { return s.keys.Load() }

// Forged returns how many reads failed with ErrForged.
func (s *Store) Forged() uint64 { return s.forged.Load() }

// Get returns the snapshot with the id. The error is ErrNotFound, ErrUnavailable,
// ErrCorrupt or ErrForged. Embedded ids need no store.
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
	for _, b := range s.kept {
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
