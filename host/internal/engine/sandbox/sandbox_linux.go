package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// Sandbox confines engine processes. A nil Sandbox confines none. It is safe for concurrent use.
type Sandbox struct {
	absence    Absence // if it is set, the other fields are empty
	way        way
	readable   []string
	private    []Private
	disk       int64
	limits     []shim.Limit
	landlock   int
	noLandlock Cause // of landlock 0
	groups     *groups
	hostName   bool // the shim cannot change the host name that engines see
	missing    []Gap
}

var _ process.Confiner = (*Sandbox)(nil)

// New calls [Sweep] and returns a Sandbox that has confined a process as a test. Close removes
// the cgroups that it made. With Options.None it returns a Sandbox that confines nothing.
func New(o *Options) (*Sandbox, error) {
	if o == nil {
		o = new(Options)
	}
	if o.None {
		return &Sandbox{absence: Unwanted}, nil
	}
	Sweep()
	limits, err := o.Limits.complete()
	if err != nil {
		return nil, err
	}
	if machine == 0 {
		return nil, fmt.Errorf("%w: there is no filter of system calls for %s; %s", ErrUnavailable, runtime.GOARCH, without)
	}
	j := &Sandbox{readable: o.Readable, disk: limits.Disk, limits: resources(limits)}
	j.landlock, j.noLandlock = landlockVersion()
	if j.readable == nil {
		j.readable = DefaultReadable()
	}
	for _, p := range o.Private { // the working directory may change
		p.Path, err = filepath.Abs(p.Path)
		if err != nil {
			return nil, fmt.Errorf("find the %s: %w", p.Name, err)
		}
		j.private = append(j.private, p)
	}
	name := o.Name
	if name == "" {
		name = groupName()
	}
	if err := j.choose(openGroups(name, limits)); err != nil {
		return nil, err
	}
	j.missing = append(j.missing, j.groups.lacking...)
	return j, nil
}

// Missing returns the protections that this machine does not support. Only protections that some
// systems lack can be in the list: without one of the others, New returns an error.
func (j *Sandbox) Missing() []Gap { return j.missing }

// Confiner returns the confiner with which engines are launched, or nil if they are not confined.
func (j *Sandbox) Confiner() process.Confiner {
	if j == nil || j.absence != NotAbsent {
		return nil
	}
	return j
}

// Check returns why an engine whose release asks to read these paths would not start, or nil if
// it could start now. The error is a [PrivateError] if a path would show a private file.
func (j *Sandbox) Check(readOnly []string) error {
	if j.Confiner() == nil || len(readOnly) == 0 {
		return nil
	}
	_, err := j.plan(readOnly)
	return err
}

// plan returns the entries of the system that an engine will see.
func (j *Sandbox) plan(readOnly []string) ([]shim.Entry, error) {
	system, err := visible(readOnly, j.readable)
	if err == nil {
		err = checkPrivate(system, j.private)
	}
	return system, err
}

// Close removes the cgroups. Every process that was confined must have been released. [Sweep] of
// a later process removes the cgroups that cannot be removed now.
func (j *Sandbox) Close() error {
	if j.Confiner() == nil {
		return nil
	}
	return j.groups.close()
}

// way is a method to isolate a process from the server.
type way struct {
	name  Way
	flags uintptr
	ids   uint32 // first of the engines' user ids, 0 in a user namespace
	other bool   // in a user namespace, every engine is a user of its own outside of it
}

const everyNamespace = unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWNS | unix.CLONE_NEWUTS

// firstID is the first of the user ids of engines. Distributions do not use this range: it is above
// the user ids of containers and below 2^31. Process ids, which are added, end at 2^22.
const firstID = 0x70000000

// ways are the methods to try, the best first. Root of a container may have no right to make
// namespaces, and still have the right to set user ids. Then each engine gets a separate user in a
// user namespace. That matters, since the kernel limits the tasks of all users but root.
//
// In the last way no other user can be set. So outside of its user namespace, the engine has the
// user, the supplementary groups and the quotas of the server. It sees no files that these would
// open.
func ways() []way {
	apart := way{name: InUserNamespace, flags: everyNamespace | unix.CLONE_NEWUSER}
	if os.Geteuid() != 0 {
		return []way{apart}
	}
	others := apart
	others.name, others.other = AsOthers, true
	return []way{{name: AsRoot, flags: everyNamespace, ids: firstID}, others, apart}
}

// otherUsers counts the user ids that were given to engines.
var otherUsers atomic.Uint32

// otherUser returns a user id for an engine, outside of its user namespace. No other engine of this
// server has it. An engine of another server in the same container is unlikely to have it.
func otherUser() int {
	const hosts, engines = 1 << 12, 1 << 16 // together below 2^28
	return firstID + os.Getpid()%hosts*engines + int(otherUsers.Add(1)%engines)
}

// overflowID is the engine's user in a user namespace.
const overflowID = 65534

// user is the user that the shim must become in a user namespace, 0 if it is that user already.
func (w way) user() int {
	if w.other {
		return overflowID
	}
	return 0
}

// attributes of the process that is to be started in the group.
func (w way) attributes(g *group) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: w.flags}
	if g.startIn != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(g.startIn.Fd())
	}
	if w.ids == 0 {
		user, group := os.Geteuid(), os.Getegid()
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP} // for the shim, which drops them
		if w.other {
			user = otherUser()
			group = user
			a.GidMappingsEnableSetgroups = true
			a.AmbientCaps = append(a.AmbientCaps, unix.CAP_SETUID, unix.CAP_SETGID)
		}
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: overflowID, HostID: user, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: overflowID, HostID: group, Size: 1}}
	}
	return a
}

// choose takes the first way that works, with cgroups if they can be used.
func (j *Sandbox) choose(g *groups) error {
	unavailable := new(Unavailable)
	here := inspect()
	for _, w := range ways() {
		j.way, j.groups = w, g
		found, err := j.retryProbe(nil)
		if err != nil && len(g.hierarchies) > 0 {
			j.groups = g.without(err)
			found, err = j.retryProbe(nil)
			if err == nil {
				err = g.close()
			}
		}
		if err == nil {
			j.exempt(here)
			j.hostName, j.missing = found.hostName, j.gaps(found, here)
			return nil
		}
		refusal, ok := errors.AsType[*Refusal](err)
		if !ok {
			refusal = &Refusal{Way: w.name, Text: err.Error()}
		}
		refusal.Permission = diagnose(refusal, here)
		unavailable.Refusals = append(unavailable.Refusals, *refusal)
	}
	_ = g.close()
	return unavailable
}

// gaps returns the protections that a working sandbox lacks, except limits by cgroups.
func (j *Sandbox) gaps(found finding, here *system) []Gap {
	var list []Gap
	if j.landlock == 0 {
		list = append(list, Gap{Protection: FileRules, Cause: j.noLandlock})
	}
	if here.masked {
		_, err := j.retryProbe([]shim.Entry{{Path: "/usr", Kind: shim.Directory}})
		if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Call == shim.MountProc {
			return append(list, Gap{Protection: Interpreter, Cause: MaskedProc})
		} else if err != nil {
			return append(list, Gap{Protection: Interpreter, Cause: OtherObstacle, Detail: err.Error()})
		}
	}
	if found.hostName { // interpreters read it at their start, so the filter cannot refuse it to them
		list = append(list, Gap{Protection: HostName, Cause: CallRefused})
	}
	return list
}

// exempt records that no limit of the kernel applies to the tasks of engines that are root of the
// machine and in no cgroup.
func (j *Sandbox) exempt(here *system) {
	for i, g := range j.groups.lacking {
		if g.Protection == TaskLimit && j.way.name == InUserNamespace && here.root {
			j.groups.lacking[i].Cause = RootIsExempt
		}
	}
}

// probes is the number of tries before the sandbox counts as unavailable. A server keeps this
// result until it ends, and a busy machine can refuse memory to a process for a short time.
const probes = 3

func (j *Sandbox) retryProbe(system []shim.Entry) (found finding, err error) {
	for range probes {
		found, err = j.probe(system)
		if err == nil {
			return found, nil
		}
	}
	return found, err
}

// landlockVersion returns the version of the kernel's Landlock interface. Without one, it returns 0
// and the cause.
func landlockVersion() (int, Cause) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(version), ""
	case unix.EPERM, unix.EACCES:
		return 0, CallRefused
	}
	return 0, NotInKernel
}

// resources are the limits that the kernel applies to every process. The memory limit counts the
// memory that a process can write. A runtime reserves far more addresses than it uses. So the limit
// of addresses only bounds the tables that describe them.
func resources(l Limits) []shim.Limit {
	return []shim.Limit{
		{Resource: unix.RLIMIT_STACK, Max: 8 << 20},
		{Resource: unix.RLIMIT_NPROC, Max: uint64(l.Tasks)},
		{Resource: unix.RLIMIT_NOFILE, Max: uint64(l.OpenFiles)},
		{Resource: unix.RLIMIT_FSIZE, Max: uint64(l.Disk)},
		{Resource: unix.RLIMIT_SIGPENDING, Max: uint64(l.Tasks)},
		{Resource: unix.RLIMIT_CORE, Max: 1}, // not 0: a handler that reads the core from a pipe would still run
		{Resource: unix.RLIMIT_MEMLOCK},
		{Resource: unix.RLIMIT_MSGQUEUE},
		{Resource: unix.RLIMIT_NICE},
		{Resource: unix.RLIMIT_RTPRIO},
		{Resource: unix.RLIMIT_DATA, Max: uint64(l.Memory)}, // last: from now on they apply to the server's own program, which executes the engine
		{Resource: unix.RLIMIT_AS, Max: 64 << 30},
	}
}
