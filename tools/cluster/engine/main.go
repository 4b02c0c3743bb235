// Command engine is the engine that the servers of a cluster run. Its answer identifies the version that computed
// it: version N.0.0 answers N*x. The build sets the version.
package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// The build sets version: -X main.version=2.0.0.
var version = "1.0.0"

func main() { wire.Serve(Engine(), vectors()) }

// factor returns the first number of the version.
func factor() float64 {
	major, _, _ := strings.Cut(version, ".")
	f, err := strconv.ParseFloat(major, 64)
	if err != nil {
		panic("the version " + version + " does not start with a number")
	}
	return f
}

// Input is the number to multiply.
type Input struct {
	X float64 `name:"x" range:"(0,)" doc:"Number to multiply."`
}

// Output is the product.
type Output struct {
	Product float64 `name:"product" doc:"The first number of the version times x."`
}

// Engine returns the engine that multiplies by the first number of its version.
//
// Units: none.
//
// Error: half a unit in the last place.
//
// Source: its own definition.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "cluster.probe",
		Version:    version,
		Tool:       "cluster-probe",
		Group:      "cluster",
		Title:      "Product that identifies the version",
		Summary:    "The first number of the version times x.",
		Keywords:   []string{"probe"},
		Changes:    "The factor is the first number of the version.",
		Definition: fmt.Sprintf("product = %g*x", factor()),
		Formulas:   []sdk.Formula{{ID: "product_v1", Label: "Product"}},
		References: []sdk.Reference{{Title: "This file"}},
	}, func(_ context.Context, in Input) (Output, error) {
		return Output{Product: factor() * in.X}, nil
	})
}

// vectors returns the vectors of this version.
func vectors() []byte {
	const form = `{"id": "%s", "kind": "closed_form", "inputs": {"x": %g}, "expected": {"product": %g}, "rtol": 0, "source": "multiplied by hand", "evidence": "computed"}`
	const rejected = `{"id": "E1", "kind": "rejection", "inputs": {"x": 0}, "expected": {"code": "X_MUST_BE_POSITIVE", "field": "x"}, "source": "range of the input", "evidence": "computed"}`
	var lines []string
	for i, x := range []float64{1, 3, 1000} {
		lines = append(lines, fmt.Sprintf(form, "P"+strconv.Itoa(i+1), x, factor()*x))
	}
	return []byte("[\n" + strings.Join(append(lines, rejected), ",\n") + "\n]\n")
}
