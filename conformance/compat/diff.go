package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
)

// Options of Diff. The zero value is usable.
type Options struct {
	Generate  Generator // Legal if nil
	Generated int       // number of requests to generate; 256 if zero

	// Progress is called after each comparison with the number of compared requests, and the
	// number of all.
	Progress func(done, all int)
}

const defaultGenerated = 256

// Report is the bump that a change needs, with its reasons. It is published as JSON.
type Report struct {
	Capability  string       `json:"capability_id"`
	Old         Version      `json:"old"`
	New         Version      `json:"new"`
	Declared    string       `json:"declared"` // the bump between the versions, "" if they do not rise
	Needed      Bump         `json:"needed"`
	Smallest    string       `json:"smallest"` // the smallest legal version of the newer engine
	Legal       bool         `json:"legal"`
	Why         string       `json:"why"`                      // in a sentence
	Code        string       `json:"code,omitempty"`           // ChangesMissing, if that alone makes it illegal
	Stated      string       `json:"stated_changes,omitempty"` // the newer Spec's description of its changes
	Changes     []Change     `json:"changes"`
	Cases       Cases        `json:"cases"`
	Differences []Difference `json:"differences"`
}

// ChangesMissing is the code of a version without a description of its changes; see
// [Step.NeedsChanges].
const ChangesMissing = "CHANGES_MISSING"

// Version identifies one of the two engines.
type Version struct {
	Version string `json:"calculation_version"`
	Digest  string `json:"engine_digest,omitempty"`
}

// Cases counts requests.
type Cases struct {
	Vectors   int `json:"vectors"`   // of the older engine
	Generated int `json:"generated"` // near vectors, and generated from the older Spec
	Answered  int `json:"answered"`  // by the older engine, with a result
	Different int `json:"different"` // with a difference of any kind
}

// ErrOther is wrapped by the error of Diff for engines of two different capabilities.
var ErrOther = errors.New("two capabilities")

// Diff compares two engines of one capability. It uses the vectors of the older one. The
// error means that they cannot be compared: they have different capabilities (ErrOther),
// the vectors cannot be read, or an engine does not start.
func Diff(ctx context.Context, older, newer *Engine, o *Options) (*Report, error) {
	if o == nil {
		o = new(Options)
	}
	if older.Spec.Capability != newer.Spec.Capability {
		return nil, fmt.Errorf("%w: %s and %s: a version can only be compared with one of the same",
			ErrOther, older.Spec.Capability, newer.Spec.Capability)
	}
	vectors, err := vector.ParsePublished(older.Vectors)
	if err != nil {
		return nil, fmt.Errorf("vectors of %s %s: %w", older.Spec.Capability, older.Spec.Version, err)
	}
	r := &Report{
		Capability: older.Spec.Capability, Changes: Specs(&older.Spec, &newer.Spec), Differences: []Difference{},
		Old: Version{older.Spec.Version, older.Digest}, New: Version{newer.Spec.Version, newer.Digest}, Stated: newer.Spec.Changes,
	}
	cases, near := ofVectors(vectors)
	generate := o.Generate
	if generate == nil {
		generate = Legal
	}
	generated := slices.Concat(near, generate(&older.Spec, cmp.Or(o.Generated, defaultGenerated)))
	r.Cases.Vectors, r.Cases.Generated = len(cases), len(generated)
	if err := r.run(ctx, older, newer, slices.Concat(cases, generated), o.Progress); err != nil {
		return nil, err
	}
	return r, r.judge(&newer.Spec)
}

// run sends every request to both engines and records how their answers differ.
func (r *Report) run(ctx context.Context, older, newer *Engine, cases []Case, progress func(done, all int)) error {
	a, b := &asker{Engine: older}, &asker{Engine: newer}
	defer a.stop()
	defer b.stop()
	for i, c := range cases {
		was, err := a.ask(ctx, c.Inputs)
		if err != nil {
			return err
		}
		is, err := b.ask(ctx, c.Inputs)
		if err != nil {
			return err
		}
		found := differences(c, older, newer, &was, &is)
		if was.outcome != nil {
			r.Cases.Answered++
		}
		if len(found) > 0 {
			r.Cases.Different++
		}
		r.Differences = append(r.Differences, found...)
		if progress != nil {
			progress(i+1, len(cases))
		}
	}
	return nil
}

// judge derives the needed bump and compares it with the bump between the versions. It
// sorts changes and differences by the bump that they need, the largest first.
func (r *Report) judge(newer *sdk.Spec) error {
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return cmp.Compare(b.Needs, a.Needs) })
	slices.SortStableFunc(r.Differences, func(a, b Difference) int { return cmp.Compare(b.Needs, a.Needs) })
	for _, c := range r.Changes[:min(1, len(r.Changes))] {
		r.Needed = max(r.Needed, c.Needs)
	}
	for _, d := range r.Differences[:min(1, len(r.Differences))] {
		r.Needed = max(r.Needed, d.Needs)
	}
	if r.Old.Digest != "" && r.Old == r.New {
		r.Legal, r.Smallest, r.Why = true, r.Old.Version, "they are the same engine"
		return nil
	}
	step, err := NewStep(r.Old.Version, r.New.Version)
	var down *OrderError
	if err != nil && !errors.As(err, &down) {
		return err
	}
	r.Smallest = step.Smallest(r.Needed)
	if down != nil {
		r.Why = fmt.Sprintf("%v; the smallest that is legal is %s", err, r.Smallest)
		return nil
	}
	r.Declared, r.Legal = step.Declared().String(), step.Allows(r.Needed)
	switch {
	case step.from.Prerelease() != "":
		r.Why = fmt.Sprintf("%s is a pre-release, which promises nothing", r.Old.Version)
	case r.Legal && r.Stated == "" && step.NeedsChanges() && newer.Follows("1.1.0"):
		r.Legal, r.Code = false, ChangesMissing
		r.Why = fmt.Sprintf("from %s to %s is a %s bump, so Changes of the Spec must describe the changes and the reason, and it is empty", r.Old.Version, r.New.Version, r.Declared)
	case r.Legal:
		r.Why = fmt.Sprintf("the changes need a %s bump, and from %s to %s is a %s one", r.Needed, r.Old.Version, r.New.Version, r.Declared)
	default:
		r.Why = fmt.Sprintf("the changes need a %s bump, and from %s to %s is only a %s one: the smallest version that is legal is %s",
			r.Needed, r.Old.Version, r.New.Version, r.Declared, r.Smallest)
	}
	return nil
}
