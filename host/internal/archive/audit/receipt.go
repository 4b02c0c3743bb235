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
	errHashed   = errors.New("the record has the hash of its inputs, and not the inputs")
	errNoAnswer = errors.New("the record is of no answer")
	errNoRows   = errors.New("the record has the digest of the rows; give their file with --rows")
)

// receipt examines the proof of a receipt and the release that computed its record.
func (a *Audit) receipt(ctx context.Context, proof *ledger.Proof) error {
	shown := &snapshot.Record{ID: proof.Receipt}
	add := func(f Finding) {
		f.Subject, f.Record = "receipt "+proof.Receipt[:min(len(proof.Receipt), 30)], cmp.Or(f.Record, shown)
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
		err = errNoAnswer
	}
	if err == nil {
		shown.CapabilityID, shown.Version, shown.EngineDigest, shown.CreatedAt = r.Release.Capability, r.Release.Version, r.Release.Engine, r.Time
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

// batch examines the record of a batch, whether the rows are those that it is about, and their outcomes.
func (a *Audit) batch(ctx context.Context, proof *ledger.Proof, r *record.Record, st *ledger.Statement, add func(Finding)) error {
	add(Finding{Kind: Batch, Answered: r})
	signer, err := a.recorder(proof, st.Closed)
	if err != nil {
		return err
	}
	add(signer)
	missing := false
	for _, release := range r.Releases {
		shown := &snapshot.Record{ID: proof.Receipt}
		shown.CapabilityID, shown.Version, shown.EngineDigest, shown.CreatedAt = release.Capability, release.Version, release.Engine, r.Time
		f := a.computed(shown)
		f.Record = shown
		add(f)
		missing = missing || f.Kind != ComputedBy
	}
	for _, table := range r.Tables {
		f := a.tabled(table)
		add(f)
		missing = missing || f.Err != nil
	}
	if a.options.Rows == "" {
		add(Finding{Kind: Rows, Outcome: Unchecked, Err: errNoRows, Answered: r})
		return nil
	}
	b := &batchOf{Record: r, catalog: a.catalogOf(r)}
	these, err := b.isOf(a.options.Rows)
	if err != nil {
		return err
	}
	add(these)
	if a.options.Start == nil || these.Err != nil || missing {
		return nil
	}
	again, err := a.recomputeRows(ctx, b)
	if err != nil {
		return err
	}
	add(again)
	return nil
}

// recorder says which of the keys signed the statement of a proof: of the public ones, if there are
// any, or else of those in the data directory.
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

// OutcomeError says how an outcome differs from the stored one.
type OutcomeError struct{ *compare.Comparison }

func (e *OutcomeError) Error() string { return e.String() }

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
		f.Err = problem.Of(err)
	default:
		if c := compare.New(&release.Spec, &release.Spec).Compare(&r.Outcome, &now); c != nil {
			f.Err = &OutcomeError{c}
		}
	}
	return f, nil
}
