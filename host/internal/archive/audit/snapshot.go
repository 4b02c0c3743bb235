package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// snapshot checks a snapshot and the release that computed it. If the snapshot could not be read,
// readErr is the reason.
func (a *Audit) snapshot(ctx context.Context, name string, record *snapshot.Record, readErr error) error {
	add := func(f Finding) {
		f.Subject, f.Record = name, record
		a.add(f)
	}
	add(Finding{Kind: Record, Err: readErr})
	if readErr != nil {
		return nil
	}
	origin, err := a.origin(record)
	if err != nil {
		return err
	}
	add(origin)
	computed := a.computed(record)
	add(computed)
	r := computed.Release
	if r == nil {
		return nil
	}
	if a.options.Start != nil {
		recomputed, err := a.recompute(ctx, r, record)
		if err != nil {
			return err
		}
		add(recomputed)
	}
	a.release(r)
	return nil
}

// origin finds the key that signed the snapshot.
func (a *Audit) origin(record *snapshot.Record) (f Finding, err error) {
	f.Kind = Origin
	if len(a.options.Keys) > 0 {
		f.Key, f.Err = record.CheckPublic(a.public)
	} else {
		keys, err := snapshot.FindKeys(filepath.Join(a.options.Data, "keys"), a.options.Seeds...)
		if err != nil {
			return f, err
		}
		f.Data, f.Err = a.options.Data, record.Check(keys)
	}
	if errors.Is(f.Err, snapshot.ErrUnchecked) {
		f.Outcome = Unchecked
	}
	return f, nil
}

// computed finds the release that computed the snapshot.
func (a *Audit) computed(record *snapshot.Record) Finding {
	entry, err := a.catalog.Find(record.CapabilityID)
	if err != nil {
		return Finding{Kind: NoCapability, Outcome: Fails}
	}
	r := entry.Version(record.Version)
	if r == nil {
		return Finding{Kind: NoVersion, Outcome: Fails}
	}
	for _, platform := range r.Platforms {
		if r.Engines[platform] == record.EngineDigest {
			return Finding{Kind: ComputedBy, Release: r, Platform: platform}
		}
	}
	return Finding{Kind: OtherEngine, Outcome: Fails, Release: r}
}

// recompute recomputes the snapshot with the engine for this platform.
func (a *Audit) recompute(ctx context.Context, r *registry.Release, record *snapshot.Record) (Finding, error) {
	if !r.Available() {
		return Finding{Kind: Withheld, Outcome: Unchecked, Release: r}, nil
	}
	inputs, err := strictjson.ParseObject(record.Inputs)
	if err != nil {
		return Finding{}, err
	}
	calculator, end, err := a.options.Start()
	if err != nil {
		return Finding{}, err
	}
	defer end()
	if study.IsResult(record.Result) {
		now, err := calculator.Study(ctx, record.Result)
		if err != nil {
			return Finding{Kind: Recomputed, Release: r, Err: problem.Of(err)}, nil
		}
		f := Finding{Kind: Recomputed, Release: r}
		if !bytes.Equal(bytes.TrimSpace(now), record.Result) {
			f.Err = &ChangedError{"result", record.Result, now}
		}
		return f, nil
	}
	answer, err := calculator.Calculate(ctx, calc.Request{
		ID: record.CapabilityID, Inputs: inputs, Pins: []versions.Pin{{Place: versions.InSnapshot, Value: record.Version}},
	})
	if err != nil {
		return Finding{Kind: Recomputed, Release: r, Err: problem.Of(err)}, nil
	}
	return Finding{Kind: Recomputed, Release: r, Err: changed(&r.Spec, record.Result, answer)}, nil
}

// compared are the members of a result that contain its numbers. Other members can change although
// the calculation does not: links, warnings about the version, its verification.
var compared = []string{"result", "result_detail", "inputs", "formula"}

// ChangedError reports one member of a snapshot that the recomputed answer does not repeat.
type ChangedError struct {
	Member   string
	Was, Now json.RawMessage
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the snapshot has %s %.300s, but the recomputed value is %.300s", e.Member, e.Was, e.Now)
}

// changed compares an answer with the result of a snapshot. It returns an [*OutcomeError] if the
// numbers differ, and a [*ChangedError] if only their form differs.
func changed(spec *sdk.Spec, stored []byte, answer *calc.Answer) error {
	var a, b map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(stored, &a), json.Unmarshal(answer.AppendJSON(nil), &b)); err != nil {
		return err
	}
	i := slices.IndexFunc(compared, func(name string) bool { return !bytes.Equal(a[name], b[name]) })
	if i < 0 {
		return nil
	}
	if object, err := strictjson.Parse(a["result"]); err == nil {
		if was, err := compare.ReadResult(spec.Outputs, object); err == nil {
			c := compare.New(spec, spec).Compare(&compare.Outcome{Result: was}, &compare.Outcome{Result: answer.Success.Outcome.Result})
			if c != nil {
				return &OutcomeError{c}
			}
		}
	}
	return &ChangedError{compared[i], a[compared[i]], b[compared[i]]}
}
