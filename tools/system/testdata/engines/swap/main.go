// Command swap is an engine with a version that the linker sets. Its answer names the version that computed it.
package main

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Set by -ldflags "-X main.version=1.1.0".
var (
	version    = "1.0.0"
	capability = "test.life.swap"
)

// Input is one number.
type Input struct {
	X float64 `name:"x" doc:"Any number."`
}

// Output is the number, and the version that computed it.
type Output struct {
	Y  float64 `name:"y" doc:"The number."`
	By string  `name:"by" doc:"Version of the engine."`
}

func main() {
	engine := sdk.New(sdk.Spec{
		Capability: capability, Version: version, Tool: "swap", Group: "test",
		Title: "Swap", Summary: "Returns the version that computed.", Definition: "y = x",
		Keywords: []string{"version"}, References: []sdk.Reference{{Title: "This file"}},
		Changes: "It returns another version, because a test needs one.",
	}, func(_ context.Context, in Input) (Output, error) { return Output{in.X, version}, nil })
	wire.Serve(engine, fmt.Appendf(nil, `[{"id": "V1", "inputs": {"x": 2}, "expected": {"y": 2, "by": %q}, "source": "itself"}]`, version))
}
