package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/registry"
)

// reloading reads settings, keys, trust file and lock file again when the host is sent
// SIGHUP.
type reloading struct {
	line    *commandLine
	serve   *serveCmd      // as it is in force
	flags   map[string]any // likewise
	hangUps chan os.Signal
}

// newReloading takes SIGHUP, which would end the process, until stop.
func newReloading(c *serveCmd, line *commandLine) *reloading {
	again := *c
	r := &reloading{line: line, serve: &again, flags: line.flags, hangUps: make(chan os.Signal, 1)}
	signal.Notify(r.hangUps, syscall.SIGHUP)
	return r
}

func (r *reloading) stop() { signal.Stop(r.hangUps) }

// atOnce are the flags that take effect without a restart.
var atOnce = []string{"limit", "require-signatures", "snapshot-key", "trusted-proxy"}

// reloaded is everything that a reload puts into force, read and found good.
type reloaded struct {
	serve     *serveCmd
	settings  settings
	keys      *snapshot.Keys
	source    *source
	published []registry.Capability
	down      error // of the registry, whose mirror is served
}

// reload puts into force what was read again, or nothing. It must not run beside a look
// of f.
func (r *reloading) reload(ctx context.Context, f *following) {
	log := f.face.log
	flags, next, err := r.read(ctx, f)
	if err != nil {
		if ctx.Err() == nil {
			log.Error("SIGHUP: what was read again is not used; what was in force before stays", "error", err)
		}
		return
	}
	var now, later []string
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		switch {
		case reflect.DeepEqual(flags[name], r.flags[name]):
		case slices.Contains(atOnce, name):
			now = append(now, name)
		default:
			later = append(later, name)
		}
	}
	if !maps.Equal(next.settings.limits, f.face.limiter.now.Load().limits) {
		f.face.limiter.set(f.face.client, next.settings.limits)
	}
	f.face.trusted.Replace(next.settings.trusted)
	f.face.snapshots.SetKeys(next.keys)
	f.source, f.failed = next.source, next.down != nil
	f.face.registry.set(next.down, next.published)
	f.face.registry.saw(next.source.looked())
	f.adopt(ctx, next.published)
	for _, name := range now { // what waits is told again at every reload
		r.flags[name] = flags[name]
	}
	r.serve = next.serve
	log.Info("SIGHUP: settings, keys, trust file and lock file were read again", "changed", now, "after_restart", later)
}

// read reads everything again and changes nothing.
func (r *reloading) read(ctx context.Context, f *following) (map[string]any, *reloaded, error) {
	c, command, err := r.line.parse()
	if err != nil {
		return nil, nil, err
	}
	next := *r.serve
	next.Limit, next.TrustedProxy, next.SnapshotKey, next.RequireSignatures = c.Serve.Limit, c.Serve.TrustedProxy, c.Serve.SnapshotKey, c.Serve.RequireSignatures
	n := &reloaded{serve: &next}
	if n.settings, err = next.settings(); err != nil {
		return nil, nil, err
	}
	if n.keys, err = snapshot.LoadKeys(filepath.Join(next.Data, "keys"), next.SnapshotKey...); err != nil {
		return nil, nil, fmt.Errorf("keys of snapshots: %w", err)
	}
	if n.source, err = next.openSource(f.face.log); err != nil {
		return nil, nil, err
	}
	n.source.memory = f.source.memory // it may know more than could be written
	if n.published, n.down, err = n.source.first(ctx); err != nil {
		return nil, nil, err
	}
	if _, err := next.checkpointing.accept(next.trusting, next.Data, n.source.whole, f.face.log); err != nil {
		return nil, nil, err
	}
	n.source.guard = f.source.guard // which reads the checkpoint and the trust file again by itself
	return flagsOf(command), n, nil
}

// flagsOf are the values of the flags of the command that was parsed.
func flagsOf(command *kong.Context) map[string]any {
	flags := map[string]any{}
	for _, f := range command.Selected().Flags {
		flags[f.Name] = f.Target.Interface()
	}
	return flags
}
