package formula

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/units"
)

// dimension has powers of base units in the order of their names, none with the exponent 0.
// The dimension of a plain number is empty. A dimension never changes.
type dimension []power

type power struct {
	base string
	ratio
}

// ratio is n/d in lowest terms, with d > 0.
type ratio struct{ n, d int64 }

var first = ratio{1, 1} // the exponent that is not written

// maxRatio bounds the parts of an exponent. In real units they have one digit.
const maxRatio = 1 << 20

func ratioOf(n, d int64) ratio {
	if d < 0 {
		n, d = -n, -d
	}
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	return ratio{n / a, d / a}
}

// times returns a * b^k. It is false if an exponent is too large for a unit.
func (a dimension) times(b dimension, k ratio) (dimension, bool) {
	switch {
	case len(b) == 0:
		return a, true
	case len(a) == 0 && k == first:
		return b, true
	}
	c := make(dimension, 0, len(a)+len(b))
	for len(b) > 0 {
		step := ratioOf(b[0].n*k.n, b[0].d*k.d)
		for len(a) > 0 && a[0].base < b[0].base {
			c, a = append(c, a[0]), a[1:]
		}
		sum := step
		if len(a) > 0 && a[0].base == b[0].base {
			sum = ratioOf(a[0].n*step.d+step.n*a[0].d, a[0].d*step.d)
			a = a[1:]
		}
		if max(step.n, -step.n, step.d, sum.n, -sum.n, sum.d) > maxRatio {
			return nil, false
		}
		if sum.n != 0 {
			c = append(c, power{b[0].base, sum})
		}
		b = b[1:]
	}
	return append(c, a...), true
}

// base units, in the order in which products are written.
var base = []string{"kg", "m", "s", "A", "K", "mol", "cd", "currency"}

// money is the unit of an amount of money in any currency.
const money = "money"

// derived are units of SI, with their definitions.
var derived = map[string]string{
	"N": "kg m/s2", "Pa": "kg/(m s2)", "J": "kg m2/s2", "W": "kg m2/s3", "Hz": "1/s",
	"C": "A s", "V": "kg m2/(s3 A)", "F": "s4 A2/(kg m2)", "ohm": "kg m2/(s3 A2)", "S": "s3 A2/(kg m2)",
	"Wb": "kg m2/(s2 A)", "T": "kg/(s2 A)", "H": "kg m2/(s2 A2)", "lm": "cd", "lx": "cd/m2",
	"VA": "kg m2/s3", "var": "kg m2/s3", "rad": "1", "sr": "1",
}

// unit is the meaning of a text such as W/(m2 K).
type unit struct {
	dim      dimension
	coherent bool   // its numbers are in SI
	unknown  string // a part that is not a known unit, and counts as a unit of its own
}

// parseUnit reads the text of a unit. It is false if the text does not have the form of a
// unit: see [units.Factors].
func parseUnit(text string) (unit, bool) {
	u := unit{coherent: true}
	if known, ok := units.Lookup(text); ok {
		text = units.SI(known.Quantity).ID
		u.coherent = isOne(known)
	}
	return u, text == "" || u.product(text)
}

// isOne reports whether a unit is the SI unit.
func isOne(u units.Unit) bool {
	return (u.Factor == nil || u.Factor.Cmp(one) == 0) && u.Offset == nil && !u.Pi
}

var one = big.NewRat(1, 1)

// product multiplies u by a product of units.
func (u *unit) product(text string) bool {
	factors, ok := units.Factors(text)
	if !ok {
		return false
	}
	for _, f := range factors {
		k := ratioOf(f.Num, f.Den)
		if f.Divides {
			k.n = -k.n
		}
		if !u.times(f.Unit, k) {
			return false
		}
	}
	return true
}

// times multiplies u by a power of a unit.
func (u *unit) times(name string, k ratio) (ok bool) {
	of := dimension{{name, first}}
	switch _, listed := units.Lookup(name); {
	case name == "%":
		of, u.coherent = nil, false
	case name == money:
		of = dimension{{"currency", first}}
	case slices.Contains(base, name):
	case derived[name] != "":
		of, _ = dimensionOf(derived[name])
	case listed:
		known, _ := parseUnit(name)
		of, u.coherent = known.dim, u.coherent && known.coherent
	default:
		u.unknown, u.coherent = name, false
	}
	u.dim, ok = u.dim.times(of, k)
	return ok
}

func dimensionOf(text string) (dimension, bool) {
	u, ok := parseUnit(text)
	return u.dim, ok
}

// String writes a dimension as a unit. Joules are never combined with other units: J m2 would
// be unusual.
func (a dimension) String() string {
	if joule, _ := dimensionOf("J"); slices.Equal(a, joule) {
		return "J"
	}
	return a.in([]string{"N", "Pa", "W", "V", "ohm"})
}

// in writes a dimension with one of the preferred units, if that makes it shorter.
func (a dimension) in(preferred []string) string {
	best, cost := a, a.size()
	with := ""
	for _, name := range preferred {
		of, _ := dimensionOf(derived[name])
		for _, sign := range []int64{1, -1} {
			rest, ok := a.times(of, ratio{-sign, 1})
			if size := rest.size() + 2; ok && size < cost {
				best, _ = rest.times(dimension{{name, first}}, ratio{sign, 1})
				with, cost = name, size
			}
		}
	}
	return best.product(with)
}

// size returns the length of the written form.
func (a dimension) size() (n int64) {
	for _, x := range a {
		n += max(x.n, -x.n) + x.d
	}
	return n
}

// product writes the base units and one other unit, as kg/(m s).
func (a dimension) product(with string) string {
	order := func(name string) int {
		if name == with {
			return -1
		}
		if i := slices.Index(base, name); i >= 0 {
			return i
		}
		return len(base)
	}
	sorted := slices.SortedStableFunc(slices.Values(a), func(x, y power) int { return order(x.base) - order(y.base) })
	var above, below []string
	for _, x := range sorted {
		if x.n > 0 {
			above = append(above, x.base+x.String())
		} else {
			below = append(below, x.base+ratio{-x.n, x.d}.String())
		}
	}
	text := strings.Join(above, " ")
	switch {
	case len(below) == 0:
		return text
	case len(above) == 0:
		text = "1"
	}
	if len(below) == 1 {
		return text + "/" + below[0]
	}
	return text + "/(" + strings.Join(below, " ") + ")"
}

// String writes an exponent after its unit.
func (x ratio) String() string {
	switch {
	case x == first:
		return ""
	case x.d == 1:
		return strconv.FormatInt(x.n, 10)
	}
	return "(" + strconv.FormatInt(x.n, 10) + "/" + strconv.FormatInt(x.d, 10) + ")"
}
