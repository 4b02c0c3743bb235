//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"slices"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Verdicts of the filter.
const (
	allowed  = unix.SECCOMP_RET_ALLOW
	refused  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	noDevice = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)
	killed   = unix.SECCOMP_RET_KILL_PROCESS
)

// common are the system calls of every machine that an engine may make with any arguments. They are
// for computing, its own memory and threads, its few visible files, its sockets, clocks and
// signals. All other calls are refused. An allowlist keeps the attack surface of the kernel small,
// and no list of dangerous calls stays complete.
var common = []uint32{
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_BRK, unix.SYS_CAPGET, unix.SYS_CHDIR,
	unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE,
	unix.SYS_CONNECT, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHDIR, unix.SYS_FCHMOD,
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCNTL, unix.SYS_FDATASYNC, unix.SYS_FGETXATTR, unix.SYS_FLOCK,
	unix.SYS_FSTAT, unix.SYS_FSTATFS, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_FUTEX, unix.SYS_FUTEX_REQUEUE,
	unix.SYS_FUTEX_WAIT, unix.SYS_FUTEX_WAITV, unix.SYS_FUTEX_WAKE, unix.SYS_GETCPU, unix.SYS_GETCWD, unix.SYS_GETDENTS64,
	unix.SYS_GETEGID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETGROUPS, unix.SYS_GETITIMER, unix.SYS_GETPEERNAME,
	unix.SYS_GETPGID, unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETPRIORITY, unix.SYS_GETRANDOM, unix.SYS_GETRESGID,
	unix.SYS_GETRESUID, unix.SYS_GETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_GETSID, unix.SYS_GETSOCKNAME,
	unix.SYS_GETSOCKOPT, unix.SYS_GETTID, unix.SYS_GETTIMEOFDAY, unix.SYS_GETUID, unix.SYS_GETXATTR,
	unix.SYS_GET_ROBUST_LIST, unix.SYS_KILL, unix.SYS_LGETXATTR, unix.SYS_LINKAT, unix.SYS_LISTEN, unix.SYS_LSEEK,
	unix.SYS_MADVISE, unix.SYS_MEMBARRIER, unix.SYS_MINCORE, unix.SYS_MKDIRAT, unix.SYS_MPROTECT, unix.SYS_MREMAP,
	unix.SYS_MSEAL, unix.SYS_MSYNC, unix.SYS_MUNMAP, unix.SYS_NANOSLEEP, unix.SYS_OPENAT, unix.SYS_OPENAT2,
	unix.SYS_PIPE2, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT, unix.SYS_PPOLL, unix.SYS_PREAD64,
	unix.SYS_PREADV, unix.SYS_PREADV2, unix.SYS_PRLIMIT64, unix.SYS_PSELECT6, unix.SYS_PWRITE64, unix.SYS_PWRITEV,
	unix.SYS_PWRITEV2, unix.SYS_READ, unix.SYS_READAHEAD, unix.SYS_READLINKAT, unix.SYS_READV, unix.SYS_RECVFROM,
	unix.SYS_RECVMMSG, unix.SYS_RECVMSG, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN,
	unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM,
	unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN,
	unix.SYS_SCHED_YIELD, unix.SYS_SENDFILE, unix.SYS_SENDMMSG, unix.SYS_SENDMSG, unix.SYS_SENDTO, unix.SYS_SETITIMER,
	unix.SYS_SETRLIMIT, unix.SYS_SETSOCKOPT, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_SHUTDOWN,
	unix.SYS_SIGALTSTACK, unix.SYS_SIGNALFD4, unix.SYS_STATFS, unix.SYS_STATX, unix.SYS_SYMLINKAT, unix.SYS_SYSINFO,
	unix.SYS_TGKILL, unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_GETTIME, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMER_CREATE,
	unix.SYS_TIMER_DELETE, unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_SETTIME, unix.SYS_TIMES,
	unix.SYS_TKILL, unix.SYS_TRUNCATE, unix.SYS_UMASK, unix.SYS_UNAME, unix.SYS_UNLINKAT, unix.SYS_UTIMENSAT,
	unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_WRITE, unix.SYS_WRITEV,
}

// absent are system calls that programs try, and can replace. For them the kernel has to look too
// old. No filter can see into the arguments of clone3.
var absent = []uint32{unix.SYS_CLONE3, unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_VMSPLICE, unix.SYS_IO_URING_SETUP}

// newest is the last system call that was known when these lists were made. Later calls do not
// exist for an engine.
const newest = unix.SYS_RSEQ_SLICE_YIELD

// rule decides one system call: its block ends in a verdict.
type rule struct {
	call   uint32
	decide block
}

// conditional are the rules about arguments, in addition to the rule about the one exec.
var conditional = []rule{
	// Only Unix sockets; the network namespace is the second barrier.
	{unix.SYS_SOCKET, join(low(0), on(unix.AF_UNIX, allowed), verdict(refused))},
	{unix.SYS_SOCKETPAIR, join(low(0), on(unix.AF_UNIX, allowed), verdict(refused))},
	// Threads, no processes and no namespaces.
	{unix.SYS_CLONE, join(low(0), onAny(namespaces, refused), onAny(unix.CLONE_THREAD, allowed), verdict(refused))},
	// Memory that RLIMIT_DATA does not count would have no limit where there is no cgroup:
	// stacks, huge pages, shared anonymous memory.
	{unix.SYS_MMAP, join(low(3), onAny(unix.MAP_GROWSDOWN|unix.MAP_HUGETLB, refused),
		only(unix.MAP_ANONYMOUS|unix.MAP_SHARED), on(unix.MAP_ANONYMOUS|unix.MAP_SHARED, refused), verdict(allowed))},
	// Not the parent-death signal, which ends an engine with its server.
	{unix.SYS_PRCTL, join(low(0), on(unix.PR_SET_NAME, allowed), on(unix.PR_GET_NAME, allowed), on(unix.PR_SET_VMA, allowed),
		on(unix.PR_GET_DUMPABLE, allowed), on(unix.PR_CAPBSET_READ, allowed), on(unix.PR_GET_NO_NEW_PRIVS, allowed), verdict(refused))},
	// The requests of libraries about a descriptor: is it a terminal, has it input, do not block.
	{unix.SYS_IOCTL, join(low(1), on(unix.TCGETS, allowed), on(unix.TCGETS2, allowed), on(unix.TIOCGWINSZ, allowed),
		on(fionread, allowed), on(fionbio, allowed), on(fioclex, allowed), on(fionclex, allowed), verdict(noDevice))},
}

// once allows the one exec that has the program at the descriptor and the password.
func once(program int, password uint64) rule {
	return rule{unix.SYS_EXECVEAT, join(low(0), unless(uint32(program), refused),
		low(5), unless(uint32(password), refused), high(5), unless(uint32(password>>32), refused), verdict(allowed))}
}

const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// The same on every machine that has a filter.
const (
	fionread = 0x541b
	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451
)

// filter returns the whole filter, as the kernel reads it, with the one exec that it allows. Only
// this exec and the rule that hides the host name differ between processes.
func filter(program int, password uint64, nameless bool) []byte {
	return slices.Concat(encode(opening(program, password, nameless)), everyFilter())
}

// opening is the part of the filter that differs between processes.
func opening(program int, password uint64, nameless bool) block {
	first := join(prologue(), once(program, password).block())
	if nameless {
		first = join(first, rule{unix.SYS_UNAME, verdict(refused)}.block())
	}
	return first
}

var everyFilter = sync.OnceValue(func() []byte { return encode(body()) })

// prologue checks the architecture. A program that calls the kernel as another architecture has
// other numbers for the calls, and no legitimate reason.
func prologue() block {
	if otherNumbers == 0 {
		return join(load(offArch), unless(machine, killed), load(offCall))
	}
	return join(load(offArch), unless(machine, killed), load(offCall), from(otherNumbers, killed))
}

// body decides the call that the prologue has loaded. It refuses a call that is in no rule and no
// list.
func body() block {
	var program block
	for _, r := range conditional {
		program = join(program, r.block())
	}
	for _, call := range absent {
		program = join(program, on(call, unknown))
	}
	program = join(program, from(newest+1, unknown))
	for _, r := range ranges(slices.Concat(common, own)) {
		program = join(program, unlessFrom(r[0], refused), unlessFrom(r[1]+1, allowed))
	}
	return join(program, verdict(refused))
}

// block returns the rule as a part of the filter, which other calls skip.
func (r rule) block() block {
	return join(block{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r.call, SkipTrue: uint8(len(r.decide))}}, r.decide)
}

// encode makes an array of struct sock_filter.
func encode(program block) []byte {
	instructions, err := bpf.Assemble(program)
	if err != nil {
		panic("sandbox: " + err.Error()) // the program is constant
	}
	var out []byte
	for _, i := range instructions {
		out = binary.NativeEndian.AppendUint16(out, i.Op)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, i.K)
	}
	return out
}

// ranges are the numbers as ascending pairs of first and last.
func ranges(calls []uint32) [][2]uint32 {
	slices.Sort(calls)
	var out [][2]uint32
	for _, call := range calls {
		if last := len(out) - 1; last >= 0 && call <= out[last][1]+1 {
			out[last][1] = call
		} else {
			out = append(out, [2]uint32{call, call})
		}
	}
	return out
}
