package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/hostkeys"
)

// proofIn returns the receipt's proof that the file contains, nil if it contains something else.
func proofIn(data []byte) *ledger.Proof {
	p := new(ledger.Proof)
	if json.Unmarshal(data, p) != nil || p.Receipt == "" {
		return nil
	}
	return p
}

// Errors in findings about receipts.
var (
	errHashed      = errors.New("the record contains only the hash of the inputs, not the inputs")
	errNotResponse = errors.New("the record is not about a response")
	errNoRows      = errors.New("the record contains only the digest of the rows; pass the file with the rows as --rows")
)

// receipt checks the proof of a receipt, and the release that computed its record.
func (a *Audit) receipt(ctx context.Context, proof *ledger.Proof) error {
	computedBy := &snapshot.Record{ID: proof.Receipt}
	add := func(f Finding) {
		f.Subject, f.Record = "receipt "+proof.Receipt[:min(len(proof.Receipt), 30)], cmp.Or(f.Record, computedBy)
		a.add(f)
	}
	r, statement, err := proof.Verify()
	switch {
	case errors.Is(err, ledger.ErrNotProved):
		add(Finding{Kind: Included, Outcome: Unchecked, Err: err})
		return nil
	case err == nil && r.Kind == record.Batch:
		return a.batch(ctx, proof, r, statement, add)
	case err == nil && r.Kind != record.Answer:
		err = errNotResponse
	}
	if err == nil {
		computedBy.CapabilityID, computedBy.Version, computedBy.EngineDigest, computedBy.CreatedAt = r.Release.Capability, r.Release.Version, r.Release.Engine, r.Time
	}
	add(Finding{Kind: Included, Err: err})
	if err != nil {
		return nil
	}
	signer, err := a.recorder(proof, statement.Closed)
	if err != nil {
		return err
	}
	add(signer)
	computed := a.computed(computedBy)
	add(computed)
	if computed.Release == nil {
		return nil
	}
	if a.options.Start != nil {
		recomputed, err := a.recomputeRecord(ctx, computed.Release, r)
		if err != nil {
			return err
		}
		add(recomputed)
	}
	a.release(computed.Release)
	return nil
}

// batch checks the record of a batch, the rows of the file, and their outcomes.
func (a *Audit) batch(ctx context.Context, proof *ledger.Proof, r *record.Record, st *ledger.Statement, add func(Finding)) error {
	add(Finding{Kind: Batch, Answered: r})
	signer, err := a.recorder(proof, st.Closed)
	if err != nil {
		return err
	}
	add(signer)
	missing := false
	for _, release := range r.Releases {
		computedBy := &snapshot.Record{ID: proof.Receipt}
		computedBy.CapabilityID, computedBy.Version, computedBy.EngineDigest, computedBy.CreatedAt = release.Capability, release.Version, release.Engine, r.Time
		f := a.computed(computedBy)
		f.Record = computedBy
		add(f)
		missing = missing || f.Kind != ComputedBy
	}
	for _, table := range r.Tables {
		f := a.checkTable(table)
		add(f)
		missing = missing || f.Err != nil
	}
	if a.options.Rows == "" {
		add(Finding{Kind: Rows, Outcome: Unchecked, Err: errNoRows, Answered: r})
		return nil
	}
	b := &recordedBatch{Record: r, catalog: a.catalogOf(r)}
	checked, err := b.checkRows(a.options.Rows)
	if err != nil {
		return err
	}
	add(checked)
	if a.options.Start == nil || checked.Err != nil || missing {
		return nil
	}
	recomputed, err := a.recomputeRows(ctx, b)
	if err != nil {
		return err
	}
	add(recomputed)
	return nil
}

// recorder finds the key that signed the statement of a proof. It tries the public keys of the
// options, or else the keys in the data directory.
func (a *Audit) recorder(proof *ledger.Proof, closed time.Time) (f Finding, err error) {
	f.Kind = Recorder
	keys := a.public
	if len(a.options.Keys) == 0 {
		keys, err = snapshot.KeysOf(a.options.Data, a.options.Seeds...)
		if err != nil {
			return f, err
		}
	}
	f.Key, f.Err = keys.Signer(proof.Signed.PublicKey, hostkeys.Ledger, closed)
	if f.Err != nil && len(a.options.Keys) == 0 {
		f.Outcome = Unchecked
	}
	return f, nil
}

// OutcomeError is the difference between a recomputed outcome and the stored one.
type OutcomeError struct{ *compare.Comparison }

func (e *OutcomeError) Error() string { return e.String() }

// recomputeRecord recomputes the outcome of a record with the engine for this platform.
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
		f.Err = problem.Of(err)
	default:
		if c := compare.New(&release.Spec, &release.Spec).Compare(&r.Outcome, &now); c != nil {
			f.Err = &OutcomeError{c}
		}
	}
	return f, nil
}
