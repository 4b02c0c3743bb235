package shim

// Refusal is the step at which the system did not let a process confine itself. The shim sends it
// on the control descriptor, as one JSON message, before it ends.
type Refusal struct {
	Step  string // what the shim was doing, one of a fixed list
	Call  string // the system call that was refused, "" if none was
	Errno int    // of the system call
	Text  string // the whole of it, for people
}

// MountProc is the call of a Refusal to mount a /proc. It differs from the call of other mounts,
// because the kernel has additional reasons to refuse it.
const MountProc = "mount proc"

// Values of the message that carries [Home]: the host name that the engine sees.
const (
	NameIsEngine byte = iota // the same for every engine
	NameIsHosts              // the host name of the server, which the system does not let the shim change
)

// EngineName is the host name that engines see.
const EngineName = "engine"
