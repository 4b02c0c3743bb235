package typed

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Bounds of arithmetic in a field.
const (
	MaxArithmetic = 200 // bytes
	maxDepth      = 20  // signs and parentheses within one another
	maxExponent   = 400 // of a power of ten
)

// mixed is a whole number and a fraction. The numerator has at most two digits: three would be
// a group of thousands.
var mixed = regexp.MustCompile(`^([-+]?)([0-9]+) +([0-9]{1,2}) */ *([0-9]{1,4})$`)

// arithmetic computes exactly, in rational numbers.
func arithmetic(text string) (Reading, *TextError) {
	text = strings.TrimSpace(text)
	if parts := mixed.FindStringSubmatch(text); parts != nil && atoi(parts[3]) < atoi(parts[4]) {
		text = parts[1] + "(" + parts[2] + "+" + parts[3] + "/" + parts[4] + ")"
	}
	s := sum{text: text}
	x := s.terms(0)
	if s.skip(); s.err == nil && s.at < len(text) {
		s.fail(NotNumber)
	}
	if s.err != nil {
		return Reading{}, s.err
	}
	return decimalOf(x)
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// decimalOf returns the decimal that is exactly x, or if there is none the binary64 number
// nearest to it.
func decimalOf(x *big.Rat) (Reading, *TextError) {
	float, exact := x.Float64()
	if exact {
		return Reading{Literal: string(value.AppendNumber(nil, float))}, nil
	}
	if digits, finite := x.FloatPrec(); finite && digits <= maxExponent {
		if literal := x.FloatString(digits); len(literal) <= sdk.MaxDecimal {
			return Reading{Literal: literal}, nil
		}
	}
	if float == 0 || float-float != 0 {
		return Reading{}, &TextError{Problem: BeyondBinary64}
	}
	return Reading{Literal: string(value.AppendNumber(nil, float)), Rounded: true}, nil
}

// sum reads arithmetic from left to right. After an error all results are zero.
type sum struct {
	text string
	at   int
	err  *TextError
}

func (s *sum) fail(p Problem) *big.Rat {
	if s.err == nil {
		s.err = &TextError{Problem: p}
		s.at = len(s.text)
	}
	return new(big.Rat)
}

func (s *sum) skip() {
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
}

// take takes the next character if it is one of the set, and returns it.
func (s *sum) take(set string) byte {
	s.skip()
	if s.at == len(s.text) || strings.IndexByte(set, s.text[s.at]) < 0 {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

func (s *sum) terms(depth int) *big.Rat {
	x := s.factors(depth)
	for {
		switch s.take("+-") {
		case '+':
			x.Add(x, s.factors(depth))
		case '-':
			x.Sub(x, s.factors(depth))
		default:
			return x
		}
	}
}

func (s *sum) factors(depth int) *big.Rat {
	x := s.factor(depth)
	for {
		switch s.take("*/") {
		case '*':
			x.Mul(x, s.factor(depth))
		case '/':
			y := s.factor(depth)
			if y.Sign() == 0 {
				return s.fail(DividesByZero)
			}
			x.Quo(x, y)
		default:
			return x
		}
	}
}

func (s *sum) factor(depth int) *big.Rat {
	if depth == maxDepth {
		return s.fail(TooLong)
	}
	switch s.take("+-(") {
	case '+':
		return s.factor(depth + 1)
	case '-':
		x := s.factor(depth + 1)
		return x.Neg(x)
	case '(':
		x := s.terms(depth + 1)
		if s.take(")") == 0 {
			return s.fail(NotNumber)
		}
		return x
	}
	x := s.number()
	if s.take("%") != 0 {
		x.Quo(x, hundred)
	}
	return x
}

var hundred = big.NewRat(100, 1)

var numberToken = regexp.MustCompile(`^[0-9.,]+(?:[eE][-+]?[0-9]+)?`)

func (s *sum) number() *big.Rat {
	token := numberToken.FindString(s.text[s.at:])
	s.at += len(token)
	literal, err := numeral(token)
	if err != nil {
		return s.failWith(err)
	}
	if _, exponent, ok := strings.Cut(literal, "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return s.fail(BeyondBinary64)
		}
	}
	return ratOf(literal)
}

func (s *sum) failWith(err *TextError) *big.Rat {
	zero := s.fail(err.Problem)
	s.err.Readings = err.Readings
	return zero
}
