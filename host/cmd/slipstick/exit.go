package main

import (
	"errors"
	"fmt"
	"io"

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

// Exit codes, which exitCodes tells people.
const (
	exitOK       = 0
	exitFailed   = 1 // the command ran and the answer is no
	exitMisuse   = 2 // the command line is wrong, or a file that it names
	exitInternal = 3 // the command could not do its work
)

// codes are the exit codes of the errors of rooms. Every other error says that the command
// could not do its work.
var codes = []struct {
	is   func(error) bool
	code int
}{
	{is[*typed.ArgumentError], exitMisuse},
	{is[*table.InputError], exitMisuse},
	{is[*source.SettingError], exitMisuse},
	{is[*source.LockError], exitFailed},
	{is[*source.ChangeError], exitFailed},
	{is[*source.KeysLostError], exitFailed},
	{is[*develop.DirError], exitMisuse},
	{isOf(build.ErrNoGo), exitMisuse},
	{is[*build.FailedError], exitFailed},
	{isOf(client.ErrPackage), exitMisuse},
	{isOf(client.ErrMismatch), exitFailed},
	{isOf(compat.ErrOther), exitMisuse},
	{is[*source.LogError], exitFailed},
	{is[*server.LossError], exitFailed},
	{is[*audit.NotPublishedError], exitFailed},
	{is[*rebuild.UnnamedError], exitFailed},
	{is[*rebuild.SourceError], exitMisuse},
	{is[*stored.InputError], exitMisuse},
	{is[*study.FormError], exitMisuse},
	{is[*queue.URLError], exitMisuse},
	{is[*queue.JobError], exitFailed},
	{is[*queue.TakenError], exitFailed},
	{is[*queue.SettingError], exitFailed},
	{isOf(queue.ErrEmpty), exitFailed},
	{is[*shards.FileError], exitMisuse},
	{is[*shards.DiffersError], exitMisuse},
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isOf(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// exitCode is the exit code of an error.
func exitCode(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	for _, c := range codes {
		if c.is(err) {
			return c.code
		}
	}
	return exitInternal
}

// failure is an error with an exit code. Its text has been made for people.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string {
	if p, ok := problemOf(f.err); ok {
		return terminal.Problem(p)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// describeProblem makes the problem an error for people, with the exit code that
// goes with it.
func describeProblem(p *problem.Problem) error {
	if p.Status() >= 500 {
		return &failure{exitInternal, p}
	}
	return &failure{exitFailed, p}
}

// problemOf returns the problem that an error is. One that says more keeps its words.
func problemOf(err error) (*problem.Problem, bool) {
	p, ok := errors.AsType[*problem.Problem](err)
	return p, ok && p.Error() == err.Error()
}

// ended says why a command failed, and returns its exit code.
func ended(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if p, ok := problemOf(err); ok {
		err = describeProblem(p)
	}
	fmt.Fprintln(w, "slipstick:", err)
	return exitCode(err)
}
