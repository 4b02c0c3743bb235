package spreadsheet

import (
	"math/big"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// scale is the unit of an expression: powers of the base units, and a factor. The value of the expression is the number
// that the workbook has, times the unit.
type scale struct {
	powers [8]int // twice the exponents of m, kg, s, A, K, mol, cd and rad
	factor big.Rat
	unit   string // its name, "" if it is not the unit of a cell
}

// plain is the scale of numbers without a unit.
func plain() *scale {
	s := new(scale)
	s.factor.SetInt64(1)
	return s
}

// bases are the base units of [scale], and the products of the named units of SI.
var bases = map[string][8]int{
	"m": {1}, "kg": {0, 1}, "s": {0, 0, 1}, "A": {0, 0, 0, 1}, "K": {0, 0, 0, 0, 1}, "mol": {0, 0, 0, 0, 0, 1}, "cd": {0, 0, 0, 0, 0, 0, 1}, "rad": {0, 0, 0, 0, 0, 0, 0, 1},
	"m2": {2}, "m3": {3}, "m4": {4}, "Hz": {0, 0, -1}, "N": {1, 1, -2}, "Pa": {-1, 1, -2}, "J": {2, 1, -2}, "W": {2, 1, -3}, "C": {0, 0, 1, 1},
	"V": {2, 1, -3, -1}, "ohm": {2, 1, -3, -2}, "S": {-2, -1, 3, 2}, "F": {-2, -1, 4, 2}, "H": {2, 1, -2, -2}, "Wb": {2, 1, -2, -1}, "T": {0, 1, -2, -1},
}

// scaleOf returns the scale of a unit. It is nil for points on a scale of temperature, and for units with pi in their
// factor.
func scaleOf(unit string) *scale {
	s := plain()
	if unit == "" {
		return s
	}
	s.unit = unit
	si := unit
	if u, ok := units.Lookup(unit); ok {
		if u.Pi || u.Offset != nil || u.Quantity == "temperature" {
			return nil
		}
		si = units.SI(u.Quantity).ID
		if u.Factor != nil {
			s.factor.Set(u.Factor)
		}
	}
	factors, ok := units.Factors(si)
	if !ok {
		return nil
	}
	for _, f := range factors {
		powers, known := bases[f.Unit]
		if !known || f.Den == 0 || 2*f.Num%f.Den != 0 {
			return nil
		}
		exponent := int(2 * f.Num / f.Den)
		if f.Divides {
			exponent = -exponent
		}
		for i, p := range powers {
			s.powers[i] += exponent * p
		}
	}
	return s
}

// isDecimal reports whether each decimal in a unit is a decimal in the unit of SI.
func isDecimal(unit string) bool {
	u, ok := units.Lookup(unit)
	if !ok || u.Factor == nil {
		return !u.Pi
	}
	rest := new(big.Int).Set(u.Factor.Denom())
	for _, prime := range []int64{2, 5} {
		p, quotient, remainder := big.NewInt(prime), new(big.Int), new(big.Int)
		for {
			quotient.QuoRem(rest, p, remainder)
			if remainder.Sign() != 0 {
				break
			}
			rest.Set(quotient)
		}
	}
	return !u.Pi && rest.IsInt64() && rest.Int64() == 1
}

// same reports whether numbers with two scales can be added.
func (s *scale) same(t *scale) bool { return s.powers == t.powers && s.factor.Cmp(&t.factor) == 0 }

func (s *scale) isPlain() bool { return s.same(plain()) }

// times returns the scale of a product, or of a quotient if sign is -1.
func (s *scale) times(t *scale, sign int) *scale {
	p := *s
	p.unit = ""
	for i := range p.powers {
		p.powers[i] += sign * t.powers[i]
	}
	p.factor = big.Rat{}
	if sign < 0 {
		p.factor.Quo(&s.factor, &t.factor)
	} else {
		p.factor.Mul(&s.factor, &t.factor)
	}
	return &p
}

// power returns the scale of a power with an exponent that is an integer.
func (s *scale) power(exponent int) *scale {
	p := plain()
	for range max(exponent, -exponent) {
		p = p.times(s, sign(exponent))
	}
	return p
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// root returns the scale of a square root, nil if its factor is not rational.
func (s *scale) root() *scale {
	r := plain()
	for i, p := range s.powers {
		if p%2 != 0 {
			return nil
		}
		r.powers[i] = p / 2
	}
	num, den := new(big.Int).Sqrt(s.factor.Num()), new(big.Int).Sqrt(s.factor.Denom())
	r.factor.SetFrac(num, den)
	if new(big.Rat).Mul(&r.factor, &r.factor).Cmp(&s.factor) != 0 {
		return nil
	}
	return r
}

// unitOf returns the unit of documents that a text means. The unit is "" for plain numbers, which have a dash.
func unitOf(text string) (unit string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 2 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '(' && text[len(text)-1] == ')') {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	switch text {
	case "":
		return "", false
	case "-", "–", "—", "1":
		return "", true
	case "%":
		return "%", true
	case "°", "degrees":
		return "deg", true
	case "Ω":
		return "ohm", true
	}
	if len(text) > 30 {
		return "", false
	}
	if u, known := units.Lookup(text); known {
		return u.ID, true
	}
	for _, q := range units.Quantities() {
		if u, known := formula.ReadUnit(text, q); known {
			return u.ID, true
		}
	}
	si, err := units.Coherent(text)
	return text, err == nil && units.SameProduct(text, si)
}
