package sandbox

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// system has the facts about the kernel and this process that can prevent a sandbox.
type system struct {
	filtered bool          // a filter of system calls is installed
	cloning  syscall.Errno // error of a clone that the kernel itself finds invalid
	users    int           // of namespaces that may be made: the least of user.max_*_namespaces
	noUsers  bool          // kernel.unprivileged_userns_clone is 0
	appArmor bool          // kernel.apparmor_restrict_unprivileged_userns is 1
	label    string        // of this process, as a security module gives it
	chrooted bool
	masked   bool // something is mounted over parts of /proc
	noMemfd  bool // vm.memfd_noexec is 2
	unpriv   bool // this user is not root
	root     bool // this user is the root that the kernel exempts from limits
	mapsRoot bool // it may map itself into a user namespace, which needs CAP_SETFCAP
}

// inspect reads the facts from the kernel.
func inspect() *system {
	s := &system{
		filtered: field("/proc/self/status", "Seccomp") == "2",
		cloning:  invalidClone(),
		noUsers:  number("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0,
		appArmor: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1,
		noMemfd:  number("/proc/sys/vm/memfd_noexec", 0) == 2,
		unpriv:   os.Geteuid() != 0,
		users:    1,
		root:     os.Geteuid() == 0 && !remapped(),
		mapsRoot: capable(unix.CAP_SETFCAP),
	}
	for _, kind := range []string{"user", "pid", "net", "ipc", "mnt", "uts"} {
		s.users = min(s.users, number("/proc/sys/user/max_"+kind+"_namespaces", 1))
	}
	if label, err := os.ReadFile("/proc/self/attr/current"); err == nil {
		s.label = strings.Trim(string(label), "\x00\n")
	}
	if all, err := readMounts(); err == nil {
		s.chrooted = !slices.ContainsFunc(all, func(m mount) bool { return m.point == "/" })
		s.masked = slices.ContainsFunc(all, func(m mount) bool { return strings.HasPrefix(m.point, "/proc/") })
	}
	return s
}

// capable reports whether this process has the capability.
func capable(capability int) bool {
	set, err := strconv.ParseUint(field("/proc/self/status", "CapEff"), 16, 64)
	return err == nil && set&(1<<capability) != 0
}

// remapped reports whether the users of this process have other ids outside of its user namespace.
func remapped() bool {
	b, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(b)), " ") != "0 0 4294967295"
}

// invalidClone calls clone with flags that no kernel accepts: a new user namespace together with
// the root directory of the parent. The kernel returns EINVAL. A filter that refuses user
// namespaces returns its error before that.
func invalidClone() syscall.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_FS|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return errno
}

// number reads a number from a file, or returns the default without the file.
func number(path string, without int) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return without
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return without
	}
	return n
}

// field reads a value from a file with lines of the form "name: value".
func field(path, name string) string {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// obstacles are the permissions that can be missing, with their signs. The surest sign is first,
// and the first that applies counts.
var obstacles = []struct {
	permission Permission
	applies    func(*Refusal, *system) bool
}{
	{NamespaceCount, func(r *Refusal, s *system) bool {
		return r.Call == startCall && (r.Errno == unix.ENOSPC || r.Errno == unix.EUSERS || s.users == 0)
	}},
	{Processes, func(r *Refusal, s *system) bool { return r.Call == startCall && r.Errno == unix.EAGAIN }},
	{MemoryExecutables, func(r *Refusal, s *system) bool {
		return s.noMemfd && (r.Call == "memfd_create" || r.Call == "execveat") && r.Errno == unix.EACCES
	}},
	{OwnRoot, func(r *Refusal, s *system) bool {
		return s.chrooted && r.Errno == unix.EPERM && r.Way == InUserNamespace && r.Call == startCall
	}},
	{OtherUsers, func(r *Refusal, s *system) bool {
		return s.root && !s.mapsRoot && r.Call == startCall && r.Errno == unix.EPERM && s.cloning == unix.EINVAL
	}},
	{Unprivileged, func(r *Refusal, s *system) bool { return s.noUsers && s.unpriv && denied(r) && r.Call == startCall }},
	{WholeProc, func(r *Refusal, s *system) bool { return s.masked && r.Call == shim.MountProc && r.Errno == unix.EPERM }},
	{NamespaceCalls, func(r *Refusal, s *system) bool {
		return s.filtered && r.Call == startCall && (s.cloning == unix.EPERM || s.cloning == unix.ENOSYS || s.cloning == unix.EACCES)
	}},
	{AppArmorProfile, func(r *Refusal, s *system) bool { return r.Errno == unix.EACCES && appArmorLabel(s.label) }},
	{SELinuxLabel, func(r *Refusal, s *system) bool { return r.Errno == unix.EACCES && strings.Count(s.label, ":") >= 3 }},
	{AppArmorUser, func(r *Refusal, s *system) bool { return s.appArmor && denied(r) && r.Way == InUserNamespace }},
	{NamespaceCalls, func(r *Refusal, s *system) bool {
		return s.filtered && r.Call != startCall && r.Way == InUserNamespace && (r.Errno == unix.EPERM || r.Errno == unix.ENOSYS) && slices.Contains(sandboxCalls, r.Call)
	}},
}

// startCall is the call of a Refusal to start a process in new namespaces.
const startCall = "clone"

// sandboxCalls are the system calls with which the shim makes the sandbox. In a new user namespace
// a process may make them all. So if one is refused, a filter refuses it.
var sandboxCalls = []string{
	"mount", shim.MountProc, "umount2", "pivot_root", "open_tree", "move_mount", "mount_setattr", "unshare", "capset", "prctl",
	"seccomp", "execveat", "close_range",
}

// denied reports whether the error is an error of security modules.
func denied(r *Refusal) bool { return r.Errno == unix.EACCES || r.Errno == unix.EPERM }

// appArmorLabel reports whether the label names an enforced profile, such as "docker-default
// (enforce)".
func appArmorLabel(label string) bool { return strings.HasSuffix(label, " (enforce)") }

// diagnose names the permission that is missing.
func diagnose(r *Refusal, s *system) Permission {
	for _, o := range obstacles {
		if o.applies(r, s) {
			return o.permission
		}
	}
	return ""
}
