package doubled

import (
	"math"
	"math/big"
	"strconv"
)

// tens are exact powers of ten: 5^44 has 103 bits.
var tens = func() (list [45]Ball) {
	list[0] = one
	for k := 1; k < len(list); k++ {
		list[k] = list[k-1].Mul(Ball{hi: 10})
	}
	return list
}()

// OfRat returns the value of x.
func OfRat(x *big.Rat) Ball {
	hi, exact := x.Float64()
	if exact || !inRange(hi) {
		return Of(hi)
	}
	rest := new(big.Rat).SetFloat64(hi)
	lo, exact := rest.Sub(x, rest).Float64()
	if exact {
		return Ball{hi: hi, lo: lo}
	}
	return bounded(hi, lo, u2*math.Abs(hi))
}

// OfUnit returns the factor of a unit, 1 if it is nil, times pi if pi is true.
func OfUnit(factor *big.Rat, pi bool) Ball {
	x := one
	if factor != nil {
		x = OfRat(factor)
	}
	if pi {
		x = x.Mul(Pi)
	}
	return x
}

// OfDecimal returns the value of the shortest decimal that reads as f. It is unknown beyond 10^±29.
//
// Different decimals of 15 digits are different in binary64. So if one of them reads as f, it is the shortest. Its 15
// digits as an integer are the nearest to f 10^k: f and two products have a rounding error of 3u 10^15 < 0.34.
func OfDecimal(f float64) Ball {
	size := math.Abs(f)
	switch {
	case size <= 1<<53 && size == math.Trunc(size):
		return Ball{hi: f + 0}
	case !(1e-29 < size && size < 1e29):
		return Unknown
	}
	exponent := int(math.Float64bits(size)>>52) - 1023
	k := 14 - int(math.Floor(float64(exponent)*(math.Ln2/math.Ln10)))
	digits := math.RoundToEven(shifted(f, k))
	if math.Abs(digits) >= 1e15 {
		k--
		digits = math.RoundToEven(shifted(f, k))
	}
	d := decimal(Ball{hi: digits}, -k)
	if nearest, known := d.Round(); known && nearest == f && math.Abs(digits) < 1e15 {
		return d
	}
	return shortest(f)
}

// shifted returns f 10^k, rounded twice at most.
func shifted(f float64, k int) float64 {
	const most = 22 // 10^22 is a binary64
	switch {
	case k < 0:
		return f / tens[-k].hi
	case k > most:
		return f * tens[most].hi * tens[k-most].hi
	}
	return f * tens[k].hi
}

// decimal returns the digits times 10^k.
func decimal(digits Ball, k int) Ball {
	size := max(k, -k)
	switch {
	case size >= len(tens):
		return Unknown
	case k < 0:
		return digits.Div(tens[size])
	}
	return digits.Mul(tens[size])
}

// shortest reads the digits of f in decimal notation. They are at most 17.
func shortest(f float64) Ball {
	var buffer [32]byte
	return OfLiteral(string(strconv.AppendFloat(buffer[:0], f, 'e', -1, 64)))
}

// OfLiteral returns the value of a decimal literal of at most 18 digits. It is unknown for others.
func OfLiteral(text string) Ball {
	digits, count, places, point, sign := int64(0), 0, 0, 0, int64(1)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-' && i == 0:
			sign = -1
		case c == '.' && point == 0:
			point = 1
		case c == 'e' || c == 'E':
			exponent, err := strconv.Atoi(text[i+1:])
			if err != nil || max(exponent, -exponent) > math.MaxInt16 {
				return Unknown
			}
			return decimal(OfInt(sign*digits), exponent-places)
		case c < '0' || c > '9' || count == 18:
			return Unknown
		default:
			digits = 10*digits + int64(c-'0')
			places += point
			count++
		}
	}
	return decimal(OfInt(sign*digits), -places)
}
