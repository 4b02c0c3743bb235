package cases

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// boundaries adds numbers at, next to and beyond the ends of the range. Where the range
// ends at another input, the end is the value of that input in the example.
func (m *maker) boundaries(p place) {
	if !p.isNumber() || p.bounds == nil {
		return
	}
	r := p.bounds.Within(m.inputsOf(p.example))
	for _, end := range []struct {
		what    string
		at      *float64
		outward float64
	}{{"minimum", r.Min, -1}, {"maximum", r.Max, 1}} {
		if end.at == nil {
			continue
		}
		at := *end.at
		// outside and inside are the binary64 next to the end, or the integers next to it.
		far := at + end.outward*(1+math.Abs(at))
		outside, inside := math.Nextafter(at, far), math.Nextafter(at, at-end.outward)
		if p.field.Type == sdk.TypeInteger {
			at = math.Trunc(at)
			outside, inside, far = at+end.outward, at-end.outward, math.Trunc(far)
		}
		for _, c := range []struct {
			where string
			x     float64
		}{{"at its ", at}, {"just inside its ", inside}, {"just outside its ", outside}, {"far outside its ", far}} {
			m.add(Case{ID: p.name + " " + c.where + end.what, Kind: Boundary, Inputs: m.with(p, spell(c.x))})
		}
	}
}

// inputsOf returns a function that looks up the number of an input in an example.
func (m *maker) inputsOf(example int) func(string) (float64, bool) {
	return numbersOf(m.spec, m.examples[example])
}

// numbersOf returns a function that looks up the number of an input by name or alias. The
// function reports false for an input that is absent or not a number.
func numbersOf(spec *sdk.Spec, values value.Values) func(string) (float64, bool) {
	return func(name string) (float64, bool) {
		i := spec.Input(name)
		if i < 0 || i >= len(values) || values[i].Kind() != value.Number && values[i].Kind() != value.Exact {
			return 0, false
		}
		return numberOf(values[i]), true
	}
}

// magnitudes adds zero in several spellings, the largest and smallest binary64, and literals
// beyond binary64. The server must refuse those literals.
func (m *maker) magnitudes(p place) {
	if !p.isNumber() {
		return
	}
	tooFine := "" // code of the refusal of literals that only a number field could hold
	if p.field.Type == sdk.TypeInteger {
		tooFine = request.CodeInvalidNumber
	}
	zero := m.add(Case{ID: p.name + " is 0", Kind: Magnitude, Inputs: m.with(p, "0")})
	for _, c := range []struct{ literal, like, code string }{
		{"-0", zero, ""}, {"-0.0e5", zero, ""},
		{"1e300", "", tooFine}, {"-1e300", "", tooFine}, {"5e-324", "", tooFine}, {"1.7976931348623157e308", "", tooFine},
		{"1e-400", "", request.CodeNumericUnderflow}, {"1e400", "", sdk.CodeNonFiniteResult},
	} {
		m.add(m.refused(p, Case{ID: p.name + " is " + c.literal, Kind: Magnitude, Inputs: m.with(p, c.literal), Like: c.like}, c.code))
	}
}

// refused returns c with the expectation that the value at the place is refused with the
// code. An empty code expects nothing.
func (m *maker) refused(p place, c Case, code string) Case {
	if code != "" {
		c.Code, c.Field = code, m.spec.Inputs[p.input].Name
	}
	return c
}

// maxUnits is how many other units of a quantity are tried for one input.
const maxUnits = 3

// units adds an unknown unit, a unit of another quantity, and up to maxUnits units that
// must be converted. An integer is not converted, since the result need not be one.
func (m *maker) units(p place) {
	if !p.isNumber() {
		return
	}
	in := func(unit string) string { return m.with(p, quantity(p.number(), unit)) }
	ours, known := units.Lookup(p.unit)
	if p.unit == "" {
		m.add(m.refused(p, Case{ID: p.name + " in m, though it has no unit", Kind: Unit, Inputs: in("m")}, request.CodeIncompatibleUnit))
	}
	if !known {
		return
	}
	m.add(m.refused(p, Case{ID: p.name + " in no unit there is", Kind: Unit, Inputs: in("no_such_unit")}, request.CodeUnknownUnit))
	other := "m"
	if ours.Quantity == "length" {
		other = "kg"
	}
	m.add(m.refused(p, Case{ID: p.name + " in " + other, Kind: Unit, Inputs: in(other)}, request.CodeIncompatibleUnit))
	if p.field.Type == sdk.TypeInteger {
		return
	}
	all := slices.DeleteFunc(units.Of(ours.Quantity), func(u units.Unit) bool { return u.ID == ours.ID })
	for _, n := range m.random.Perm(len(all))[:min(len(all), maxUnits)] {
		m.converted(p, all[n], ours)
	}
}

// converted adds the number at the place twice: in the unit u, and converted back to the unit
// of the field. Both cases must have the same answer. The literal in u is rounded first, so
// that both cases are exactly the same quantity. It adds nothing if a number overflows or
// underflows.
func (m *maker) converted(p place, u, ours units.Unit) {
	if p.field.Difference {
		u, ours = u.Difference(), ours.Difference()
	}
	sent, _ := units.Convert(new(big.Rat).SetFloat64(p.number()), ours, u).Float64()
	exact, ok := new(big.Rat).SetString(spell(sent))
	if !ok || math.IsInf(sent, 0) {
		return
	}
	back, _ := units.Convert(exact, u, ours).Float64()
	if math.IsInf(back, 0) || back == 0 && exact.Sign() != 0 || sent == 0 && p.number() != 0 {
		return
	}
	bare := m.add(Case{ID: p.name + " is " + spell(back), Kind: Unit, Inputs: m.with(p, spell(back))})
	m.add(Case{ID: p.name + " is " + spell(sent) + " " + u.ID, Kind: Unit, Inputs: m.with(p, quantity(sent, u.ID)), Like: bare})
}

func quantity(x float64, unit string) string {
	return `{"value":` + spell(x) + `,"unit":` + quoted(unit) + `}`
}

// maxDecimal bounds the decimal literals that are sent, in bytes.
const maxDecimal = 60

// decimals adds the number at the place as a JSON string. Fields that take decimal strings
// must answer as for the bare number; others must refuse it.
func (m *maker) decimals(p place) {
	if !p.isNumber() {
		return
	}
	_, literal := short(p.number())
	if p.field.Type == sdk.TypeInteger {
		literal = strconv.FormatFloat(p.number(), 'f', -1, 64)
	}
	if len(literal) > maxDecimal {
		literal = "0.375"
	}
	text := func(what, literal, like, code string) {
		m.add(m.refused(p, Case{ID: p.name + " " + what, Kind: Decimal, Inputs: m.with(p, quoted(literal)), Like: like}, code))
	}
	if !p.field.Decimal {
		text("as text", literal, "", request.CodeInvalidNumber)
		return
	}
	bare := m.add(Case{ID: p.name + " is " + literal, Kind: Decimal, Inputs: m.with(p, literal)})
	text("as text", literal, bare, "")
	text("as text with an exponent", literal+"e0", bare, "")
	text("as text with a comma", "1,5", "", request.CodeInvalidNumber)
	text("as text too small", "1e-400", "", request.CodeNumericUnderflow)
	text("as text too large", "1e400", "", sdk.CodeNonFiniteResult)
}
