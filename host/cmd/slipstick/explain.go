package main

import (
	"io"

	"github.com/slipstick/slipstick/host/internal/cli/help"
	"github.com/slipstick/slipstick/host/internal/command"
)

type explainCmd struct {
	Code string `arg:"" help:"Code of an error or warning, such as INVALID_NUMBER, or an exit code, such as 3."`
}

func (c *explainCmd) Run(s command.Streams) error {
	text, err := help.Explain(c.Code)
	if err != nil {
		return command.Misuse(err)
	}
	_, err = io.WriteString(s.Out, text)
	return err
}
