package command

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/queue"
	"github.com/slipstick/slipstick/host/internal/queue/shards"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/client"
	"github.com/slipstick/slipstick/host/internal/release/develop"
	"github.com/slipstick/slipstick/host/internal/release/rebuild"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// Exit codes. [ExitCodes] describes them to users.
const (
	ExitOK       = 0
	ExitFailed   = 1 // the command ran, and the answer is no
	ExitMisuse   = 2 // the command line is wrong, or a file that it names
	ExitInternal = 3 // the command could not do its work
)

// ExitCodes describes the exit codes in help texts and in the manual.
const ExitCodes = `Exit codes, of every command (slipstick explain 1 has examples):

  0  it was done, or the answer is yes
  1  the answer is no: an input, a version, an engine or a release was refused
  2  the command line is wrong, or a file that it names
  3  it could not be done: the registry, the network, the disk or an engine failed`

// codes maps the errors of other packages to exit codes. The code of any other error is [ExitInternal].
var codes = []struct {
	is   func(error) bool
	code int
}{
	{Is[*typed.ArgumentError], ExitMisuse},
	{Is[*table.InputError], ExitMisuse},
	{Is[*source.SettingError], ExitMisuse},
	{Is[*source.LockError], ExitFailed},
	{Is[*source.ChangeError], ExitFailed},
	{Is[*source.KeysLostError], ExitFailed},
	{Is[*develop.DirError], ExitMisuse},
	{isOf(build.ErrNoGo), ExitMisuse},
	{Is[*build.FailedError], ExitFailed},
	{isOf(client.ErrPackage), ExitMisuse},
	{isOf(client.ErrMismatch), ExitFailed},
	{isOf(compat.ErrOther), ExitMisuse},
	{Is[*source.LogError], ExitFailed},
	{Is[*server.LossError], ExitFailed},
	{Is[*audit.NotPublishedError], ExitFailed},
	{isOf(audit.ErrStated), ExitMisuse},
	{Is[*rebuild.UnnamedError], ExitFailed},
	{Is[*rebuild.SourceError], ExitMisuse},
	{Is[*stored.InputError], ExitMisuse},
	{Is[*study.FormError], ExitMisuse},
	{Is[*queue.URLError], ExitMisuse},
	{Is[*queue.JobError], ExitFailed},
	{Is[*queue.TakenError], ExitFailed},
	{Is[*queue.SettingError], ExitFailed},
	{isOf(queue.ErrEmpty), ExitFailed},
	{Is[*shards.FileError], ExitMisuse},
	{Is[*shards.DiffersError], ExitMisuse},
	{isMissing, ExitMisuse},
}

// isMissing reports whether the command line names a file that does not exist.
func isMissing(err error) bool {
	f, ok := errors.AsType[*FileError](err)
	return ok && f.missing()
}

// Is reports whether err or an error that it wraps has the type E.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isOf(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code
	}
	for _, c := range codes {
		if c.is(err) {
			return c.code
		}
	}
	return ExitInternal
}

// Failure is an error with an exit code and a text for users.
type Failure struct {
	Code int
	Err  error
}

func (f *Failure) Error() string {
	if p, ok := problemOf(f.Err); ok {
		return terminal.Problem(p)
	}
	return f.Err.Error()
}

// Unwrap returns the error without the exit code.
func (f *Failure) Unwrap() error { return f.Err }

// Misuse returns err with [ExitMisuse].
func Misuse(err error) error { return &Failure{ExitMisuse, err} }

// Refused returns err with [ExitFailed].
func Refused(err error) error { return &Failure{ExitFailed, err} }

// Internal returns err with [ExitInternal].
func Internal(err error) error { return &Failure{ExitInternal, err} }

// describeProblem returns the problem with its exit code.
func describeProblem(p *problem.Problem) error {
	if p.Status() >= 500 {
		return Internal(p)
	}
	return Refused(p)
}

// problemOf returns the problem in an error, unless the error adds text to it.
func problemOf(err error) (*problem.Problem, bool) {
	p, ok := errors.AsType[*problem.Problem](err)
	return p, ok && p.Error() == err.Error()
}

// End prints why a command failed, and returns its exit code.
func End(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	if p, ok := problemOf(err); ok {
		err = describeProblem(p)
	}
	fmt.Fprintln(w, "slipstick:", err)
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		terminal.Printf(w, "  More: slipstick explain %s\n", p.Code)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		fmt.Fprintln(w, "  No program answers at that URL. Check the URL, or start the server.")
	}
	return exitCode(err)
}
