package address

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
)

// exampleDigits is the number of significant digits of a number that an example has in another unit.
const exampleDigits = 4

// Example returns the query of an example in the units in which people of the system enter its quantities. Its numbers are
// rounded, so it is another example. The numbers of the named inputs are rounded to their other neighbour. It returns the
// query itself if a number cannot be in these units.
func Example(spec *sdk.Spec, query string, system customary.System, other ...string) string {
	s := ReadQuery(spec, query)
	for i := range s.Values {
		f, v := &spec.Inputs[i], &s.Values[i]
		if len(v.texts) != 1 {
			continue
		}
		ok, round := true, nearest
		if slices.Contains(other, f.Name) {
			round = otherNeighbour
		}
		to := conversion{spec, system, round}
		switch {
		case f.Type == sdk.TypeNumber:
			ok = v.convert(&to, f, "", []*string{&v.texts[0]})
		case HasTable(f):
			ok = v.convertRows(&to, f)
		case f.Type == sdk.TypeArray && f.Items.Type == sdk.TypeNumber:
			items := strings.FieldsFunc(v.texts[0], func(r rune) bool { return r == ';' || r == ' ' || r == ',' })
			var cells []*string
			for k := range items {
				cells = append(cells, &items[k])
			}
			ok = v.convert(&to, f.Items, "", cells)
			v.texts[0] = strings.Join(items, "; ")
		}
		if !ok {
			return query
		}
	}
	return s.Query()
}

// conversion is how the numbers of an input become numbers in other units.
type conversion struct {
	spec   *sdk.Spec
	system customary.System
	round  func(float64) float64
}

func (v *Value) convertRows(to *conversion, f *sdk.Field) bool {
	rows, ok := typed.Rows(f, v.Text())
	if !ok {
		return false
	}
	byUnit := map[string][]*string{}
	fields := map[string]*sdk.Field{}
	for k, c := range ColumnsOf(f, v) {
		if c.Text {
			continue
		}
		key := c.Name
		if f.Items.Type == sdk.TypeArray {
			key = ""
		}
		fields[key] = c.Field
		for _, row := range rows {
			if k < len(row) && row[k] != "" {
				byUnit[key] = append(byUnit[key], &row[k])
			}
		}
	}
	for key, cells := range byUnit {
		if !v.convert(to, fields[key], key, cells) {
			return false
		}
	}
	text, err := typed.Table(f, rows, typed.Numbers)
	v.texts[0] = text
	return err == nil
}

// convert converts numbers of a field, which are in the unit with the key, to the unit of the system. It reports false if a
// text is not a plain number.
func (v *Value) convert(c *conversion, f *sdk.Field, key string, cells []*string) bool {
	difference := wording.IsDifference(f)
	q, measured := customary.Of(c.spec, f.Unit, difference)
	if !measured || f.UnitBy != nil {
		return true
	}
	q.Field = f.Name
	from, to := q, customary.Preset(c.system, q)
	if unit := v.Units[key]; unit != "" {
		from, measured = customary.Of(c.spec, unit, difference)
	}
	if !measured || from.Unit.ID == to.ID {
		return measured
	}
	for _, cell := range cells {
		x, err := strconv.ParseFloat(*cell, 64)
		if err != nil {
			return false
		}
		*cell = plain(c.round(from.Convert(x, to)))
	}
	changed := typed.Units{key: to.ID}
	for other, unit := range v.Units {
		if other != key {
			changed[other] = unit
		}
	}
	v.Units = changed
	return true
}

// nearest returns the number with the digits of an example.
func nearest(x float64) float64 { return wording.Round(x, exampleDigits, wording.Nearest) }

// otherNeighbour returns the number with the digits of an example on the other side of x: 0.1182 for 0.11811.
func otherNeighbour(x float64) float64 {
	if nearest(x) > x {
		return wording.Round(x, exampleDigits, wording.Down)
	}
	return wording.Round(x, exampleDigits, wording.Up)
}

// plain formats a number as a reader enters it.
func plain(x float64) string {
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e7) {
		format = 'g'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}
