// Package shim is the program that confines itself and then becomes the engine.
//
// The server re-executes its own binary under [Name] in new namespaces. A binary that imports this
// package runs the shim if its argument zero is [Name].
//
// The shim runs in an init function, before flags are read. This package must import little. Go
// initializes a package as soon as its imports are ready. Every start of an engine pays for the
// packages that are initialized before this one.
package shim

// Name is the argument zero that makes the server's binary the shim. The only other argument is the
// number of the control descriptor.
const Name = "slipstick-sandbox"

// Home is the only directory that a confined engine can write. The engine makes its sockets there.
// No other process uses it.
const Home = "/run"

// Failed is the exit code of a shim that could not confine itself. Standard error has the reason.
const Failed = 125

// Config is the configuration that the server sends on the control descriptor, as one JSON message.
// The shim answers with one message of one byte, [NameIsEngine] or [NameIsHosts], that carries a
// descriptor of [Home]. If a step fails, the last message is a [Refusal]. The shim polls the socket
// to learn whether the server still runs.
type Config struct {
	Argv     []string // of the engine; its environment is the shim's own
	Program  int      // descriptor of the executable; all above it are closed
	Script   bool     // an interpreter has to read the program, so the engine keeps it
	Password uint64   // the password that the filter requires of the one permitted exec

	Groups []string // tasks files of cgroups to join
	Nice   int      // niceness, without a cgroup for the CPU

	Bytes  int64   // size of the file system
	Files  int     // largest number of files in it
	System []Entry // the visible entries of the system, parents first; none: no /proc, no /dev

	IDs    uint32  // first of the user ids, to which the process id is added; 0 in a user namespace
	User   int     // user to become at once in a user namespace, 0 if it is the user already
	Limits []Limit // as for setrlimit

	Landlock int    // version of the kernel's interface, 0 without
	Filter   []byte // of system calls: struct sock_filter of the machine
}

// Entry is one name in the engine's file system.
type Entry struct {
	Path   string // absolute
	Kind   Kind
	Target string // of a Link

	Device, Inode uint64 // of a Tree or File: only the file that the server has checked is shown
}

// Kind is the kind of an Entry.
type Kind string

// The kinds.
const (
	Directory Kind = "directory" // an empty one, to hold others
	Link      Kind = "link"      // symbolic
	Tree      Kind = "tree"      // the server's directory of that name, read-only
	File      Kind = "file"      // the server's file of that name, read-only
)

// Limit is one resource limit.
type Limit struct {
	Resource int
	Max      uint64
}
