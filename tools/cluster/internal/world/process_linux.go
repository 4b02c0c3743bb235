package world

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program on a machine.
type Process struct {
	name  string
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // set before ended is closed

	mu     sync.Mutex
	output []string // the last lines
}

// StartOptions are the options of a start.
type StartOptions struct {
	Env   []string          // in addition to a plain environment
	Lines func(line string) // receives each line of output; nil keeps the last ones
}

const keptLines = 200

// Start starts a program on the machine. It ends with the context, or by Stop or Kill.
func (m *Machine) Start(ctx context.Context, o StartOptions, program string, args ...string) (*Process, error) {
	p := &Process{name: m.Name, ended: make(chan struct{})}
	// nsenter executes the program in its own process, so that signals reach the program. ip netns exec would hide
	// /sys/fs/cgroup.
	p.cmd = exec.CommandContext(ctx, "nsenter", append([]string{"--net=/run/netns/" + m.Name, "--", program}, args...)...)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/root"}, o.Env...)
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = write, write
	err = p.cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, fmt.Errorf("start %s on %s: %w", program, m.Name, err)
	}
	if o.Lines == nil {
		o.Lines = p.keep
	}
	go p.listen(read, o.Lines)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *Process) listen(from io.ReadCloser, line func(string)) {
	defer from.Close()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line(lines.Text())
	}
	_, _ = io.Copy(io.Discard, from)
}

func (p *Process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = append(p.output, line)
	if len(p.output) > keptLines {
		p.output = p.output[len(p.output)-keptLines:]
	}
}

// Output returns the last lines of the program's output.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.output, "\n")
}

// ErrStopped reports that a program did not end on request and was killed.
var ErrStopped = errors.New("it did not end in time and was killed")

// Stop asks the program to end, waits for the end and returns its error. After the given time it kills the
// program.
func (p *Process) Stop(within time.Duration) error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		return p.err
	case <-time.After(within):
		p.Kill()
		return fmt.Errorf("%s: %w", p.name, ErrStopped)
	}
}

// Kill kills the program.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// Signal sends a signal, such as SIGSTOP and SIGCONT.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Ended reports whether the program has ended by itself, and its error.
func (p *Process) Ended() (bool, error) {
	select {
	case <-p.ended:
		return true, p.err
	default:
		return false, nil
	}
}
