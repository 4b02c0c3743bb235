// Command slipstick-text is the program of text engines. It computes the document that follows it in its
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
		engine, err = text.BindToServe("document", own)
		if err == nil {
			wire.ServeLazily(engine, func() ([]byte, error) {
				whole, err := text.BindWith("document", own)
				if err != nil {
					return nil, err
				}
				return whole.Vectors(), nil
			})
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
