package formula

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/units"
)

// dimension has the exponents of base units, none of which is zero. That of a plain number is
// empty.
type dimension map[string]ratio

// ratio is n/d in lowest terms, with d > 0.
type ratio struct{ n, d int64 }

var first = ratio{1, 1} // the exponent that is not written

// maxRatio is how large the parts of an exponent may be: those of real units have one digit.
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

// times returns a * b^k. It is false if an exponent is beyond what units have.
func (a dimension) times(b dimension, k ratio) (dimension, bool) {
	c := dimension{}
	maps.Copy(c, a)
	for base, x := range b {
		y := c[base]
		if y.d == 0 {
			y.d = 1
		}
		step := ratioOf(x.n*k.n, x.d*k.d)
		sum := ratioOf(y.n*step.d+step.n*y.d, y.d*step.d)
		if max(step.n, -step.n, step.d, sum.n, -sum.n, sum.d) > maxRatio {
			return nil, false
		}
		if c[base] = sum; sum.n == 0 {
			delete(c, base)
		}
	}
	return c, true
}

// base units, in the order in which products are written.
var base = []string{"kg", "m", "s", "A", "K", "mol", "cd", "currency"}

// derived units of SI, with what they are.
var derived = map[string]string{
	"N": "kg m/s2", "Pa": "kg/(m s2)", "J": "kg m2/s2", "W": "kg m2/s3", "Hz": "1/s",
	"C": "A s", "V": "kg m2/(s3 A)", "F": "s4 A2/(kg m2)", "ohm": "kg m2/(s3 A2)", "S": "s3 A2/(kg m2)",
	"Wb": "kg m2/(s2 A)", "T": "kg/(s2 A)", "H": "kg m2/(s2 A2)", "lm": "cd", "lx": "cd/m2",
	"VA": "kg m2/s3", "var": "kg m2/s3", "rad": "1", "sr": "1",
}

// unit is what a text such as W/(m2 K) says.
type unit struct {
	dim      dimension
	coherent bool   // its numbers are those of SI
	unknown  string // a part that is no unit known here, and counts as one of its own
}

// maxUnit is how long the text of a unit may be, in bytes.
const maxUnit = 100

// parseUnit reads the text of a unit. It is false if that has not the form of one: factors with
// blanks between them, each with an exponent such as 2, -1 or (1/3) behind it, and at most one /.
func parseUnit(text string) (unit, bool) {
	u := unit{dim: dimension{}, coherent: true}
	if len(text) > maxUnit {
		return u, false
	}
	if known, ok := units.Lookup(text); ok {
		text = units.Of(known.Quantity)[0].ID
		u.coherent = isOne(known)
	}
	if text == "" {
		return u, true
	}
	rest, ok := u.product(text, 1)
	switch {
	case !ok || rest == "":
		return u, ok
	case strings.HasPrefix(rest, "/("):
		rest, ok = u.product(rest[2:], -1)
		return u, ok && rest == ")"
	case rest[0] == '/':
		rest, ok = u.factor(rest[1:], -1)
	}
	return u, ok && rest == ""
}

// isOne reports whether a unit is that of SI.
func isOne(u units.Unit) bool {
	return (u.Factor == nil || u.Factor.Cmp(big.NewRat(1, 1)) == 0) && u.Offset == nil && !u.Pi
}

// product multiplies u by the factors that text begins with, or divides it by them.
func (u *unit) product(text string, sign int64) (rest string, ok bool) {
	for {
		if rest, ok = u.factor(text, sign); !ok || rest == "" || rest[0] == '/' || rest[0] == ')' {
			return rest, ok
		}
		if text = strings.TrimLeft(rest, " .·"); len(text) == len(rest) {
			return rest, false
		}
	}
}

// factor multiplies u by the factor that text begins with.
func (u *unit) factor(text string, sign int64) (rest string, ok bool) {
	end := len(text) - len(strings.TrimLeftFunc(text, inUnitName))
	if strings.HasPrefix(text, "1") {
		return text[1:], true
	}
	n, d, rest := exponent(text[end:])
	if end == 0 || n == 0 || d == 0 {
		return rest, false
	}
	return rest, u.times(text[:end], ratioOf(sign*n, d))
}

// inUnitName reports whether a unit can be called so: mm, gal_us, %, or a currency.
func inUnitName(c rune) bool {
	return c == '_' || c == '%' || unicode.IsLetter(c) || unicode.Is(unicode.Sc, c)
}

var exponentForm = regexp.MustCompile(`^(?:(-?[0-9]{1,3})|\((-?[0-9]{1,3})/([0-9]{1,3})\))`)

// exponent reads the exponent that text begins with, 1 if there is none.
func exponent(text string) (n, d int64, rest string) {
	m := exponentForm.FindStringSubmatch(text)
	switch {
	case m == nil:
		return 1, 1, text
	case m[1] != "":
		n, d = integerOf(m[1]), 1
	default:
		n, d = integerOf(m[2]), integerOf(m[3])
	}
	return n, d, text[len(m[0]):]
}

func integerOf(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// times multiplies u by a power of a unit.
func (u *unit) times(name string, k ratio) (ok bool) {
	of := dimension{name: first}
	switch _, listed := units.Lookup(name); {
	case name == "%":
		of, u.coherent = nil, false
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

// String writes a dimension as a unit. Joules only stand alone: J m2 would be unusual.
func (a dimension) String() string {
	if joule, _ := dimensionOf("J"); maps.Equal(a, joule) {
		return "J"
	}
	return a.in([]string{"N", "Pa", "W", "V", "ohm"})
}

// in writes a dimension with one of the preferred units, if that makes it shorter.
func (a dimension) in(preferred []string) string {
	best, with, cost := a, "", a.size()
	for _, name := range preferred {
		of, _ := dimensionOf(derived[name])
		for _, sign := range []int64{1, -1} {
			rest, ok := a.times(of, ratio{-sign, 1})
			if !ok {
				continue
			}
			rest[name] = ratio{sign, 1}
			if size := rest.size(); size < cost {
				best, with, cost = rest, name, size
			}
		}
	}
	return best.product(with)
}

// size is how much there is to write.
func (a dimension) size() (n int64) {
	for _, x := range a {
		n += max(x.n, -x.n) + x.d
	}
	return n
}

// product writes the base units and one other, as kg/(m s).
func (a dimension) product(with string) string {
	names := slices.Sorted(maps.Keys(a))
	order := func(name string) int {
		if name == with {
			return -1
		}
		if i := slices.Index(base, name); i >= 0 {
			return i
		}
		return len(base)
	}
	slices.SortStableFunc(names, func(x, y string) int { return order(x) - order(y) })
	var above, below []string
	for _, name := range names {
		x := a[name]
		if x.n > 0 {
			above = append(above, name+x.String())
		} else {
			below = append(below, name+ratio{-x.n, x.d}.String())
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

// String writes an exponent behind its unit.
func (x ratio) String() string {
	switch {
	case x == first:
		return ""
	case x.d == 1:
		return strconv.FormatInt(x.n, 10)
	}
	return "(" + strconv.FormatInt(x.n, 10) + "/" + strconv.FormatInt(x.d, 10) + ")"
}
