package units

import (
	"maps"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Factor is one unit in a product of units, with its exponent as written: -2, or 1/3.
type Factor struct {
	Unit     string
	Num, Den int64
	Divides  bool // it is after the /

	from, to int    // of Unit in the text
	exponent string // "" for 1
}

// maxProduct is the largest length of the text of a product, in bytes.
const maxProduct = 100

// Factors reads a product of units such as W/(m2 K), 1/K or kg/(m s K(1/2)). It consists of
// factors with a blank or a dot between them, divided by at most one other factor, or by
// several in parentheses. Factors is false if the text does not have this form. It does not
// check that the names are units.
func Factors(text string) ([]Factor, bool) {
	if len(text) > maxProduct {
		return nil, false
	}
	r := productReader{text: text}
	if !strings.HasPrefix(text, "1") {
		r.product(false)
	} else {
		r.at = 1
	}
	if r.accept("/(") {
		r.product(true)
		r.failed = r.failed || !r.accept(")")
	} else if r.accept("/") {
		r.factor(true)
	}
	return r.list, !r.failed && r.at == len(text)
}

// SameProduct reports whether two texts are products of the same powers: kg/(m s) and kg/(s m), or N/m2 and N·m-2.
func SameProduct(a, b string) bool {
	x, ok := powersOf(a)
	y, ok2 := powersOf(b)
	return ok && ok2 && maps.Equal(x, y)
}

// powersOf returns the exponents of the units of a product.
func powersOf(text string) (map[string]string, bool) {
	factors, ok := Factors(text)
	sums := map[string]*big.Rat{}
	for _, f := range factors {
		if f.Den == 0 {
			return nil, false
		}
		exponent := big.NewRat(f.Num, f.Den)
		if f.Divides {
			exponent.Neg(exponent)
		}
		if sums[f.Unit] == nil {
			sums[f.Unit] = new(big.Rat)
		}
		sums[f.Unit].Add(sums[f.Unit], exponent)
	}
	powers := map[string]string{}
	for unit, sum := range sums {
		if sum.Sign() != 0 {
			powers[unit] = sum.RatString()
		}
	}
	return powers, ok
}

type productReader struct {
	text   string
	at     int
	failed bool
	list   []Factor
}

func (r *productReader) accept(text string) bool {
	if !strings.HasPrefix(r.text[r.at:], text) {
		return false
	}
	r.at += len(text)
	return true
}

func (r *productReader) product(divides bool) {
	for r.factor(divides); !r.failed && (r.accept(" ") || r.accept(".") || r.accept("·")); {
		r.factor(divides)
	}
}

func (r *productReader) factor(divides bool) {
	f := Factor{Num: 1, Den: 1, Divides: divides, from: r.at}
	for c, size := r.next(); inName(c); c, size = r.next() {
		r.at += size
	}
	f.to, f.Unit = r.at, r.text[f.from:r.at]
	if r.accept("(") {
		ok, ok2 := false, false
		f.Num, ok = r.integer()
		r.failed = r.failed || !r.accept("/")
		f.Den, ok2 = r.integer()
		r.failed = r.failed || !ok || !ok2 || f.Den < 0 || !r.accept(")")
	} else if n, ok := r.integer(); ok {
		f.Num = n
	}
	f.exponent = r.text[f.to:r.at]
	r.failed = r.failed || f.Unit == ""
	r.list = append(r.list, f)
}

func (r *productReader) next() (rune, int) { return utf8.DecodeRuneInString(r.text[r.at:]) }

// inName reports whether a name of a unit can have the character: mm, gal_us, %, or the sign
// of a currency.
func inName(c rune) bool {
	return c == '_' || c == '%' || unicode.IsLetter(c) || unicode.Is(unicode.Sc, c)
}

// integer reads one of up to two digits that does not start with 0. It is false if there is
// none.
func (r *productReader) integer() (n int64, ok bool) {
	end, sign := r.at, int64(1)
	if strings.HasPrefix(r.text[end:], "-") {
		end, sign = end+1, -1
	}
	for first := end; end < len(r.text) && end < first+2 && '0' <= r.text[end] && r.text[end] <= '9'; end++ {
		n = 10*n + int64(r.text[end]-'0')
		ok = n > 0
		if !ok {
			return 0, false
		}
	}
	if ok {
		r.at = end
	}
	return sign * n, ok
}
