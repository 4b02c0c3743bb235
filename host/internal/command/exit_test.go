package command

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// Errors of other packages have their exit codes, even if another error wraps them. The code of a Failure takes
// precedence.
func TestExitCodes(t *testing.T) {
	notFound := problem.New(problem.CodeEngineNotFound, "Look at the list.", "there is none")
	for _, tt := range []struct {
		err  error
		code int
		says string
	}{
		{nil, ExitOK, ""},
		{errors.New("a disk failed"), ExitInternal, "a disk failed"},
		{&Failure{ExitMisuse, errors.New("a flag")}, ExitMisuse, "a flag"},
		{fmt.Errorf("within: %w", &Failure{ExitFailed, errors.New("a no")}), ExitFailed, "within: a no"},
		{&typed.ArgumentError{Argument: "X"}, ExitMisuse, "name=value"},
		{&table.InputError{Err: errors.New("no file")}, ExitMisuse, "no file"},
		{fmt.Errorf("host: %w", &source.SettingError{Err: errors.New("no trust")}), ExitMisuse, "host: no trust"},
		{&Failure{ExitFailed, &source.SettingError{Err: errors.New("no trust")}}, ExitFailed, "no trust"},
		{&source.LogError{Err: errors.New("behind")}, ExitFailed, "behind"},
		{&audit.NotPublishedError{Capability: "a.b", Version: "1.0.0"}, ExitFailed, "a.b 1.0.0 is not published"},
		{notFound, ExitFailed, "ENGINE_NOT_FOUND: there is none\n  slipstick list shows"},
		{notFound, ExitFailed, "\n  More: slipstick explain ENGINE_NOT_FOUND\n"},
		{fmt.Errorf("fetch: %w", syscall.ECONNREFUSED), ExitInternal, "\n  No program answers at that URL. "},
		{errors.Join(notFound), ExitFailed, "ENGINE_NOT_FOUND: there is none\n  slipstick list shows"}, // as the command line returns it
		{fmt.Errorf("the batch ended: %w", notFound), ExitInternal, "the batch ended: "},
		{problem.Unavailable("a.b", "1.0.0", errors.New("killed")), ExitInternal, "because: killed"},
	} {
		var said strings.Builder
		if code := End(&said, tt.err); code != tt.code || !strings.Contains(said.String(), tt.says) || (said.Len() == 0) != (tt.err == nil) {
			t.Errorf("%v: %d, want %d and %q\n%s", tt.err, code, tt.code, tt.says, said.String())
		}
	}
}
