// Package server starts programs that serve HTTP, and measures them while they run. See [Start].
package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is a running program that serves HTTP.
type Server struct {
	URL  string
	Took time.Duration // from its start to its line with the URL

	cmd        *exec.Cmd
	transcript transcript
}

// serving matches the line on stderr with the URL of a program.
var serving = regexp.MustCompile(`: serving (http://[^ ]+)`)

// StartTime is the usual time limit until a program serves. Hundreds of engines may have to start.
const StartTime = 2 * time.Minute

const stopTime = 20 * time.Second

// Options for starting a server.
type Options struct {
	Env    []string      // variables, in addition to the environment of this process
	Within time.Duration // time limit until it serves
	URL    string        // for a program that does not print it; it serves when it answers /health
}

// Start starts the program and returns when it serves. It runs until Stop, or until
// the context ends.
func Start(ctx context.Context, program string, args ...string) (*Server, error) {
	return StartWith(ctx, Options{Within: StartTime}, program, args...)
}

// StartWith is Start with options.
func StartWith(ctx context.Context, o Options, program string, args ...string) (*Server, error) {
	s := &Server{URL: o.URL, cmd: exec.CommandContext(ctx, program, args...)}
	s.cmd.Env = append(append(environment(), "SLIPSTICK_DRAIN_DELAY=0"), o.Env...) // there is no load balancer to wait for
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = stopTime
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan error, 3) // one from each of: its line, its health, its end
	s.transcript.ended = make(chan struct{})
	go s.listen(stderr, began, ready)
	if o.URL != "" {
		go s.awaitHealth(ready)
	}
	select {
	case err = <-ready:
		if err == nil && o.URL != "" {
			s.Took = time.Since(began)
		}
	case <-time.After(o.Within):
		err = fmt.Errorf("it does not serve after %s", o.Within)
	}
	if err != nil {
		_ = s.Stop()
		return nil, fmt.Errorf("%s: %w; it printed: %s", strings.Join(s.cmd.Args, " "), err, strings.Join(s.Transcript(), "\n"))
	}
	return s, nil
}

// awaitHealth asks for /health until the program answers or ends.
func (s *Server) awaitHealth(ready chan<- error) {
	for {
		if resp, err := http.Get(s.URL + "/health"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				ready <- nil
				return
			}
		}
		select {
		case <-s.transcript.ended:
			return
		case <-time.After(lookEvery):
		}
	}
}

// environment returns the environment without the variables that configure Slipstick.
func environment() []string {
	var kept []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLIPSTICK_") && !strings.HasPrefix(v, "OTEL_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// transcript is the output of a program on stderr after it has started to serve.
type transcript struct {
	sync.Mutex
	lines []string
	ended chan struct{}
}

const maxLines = 1000

func (s *Server) listen(stderr io.Reader, began time.Time, ready chan<- error) {
	defer close(s.transcript.ended)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := serving.FindStringSubmatch(lines.Text()); m != nil && s.URL == "" {
			s.URL, s.Took = m[1], time.Since(began)
			ready <- nil
			continue
		}
		s.transcript.Lock()
		if len(s.transcript.lines) < maxLines {
			s.transcript.lines = append(s.transcript.lines, lines.Text())
		}
		s.transcript.Unlock()
	}
	_, _ = io.Copy(io.Discard, stderr) // a line that is too long
	ready <- errors.New("it ended before it served")
}

// Transcript returns the output of the program on stderr, without the line with the URL.
func (s *Server) Transcript() []string {
	s.transcript.Lock()
	defer s.transcript.Unlock()
	return append([]string(nil), s.transcript.lines...)
}

// lookEvery is the interval for checking the transcript.
const lookEvery = 50 * time.Millisecond

// AwaitLine returns when the program has printed a line with the text.
func (s *Server) AwaitLine(ctx context.Context, text string, within time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	for {
		if slices.ContainsFunc(s.Transcript(), func(line string) bool { return strings.Contains(line, text) }) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it did not print %q: %w", text, ctx.Err())
		case <-s.transcript.ended:
			return fmt.Errorf("it ended before it printed %q", text)
		case <-time.After(lookEvery):
		}
	}
}

// Stop asks the program to end, and waits for it. After a timeout it kills the program.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(stopTime, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	<-s.transcript.ended // Wait closes the pipe
	err := s.cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) && !exit.Exited() {
		return nil // ended by the signal
	}
	return err
}
