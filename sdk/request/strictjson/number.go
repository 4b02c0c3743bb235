package strictjson

import (
	"math"
	"strconv"
	"strings"
)

// ParseNumber reads literal as exactly one JSON number with nothing around it,
// under the same cap and the same Range rules as in a document. It is for
// numbers that arrive outside JSON: query strings, decimal strings, command
// lines. Its error is a *SyntaxError.
func ParseNumber(literal string) (Value, error) {
	var v Value
	if n := v.shortNumber(literal); n > 0 && n == len(literal) {
		return v, nil
	}
	p := parser{text: literal}
	if len(literal) > MaxNumber {
		return Value{}, p.tooLong(0, len(literal))
	}
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
	if size := p.pos - start; size > MaxNumber {
		return p.tooLong(start, size)
	}
	v.setNumber(p.text[start:p.pos])
	return nil
}

func (p *parser) tooLong(start, size int) error {
	return p.fail(start, "found a number of %d characters, expected at most %d", size, MaxNumber)
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

// setNumber converts a literal whose grammar has been checked, so the only error
// ParseFloat can have is the infinity it returns beside it.
func (v *Value) setNumber(literal string) {
	f, _ := strconv.ParseFloat(literal, 64)
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

// isZero reports whether a literal means exactly zero, whatever its exponent.
func isZero(literal string) bool {
	significand := literal
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		significand = literal[:i]
	}
	return !strings.ContainsAny(significand, "123456789")
}
