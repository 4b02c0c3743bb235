package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

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
	guard    *guard                // nil if there is no checkpoint
	lock     *lockfile.File        // nil if all is served
	whole    []registry.Capability // at the last look, whatever is locked
	log      *slog.Logger
	damage   string // of the remote registry at the last look
	unsaved  bool   // what was seen could not be written
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
	s.memory, err = registry.OpenMemory(filepath.Join(c.Data, "seen", name[:16]+".json"))
	return s, err
}

// first is the look before a host serves. A registry elsewhere that cannot be read is
// down: then the mirror is served, if there is anything in it. What is locked must be
// there.
func (s *source) first(ctx context.Context) (list []registry.Capability, down error, err error) {
	list, _, down = s.look(ctx)
	if down != nil && s.remote != nil && ctx.Err() == nil {
		if list, _, err = s.read(ctx, nil); err == nil && len(list) == 0 {
			err = fmt.Errorf("%w; and its mirror is empty", down)
		}
		if err != nil {
			return nil, nil, err
		}
		s.log.Error("the registry cannot be read; its mirror is served", "registry", s.address, "error", down)
	} else if down != nil {
		return nil, nil, down
	}
	if s.lock == nil {
		return list, down, nil
	}
	if missing := s.lock.Missing(list); len(missing) > 0 {
		return nil, nil, &failure{exitFailed, fmt.Errorf("%d versions are locked and cannot be served as they are:\n  %s\nRestore them in the registry, or lock what is there with slipstick lock", len(missing), strings.Join(missing, "\n  "))}
	}
	return list, down, nil
}

// look returns what may be served, and whether that is other than at the last look. The
// error is that the registry cannot be read; then all stays as it was.
func (s *source) look(ctx context.Context) (list []registry.Capability, changed bool, err error) {
	if s.remote == nil {
		return s.read(ctx, nil)
	}
	damage, err := s.remote.Sync(ctx)
	if err != nil {
		s.guard.renew()
		return nil, false, err
	}
	return s.read(ctx, damage)
}

// read reads the directory, or the mirror of a registry with this damage.
func (s *source) read(ctx context.Context, damage map[string]error) ([]registry.Capability, bool, error) {
	list, changed, err := s.follower.Look(ctx)
	if err != nil {
		return nil, false, err
	}
	if said := describe(damage); said != s.damage {
		s.damage, changed = said, true
	}
	list, err = s.memory.Check(withDamage(slices.Clone(list), damage))
	if err != nil && !s.unsaved {
		s.log.Error("what was seen of the registry cannot be kept; a restart could not tell whether it was rewritten", "error", err)
	}
	s.guard.renew()
	list, fresh := s.guard.hold(list)
	s.unsaved, s.whole, changed = err != nil, list, changed || fresh
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
