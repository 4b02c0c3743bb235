// Package source reads the releases that a server serves from a registry in a directory or from a remote
// registry. [Open] and [Source.First] read the registry for a start, and [Follow] applies its changes to
// the running server. The trust-on-first-use store of a [Source] detects releases that were changed or
// removed later. A lock file and the [Guard] of the transparency log restrict what the server serves.
package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/registry/remote"
)

// Options determine which releases a server serves.
type Options struct {
	Place
	Data       string  // data directory of the server, with the trust-on-first-use store
	Lock       string  // lock file: serve these versions and no others; "" for all
	Checkpoint string  // file with a checkpoint that the transparency log must continue; "" for none
	Agreed     Digests // the digests of all servers of a service; nil for a single server
	Log        *slog.Logger
}

// Source is a registry that a server reads repeatedly, with its trust-on-first-use store and the releases
// that the server can serve.
type Source struct {
	address  string
	remote   *remote.Registry // nil for a directory
	follower *registry.Follower
	commitments
	whole   []registry.Capability // at the last look, without the restriction by the lock file
	served  []registry.Capability // the part of whole that the lock file allows
	log     *slog.Logger
	damage  string    // damage of the remote registry at the last look
	unsaved bool      // the trust-on-first-use store could not be written
	stored  time.Time // last time at which the trust-on-first-use store was complete on disk
}

// commitments prevent a registry from changing or removing published releases.
type commitments struct {
	memory *registry.Memory
	names  *registry.Names
	guard  *Guard
	lock   *lockfile.File // nil if all versions are served
	agreed Digests        // nil for a single server
}

// Open opens the registry that a server serves. It does not read the registry; [Source.First] does.
func Open(o *Options) (*Source, error) {
	s := &Source{address: o.Registry, log: o.Log}
	s.agreed = o.Agreed
	var err error
	if o.Lock != "" {
		s.lock, err = lockfile.Read(o.Lock)
		if err != nil {
			return nil, &SettingError{err}
		}
	}
	reg, err := s.open(&o.Place)
	if err != nil {
		return nil, err
	}
	s.follower = reg.Follow()
	s.memory, err = registry.OpenMemory(memoryOf(o.Data, s.address, ".json"))
	if err != nil {
		return nil, err
	}
	s.guard, err = newGuard(reg, memoryOf(o.Data, s.address, logMemory), o.Trust, s.log)
	if err != nil {
		return nil, err
	}
	s.names, err = registry.OpenNames(memoryOf(o.Data, s.address, ".tools.json"))
	s.follower.AllowRemoval(s.mayRemove)
	return s, err
}

// logMemory is the extension of the file with the checkpoint that was accepted last.
const logMemory = ".checkpoint"

// open opens the directory of the registry, or the mirror of a remote registry.
func (s *Source) open(p *Place) (reg *registry.Registry, err error) {
	if remote.IsAddress(p.Registry) {
		s.remote, err = p.remote(true)
		if err != nil {
			return nil, err
		}
		return s.remote.Mirror(), nil
	}
	s.address, err = filepath.Abs(p.Registry)
	if err != nil {
		return nil, err
	}
	return Directory(p.Registry, p.Trust)
}

// First reads the registry before a server serves it. The registry must have all locked versions, and its
// transparency log must be accepted. If a remote registry cannot be read, First returns the content of its
// mirror, unless that is empty. Then down is the reason.
func (s *Source) First(ctx context.Context, o *Options) (list []registry.Capability, down error, err error) {
	list, down, err = s.first(ctx)
	if err != nil {
		return nil, nil, err
	}
	return list, down, s.guard.accept(o.Checkpoint)
}

// Guard returns the [Guard] of the registry's transparency log.
func (s *Source) Guard() *Guard { return s.guard }

// Reload opens the registry, the trust file and the lock file again, and makes the first look. It does not
// change the releases that s serves. The returned Source continues with the trust-on-first-use store of
// s, because the store on disk can be incomplete.
func (s *Source) Reload(ctx context.Context, o *Options) (next *Source, list []registry.Capability, down error, err error) {
	next, err = Open(o)
	if err != nil {
		return nil, nil, nil, err
	}
	next.memory = s.memory
	list, down, err = next.First(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	s.guard.replace(next.guard)
	next.guard = s.guard // the metrics observe this Guard
	return next, list, down, nil
}

func (s *Source) first(ctx context.Context) (list []registry.Capability, down error, err error) {
	list, _, down = s.look(ctx, 0)
	if down != nil {
		list, err = s.mirrored(ctx, list, down)
		if err != nil {
			return nil, nil, err
		}
	}
	if s.lock == nil {
		return list, down, nil
	}
	if missing := s.lock.Missing(list); len(missing) > 0 {
		return nil, nil, &LockError{missing}
	}
	for _, withdrawn := range s.lock.Withdrawn(list) {
		s.log.Warn("a version in the lock file was withdrawn; lock another version", "release", withdrawn.String())
	}
	return list, down, nil
}

// mirrored returns the content of the mirror of a registry that cannot be read.
func (s *Source) mirrored(ctx context.Context, list []registry.Capability, down error) (_ []registry.Capability, err error) {
	if s.remote == nil || ctx.Err() != nil {
		return nil, down
	}
	if list == nil {
		list, _, err = s.read(ctx, nil, 0)
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%w; and its mirror is empty", down)
	}
	if err != nil {
		return nil, err
	}
	s.log.Error("the server cannot read the registry; its mirror is served", "registry", s.address, "error", down)
	return list, nil
}

// lookWait is how long a look of a running server waits for a slow registry. The look returns the data
// that has arrived by then, and the next look returns the rest.
const lookWait = 250 * time.Millisecond

// look returns the capabilities that can be served, and reports whether they have changed since the last
// look. It waits at most for the given time, or with zero until everything is read. The error means that
// the registry cannot be read. If some of its repositories could be read, look also returns a list.
func (s *Source) look(ctx context.Context, wait time.Duration) (list []registry.Capability, changed bool, err error) {
	if s.remote == nil {
		return s.read(ctx, nil, wait)
	}
	var damage map[string]error
	if wait == 0 {
		damage, err = s.remote.Sync(ctx)
	} else {
		damage, err = s.remote.SyncFor(ctx, wait)
	}
	if damage == nil {
		return nil, false, err
	}
	if err := s.dropToolConflicts(ctx, damage); err != nil {
		return nil, false, err
	}
	list, changed, failed := s.read(ctx, damage, wait)
	return list, changed, errors.Join(err, failed)
}

// lastRead returns the times of the last listing, of the oldest unfinished reading, and of the last
// complete trust-on-first-use store.
func (s *Source) lastRead() (l readTimes) {
	l.list, l.oldest, l.stored = s.follower.Listed(), s.follower.ReadingSince(), s.stored
	if s.remote != nil {
		l.list = s.remote.Listed()
		if since := s.remote.ReadingSince(); l.oldest.IsZero() || !since.IsZero() && since.Before(l.oldest) {
			l.oldest = since
		}
	}
	if l.oldest.IsZero() {
		l.oldest = l.list
	}
	l.unsaved = s.unsaved
	return l
}

// read reads the directory, or the mirror of a registry with this damage.
func (s *Source) read(ctx context.Context, damage map[string]error, wait time.Duration) ([]registry.Capability, bool, error) {
	// The log is read before the capabilities, so it has no entry of a release that they lack.
	at := time.Now()
	if s.remote != nil {
		at = s.remote.Logged()
	}
	if err := s.guard.renew(at); err != nil && s.served != nil {
		return s.served, false, nil
	}
	look := s.follower.Look
	if wait > 0 {
		look = func(ctx context.Context) ([]registry.Capability, bool, error) { return s.follower.LookFor(ctx, wait) }
	}
	list, changed, err := look(ctx)
	if err != nil {
		return nil, false, err
	}
	if text := damageText(damage); text != s.damage {
		s.damage, changed = text, true
	}
	if !changed && s.settled() {
		s.stored = time.Now()
		return s.served, false, nil
	}
	list = withDamage(slices.Clone(list), damage)
	forgotten := s.forgetToolConflicts(list)
	if s.agreed != nil { // before the memory, which must not store refused releases
		list = s.agreed.Vet(ctx, list)
	}
	list, err = s.memory.Check(list)
	s.guard.adoptNames(s.names)
	list, unnamed := s.names.Assign(list)
	err = errors.Join(forgotten, err, unnamed, s.guard.save())
	if err != nil && !s.unsaved {
		s.log.Error("the server cannot write the trust-on-first-use store; after a restart, it could not detect changed releases", "error", err)
	}
	list, fresh := s.guard.apply(list)
	if s.agreed != nil && refusals(list) != refusals(s.whole) {
		fresh = true
	}
	s.unsaved, s.whole, changed = err != nil, list, changed || fresh
	if err == nil {
		s.stored = time.Now()
	}
	if s.lock != nil {
		list = s.lock.Apply(list)
	}
	s.served = list
	return list, changed, nil
}

// settled reports whether a look at the unchanged registry would have the same result as the last look.
func (s *Source) settled() bool {
	return s.served != nil && !s.unsaved && !s.guard.isFresh() && (s.agreed == nil || !s.agreed.Fresh())
}

// damageText returns the damage as a text, for comparison.
func damageText(damage map[string]error) string {
	var lines []string
	for id, err := range damage {
		lines = append(lines, id+": "+err.Error())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// damaged returns the number of capabilities and versions with a problem.
func damaged(list []registry.Capability) (n int) {
	for _, c := range list {
		if c.Problem != nil {
			n++
		}
		for _, r := range c.Releases {
			if r.Problem != nil {
				n++
			}
		}
	}
	return n
}
