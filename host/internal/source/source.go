// Package source answers one question: where does a host get its releases from? The source is
// a registry in a directory or at an address. The package remembers what it has seen of the
// registry, restricts it by lock file and checkpoint, and applies changes while the host runs.
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

// Options determine which releases a host serves.
type Options struct {
	Place
	Data       string  // directory in which the host keeps what it has seen
	Lock       string  // lock file: serve these versions and no others; "" for all
	Checkpoint string  // file with a checkpoint that the log of the registry must continue; "" for none
	Agreed     Digests // by the hosts of a service; nil if there is one host
	Log        *slog.Logger
}

// Source is a registry that a host reads again and again, with what the host remembers of it
// and may serve of it.
type Source struct {
	address  string
	remote   *remote.Registry // nil for a directory
	follower *registry.Follower
	commitments
	whole   []registry.Capability // at the last look, whatever is locked
	served  []registry.Capability // of these, what is not kept back by the lock file
	log     *slog.Logger
	damage  string    // of the remote registry at the last look
	unsaved bool      // what was seen could not be stored
	kept    time.Time // last time at which everything seen was stored
}

// commitments prevent a registry from withdrawing what it has once published.
type commitments struct {
	memory *registry.Memory
	names  *registry.Names
	guard  *Guard
	lock   *lockfile.File // nil if all is served
	agreed Digests        // nil if no other hosts are asked
}

// Open opens the registry that a host serves. It does not read the registry; First does.
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

// logMemory ends the name of the file with the checkpoint of the log that was accepted last.
const logMemory = ".checkpoint"

// open opens the directory of the registry, or the mirror of a registry at an address.
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

// First reads the registry before a host serves it. All locked versions must be there, and
// the log of the registry must be accepted. If a registry at an address cannot be read, its mirror is served, unless that is empty; down is
// then the reason.
func (s *Source) First(ctx context.Context, o *Options) (list []registry.Capability, down error, err error) {
	list, down, err = s.first(ctx)
	if err != nil {
		return nil, nil, err
	}
	return list, down, s.guard.accept(o.Checkpoint)
}

// Guard returns what compares the registry with its log.
func (s *Source) Guard() *Guard { return s.guard }

// Reload opens the registry, the trust file and the lock file anew, and makes the first look.
// It changes nothing that is in force. The returned Source continues with the memory of s,
// which may have more than could be stored.
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
	next.guard = s.guard // which others observe
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
		s.log.Warn("what is locked was withdrawn", "release", withdrawn.String())
	}
	return list, down, nil
}

// mirrored returns what can be served of a registry that cannot be read.
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
	s.log.Error("the registry cannot be read; its mirror is served", "registry", s.address, "error", down)
	return list, nil
}

// glance is how long a look of a running host waits for a slow registry. It adopts what has
// arrived by then; the next look adopts the rest.
const glance = 250 * time.Millisecond

// look returns what may be served, and whether that has changed since the last look. It waits
// at most for the given time, or until everything is read if that is zero. The error means
// that the registry cannot be read, and nothing changes. If some of its repositories could be
// read, there is a list too.
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

// lastRead returns the times of the last listing, of the longest reading under way, and of the
// last time at which everything was stored.
func (s *Source) lastRead() (l readTimes) {
	l.list, l.oldest, l.kept = s.follower.Listed(), s.follower.ReadingSince(), s.kept
	if s.remote != nil {
		l.list = s.remote.Listed()
		if since := s.remote.Behind(); l.oldest.IsZero() || !since.IsZero() && since.Before(l.oldest) {
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
	// Before the capabilities, of which it then tells nothing that is not there yet.
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
	if said := damageText(damage); said != s.damage {
		s.damage, changed = said, true
	}
	if !changed && s.settled() {
		s.kept = time.Now()
		return s.served, false, nil
	}
	list = withDamage(slices.Clone(list), damage)
	forgotten := s.forgetToolConflicts(list)
	if s.agreed != nil { // before the memory, which does not remember what is refused
		list = s.agreed.Vet(ctx, list)
	}
	list, err = s.memory.Check(list)
	s.guard.adoptNames(s.names)
	list, unnamed := s.names.Assign(list)
	err = errors.Join(forgotten, err, unnamed, s.guard.keep())
	if err != nil && !s.unsaved {
		s.log.Error("what was seen of the registry cannot be kept; a restart could not tell whether it was rewritten", "error", err)
	}
	list, fresh := s.guard.apply(list)
	if s.agreed != nil && refusals(list) != refusals(s.whole) {
		fresh = true
	}
	s.unsaved, s.whole, changed = err != nil, list, changed || fresh
	if err == nil {
		s.kept = time.Now()
	}
	if s.lock != nil {
		list = s.lock.Apply(list)
	}
	s.served = list
	return list, changed, nil
}

// settled reports whether the last look has left nothing to do, so that one which finds the
// registry unchanged would come to the same result.
func (s *Source) settled() bool {
	return s.served != nil && !s.unsaved && !s.guard.isFresh() && (s.agreed == nil || !s.agreed.Fresh())
}

// damageText returns the damage as text, for comparison.
func damageText(damage map[string]error) string {
	var lines []string
	for id, err := range damage {
		lines = append(lines, id+": "+err.Error())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// damaged counts the capabilities and versions in which the registry is not what it was or
// should be.
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
