package terminal

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Releases lists the published releases in a table for people.
func Releases(w io.Writer, catalog *catalog.Catalog) {
	t := columns(w, 2)
	defer t.Flush()
	fmt.Fprintln(t, "CAPABILITY\tTOOL\tVERSION\tTIER\tENGINE\tSTATE")
	for _, e := range catalog.All() {
		for _, r := range listed(e) {
			engine := r.EngineDigest
			Printf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Capability, r.Tool, r.Version, r.Tier, engine[:min(19, len(engine))], r.state())
		}
	}
}

// ReleasesJSON lists the published releases for programs, an object in every line.
func ReleasesJSON(w io.Writer, catalog *catalog.Catalog) error {
	encoder := json.NewEncoder(w)
	for _, e := range catalog.All() {
		for _, r := range listed(e) {
			if err := encoder.Encode(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Listed is one release, or one capability that cannot be read.
type Listed struct {
	Capability   string            `json:"capability_id"`
	Tool         string            `json:"tool,omitempty"`
	Version      string            `json:"calculation_version,omitempty"`
	Tier         verification.Tier `json:"tier,omitempty"`
	EngineDigest string            `json:"engine_digest,omitempty"`
	Current      bool              `json:"current"`
	State        string            `json:"state,omitempty"`
	Reason       string            `json:"reason,omitempty"`
	Problem      string            `json:"problem,omitempty"`
}

func (r Listed) state() string {
	switch {
	case r.Problem != "":
		return "out of service: " + r.Problem
	case r.State != string(evidence.Active) && r.Current:
		return "current, " + r.State + ": " + r.Reason
	case r.State != string(evidence.Active):
		return r.State + ": " + r.Reason
	case r.Current:
		return "current"
	}
	return ""
}

// listed returns the lines of a capability.
func listed(e *catalog.Entry) []Listed {
	if e.Problem != nil {
		return []Listed{{Capability: e.ID, Problem: e.Problem.Error()}}
	}
	var rows []Listed
	for _, r := range e.Releases {
		row := Listed{
			Capability: e.ID, Tool: e.Tool, Version: r.Version, Tier: r.Verification.Tier,
			EngineDigest: r.EngineDigest, Current: r.Version == e.Current,
			State: string(r.State()), Reason: r.Lifecycle.Reason,
		}
		if r.Table != nil {
			row.Tier = "" // a table has no engine
		}
		if r.Problem != nil {
			row.Problem = r.Problem.Error()
		}
		rows = append(rows, row)
	}
	return rows
}
