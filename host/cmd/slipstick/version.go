package main

import (
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

// The build of a release sets these variables. sums has the lines of go.sum for the modules of the release,
// separated by commas, and licence the name of the licence. Other builds leave version and sums empty.
var revision, version, sums, licence string

func program() release.Program {
	return release.Program{Revision: revision, Version: version, Sums: sums}
}

type versionCmd struct {
	JSON bool `help:"Print one JSON object."`
}

func (c *versionCmd) Run(s command.Streams) error {
	return program().Print(s.Out, c.JSON)
}
