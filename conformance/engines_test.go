package conformance_test

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

const capability = "geometry.solids.cube_stack"

type stackInput struct {
	Side  float64 `name:"side" alias:"a" symbol:"a" unit:"m" range:"(0,)"`
	Count int     `name:"count" symbol:"n" default:"1"`
	Kind  string  `name:"kind" enum:"solid,hollow=tube" default:"solid"`
}

type stackOutput struct {
	Volume float64   `name:"volume" symbol:"V" unit:"m3"`
	Kind   string    `name:"kind" enum:"solid,hollow"`
	Edges  []float64 `name:"edges" unit:"m"`
}

// cubeStack is an engine that passes every rule.
func cubeStack() sdk.Engine {
	spec := sdk.Spec{
		Capability: capability, Version: "1.0.0", Tool: "cube-stack", Group: "solids",
		Title: "Stack of cubes", Summary: "Volume of equal cubes.",
		Keywords:   []string{"tower"},
		Definition: "V = n*a^3",
		Formulas:   []sdk.Formula{{ID: "stack"}},
		References: []sdk.Reference{{Title: "Archimedes, On the Sphere and Cylinder"}},
		Errors:     []string{"STACK_TOO_HIGH"}, Warnings: []string{"TINY_CUBE"},
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

// next calls the original engine of a bent engine.
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

// opens returns an Open that returns this value.
func opens(e sdk.Engine) conformance.Open {
	return func(context.Context) (sdk.Engine, func(), error) { return e, nil, nil }
}

// withSpec, withAnswer and withResult open cubeStack with one change.
func withSpec(change func(*sdk.Spec)) conformance.Open {
	return opens(bent{Engine: cubeStack(), spec: change})
}

// withField opens cubeStack with a changed first input.
func withField(change func(*sdk.Field)) conformance.Open {
	return withSpec(func(s *sdk.Spec) {
		s.Inputs = slices.Clone(s.Inputs)
		change(&s.Inputs[0])
	})
}

// withEdges opens cubeStack with edges in another unit.
func withEdges(unit string) conformance.Open {
	return withSpec(func(s *sdk.Spec) {
		s.Outputs = slices.Clone(s.Outputs)
		s.Outputs[2].Unit, s.Outputs[2].Items = unit, &sdk.Field{Type: sdk.TypeNumber, Unit: unit}
	})
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

// withLayers opens cubeStack with a list of layers as its last input. It refuses a layer for
// which refuse is true. The reason is the depth if it is less than the width, and otherwise
// the width.
func withLayers(refuse func(depth, width float64) bool) conformance.Open {
	depth := sdk.Field{Name: "depth", Type: sdk.TypeNumber, Required: true, Range: &sdk.Range{Min: new(0.0), MinOpen: true, MaxOpen: true, Code: "DEPTH_MUST_BE_POSITIVE"}}
	width := sdk.Field{Name: "width", Type: sdk.TypeNumber, Required: true, Range: &sdk.Range{MinInput: "depth", MinOpen: true, MaxOpen: true, Code: "WIDTH_OUT_OF_RANGE"}}
	layer := sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{depth, width}}
	return opens(bent{
		Engine: cubeStack(),
		spec: func(s *sdk.Spec) {
			s.Contract = "1.1.0"
			s.Inputs = append(slices.Clone(s.Inputs), sdk.Field{Name: "layers", Type: sdk.TypeArray, Items: &layer})
		},
		answer: func(ctx context.Context, in value.Values, _ next) (sdk.Outcome, error) {
			for _, l := range in[3].Items() {
				depth, width := l.Items()[0].Number(), l.Items()[1].Number()
				switch {
				case !refuse(depth, width):
				case depth < width:
					return sdk.Outcome{}, sdk.Reject("DEPTH_MUST_BE_POSITIVE", "layers", "a layer without depth")
				default:
					return sdk.Outcome{}, sdk.Reject("WIDTH_OUT_OF_RANGE", "layers", "a layer without width")
				}
			}
			o, err := cubeStack().Calculate(ctx, in[:3])
			o.Inputs = append(o.Inputs, in[3])
			return o, err
		},
	})
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
