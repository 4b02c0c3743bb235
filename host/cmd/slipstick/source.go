package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/terminal"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
	"github.com/slipstick/slipstick/registry/remote"
)

// source is where a host has its engines from: a registry that it looks at again and
// again, what it remembers of it, and what it may serve of it.
type source struct {
	address  string
	remote   *remote.Registry // nil for a directory
	follower *registry.Follower
	memory   *registry.Memory
	names    *registry.Names
	guard    *guard                // nil if there is no checkpoint
	lock     *lockfile.File        // nil if all is served
	whole    []registry.Capability // at the last look, whatever is locked
	log      *slog.Logger
	damage   string    // of the remote registry at the last look
	unsaved  bool      // what was seen could not be written
	kept     time.Time // when it last was, or nothing was new
}

// openSource opens the registry that a host serves.
func (c *serveCmd) openSource(log *slog.Logger) (*source, error) {
	s := &source{address: c.Registry, log: log}
	var err error
	if c.Locked != "" {
		if s.lock, err = lockfile.Read(string(c.Locked)); err != nil {
			return nil, &failure{exitMisuse, err}
		}
	}
	var reg *registry.Registry
	if remote.IsAddress(c.Registry) {
		if s.remote, err = c.remote(c.Registry, true, c.trusting); err != nil {
			return nil, err
		}
		reg = s.remote.Mirror()
	} else {
		if s.address, err = filepath.Abs(c.Registry); err != nil {
			return nil, err
		}
		if reg, err = openRegistry(c.Registry, c.trusting); err != nil {
			return nil, err
		}
	}
	s.follower = reg.Follow()
	name := fmt.Sprintf("%x.json", sha256.Sum256([]byte(s.address)))
	if s.memory, err = registry.OpenMemory(filepath.Join(c.Data, "seen", name[:16]+".json")); err != nil {
		return nil, err
	}
	s.names, err = c.openNames(filepath.Join(c.Data, "seen", name[:16]+".tools.json"))
	s.follower.LetGo(s.mayGo)
	return s, err
}

// first is the look before a host serves. A registry elsewhere that cannot be read is
// down: then the mirror is served, if there is anything in it. What is locked must be
// there.
func (s *source) first(ctx context.Context) (list []registry.Capability, down error, err error) {
	list, _, down = s.look(ctx, 0)
	switch {
	case down != nil && (s.remote == nil || ctx.Err() != nil):
		return nil, nil, down
	case down != nil:
		if list == nil {
			list, _, err = s.read(ctx, nil, 0)
		}
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%w; and its mirror is empty", down)
		}
		if err != nil {
			return nil, nil, err
		}
		s.log.Error("the registry cannot be read; its mirror is served", "registry", s.address, "error", down)
	}
	if s.lock == nil {
		return list, down, nil
	}
	if missing := s.lock.Missing(list); len(missing) > 0 {
		return nil, nil, &failure{exitFailed, fmt.Errorf("of what is locked %s cannot be served as locked:\n  %s\nRestore them in the registry, or lock what is there with slipstick lock", terminal.Count(len(missing), "version"), strings.Join(missing, "\n  "))}
	}
	for _, withdrawn := range s.lock.Withdrawn(list) {
		s.log.Warn("what is locked was withdrawn", "release", withdrawn)
	}
	return list, down, nil
}

// glance is how long a host that runs waits for what does not come at once: a look takes
// over what is there, and the next one the rest.
const glance = 250 * time.Millisecond

// look returns what may be served, and whether that is other than at the last look. It
// waits no longer than that, or for all if that is zero. The error is that the registry
// cannot be read. Then all stays as it was; only where others of its repositories could be
// read there is a list too.
func (s *source) look(ctx context.Context, wait time.Duration) (list []registry.Capability, changed bool, err error) {
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
		s.guard.renew()
		return nil, false, err
	}
	if err := s.dropUsurpers(ctx, damage); err != nil {
		return nil, false, err
	}
	list, changed, failed := s.read(ctx, damage, wait)
	return list, changed, errors.Join(err, failed)
}

// looked is when what was last seen: the list of capabilities, the one of them that has
// been waited for longest, and what is remembered on disk.
func (s *source) looked() (l looked) {
	l.list, l.oldest, l.kept = s.follower.Listed(), s.follower.Behind(), s.kept
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
func (s *source) read(ctx context.Context, damage map[string]error, wait time.Duration) ([]registry.Capability, bool, error) {
	look := s.follower.Look
	if wait > 0 {
		look = func(ctx context.Context) ([]registry.Capability, bool, error) { return s.follower.LookFor(ctx, wait) }
	}
	list, changed, err := look(ctx)
	if err != nil {
		return nil, false, err
	}
	if said := describe(damage); said != s.damage {
		s.damage, changed = said, true
	}
	list = withDamage(slices.Clone(list), damage)
	forgotten := s.forgetUsurpers(list)
	list, err = s.memory.Check(list)
	s.guard.renew()
	s.guard.vouch(s.names)
	list, unnamed := s.names.Give(list)
	err = errors.Join(forgotten, err, unnamed)
	if err != nil && !s.unsaved {
		s.log.Error("what was seen of the registry cannot be kept; a restart could not tell whether it was rewritten", "error", err)
	}
	list, fresh := s.guard.hold(list)
	s.unsaved, s.whole, changed = err != nil, list, changed || fresh
	if err == nil {
		s.kept = time.Now()
	}
	if s.lock != nil {
		list = s.lock.Apply(list)
	}
	return list, changed, nil
}

// describe is the damage as text, to see whether it is the same.
func describe(damage map[string]error) string {
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

// lockName is the flag of a lock file, whose name may be left out.
type lockName string

const defaultLock = "slipstick.lock"

// IsBool tells the command line that --locked stands alone, or with =FILE.
func (*lockName) IsBool() bool { return true }

// Decode implements [kong.BoolMapperValue]. An environment variable or settings file may
// say true or false too.
func (l *lockName) Decode(ctx *kong.DecodeContext) error {
	*l = defaultLock
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch value := ctx.Scan.Pop().Value.(type) {
	case string:
		if value != "true" {
			*l = lockName(value)
		}
		if value == "false" {
			*l = ""
		}
	case bool:
		if !value {
			*l = ""
		}
	default:
		return fmt.Errorf("%v is no name of a lock file", value)
	}
	return nil
}
