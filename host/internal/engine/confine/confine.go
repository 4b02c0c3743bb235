// Package confine answers one question: what may engines access on this host? It enters the
// jail, or explains why there is none, and knows which files of the host no engine may read.
package confine

import (
	"runtime"

	"github.com/slipstick/slipstick/host/internal/engine/jail"
	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// Options of a Jail. The zero value confines engines as far as the system can.
type Options struct {
	None     bool     // run engines without a jail
	Readable []string // what engines may be shown of the system; nil: see [jail.DefaultReadable]
	Own      Own
}

// Absence is the reason why there is no jail.
type Absence string

// The reasons.
const (
	NotAbsent    Absence = ""         // there is a jail
	Unwanted     Absence = "unwanted" // the operator has turned it off
	NotSupported Absence = "system"   // this operating system is not supported
)

// Jail confines all engines of a host. A nil Jail confines none.
type Jail struct {
	jail    *jail.Jail // nil without one
	absence Absence
}

// Enter makes the jail. Close removes it.
func Enter(o *Options) (*Jail, error) {
	if o == nil {
		o = new(Options)
	}
	switch {
	case o.None:
		return &Jail{absence: Unwanted}, nil
	case runtime.GOOS != "linux":
		return &Jail{absence: NotSupported}, nil
	}
	jail.Sweep()
	j, err := jail.New(&jail.Options{Readable: o.Readable, Private: o.Own.private()})
	if err != nil {
		return nil, err
	}
	return &Jail{jail: j}, nil
}

// Absence returns why engines are not confined, or NotAbsent if they are.
func (j *Jail) Absence() Absence { return j.absence }

// Missing returns the protections that this machine does not support.
func (j *Jail) Missing() []jail.Gap {
	if j.jail == nil {
		return nil
	}
	return j.jail.Missing()
}

// Confiner returns the confiner with which engines are launched, or nil without a jail.
func (j *Jail) Confiner() process.Confiner {
	if j == nil || j.jail == nil {
		return nil
	}
	return j.jail
}

// Refusal returns why the jail does not let an engine read the paths that its release asks
// for, or nil if the engine may read them. See [IsPrivate].
func (j *Jail) Refusal(readOnly []string) error {
	if j == nil || j.jail == nil || len(readOnly) == 0 {
		return nil
	}
	return j.jail.Check(readOnly)
}

// Close removes the jail. What cannot be removed now is removed by the next host.
func (j *Jail) Close() {
	if j != nil && j.jail != nil {
		_ = j.jail.Close()
	}
}
