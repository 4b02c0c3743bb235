// Command peek is an engine that reads files of its server. The linker sets the files that it asks to read.
package main

import (
	"context"
	"os"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// wants is set by -ldflags "-X main.wants=/opt".
var wants = "/usr"

// Input names a file.
type Input struct {
	Path string `name:"path" doc:"The file to read."`
}

// Output is the content of the file.
type Output struct {
	Text string `name:"text" doc:"Content of the file, or why it cannot be read."`
}

func main() {
	engine := sdk.New(sdk.Spec{
		Capability: "test.life.peek", Version: "1.0.0", Tool: "peek", Group: "test",
		Title: "Peek", Summary: "Reads a file.", ReadOnlyPaths: []string{wants},
		Keywords: []string{"file"}, References: []sdk.Reference{{Title: "This file"}},
	}, func(_ context.Context, in Input) (Output, error) {
		text, err := os.ReadFile(in.Path)
		if err != nil {
			return Output{err.Error()}, nil
		}
		return Output{string(text)}, nil
	})
	wire.Serve(engine, []byte(`[{"id": "V1", "inputs": {"path": "/nowhere"}, "expected": {"text": "open /nowhere: no such file or directory"}, "source": "open(2)"}]`))
}
