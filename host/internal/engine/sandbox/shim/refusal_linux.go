package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// refused returns an error of a system call, with its purpose.
func refused(call, purpose string, err error) error {
	return fmt.Errorf("%s: %w", purpose, os.NewSyscallError(call, err))
}

// report sends the server the reason why the step failed. The server may not read it.
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

// rename gives the process's own UTS namespace a host name that is the same for every engine. If a
// container refuses that, the engine sees the host name of the container, and the shim reports this
// to the server.
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
