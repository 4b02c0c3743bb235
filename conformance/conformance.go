// Package conformance judges whether an engine may be published. Use [Run] in the test of an
// author, with one subtest for each rule, and [Check] in programs:
//
//	//go:embed vectors.json
//	var vectors []byte
//
//	func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }
//
// The judgement comes in three steps:
//
//  1. The engine is started twice. Each instance gets every reference vector (package vector)
//     several times, and then requests that are generated from the Spec of the engine (package
//     cases).
//  2. A set of rules that never changes (package requirements) is applied to the observations.
//  3. The findings of all rules make up a [report.Report].
package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/internal/rules"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
)

// Suite is the version of the program that judges. The rules by which it judges have
// versions of their own, see [requirements.Set].
const Suite = "2.0.0"

// Open starts a fresh instance of the engine: a process, or a value in this process. The
// context bounds only the start, and ends when Open has returned. The second result ends
// the instance; it may be nil.
type Open = observe.Open

// ErrHarness is wrapped by the error of an Open if the machine prevented the start of the
// engine. For example, it has no sandbox, or no processes or files left. The outcome is then
// [report.HarnessError], not a failure of the engine.
var ErrHarness = observe.ErrHarness

// Options of Check. The zero value is usable.
type Options struct {
	Deadline      time.Duration     // of one call; 5 s if zero
	EngineDigests []string          // of the judged executables, as sha256:<hex>; copied to the report
	Requirements  *requirements.Set // the newest if nil

	// Progress is called before each part that takes time, with the id of the rule that needs
	// the evidence.
	Progress func(rule string)

	// HasScript reports whether the author's repository has a script that is the source of a vector of a document. The path
	// starts at the root of the repository. If it is nil, only the form of the path is judged.
	HasScript func(path string) bool
}

// Check judges an engine by every rule of the set.
//
// Vectors is a JSON array, see [vector.Parse]. If it is nil, Check uses the vectors that
// the engine carries, provided that it has a method Vectors() []byte.
//
// Check does not panic when the engine does, and it does not hang. It waits for a call until
// its deadline and a short grace period, even if the engine ignores its context. (An
// in-process engine that panics in one of its own goroutines ends the process. No caller can
// prevent that.)
//
// Check returns no error. If the context ends early, or the machine cannot start the
// engine, the affected rules have the outcome [report.HarnessError].
func Check(ctx context.Context, open Open, vectors []byte, o *Options) *report.Report {
	if o == nil {
		o = new(Options)
	}
	set := o.Requirements
	if set == nil {
		set = requirements.Newest()
	}
	seen := observe.Engine(ctx, open, vectors, &observe.Options{Deadline: o.Deadline, Progress: o.Progress, HasScript: o.HasScript})
	r := rules.Judge(seen, set)
	r.Suite, r.EngineDigests = Suite, append(r.EngineDigests, o.EngineDigests...)
	return r
}

// Vectors sends each reference vector to an engine once, and returns the differences from its
// expectation. Answered is the number of vectors with a result or a rejection. A failed or
// late call is not a finding. When the context ends, Vectors sends no more.
func Vectors(ctx context.Context, engine sdk.Engine, spec *sdk.Spec, vectors []vector.Vector, deadline time.Duration) (answered int, findings []report.Finding) {
	return rules.Vectors(observe.Vectors(ctx, engine, spec, vectors, deadline))
}

// Generated returns the requests that Check makes in addition to the vectors, assuming that
// the engine answers each vector as expected. The error means that the vectors or the Spec
// are invalid.
func Generated(spec *sdk.Spec, vectors []byte) ([]cases.Case, error) {
	return observe.Generated(spec, vectors)
}

// ParseVectors reads vectors as Check does. Package vector describes their form.
func ParseVectors(data []byte) ([]vector.Vector, error) { return vector.Parse(data) }

// Run judges an engine in the test of its author, with one subtest per rule. Both instances
// are the same value. So only Check finds faults that need separate processes.
func Run(t *testing.T, engine sdk.Engine, vectors []byte) {
	t.Helper()
	same := func(context.Context) (sdk.Engine, func(), error) { return engine, nil, nil }
	for _, r := range Check(t.Context(), same, vectors, nil).Rules {
		t.Run(r.ID, func(t *testing.T) {
			switch r.Outcome {
			case report.NotApplicable, report.NotVerified:
				t.Skipf("%s: %s", r.Outcome, r.Reason)
			case report.HarnessError:
				t.Fatalf("%s: %s", r.Outcome, r.Reason)
			}
			for _, f := range r.Findings {
				t.Errorf("%s (%s)\nwhere %s\nfound %s\nwant  %s", r.Rule, r.Cites, f.Subject, f.Found, f.Want)
			}
		})
	}
}
