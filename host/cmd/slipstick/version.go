package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// revision is the commit that the program was built of; the build sets it.
var revision string

type versionCmd struct {
	JSON bool `help:"Print one JSON object."`
}

// Run prints which program this is.
func (c *versionCmd) Run(s streams) error {
	v := struct {
		Revision string `json:"revision"`
		API      string `json:"api_version"`
		Contract string `json:"api_contract_version"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{builtOf(), calc.APIVersion, calc.APIContract, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if c.JSON {
		return json.NewEncoder(s.out).Encode(v)
	}
	_, err := fmt.Fprintf(s.out, "slipstick %s\ninterface %s, contract %s\n%s %s\n", v.Revision, v.API, v.Contract, v.Go, v.Platform)
	return err
}

// builtOf is the revision, or the version of the module where go install built it.
func builtOf() string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(revision, module, "of an unknown revision")
}
