package process

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// listSpec has a list among its outputs.
func listSpec() *sdk.Spec {
	number := sdk.Field{Name: "n", Type: sdk.TypeNumber}
	fields := []sdk.Field{
		number, {Name: "t", Type: sdk.TypeString}, {Name: "l", Type: sdk.TypeArray, Items: &number},
		{Name: "r", Type: sdk.TypeObject, Fields: []sdk.Field{number}},
	}
	return &sdk.Spec{Inputs: fields, Outputs: fields}
}

// If one program takes its whole share, others can take as much. Values that are garbage release
// their memory.
func TestMemoryIsShared(t *testing.T) {
	m := NewMemory(0, 0)
	greedy, other := m.Share(), m.Share()
	half := m.messages.size / 2
	if err := greedy.acquireMessage(t.Context(), half); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := greedy.acquireMessage(left, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("more than its share: %v", err)
	}
	if err := other.acquireMessage(left, half); err != nil {
		t.Errorf("the share of another: %v", err)
	}
	greedy.releaseMessage(half)
	if err := greedy.acquireMessage(left, half); err != nil {
		t.Errorf("given back: %v", err)
	}
	spec := listSpec()
	numbers := make([]value.Value, 100_000)
	for i := range numbers {
		numbers[i] = value.NumberOf(1)
	}
	in := make(value.Values, 4)
	body := contract.AppendOutcome(nil, 1, &sdk.Outcome{Result: value.Values{{}, {}, value.ListOf(numbers...), {}}, Inputs: in}, nil)
	a := &answers{spec, greedy}
	for i := range 20 { // of 3 MB each, in a share of 8 MiB
		if _, err := a.outcome(t.Context(), body); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	var held []sdk.Outcome
	for range 2 {
		o, err := a.outcome(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, o)
	}
	if _, err := a.outcome(left, body); !errors.Is(err, ErrBusy) {
		t.Errorf("with its share held: %v", err)
	}
	if _, err := (&answers{spec, other}).outcome(t.Context(), body); err != nil {
		t.Errorf("another program: %v", err)
	}
	runtime.KeepAlive(held)
}
