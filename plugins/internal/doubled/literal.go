package doubled

import (
	"math"
	"math/big"
	"strconv"
)

// powersOfTen are those that binary64 holds: 5^22 < 2^53.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

const largestPower = len(powersOfTen) - 1

// farthest is a power of ten that no number in range has.
const farthest = 400

// Int returns i.
func Int(i int64) Num {
	if uint64(i)+1<<53 > 1<<54 { // beyond 2^53
		return large(i)
	}
	return Num{hi: float64(i)}
}

func large(i int64) Num {
	high, low := i>>32, i&math.MaxUint32 // each a binary64
	hi, lo := twoSum(float64(float64(high)*0x1p32), float64(low))
	return Num{hi: hi, lo: lo}
}

// Integer returns m 2^e. Of an m of more than 106 bits it has the first, and less than 2^-105
// of the value is missing.
func Integer(m *big.Int, e int) Num {
	const bits = 53
	t := new(big.Int).Abs(m)
	cut := max(t.BitLen()-2*bits, 0)
	whole := uint(cut) <= m.TrailingZeroBits()
	t.Rsh(t, uint(cut))
	low := t.Uint64() & (1<<bits - 1)
	hi, lo := twoSum(float64(float64(t.Rsh(t, bits).Uint64())*(1<<bits)), float64(low))
	value := Num{hi: hi, lo: lo}
	if !whole {
		value = value.Widen(2 * unit)
	}
	if m.Sign() < 0 {
		value = value.Neg()
	}
	return value.scaled(cut + e)
}

// Decimal returns the value of a decimal literal. It has no error if two numbers hold its
// digits, and two its power of ten. What is no literal, or out of range, is unknown.
func Decimal(literal string) Num {
	d, ok := scan(literal)
	if !ok {
		return Unknown
	}
	value := d.mantissa()
	size := max(d.power, -d.power)
	if size > farthest {
		return Unknown
	}
	for ; size > 0; size -= largestPower {
		scale := Num{hi: powersOfTen[min(size, largestPower)]}
		if size > largestPower && size <= 2*largestPower { // two powers, one exact product
			scale = scale.Mul(Num{hi: powersOfTen[size-largestPower]})
			size -= largestPower
		}
		if d.power < 0 {
			value = value.Div(scale)
		} else {
			value = value.Mul(scale)
		}
	}
	if d.negative {
		return value.Neg()
	}
	return value
}

// group is how many digits an int64 takes of a literal, whatever they are.
const group = 18

// digits are those of a decimal literal without its leading zeros: the value is first, or
// first*10^(digits of second) + second, times 10^power, and less than that 10^power more
// if digits were cut off.
type digits struct {
	first, second int64
	count         int // of digits in both
	power         int
	cut, negative bool
}

// mantissa returns the value without its power of ten. Where digits were cut off, those that
// stay make at least 10^35, and less than 1 is missing: less than 2^-106 of the value.
func (d *digits) mantissa() Num {
	value := Int(d.first)
	if d.count > group {
		value = value.Mul(Num{hi: powersOfTen[d.count-group]}).Add(Int(d.second))
	}
	if d.cut {
		value = value.Widen(unit)
	}
	return value
}

// take adds one digit, or counts what it would have been worth.
func (d *digits) take(digit int64) {
	switch {
	case d.count == 2*group:
		d.cut = d.cut || digit != 0
		d.power++
		return
	case d.count >= group:
		d.second = 10*d.second + digit
	default:
		d.first = 10*d.first + digit
	}
	if d.first != 0 {
		d.count++
	}
}

// scan reads a decimal literal.
func scan(literal string) (d digits, ok bool) {
	text, fraction := literal, false
	if text != "" && text[0] == '-' {
		text, d.negative = text[1:], true
	}
	for ; text != ""; text = text[1:] {
		switch c := text[0]; {
		case c == '.' && !fraction:
			fraction = true
			continue
		case c == 'e' || c == 'E':
			exponent, err := strconv.Atoi(text[1:])
			if err != nil || max(exponent, -exponent) > math.MaxInt16 {
				return d, false
			}
			d.power += exponent
			return d, ok
		case c < '0' || c > '9':
			return d, false
		default:
			d.take(int64(c - '0'))
			ok = true
		}
		if fraction {
			d.power--
		}
	}
	return d, ok
}
