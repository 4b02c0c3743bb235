// Command chatty is an engine that logs lines of several levels.
package main

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Input is one number.
type Input struct {
	X float64 `name:"x" doc:"Any number."`
}

// Output is the number.
type Output struct {
	Y float64 `name:"y" doc:"The number."`
}

func main() {
	engine := sdk.New(sdk.Spec{
		Capability: "test.log.chatty", Version: "1.0.0", Tool: "chatty", Group: "test",
		Title: "Chatty", Summary: "Logs each calculation.", Definition: "y = x",
		Keywords: []string{"log"}, References: []sdk.Reference{{Title: "This file"}},
	}, func(ctx context.Context, in Input) (Output, error) {
		logger := sdk.Logger(ctx)
		logger.Debug("begins", "x", in.X)
		logger.Info("goes on", "x", in.X)
		logger.Warn("ends", "x", in.X, "capability", "another.engine")
		return Output{in.X}, nil
	})
	wire.Serve(engine, []byte(`[{"id": "V1", "inputs": {"x": 2}, "expected": {"y": 2}, "source": "itself"}]`))
}
