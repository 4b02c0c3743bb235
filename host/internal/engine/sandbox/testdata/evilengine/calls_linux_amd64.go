package main

import (
	"context"

	"golang.org/x/sys/unix"
)

func init() {
	for name, call := range map[string]uintptr{
		"iopl": unix.SYS_IOPL, "ioperm": unix.SYS_IOPERM, "modify_ldt": unix.SYS_MODIFY_LDT, "kexec_file_load": unix.SYS_KEXEC_FILE_LOAD,
		"uselib": unix.SYS_USELIB,
	} {
		dangerous[name] = call
	}
	uses["x32"] = func(context.Context) int { // the same machine by other numbers
		pid, _, _ := unix.RawSyscall(0x40000000+unix.SYS_GETPID, 0, 0, 0)
		return int(pid)
	}
}
