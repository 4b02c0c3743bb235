package sandbox

import (
	"debug/elf"

	"golang.org/x/sys/unix"
)

const (
	machine      = unix.AUDIT_ARCH_X86_64
	otherNumbers = 0x40000000 // first number of x32
)

// own are the system calls that an engine may make on this machine in addition to the common ones:
// older forms of them.
var own = []uint32{
	unix.SYS_ACCESS, unix.SYS_ALARM, unix.SYS_ARCH_PRCTL, unix.SYS_CHMOD, unix.SYS_CREAT, unix.SYS_DUP2,
	unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_FUTIMESAT, unix.SYS_GETDENTS,
	unix.SYS_GETPGRP, unix.SYS_LINK, unix.SYS_LSTAT, unix.SYS_MKDIR, unix.SYS_NEWFSTATAT, unix.SYS_OPEN,
	unix.SYS_PAUSE, unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_READLINK, unix.SYS_RENAME, unix.SYS_RMDIR,
	unix.SYS_SELECT, unix.SYS_SIGNALFD, unix.SYS_STAT, unix.SYS_SYMLINK, unix.SYS_TIME, unix.SYS_UNLINK,
	unix.SYS_UTIME, unix.SYS_UTIMES,
}

const elfMachine = elf.EM_X86_64

// exitCode has the instructions: mov edi, probed / mov eax, SYS_exit_group / syscall.
var exitCode = []byte{0xbf, probed, 0, 0, 0, 0xb8, unix.SYS_EXIT_GROUP, 0, 0, 0, 0x0f, 0x05}
