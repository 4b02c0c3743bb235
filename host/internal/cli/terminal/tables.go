package terminal

import (
	"encoding/json"
	"io"

	"github.com/slipstick/slipstick/conformance/tables"
	"github.com/slipstick/slipstick/sdk/preset"
)

// TableReport writes the report of a table's checks.
func TableReport(w io.Writer, t *preset.Table, r *tables.Report) {
	Printf(w, "%s %s: %s, %s, %d values agree with their formulas\n", t.ID, t.Version,
		Count(len(t.Rows), "row"), Count(len(t.Columns), "column"), max(0, r.Checked-len(r.Errs)))
	for _, d := range r.Differences {
		Printf(w, "  sources differ: %s\n", d)
	}
	for _, err := range r.Errs {
		Printf(w, "  %v\n", err)
	}
}

// tableReport is the report of a table's checks for programs.
type tableReport struct {
	Table       string              `json:"table_id"`
	Version     string              `json:"table_version"`
	Passed      bool                `json:"passed"`
	Rows        int                 `json:"rows"`
	Checked     int                 `json:"figures_checked"`
	Differences []tables.Difference `json:"differences,omitempty"`
	Errors      []string            `json:"errors,omitempty"`
}

// TableReportJSON is TableReport for programs.
func TableReportJSON(w io.Writer, t *preset.Table, r *tables.Report) error {
	out := tableReport{Table: t.ID, Version: t.Version, Passed: r.Passed(), Rows: len(t.Rows), Checked: r.Checked, Differences: r.Differences}
	for _, err := range r.Errs {
		out.Errors = append(out.Errors, err.Error())
	}
	return json.NewEncoder(w).Encode(out)
}

// TableDiff writes the changes between two versions of a table.
func TableDiff(w io.Writer, c *tables.Comparison) {
	Printf(w, "%s %s -> %s: %s\n", c.Table, c.Old, c.New, Count(len(c.Changes), "change"))
	for _, change := range c.Changes {
		where := change.Row
		if where != "" {
			where += ": "
		}
		Printf(w, "  %s: %s%s\n", change.Bump, where, change.Text)
	}
	Printf(w, "needs a %s bump: at least %s\n", c.Needed, c.Smallest)
}
