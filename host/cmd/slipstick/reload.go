package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
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
	flags setting.Flags
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
	r.next = settings{r.now.serve, setting.FlagsOf(command)}
	next := &r.next.serve
	next.Limit, next.TrustedProxy, next.SnapshotKey, next.RequireSignatures = c.Serve.Limit, c.Serve.TrustedProxy, c.Serve.SnapshotKey, c.Serve.RequireSignatures
	return next.config()
}

// InForce implements [server.Reloader].
func (r *reloading) InForce() (now, later []string) {
	for _, name := range r.now.flags.Changed(r.next.flags) {
		if !slices.Contains(atOnce, name) {
			later = append(later, name) // what waits is told again at every reload
			continue
		}
		now = append(now, name)
		r.now.flags[name] = r.next.flags[name]
	}
	r.now.serve = r.next.serve
	return now, later
}
