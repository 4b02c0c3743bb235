package wording

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// UnitText returns the unit of a field, or all units that it can have.
func UnitText(f *sdk.Field) string {
	if f.UnitBy == nil {
		return formula.FormatUnit(f.Unit)
	}
	var texts []string
	for _, choice := range slices.Sorted(maps.Keys(f.UnitBy.Units)) {
		if text := formula.FormatUnit(f.UnitBy.Units[choice]); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " / ")
}

// UnitOption is a unit in which a value can be entered or shown.
type UnitOption struct {
	ID, Text string
	Selected bool

	Systems string // systems of units that select this unit for an empty field
	Default string // of the field, in this unit
	Example string // of a number, in this unit
	Range   string // of the field, in this unit
}

// UnitsOf returns the units in which a field of the Spec can be entered, its own unit first. It returns none if there is only
// one unit. selected is "" for the unit of the system.
func UnitsOf(spec *sdk.Spec, f *sdk.Field, selected string, system customary.System) []UnitOption {
	own, ok := units.Lookup(f.Unit)
	if !ok || f.Type != sdk.TypeNumber && f.Type != sdk.TypeInteger {
		return nil
	}
	q, _ := customary.Of(spec, f.Unit, IsDifference(f))
	q.Field = f.Name
	if selected == "" {
		selected = customary.Preset(system, q).ID
	}
	options := []UnitOption{menuOption(spec, f, q, own, selected)}
	seen := map[string]bool{options[0].Text: true}
	for _, u := range units.Of(own.Quantity) {
		text := formula.FormatUnit(u.ID)
		if seen[text] || u.Offset != nil && !f.Difference && IsDifference(f) {
			continue // N.m is an alias of N m
		}
		seen[text] = true
		options = append(options, menuOption(spec, f, q, u, selected))
	}
	if len(options) == 1 {
		return nil
	}
	return options
}

// menuOption returns a unit of a menu, with the default and the example of the field in this unit.
func menuOption(spec *sdk.Spec, f *sdk.Field, q customary.Quantity, u units.Unit, selected string) UnitOption {
	o := UnitOption{ID: u.ID, Text: formula.FormatUnit(u.ID), Selected: u.ID == selected}
	var systems []string
	for _, system := range customary.Systems() {
		if u.ID != f.Unit && customary.Preset(system, q).ID == u.ID {
			systems = append(systems, system.Key())
		}
	}
	o.Systems = strings.Join(systems, " ")
	if text := RangeOf(spec, f, u.ID); strings.HasSuffix(text, " "+o.Text) { // other ranges are the same in each unit
		o.Range = text
	}
	if f.Default != "0" || u.Offset != nil { // zero needs no conversion
		o.Default = converted(f.Default, q, u, Digits)
	}
	if f.Example != nil {
		o.Example = exampleIn(f, q, u)
	}
	return o
}

// roughly is the number of digits of an example.
const roughly = 3

// exampleIn returns the example of a field in the unit, rounded to a number that is also in its range.
func exampleIn(f *sdk.Field, q customary.Quantity, to units.Unit) string {
	x, err := strconv.ParseFloat(f.Example.Number, 64)
	if err != nil {
		return ""
	}
	toward := Nearest
	if r := f.Range; r != nil && r.Min != nil && *r.Min == x {
		toward = Up
	} else if r != nil && r.Max != nil && *r.Max == x {
		toward = Down
	}
	return strconv.FormatFloat(Round(q.Convert(x, to), roughly, toward), 'g', -1, 64)
}

// converted returns a number of a Spec in the unit, with at most the given number of digits.
func converted(number string, q customary.Quantity, to units.Unit, digits int) string {
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(q.Convert(x, to), 'g', digits, 64)
}

// IsDifference is [customary.IsDifference].
func IsDifference(f *sdk.Field) bool { return customary.IsDifference(f) }

// RangeOf describes the range of a field's numbers in the unit, "" for the unit of the Spec. The text has no unit if all
// ends are zero and have the same meaning in any unit.
func RangeOf(spec *sdk.Spec, f *sdk.Field, unit string) string {
	text := formatRange(spec, f.Range)
	if text == "" || f.Unit == "" {
		return text
	}
	q, measured := customary.Of(spec, f.Unit, IsDifference(f))
	to, known := units.Lookup(unit)
	if measured && known && to.Quantity == q.Unit.Quantity && to.ID != f.Unit {
		r := *f.Range
		r.Min, r.Max = endIn(q, r.Min, to, Up), endIn(q, r.Max, to, Down)
		text = formatRange(spec, &r)
	} else {
		unit = f.Unit
	}
	if (f.Range.MinInput != "" || f.Range.MaxInput != "") && f.Range.Min == nil && f.Range.Max == nil {
		return text
	}
	own, ok := units.Lookup(f.Unit)
	isNothing := func(end *float64) bool { return end == nil || *end == 0 }
	if ok && (own.Quantity != "temperature" || q.Difference) && isNothing(f.Range.Min) && isNothing(f.Range.Max) {
		return text
	}
	return text + " " + formula.FormatUnit(unit)
}

// endIn returns an end of a range in the unit, with the digits of numbers on pages.
func endIn(q customary.Quantity, end *float64, to units.Unit, toward Direction) *float64 {
	if end == nil {
		return nil
	}
	return new(Round(q.Convert(*end, to), Digits, toward))
}
