package conformance_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

const capability = "geometry.solids.cube_stack"

type stackInput struct {
	Side  float64 `name:"side" alias:"a" unit:"m" range:"(0,)"`
	Count int     `name:"count" default:"1"`
	Kind  string  `name:"kind" enum:"solid,hollow=tube" default:"solid"`
}

type stackOutput struct {
	Volume float64   `name:"volume" unit:"m3"`
	Kind   string    `name:"kind" enum:"solid,hollow"`
	Edges  []float64 `name:"edges" unit:"m"`
}

// cubeStack is an engine that passes every rule.
func cubeStack() sdk.Engine {
	spec := sdk.Spec{
		Capability: capability, Version: "1.0.0", Tool: "cube-stack", Group: "solids",
		Title: "Stack of cubes", Summary: "Volume of equal cubes.",
		Formulas: []sdk.Formula{{ID: "stack", Expression: "V = n a^3"}},
		Errors:   []string{"STACK_TOO_HIGH"}, Warnings: []string{"TINY_CUBE"},
	}
	return sdk.New(spec, func(ctx context.Context, in stackInput) (stackOutput, error) {
		if in.Count > 100 {
			return stackOutput{}, sdk.Reject("STACK_TOO_HIGH", "count", "%d cubes fall over", in.Count)
		}
		if in.Side < 0.01 {
			sdk.Warn(ctx, sdk.Warning{Code: "TINY_CUBE", Severity: sdk.Info})
		}
		return stackOutput{float64(in.Count) * math.Pow(in.Side, 3), in.Kind, []float64{in.Side}}, nil
	})
}

// next calls the engine that a bent engine bends.
type next func() (sdk.Outcome, error)

// bent is cubeStack with another Spec or another answer.
type bent struct {
	sdk.Engine
	spec   func(*sdk.Spec)
	answer func(context.Context, value.Values, next) (sdk.Outcome, error)
}

func (b bent) Spec() sdk.Spec {
	s := b.Engine.Spec()
	if b.spec != nil {
		b.spec(&s)
	}
	return s
}

func (b bent) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	next := func() (sdk.Outcome, error) { return b.Engine.Calculate(ctx, in) }
	if b.answer == nil {
		return next()
	}
	return b.answer(ctx, in, next)
}

// opens returns an Open of one value.
func opens(e sdk.Engine) conformance.Open {
	return func(context.Context) (sdk.Engine, func(), error) { return e, nil, nil }
}

// withSpec, withAnswer and withResult open cubeStack with one thing bent.
func withSpec(change func(*sdk.Spec)) conformance.Open {
	return opens(bent{Engine: cubeStack(), spec: change})
}

func withAnswer(answer func(context.Context, value.Values, next) (sdk.Outcome, error)) conformance.Open {
	return opens(bent{Engine: cubeStack(), answer: answer})
}

func withOutcome(change func(*sdk.Outcome)) conformance.Open {
	return withAnswer(changed(change))
}

func changed(change func(*sdk.Outcome)) func(context.Context, value.Values, next) (sdk.Outcome, error) {
	return func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
		o, err := next()
		if err == nil {
			change(&o)
		}
		return o, err
	}
}

func claiming(v verification.Record) conformance.Open {
	return withSpec(func(s *sdk.Spec) { s.Verification = &v })
}

func vectors(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}
