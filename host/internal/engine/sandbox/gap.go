package sandbox

import "fmt"

// Gap is a protection that not every system has, and that is absent here.
type Gap struct {
	Protection Protection
	Cause      Cause
	Detail     string // of the system, such as the text of an error; "" for none
}

// Protection is the protection that a Gap lacks.
type Protection string

// The protections.
const (
	FileRules   Protection = "file-rules"   // Landlock
	MemoryLimit Protection = "memory-limit" // of all memory, also the kernel's
	TaskLimit   Protection = "task-limit"   // in a cgroup
	CPUShares   Protection = "cpu-shares"   // in a cgroup
	HostName    Protection = "host-name"    // the engine cannot learn it
	Interpreter Protection = "interpreter"  // engines that read the system run at all
)

// Cause is why a protection is absent.
type Cause string

// The causes.
const (
	NotMounted    Cause = "not-mounted"    // no cgroups here
	NotOffered    Cause = "not-offered"    // there are cgroups, without this controller
	ReadOnly      Cause = "read-only"      // they can only be read
	NotDelegated  Cause = "not-delegated"  // they belong to another user
	NotUsable     Cause = "not-usable"     // they can be made, but processes cannot join them
	NotInKernel   Cause = "not-in-kernel"  // built or started without it
	CallRefused   Cause = "call-refused"   // a filter of system calls
	RootIsExempt  Cause = "root-is-exempt" // engines are root of the machine, and in no cgroup
	MaskedProc    Cause = "masked-proc"    // no other /proc can be mounted
	OtherObstacle Cause = "other-obstacle" // see Detail
)

// consequences are the effects of gaps, as main clauses.
var consequences = map[Protection]string{
	FileRules:   "Landlock is not enabled in this kernel: the mount namespace alone keeps engines from files",
	MemoryLimit: "no cgroup here limits memory: what an engine can write is limited, what the kernel keeps for it is not",
	TaskLimit:   "no cgroup here limits tasks: the limit per user holds alone",
	CPUShares:   "no cgroup here limits the processor: engines run at low priority, and each of their threads counts as a task",
	HostName:    "engines that read the system, such as Python programs, can learn the host name",
	Interpreter: "engines that must read the system, such as Python programs, cannot start",
}

// remedies are the actions of an operator against a cause.
var remedies = map[Cause]string{
	NotMounted:   "no cgroups are mounted here; limit the container or unit as a whole",
	NotOffered:   "cgroups are mounted without this controller; under systemd, Delegate=yes gives the server cgroups",
	ReadOnly:     "cgroups are read-only here; limit the container as a whole (--memory, --pids-limit, --cpus), or, as root, share them (-v /sys/fs/cgroup:/sys/fs/cgroup:rw)",
	NotDelegated: "the cgroups belong to another user; under systemd, Delegate=yes gives the server cgroups",
	NotUsable:    "cgroups can be made but not be used",
	CallRefused:  "the container's seccomp profile refuses the call; " + "--security-opt seccomp=" + profile + " allows it",
	MaskedProc:   WholeProc.grant().text(""),
}

// remediesOf are the remedies that apply to one protection only.
var remediesOf = map[Protection]map[Cause]string{
	TaskLimit: {RootIsExempt: "the limit per user does not hold for root; run the server as another user, or with the capabilities CAP_SETUID, CAP_SETGID and CAP_DAC_OVERRIDE"},
	HostName:  {CallRefused: "the container's seccomp profile refuses sethostname; start the container with --hostname engine (Kubernetes: hostname: engine in the Pod), or with --security-opt seccomp=" + profile},
}

// Consequence is the effect of the gap on engines, as a main clause.
func (g Gap) Consequence() string {
	switch {
	case g.Cause == RootIsExempt:
		return "nothing limits the tasks of an engine"
	case g.Protection == FileRules && g.Cause == CallRefused:
		return "Landlock cannot be used here: the mount namespace alone keeps engines from files"
	}
	return consequences[g.Protection]
}

// Remedy is the action for an operator, with the detail of the system. It is "" if no remedy is
// known.
func (g Gap) Remedy() string {
	remedy := remediesOf[g.Protection][g.Cause]
	if remedy == "" {
		remedy = remedies[g.Cause]
	}
	if remedy == "" || g.Detail == "" {
		return remedy + g.Detail
	}
	return remedy + ": " + g.Detail
}

// String is a sentence for people.
func (g Gap) String() string {
	if remedy := g.Remedy(); remedy != "" {
		return fmt.Sprintf("%s (%s)", g.Consequence(), remedy)
	}
	return g.Consequence()
}
