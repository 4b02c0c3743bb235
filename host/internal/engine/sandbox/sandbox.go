// Package sandbox answers one question: what may an engine process do? It may compute, and
// answer its host.
//
// A confined process is alone: in its own PID, network, IPC, mount and UTS namespaces,
// as a user of its own, without capabilities or a way to gain any. Its file system is
// a small one in memory, plus the paths of the system that its release declares. A
// filter of system calls allows threads, but no processes and no exec, and Unix
// sockets, but no others. Landlock is a second barrier for files. Resource limits and
// cgroups bound what it can use. It dies with its host.
//
// An engine may be a script whose release declares the read-only paths of its
// interpreter. The interpreter is the one on the first line, which env cannot look up,
// and it gets the script as /dev/fd/N: Node needs --preserve-symlinks-main for that.
//
// The child package shim is the half that runs in the new process.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
)

// ErrUnavailable is wrapped by the error of New on a system that cannot confine
// engines. The text explains what the system refuses and what to do.
var ErrUnavailable = errors.New("engines cannot be confined")

// Options of a Sandbox. The zero value is usable.
type Options struct {
	Limits Limits

	// Readable has the paths of the system, with everything below them, that engines may
	// read if their release asks for it. A release declares what its author needs; this is
	// what the operator allows. Nil means DefaultReadable.
	Readable []string

	// Private has files and directories that engines may never read, whatever Readable
	// allows and the release asks for. An engine that could read them is not started. This
	// is checked before every start.
	Private []Private

	// Name is what the names of the cgroups begin with. The default, slipstick-<pid>-
	// and the time at which the process began, is what Sweep recognizes.
	Name string
}

// DefaultReadable returns where systems keep interpreters and their libraries. What was
// installed beside the system, as in /opt, can be anything, a host with its keys too: the
// operator names it.
func DefaultReadable() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache"}
}

// Limits of one engine process. Zero is the default of each.
type Limits struct {
	Memory    int64 // bytes, 256 MiB
	Tasks     int   // threads, 64
	OpenFiles int   // descriptors, 64
	Disk      int64 // bytes of its file system, which is memory; 1 MiB
	CPUShares int   // of the processor, where an ordinary task has 1024; 1024
}

// complete returns the limits with their defaults, or why an engine could not run in
// them.
func (l Limits) complete() (Limits, error) {
	l = Limits{
		Memory:    cmp.Or(l.Memory, 256<<20),
		Tasks:     cmp.Or(l.Tasks, 64),
		OpenFiles: cmp.Or(l.OpenFiles, 64),
		Disk:      cmp.Or(l.Disk, 1<<20),
		CPUShares: cmp.Or(l.CPUShares, 1024),
	}
	for _, limit := range []struct {
		name       string
		value, min int64
	}{
		{"memory", l.Memory, 128 << 20}, // a Go program takes 64 MiB at a time
		{"tasks", int64(l.Tasks), 16},
		{"open files", int64(l.OpenFiles), 16},
		{"disk", l.Disk, 64 << 10},
		{"CPU shares", int64(l.CPUShares), 2},
	} {
		if limit.value < limit.min {
			return l, fmt.Errorf("limit of %s is %d: no engine runs with less than %d", limit.name, limit.value, limit.min)
		}
	}
	return l, nil
}
