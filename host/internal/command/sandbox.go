package command

import (
	"cmp"
	"io"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// SandboxFlags are the flags for the sandbox of engines.
type SandboxFlags struct {
	NoSandbox bool     `name:"no-sandbox" env:"SLIPSTICK_NO_SANDBOX" help:"Run engines without a sandbox, with all rights of this user. Use it only for development."`
	Readable  []string `env:"SLIPSTICK_READABLE" help:"System files that engines in other languages than Go may read, if their release declares them. Default: the usual directories of interpreters and libraries, such as /usr and /lib. Engines never see files of this server, such as its keys and registry." placeholder:"PATH"`
}

// ConfineOptions returns the options of the sandbox. Engines cannot read the files in own.
func (c SandboxFlags) ConfineOptions(own sandbox.ServerFiles) sandbox.Options {
	return sandbox.Options{None: c.NoSandbox, Readable: c.Readable, Private: own.Private()}
}

// NewPool returns a pool that runs published engines in the sandbox. It warns about missing parts of the sandbox on w.
func (c SandboxFlags) NewPool(w io.Writer, with *pool.Options, own sandbox.ServerFiles) (*pool.Pool, error) {
	o := c.ConfineOptions(own)
	with.Confine = &o
	running, err := pool.New(with)
	if err != nil {
		return nil, err
	}
	terminal.Sandbox(w, running.Sandbox())
	return running, nil
}

// JudgingFlags are the flags for running unpublished engines.
type JudgingFlags struct {
	SandboxFlags
	ReadOnly []string `name:"read-only" help:"System files that the engine needs to describe itself, such as its interpreter. Its Spec must declare the same as read_only_paths." placeholder:"PATH"`
}

// Enter creates the sandbox. It returns the options for starting engines, and a function that removes the sandbox.
func (j JudgingFlags) Enter(w io.Writer, own sandbox.ServerFiles) (process.Options, func(), error) {
	o := j.ConfineOptions(own)
	box, err := sandbox.New(&o)
	if err != nil {
		return process.Options{}, nil, err
	}
	terminal.Sandbox(w, box)
	return process.Options{Confiner: box.Confiner(), ReadOnly: j.ReadOnly}, func() { _ = box.Close() }, nil
}

// OwnData returns the data directory of a server that is started in this environment.
func OwnData() string {
	return cmp.Or(os.Getenv("SLIPSTICK_DATA"), filepath.Join(setting.Home(), "data"))
}
