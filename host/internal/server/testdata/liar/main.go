// Command liar is an engine that conforms until a file names another behavior. With the argument
// spec it prints its Spec.
package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// The linker sets file, the file with the name of a behavior. Tests change the version in the
// program by replacing label.
var file, label = "", "liar version 1.0.0"

// Input is a number.
type Input struct {
	X float64 `name:"x" symbol:"x" doc:"Number."`
}

// Output is another number.
type Output struct {
	Y float64 `name:"y" symbol:"y" doc:"Other number."`
}

// answer is a result of the last two seconds.
type answer struct {
	y  float64
	at time.Time
}

var (
	mu     sync.Mutex
	recent = map[float64]answer{}
)

func compute(x float64) float64 {
	behavior, _ := os.ReadFile(file)
	switch string(behavior) {
	case "random":
		return 2*x + 1 + rand.Float64()
	case "repeats": // within two seconds
		mu.Lock()
		defer mu.Unlock()
		if time.Since(recent[x].at) > 2*time.Second {
			recent[x] = answer{2*x + 1 + rand.Float64(), time.Now()}
		}
		return recent[x].y
	case "wrong":
		return 3*x + 7
	}
	return 2*x + 1
}

func main() {
	engine := sdk.New(sdk.Spec{
		Capability: "test.lab.liar", Version: strings.TrimPrefix(label, "liar version "), Tool: "liar", Group: "lab", Title: "Liar", Summary: "A line.",
		Definition: "y = 2*x + 1", Formulas: []sdk.Formula{{ID: "line_v1", Label: "Line"}},
	}, func(_ context.Context, in Input) (Output, error) { return Output{compute(in.X)}, nil })
	if len(os.Args) > 1 {
		if err := json.NewEncoder(os.Stdout).Encode(engine.Spec()); err != nil {
			panic(err)
		}
		return
	}
	wire.Serve(engine, nil)
}
