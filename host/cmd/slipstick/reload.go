package main

import (
	"maps"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/server"
)

// reloading is the [server.Reloader] of serve: SIGHUP makes the host read its settings
// again.
type reloading struct {
	line    *commandLine
	hangUps chan os.Signal
	now     settings // in force
	next    settings // as it was read last
}

// settings are what the command line, the environment and the settings file say.
type settings struct {
	serve serveCmd
	flags map[string]any
}

var _ server.Reloader = (*reloading)(nil)

// newReloading takes SIGHUP, which would end the process, until stop.
func newReloading(c *serveCmd, line *commandLine) *reloading {
	r := &reloading{line: line, now: settings{*c, line.flags}, hangUps: make(chan os.Signal, 1)}
	signal.Notify(r.hangUps, syscall.SIGHUP)
	return r
}

func (r *reloading) stop() { signal.Stop(r.hangUps) }

// atOnce are the flags that take effect without a restart.
var atOnce = []string{"limit", "require-signatures", "snapshot-key", "trusted-proxy"}

// Requests implements [server.Reloader].
func (r *reloading) Requests() <-chan os.Signal { return r.hangUps }

// Read implements [server.Reloader].
func (r *reloading) Read() (*server.Config, error) {
	c, command, err := r.line.parse()
	if err != nil {
		return nil, err
	}
	r.next = settings{r.now.serve, flagsOf(command)}
	next := &r.next.serve
	next.Limit, next.TrustedProxy, next.SnapshotKey, next.RequireSignatures = c.Serve.Limit, c.Serve.TrustedProxy, c.Serve.SnapshotKey, c.Serve.RequireSignatures
	return next.config()
}

// InForce implements [server.Reloader].
func (r *reloading) InForce() (now, later []string) {
	for _, name := range slices.Sorted(maps.Keys(r.next.flags)) {
		switch {
		case reflect.DeepEqual(r.next.flags[name], r.now.flags[name]):
		case slices.Contains(atOnce, name):
			now = append(now, name)
		default:
			later = append(later, name)
		}
	}
	for _, name := range now { // what waits is told again at every reload
		r.now.flags[name] = r.next.flags[name]
	}
	r.now.serve = r.next.serve
	return now, later
}

// flagsOf are the values of the flags of the command that was parsed.
func flagsOf(command *kong.Context) map[string]any {
	flags := map[string]any{}
	for _, f := range command.Selected().Flags {
		flags[f.Name] = f.Target.Interface()
	}
	return flags
}
