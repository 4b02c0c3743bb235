package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

func ptr(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }

// raw makes a system call. It returns nil if the call reached the kernel.
func raw(call uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := unix.RawSyscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
	return reached(errno)
}

// reached returns nil unless the call was refused before its arguments were checked. An error about
// the arguments means that the call would work with others.
func reached(errno unix.Errno) error {
	if errno == unix.EPERM || errno == unix.ENOSYS {
		return errno
	}
	return nil
}

// calls is F3 and F4: system calls that a computation does not need. The arguments are wrong, so
// that a call that is not refused has no effect.
func calls(r *report, _ *targets) {
	const bad = ^uintptr(0)
	runtime.LockOSThread() // some of them change the thread, which ends with this goroutine
	for name, call := range dangerous {
		r.try(name, raw(call, bad, bad, bad, bad, bad, bad))
	}
	for _, option := range []uintptr{unix.PR_SET_PDEATHSIG, unix.PR_SET_DUMPABLE, unix.PR_SET_SECCOMP, unix.PR_SET_MM, unix.PR_CAP_AMBIENT,
		unix.PR_SET_PTRACER, unix.PR_SET_CHILD_SUBREAPER, unix.PR_SET_SECUREBITS, unix.PR_SET_KEEPCAPS} {
		r.try(fmt.Sprintf("prctl %d", option), raw(unix.SYS_PRCTL, option, bad, bad, bad, bad))
	}
	r.try("unshare nothing", raw(unix.SYS_UNSHARE, 0))
	r.try("personality", raw(unix.SYS_PERSONALITY, 0xffffffff))
	r.try("a call of the future", raw(unix.SYS_RSEQ_SLICE_YIELD+1000))
}

var dangerous = map[string]uintptr{
	"acct": unix.SYS_ACCT, "add_key": unix.SYS_ADD_KEY, "adjtimex": unix.SYS_ADJTIMEX, "bpf": unix.SYS_BPF, "chroot": unix.SYS_CHROOT,
	"clock_adjtime": unix.SYS_CLOCK_ADJTIME, "clock_settime": unix.SYS_CLOCK_SETTIME, "clone3": unix.SYS_CLONE3,
	"delete_module": unix.SYS_DELETE_MODULE, "fanotify_init": unix.SYS_FANOTIFY_INIT, "finit_module": unix.SYS_FINIT_MODULE,
	"fsconfig": unix.SYS_FSCONFIG, "fsmount": unix.SYS_FSMOUNT, "fsopen": unix.SYS_FSOPEN, "fspick": unix.SYS_FSPICK,
	"init_module": unix.SYS_INIT_MODULE, "io_setup": unix.SYS_IO_SETUP, "io_uring_register": unix.SYS_IO_URING_REGISTER,
	"io_uring_setup": unix.SYS_IO_URING_SETUP, "ioprio_set": unix.SYS_IOPRIO_SET, "kcmp": unix.SYS_KCMP,
	"kexec_load": unix.SYS_KEXEC_LOAD, "keyctl": unix.SYS_KEYCTL, "landlock_create_ruleset": unix.SYS_LANDLOCK_CREATE_RULESET,
	"mbind": unix.SYS_MBIND, "memfd_create": unix.SYS_MEMFD_CREATE, "migrate_pages": unix.SYS_MIGRATE_PAGES, "mknodat": unix.SYS_MKNODAT,
	"mlock": unix.SYS_MLOCK, "mlockall": unix.SYS_MLOCKALL, "mount": unix.SYS_MOUNT, "mount_setattr": unix.SYS_MOUNT_SETATTR,
	"move_mount": unix.SYS_MOVE_MOUNT, "move_pages": unix.SYS_MOVE_PAGES, "mq_open": unix.SYS_MQ_OPEN, "msgctl": unix.SYS_MSGCTL,
	"name_to_handle_at": unix.SYS_NAME_TO_HANDLE_AT, "open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "open_tree": unix.SYS_OPEN_TREE,
	"perf_event_open": unix.SYS_PERF_EVENT_OPEN, "pidfd_getfd": unix.SYS_PIDFD_GETFD, "pidfd_send_signal": unix.SYS_PIDFD_SEND_SIGNAL,
	"pivot_root": unix.SYS_PIVOT_ROOT, "process_madvise": unix.SYS_PROCESS_MADVISE, "process_vm_readv": unix.SYS_PROCESS_VM_READV,
	"process_vm_writev": unix.SYS_PROCESS_VM_WRITEV, "ptrace": unix.SYS_PTRACE, "quotactl": unix.SYS_QUOTACTL, "reboot": unix.SYS_REBOOT,
	"request_key": unix.SYS_REQUEST_KEY, "sched_setscheduler": unix.SYS_SCHED_SETSCHEDULER, "seccomp": unix.SYS_SECCOMP,
	"semctl": unix.SYS_SEMCTL, "set_mempolicy": unix.SYS_SET_MEMPOLICY, "setdomainname": unix.SYS_SETDOMAINNAME,
	"sethostname": unix.SYS_SETHOSTNAME, "setns": unix.SYS_SETNS, "setpgid": unix.SYS_SETPGID, "settimeofday": unix.SYS_SETTIMEOFDAY,
	"setxattr": unix.SYS_SETXATTR, "shmat": unix.SYS_SHMAT, "shmctl": unix.SYS_SHMCTL, "splice": unix.SYS_SPLICE, "swapoff": unix.SYS_SWAPOFF,
	"swapon": unix.SYS_SWAPON, "syslog": unix.SYS_SYSLOG, "tee": unix.SYS_TEE, "umount2": unix.SYS_UMOUNT2, "unshare": unix.SYS_UNSHARE,
	"userfaultfd": unix.SYS_USERFAULTFD, "vmsplice": unix.SYS_VMSPLICE,
}
