// Package preset reads published tables of values and finds values in them. Use it where an input
// can be the name of a row, such as a steel grade, instead of a number. [Parse] reads a [Table].
// [Table.Row] finds a row by its name, and [Table.At] interpolates between rows if the Spec allows
// it. A [Ref] is the text by which a caller names a value, such as
// data.materials.metals/S235@1.0.0.
//
// A table is data: a [Spec] and rows of decimals in their original spelling. The Spec describes the
// columns and the sources of their values. No part of a table is executed.
package preset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Prefix is the start of the ids of tables, and of no other ids.
const Prefix = "data."

// IsTable reports whether a capability id belongs to a table.
func IsTable(id string) bool { return strings.HasPrefix(id, Prefix) }

// Limits of a table. Parse refuses larger ones.
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

// Spec describes a table.
type Spec struct {
	Format  int    `json:"table_format"`
	ID      string `json:"table_id"`      // such as data.materials.metals
	Version string `json:"table_version"` // semver without build metadata
	Title   string `json:"title"`
	Summary string `json:"summary"` // one sentence
	Noun    string `json:"noun"`    // what a row is, such as material

	// Changes describes the changes since the previous version, with the reason. A minor or
	// major version is published only with it.
	Changes string `json:"changes,omitempty"`

	Columns []Column `json:"columns"`
	Sources []Source `json:"sources"`

	// Interpolation is how values between rows are computed. If it is nil, rows are found by
	// their keys.
	Interpolation *Interpolation `json:"interpolation,omitempty"`

	// Definition is the text by which columns follow from others, as package formula reads it.
	// Its name for a column is the Symbol in letters. A table value must agree with it within
	// its rounding.
	Definition string `json:"definition,omitempty"`

	// Picture is the kind of drawing of a row: i_section, tube or round. "" is none.
	Picture string `json:"picture,omitempty"`
}

// Column is one quantity of a table.
type Column struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Unit        string `json:"unit,omitempty"` // of the table values
	Doc         string `json:"doc,omitempty"`
	Symbol      string `json:"symbol,omitempty"`    // LaTeX
	Source      string `json:"source,omitempty"`    // id of the source of values that name none
	Min         string `json:"minimum,omitempty"`   // bounds of the values, in Unit
	Max         string `json:"maximum,omitempty"`   //
	Monotonic   Trend  `json:"monotonic,omitempty"` // from row to row
	Significant int    `json:"significant,omitempty"`
	// Significant is the number of digits in the source if trailing zeros do not count. It is
	// 0 if each written digit counts.

	// Tolerance is how far values may differ from the Definition in addition to their
	// rounding, as a fraction. Reason is the reason.
	Tolerance string `json:"tolerance,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// Trend is how values change from row to row.
type Trend string

// The trends.
const (
	Rising  Trend = "rising"
	Falling Trend = "falling"
)

// Source is the source of table values.
type Source struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Where string `json:"where,omitempty"` // edition, table, section
	Note  string `json:"note,omitempty"`  // how the values were taken from it
}

// String names the source with its edition.
func (s *Source) String() string {
	if s.Where == "" {
		return s.Title
	}
	return s.Title + ", " + s.Where
}

// Interpolation is how values follow from an argument.
type Interpolation struct {
	Argument string `json:"argument"` // name of the column that is given
	Kind     Kind   `json:"kind"`
}

// Kind is a kind of interpolation.
type Kind string

// The kinds of interpolation. Cubic is monotone: between two rows no value is beyond their
// values.
const (
	Linear Kind = "linear"
	Cubic  Kind = "monotone_cubic"
)

// Table is a Spec with its rows. Callers must not change it. Then it is safe for concurrent use.
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

// Cell is one table value. The zero Cell is a value that the table does not have. Others has the same value
// by other sources, which package tables compares.
type Cell struct {
	Literal string // a decimal as it was written, in the unit of the column
	Source  string // id
	Others  []Other
}

// Other is the value of another source.
type Other struct{ Literal, Source string }

// Column returns the index of the column with the name, or -1 if there is none.
func (s *Spec) Column(name string) int {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Source returns the source with the id, or nil if there is none.
func (s *Spec) Source(id string) *Source {
	for i := range s.Sources {
		if s.Sources[i].ID == id {
			return &s.Sources[i]
		}
	}
	return nil
}

// Argument returns the index of the column that is the argument of the interpolation, or -1 if
// there is none.
func (s *Spec) Argument() int {
	if s.Interpolation == nil {
		return -1
	}
	return s.Column(s.Interpolation.Argument)
}

// Ref names a table value.
type Ref struct {
	Table   string
	Column  string // "" for the column of the field
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

// String returns the form that ParseRef reads.
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

// Digest returns the SHA-256 of the description and the rows as they are published, such as sha256:0a1b. Documents
// name a table by it.
func (t *Table) Digest() string {
	spec, err := json.Marshal(&t.Spec)
	if err != nil {
		panic(err) // texts and numbers
	}
	sum := sha256.Sum256(append(append(spec, '\n'), t.CSV()...))
	return "sha256:" + hex.EncodeToString(sum[:])
}
