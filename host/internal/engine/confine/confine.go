// Package confine answers one question: what may engines access on this host? It enters the
// sandbox, or explains why there is none, and knows which files of the host no engine may read.
package confine

import (
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
)

// Options of a Sandbox. The zero value confines engines as far as the system can.
type Options struct {
	None     bool     // run engines without a sandbox
	Readable []string // what engines may be shown of the system; nil: see [sandbox.DefaultReadable]
	Own      Own
}

// Absence is the reason why there is no sandbox.
type Absence string

// The reasons.
const (
	NotAbsent    Absence = ""         // there is a sandbox
	Unwanted     Absence = "unwanted" // the operator has turned it off
	NotSupported Absence = "system"   // this operating system is not supported
)

// Sandbox confines all engines of a host. A nil Sandbox confines none.
type Sandbox struct {
	sandbox *sandbox.Sandbox // nil without one
	absence Absence
}

// Enter makes the sandbox. Close removes it.
func Enter(o *Options) (*Sandbox, error) {
	if o == nil {
		o = new(Options)
	}
	switch {
	case o.None:
		return &Sandbox{absence: Unwanted}, nil
	case runtime.GOOS != "linux":
		return &Sandbox{absence: NotSupported}, nil
	}
	sandbox.Sweep()
	j, err := sandbox.New(&sandbox.Options{Readable: o.Readable, Private: o.Own.private()})
	if err != nil {
		return nil, err
	}
	return &Sandbox{sandbox: j}, nil
}

// Absence returns why engines are not confined, or NotAbsent if they are.
func (j *Sandbox) Absence() Absence { return j.absence }

// Missing returns the protections that this machine does not support.
func (j *Sandbox) Missing() []sandbox.Gap {
	if j.sandbox == nil {
		return nil
	}
	return j.sandbox.Missing()
}

// Confiner returns the confiner with which engines are launched, or nil without a sandbox.
func (j *Sandbox) Confiner() process.Confiner {
	if j == nil || j.sandbox == nil {
		return nil
	}
	return j.sandbox
}

// Refusal returns why the sandbox does not let an engine read the paths that its release asks
// for, or nil if the engine may read them. See [IsPrivate].
func (j *Sandbox) Refusal(readOnly []string) error {
	if j == nil || j.sandbox == nil || len(readOnly) == 0 {
		return nil
	}
	return j.sandbox.Check(readOnly)
}

// Close removes the sandbox. What cannot be removed now is removed by the next host.
func (j *Sandbox) Close() {
	if j != nil && j.sandbox != nil {
		_ = j.sandbox.Close()
	}
}
