// Package confine says what engines may touch: it starts their jail, or says why there is
// none, and knows which files of this host they may never read.
package confine

import (
	"runtime"

	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/host/internal/process"
)

// Options of a Jail. The zero value confines engines as far as the system can.
type Options struct {
	None     bool     // run engines without a jail
	Readable []string // what engines may be shown of the system; nil: see [jail.DefaultReadable]
	Own      Own
}

// Absence is why there is no jail.
type Absence string

// Why there is none.
const (
	NotAbsent    Absence = ""         // there is one
	Unwanted     Absence = "unwanted" // the operator wants none
	NotSupported Absence = "system"   // there is none for this operating system
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

// Absence says why engines are not confined, NotAbsent if they are.
func (j *Jail) Absence() Absence { return j.absence }

// Missing says what the jail cannot do on this machine, a sentence for each.
func (j *Jail) Missing() []string {
	if j.jail == nil {
		return nil
	}
	return j.jail.Missing()
}

// Confiner is what engines are launched with, nil without a jail.
func (j *Jail) Confiner() process.Confiner {
	if j == nil || j.jail == nil {
		return nil
	}
	return j.jail
}

// Refusal is why the jail does not let an engine read the paths that its release asks
// for, nil if it may. See [IsPrivate].
func (j *Jail) Refusal(readOnly []string) error {
	if j == nil || j.jail == nil || len(readOnly) == 0 {
		return nil
	}
	return j.jail.Check(readOnly)
}

// Close ends the jail. What cannot be removed is swept by the next.
func (j *Jail) Close() {
	if j != nil && j.jail != nil {
		_ = j.jail.Close()
	}
}
