package server

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/server"
)

// Read reads the command line, the environment and the settings file again.
type Read func() (*Serve, setting.Flags, error)

// reloader is the [server.Reloader] of slipstick serve: on SIGHUP the server reads its settings
// again.
type reloader struct {
	read    Read
	hangUps chan os.Signal
	now     settings // in force
	next    settings // the last that were read
}

// settings are the options of a server, and its flags by name.
type settings struct {
	options Serve
	flags   setting.Flags
}

var _ server.Reloader = (*reloader)(nil)

// newReloader catches SIGHUP until stop. Without it the signal ends the process.
func newReloader(c *Serve, flags setting.Flags, read Read) *reloader {
	r := &reloader{read: read, now: settings{*c, flags}, hangUps: make(chan os.Signal, 1)}
	signal.Notify(r.hangUps, syscall.SIGHUP)
	return r
}

func (r *reloader) stop() { signal.Stop(r.hangUps) }

// Immediate returns the flags that take effect without a restart.
func Immediate() []string {
	return []string{"limit", "require-signatures", "snapshot-key", "trusted-proxy"}
}

// Requests implements [server.Reloader].
func (r *reloader) Requests() <-chan os.Signal { return r.hangUps }

// Read implements [server.Reloader].
func (r *reloader) Read() (*server.Config, error) {
	c, flags, err := r.read()
	if err != nil {
		return nil, err
	}
	r.next = settings{r.now.options, flags}
	next := &r.next.options
	next.Limit, next.TrustedProxy, next.SnapshotKey, next.RequireSignatures = c.Limit, c.TrustedProxy, c.SnapshotKey, c.RequireSignatures
	return next.config()
}

// InForce implements [server.Reloader].
func (r *reloader) InForce() (now, later []string) {
	for _, name := range r.now.flags.Changed(r.next.flags) {
		if !slices.Contains(Immediate(), name) {
			later = append(later, name) // reported again at every reload
			continue
		}
		now = append(now, name)
		r.now.flags[name] = r.next.flags[name]
	}
	r.now.options = r.next.options
	return now, later
}
