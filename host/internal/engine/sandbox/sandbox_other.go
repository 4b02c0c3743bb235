//go:build !linux

package sandbox

import "github.com/slipstick/slipstick/host/internal/engine/process"

// Sandbox confines engine processes on Linux. On this system it confines none.
type Sandbox struct{ absence Absence }

// New returns a Sandbox that confines nothing. Its Absence is the reason.
func New(o *Options) (*Sandbox, error) {
	if o != nil && o.None {
		return &Sandbox{absence: Unwanted}, nil
	}
	return &Sandbox{absence: NotSupported}, nil
}

// Missing returns nil.
func (j *Sandbox) Missing() []Gap { return nil }

// Confiner returns nil.
func (j *Sandbox) Confiner() process.Confiner { return nil }

// Check returns nil.
func (j *Sandbox) Check([]string) error { return nil }

// Close does nothing.
func (j *Sandbox) Close() error { return nil }
