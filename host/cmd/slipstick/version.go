package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/release/scaffold"
)

// revision is the commit that the program was built of, version the release that it belongs to,
// and sums what go.sum says of the modules of the release, with commas between the lines; the build
// sets them. What is built for use on the spot belongs to no release.
var revision, version, sums string

type versionCmd struct {
	JSON bool `help:"Print one JSON object."`
}

// Run prints which program this is.
func (c *versionCmd) Run(s streams) error {
	v := struct {
		Version  string `json:"version,omitempty"`
		Revision string `json:"revision"`
		API      string `json:"api_version"`
		Contract string `json:"api_contract_version"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{version, builtOf(), calc.APIVersion, calc.APIContract, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if c.JSON {
		return json.NewEncoder(s.out).Encode(v)
	}
	name := v.Revision
	if v.Version != "" {
		name = v.Version + " (" + v.Revision + ")"
	}
	_, err := fmt.Fprintf(s.out, "slipstick %s\ninterface %s, contract %s\n%s %s\n", name, v.API, v.Contract, v.Go, v.Platform)
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

// ownRelease is the release whose modules a new engine requires, nil if the program belongs to none:
// it was built of a checkout.
func ownRelease() *scaffold.Release {
	if version != "" && sums != "" {
		return &scaffold.Release{Version: "v" + version, Sums: strings.Split(sums, ",")}
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" { // go install built it of its module
		return &scaffold.Release{Version: info.Main.Version}
	}
	return nil
}
