// Package sandbox confines engine processes. A confined engine can compute, and answer its server.
//
// [New] tries the sandbox on this machine. The [Sandbox] confines each process that package process
// launches with its Confiner. [Sandbox.Missing] lists the protections that this machine lacks. The
// error [Unavailable] has the permissions that an operator must grant.
//
// A confined process is isolated in its own PID, network, IPC, mount and UTS namespaces. It has its
// own user and no capabilities, and cannot gain any. It sees a small file system in memory, plus
// the paths of the system that its release declares. A filter of system calls allows threads, but
// no processes and no exec, and Unix sockets, but no others. Landlock is a second barrier for
// files. Resource limits and cgroups bound the resources that it can use. It ends when its server
// ends.
//
// An engine may be a script if its release declares the read-only paths of its interpreter. The
// first line of the script names the interpreter. The interpreter cannot be env, which would have
// to look it up. It receives the script as /dev/fd/N. Node needs --preserve-symlinks-main for that.
//
// The child package shim runs in the new process.
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
)

// ErrUnavailable is wrapped by the error of New on a system that cannot confine
// engines. The text explains what the system refuses and what to do.
var ErrUnavailable = errors.New("engines cannot be confined")

// Options of a Sandbox. The zero value confines engines as far as the system can.
type Options struct {
	None   bool // run engines without a sandbox
	Limits Limits

	// Readable has the paths of the system that engines may read, with everything below them, if
	// their release asks for it. A release declares the paths that its author needs; these are the
	// paths that the operator allows. Nil means DefaultReadable.
	Readable []string

	// Private has files and directories that engines may never read, whatever Readable
	// allows and the release asks for. An engine that could read them is not started. This
	// is checked before every start.
	Private []Private

	// Name is the prefix of the names of the cgroups. [Sweep] recognizes only the default, which
	// has the process id and the start time of the process.
	Name string
}

// Absence is the reason why engines are not confined.
type Absence string

// The reasons.
const (
	NotAbsent    Absence = ""         // engines are confined
	Unwanted     Absence = "unwanted" // the operator turned the sandbox off
	NotSupported Absence = "system"   // the sandbox does not support this operating system
)

// Absence returns why engines are not confined, or NotAbsent if they are.
func (j *Sandbox) Absence() Absence { return j.absence }

// DefaultReadable returns the directories in which systems keep interpreters and their libraries.
// Other directories, such as /opt, can contain anything, even the keys of a server. So the operator
// must name them.
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

// complete returns the limits with their defaults, or an error if an engine could not run within
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
