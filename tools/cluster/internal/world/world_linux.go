// Package world provides the machines of a test: network namespaces, the cables between them, and their processes.
// Use [Run] to start a program in a world, and [Enter] to create its [Testbed]. Everything is in namespaces of one
// process, so the kernel ends and removes all of it when that process ends for any reason.
package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// insideVar is set for the process in the world.
const insideVar = "SLIPSTICK_CLUSTER_INSIDE"

// Inside reports whether this process is in a world.
func Inside() bool { return os.Getenv(insideVar) != "" }

// UnavailableError reports why this machine cannot create a world.
type UnavailableError struct{ Err error }

// Error returns the reason, with advice.
func (e *UnavailableError) Error() string {
	return "network namespaces cannot be made here: " + e.Err.Error() + "; run it as root, in a container with CAP_SYS_ADMIN and CAP_NET_ADMIN"
}

// Unwrap returns the error of the system.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Run runs this program again, with the same arguments, as the first process of new process, network and mount
// namespaces, and returns its exit code. The new process ends with this process. If such namespaces cannot be
// created, the error is an [UnavailableError].
func Run(ctx context.Context) (code int, err error) {
	// The kernel ends the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), insideVar+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true, // only this process forwards an interrupt of the terminal
	}
	if err := cmd.Start(); err != nil {
		return 0, &UnavailableError{err}
	}
	err = cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// Testbed is the world of this process.
type Testbed struct {
	dir string
}

// Enter creates the world around this process: its own /proc and /run, and a directory of files that is removed
// with everything else. The directories in settings are empty in the world, so that a test can put its own files
// there.
func Enter(settings ...string) (*Testbed, error) {
	signal.Ignore(syscall.SIGHUP)
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return nil, &UnavailableError{err}
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return nil, &UnavailableError{fmt.Errorf("mount /proc: %w", err)}
	}
	for _, dir := range append([]string{"/run"}, settings...) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=755"); err != nil {
			return nil, &UnavailableError{fmt.Errorf("mount %s: %w", dir, err)}
		}
	}
	w := &Testbed{dir: "/run/cluster"}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	if err := run("ip", "link", "set", "lo", "up"); err != nil {
		return nil, &UnavailableError{err}
	}
	return w, nil
}

// Dir creates a directory of the world, in memory.
func (w *Testbed) Dir(name string) (string, error) {
	dir := filepath.Join(w.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// run runs a system tool to its end.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
