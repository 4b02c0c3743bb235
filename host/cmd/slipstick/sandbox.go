package main

import (
	"cmp"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// confinement is the flags that say what engines may do.
type confinement struct {
	NoSandbox bool     `name:"no-sandbox" env:"SLIPSTICK_NO_SANDBOX" help:"Run engines without a sandbox: they may then do whatever this user may. For development."`
	Readable  []string `env:"SLIPSTICK_READABLE" help:"What engines in other languages than Go may read of the system, if their release declares it. Default: where systems keep interpreters and libraries, such as /usr and /lib. What belongs to this host, such as its keys and registry, is never shown." placeholder:"PATH"`
}

func (c confinement) options(own sandbox.ServerFiles) sandbox.Options {
	return sandbox.Options{None: c.NoSandbox, Readable: c.Readable, Private: own.Private()}
}

// start makes what runs published engines, and says on w what does not confine them.
func (c confinement) start(w io.Writer, log *slog.Logger, own sandbox.ServerFiles) (*pool.Pool, error) {
	return c.startWith(w, &pool.Options{Log: log}, own)
}

// startWith is start with other options, of which it sets Confine.
func (c confinement) startWith(w io.Writer, with *pool.Options, own sandbox.ServerFiles) (*pool.Pool, error) {
	o := c.options(own)
	with.Confine = &o
	running, err := pool.New(with)
	if err != nil {
		return nil, err
	}
	terminal.Sandbox(w, running.Sandbox())
	return running, nil
}

// judging is how engines that are not published yet are run.
type judging struct {
	confinement
	ReadOnly []string `name:"read-only" help:"What the engine must read of the system to describe itself, such as its interpreter. Its Spec must declare the same as read_only_paths." placeholder:"PATH"`
}

// enter makes the sandbox and returns the options of every launch, and what ends it.
func (j judging) enter(w io.Writer, own sandbox.ServerFiles) (process.Options, func(), error) {
	o := j.options(own)
	box, err := sandbox.New(&o)
	if err != nil {
		return process.Options{}, nil, err
	}
	terminal.Sandbox(w, box)
	return process.Options{Confiner: box.Confiner(), ReadOnly: j.ReadOnly}, func() { _ = box.Close() }, nil
}

// ownData is the data directory of the host that would be started here.
func ownData() string {
	return cmp.Or(os.Getenv("SLIPSTICK_DATA"), filepath.Join(setting.Home(), "data"))
}
