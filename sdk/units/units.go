// Package units has the units that inputs can have, and converts numbers between them. Use [Lookup]
// to find a unit by its id, [Of] to list the units of a quantity, and [Convert] to convert a
// number. [Spelled] reads other spellings, such as gpm. [Nearest] suggests ids for one that is
// misspelled.
//
// Every factor is an exact rational number, or one times pi. So the result of Convert is exact
// until its caller rounds it. The package has the only table of units; all packages that know units
// use it.
package units

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

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

// quantity has the units of the table for one quantity, the SI unit first. Factors are read at the first use of
// the quantity, because an engine needs few quantities.
type quantity struct {
	name    string
	entries []entry

	once  sync.Once
	units []Unit
}

// all returns the units. The caller must not change them.
func (q *quantity) all() []Unit {
	q.once.Do(func() {
		for _, e := range q.entries {
			u := Unit{ID: e.id, Quantity: q.name, Definition: e.factor}
			u.Factor, u.Pi = parseFactor(e.factor)
			if e.offset != "" {
				u.Offset = parse(e.offset)
			}
			q.units = append(q.units, u)
		}
	})
	return q.units
}

// place is the place of a unit in the table.
type place struct{ quantity, unit int }

// places has the place of every id, and quantities has every quantity by its name.
var (
	places = sync.OnceValue(func() map[string]place {
		m := map[string]place{}
		for i := range table {
			for k, e := range table[i].entries {
				if _, ok := m[e.id]; ok {
					panic(fmt.Sprintf("units: the table has %q twice", e.id))
				}
				m[e.id] = place{i, k}
			}
		}
		return m
	})
	quantities = sync.OnceValue(func() map[string]*quantity {
		m := map[string]*quantity{}
		for i := range table {
			m[table[i].name] = &table[i]
		}
		return m
	})
)

// unit returns the unit with exactly this spelling.
func unit(id string) (Unit, bool) {
	at, ok := places()[id]
	if !ok {
		return Unit{}, false
	}
	return table[at.quantity].all()[at.unit], true
}

// unitsOf returns the units of a quantity, none if it is unknown. The caller must not change them.
func unitsOf(name string) []Unit {
	q := quantities()[name]
	if q == nil {
		return nil
	}
	return q.all()
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
	u, ok := unit(id)
	if !ok {
		u, ok = unit(dots.Replace(id))
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
func Of(quantity string) []Unit { return slices.Clone(unitsOf(quantity)) }

// SI returns the SI unit of a quantity, or the zero Unit if the quantity is unknown.
func SI(quantity string) Unit {
	if of := unitsOf(quantity); len(of) > 0 {
		return of[0]
	}
	return Unit{}
}

// Quantities returns the names of all quantities.
func Quantities() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].name
	}
	return names
}

// Nearest returns up to n unit ids that id may misspell, the likeliest first.
func Nearest(id string, n int) []string {
	var ids []string
	for i := range table {
		for _, e := range table[i].entries {
			ids = append(ids, e.id)
		}
	}
	return slices.Clip(spelling.Nearest(id, ids, max(n, 0)))
}
