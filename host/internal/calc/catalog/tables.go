package catalog

import (
	"github.com/slipstick/slipstick/sdk/preset"
)

// TableListing has all published tables.
type TableListing struct {
	Tables []TableSummary `json:"tables"`
	Count  int            `json:"count"`
}

// TableSummary is a table in the listing.
type TableSummary struct {
	ID       string            `json:"table_id"`
	Title    string            `json:"title,omitempty"`
	Summary  string            `json:"summary,omitempty"`
	Current  string            `json:"current_version,omitempty"`
	Versions []TableVersion    `json:"versions"` // newest first
	Links    map[string]string `json:"links"`
}

// TableVersion is one published version of a table.
type TableVersion struct {
	Version   string `json:"table_version"`
	Available bool   `json:"available"`
	Digest    string `json:"release_digest,omitempty"`
	Changes   string `json:"changes,omitempty"` // since the previous version, with the reason
	State     State  `json:"state"`
	Reason    string `json:"reason,omitempty"` // of a state other than active
}

// TableDocument is a table at one version, with its rows.
type TableDocument struct {
	TableSummary
	Version       string                `json:"table_version"`
	Digest        string                `json:"release_digest"`
	Noun          string                `json:"noun"`
	Columns       []preset.Column       `json:"columns"`
	Sources       []preset.Source       `json:"sources"`
	Interpolation *preset.Interpolation `json:"interpolation,omitempty"`
	Definition    string                `json:"definition,omitempty"`
	Rows          []TableRow            `json:"rows"`
}

// TableRow is one row of a table. The keys of the values are the names of their columns.
type TableRow struct {
	Key     string                 `json:"row,omitempty"`
	Name    string                 `json:"name,omitempty"`
	Figures map[string]TableFigure `json:"figures"`
}

// TableFigure is one table value, in the unit of its column.
type TableFigure struct {
	Value  string       `json:"value"` // a decimal as in the source
	Source string       `json:"source"`
	Others []OtherValue `json:"others,omitempty"`
}

// OtherValue is the value from another source.
type OtherValue struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// ListTables returns every published table.
func (v View) ListTables() TableListing {
	list := TableListing{Tables: []TableSummary{}}
	for _, e := range v.Catalog.Tables() {
		list.Tables = append(list.Tables, v.summarizeTable(e))
	}
	list.Count = len(list.Tables)
	return list
}

func (v View) summarizeTable(e *Entry) TableSummary {
	address := v.BaseURL + "/api/v1/tables/" + e.ID
	t := TableSummary{ID: e.ID, Current: e.Current, Versions: []TableVersion{}, Links: map[string]string{
		"self": address, "rows": address + "/rows.csv", "page": v.BaseURL + "/tables/" + e.ID,
	}}
	if r := e.ShownTable(); r != nil {
		t.Title, t.Summary = r.Table.Title, r.Table.Summary
	}
	for _, r := range e.Releases {
		t.Versions = append(t.Versions, TableVersion{r.Version, r.Available(), r.Digest, r.Spec.Changes, r.State(), r.Lifecycle.Reason})
	}
	return t
}

// ShownTable returns the release that describes a table: the current one, or else the newest readable
// one. It returns nil if no release can be read.
func (e *Entry) ShownTable() *Release {
	var shown *Release
	for _, r := range e.Releases {
		if r.Table != nil && (shown == nil || r.Version == e.Current) {
			shown = r
		}
	}
	return shown
}

// DescribeTable returns a table at the version of a release.
func (v View) DescribeTable(e *Entry, r *Release) TableDocument {
	t := r.Table
	d := TableDocument{
		TableSummary: v.summarizeTable(e), Version: r.Version, Digest: r.Digest, Noun: t.Noun, Columns: t.Columns,
		Sources: t.Sources, Interpolation: t.Interpolation, Definition: t.Definition, Rows: make([]TableRow, len(t.Rows)),
	}
	d.Title, d.TableSummary.Summary = t.Title, t.Summary
	for i := range t.Rows {
		row := &t.Rows[i]
		d.Rows[i] = TableRow{Key: row.Key, Name: row.Name, Figures: map[string]TableFigure{}}
		for k := range row.Cells {
			cell := &row.Cells[k]
			if cell.Literal == "" {
				continue
			}
			figure := TableFigure{Value: cell.Literal, Source: cell.Source}
			for _, o := range cell.Others {
				figure.Others = append(figure.Others, OtherValue{o.Literal, o.Source})
			}
			d.Rows[i].Figures[t.Columns[k].Name] = figure
		}
	}
	return d
}
