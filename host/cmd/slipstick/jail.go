package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/slipstick/slipstick/host/internal/confine"
	"github.com/slipstick/slipstick/host/internal/process"
)

// confinement is the flags that say what engines may do.
type confinement struct {
	NoJail   bool     `name:"no-jail" env:"SLIPSTICK_NO_JAIL" help:"Run engines without a jail: they may then do whatever this user may. For development."`
	Readable []string `env:"SLIPSTICK_READABLE" help:"What engines in other languages than Go may read of the system, if their release declares it. Default: where systems keep interpreters and libraries, such as /usr and /lib. What belongs to this host, such as its keys and registry, is never shown." placeholder:"PATH"`
}

func (c confinement) options(own confine.Files) confine.Options {
	return confine.Options{None: c.NoJail, Readable: c.Readable, Own: own}
}

// enter makes the jail, which keeps engines from the files of this host, and says on w
// what it cannot do.
func (c confinement) enter(w io.Writer, own confine.Files) (*confine.Jail, error) {
	o := c.options(own)
	j, err := confine.Enter(&o)
	if err != nil {
		return nil, err
	}
	warnOfJail(w, j)
	return j, nil
}

// warnOfJail says what does not confine engines here.
func warnOfJail(w io.Writer, j *confine.Jail) {
	switch j.Absence() {
	case confine.Unwanted:
		fmt.Fprintln(w, "slipstick: WARNING: engines run without a jail: they may read, write and reach whatever this user may")
	case confine.NotSupported:
		fmt.Fprintf(w, "slipstick: WARNING: there is no jail on %s: engines may do whatever this user may\n", runtime.GOOS)
	}
	for _, missing := range j.Missing() {
		fmt.Fprintln(w, "slipstick: the jail of engines is not complete:", missing)
	}
}

// judging is how engines that are not published yet are run.
type judging struct {
	confinement
	ReadOnly []string `name:"read-only" help:"What the engine must read of the system to describe itself, such as its interpreter. Its Spec must declare the same as read_only_paths." placeholder:"PATH"`
}

// enter makes the jail and returns the options of every launch, and what ends it.
func (j judging) enter(w io.Writer, own confine.Files) (process.Options, func(), error) {
	jail, err := j.confinement.enter(w, slices.Concat(dataFiles(""), own))
	return process.Options{Confiner: jail.Confiner(), ReadOnly: j.ReadOnly}, jail.Close, err
}
