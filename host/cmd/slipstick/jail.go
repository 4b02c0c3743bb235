package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/host/internal/process"
)

// confinement is the flags that say what engines may do.
type confinement struct {
	NoJail   bool     `name:"no-jail" env:"SLIPSTICK_NO_JAIL" help:"Run engines without a jail: they may then do whatever this user may. For development."`
	Readable []string `env:"SLIPSTICK_READABLE" help:"What engines in other languages than Go may read of the system, if their release declares it. Default: where systems keep interpreters and libraries, such as /usr and /lib. What belongs to this host, such as its keys and registry, is never shown." placeholder:"PATH"`
}

// jailed is how engines are confined, nil for not at all.
type jailed struct{ jail *jail.Jail }

// enter makes the jail, which keeps engines from the files of this host, and says on w
// what it cannot do.
func (c confinement) enter(w io.Writer, own files) (jailed, error) {
	switch {
	case c.NoJail:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a jail: they may read, write and reach whatever this user may")
		return jailed{}, nil
	case runtime.GOOS != "linux":
		fmt.Fprintf(w, "slipstick: WARNING: there is no jail on %s: engines may do whatever this user may\n", runtime.GOOS)
		return jailed{}, nil
	}
	jail.Sweep()
	j, err := jail.New(&jail.Options{Readable: c.Readable, Private: own})
	if err != nil {
		return jailed{}, err
	}
	for _, missing := range j.Missing() {
		fmt.Fprintln(w, "slipstick: the jail of engines is not complete:", missing)
	}
	return jailed{j}, nil
}

// confiner is nil without a jail.
func (j jailed) confiner() process.Confiner {
	if j.jail == nil {
		return nil
	}
	return j.jail
}

func (j jailed) close() {
	if j.jail != nil {
		_ = j.jail.Close() // what is left is swept by the next
	}
}

// judging is how engines that are not published yet are run.
type judging struct {
	confinement
	ReadOnly []string `name:"read-only" help:"What the engine must read of the system to describe itself, such as its interpreter. Its Spec must declare the same as read_only_paths." placeholder:"PATH"`
}

// enter makes the jail and returns the options of every launch, and what ends it.
func (j judging) enter(w io.Writer, own files) (process.Options, func(), error) {
	jailed, err := j.confinement.enter(w, slices.Concat(dataFiles(""), own))
	return process.Options{Confiner: jailed.confiner(), ReadOnly: j.ReadOnly}, jailed.close, err
}
