package conformance_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

// badEngine breaks one rule.
type badEngine struct {
	rule    string
	fault   string
	open    func() conformance.Open // called inside the test, for engines with state
	vectors string                  // "" means the vectors that cubeStack passes
	found   string                  // part of the finding
	also    []string                // rules that necessarily fail with it
}

// always is for engines without state.
func always(open conformance.Open) func() conformance.Open {
	return func() conformance.Open { return open }
}

var (
	good  = always(opens(cubeStack()))
	yes   = verification.Record{EngineTested: true, ExpertReviewed: true, InternallyReviewed: true, SourceChecked: true}
	blank = ""
)

const (
	oneResult = `{"id": "P1", "capability": "geometry.solids.cube_stack", "inputs": {"side": 2}, "expected": {"volume": 8}}`
	counted   = `{"id": "P1", "capability": "geometry.solids.cube_stack", "inputs": {"side": 2, "count": 2}, "expected": {"volume": 16}}`
	tiny      = `{"id": "P3", "capability": "geometry.solids.cube_stack", "inputs": {"side": 0.001}, "expected": {"volume": 1e-9}, "rtol": 1e-12, "warnings": ["TINY_CUBE"]}`
	tooHigh   = `{"id": "R1", "capability": "geometry.solids.cube_stack", "inputs": {"side": 1, "count": 101}, "expected": {"code": "STACK_TOO_HIGH", "field": "count"}}`
)

// layered are vectors of the engines that withLayers opens.
const layered = "[" + oneResult + "," + tooHigh + "," + tiny + `,
	{"id": "P4", "capability": "geometry.solids.cube_stack", "inputs": {"side": 2, "layers": [{"depth": 2, "width": 3}]}, "expected": {"volume": 8}},
	{"id": "R2", "capability": "geometry.solids.cube_stack", "inputs": {"side": 2, "layers": [{"depth": -1, "width": 3}]}, "expected": {"code": "DEPTH_MUST_BE_POSITIVE", "field": "layers"}},
	{"id": "R3", "capability": "geometry.solids.cube_stack", "inputs": {"side": 2, "layers": [{"depth": 1, "width": 0.5}]}, "expected": {"code": "WIDTH_OUT_OF_RANGE", "field": "layers"}}]`

var badEngines = []badEngine{
	{rule: "starts", fault: "the second start fails", found: "port in use", open: func() conformance.Open {
		n := 0
		return func(context.Context) (sdk.Engine, func(), error) {
			n++
			if n > 1 {
				return nil, nil, errors.New("port in use")
			}
			return cubeStack(), nil, nil
		}
	}},
	{rule: "starts", fault: "no engine", found: "there is no engine", open: always(opens(nil))},
	{rule: "starts", fault: "a Spec that JSON cannot hold", found: "NaN", open: always(withSpec(func(s *sdk.Spec) {
		s.Inputs = slices.Clone(s.Inputs)
		s.Inputs[0].Range = &sdk.Range{Min: new(math.NaN()), Code: "SIDE_MUST_BE_POSITIVE"}
	}))},
	{rule: "spec-valid", fault: "no title", found: "Title and Summary", open: always(withSpec(func(s *sdk.Spec) { s.Title = "" }))},
	{rule: "capability-id", fault: "vectors of another capability", found: capability,
		open: always(withSpec(func(s *sdk.Spec) { s.Capability = "geometry.solids.sphere" }))},
	{rule: "capability-id", fault: "no dot", found: `"cube"`, also: []string{"spec-valid"},
		vectors: "[" + strings.ReplaceAll(strings.Join([]string{oneResult, tooHigh, tiny}, ","), capability, "cube") + "]",
		open:    always(withSpec(func(s *sdk.Spec) { s.Capability = "cube" }))},
	{rule: "calculation-version", fault: "a long prerelease", found: "longer than 128 bytes",
		open: always(withSpec(func(s *sdk.Spec) { s.Version = "1.0.0-" + strings.Repeat("a", 128) }))},
	{rule: "calculation-version", fault: "build metadata", found: "build metadata", also: []string{"spec-valid"},
		open: always(withSpec(func(s *sdk.Spec) { s.Version = "1.0.0+linux" }))},
	{rule: "reserved-names", fault: "an alias id", found: `"id"`, also: []string{"spec-valid"},
		open: always(withSpec(func(s *sdk.Spec) {
			s.Inputs = slices.Clone(s.Inputs)
			s.Inputs[1].Aliases = []string{"id"}
		}))},
	{rule: "units-known", fault: "a unit of its own", found: `"cubit"`, vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		also: []string{"spec-valid"}, // by the Definition, the volume is then in cubit3
		open: always(withSpec(func(s *sdk.Spec) {
			s.Inputs = slices.Clone(s.Inputs)
			s.Inputs[0].Unit = "cubit"
		}))},
	{rule: "units-known", fault: "a unit of its own inside a list of objects", found: `"cubit"`,
		open: always(opens(bent{
			Engine: cubeStack(),
			spec: func(s *sdk.Spec) {
				layer := sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{{Name: "depth", Type: sdk.TypeNumber, Unit: "cubit"}}}
				s.Inputs = append(slices.Clone(s.Inputs), sdk.Field{Name: "layers", Type: sdk.TypeArray, Items: &layer})
			},
			answer: func(ctx context.Context, in value.Values, _ next) (sdk.Outcome, error) {
				o, err := cubeStack().Calculate(ctx, in[:3])
				o.Inputs = append(o.Inputs, value.Value{})
				return o, err
			},
		}))},
	{rule: "units-coherent", fault: "a product with a unit of its own", found: "there is no unit cubit", open: always(withEdges("kg/(m cubit2)"))},
	{rule: "units-coherent", fault: "an output in what is no unit", found: `"about 3" is not a product of units`, also: []string{"spec-valid"}, open: always(withEdges("about 3"))},
	{rule: "units-coherent", fault: "millimetres", found: `the unit "mm"`, open: always(withEdges("mm"))},
	{rule: "units-coherent", fault: "a product with millimetres", found: `the unit "N/(m mm)"`, open: always(withEdges("N/(m mm)"))},
	{rule: "units-coherent", fault: "litres by the kind", found: `the unit "L"`, open: always(withSpec(func(s *sdk.Spec) {
		s.Outputs = slices.Clone(s.Outputs)
		s.Outputs[0].Unit, s.Outputs[0].UnitBy = "", &sdk.UnitBy{Input: "kind", Units: map[string]string{"solid": "m3", "hollow": "L"}}
	}))},
	{rule: "texts-own", fault: "the summary of the example", found: "from the example", open: always(withSpec(func(s *sdk.Spec) { s.Summary = requirements.Example.Summary }))},
	{rule: "texts-own", fault: "the keywords of the example", found: "floor space", open: always(withSpec(func(s *sdk.Spec) { s.Keywords = requirements.Example.Keywords }))},
	{rule: "texts-own", fault: "the assumption of the example", found: "right angles", open: always(withSpec(func(s *sdk.Spec) { s.Assumptions = []string{requirements.Example.Assumption} }))},
	{rule: "texts-own", fault: "the source of the example", found: "Euclid", open: always(withSpec(func(s *sdk.Spec) { s.References = []sdk.Reference{{Title: requirements.Example.Reference}} }))},
	{rule: "texts-own", fault: "the formula of the example", found: "rectangle", open: always(withSpec(func(s *sdk.Spec) { s.Formulas = []sdk.Formula{{ID: requirements.Example.Formula}} }))},
	{rule: "texts-own", fault: "a title that is still to be written", found: "TODO", open: always(withSpec(func(s *sdk.Spec) { s.Title = "TODO: cubes" }))},
	{rule: "texts-own", fault: "a word on a field that is still to be written", found: "TBD", open: always(withField(func(f *sdk.Field) { f.Doc = "Side, TBD." }))},
	{rule: "references-present", fault: "no source", found: "none", open: always(withSpec(func(s *sdk.Spec) { s.References = nil }))},
	{rule: "references-present", fault: "a place without a source", found: "no title", open: always(withSpec(func(s *sdk.Spec) { s.References = []sdk.Reference{{Where: "page 7"}} }))},
	{rule: "keywords-present", fault: "no keywords", found: "none", open: always(withSpec(func(s *sdk.Spec) { s.Keywords = nil }))},
	{rule: "keywords-present", fault: "one keyword in two spellings", found: `"Tower"`, open: always(withSpec(func(s *sdk.Spec) { s.Keywords = []string{"tower", "Tower"} }))},
	{rule: "sentences", fault: "a summary that breaks off", found: `"Volume of equal"`, open: always(withSpec(func(s *sdk.Spec) { s.Summary = "Volume of equal" }))},
	{rule: "sentences", fault: "a word on a field that breaks off", found: `"Side of a cube"`, open: always(withField(func(f *sdk.Field) { f.Doc = "Side of a cube" }))},
	{rule: "sentences", fault: "an assumption that breaks off in brackets", found: `"Exact (mostly)"`, open: always(withSpec(func(s *sdk.Spec) { s.Assumptions = []string{"Exact (mostly)"} }))},
	{rule: "sentences", fault: "a warning that breaks off", found: `"hard to see"`, open: always(withOutcome(func(o *sdk.Outcome) {
		for i := range o.Warnings {
			o.Warnings[i].Suggestion = "hard to see"
		}
	}))},
	{rule: "latex-parses", fault: "a brace that is not closed", found: `a_{1`, open: always(withSpec(func(s *sdk.Spec) {
		s.Outputs = slices.Clone(s.Outputs)
		s.Outputs[2].Symbol = `a_{1`
	}))},
	{rule: "latex-parses", fault: "an unknown command on an axis", found: `\\foo{S}`, open: always(opens(plotting{bent{Engine: cubeStack(), spec: func(s *sdk.Spec) {
		plotted(s)
		s.Plots[0].X.Symbol = `\foo{S}`
	}}}))},
	{rule: "plots", fault: "an engine that cannot draw", found: "does not draw", open: always(withSpec(plotted))},
	{rule: "plots", fault: "a number that is not finite", found: "not finite", open: always(func(context.Context) (sdk.Engine, func(), error) {
		return painter{bent{Engine: cubeStack(), spec: plotted}}, func() {}, nil
	})},
	{rule: "constants", fault: "another summary at each call", found: "Volume 2", open: func() conformance.Open {
		var n atomic.Int64
		return withSpec(func(s *sdk.Spec) { s.Summary = "Volume " + string('0'+rune(n.Add(1))) + "." })
	}},
	{rule: "constants", fault: "another version in the second instance", found: "1.0.2", open: func() conformance.Open {
		n := 0
		return func(ctx context.Context) (sdk.Engine, func(), error) {
			n++
			version := "1.0." + string('0'+rune(n))
			return withSpec(func(s *sdk.Spec) { s.Version = version })(ctx)
		}
	}},

	{rule: "tier-known", fault: "a fifth tier", found: `"gold"`, open: always(claiming(verification.Record{Tier: "gold"}))},
	{rule: "tier-engine-tested", fault: "not tested", found: "engine_tested false",
		open: always(claiming(verification.Record{Tier: verification.EngineTested}))},
	{rule: "tier-internally-reviewed", fault: "source not checked", found: "source_checked false",
		open: always(claiming(verification.Record{Tier: verification.InternallyReviewed, EngineTested: true, InternallyReviewed: true}))},
	{rule: "tier-expert-verified", fault: "an empty reviewer", found: `reviewed_by ""`, open: func() conformance.Open {
		claim := yes
		claim.Tier, claim.ReviewedBy, claim.ReviewerRole, claim.LastReviewed = verification.ExpertVerified, &blank, new("P.E."), new("2026-01-01")
		return claiming(claim)
	}},

	{rule: "vectors-parse", fault: "an unknown member", found: `"surprise"`, open: good, vectors: `[{"id": "P1", "surprise": 1}]`},
	{rule: "vectors-parse", fault: "no vectors", found: "not a JSON array", open: good, vectors: " "},
	{rule: "vectors-present", fault: "rejections only", found: "1 vectors, and none", vectors: "[" + tooHigh + "]",
		open: always(withSpec(func(s *sdk.Spec) { s.Warnings = nil }))},
	{rule: "vectors-results", fault: "a wrong seventh digit", found: "8.0000008, off by 8e-07",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(o.Result[0].Number() * 1.0000001) }))},
	{rule: "vectors-results", fault: "NaN", found: "NaN, off by NaN", also: []string{"finite"},
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(math.NaN()) }))},
	{rule: "vectors-results", fault: "an output left out", found: "absent", also: []string{"outcome-valid"},
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[0] = value.Value{} }))},
	{rule: "vectors-results", fault: "an output that no Spec has", found: "no such output", open: good,
		vectors: "[" + strings.Replace(oneResult, `"volume": 8`, `"status": "error"`, 1) + "," + tooHigh + "," + tiny + "]"},
	{rule: "vectors-results", fault: "a wrong text", found: `"solid"`,
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[1] = value.TextOf("solid") }))},
	{rule: "vectors-results", fault: "a list too long", found: "[2, 2]",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[2] = value.ListOf(value.NumberOf(2), value.NumberOf(2)) }))},
	{rule: "vectors-results", fault: "a rejection instead", found: "rejected with CONFLICTING_INPUTS",
		open: always(withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			if o, err := next(); err != nil || len(o.Warnings) > 0 {
				return o, err
			}
			return sdk.Outcome{}, sdk.Conflict("count", "no")
		}))},
	{rule: "vectors-rejections", fault: "another code", found: "CONFLICTING_INPUTS (count)",
		open: always(withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			o, err := next()
			if rejection, ok := errors.AsType[*sdk.Error](err); ok && rejection.Code == "STACK_TOO_HIGH" {
				err = sdk.Conflict("count", "too many")
			}
			return o, err
		}))},
	{rule: "vectors-rejections", fault: "another field", found: `"kind"`,
		open: always(withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			o, err := next()
			if rejection, ok := errors.AsType[*sdk.Error](err); ok {
				rejection.Field = "kind"
			}
			return o, err
		}))},
	{rule: "vectors-rejections", fault: "a result instead", found: "the result {volume: 8",
		open: always(withAnswer(func(ctx context.Context, in value.Values, next next) (sdk.Outcome, error) {
			if o, err := next(); err == nil {
				return o, nil
			}
			two := value.Values{value.NumberOf(2), value.NumberOf(1), value.TextOf("solid")}
			o, err := cubeStack().Calculate(ctx, two)
			o.Inputs = in
			return o, err
		}))},

	{rule: "output-schema", fault: "a decimal string as output", found: `has type "string", want "number"`, also: []string{"spec-valid"},
		open: always(opens(bent{
			Engine: cubeStack(),
			spec: func(s *sdk.Spec) {
				s.Outputs = slices.Clone(s.Outputs)
				s.Outputs[0].Decimal = true
			},
			answer: changed(func(o *sdk.Outcome) {
				o.Result[0] = value.ExactOf(string(value.AppendNumber(nil, o.Result[0].Number())))
			}),
		}))},
	{rule: "outcome-valid", fault: "inputs echoed changed", found: "count was sent and came back changed",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Inputs[1] = value.NumberOf(7) }))},
	{rule: "outcome-valid", fault: "a required output left out", found: "edges is missing", vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[2] = value.Value{} }))},
	{rule: "outcome-valid", fault: "values beyond the fields", found: "4 values for 3 fields",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result = append(o.Result, value.RecordOf(value.NumberOf(1))) }))},
	{rule: "outcome-valid", fault: "no values at all", found: "0 values for 3 fields", also: []string{"vectors-results"},
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result = nil }))},
	{rule: "finite", fault: "NaN in a list", found: "NaN", vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[2] = value.ListOf(value.NumberOf(math.NaN())) }))},
	{rule: "finite", fault: "null in a list", found: "null", vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Result[2] = value.ListOf(value.Value{}) }))},
	{rule: "finite", fault: "a signed zero as decimal text", found: `"-0.0"`, vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		also: []string{"output-schema", "spec-valid"},
		open: always(opens(bent{
			Engine: cubeStack(),
			spec: func(s *sdk.Spec) {
				s.Outputs = slices.Clone(s.Outputs)
				s.Outputs[2] = sdk.Field{Name: "edges", Type: sdk.TypeNumber, Decimal: true}
			},
			answer: changed(func(o *sdk.Outcome) { o.Result[2] = value.ExactOf("-0.0") }),
		}))},
	{rule: "finite", fault: "a decimal text beyond binary64", found: `"1e999"`, vectors: "[" + oneResult + "," + tooHigh + "," + tiny + "]",
		also: []string{"spec-valid"},
		open: always(opens(bent{
			Engine: cubeStack(),
			spec: func(s *sdk.Spec) {
				s.Outputs = slices.Clone(s.Outputs)
				s.Outputs[2] = sdk.Field{Name: "edges", Type: sdk.TypeNumber, Decimal: true}
			},
			answer: changed(func(o *sdk.Outcome) { o.Result[2] = value.ExactOf("1e999") }),
		}))},
	{rule: "declared-errors", fault: "an undeclared code", found: `"STACK_TOO_HIGH" is not declared`,
		open: always(withSpec(func(s *sdk.Spec) { s.Errors = nil }))},
	{rule: "declared-errors", fault: "a code without a vector", found: "NEVER_SEEN, which no vector expects",
		open: always(withSpec(func(s *sdk.Spec) { s.Errors = append(slices.Clone(s.Errors), "NEVER_SEEN") }))},
	{rule: "declared-warnings", fault: "an undeclared code", found: `"TINY_CUBE"`,
		open: always(withSpec(func(s *sdk.Spec) { s.Warnings = nil }))},
	{rule: "declared-warnings", fault: "a code without a vector", found: "NEVER_SEEN, which no vector expects",
		open: always(withSpec(func(s *sdk.Spec) { s.Warnings = append(slices.Clone(s.Warnings), "NEVER_SEEN") }))},
	{rule: "declared-warnings", fault: "a warning not given", found: "no warnings",
		open: always(withOutcome(func(o *sdk.Outcome) { o.Warnings = nil }))},

	{rule: "failures", fault: "another error", found: "out of memory", open: always(failing(func() error { return errors.New("out of memory") }))},
	{rule: "failures", fault: "a panic", found: "panicked: boom", open: always(failing(func() error { panic("boom") }))},
	{rule: "failures", fault: "a panic with nil", found: "panicked", open: always(failing(func() error { panic(nil) }))},
	{rule: "failures", fault: "a nil *sdk.Error", found: "panicked", open: always(failing(func() error { return (*sdk.Error)(nil) }))},
	{rule: "failures", fault: "an end of its goroutine", found: "ended its goroutine", open: always(failing(func() error { runtime.Goexit(); return nil }))},
	{rule: "failures", fault: "every other call", found: "flaky", open: func() conformance.Open {
		var n atomic.Int64
		return failing(func() error {
			if n.Add(1)%2 == 0 {
				return errors.New("flaky")
			}
			return nil
		})
	}},

	{rule: "determinism", fault: "a last digit that counts calls", found: "result {volume: 8.000000000000", open: func() conformance.Open {
		var n atomic.Int64
		return withOutcome(func(o *sdk.Outcome) {
			o.Result[0] = value.NumberOf(o.Result[0].Number() + float64(n.Add(1))*1e-15*o.Result[0].Number())
		})
	}},
	{rule: "determinism", fault: "an assumption that names the instance", found: `"I am 2"`, open: func() conformance.Open {
		n := 0
		return func(ctx context.Context) (sdk.Engine, func(), error) {
			n++
			name := "I am " + string('0'+rune(n))
			return withOutcome(func(o *sdk.Outcome) { o.Assumptions = []string{name} })(ctx)
		}
	}},
	{rule: "concurrency", fault: "a result that depends on company", found: "result {volume: 8.00000000000", open: func() conformance.Open {
		var running atomic.Int64
		return withOutcome(func(o *sdk.Outcome) {
			running.Add(1)
			time.Sleep(time.Millisecond) // on the fake clock of the test: it passes when all calls wait
			if running.Load() > 1 {
				o.Result[0] = value.NumberOf(o.Result[0].Number() * (1 + 1e-14))
			}
			time.Sleep(time.Millisecond)
			running.Add(-1)
		})
	}},
	{rule: "concurrency", fault: "a failure in company", found: "busy", open: func() conformance.Open {
		var running atomic.Int64
		return withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			defer running.Add(-1)
			if running.Add(1) > 1 {
				return sdk.Outcome{}, errors.New("busy")
			}
			time.Sleep(time.Millisecond)
			return next()
		})
	}},
	{rule: "deadline", fault: "a call that ignores its context", found: "given up", open: func() conformance.Open {
		return stuck(func(_ context.Context, in value.Values) bool { return in[0].Number() == 2 })
	}},
	{rule: "deadline", fault: "a slow call that heeds its context", found: "returned after 5s", open: always(
		withAnswer(func(ctx context.Context, in value.Values, next next) (sdk.Outcome, error) {
			if in[0].Number() == 2 {
				<-ctx.Done()
			}
			return next()
		}))},
	{rule: "deadline", fault: "stuck when the context has ended", found: "given up", open: func() conformance.Open {
		return stuck(func(ctx context.Context, _ value.Values) bool { return ctx.Err() != nil })
	}},
	{rule: "deadline", fault: "an illegal answer when the context has ended", found: "0 values for 3 fields", open: always(
		withAnswer(func(ctx context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			if ctx.Err() != nil {
				return sdk.Outcome{}, nil
			}
			return next()
		}))},

	{rule: "generated-answers", fault: "an error for what is huge", found: "out of memory", open: always(when(huge, func(next) (sdk.Outcome, error) {
		return sdk.Outcome{}, errors.New("out of memory")
	}))},
	{rule: "generated-answers", fault: "a panic for what is huge", found: "panicked: boom", open: always(when(huge, func(next) (sdk.Outcome, error) {
		panic("boom")
	}))},
	{rule: "generated-answers", fault: "a hang for what is huge", found: "returned after 5s", open: always(
		withAnswer(func(ctx context.Context, in value.Values, next next) (sdk.Outcome, error) {
			if huge(in) {
				<-ctx.Done()
			}
			return next()
		}))},
	{rule: "generated-outcomes", fault: "NaN for what is minute", found: "NaN is not finite", open: always(when(minute, func(next next) (sdk.Outcome, error) {
		o, err := next()
		o.Result[0] = value.NumberOf(math.NaN())
		return o, err
	}))},
	{rule: "generated-outcomes", fault: "an undeclared code for what is minute", found: `"TOO_SMALL" is not declared`, open: always(
		when(minute, func(next) (sdk.Outcome, error) { return sdk.Outcome{}, sdk.Reject("TOO_SMALL", "side", "no") }))},
	{rule: "generated-outcomes", fault: "an undeclared warning for what is minute", found: `"ATOM" is not declared`, open: always(
		when(minute, func(next next) (sdk.Outcome, error) {
			o, err := next()
			o.Warnings = append(o.Warnings, sdk.Warning{Code: "ATOM", Severity: sdk.Info})
			return o, err
		}))},
	{rule: "generated-determinism", fault: "a first digit that counts instances", found: "result {volume: 2", open: func() conformance.Open {
		instances := 0.0
		return func(ctx context.Context) (sdk.Engine, func(), error) {
			instances++
			mine := instances
			return when(minute, func(next next) (sdk.Outcome, error) {
				o, err := next()
				o.Result[0] = value.NumberOf(mine)
				return o, err
			})(ctx)
		}
	}},
	{rule: "ranges", fault: "a negative side", found: "the result {volume: 1", open: always(turned(func(side float64) float64 {
		if side < 0 {
			return 1
		}
		return side
	}))},
	{rule: "ranges", fault: "a refusal of what just lies inside", found: "SIDE_MUST_BE_POSITIVE", open: always(when(minute, func(next) (sdk.Outcome, error) {
		return sdk.Outcome{}, sdk.Reject("SIDE_MUST_BE_POSITIVE", "side", "too small")
	}))},
	{rule: "ranges", fault: "the code of another fault", found: "CONFLICTING_INPUTS", open: always(
		when(func(in value.Values) bool { return in[0].Number() < 0 }, func(next) (sdk.Outcome, error) {
			return sdk.Outcome{}, sdk.Conflict("side", "no")
		}))},
	{rule: "ranges-inside", fault: "a depth of nothing in a list", found: "the result {volume: 8", vectors: layered,
		open: always(withLayers(func(depth, width float64) bool { return depth < 0 || width <= depth }))},
	{rule: "ranges-inside", fault: "a width that is its depth in a list", found: "the result {volume: 8", vectors: layered,
		open: always(withLayers(func(depth, width float64) bool { return depth <= 0 || width < depth }))},
	{rule: "ranges-inside", fault: "a refusal of what just lies inside in a list", found: "DEPTH_MUST_BE_POSITIVE (layers)", vectors: layered,
		open: always(withLayers(func(depth, width float64) bool { return depth < 1e-300 || width <= depth }))},
	{rule: "requests", fault: "a default of an input that must be sent", found: "rejection MISSING_REQUIRED_INPUT of count",
		vectors: "[" + counted + "," + tooHigh + "," + strings.Replace(tiny, `"side"`, `"count": 1, "side"`, 1) + "]",
		open: always(withSpec(func(s *sdk.Spec) {
			s.Inputs = slices.Clone(s.Inputs)
			s.Inputs[1].Required = true
		}))},
	{rule: "requests", fault: "a default outside its range", found: "the default 1", also: []string{"ranges"},
		vectors: "[" + counted + "," + tooHigh + "," + tiny + "]",
		open: always(withSpec(func(s *sdk.Spec) {
			s.Inputs = slices.Clone(s.Inputs)
			s.Inputs[1].Range = &sdk.Range{Min: new(2.0), Code: "COUNT_OUT_OF_RANGE"}
		}))},
	{rule: "aliases", fault: "a spelling of two values", found: `kind: "hollow"`, open: always(withSpec(func(s *sdk.Spec) {
		s.Inputs = slices.Clone(s.Inputs)
		s.Inputs[2].EnumAliases = append(slices.Clone(s.Inputs[2].EnumAliases), sdk.Alias{Alias: "tube", Value: "solid"})
	}))},
	{rule: "conversions", fault: "items without the unit of their list", found: "rejection INCOMPATIBLE_UNIT of layers",
		vectors: "[" + strings.Replace(oneResult, `"side": 2`, `"side": 2, "layers": [0.5]`, 1) + "," + tooHigh + "," + tiny + "]",
		open: always(opens(bent{
			Engine: cubeStack(),
			spec: func(s *sdk.Spec) {
				s.Inputs = append(slices.Clone(s.Inputs), sdk.Field{Name: "layers", Type: sdk.TypeArray, Unit: "m", Items: &sdk.Field{Type: sdk.TypeNumber}})
			},
			answer: func(ctx context.Context, in value.Values, _ next) (sdk.Outcome, error) {
				o, err := cubeStack().Calculate(ctx, in[:3])
				o.Inputs = in
				return o, err
			},
		}))},
	{rule: "decimal-strings", fault: "decimal strings cut off at the point", found: "volume: 27", open: always(opens(bent{
		Engine: cubeStack(),
		spec: func(s *sdk.Spec) {
			s.Inputs = slices.Clone(s.Inputs)
			s.Inputs[0].Decimal = true
		},
		answer: func(ctx context.Context, in value.Values, _ next) (sdk.Outcome, error) {
			cut := slices.Clone(in)
			if cut[0].Kind() == value.Exact {
				whole, _, _ := strings.Cut(cut[0].Text(), ".")
				x, _ := strconv.ParseFloat(whole, 64)
				cut[0] = value.NumberOf(x + 1)
			}
			o, err := cubeStack().Calculate(ctx, cut)
			o.Inputs = in
			return o, err
		},
	}))},
}

// huge and minute match sides that no vector has.
func huge(in value.Values) bool   { return in[0].Number() > 1e299 }
func minute(in value.Values) bool { return in[0].Number() > 0 && in[0].Number() < 1e-300 }

// when opens an engine that answers differently for inputs that match.
func when(so func(value.Values) bool, answer func(next) (sdk.Outcome, error)) conformance.Open {
	return withAnswer(func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
		if so(in) {
			return answer(next)
		}
		return next()
	})
}

// turned opens an engine that computes with a different side than it was sent.
func turned(side func(float64) float64) conformance.Open {
	return withAnswer(func(ctx context.Context, in value.Values, _ next) (sdk.Outcome, error) {
		other := slices.Clone(in)
		other[0] = value.NumberOf(side(in[0].Number()))
		o, err := cubeStack().Calculate(ctx, other)
		o.Inputs = in
		return o, err
	})
}

// failing opens an engine that fails for a side of 2 if fail returns an error.
func failing(fail func() error) conformance.Open {
	return withAnswer(func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
		if in[0].Number() == 2 {
			if err := fail(); err != nil {
				return sdk.Outcome{}, err
			}
		}
		return next()
	})
}

// stuck opens an engine some of whose calls return only when it is closed.
func stuck(when func(context.Context, value.Values) bool) conformance.Open {
	return func(context.Context) (sdk.Engine, func(), error) {
		closed := make(chan struct{})
		e := bent{Engine: cubeStack(), answer: func(ctx context.Context, in value.Values, next next) (sdk.Outcome, error) {
			if when(ctx, in) {
				<-closed
			}
			return next()
		}}
		return e, func() { close(closed) }, nil
	}
}

// check runs the suite on a fake clock, so that deadlines take no time and no goroutine may be
// left.
func check(t *testing.T, open func() conformance.Open, vectors []byte) (r *report.Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = conformance.Check(t.Context(), open(), vectors, nil) })
	return r
}

func failedRules(r *report.Report) []string {
	var ids []string
	for _, result := range r.Rules {
		if len(result.Findings) > 0 {
			ids = append(ids, result.ID)
		}
	}
	return ids
}

func result(t *testing.T, r *report.Report, id string) report.Result {
	t.Helper()
	for _, result := range r.Rules {
		if result.ID == id {
			return result
		}
	}
	t.Fatalf("the report has no rule %s", id)
	return report.Result{}
}

func TestGoodEnginePassesEveryRule(t *testing.T) {
	r := check(t, good, vectors(t))
	for _, result := range r.Rules {
		if !result.Passed || len(result.Findings) > 0 {
			t.Errorf("%s: %+v", result.ID, result.Findings)
		}
	}
	if want := (report.Count{Total: 8, Passed: 8}); !r.Passed || r.Vectors != want {
		t.Errorf("passed %t, vectors %+v, want %+v", r.Passed, r.Vectors, want)
	}
}

func TestBadEngineFailsItsRuleOnly(t *testing.T) {
	for _, bad := range badEngines {
		t.Run(bad.rule+"/"+bad.fault, func(t *testing.T) {
			data := []byte(bad.vectors)
			if bad.vectors == "" {
				data = vectors(t)
			}
			r := check(t, bad.open, data)
			want := append([]string{bad.rule}, bad.also...)
			got := failedRules(r)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) || r.Passed {
				t.Errorf("passed %t, failed %q, want %q", r.Passed, got, want)
			}
			found := ""
			for _, f := range result(t, r, bad.rule).Findings {
				found += f.Found + "\n"
			}
			if !strings.Contains(found, bad.found) {
				t.Errorf("found %q, want it to contain %q", found, bad.found)
			}
		})
	}
}

func TestEveryRuleHasABadEngine(t *testing.T) {
	for _, rule := range requirements.Newest().Rules {
		isOfDocuments := strings.HasPrefix(rule.ID, documentRule) // see TestBadDocumentFailsItsRuleOnly
		if !isOfDocuments && !slices.ContainsFunc(badEngines, func(b badEngine) bool { return b.rule == rule.ID }) {
			t.Errorf("no engine breaks %s: %s", rule.ID, rule.Rule)
		}
	}
}

func TestRulesAreSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range requirements.Newest().Rules {
		if seen[r.ID] || r.Cites == "" || !strings.HasPrefix(r.Rule, "an engine must ") || strings.HasSuffix(r.Rule, ".") {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

func plotted(s *sdk.Spec) {
	s.Plots = []sdk.Plot{{ID: "edge", Title: "Edge", X: sdk.Axis{Label: "side"}, Y: sdk.Axis{Label: "volume"}}}
}

// plotting is an engine that draws a line.
type plotting struct{ bent }

func (plotting) Draw(context.Context, string, value.Values) (*sdk.Figure, error) {
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "volume", X: []float64{0, 1}, Y: []float64{0, 1}}}}, nil
}

// painter is an engine with an invalid drawing.
type painter struct{ bent }

func (painter) Draw(context.Context, string, value.Values) (*sdk.Figure, error) {
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "volume", X: []float64{0}, Y: []float64{math.Inf(1)}}}}, nil
}

// Products of SI units are allowed, and so are the units that the interface names. Units of
// the first contract are still allowed.
func TestUnitsOfAnAuthor(t *testing.T) {
	for unit, contract := range map[string]string{
		"kg/(m s K(1/2))": "1.1.0", "N m/rad": "1.1.0", "kVA": "1.1.0", "%": "1.1.0", "1/kWh": "1.1.0", "mm": "1.0.0", "cubit": "1.0.0",
	} {
		r := check(t, always(withSpec(func(s *sdk.Spec) {
			s.Outputs = slices.Clone(s.Outputs)
			s.Outputs[2].Unit, s.Contract = unit, contract
		})), vectors(t))
		for _, rule := range []string{"units-known", "units-coherent"} {
			if result := result(t, r, rule); len(result.Findings) > 0 {
				t.Errorf("%s with contract %s: %+v", unit, contract, result.Findings)
			}
		}
	}
}
