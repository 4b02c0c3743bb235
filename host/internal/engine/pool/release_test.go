package pool_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
)

// release returns a release that can be read. Its executable is not an engine.
func release(version string) *registry.Release {
	return &registry.Release{
		Capability: "test.none.engine", Version: version, EngineDigest: "sha256:" + strings.Repeat("0", 64),
		Spec: sdk.Spec{Capability: "test.none.engine", Version: version, Tool: "none"},
	}
}

func open(t *testing.T) *pool.Pool {
	t.Helper()
	e, err := pool.New(new(pool.Options))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// A release that does not start is a problem of the server, and is known after the first try.
func TestUnavailable(t *testing.T) {
	e, r := open(t), release("1.0.0")
	published := catalog.New([]registry.Capability{{ID: r.Capability, Current: r.Version, Releases: []*registry.Release{r}}})
	if e.Used(r) || e.Down(r) != nil || e.NeverStarts(r) != nil {
		t.Error("it is known before it was asked for")
	}
	if state := e.States(t.Context(), published)[r.Capability+"@1.0.0"]; !state.Answers() {
		t.Errorf("before: %q", state)
	}
	_, err := e.Calculate(t.Context(), time.Second, r, nil)
	if p := problem.Of(err); p.Code != problem.CodeEngineUnavailable {
		t.Errorf("%v", err)
	}
	if e.Down(r) == nil || e.NeverStarts(r) == nil {
		t.Error("nothing is known against it after it did not start")
	}
	if failed := e.StartCurrent(t.Context(), published); failed[r] == nil {
		t.Error("it starts")
	}
	if refused := e.Check(published); len(refused) != 0 {
		t.Errorf("without a sandbox: %v", refused)
	}
}

// A release that must not run has a state with the reason.
func TestStates(t *testing.T) {
	damaged, untrusted, revoked := release("1.0.0"), release("2.0.0"), release("3.0.0")
	damaged.Problem, untrusted.Problem = io.ErrUnexpectedEOF, evidence.ErrUntrusted
	revoked.Lifecycle.State = evidence.Revoked
	published := catalog.New([]registry.Capability{
		{ID: "test.none.engine", Releases: []*registry.Release{revoked, untrusted, damaged}},
		{ID: "test.none.other", Problem: errors.New("unreadable")},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is asked
	states := open(t).States(ctx, published)
	for name, want := range map[string]pool.State{
		"test.none.engine@1.0.0": pool.Damaged, "test.none.engine@2.0.0": pool.Untrusted,
		"test.none.engine@3.0.0": pool.Revoked, "test.none.other": pool.Damaged,
	} {
		if states[name] != want || want.Answers() {
			t.Errorf("%s: %q, want %q", name, states[name], want)
		}
	}
	if len(states) != 4 {
		t.Errorf("%v", states)
	}
}
