package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// How long a Store waits for Redis. Whoever makes a snapshot gets an embedded id instead; whoever
// reads a short id has no other way.
const (
	putDeadline = 250 * time.Millisecond
	getDeadline = time.Second
)

// Options of a Store. The zero value makes embedded ids only.
type Options struct {
	// Redis keeps the records of short ids. It needs version 7, ContextTimeoutEnabled,
	// and no reading from replicas. Its retries make a lost reply harmless.
	Redis    redis.UniversalClient
	Deadline time.Duration    // of each question to Redis; 250 ms to make a snapshot, and 1 s to read one
	Now      func() time.Time // time.Now
}

// Store creates and finds snapshots. It is safe for concurrent use.
type Store struct {
	keys   atomic.Pointer[Keys]
	redis  redis.UniversalClient // nil: embedded ids only
	toPut  time.Duration         // deadline
	toGet  time.Duration         // deadline
	now    func() time.Time
	forged atomic.Uint64
}

// New returns a Store. It does not contact Redis; see [CheckStore].
func New(keys *Keys, o *Options) (*Store, error) {
	s := &Store{toPut: putDeadline, toGet: getDeadline, now: time.Now}
	s.keys.Store(keys)
	if o == nil {
		return s, nil
	}
	if o.Now != nil {
		s.now = o.Now
	}
	if o.Deadline > 0 {
		s.toPut, s.toGet = o.Deadline, o.Deadline
	}
	if o.Redis != nil {
		if err := checkClient(o.Redis); err != nil {
			return nil, err
		}
		s.redis = o.Redis
	}
	return s, nil
}

// Open returns a Store without Redis, with the keys of the directory and of the
// configuration; see [LoadKeys].
func Open(dir string, configured ...string) (*Store, error) {
	keys, err := LoadKeys(dir, configured...)
	if err != nil {
		return nil, err
	}
	return New(keys, nil)
}

// checkClient refuses clients that would break what a Store promises: the deadline,
// and that a snapshot is not reported missing while it exists.
func checkClient(client redis.UniversalClient) error {
	var bounded, replicas bool
	switch c := client.(type) {
	case *redis.Client:
		bounded = c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		o := c.Options()
		bounded, replicas = o.ContextTimeoutEnabled, o.ReadOnly || o.RouteByLatency || o.RouteRandomly
	default:
		return fmt.Errorf("a %T does not do as snapshot store: use a client, a failover client or a cluster client", client)
	}
	switch {
	case !bounded:
		return errors.New("the snapshot store's client needs ContextTimeoutEnabled")
	case replicas:
		return errors.New("the snapshot store's client must not read from replicas, which lag behind")
	}
	return nil
}

// Create freezes the content. The same content gives the same short id and, while
// the first record lives, that record's bytes.
//
// Without a store, or with one that cannot be used, the id is an embedded one. If the
// content does not fit into that either, the error is ErrUnavailable and ErrTooLarge.
func (s *Store) Create(ctx context.Context, c Content) (Snapshot, error) {
	f, err := freeze(c, s.now())
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w", err)
	}
	if s.redis == nil {
		return s.embed(f, nil)
	}
	snap, err := s.put(ctx, f)
	if errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
		return s.embed(f, err)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w", err)
	}
	return snap, nil
}

// embed makes an embedded id. The cause is why the store was not used, nil if there is none.
func (s *Store) embed(f *frozen, cause error) (Snapshot, error) {
	id, err := encodeEmbedded(f, s.keys.Load().signing(s.now()))
	if err != nil {
		return Snapshot{}, fmt.Errorf("create snapshot: %w: %w", ErrUnavailable, errors.Join(cause, err))
	}
	return Snapshot{
		ID: id, Body: f.appendRecord(nil, id, time.Time{}),
		Created: true, Fallback: cause != nil, Cause: cause, frozen: f,
	}, nil
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
	switch {
	case strings.HasPrefix(id, embeddedPrefix):
		f, err := decodeEmbedded(id, s.keys.Load())
		if err != nil {
			return Snapshot{}, err
		}
		return Snapshot{ID: id, Body: f.appendRecord(nil, id, time.Time{})}, nil
	case s.redis != nil && isShort(id):
		return s.get(ctx, id)
	}
	return Snapshot{}, ErrNotFound
}
