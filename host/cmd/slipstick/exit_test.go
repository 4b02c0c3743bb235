package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// Errors of rooms have their exit codes, also inside others; what a command says itself
// goes before.
func TestExitCodes(t *testing.T) {
	notFound := problem.New(problem.CodeEngineNotFound, "Look at the list.", "there is none")
	for _, tt := range []struct {
		err  error
		code int
		says string
	}{
		{nil, exitOK, ""},
		{errors.New("a disk failed"), exitInternal, "a disk failed"},
		{&failure{exitMisuse, errors.New("a flag")}, exitMisuse, "a flag"},
		{fmt.Errorf("within: %w", &failure{exitFailed, errors.New("a no")}), exitFailed, "within: a no"},
		{&typed.ArgumentError{Argument: "X"}, exitMisuse, "name=value"},
		{&table.InputError{Err: errors.New("no file")}, exitMisuse, "no file"},
		{fmt.Errorf("host: %w", &source.SettingError{Err: errors.New("no trust")}), exitMisuse, "host: no trust"},
		{&failure{exitFailed, &source.SettingError{Err: errors.New("no trust")}}, exitFailed, "no trust"},
		{&source.LogError{Err: errors.New("behind")}, exitFailed, "behind"},
		{&audit.NotPublishedError{Capability: "a.b", Version: "1.0.0"}, exitFailed, "a.b 1.0.0 is not published"},
		{notFound, exitFailed, "ENGINE_NOT_FOUND: there is none\n  slipstick list shows"},
		{errors.Join(notFound), exitFailed, "ENGINE_NOT_FOUND: there is none\n  slipstick list shows"}, // as the command line returns it
		{fmt.Errorf("the batch ended: %w", notFound), exitInternal, "the batch ended: "},
		{problem.Unavailable("a.b", "1.0.0", errors.New("killed")), exitInternal, "because: killed"},
	} {
		var said strings.Builder
		if code := ended(&said, tt.err); code != tt.code || !strings.Contains(said.String(), tt.says) || (said.Len() == 0) != (tt.err == nil) {
			t.Errorf("%v: %d, want %d and %q\n%s", tt.err, code, tt.code, tt.says, said.String())
		}
	}
}
