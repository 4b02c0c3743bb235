// Package conformance answers one question: may this engine be published?
//
// What is demanded is a frozen set of rules (package requirements). The engine is started
// twice, asked every vector several times, and then requests made from its Spec (package
// cases); each rule then judges what was seen, and the judgement is a report (package
// report). [Check] reports to programs, [Run] to an author's test; both judge alike:
//
//	//go:embed vectors.json
//	var vectors []byte
//
//	func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }
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

// Suite is the version of the program that judges. What it judges by are requirements.
const Suite = "2.0.0"

// Open starts a fresh instance of the engine: a process, or a value in this one.
// The context is that of starting it, and ends when Open has returned. Close ends
// the instance; it may be nil.
type Open = observe.Open

// ErrHarness is wrapped by what an Open returns when it could not be tried whether the
// engine starts: no jail, no processes or files left. The engine is not blamed.
var ErrHarness = observe.ErrHarness

// Options are what a caller of Check may change.
type Options struct {
	Deadline      time.Duration     // of one call; 5 s if zero
	EngineDigests []string          // of the executables that are judged; the report repeats them
	Requirements  *requirements.Set // the newest if nil

	// Progress is told the id of the rule whose evidence is being gathered: the
	// parts that take time.
	Progress func(rule string)
}

// Check judges an engine by every rule. It does not panic when the engine does,
// and it does not hang: no call is waited for longer than its deadline and a
// grace, even if the engine ignores its context. (An in-process engine that
// panics in a goroutine of its own ends the process; no caller can prevent that.)
// Without vectors (nil) the engine is judged by those that it carries, if it has a
// method Vectors() []byte.
func Check(ctx context.Context, open Open, vectors []byte, o *Options) *report.Report {
	if o == nil {
		o = new(Options)
	}
	set := o.Requirements
	if set == nil {
		set = requirements.Newest()
	}
	seen := observe.Engine(ctx, open, vectors, &observe.Options{Deadline: o.Deadline, Progress: o.Progress})
	r := rules.Judge(seen, set)
	r.Suite, r.EngineDigests = Suite, append(r.EngineDigests, o.EngineDigests...)
	return r
}

// Generated returns the requests that Check makes beside the vectors, to an engine that
// answers each vector as expected.
func Generated(spec *sdk.Spec, vectors []byte) ([]cases.Case, error) {
	return observe.Generated(spec, vectors)
}

// ParseVectors reads vectors as Check does; package vector has what they are.
func ParseVectors(data []byte) ([]vector.Vector, error) { return vector.Parse(data) }

// Run judges an engine in an author's test, with one subtest per rule. Both
// instances are the same value, so what depends on a process of its own is seen
// only by Check.
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
