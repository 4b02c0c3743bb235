// Command hostile is an engine that conforms when it is published, and attacks the server that
// runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Set by -ldflags "-X main.version=1.1.0".
var (
	version = "1.0.0"
	tool    = "hostile"
	start   = "" // attack at the start: hang, burn, eat or exit
)

// Input is one number, and an attack.
type Input struct {
	X  float64 `name:"x" doc:"Any number."`
	Do string  `name:"do" doc:"The attack: crash or hang, while it computes or draws." default:"nothing"`
}

// Output is the number.
type Output struct {
	Y float64 `name:"y" doc:"The number."`
}

func main() {
	// The variable is absent while the engine is checked before it is published.
	if _, served := os.LookupEnv("GOMAXPROCS"); served {
		attack(start)
	}
	engine := sdk.New(sdk.Spec{
		Capability: "test.hostile." + tool, Version: version, Tool: tool, Group: "test",
		Title: "Hostile", Summary: "Attacks its server.", Definition: "y = x",
		Keywords: []string{"attack"}, References: []sdk.Reference{{Title: "This file"}},
		Changes: "Another version, because a test needs one.",
		Plots:   []sdk.Plot{{ID: "line", Title: "Line", X: sdk.Axis{Label: "x"}, Y: sdk.Axis{Label: "y"}}},
	}, func(_ context.Context, in Input) (Output, error) {
		attack(in.Do)
		return Output{in.X}, nil
	})
	wire.Serve(engine, fmt.Appendf(nil, `[{"id": "V1", "inputs": {"x": 2}, "expected": {"y": 2}, "source": "itself"}]`))
}

// Draw implements [sdk.Drawer]. It attacks if the input requests it after "draw ".
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if len(in.Do) > len("draw ") {
		attack(in.Do[len("draw "):])
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "y", X: []float64{0, 1}, Y: []float64{0, in.X}}}}, nil
}

// eaten keeps the memory that eat allocates.
var eaten [][]byte

func attack(how string) {
	switch how {
	case "hang":
		time.Sleep(time.Hour)
	case "burn":
		for { //nolint:staticcheck // it burns the CPU
		}
	case "eat":
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			eaten = append(eaten, b)
		}
	case "exit", "crash":
		os.Exit(3)
	}
}
