package pool

import (
	"errors"
	"fmt"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
)

// If the server has no memory for an answer, the error asks the caller to try again later. It is
// neither a reason to try another process at once nor a fault of this process.
func TestBusyIsUnavailable(t *testing.T) {
	busy := fmt.Errorf("%w: 5 bytes", process.ErrBusy)
	err := judge(new(sdk.Spec), nil, new(sdk.Outcome), busy)
	if !errors.Is(err, ErrUnavailable) || broken(err) {
		t.Errorf("error %v", err)
	}
	w := new(worker) // without a supervisor: a fault that is counted would panic
	w.wrong.Store(1)
	w.note(t.Context(), err)
	if w.wrong.Load() != 1 || w.proven.Load() {
		t.Error("a call without an answer says something about the process")
	}
}
