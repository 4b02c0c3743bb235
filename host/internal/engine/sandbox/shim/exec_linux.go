package shim

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filter installs the filter of system calls, on this thread.
func (p *process) filter() error {
	const size = int(unsafe.Sizeof(unix.SockFilter{}))
	if len(p.Filter) < size || len(p.Filter)%size != 0 {
		return fmt.Errorf("%d bytes are not a filter", len(p.Filter))
	}
	program := unix.SockFprog{
		Len:    uint16(len(p.Filter) / size),
		Filter: (*unix.SockFilter)(unsafe.Pointer(unsafe.SliceData(p.Filter))),
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return refused("seccomp", "install the filter", errno)
	}
	return nil
}

// execute limits the resources and becomes the engine. The filter allows one exec, which must have
// the password. The password is the sixth argument, which the kernel ignores and the filter checks.
// The exec wipes the only memory that held it.
func (p *process) execute() error {
	argv, err := syscall.SlicePtrFromStrings(p.Argv)
	if err != nil {
		return err
	}
	environ, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return err
	}
	var empty [1]byte
	if err := p.limit(); err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(p.Program), uintptr(unsafe.Pointer(&empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&environ[0])), unix.AT_EMPTY_PATH, uintptr(p.Password))
	switch {
	case errors.Is(errno, unix.ENOENT) && p.Script:
		return fmt.Errorf("%w: its first line names an interpreter that its release does not declare readable", errno)
	case errors.Is(errno, unix.ENOENT): // the program itself is there: it is a descriptor
		return fmt.Errorf("%w: it is linked to libraries that it may not read; its Spec declares them as read_only_paths (to describe it, --read-only)", errno)
	}
	return refused("execveat", "start it", errno)
}
