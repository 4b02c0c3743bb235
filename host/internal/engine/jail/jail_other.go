//go:build !linux

package jail

import (
	"fmt"
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// Jail confines engine processes, on Linux.
type Jail struct{}

// New returns an error that wraps ErrUnavailable: this system is not supported.
func New(*Options) (*Jail, error) {
	return nil, fmt.Errorf("%w on %s: the jail is made of Linux; run the host on Linux, "+
		"or with --no-jail if every engine can be trusted with what the host may do", ErrUnavailable, runtime.GOOS)
}

// Missing returns nothing.
func (j *Jail) Missing() []Gap { return nil }

// Confine returns New's error.
func (j *Jail) Confine(*process.Start) (*process.Confined, error) {
	_, err := New(nil)
	return nil, err
}

// Check returns nil: nothing is started here.
func (j *Jail) Check([]string) error { return nil }

// Close does nothing.
func (j *Jail) Close() error { return nil }

// Sweep does nothing.
func Sweep() {}
