package tables

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/sdk/preset"
)

// Change is one difference between two versions of a table.
type Change struct {
	Bump compat.Bump `json:"bump"`
	Row  string      `json:"row,omitempty"`
	Text string      `json:"text"`
}

// Comparison is the result of [Diff].
type Comparison struct {
	Table    string      `json:"table_id"`
	Old      string      `json:"old_version"`
	New      string      `json:"new_version"`
	Changes  []Change    `json:"changes"`
	Needed   compat.Bump `json:"needed"`
	Smallest string      `json:"smallest_version"` // the smallest legal version of the new table
	Legal    bool        `json:"legal"`
}

// Diff compares two versions of a table. A changed value, and a removed row or column, is a
// major change. A new row or column is a minor change, and changed words are a patch. The
// error means that the two cannot be compared.
func Diff(older, newer *preset.Table) (*Comparison, error) {
	if older.ID != newer.ID {
		return nil, fmt.Errorf("%s and %s are not versions of one table", older.ID, newer.ID)
	}
	c := &Comparison{Table: older.ID, Old: older.Version, New: newer.Version, Needed: compat.Patch}
	c.columns(older, newer)
	c.rows(older, newer)
	c.words(older, newer)
	step, err := compat.NewStep(older.Version, newer.Version)
	if order := (*compat.OrderError)(nil); err != nil && !errors.As(err, &order) {
		return nil, err
	}
	c.Smallest = step.Smallest(c.Needed)
	c.Legal = err == nil && step.Allows(c.Needed)
	return c, nil
}

func (c *Comparison) add(bump compat.Bump, row, format string, args ...any) {
	c.Changes = append(c.Changes, Change{bump, row, fmt.Sprintf(format, args...)})
	c.Needed = max(c.Needed, bump)
}

func (c *Comparison) columns(older, newer *preset.Table) {
	for i := range older.Columns {
		was := &older.Columns[i]
		k := newer.Column(was.Name)
		if k < 0 {
			c.add(compat.Major, "", "the column %s is gone", was.Name)
		} else if now := &newer.Columns[k]; now.Unit != was.Unit {
			c.add(compat.Major, "", "the column %s is in %s, and was in %s", was.Name, now.Unit, was.Unit)
		}
	}
	for i := range newer.Columns {
		if older.Column(newer.Columns[i].Name) < 0 {
			c.add(compat.Minor, "", "the column %s is new", newer.Columns[i].Name)
		}
	}
	if !reflect.DeepEqual(older.Interpolation, newer.Interpolation) {
		c.add(compat.Major, "", "values are interpolated in another way")
	}
}

// keyed returns the rows by their names.
func keyed(t *preset.Table) (names []string, rows map[string]*preset.Row) {
	rows = map[string]*preset.Row{}
	by := t.Argument()
	for i := range t.Rows {
		name := t.Rows[i].Key
		if by >= 0 {
			name = t.Rows[i].Cells[by].Literal
		}
		names, rows[name] = append(names, name), &t.Rows[i]
	}
	return names, rows
}

func (c *Comparison) rows(older, newer *preset.Table) {
	before, was := keyed(older)
	after, now := keyed(newer)
	for _, name := range before {
		if now[name] == nil {
			c.add(compat.Major, name, "the row is gone")
			continue
		}
		for i := range older.Columns {
			if k := newer.Column(older.Columns[i].Name); k >= 0 {
				c.cell(name, older.Columns[i].Name, &was[name].Cells[i], &now[name].Cells[k])
			}
		}
		if was[name].Name != now[name].Name {
			c.add(compat.Patch, name, "it is called %s, and was %s", now[name].Name, was[name].Name)
		}
	}
	added := compat.Minor
	if newer.Interpolation != nil {
		added = compat.Major // table values next to the new row change
	}
	for _, name := range after {
		if was[name] == nil {
			c.add(added, name, "the row is new")
		}
	}
}

func (c *Comparison) cell(row, column string, was, now *preset.Cell) {
	switch {
	case was.Literal == "" && now.Literal != "":
		c.add(compat.Minor, row, "%s is new: %s", column, now.Literal)
	case now.Literal == "" && was.Literal != "":
		c.add(compat.Major, row, "%s is gone, and was %s", column, was.Literal)
	case was.Literal != now.Literal:
		c.add(compat.Major, row, "%s is %s, and was %s", column, now.Literal, was.Literal)
	case was.Source != now.Source || !slices.Equal(was.Others, now.Others):
		c.add(compat.Patch, row, "%s has other sources", column)
	}
}

// words compares everything but table values.
func (c *Comparison) words(older, newer *preset.Table) {
	a, b := older.Spec, newer.Spec
	a.Version, b.Version = "", ""
	if columns := columnsOf(&a); slices.Equal(columns, columnsOf(&b)) && !reflect.DeepEqual(a, b) && len(c.Changes) == 0 {
		c.add(compat.Patch, "", "the description has other words")
	}
}
