package formula

import (
	"slices"

	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

// Units returns the units of the numbers that the text defines, by name. A field has its own
// unit, and the units of other quantities follow from the fields. A plain number has the unit
// "". A name is missing if its unit is not known, or depends on an input, or, for a helper
// function, on the call. Check must have found no mistake.
func (t *Text) Units(symbols []Symbol) map[string]string {
	c := check(t, symbols)
	var preferred []string
	for i := range symbols {
		preferred = symbols[i].named(preferred)
	}
	list := map[string]string{}
	for _, d := range t.Definitions {
		s := c.defined[d.Name]
		if d.Kind == Function {
			s = c.results[d.Name]
		}
		switch field := c.symbols[d.Name]; {
		case s.kind != numberKind:
		case field != nil && !field.AnyUnit:
			list[d.Name] = field.Unit
		case d.Kind == Constant:
			list[d.Name] = d.Unit
		case !s.open:
			list[d.Name] = s.dim.in(preferred)
		}
	}
	return list
}

var letters = pattern.New(`[A-Za-z]+`)

// named adds the derived units in a field's unit, because its readers expect them.
func (s *Symbol) named(list []string) []string {
	for _, name := range letters.FindAllString(s.Unit, -1) {
		if len(derived[name]) > 1 && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if s.Item != nil {
		list = s.Item.named(list)
	}
	for i := range s.Members {
		list = s.Members[i].named(list)
	}
	return list
}
