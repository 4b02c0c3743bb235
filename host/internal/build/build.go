// Package build answers one question: does this source make an engine's executable?
package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// ErrNoGo means that nothing can be built on this machine.
var ErrNoGo = errors.New("go is needed to build the engine: https://go.dev/doc/install")

// Available returns ErrNoGo if Go is not installed.
func Available() error {
	if _, err := exec.LookPath("go"); err != nil {
		return ErrNoGo
	}
	return nil
}

// FailedError holds the compiler's messages about the source.
type FailedError struct{ Output []byte }

// Error leaves the faults to Output.
func (*FailedError) Error() string { return "it does not build" }

// Engine builds the program in a directory for this platform, as a file of that name, which
// must be absolute. The error is a [*FailedError].
func Engine(ctx context.Context, dir, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", to, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return &FailedError{out}
	}
	return nil
}
