package sandbox

import (
	"debug/elf"

	"golang.org/x/sys/unix"
)

const (
	machine      = unix.AUDIT_ARCH_AARCH64
	otherNumbers = 0 // none
)

// own are the system calls that an engine may make on this machine in addition to the common ones.
var own = []uint32{unix.SYS_FSTATAT}

const elfMachine = elf.EM_AARCH64

// exitCode has the instructions: mov x0, probed / mov x8, SYS_exit_group / svc 0.
var exitCode = []byte{
	probed << 5 & 0xff, probed >> 3, 0x80, 0xd2,
	unix.SYS_EXIT_GROUP<<5&0xff | 8, unix.SYS_EXIT_GROUP >> 3, 0x80, 0xd2,
	0x01, 0, 0, 0xd4,
}
