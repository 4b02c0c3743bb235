// Package preset answers one question: which figure does a published table give under a name?
//
// A table is data: a Spec that says what its columns are and where their figures come from, and
// rows of decimals that are kept as they are written. Nothing in it is executed. [Parse] reads
// one, [Table.Row] finds a row by its name, and [Table.At] interpolates between rows where the
// Spec allows it. A [Ref] is how a caller names a figure, such as
// data.materials.metals/S235@1.0.0.
package preset

import (
	"fmt"
	"strings"
)

// Prefix begins the ids of tables, and of nothing else.
const Prefix = "data."

// IsTable reports whether a capability id is that of a table.
func IsTable(id string) bool { return strings.HasPrefix(id, Prefix) }

// Limits of a table. Parse refuses what is beyond them.
const (
	MaxColumns = 40
	MaxRows    = 2000
	MaxRowText = 1 << 20 // bytes of all rows
	MaxSources = 64
	maxName    = 80 // bytes of a key
	maxText    = 2 << 10
	maxChanges = 600 // as of an engine
)

// Format is the version of the form of a Spec.
const Format = 1

// Spec says what a table holds.
type Spec struct {
	Format  int    `json:"table_format"`
	ID      string `json:"table_id"`      // such as data.materials.metals
	Version string `json:"table_version"` // semver without build metadata
	Title   string `json:"title"`
	Summary string `json:"summary"` // one sentence
	Noun    string `json:"noun"`    // what a row is, such as material

	// Changes says what changed since the version before this one, and why. A minor or major version
	// is published only with it.
	Changes string `json:"changes,omitempty"`

	Columns []Column `json:"columns"`
	Sources []Source `json:"sources"`

	// Interpolation says how figures between rows follow. Nil: rows are found by their keys.
	Interpolation *Interpolation `json:"interpolation,omitempty"`

	// Definition says how columns follow from others, as package formula reads it. It calls a
	// column by its Symbol in letters. A figure must agree with it within its rounding.
	Definition string `json:"definition,omitempty"`

	// Picture is what a row looks like: i_section, tube or round. "" is nothing.
	Picture string `json:"picture,omitempty"`
}

// Column is one quantity of a table.
type Column struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Unit        string `json:"unit,omitempty"` // of the figures as they are written
	Doc         string `json:"doc,omitempty"`
	Symbol      string `json:"symbol,omitempty"`    // LaTeX
	Source      string `json:"source,omitempty"`    // id of the source of figures that name none
	Min         string `json:"minimum,omitempty"`   // bounds of the figures, in Unit
	Max         string `json:"maximum,omitempty"`   //
	Monotonic   Trend  `json:"monotonic,omitempty"` // from row to row
	Significant int    `json:"significant,omitempty"`
	// Significant is how many digits the source gives, where trailing zeros are no digits; 0 if
	// each written digit counts.

	// Tolerance is how far figures may be from the Definition beyond their rounding, as a part
	// of them, and Reason says why.
	Tolerance string `json:"tolerance,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// Trend is how figures change from row to row.
type Trend string

// The trends.
const (
	Rising  Trend = "rising"
	Falling Trend = "falling"
)

// Source is where figures come from.
type Source struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Where string `json:"where,omitempty"` // edition, table, section
	Note  string `json:"note,omitempty"`  // how the figures were taken from it
}

// String names the source with its edition.
func (s *Source) String() string {
	if s.Where == "" {
		return s.Title
	}
	return s.Title + ", " + s.Where
}

// Interpolation says how figures follow from an argument.
type Interpolation struct {
	Argument string `json:"argument"` // name of the column that is given
	Kind     Kind   `json:"kind"`
}

// Kind is a kind of interpolation.
type Kind string

// The kinds of interpolation. Cubic is monotone: between two rows no figure is beyond theirs.
const (
	Linear Kind = "linear"
	Cubic  Kind = "monotone_cubic"
)

// Table is a Spec with its rows.
type Table struct {
	Spec
	Rows []Row

	byName map[string]int // index of the row by its folded key and name
}

// Row is one row. An interpolated table has rows without Key and Name.
type Row struct {
	Key   string // such as IPE200
	Name  string // for people, such as IPE 200
	Cells []Cell // one for each column
}

// Cell is one figure. The zero Cell is one that the table does not have.
type Cell struct {
	Literal string // a decimal as it was written, in the unit of the column
	Source  string // id
	Others  []Other
}

// Other is what another source gives for a figure.
type Other struct{ Literal, Source string }

// Column returns the index of the column with the name, -1 if there is none.
func (s *Spec) Column(name string) int {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Source returns the source with the id, nil if there is none.
func (s *Spec) Source(id string) *Source {
	for i := range s.Sources {
		if s.Sources[i].ID == id {
			return &s.Sources[i]
		}
	}
	return nil
}

// Argument returns the index of the column that figures are interpolated by, -1 if none is.
func (s *Spec) Argument() int {
	if s.Interpolation == nil {
		return -1
	}
	return s.Column(s.Interpolation.Argument)
}

// Ref names a figure of a table.
type Ref struct {
	Table   string
	Column  string // "" for the one that the field takes
	Row     string // key or name of a row, or the argument of an interpolated table with its unit
	Version string // "" for the current one
}

// ParseRef reads TABLE[#COLUMN]/ROW[@VERSION], such as data.materials.metals/S235@1.0.0.
func ParseRef(text string) (Ref, error) {
	table, row, found := strings.Cut(text, "/")
	table, column, _ := strings.Cut(table, "#")
	var version string
	if at := strings.LastIndexByte(row, '@'); at >= 0 {
		row, version = row[:at], row[at+1:]
	}
	r := Ref{Table: table, Column: column, Row: strings.TrimSpace(row), Version: version}
	if !found || !IsTable(table) || r.Row == "" {
		return Ref{}, fmt.Errorf("%.100q is not TABLE/ROW, such as data.materials.metals/S235", text)
	}
	return r, nil
}

// String is what ParseRef reads.
func (r Ref) String() string {
	text := r.Table
	if r.Column != "" {
		text += "#" + r.Column
	}
	text += "/" + r.Row
	if r.Version != "" {
		text += "@" + r.Version
	}
	return text
}
