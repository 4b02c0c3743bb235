// Package share creates and reads snapshots for the interfaces of the server. It stores answers of
// the calculation service in a [snapshot.Store], and turns errors of the store into problems for
// clients. REST, MCP and the pages use it, so that they behave alike.
package share

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
)

// Create creates a snapshot of the answer. The error is a [*problem.Problem], or a fault of the
// server.
func Create(ctx context.Context, store *snapshot.Store, a *calc.Answer) (snapshot.Snapshot, error) {
	spec := a.Success.Spec
	snap, err := store.Create(ctx, snapshot.Content{
		ToolID: spec.Tool, CapabilityID: spec.Capability, Version: spec.Version, EngineDigest: a.Release.EngineDigest,
		Inputs: response.AppendRecord(nil, spec.Inputs, a.Success.Outcome.Inputs),
		Result: a.Success.AppendJSON(nil),
	})
	return snap, problemOf(err)
}

// Study creates a snapshot of the result of a study. Its inputs are the plan of the study. Errors
// are as from [Create].
func Study(ctx context.Context, store *snapshot.Store, s *study.Study, found *study.Result) (snapshot.Snapshot, error) {
	plan, err := json.Marshal(&found.Plan)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	result, err := found.AppendJSON(nil)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	snap, err := store.Create(ctx, snapshot.Content{
		ToolID: found.Tool, CapabilityID: found.Capability, Version: found.Version, EngineDigest: s.Release.EngineDigest, Inputs: plan, Result: result,
	})
	if errors.Is(err, snapshot.ErrTooLarge) {
		return snap, problem.New(problem.CodePayloadTooLarge, "Keep the answer itself: slipstick study --replay makes it again. Or study fewer points.", "the result is larger than a snapshot can be")
	}
	return snap, problemOf(err)
}

// Get returns the snapshot with the id. The error is a [*problem.Problem], or a fault of the
// server.
func Get(ctx context.Context, store *snapshot.Store, id string) (snapshot.Snapshot, error) {
	snap, err := store.Get(ctx, id)
	return snap, problemOf(err)
}

// Signed returns the signed copy of a snapshot. Errors are as from [Get].
func Signed(ctx context.Context, store *snapshot.Store, id string) (snapshot.Snapshot, error) {
	snap, err := store.Signed(ctx, id)
	return snap, problemOf(err)
}

// problemOf returns the problem for an error of the snapshot store, or the error itself.
func problemOf(err error) error {
	var unknown *snapshot.UnknownKeyError
	switch {
	case errors.As(err, &unknown):
		return problem.New(problem.CodeSnapshotNotFound,
			"Read it from the service that created it. If that is this service, ask the operator to give this server the keys of the other servers.",
			"%v, so this server cannot verify it", unknown)
	case errors.Is(err, snapshot.ErrNotFound):
		return problem.New(problem.CodeSnapshotNotFound, "Check the id. Short ids expire after 180 days.", "there is no snapshot with this id")
	case errors.Is(err, snapshot.ErrUnavailable):
		return problem.StoreUnavailable(err)
	case errors.Is(err, snapshot.ErrCorrupt), errors.Is(err, snapshot.ErrForged):
		p := problem.New(problem.CodeInternalError, "Report the id to the operator of the service: the snapshot store is damaged, or another program writes to it.",
			"the stored snapshot with this id was changed, so it is not shown")
		p.Cause = err
		return p
	}
	return err
}

// fallback is the warning for a snapshot that has an embedded id because the store of short ids
// failed.
var fallback = snapshot.Warning{
	Code: problem.CodeStoreUnavailable, Severity: string(sdk.Info),
	Detail:     "The store of short ids could not be used, so this id carries the snapshot in itself.",
	Suggestion: "Keep the whole id. Create another snapshot later for a short id.",
}

// Answer returns the response body for the client that created a snapshot: the record, with a
// warning if the store failed. The snapshot itself contains no warnings, so that its bytes never
// change.
func Answer(s snapshot.Snapshot) []byte {
	if s.Fallback {
		return s.Record(fallback)
	}
	return s.Body
}
