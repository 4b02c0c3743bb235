// Package command has the shared parts of all slipstick commands: flags, streams, exit codes, and access to the
// registry and its engines. The packages below it implement the commands.
//
// A command returns an error with an exit code, through [Misuse], [Refused] or [Internal]. [End] prints the error
// and returns the code. Flags that several commands have are types, such as [RegistryFlags] and [SandboxFlags].
package command

import (
	"io"
	"time"

	"github.com/slipstick/slipstick/versions"
)

// Streams are the input and output of a command. Results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Pins returns the pins that the flag --pin means.
func Pins(pin string) []versions.Pin {
	if pin == "" {
		return nil
	}
	return []versions.Pin{{Place: versions.InCommand, Name: "--pin", Value: pin}}
}

// EngineTime is the time in which an engine must answer a probe while a command computes many results. It is
// long, so that a command on a busy machine does not replace slow engines.
const EngineTime = 5 * time.Second
