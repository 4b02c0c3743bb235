// Command runtime is the program of text engines. It computes the document that follows it in its
// own file: see package enginefile.
package main

import (
	"fmt"
	"os"

	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/wire"
)

func main() {
	own, err := enginefile.Own()
	if err == nil {
		var engine *text.Engine
		engine, err = text.BindWith("document", own)
		if err == nil {
			wire.Serve(engine, engine.Vectors())
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
