package shim

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// user is the engine's user and group id. Each process has a separate id, because some limits count
// the resources of all processes of a user.
func (p *process) user() int { return int(p.IDs) + p.id }

// Securebits that make user id 0 an ordinary one, for good.
const noRoot = 1<<0 | 1<<1 | // SECBIT_NOROOT and its lock
	1<<2 | 1<<3 | // SECBIT_NO_SETUID_FIXUP and its lock: dropping is explicit
	1<<5 | // SECBIT_KEEP_CAPS stays off
	1<<6 | 1<<7 // SECBIT_NO_CAP_AMBIENT_RAISE and its lock

// dropPrivileges gives up every capability, the user and the groups. The system calls
// are made for this thread alone: Go's own wrappers would ask every thread.
func (p *process) dropPrivileges() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return refused("prctl", "ambient capabilities", err)
	}
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
		return refused("prctl", "securebits", err)
	}
	if err := dropBounding(); err != nil {
		return refused("prctl", "bounding capabilities", err)
	}
	if p.IDs != 0 {
		if err := setUser(uintptr(p.user())); err != nil {
			return refused("setresuid", fmt.Sprintf("become user %d", p.user()), err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return refused("capset", "capabilities", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return refused("prctl", "no_new_privs", err)
	}
	return nil
}

// dropBounding ensures that no exec gains a capability.
func dropBounding() error {
	for capability := uintptr(0); ; capability++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err == unix.EINVAL {
			return nil // the kernel knows no more
		} else if err != nil {
			return err
		}
	}
}

// become takes the user that the user namespace has for the engine. The files that only the server
// may open are open already. In a user namespace without a root this takes no capability away.
func (p *process) become() error {
	if p.User == 0 {
		return nil
	}
	if err := setUser(uintptr(p.User)); err != nil {
		return refused("setresuid", fmt.Sprintf("become user %d", p.User), err)
	}
	return nil
}

func setUser(id uintptr) error {
	for _, call := range [][4]uintptr{
		{unix.SYS_SETGROUPS},
		{unix.SYS_SETRESGID, id, id, id},
		{unix.SYS_SETRESUID, id, id, id},
	} {
		if _, _, errno := unix.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
			return errno
		}
	}
	return nil
}

func (p *process) setPriority() error {
	if p.Nice == 0 {
		return nil
	}
	// The kernel counts down from 20. A server that has a higher niceness already may not lower it.
	if priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && priority <= 20-p.Nice {
		return nil
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, p.Nice); err != nil {
		return refused("setpriority", fmt.Sprintf("nice %d", p.Nice), err)
	}
	return nil
}

// limit sets soft and hard limits alike. They apply to every thread of this process. The Go runtime
// ends the process if one of its threads gets no memory. So no code may run between limit and the
// exec.
func (p *process) limit() error {
	for _, l := range p.Limits {
		if err := unix.Prlimit(0, l.Resource, &unix.Rlimit{Cur: l.Max, Max: l.Max}, nil); err != nil {
			return refused("prlimit64", fmt.Sprintf("limit %d to %d", l.Resource, l.Max), err)
		}
	}
	return nil
}
