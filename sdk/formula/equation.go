package formula

import (
	"math"

	"github.com/slipstick/slipstick/sdk/doubled"
	"github.com/slipstick/slipstick/sdk/units"
)

// The fast path of an equation finds a number near the root, and proves that the root is near it. The difference of
// the sides must be monotonic in the whole interval, so that each root is where its sign changes. Otherwise the exact
// evaluator decides which root it is.

// side is a side of an equation, or a part of it, for the unknown x.
type side struct {
	code  code                                // reads x from its slot
	trend func(m *machine, x trend) trend     // in an interval of x
	guess func(m *machine, x float64) float64 // near the value, without a bound
}

// trend is what is known of an expression while the unknown grows from one end of an interval to the other. The
// expression is continuous there. Its values are between low and high. They are finite also if high is not: the exact
// evaluator can hold sums, products and quotients of 20,000 numbers up to 1e999.
type trend struct {
	low, high float64
	way       way
	nonzero   bool // no value is 0, although low is
}

// way is the direction in which an expression goes. It can also stay the same in places.
type way int8

const (
	falling way = -1
	steady  way = 0
	rising  way = 1
	strange way = 2 // it is not known, or the expression may be undefined
)

var unclear = trend{low: math.Inf(-1), high: math.Inf(1), way: strange}

// plus returns the direction of a sum.
func (w way) plus(v way) way {
	switch {
	case w == strange || v == strange:
		return strange
	case w == steady || w == v:
		return v
	case v == steady:
		return w
	}
	return strange
}

// times returns the direction of a multiple by factors of this sign.
func (w way) times(sign way) way {
	if w == steady {
		return steady
	}
	if w == strange || sign == strange {
		return strange
	}
	return w * sign
}

// sign returns the direction of a multiple by t.
func (t trend) sign() way {
	switch {
	case t.low >= 0:
		return rising
	case t.high <= 0:
		return falling
	}
	return strange
}

// between returns a trend with wider bounds, for the rounding of both.
func (w way) between(low, high float64) trend {
	if w == strange || !(math.Abs(low) < math.MaxFloat64 && math.Abs(high) < math.MaxFloat64) {
		return unclear
	}
	return w.wide(low, high)
}

// wide is between for bounds that can be too large for binary64.
func (w way) wide(low, high float64) trend {
	if w == strange || math.IsNaN(low+high) {
		return unclear
	}
	low, high = min(low, math.MaxFloat64), max(high, -math.MaxFloat64)
	if low != 0 {
		low = math.Nextafter(low, math.Inf(-1))
	}
	if high != 0 {
		high = math.Nextafter(high, math.Inf(1))
	}
	return trend{low: low, high: high, way: w}
}

// positive reports whether all values are above 0.
func (t trend) positive() bool { return t.low > 0 || t.low == 0 && t.nonzero }

// trendOf returns the trend of a constant.
func trendOf(x doubled.Ball) trend {
	hi, _, bound := x.Parts()
	margin := bound + float64(0x1p-52*math.Abs(hi))
	return trend{low: hi - margin, high: hi + margin, way: steady}
}

func (t trend) neg() trend { return trend{low: -t.high, high: -t.low, way: t.way.times(falling)} }

func (t trend) add(u trend) trend {
	sum := t.way.plus(u.way).wide(t.low+u.low, t.high+u.high)
	sum.nonzero = t.positive() && u.low >= 0 || u.positive() && t.low >= 0
	return sum
}

func (t trend) mul(u trend) trend {
	ends := [4]float64{t.low * u.low, t.low * u.high, t.high * u.low, t.high * u.high}
	w := t.way.times(u.sign()).plus(u.way.times(t.sign()))
	product := w.wide(min(ends[0], ends[1], ends[2], ends[3]), max(ends[0], ends[1], ends[2], ends[3]))
	product.nonzero = t.positive() && u.positive()
	return product
}

// reciprocal returns the trend of 1/t.
func (t trend) reciprocal() trend {
	if !(t.low > 0 || t.high < 0) {
		return unclear
	}
	quotient := t.way.times(falling).wide(1/t.high, 1/t.low)
	quotient.nonzero = true
	return quotient
}

// sized returns a trend of an increasing function that has the sign of its argument, and a size of at most most.
func (t trend) sized(most float64) trend {
	low, high := -most, most
	if t.low >= 0 {
		low = 0
	}
	if t.high <= 0 {
		high = 0
	}
	return t.way.between(low, high)
}

// trends are the increasing functions. Package math computes sizes here, to less than a factor of 2.
var trends = map[string]func(trend) trend{
	"sqrt": func(t trend) trend {
		if !(t.low >= 0) {
			return unclear
		}
		root := t.way.wide(math.Sqrt(t.low), math.Sqrt(t.high))
		root.nonzero = t.positive()
		return root
	},
	"ln": logTrend, "log10": logTrend,
	"exp":  func(t trend) trend { return t.way.between(0, 2*math.Exp(t.high)) },
	"sinh": func(t trend) trend { return t.sized(2 * math.Exp(max(-t.low, t.high))) },
	"tanh": func(t trend) trend { return t.sized(2) },
	"atan": func(t trend) trend { return t.sized(2) },
}

// logTrend is the trend of logarithms. Logarithms of the numbers in equations are below 1e9.
func logTrend(t trend) trend {
	if !t.positive() {
		return unclear
	}
	return trend{low: t.low - 1, high: t.high - 1, way: t.way}.sized(1e9)
}

// guesses are the functions of guesses.
var guesses = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "ln": math.Log, "log10": math.Log10, "exp": math.Exp, "sinh": math.Sinh, "tanh": math.Tanh, "atan": math.Atan,
}

// unknown is an equation that is compiled.
type unknown struct {
	*compiler
	name      string
	slot      code
	constants []func(*machine)
}

// side compiles a part of an equation.
func (u *unknown) side(x *Expr) side {
	if x.Op == Name && x.Name == u.name {
		return side{u.slot, func(_ *machine, x trend) trend { return x }, func(_ *machine, x float64) float64 { return x }}
	}
	if !mentions(x, u.name) {
		return u.constant(x)
	}
	var parts []side
	var args []code
	for _, arg := range x.Args {
		part := u.side(arg)
		parts, args = append(parts, part), append(args, part.code)
	}
	unless(x.Op != Call || len(args) == 1 && guesses[x.Name] != nil)
	s := side{code: u.operation(x, args)}
	a := parts[0]
	switch x.Op {
	case Neg:
		s.trend = func(m *machine, x trend) trend { return a.trend(m, x).neg() }
		s.guess = func(m *machine, x float64) float64 { return -a.guess(m, x) }
		return s
	case Call:
		increasing, f := trends[x.Name], guesses[x.Name]
		s.trend = func(m *machine, x trend) trend { return increasing(a.trend(m, x)) }
		s.guess = func(m *machine, x float64) float64 { return f(a.guess(m, x)) }
		return s
	}
	b := parts[len(parts)-1]
	two := func(trends func(t, u trend) trend, f func(x, y float64) float64) side {
		s.trend = func(m *machine, x trend) trend { return trends(a.trend(m, x), b.trend(m, x)) }
		s.guess = func(m *machine, x float64) float64 { return f(a.guess(m, x), b.guess(m, x)) }
		return s
	}
	switch x.Op {
	case Add:
		return two(trend.add, func(x, y float64) float64 { return x + y })
	case Sub:
		return two(func(t, u trend) trend { return t.add(u.neg()) }, func(x, y float64) float64 { return x - y })
	case Mul:
		return two(trend.mul, func(x, y float64) float64 { return x * y })
	case Div:
		return two(func(t, u trend) trend { return t.mul(u.reciprocal()) }, func(x, y float64) float64 { return x / y })
	case Pow:
		unless(!mentions(x.Args[1], u.name))
		return two(trend.pow, math.Pow)
	}
	panic(unsupported{})
}

// pow returns the trend of a power of a positive number with a constant exponent.
func (t trend) pow(exponent trend) trend {
	most := 2 * max(math.Pow(t.low, exponent.low), math.Pow(t.high, exponent.high), 1)
	switch {
	case t.low > 0 && exponent.sign() != strange:
		return t.way.times(exponent.sign()).between(0, most)
	case t.low >= 0 && exponent.low > 0:
		return t.way.between(0, most)
	}
	return unclear
}

// constant compiles a part that does not depend on the unknown. It is computed once.
func (u *unknown) constant(x *Expr) side {
	of := u.expr(x)
	unless(of.kind == numberKind)
	if of.fixed {
		t, f := trendOf(of.constant), of.constant.Float()
		return side{of, func(*machine, trend) trend { return t }, func(*machine, float64) float64 { return f }}
	}
	i, slot := u.numberSlot()
	u.constants = append(u.constants, func(m *machine) {
		m.numbers[i] = m.known(of.number(m))
		m.open = m.open || m.numbers[i].IsNone()
	})
	return side{
		slot,
		func(m *machine, _ trend) trend { return trendOf(m.numbers[i]) },
		func(m *machine, _ float64) float64 { return m.numbers[i].Float() },
	}
}

// mentions reports whether a name is in an expression.
func mentions(x *Expr, name string) bool {
	if x.Name == name {
		return true
	}
	for _, arg := range x.Args {
		if mentions(arg, name) {
			return true
		}
	}
	return false
}

// end compiles an end of the interval: bounds for it, also beyond the range of the fast path.
func (c *compiler) end(x *Expr) func(*machine) trend {
	if x.Op == Number && !c.literal(x).fixed {
		u, _ := units.Lookup(x.Unit)
		f, _ := siValue(x).Float64()
		unless(!u.Pi && f != 0)
		t := steady.wide(f, f) // also for 1e700
		return func(*machine) trend { return t }
	}
	of := c.expr(x)
	unless(of.kind == numberKind)
	return func(m *machine) trend {
		v := m.known(of.number(m))
		m.open = m.open || v.IsNone()
		return trendOf(v)
	}
}

// solving is a compiled equation.
type solving struct {
	low, high  func(*machine) trend
	slot       int
	constants  []func(*machine)
	difference fn[doubled.Ball]
	trend      func(*machine, trend) trend
	guess      func(*machine, float64) float64
}

// solve compiles an equation.
func (c *compiler) solve(d *Definition, s *Solve) code {
	unless(d.Kind == Quantity && c.locals == nil)
	q := &solving{low: c.end(s.Low), high: c.end(s.High)}
	u := &unknown{compiler: c, name: d.Name}
	q.slot, u.slot = c.numberSlot()
	c.locals = &binding{name: d.Name, code: u.slot}
	difference := u.side(&Expr{Op: Sub, Args: []*Expr{s.Left, s.Right}})
	c.locals = nil
	q.constants, q.trend, q.guess, q.difference = u.constants, difference.trend, difference.guess, difference.code.number
	return code{kind: numberKind, size: 1, number: q.root}
}

// root returns the root of the equation.
//
// The difference d is monotonic and continuous between the ends. If it has different signs at two points, each root is
// between them. Then d has different signs at the ends too.
func (q *solving) root(m *machine) doubled.Ball {
	for _, constant := range q.constants {
		constant(m)
	}
	low, high := q.low(m), q.high(m)
	if m.open || !(low.high < high.low) {
		return doubled.Unknown
	}
	toward := q.trend(m, trend{low: low.low, high: high.high, way: rising}).way
	if toward != rising && toward != falling {
		return doubled.Unknown
	}
	near, slope := q.near(m, low.high, high.low, float64(toward))
	x := doubled.Of(near)
	for range 2 {
		x = x.Sub(doubled.Of(q.at(m, x).Float() / slope)).Exactly()
	}
	_, _, bound := q.at(m, x).Parts()
	step := 4*bound/math.Abs(slope) + float64(0x1p-100*math.Abs(x.Float()))
	before, after := x.Sub(doubled.Of(step)), x.Add(doubled.Of(step))
	if !(before.Float() > low.high && after.Float() < high.low) {
		return doubled.Unknown
	}
	below, known := q.at(m, before).Sign()
	above, known2 := q.at(m, after).Sign()
	if !known || !known2 || below != -int(toward) || above != int(toward) {
		return doubled.Unknown
	}
	return x.Widen(step)
}

// at returns the difference for a number.
func (q *solving) at(m *machine, x doubled.Ball) doubled.Ball {
	m.numbers[q.slot] = x
	return q.difference(m)
}

// most bounds the numbers that are tried.
const most = 0x1p450

// near returns a number near the root, and the slope of the difference there. Nothing is proved of them.
func (q *solving) near(m *machine, low, high, toward float64) (x, slope float64) {
	low, high = max(low, -most), min(high, most)
	for range 64 { // until both have about one size
		middle := middleOf(low, high)
		if middle == 0.5*(low+high) || !(low < middle && middle < high) {
			break
		}
		if q.guess(m, middle)*toward < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	before, x := low, high
	atBefore, at := q.guess(m, before), q.guess(m, x)
	for range 100 {
		next := x - at*(x-before)/(at-atBefore)
		if !(low < next && next < high) {
			next = 0.5 * (low + high)
		}
		before, atBefore = x, at
		x, at = next, q.guess(m, next)
		if at*toward < 0 {
			low = max(low, x)
		} else {
			high = min(high, x)
		}
		if math.Abs(x-before) <= 0x1p-45*math.Abs(x) {
			break
		}
	}
	h := float64(0x1p-20 * math.Abs(x))
	return x, (q.guess(m, x+h) - q.guess(m, x-h)) / (2 * h)
}

// middleOf returns a number between two others: with half the exponent if their exponents differ much.
func middleOf(low, high float64) float64 {
	const tiny = 0x1p-450
	switch {
	case low < 0 && high > 0:
		return 0
	case high <= 0:
		return -middleOf(-high, -low)
	}
	if from := max(low, tiny); from < high/4 {
		return math.Sqrt(from) * math.Sqrt(high)
	}
	return 0.5 * (low + high)
}
