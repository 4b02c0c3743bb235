package strictjson

import (
	"math"
	"strconv"
	"strings"
)

// ParseNumber reads literal as exactly one JSON number, with the same cap and the same Range
// rules as in a document. It is for numbers that arrive outside JSON: query strings, decimal
// strings, command lines. Its error is a *SyntaxError.
func ParseNumber(literal string) (Value, error) {
	var v Value
	if n := v.shortNumber(literal); n > 0 && n == len(literal) {
		return v, nil
	}
	if len(literal) > MaxBytes {
		return Value{}, tooLarge(len(literal))
	}
	p := parser{text: literal}
	if err := p.number(&v); err != nil {
		return Value{}, err
	}
	if p.pos < len(literal) {
		return Value{}, p.unexpected("the end of the number")
	}
	return v, nil
}

// number reads a number of RFC 8259 section 6 into v.
func (p *parser) number(v *Value) error {
	if n := v.shortNumber(p.text[p.pos:]); n > 0 {
		p.pos += n
		return nil
	}
	start := p.pos
	p.skip("-")
	if err := p.integer(); err != nil {
		return err
	}
	if p.skip(".") {
		if err := p.digits("a digit after the decimal point"); err != nil {
			return err
		}
	}
	if p.skip("e") || p.skip("E") {
		if !p.skip("+") {
			p.skip("-")
		}
		if err := p.digits("a digit in the exponent"); err != nil {
			return err
		}
	}
	v.setNumber(p.text[start:p.pos])
	return nil
}

// integer reads the part before the decimal point.
func (p *parser) integer() error {
	if p.skip("0") {
		if isDigit(p.peek()) {
			return p.unexpected("no digit after a leading zero")
		}
		return nil
	}
	return p.digits("a digit")
}

// digits steps over one or more digits.
func (p *parser) digits(expected string) error {
	if !isDigit(p.peek()) {
		return p.unexpected(expected)
	}
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		p.pos++
	}
	return nil
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

// setNumber converts a literal with correct grammar. So the only error of ParseFloat is the
// one for infinity. Its cost is linear in the length of the literal.
func (v *Value) setNumber(literal string) {
	f, _ := strconv.ParseFloat(shortened(literal), 64)
	v.Kind, v.Text, v.Float = Number, literal, f
	switch {
	case math.IsInf(f, 0):
		v.Range = Overflow
	case f == 0:
		v.Float = 0 // -0 becomes +0
		if !isZero(literal) {
			v.Range = Underflow
		}
	}
}

// Bounds of literals that ParseFloat reads correctly.
const (
	longNumber  = 400 // characters from which a literal is shortened
	significant = 800 // significant digits, more than a number halfway between two of binary64 has
	farExponent = 1e6 // that MaxBytes digits cannot bring into the range of binary64
)

// shortened returns a literal with the same nearest binary64 as a long one. It returns other
// literals unchanged. Package strconv does not read the exponent of a long literal to its end,
// and misreads an integer of more than 800 digits (Go 1.26).
func shortened(literal string) string {
	if len(literal) <= longNumber {
		return literal
	}
	sign := ""
	if literal[0] == '-' {
		sign, literal = "-", literal[1:]
	}
	significand, exponent := literal, 0
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		significand, exponent = literal[:at], readLongExponent(literal[at+1:])
	}
	whole, decimals, _ := strings.Cut(significand, ".")
	all := whole + decimals
	digits := strings.TrimLeft(all, "0")
	exponent += len(whole) - (len(all) - len(digits))
	if len(digits) > significant {
		rest := digits[significant:]
		digits = digits[:significant]
		if strings.Trim(rest, "0") != "" {
			digits += "1" // beyond halfway, if the earlier digits are exactly halfway
		}
	}
	return sign + "0." + digits + "0e" + strconv.Itoa(exponent)
}

// readLongExponent returns an exponent, or another one that is also out of range.
func readLongExponent(text string) int {
	negative := text[0] == '-'
	digits := strings.TrimLeft(text, "+-0")
	n, err := strconv.Atoi("0" + digits)
	if err != nil || n > farExponent {
		n = farExponent
	}
	if negative {
		return -n
	}
	return n
}

// isZero reports whether a literal means exactly zero, with any exponent.
func isZero(literal string) bool {
	significand := literal
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		significand = literal[:i]
	}
	return !strings.ContainsAny(significand, "123456789")
}
