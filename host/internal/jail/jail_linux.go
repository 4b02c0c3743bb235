package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/jail/shim"
	"github.com/slipstick/slipstick/host/internal/process"
)

// Jail confines engine processes. It is safe for concurrent use.
type Jail struct {
	way      way
	readable []string
	private  []Private
	disk     int64
	limits   []shim.Limit
	landlock int
	groups   *groups
	missing  []string
}

var _ process.Confiner = (*Jail)(nil)

// New returns a Jail after a process has been confined by it. Close removes what it
// made.
func New(o *Options) (*Jail, error) {
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
	j := &Jail{readable: o.Readable, disk: limits.Disk, limits: resources(limits), landlock: landlockVersion()}
	if j.readable == nil {
		j.readable = DefaultReadable()
	}
	for _, p := range o.Private { // the working directory may change
		if p.Path, err = filepath.Abs(p.Path); err != nil {
			return nil, fmt.Errorf("find the %s: %w", p.Name, err)
		}
		j.private = append(j.private, p)
	}
	if j.landlock == 0 {
		j.missing = append(j.missing, "Landlock is not enabled in this kernel: the mount namespace alone keeps engines from files")
	}
	name := o.Name
	if name == "" {
		name = groupName()
	}
	if err := j.choose(openGroups(name, limits)); err != nil {
		return nil, err
	}
	j.missing = append(j.missing, j.groups.missing()...)
	return j, nil
}

// Missing says which protections are absent here, a sentence each. They are those that
// not every system has; without the others there is no Jail.
func (j *Jail) Missing() []string { return j.missing }

// Check returns why an engine that asks to read these paths would not start, nil if
// nothing is wrong with them now. A PrivateError is among the errors.
func (j *Jail) Check(readOnly []string) error {
	_, err := j.plan(readOnly)
	return err
}

// plan returns what an engine will see of the system.
func (j *Jail) plan(readOnly []string) ([]shim.Entry, error) {
	system, err := visible(readOnly, j.readable)
	if err == nil {
		err = checkPrivate(system, j.private)
	}
	return system, err
}

// Close removes the cgroups. Every process that was confined must have been released.
func (j *Jail) Close() error { return j.groups.close() }

const without = "run with --no-jail if every engine can be trusted with what the host may do"

// way is how a process is taken out of the host's view.
type way struct {
	name  string
	flags uintptr
	ids   uint32 // first of the engines' user ids, 0 in a user namespace
}

const everyNamespace = unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWNS | unix.CLONE_NEWUTS

// firstID begins a range of user ids that distributions leave alone: beyond those of
// containers and below 2^31. Process ids, which are added, end at 2^22.
const firstID = 0x70000000

// ways are what to try, the best first. In a user namespace the engine is, outside of
// it, the host's own user, with the host's supplementary groups and quotas, because no
// other can be given away; it sees nothing that these would open.
func ways() []way {
	apart := way{name: "in a user namespace", flags: everyNamespace | unix.CLONE_NEWUSER}
	if os.Geteuid() != 0 {
		return []way{apart}
	}
	return []way{{name: "as root", flags: everyNamespace, ids: firstID}, apart}
}

// nobody is the engine's user in a user namespace.
const nobody = 65534

// attributes of the process that is to be started in the group.
func (w way) attributes(g *group) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: w.flags}
	if g.birth != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(g.birth.Fd())
	}
	if w.ids == 0 {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP} // for the shim, which drops them
	}
	return a
}

// choose settles on the first way that works, with cgroups if they can be used.
func (j *Jail) choose(g *groups) error {
	var refusals []string
	for _, w := range ways() {
		j.way, j.groups = w, g
		err := j.probeAgain()
		if err == nil {
			return nil
		}
		if len(g.hierarchies) > 0 {
			j.groups = g.without(err)
			if err = j.probeAgain(); err == nil {
				return g.close()
			}
		}
		refusals = append(refusals, w.name+": "+err.Error())
	}
	_ = g.close()
	return fmt.Errorf("%w here: %s; run as root on Linux 5.12 or later, or allow unprivileged user namespaces "+
		"(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or %s",
		ErrUnavailable, strings.Join(refusals, "; "), without)
}

// probes are made before something counts as unavailable: a host keeps for its life
// what it found at its start, and a busy machine can refuse a process memory for a
// moment.
const probes = 3

func (j *Jail) probeAgain() (err error) {
	for range probes {
		if err = j.probe(); err == nil {
			return nil
		}
	}
	return err
}

// landlockVersion is that of the kernel's interface, 0 without one.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
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
