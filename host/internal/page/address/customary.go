package address

import (
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// exampleDigits is the number of significant digits of a number that an example has in another unit.
const exampleDigits = 4

// Example returns the query of an example in the units in which people of the system enter its quantities. Its numbers are
// rounded, so it is another example. It returns the query itself if a number cannot be in these units.
func Example(spec *sdk.Spec, query string, system customary.System) string {
	s := ReadQuery(spec, query)
	for i := range s.Values {
		f, v := &spec.Inputs[i], &s.Values[i]
		if len(v.texts) != 1 {
			continue
		}
		ok := true
		switch {
		case f.Type == sdk.TypeNumber:
			ok = v.convert(spec, f, "", system, []*string{&v.texts[0]})
		case HasTable(f):
			ok = v.convertRows(spec, f, system)
		case f.Type == sdk.TypeArray && f.Items.Type == sdk.TypeNumber:
			items := strings.FieldsFunc(v.texts[0], func(r rune) bool { return r == ';' || r == ' ' })
			var cells []*string
			for k := range items {
				cells = append(cells, &items[k])
			}
			ok = v.convert(spec, f.Items, "", system, cells)
			v.texts[0] = strings.Join(items, "; ")
		}
		if !ok {
			return query
		}
	}
	return s.Query()
}

func (v *Value) convertRows(spec *sdk.Spec, f *sdk.Field, system customary.System) bool {
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
		if !v.convert(spec, fields[key], key, system, cells) {
			return false
		}
	}
	text, err := typed.Table(f, rows, typed.Numbers)
	v.texts[0] = text
	return err == nil
}

// convert converts numbers of a field, which are in the unit with the key, to the unit of the system. It reports false if a
// text is not a plain number.
func (v *Value) convert(spec *sdk.Spec, f *sdk.Field, key string, system customary.System, cells []*string) bool {
	difference := wording.IsDifference(f)
	q, measured := customary.Of(spec, f.Unit, difference)
	if !measured || f.UnitBy != nil {
		return true
	}
	q.Field = f.Name
	from, to := q, customary.Preset(system, q)
	if unit := v.Units[key]; unit != "" {
		from, measured = customary.Of(spec, unit, difference)
	}
	if !measured || from.Unit.ID == to.ID {
		return measured
	}
	for _, cell := range cells {
		x, err := strconv.ParseFloat(*cell, 64)
		if err != nil {
			return false
		}
		*cell = rounded(from, x, to)
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

// rounded returns a number in the unit as a reader enters it.
func rounded(q customary.Quantity, x float64, to units.Unit) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(q.Convert(x, to), 'g', exampleDigits, 64), 64)
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e7) {
		format = 'g'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}
