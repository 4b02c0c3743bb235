package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// refused is an error of a system call, and what it was for.
func refused(call, purpose string, err error) error {
	return fmt.Errorf("%s: %w", purpose, os.NewSyscallError(call, err))
}

// report tells the host why the step failed. The host may not be listening.
func (p *process) report(step string, cause error) {
	refusal := Refusal{Step: step, Text: fmt.Sprintf("%s: %v", step, cause)}
	if call, ok := errors.AsType[*os.SyscallError](cause); ok {
		refusal.Call = call.Syscall
	}
	if errno, ok := errors.AsType[syscall.Errno](cause); ok {
		refusal.Errno = int(errno)
	}
	if message, err := json.Marshal(refusal); err == nil {
		_ = unix.Sendmsg(p.control, message, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	}
}

// rename gives the process's own UTS namespace a name that says nothing. A container may
// refuse that: then the engine sees the name that the container has, and the host is told.
func (p *process) rename() error {
	err := unix.Sethostname([]byte(EngineName))
	if err == nil {
		return nil
	}
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSYS) {
		return os.NewSyscallError("sethostname", err)
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return os.NewSyscallError("uname", err)
	}
	if unix.ByteSliceToString(name.Nodename[:]) != EngineName {
		p.name = NameIsHosts
	}
	return nil
}
