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

// boundaries are at the ends of the range. An end at another input is where the
// example has that input.
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

// inputsOf tells the numbers among the inputs of an example.
func (m *maker) inputsOf(example int) func(string) (float64, bool) {
	return numbersOf(m.spec, m.examples[example])
}

func numbersOf(spec *sdk.Spec, values value.Values) func(string) (float64, bool) {
	return func(name string) (float64, bool) {
		i := spec.Input(name)
		if i < 0 || i >= len(values) || values[i].Kind() != value.Number && values[i].Kind() != value.Exact {
			return 0, false
		}
		return numberOf(values[i]), true
	}
}

func (m *maker) magnitudes(p place) {
	if !p.isNumber() {
		return
	}
	tooFine := "" // codes of what only a number that is no integer can be
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

// refused says that a case is to be refused with the code, if there is one, because
// of what stands at the place.
func (m *maker) refused(p place, c Case, code string) Case {
	if code != "" {
		c.Code, c.Field = code, m.spec.Inputs[p.input].Name
	}
	return c
}

// maxUnits is how many other units of a quantity are tried for one input.
const maxUnits = 3

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

// converted sends what stands at the place in another unit, and what that is in ours.
func (m *maker) converted(p place, u, ours units.Unit) {
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
