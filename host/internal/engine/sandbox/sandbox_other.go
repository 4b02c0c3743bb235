//go:build !linux

package sandbox

import (
	"fmt"
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// Sandbox confines engine processes, on Linux.
type Sandbox struct{}

// New returns an error that wraps ErrUnavailable: this system is not supported.
func New(*Options) (*Sandbox, error) {
	return nil, fmt.Errorf("%w on %s: the sandbox is made of Linux; run the host on Linux, "+
		"or with --no-sandbox if every engine can be trusted with what the host may do", ErrUnavailable, runtime.GOOS)
}

// Missing returns nothing.
func (j *Sandbox) Missing() []Gap { return nil }

// Confine returns New's error.
func (j *Sandbox) Confine(*process.Start) (*process.Confined, error) {
	_, err := New(nil)
	return nil, err
}

// Check returns nil: nothing is started here.
func (j *Sandbox) Check([]string) error { return nil }

// Close does nothing.
func (j *Sandbox) Close() error { return nil }

// Sweep does nothing.
func Sweep() {}
