package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox/shim"
)

// firstFile is the descriptor of the first of a command's extra files.
const firstFile = 3

// inodes that an engine's file system may hold.
const inodes = 128

// Confine implements [process.Confiner]. The command becomes the shim, which receives everything
// else on a socket.
func (j *Sandbox) Confine(s *process.Start) (*process.Confined, error) {
	system, err := j.plan(s.ReadOnly)
	if err != nil {
		return nil, err
	}
	c, err := j.confine(s, system)
	if err != nil {
		return nil, err
	}
	return &process.Confined{Reach: c.reach, Release: c.release}, nil
}

// confine is Confine for a process that sees these entries of the system.
func (j *Sandbox) confine(s *process.Start, system []shim.Entry) (*confinement, error) {
	script, err := isScript(s.Program)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	if script && len(system) == 0 {
		return nil, errors.New("the engine is a script, and its release declares no read-only paths to find an interpreter in")
	}
	c, err := newConfinement(j.groups, s.LowPriority)
	if err != nil {
		return nil, err
	}
	program := firstFile + len(s.Command.ExtraFiles)
	password := newPassword()
	err = c.configure(&shim.Config{
		Argv: s.Command.Args, Program: program, Script: script, Password: password,
		Groups: c.group.tasks, Nice: j.groups.nice(s.LowPriority),
		Bytes: j.disk, Files: inodes, System: system,
		IDs: j.way.ids, User: j.way.user(), Limits: j.limits,
		Landlock: j.landlock, Filter: filter(program, password, j.hostName && len(system) == 0),
	})
	if err != nil {
		c.release()
		return nil, fmt.Errorf("hand over the configuration: %w", err)
	}
	s.Command.Path = "/proc/self/exe"
	s.Command.Args = []string{shim.Name, strconv.Itoa(program + 1)}
	s.Command.Env = withHome(s.Command.Env)
	s.Command.Dir = "/"
	s.Command.SysProcAttr = j.way.attributes(c.group)
	s.Command.ExtraFiles = append(slices.Clip(s.Command.ExtraFiles), s.Program, c.theirs)
	return c, nil
}

// isScript reports whether the kernel will look for an interpreter.
func isScript(program *os.File) (bool, error) {
	var start [2]byte
	if _, err := program.ReadAt(start[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(start[:]) == "#!", nil
}

// newPassword returns a random password from the kernel. An engine cannot guess it, because each
// guess costs one exec.
func newPassword() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.NativeEndian.Uint64(b[:])
}

// withHome sets the variables that name the engine's directory to the path that the engine sees.
func withHome(environ []string) []string {
	out := slices.Clone(environ)
	for i, variable := range out {
		if name, _, _ := strings.Cut(variable, "="); name == "TMPDIR" || name == "PLUGIN_UNIX_SOCKET_DIR" {
			out[i] = name + "=" + shim.Home
		}
	}
	return out
}

// configure sends the configuration. The message stays in the socket until the shim reads it.
func (c *confinement) configure(config *shim.Config) error {
	message, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return unix.Sendto(int(c.ours.Fd()), message, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
}
