package terminal

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/audit"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry/transparency"
)

// LogEntries writes the entries of a log, a line for each. If id is a capability or tool id, it only writes entries of its
// capabilities.
func LogEntries(w io.Writer, entries []transparency.Entry, id string, asJSON bool) error {
	chosen := map[string]bool{id: true}
	for _, e := range entries {
		if e.Tool == id {
			chosen[e.Capability] = true
		}
	}
	lines := json.NewEncoder(w)
	for i, e := range entries {
		if id != "" && !chosen[e.Capability] {
			continue
		}
		if asJSON {
			if err := lines.Encode(e); err != nil {
				return err
			}
			continue
		}
		what := string(e.Kind)
		if e.State != "" {
			what = e.State
		}
		version := e.Version
		if version == "" {
			version = "-"
		}
		Printf(w, "%6d  %s  %-10s  %s %s\n", i, e.Time.Format(time.RFC3339), what, e.Capability, version)
	}
	return nil
}

// LogHeads compares a log with earlier checkpoints, and writes the outcomes.
func LogHeads(w io.Writer, found source.Judged, heads []source.Head, asJSON bool) error {
	type line struct {
		Head    string        `json:"checkpoint"`
		Outcome audit.Outcome `json:"outcome"`
		Fault   string        `json:"fault,omitempty"` // damaged, forked, shortened, reordered or split
		Detail  string        `json:"detail,omitempty"`
	}
	lines := []line{{"log", audit.Holds, "", logText(&audit.Finding{Log: found})}}
	for _, h := range heads {
		l := line{Head: h.Name, Outcome: audit.Holds, Detail: Count(int(h.Checkpoint.Size), "entry")}
		if h.Err != nil {
			l.Outcome, l.Detail = audit.Unchecked, h.Err.Error()
		}
		if fault, is := errors.AsType[*transparency.Fault](h.Err); is {
			l.Outcome, l.Fault = audit.Fails, string(fault.Kind)
		}
		lines = append(lines, l)
	}
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{"findings": lines})
	}
	for _, l := range lines {
		Printf(w, "%-9s  %s: %s\n", l.Outcome, l.Head, l.Detail)
	}
	return nil
}
