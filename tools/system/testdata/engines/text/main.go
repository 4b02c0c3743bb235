// Command text is a runtime for text engines. Its document has a version and a factor, and its file of vectors is JSON.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/wire"
)

type input struct {
	X float64 `name:"x" range:"(0,)"`
}

type output struct {
	Y float64 `name:"y"`
}

func main() {
	text, err := enginefile.Own()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var version string
	var factor float64
	if _, err := fmt.Sscanf(string(text.Document), "%s %g\n", &version, &factor); err != nil {
		fmt.Fprintln(os.Stderr, "document:", err)
		os.Exit(1)
	}
	spec := sdk.Spec{
		Capability: "test.text.multiple", Version: version, Tool: "multiple", Group: "test", Title: "Multiple", Summary: "A multiple of a number.",
		Definition: fmt.Sprintf("y = %g*x", factor), Keywords: []string{"multiple"}, References: []sdk.Reference{{Title: "This file"}},
		Changes: "Another factor.",
	}
	engine := sdk.New(spec, func(_ context.Context, in input) (output, error) { return output{factor * in.X}, nil })
	wire.Serve(engine, text.Vectors)
}
