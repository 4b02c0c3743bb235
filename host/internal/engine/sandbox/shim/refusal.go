package shim

// Refusal is the step at which the system did not let a process shut itself in. The shim sends
// it on the control descriptor, as one JSON message, before it ends.
type Refusal struct {
	Step  string // what the shim was doing, one of a fixed list
	Call  string // the system call that was refused, "" if none was
	Errno int    // of the system call
	Text  string // the whole of it, for people
}

// MountProc is the call of a Refusal to mount a /proc. It is told apart from other mounts,
// because the kernel has reasons of its own to refuse it.
const MountProc = "mount proc"

// What the message that carries [Home] says of the host name that the engine sees.
const (
	NameIsEngine byte = iota // the same for every engine
	NameIsHosts              // that of the host, which the system does not let the shim change
)

// EngineName is the host name that engines see.
const EngineName = "engine"
