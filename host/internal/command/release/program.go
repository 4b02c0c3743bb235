package release

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/scaffold"
)

// Program has the values that the build sets in this program.
type Program struct {
	Revision string // the commit
	Version  string // the release, empty for a build of a checkout
	Sums     string // lines of go.sum for the modules of the release, separated by commas
}

// release returns the release whose modules a new engine requires. It is nil for a build of a checkout.
func (p Program) release() *scaffold.Release {
	if p.Version != "" && p.Sums != "" {
		return &scaffold.Release{Version: "v" + p.Version, Sums: strings.Split(p.Sums, ",")}
	}
	if installed := build.Installed(); installed != "" {
		return &scaffold.Release{Version: installed}
	}
	return nil
}

// Print writes the versions of the program and of its interfaces.
func (p Program) Print(w io.Writer, asJSON bool) error {
	v := struct {
		Version  string `json:"version,omitempty"`
		Revision string `json:"revision"`
		API      string `json:"api_version"`
		Contract string `json:"api_contract_version"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{cmp.Or(p.Version, strings.TrimPrefix(build.Installed(), "v")), p.revision(), calc.APIVersion, calc.APIContract, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	_, err := fmt.Fprintf(w, "slipstick %s\ninterface %s, contract %s\n%s %s\n", p.Name(), v.API, v.Contract, v.Go, v.Platform)
	return err
}

// Name returns the release and the revision, for people.
func (p Program) Name() string {
	if p.Version != "" {
		return p.Version + " (" + p.revision() + ")"
	}
	return p.revision()
}

// revision returns the commit, or the version of the module if go install built the program.
func (p Program) revision() string {
	module := ""
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(p.Revision, module, "of an unknown revision")
}
