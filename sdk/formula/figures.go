package formula

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk/units"
)

const (
	figures  = 8 // significant digits of a number for people
	allTerms = 4 // a longer sum shows its first terms
)

// shown is text instead of an expression that is too long, such as "... 12 terms". Parse makes
// no such node.
const shown Op = 255

// AppendRounded appends x with at most that many significant digits, for people: 14.76, 2.1e11. With more
// than 16 it appends the shortest decimal that reads as x.
func AppendRounded(b []byte, x float64, digits int) []byte {
	if digits > 16 {
		digits = -1 // the shortest representation of x
	} else {
		digits--
	}
	var memory [32]byte
	text := strconv.AppendFloat(memory[:0], x, 'e', digits, 64)
	at := bytes.LastIndexByte(text, 'e')
	if at < 0 {
		return append(b, text...) // infinite, or not a number
	}
	n, _ := strconv.Atoi(string(text[at+1:]))
	if n >= 7 || n < -4 {
		b = append(b, trimZeros(text[:at])...)
		return strconv.AppendInt(append(b, 'e'), int64(n), 10)
	}
	rounded, _ := strconv.ParseFloat(string(text), 64)
	return strconv.AppendFloat(b, rounded, 'f', -1, 64)
}

// Rounded is [AppendRounded] as a string.
func Rounded(x float64, digits int) string { return string(AppendRounded(nil, x, digits)) }

func trimZeros(mantissa []byte) []byte {
	if bytes.IndexByte(mantissa, '.') >= 0 {
		return bytes.TrimSuffix(bytes.TrimRight(mantissa, "0"), []byte("."))
	}
	return mantissa
}

// numberNode returns a number as a node with some significant digits.
func numberNode(x number, digits int) *Expr {
	return &Expr{Op: Number, Literal: Rounded(x.nearest(), digits)}
}

// literals returns x with its numbers with units in the units of the reader. Without a reader it is x itself.
func (s *stepper) literals(x *Expr, l *line) *Expr {
	if s.o.Shown == nil || !s.spend(1) {
		return x
	}
	if x.Op == Number {
		if x.Unit == "" {
			return x
		}
		if y := s.shown(exactly(siValue(x)), figures, "", s.unitOfPart(x, l)); y.Unit != "" && y.Unit != x.Unit {
			return y
		}
		return x
	}
	y := x
	for i, arg := range x.Args {
		if own := s.literals(arg, l); own != arg {
			if y == x {
				other := *x
				other.Args = slices.Clone(x.Args)
				y = &other
			}
			y.Args[i] = own
		}
	}
	return y
}

// substitute returns x with numbers in place of expressions that have one.
func (s *stepper) substitute(x *Expr, l *line) *Expr {
	s.spend(partWork)
	switch x.Op {
	case Number:
		if x.Unit != "" {
			return s.shown(exactly(siValue(x)), figures, "", s.unitOfPart(x, l))
		}
		return x
	case Name:
		if x.Name == "pi" || x.Name == l.unknown {
			return x
		}
		return s.atom(x, l)
	case Index, Member:
		return s.atom(x, l)
	case Call:
		if s.text.Definition(x.Name) != nil || s.ofList(x, l) || x.Name == "factor" || x.Name == "zero" {
			return s.atom(x, l)
		}
	case Fold:
		if x.Fold.Func != "sum" || x.Fold.If || !x.Fold.Body {
			return s.atom(x, l)
		}
		return s.terms(x, l)
	}
	y := *x
	y.Args = make([]*Expr, len(x.Args))
	for i, arg := range x.Args {
		y.Args[i] = s.substitute(arg, l)
	}
	if y.Op == Add { // a + (-b) is a - b
		if first := y.Args[1].first(); first.Op == Number && strings.HasPrefix(first.Literal, "-") && y.Args[1].level() >= levelProduct {
			first.Literal = first.Literal[1:]
			y.Op = Sub
		}
	}
	return &y
}

// ofList reports whether x calls a function of a list.
func (s *stepper) ofList(x *Expr, l *line) bool {
	v, ok := s.eval(x.Args[0], l.local)
	return ok && v.kind == listKind
}

// atom returns the value of x, or x itself if its value is not a number.
func (s *stepper) atom(x *Expr, l *line) *Expr {
	v, ok := s.eval(x, l.local)
	switch {
	case ok && v.kind == numberKind:
		return s.shown(v.number, max(figures, l.digits, s.digits[x.Name]), s.nameOf(x, l), s.unitOfPart(x, l))
	case ok && v.kind == boolKind:
		return &Expr{Op: Name, Name: strconv.FormatBool(v.is)}
	case ok && v.kind == textKind:
		return &Expr{Op: Literal, Name: v.text}
	}
	return x
}

// terms returns the first terms of a sum, and their number as text. It returns the sum itself
// if a term has no value.
func (s *stepper) terms(x *Expr, l *line) *Expr {
	items, count, ok := s.items(x, l.local)
	if !ok || count == 0 {
		return s.atom(x, l)
	}
	var sum *Expr
	unit := s.unitOfPart(x, l)
	for _, item := range items {
		v, ok := s.eval(x.Args[len(x.Args)-1], &local{x.Name, item, l.local})
		if !ok || v.kind != numberKind {
			return x
		}
		if term := s.shown(v.number, max(figures, l.digits), "", unit); sum == nil {
			sum = term
		} else {
			sum = &Expr{Op: Add, Args: []*Expr{sum, term}}
		}
	}
	if count > len(items) {
		rest := &Expr{Op: shown, Literal: "... " + strconv.Itoa(count) + " terms"}
		sum = &Expr{Op: Add, Args: []*Expr{sum, rest}}
	}
	return sum
}

// items returns the values of the index of a sum in the shown terms, and the number of all
// items.
func (s *stepper) items(x *Expr, l *local) (items []val, count int, ok bool) {
	first, ok := s.eval(x.Args[0], l)
	if !x.Fold.Range {
		return first.list[:shownTerms(len(first.list))], len(first.list), ok
	}
	last, ok2 := s.eval(x.Args[1], l)
	if !ok || !ok2 || first.kind != numberKind || last.kind != numberKind {
		return nil, 0, false
	}
	from, to := first.number.nearest(), last.number.nearest()
	count = int(max(0, min(to-from+1, 1e9)))
	for i := range shownTerms(count) {
		items = append(items, ofNumber(exactly(new(big.Rat).SetFloat64(from+float64(i)))))
	}
	return items, count, true
}

// shownTerms returns how many terms of a sum are shown.
func shownTerms(count int) int {
	if count > allTerms {
		return allTerms - 1
	}
	return count
}

// lost computes how many digits sums and differences of the line lose, because their operands
// nearly cancel. Their operands are shown with that many more digits.
func (s *stepper) lost(x *Expr, l *line) {
	if x == nil || x.Op == Fold || !s.spend(1) {
		return
	}
	for _, arg := range x.Args {
		s.lost(arg, l)
	}
	if x.Op != Add && x.Op != Sub {
		return
	}
	size := func(x *Expr) float64 {
		v, ok := s.eval(x, l.local)
		if !ok || v.kind != numberKind {
			return 0
		}
		return math.Abs(v.number.nearest())
	}
	result, most := size(x), max(size(x.Args[0]), size(x.Args[1]))
	if result == 0 || most < 10*result {
		return
	}
	digits := figures + int(math.Log10(most/result))
	l.digits = max(l.digits, digits)
	x.walk(func(y *Expr) {
		if s.spend(1) && y.Op == Name {
			s.digits[y.Name] = max(s.digits[y.Name], digits)
		}
	})
}

// unitReason describes the factor or the zero of a unit.
func unitReason(function, id string) string {
	u, ok := units.Lookup(id)
	if !ok {
		return ""
	}
	base := units.SI(u.Quantity).ID
	if function == "zero" {
		if u.Offset == nil {
			return "0 " + base + " is 0 " + id
		}
		offset, _ := u.Offset.Float64()
		return "0 " + base + " is " + Rounded(-offset, 17) + " " + id
	}
	factor := new(big.Rat).SetInt64(1)
	if u.Factor != nil {
		factor = u.Factor
	}
	x, _ := factor.Float64()
	text := Rounded(x, 17)
	if u.Pi {
		return "1 " + id + " = " + text + "*pi " + base
	}
	return "1 " + id + " = " + text + " " + base
}
