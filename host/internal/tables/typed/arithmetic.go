package typed

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Limits of arithmetic.
const (
	maxDepth    = 20  // nested signs and parentheses
	maxExponent = 400 // of a power of ten
)

// mixedNumber is a mixed number within a calculation. It could also be a subtraction.
var mixedNumber = regexp.MustCompile(`(^|[^0-9.,])([1-9][0-9]*)-([1-9][0-9]?/[1-9][0-9]{0,2})($|[^0-9.,/])`)

// arithmetic evaluates arithmetic exactly, in rational numbers.
func arithmetic(text string, level Level) (Reading, *TextError) {
	s := sum{text: strings.ReplaceAll(text, "−", "-"), level: level, explicit: strings.ContainsAny(text, "*()")}
	if s.explicit && mixedNumber.MatchString(s.text) {
		return Reading{}, &TextError{Problem: Ambiguous, Readings: []string{
			mixedNumber.ReplaceAllString(s.text, "$1($2 + $3)$4"), mixedNumber.ReplaceAllString(s.text, "$1$2 - $3$4"),
		}}
	}
	x := s.terms(0)
	s.skip()
	if s.err == nil && s.at < len(s.text) {
		s.fail(NotNumber)
	}
	if !s.calculates {
		s.fail(NotNumber) // accountants write (5) for minus five
	}
	if s.lopsided || s.tight && !s.explicit {
		s.fail(NeedsBlanks)
	}
	if s.err != nil {
		return Reading{}, s.err
	}
	return decimalOf(x)
}

// decimalOf returns the decimal that is exactly x. If there is none, it returns the nearest binary64
// number.
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

// sum evaluates arithmetic from left to right. After an error all results are zero.
type sum struct {
	text  string
	level Level
	at    int
	err   *TextError

	explicit   bool // * or parentheses show that the text is a calculation
	calculates bool // there is an operator between two numbers
	tight      bool // an operator has no blanks around it, and does not form a fraction of whole numbers
	lopsided   bool // an operator has a blank on one side only
	percent    bool // a number is a percentage
	whole      bool // the last number has only digits
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

// take consumes and returns the next character if it is in the set.
func (s *sum) take(set string) byte {
	s.skip()
	if s.at == len(s.text) || strings.IndexByte(set, s.text[s.at]) < 0 {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

// between records the blanks around the operator before s.at, which is between two numbers. It reports
// whether there are none.
func (s *sum) between() (tight bool) {
	before := s.at >= 2 && s.text[s.at-2] == ' '
	after := s.at < len(s.text) && s.text[s.at] == ' '
	s.calculates = true
	s.lopsided = s.lopsided || before != after
	return !before && !after
}

func (s *sum) terms(depth int) *big.Rat {
	x := s.factors(depth)
	for {
		sign := s.take("+-")
		if sign == 0 {
			return x
		}
		s.tight = s.between() || s.tight
		if y := s.factors(depth); sign == '+' {
			x.Add(x, y)
		} else {
			x.Sub(x, y)
		}
	}
}

func (s *sum) factors(depth int) *big.Rat {
	x := s.factor(depth)
	canDivide := s.whole || s.percent // 3/8 is a fraction, 4.8%/12 cannot be one
	for {
		switch s.take("*/") {
		case '*':
			s.calculates = true
			x.Mul(x, s.factor(depth))
		case '/':
			tight := s.between()
			y := s.factor(depth)
			if y.Sign() == 0 {
				return s.fail(DividesByZero)
			}
			x.Quo(x, y)
			s.tight = s.tight || tight && !(canDivide && s.whole)
		default:
			return x
		}
		canDivide = false
	}
}

func (s *sum) factor(depth int) *big.Rat {
	if depth == maxDepth {
		return s.fail(TooLong)
	}
	s.whole = false
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
		s.percent, s.whole = true, false
		x.Quo(x, hundred)
	}
	return x
}

var hundred = big.NewRat(100, 1)

var numberToken = regexp.MustCompile(`^[0-9.,]+(?:[eE][-+]?[0-9]+)?`)

func (s *sum) number() *big.Rat {
	token, from := numberToken.FindString(s.text[s.at:]), s.at
	s.at += len(token)
	s.whole = token != "" && strings.Trim(token, "0123456789") == ""
	literal, err := numeral(token, s.level)
	if err != nil {
		return s.failWith(err, from)
	}
	if _, exponent, ok := strings.Cut(literal, "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return s.fail(BeyondBinary64)
		}
	}
	return ratOf(literal)
}

// failWith records the error of the number between from and s.at. Its suggestions contain the whole
// text.
func (s *sum) failWith(err *TextError, from int) *big.Rat {
	to := s.at
	zero := s.fail(err.Problem)
	for _, reading := range err.Readings {
		s.err.Readings = append(s.err.Readings, s.text[:from]+reading+s.text[to:])
	}
	return zero
}
