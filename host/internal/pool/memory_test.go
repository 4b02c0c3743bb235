package pool

import (
	"errors"
	"fmt"
	"testing"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
)

// That the host has no memory for an answer is told as what it is: try again later. It is
// neither a reason to try another process at once nor a fault of this one.
func TestBusyIsUnavailable(t *testing.T) {
	busy := fmt.Errorf("%w: 5 bytes", process.ErrBusy)
	err := judge(new(sdk.Spec), nil, sdk.Outcome{}, busy)
	if !errors.Is(err, ErrUnavailable) || broken(err) {
		t.Errorf("error %v", err)
	}
	i := new(instance) // without a slot: what would be held against it would panic
	i.wrong.Store(1)
	i.note(t.Context(), err)
	if i.wrong.Load() != 1 || i.proven.Load() {
		t.Error("a call without an answer says something about the process")
	}
}
