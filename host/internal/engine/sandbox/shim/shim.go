// Package shim is the first half of an engine's life: the program that shuts itself
// in and then becomes the engine.
//
// The host re-executes its own binary under [Name] in new namespaces; importing this
// package is what makes a binary answer to that name. It does so in an init function,
// before flags, and must import little: Go initializes packages as soon as what they
// import is ready, and what is initialized before this one (nearly nothing, if it
// stays so) is paid for at every start of an engine.
package shim

// Name is the argument zero that makes the host's binary the shim. The one other
// argument is the number of the control descriptor.
const Name = "slipstick-sandbox"

// Home is the only directory that a confined engine can write: its sockets are made
// there. It belongs to that process alone.
const Home = "/run"

// Failed is the exit code of a shim that could not confine itself; standard error
// says why.
const Failed = 125

// Config is what the host sends on the control descriptor, as one JSON message. The
// shim answers with one message of one byte, [NameIsEngine] or [NameIsHosts], that carries
// a descriptor of [Home]. If a step fails, the last message is a [Refusal]. The socket
// tells the shim whether the host still lives.
type Config struct {
	Argv     []string // of the engine; its environment is the shim's own
	Program  int      // descriptor of the executable; all above it are closed
	Script   bool     // an interpreter has to read the program, so the engine keeps it
	Password uint64   // what the filter asks of the one permitted exec

	Groups []string // tasks files of cgroups to join
	Nice   int      // where no cgroup shares out the processor

	Bytes  int64   // size of the file system
	Files  int     // that it may hold
	System []Entry // what of the system is visible, parents first; none: no /proc, no /dev

	IDs    uint32  // first of the user ids, to which the process id is added; 0 in a user namespace
	User   int     // to become at once in a user namespace, 0 if this is it already
	Limits []Limit // as for setrlimit

	Landlock int    // version of the kernel's interface, 0 without
	Filter   []byte // of system calls: struct sock_filter of the machine
}

// Entry is one name in the engine's file system.
type Entry struct {
	Path   string // absolute
	Kind   Kind
	Target string // of a Link

	Device, Inode uint64 // of a Tree or File: what the host has looked at, and nothing else, is shown
}

// Kind is what an Entry is.
type Kind string

// The kinds.
const (
	Directory Kind = "directory" // an empty one, to hold others
	Link      Kind = "link"      // symbolic
	Tree      Kind = "tree"      // the host's directory of that name, read-only
	File      Kind = "file"      // the host's file of that name, read-only
)

// Limit is one resource limit.
type Limit struct {
	Resource int
	Max      uint64
}
