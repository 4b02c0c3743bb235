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

// Sandbox confines engine processes. It is safe for concurrent use.
type Sandbox struct {
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

// New returns a Sandbox after a process has been confined by it. Close removes what it
// made.
func New(o *Options) (*Sandbox, error) {
	if o == nil {
		o = new(Options)
	}
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

// Missing returns the protections that are absent here. They are those that not every system
// has; without the others there is no Sandbox.
func (j *Sandbox) Missing() []Gap { return j.missing }

// Check returns why an engine that asks to read these paths would not start, nil if
// nothing is wrong with them now. A PrivateError is among the errors.
func (j *Sandbox) Check(readOnly []string) error {
	_, err := j.plan(readOnly)
	return err
}

// plan returns what an engine will see of the system.
func (j *Sandbox) plan(readOnly []string) ([]shim.Entry, error) {
	system, err := visible(readOnly, j.readable)
	if err == nil {
		err = checkPrivate(system, j.private)
	}
	return system, err
}

// Close removes the cgroups. Every process that was confined must have been released.
func (j *Sandbox) Close() error { return j.groups.close() }

// way is how a process is taken out of the host's view.
type way struct {
	name  Way
	flags uintptr
	ids   uint32 // first of the engines' user ids, 0 in a user namespace
	other bool   // in a user namespace, every engine is a user of its own outside of it
}

const everyNamespace = unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWNS | unix.CLONE_NEWUTS

// firstID begins a range of user ids that distributions leave alone: beyond those of
// containers and below 2^31. Process ids, which are added, end at 2^22.
const firstID = 0x70000000

// ways are what to try, the best first. Root of a container may have no right to make
// namespaces, and still that to give users away: then engines get users of their own in a
// user namespace. That matters, since the kernel limits the tasks of all users but root. In
// the last way the engine is, outside of its user namespace, the host's own user, with the
// host's supplementary groups and quotas, because no other can be given away; it sees
// nothing that these would open.
func ways() []way {
	apart := way{name: InUserNamespace, flags: everyNamespace | unix.CLONE_NEWUSER}
	if os.Geteuid() != 0 {
		return []way{apart}
	}
	others := apart
	others.name, others.other = AsOthers, true
	return []way{{name: AsRoot, flags: everyNamespace, ids: firstID}, others, apart}
}

// otherUsers counts the users that were given to engines.
var otherUsers atomic.Uint32

// otherUser returns a user id for an engine, outside of its user namespace. No other engine of
// this host has it, and hardly one of another host in the same container.
func otherUser() int {
	const hosts, engines = 1 << 12, 1 << 16 // together below 2^28
	return firstID + os.Getpid()%hosts*engines + int(otherUsers.Add(1)%engines)
}

// overflowID is the engine's user in a user namespace.
const overflowID = 65534

// user is what the shim has to become in a user namespace, 0 if it is that already.
func (w way) user() int {
	if w.other {
		return overflowID
	}
	return 0
}

// attributes of the process that is to be started in the group.
func (w way) attributes(g *group) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: w.flags}
	if g.birth != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(g.birth.Fd())
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

// choose settles on the first way that works, with cgroups if they can be used.
func (j *Sandbox) choose(g *groups) error {
	unavailable := new(Unavailable)
	here := look()
	for _, w := range ways() {
		j.way, j.groups = w, g
		found, err := j.probeAgain(nil)
		if err != nil && len(g.hierarchies) > 0 {
			j.groups = g.without(err)
			found, err = j.probeAgain(nil)
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

// gaps are what the sandbox that works does not offer, besides limits by cgroups.
func (j *Sandbox) gaps(found finding, here *system) []Gap {
	var list []Gap
	if j.landlock == 0 {
		list = append(list, Gap{Protection: FileRules, Cause: j.noLandlock})
	}
	if here.masked {
		_, err := j.probeAgain([]shim.Entry{{Path: "/usr", Kind: shim.Directory}})
		if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Call == shim.MountProc {
			return append(list, Gap{Protection: Interpreter, Cause: MaskedProc})
		} else if err != nil {
			return append(list, Gap{Protection: Interpreter, Cause: OtherObstacle, Detail: err.Error()})
		}
	}
	if found.hostName { // interpreters ask for it as soon as they start, so it cannot be refused to them
		list = append(list, Gap{Protection: HostName, Cause: CallRefused})
	}
	return list
}

// exempt notes that the kernel limits the tasks of engines in no way at all, where they are
// root of the machine and in no cgroup.
func (j *Sandbox) exempt(here *system) {
	for i, g := range j.groups.lacking {
		if g.Protection == TaskLimit && j.way.name == InUserNamespace && here.root {
			j.groups.lacking[i].Cause = RootIsExempt
		}
	}
}

// probes are made before something counts as unavailable: a host keeps for its life
// what it found at its start, and a busy machine can refuse a process memory for a
// moment.
const probes = 3

func (j *Sandbox) probeAgain(system []shim.Entry) (found finding, err error) {
	for range probes {
		found, err = j.probe(system)
		if err == nil {
			return found, nil
		}
	}
	return found, err
}

// landlockVersion is that of the kernel's interface, 0 without one, and why there is none.
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

// resources are the limits that the kernel keeps for every process. The memory that
// counts is what a process can write: a runtime reserves far more addresses than it
// uses, so those are bounded only to bound the tables that describe them.
func resources(l Limits) []shim.Limit {
	return []shim.Limit{
		{Resource: unix.RLIMIT_STACK, Max: 8 << 20},
		{Resource: unix.RLIMIT_NPROC, Max: uint64(l.Tasks)},
		{Resource: unix.RLIMIT_NOFILE, Max: uint64(l.OpenFiles)},
		{Resource: unix.RLIMIT_FSIZE, Max: uint64(l.Disk)},
		{Resource: unix.RLIMIT_SIGPENDING, Max: uint64(l.Tasks)},
		{Resource: unix.RLIMIT_CORE, Max: 1}, // not 0: that does not stop a handler to which the core is piped
		{Resource: unix.RLIMIT_MEMLOCK},
		{Resource: unix.RLIMIT_MSGQUEUE},
		{Resource: unix.RLIMIT_NICE},
		{Resource: unix.RLIMIT_RTPRIO},
		{Resource: unix.RLIMIT_DATA, Max: uint64(l.Memory)}, // last: they count from now on for the host's own program, which executes the engine
		{Resource: unix.RLIMIT_AS, Max: 64 << 30},
	}
}
