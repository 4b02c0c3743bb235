package audit

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/ledger"
	"github.com/slipstick/slipstick/host/internal/record"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/registry"
)

// proofIn returns the proof of a receipt that a file has, nil if it is another file.
func proofIn(data []byte) *ledger.Proof {
	p := new(ledger.Proof)
	if json.Unmarshal(data, p) != nil || p.Receipt == "" {
		return nil
	}
	return p
}

// Errors of receipts. Findings have them.
var (
	errUnknownKey = errors.New("it is signed by a key that is not among those that were tried")
	errHashed     = errors.New("the record has the hash of its inputs, and not the inputs")
	errNoAnswer   = errors.New("the record is of no single answer")
)

// receipt examines the proof of a receipt and the release that computed its record.
func (a *Audit) receipt(ctx context.Context, proof *ledger.Proof) error {
	shown := &snapshot.Record{ID: proof.Receipt}
	add := func(f Finding) {
		f.Subject, f.Record = "receipt "+proof.Receipt[:min(len(proof.Receipt), 30)], shown
		a.add(f)
	}
	r, _, err := proof.Verify()
	switch {
	case errors.Is(err, ledger.ErrNotProved):
		add(Finding{Kind: Included, Outcome: Unchecked, Err: err})
		return nil
	case err == nil && r.Kind != record.Answer:
		err = errNoAnswer
	}
	if err == nil {
		shown.CapabilityID, shown.Version, shown.EngineDigest, shown.CreatedAt = r.Release.Capability, r.Release.Version, r.Release.Engine, r.Time
	}
	add(Finding{Kind: Included, Err: err})
	if err != nil {
		return nil
	}
	signer, err := a.recorder(proof)
	if err != nil {
		return err
	}
	add(signer)
	computed := a.computed(shown)
	add(computed)
	if computed.Release == nil {
		return nil
	}
	if a.options.Start != nil {
		again, err := a.recomputeRecord(ctx, computed.Release, r)
		if err != nil {
			return err
		}
		add(again)
	}
	a.release(computed.Release)
	return nil
}

// recorder says whether one of our keys signed the statement of a proof.
func (a *Audit) recorder(proof *ledger.Proof) (Finding, error) {
	f := Finding{Kind: Recorder, Data: a.options.Data}
	keys, err := snapshot.FindKeys(filepath.Join(a.options.Data, "keys"), a.options.Seeds...)
	if err != nil {
		return f, err
	}
	if keys == nil || !keys.Knows(proof.Signed.PublicKey) {
		f.Outcome, f.Err = Unchecked, errUnknownKey
	}
	return f, nil
}

// recomputeRecord computes a record again with the engine for this platform.
func (a *Audit) recomputeRecord(ctx context.Context, release *registry.Release, r *record.Record) (Finding, error) {
	f := Finding{Kind: Recomputed, Release: release}
	switch {
	case r.Hash != nil:
		f.Outcome, f.Err = Unchecked, errHashed
		return f, nil
	case !release.Available():
		return Finding{Kind: Withheld, Outcome: Unchecked, Release: release}, nil
	}
	calculator, end, err := a.options.Start()
	if err != nil {
		return f, err
	}
	defer end()
	now, err := calculator.Recompute(ctx, release, r.Inputs)
	switch {
	case err != nil:
		f.Err = calc.ProblemOf(err)
	case !now.Equal(r.Outcome):
		f.Err = &ChangedError{"the outcome", outcomeJSON(r.Outcome), outcomeJSON(now)}
	}
	return f, nil
}

func outcomeJSON(o record.Outcome) json.RawMessage {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // values always marshal
	}
	return text
}
