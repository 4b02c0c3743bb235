package sandbox

import (
	"cmp"
	"fmt"
	"strings"
	"syscall"
)

// Way is a method to isolate a process from the server.
type Way string

// The ways, the better one first.
const (
	AsRoot          Way = "as root"
	AsOthers        Way = "in a user namespace as other users"
	InUserNamespace Way = "in a user namespace"
)

// Refusal is the step at which this system does not let a process be confined.
type Refusal struct {
	Way        Way
	Step       string        // the step that failed
	Call       string        // the system call that was refused, "" if it is not known
	Errno      syscall.Errno // 0 if it is not known
	Permission Permission    // the one that is missing, "" if it is not known
	Text       string        // for people
}

func (r *Refusal) Error() string { return r.Text }

// Unavailable is the error of New on a system that cannot confine engines. It wraps
// [ErrUnavailable].
type Unavailable struct {
	Refusals []Refusal // one for every way that was tried, the best way first
}

// Unwrap returns [ErrUnavailable].
func (u *Unavailable) Unwrap() error { return ErrUnavailable }

// Missing returns the permission without which no way works, "" if it is not known. It is the
// permission of the last way, which needs the fewest.
func (u *Unavailable) Missing() Permission {
	if len(u.Refusals) == 0 {
		return ""
	}
	return u.Refusals[len(u.Refusals)-1].Permission
}

func (u *Unavailable) Error() string {
	return fmt.Sprintf("%v here: %s; %s, or %s", ErrUnavailable, u.Reason(), u.Remedy(), without)
}

// Reason describes what the system refused, for each way that was tried.
func (u *Unavailable) Reason() string {
	var refusals []string
	for _, r := range u.Refusals {
		refusals = append(refusals, fmt.Sprintf("%s: %s", r.Way, r.Text))
	}
	return strings.Join(refusals, "; ")
}

// Remedy is the action for an operator so that engines can be confined.
func (u *Unavailable) Remedy() string {
	if g := u.Missing().grant(); g != nil {
		return g.text(u.Refusals[len(u.Refusals)-1].Call)
	}
	return "run as root on Linux 5.12 or later, or allow unprivileged user namespaces " +
		"(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"
}

const without = "run with --no-sandbox if every engine can be trusted with all rights of the server"

// Permission is a permission that an operator can grant so that engines can be confined.
type Permission string

// The permissions.
const (
	NamespaceCalls    Permission = "namespace-calls"          // a filter of system calls refuses what the sandbox is made with
	NamespaceCount    Permission = "namespace-count"          // user.max_*_namespaces
	Unprivileged      Permission = "unprivileged-namespaces"  // kernel.unprivileged_userns_clone
	AppArmorUser      Permission = "apparmor-user-namespaces" // kernel.apparmor_restrict_unprivileged_userns
	AppArmorProfile   Permission = "apparmor-profile"         // of the container
	SELinuxLabel      Permission = "selinux-label"            // of the container
	OtherUsers        Permission = "other-users"              // root may set user ids, or the server is not root
	WholeProc         Permission = "whole-proc"               // a /proc without masked parts
	OwnRoot           Permission = "own-root"                 // not a chroot
	Processes         Permission = "processes"                // more of them
	MemoryExecutables Permission = "memory-executables"       // vm.memfd_noexec
)

// grant is how an operator grants a permission. The line for Docker applies to Podman too, if
// Podman has no separate line.
type grant struct {
	permission Permission
	missing    string // the obstacle, as a main clause; CALL is replaced by the system call
	docker     string // options of docker run
	podman     string // options of podman run, if they are others
	kubernetes string // in the securityContext of the container, unless the text has another place
	system     string // another remedy, and the remedy without a container
}

// profile is the filter of system calls that Slipstick ships for containers, in
// host/deploy/seccomp. Kubernetes finds it in the directory seccomp of the kubelet.
const profile = "slipstick.json"

// grants has every permission.
var grants = []grant{
	{
		permission: NamespaceCalls,
		missing:    "the seccomp profile of this container refuses CALL",
		docker:     "--security-opt seccomp=" + profile,
		kubernetes: "seccompProfile: {type: Localhost, localhostProfile: " + profile + "}",
	},
	{
		permission: NamespaceCount,
		missing:    "the kernel may make no more namespaces",
		system:     "sysctl -w user.max_user_namespaces=15000 on the machine (also max_pid_, max_net_, max_ipc_, max_mnt_, max_uts_namespaces if low), or run as root on Linux 5.12 or later",
	},
	{
		permission: Unprivileged,
		missing:    "the kernel lets only root make user namespaces",
		system:     "sysctl -w kernel.unprivileged_userns_clone=1 on the machine, or run as root on Linux 5.12 or later",
	},
	{
		permission: AppArmorUser,
		missing:    "AppArmor takes the rights of user namespaces away",
		system:     "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 on the machine, or an AppArmor profile for slipstick with the rule userns",
	},
	{
		permission: AppArmorProfile,
		missing:    "the AppArmor profile of this container refuses it",
		docker:     "--security-opt apparmor=unconfined",
		kubernetes: "appArmorProfile: {type: Unconfined}",
	},
	{
		permission: SELinuxLabel,
		missing:    "the SELinux label of this container refuses it",
		docker:     "--security-opt label=disable",
		kubernetes: "seLinuxOptions: {type: spc_t}",
	},
	{
		permission: OtherUsers,
		missing:    "root of this container has no capability to give engines a user",
		docker:     "--user 65532:65532, or --cap-add SETUID --cap-add SETGID --cap-add DAC_OVERRIDE",
		kubernetes: "runAsUser: 65532, or capabilities: {add: [SETUID, SETGID, DAC_OVERRIDE]}",
	},
	{
		permission: WholeProc,
		missing:    "parts of /proc are masked in this container, so the kernel does not let its processes mount another",
		docker:     "--security-opt systempaths=unconfined",
		podman:     "--security-opt unmask=ALL",
		kubernetes: "procMount: Unmasked, with hostUsers: false in the Pod",
	},
	{
		permission: OwnRoot,
		missing:    "the server runs in a chroot, where the kernel does not allow user namespaces",
		system:     "start it in a container or with pivot_root (unshare, systemd's RootDirectory=) instead of chroot",
	},
	{
		permission: Processes,
		missing:    "this user or container may start no more processes",
		docker:     "--pids-limit and --ulimit nproc with larger numbers",
		system:     "a larger TasksMax= or LimitNPROC= under systemd; on Kubernetes, a larger podPidsLimit of the kubelet",
	},
	{
		permission: MemoryExecutables,
		missing:    "the kernel does not allow programs in memory to be executed",
		system:     "sysctl -w vm.memfd_noexec=1 on the machine",
	},
}

// callNames are the names in error texts of the calls that make a sandbox. Other calls have their
// own names.
var callNames = map[string]string{
	"":      "a system call",
	"clone": "clone with new namespaces",
}

// grant returns how to grant the permission, nil if there is none.
func (p Permission) grant() *grant {
	for i := range grants {
		if grants[i].permission == p {
			return &grants[i]
		}
	}
	return nil
}

// text returns the missing permission and the lines that grant it.
func (g *grant) text(call string) string {
	var lines []string
	for _, l := range []struct{ where, line string }{
		{"Docker", g.docker}, {"Podman", g.podman}, {"Kubernetes securityContext", g.kubernetes}, {"system", g.system},
	} {
		if l.line == "" {
			continue
		}
		if l.where == "Docker" && g.podman == "" {
			l.where = "Docker and Podman"
		}
		lines = append(lines, l.where+": "+l.line)
	}
	return strings.ReplaceAll(g.missing, "CALL", cmp.Or(callNames[call], call)) + "; to grant it: " + strings.Join(lines, "; ")
}
