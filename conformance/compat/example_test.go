package compat_test

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/sdk"
)

type ohmInput struct {
	Voltage    float64 `name:"voltage" unit:"V" doc:"Voltage across the resistor."`
	Resistance float64 `name:"resistance" unit:"ohm" range:"(0,)" doc:"Resistance."`
}

type ohmOutput struct {
	Current float64 `name:"current" unit:"A" doc:"Current through the resistor."`
}

// ohm is a version of an engine that answers a multiple of the current.
func ohm(version string, factor float64) *compat.Engine {
	engine := sdk.New(sdk.Spec{
		Capability: "electrical.basic.ohm", Version: version, Tool: "ohm", Group: "basic", Title: "Current", Summary: "Current through a resistor.",
	}, func(_ context.Context, in ohmInput) (ohmOutput, error) {
		return ohmOutput{factor * in.Voltage / in.Resistance}, nil
	})
	return &compat.Engine{
		Spec:    engine.Spec(),
		Open:    func(context.Context) (sdk.Engine, func(), error) { return engine, func() {}, nil },
		Vectors: []byte(`[{"id": "V1", "inputs": {"voltage": 12, "resistance": 8}, "expected": {"current": 1.5}}]`),
	}
}

// Both engines get the same requests. A changed number needs a new major version.
func ExampleDiff() {
	for _, newer := range []*compat.Engine{ohm("1.0.1", 1), ohm("1.0.1", 2)} {
		r, err := compat.Diff(context.Background(), ohm("1.0.0", 1), newer, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Legal, r.Needed, r.Smallest)
	}
	// Output:
	// true patch 1.0.1
	// false major 2.0.0
}
