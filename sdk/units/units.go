// Package units answers one question: which units can inputs have, and how are they converted?
// It has the only table of units. Every factor is an exact rational number, or one times pi.
// So the result of [Convert] is exact until its caller rounds it.
package units

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/spelling"
)

// Unit is one unit of one quantity. An SI value is (value + Offset) * Factor, and times pi if
// Pi is set. The numbers belong to the table and must not be changed.
type Unit struct {
	ID         string   // such as kN; the spelling is exact, and mW is not MW
	Quantity   string   // such as force
	Definition string   // the factor as the product that defines it, such as 0.45359237*9.80665/0.3048
	Factor     *big.Rat // of the SI unit; nil means 1
	Offset     *big.Rat // added first; nil if none
	Pi         bool     // the factor is Factor * pi
}

// entry is one line of the table. A factor consists of decimals, and at most one pi that is
// not a divisor, joined by * and /.
type entry struct{ id, factor, offset string }

var (
	all        = build()
	byID       = index(all)
	byQuantity = group(all)
)

func build() []Unit {
	var units []Unit
	for _, q := range table {
		for _, e := range q.entries {
			u := Unit{ID: e.id, Quantity: q.quantity, Definition: e.factor}
			u.Factor, u.Pi = parseFactor(e.factor)
			if e.offset != "" {
				u.Offset = parse(e.offset)
			}
			units = append(units, u)
		}
	}
	return units
}

func group(units []Unit) map[string][]Unit {
	m := map[string][]Unit{}
	for _, u := range units {
		m[u.Quantity] = append(m[u.Quantity], u)
	}
	return m
}

func index(units []Unit) map[string]Unit {
	m := make(map[string]Unit, len(units))
	for _, u := range units {
		if _, ok := m[u.ID]; ok {
			panic(fmt.Sprintf("units: the table has %q twice", u.ID))
		}
		m[u.ID] = u
	}
	return m
}

func parseFactor(product string) (factor *big.Rat, pi bool) {
	rational := strings.Replace(product, "pi", "1", 1)
	return parse(rational), rational != product
}

// parse reads a product such as 0.45359237*9.80665/0.3048.
func parse(product string) *big.Rat {
	value, dividing := big.NewRat(1, 1), false
	for product != "" {
		text, end := product, strings.IndexAny(product, "*/")
		product = ""
		divideNext := false
		if end >= 0 {
			text, product, divideNext = text[:end], text[end+1:], text[end] == '/'
		}
		number, ok := new(big.Rat).SetString(text)
		switch {
		case !ok || number.Sign() == 0:
			panic(fmt.Sprintf("units: %q in the table is not a number", text))
		case dividing:
			value.Quo(value, number)
		default:
			value.Mul(value, number)
		}
		dividing = divideNext
	}
	return value
}

// Lookup returns the unit with exactly this spelling. Between factors a dot can replace the
// space: N.m and N·m are N m.
func Lookup(id string) (Unit, bool) {
	u, ok := byID[id]
	if !ok {
		u, ok = byID[dots.Replace(id)]
	}
	return u, ok
}

var dots = strings.NewReplacer(".", " ", "·", " ")

// Sentence returns the definition of the unit in the unit of SI: "1 ft is 0.3048 m", or "x degC is (x + 273.15)*1 K".
func (u Unit) Sentence() string {
	value := u.Definition + " " + SI(u.Quantity).ID
	if u.Offset == nil {
		return "1 " + u.ID + " is " + value
	}
	digits, _ := u.Offset.FloatPrec()
	return "x " + u.ID + " is (x + " + u.Offset.FloatString(digits) + ")*" + value
}

// Commensurable reports whether the ratio of two units is rational. For a degree and a radian
// it is not.
func Commensurable(a, b Unit) bool { return a.Pi == b.Pi }

// Convert converts v from one unit to another. Both must be units of one quantity; Convert
// does not check that. The result is exact if the units are commensurable. Otherwise it is a
// rational number that rounds to the same binary64 as the exact one.
func Convert(v *big.Rat, from, to Unit) *big.Rat {
	x := new(big.Rat).Set(v)
	if from.Offset != nil {
		x.Add(x, from.Offset)
	}
	if from.Factor != nil {
		x.Mul(x, from.Factor)
	}
	if to.Factor != nil && to.Factor.Sign() != 0 {
		x.Quo(x, to.Factor)
	}
	if to.Offset != nil {
		x.Sub(x, to.Offset)
	}
	switch {
	case from.Pi && !to.Pi:
		return nearby(x, (*big.Rat).Mul)
	case to.Pi && !from.Pi:
		return nearby(x, (*big.Rat).Quo)
	}
	return x
}

// Difference returns the unit for differences of its quantity. It has the same size and no
// offset: a difference of 10 degC is a difference of 10 K.
func (u Unit) Difference() Unit {
	u.Offset = nil
	u.Quantity += "_difference"
	return u
}

// Of returns the units of a quantity, the SI unit first. It returns none for a quantity that
// is not in the table.
func Of(quantity string) []Unit { return slices.Clone(byQuantity[quantity]) }

// SI returns the SI unit of a quantity, or the zero Unit if the quantity is unknown.
func SI(quantity string) Unit {
	if of := byQuantity[quantity]; len(of) > 0 {
		return of[0]
	}
	return Unit{}
}

// Quantities returns the names of all quantities.
func Quantities() []string {
	names := make([]string, len(table))
	for i, q := range table {
		names[i] = q.quantity
	}
	return names
}

// Nearest returns up to n unit ids that id may misspell, the likeliest first.
func Nearest(id string, n int) []string {
	ids := make([]string, len(all))
	for i, u := range all {
		ids[i] = u.ID
	}
	return slices.Clip(spelling.Nearest(id, ids, max(n, 0)))
}
