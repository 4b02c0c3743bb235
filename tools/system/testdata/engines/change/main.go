// Command change is an engine with a version and a change that the linker sets.
package main

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Set by -ldflags "-X main.version=1.1.0 -X main.change=number".
var (
	version = "1.0.0"
	change  = ""
)

type input struct {
	X float64 `name:"x" range:"(0,)"`
}

type moreInput struct {
	X float64  `name:"x" range:"(0,)"`
	Z *float64 `name:"z"`
}

type output struct {
	Y float64 `name:"y"`
	W float64 `name:"w"`
}

type lessOutput struct {
	Y float64 `name:"y"`
}

const vectors = `[
 {"id": "V1", "inputs": {"x": 2}, "expected": {"y": 6}, "rtol": 1e-15, "source": "2*3"},
 {"id": "E1", "inputs": {"x": 0}, "expected": {"code": "X_MUST_BE_POSITIVE", "field": "x"}, "source": "range"}
]`

func main() {
	spec := sdk.Spec{
		Capability: "test.life.change", Version: version, Tool: "change", Group: "test", Title: "Change", Summary: "Three times a number.",
		Definition: "y = 3*x; w = x", Keywords: []string{"triple"}, References: []sdk.Reference{{Title: "This file"}},
		Changes: "A value that the linker sets, because a test needs it.",
	}
	factor := 3.0
	switch change {
	case "number":
		factor = 0x1.8000000000001p1 // the next float
	case "wrong":
		factor = 4
	case "silent":
		spec.Changes = ""
	case "silent-number":
		factor, spec.Changes = 0x1.8000000000001p1, ""
	}
	var engine sdk.Engine
	switch change {
	case "input":
		engine = sdk.New(spec, func(_ context.Context, in moreInput) (output, error) { return output{factor * in.X, in.X}, nil })
	case "gone":
		spec.Definition = "y = 3*x"
		engine = sdk.New(spec, func(_ context.Context, in input) (lessOutput, error) { return lessOutput{factor * in.X}, nil })
	default:
		engine = sdk.New(spec, func(_ context.Context, in input) (output, error) { return output{factor * in.X, in.X}, nil })
	}
	wire.Serve(engine, []byte(vectors))
}
