package table

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// first reads rows, unless some were read, and returns the release that the first of them pins. It
// returns nil if that row has no pin of an available release.
func (t *Sheet) first() *catalog.Release {
	t.read1, t.ended = new(batch.Chunk), nil
	for t.read1.Len() == 0 && t.ended == nil {
		t.ended = t.rows.next(t.read1)
	}
	for row := range t.read1.Rows() {
		pins := t.pinsIn(string(row))
		if len(pins) == 0 {
			break
		}
		_, r, _ := t.catalog.Release(t.id, pins)
		return r
	}
	return nil
}

// pinsIn returns the pins of a row. It ignores empty cells.
func (t *Sheet) pinsIn(row string) (pins []versions.Pin) {
	for i := range t.columns {
		if row == "" {
			break
		}
		var in cell
		in, row = cutCell(row)
		c := &t.columns[i]
		if c.pin == "" || in.kind == blank || c.isEmpty(in) {
			continue
		}
		pins = append(pins, versions.Pin{Place: versions.InColumn, Name: c.pin, Value: c.pinned(in), Means: pinNames[c.pin]})
	}
	return pins
}

// pinned returns the value of a pin. Package versions refuses all values but texts, dates and times.
func (c *column) pinned(in cell) any {
	switch {
	case in.kind == text || in.kind == raw:
		return strings.TrimSpace(in.text)
	case in.kind == integer && !c.from.IsPlain():
		return c.from.IntegerText(in.whole)
	case in.kind == integer:
		return float64(in.whole)
	case in.kind == truth:
		return in.whole != 0
	}
	return in.float
}

// at returns the table for the release that the pins select. The error is an error of the pins or of the
// header.
func (t *Sheet) at(pins []versions.Pin) (*Sheet, error) {
	_, r, err := t.catalog.Release(t.id, slices.Concat(pins, t.given))
	if err != nil {
		return nil, err
	}
	if r.Version == t.release.Version {
		return t, nil
	}
	if t.asTable && !sameOutputs(&t.release.Spec, &r.Spec) {
		return nil, problem.New(problem.CodeVersionPinConflict, "Put the rows of each version into a table of their own.",
			"the row is for version %s, and the columns of the answers are the outputs of %s, which are others", r.Version, t.release.Version)
	}
	if known, ok := t.views.Load(r); ok {
		return known.(*view).sheet, known.(*view).err
	}
	v := &view{sheet: &Sheet{id: t.id, catalog: t.catalog, given: t.given, options: t.options, header: t.header, rows: t.rows, code: t.code, marks: t.marks}}
	v.err = v.sheet.use(r)
	if v.err == nil {
		v.err = v.sheet.readHeader()
	}
	for i := range v.sheet.columns {
		c := &v.sheet.columns[i]
		c.lacks = c.passes() && t.columns[i].field != nil
	}
	t.views.Store(r, v)
	return v.sheet, v.err
}

// view is the table for another release, or the error of reading it.
type view struct {
	sheet *Sheet
	err   error
}

// sameOutputs reports whether results of two releases fit into the same columns.
func sameOutputs(a, b *sdk.Spec) bool {
	return slices.EqualFunc(a.Outputs, b.Outputs, func(f, g sdk.Field) bool {
		sameUnit := f.Unit == g.Unit && (f.UnitBy == nil) == (g.UnitBy == nil)
		return f.Name == g.Name && f.Type == g.Type && f.Decimal == g.Decimal && sameUnit
	})
}
