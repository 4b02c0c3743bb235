package doubled

import "math"

// The functions are made of the operations, which prove all bounds but that of what a
// series leaves out. Guesses of package math may be any number: they cost precision, and
// no correctness.

// factorials are 1/1!, 1/2! and so on to 1/13!.
var factorials = func() (c [13]Num) {
	factorial := int64(1)
	for i := range c {
		factorial *= int64(i + 1)
		c[i] = Num{hi: 1}.Div(Int(factorial))
	}
	return c
}()

var (
	one = Num{hi: 1}
	two = Num{hi: 2}
	ln2 = Decimal("0.6931471805599453094172321214581765680755")
)

// The arguments of exponentials: beyond most nobody needs the result, and up to small no
// multiple of ln 2 is taken off.
const (
	most  = 10_000
	small = 0.7
)

// tiny arguments are the values of functions that begin with x, but for x^2, or for x^3 of
// an angle: for less than 2^-107 of the value.
const (
	tiny      = 0x1p-107
	tinyAngle = 0x1p-54
)

// isBelow reports whether the magnitude of a, which is not zero, is less than that.
func (a Num) isBelow(limit float64) bool {
	return a.scale < 0 || a.scale == 0 && math.Abs(a.hi) < limit && a.hi != 0
}

// Exp returns e to the power a.
func (a Num) Exp() Num {
	k, m := a.reduce()
	return m.Add(one).TimesPower(k)
}

// TimesPower returns a times 2^k.
func (a Num) TimesPower(k int) Num {
	const most = 1000
	switch {
	case k == 0:
		return a
	case -most <= k && k <= most:
		return a.Mul(Num{hi: math.Ldexp(1, k)})
	}
	return a.scaled(k)
}

// Expm1 returns e^a - 1 without losing digits where a is small.
func (a Num) Expm1() Num {
	k, m := a.reduce()
	if k == 0 {
		return m
	}
	return m.Add(one).TimesPower(k).Sub(one)
}

// reduce returns k and m with e^a = (1 + m) 2^k. Unless k is 0, m is between 0.9 and 3.1:
// what stays of a is between ln 2 and twice that, and not a difference near zero, of
// which only the bound would be known.
func (a Num) reduce() (k int, m Num) {
	switch size := math.Abs(a.hi); {
	case a.isBelow(tiny):
		return 0, a.Widen(unit)
	case a.scale != 0:
		return 0, Unknown
	case size < small:
		return 0, a.expm1()
	case !(size < most):
		return 0, Unknown
	}
	k = int(math.Floor(a.hi/math.Ln2)) - 1
	return k, a.Sub(Int(int64(k)).Mul(ln2)).expm1()
}

// expm1 returns e^a - 1 for |a| < 1.4. A sixty-fourth of a is x, with |x| < 0.0219. The
// series is x (1/1! + x/2! + x^2/3! ...) to x^12/13!. What is left out is x^13/14! and
// less, together below 1.03 * 0.0219^13/14! < 2^-107 of 1, and the sum is above 0.98.
func (a Num) expm1() Num {
	const halvings = 6
	x := a.Mul(Num{hi: 1.0 / (1 << halvings)})
	sum := factorials[len(factorials)-1]
	for i := len(factorials) - 2; i >= 0; i-- {
		sum = sum.Mul(x).Add(factorials[i])
	}
	m := sum.Mul(x)
	if m.IsZero() {
		return m
	}
	m = m.Widen(unit)
	for range halvings { // e^2y - 1 = (e^y - 1)(e^y + 1)
		m = m.Mul(m.Add(two))
	}
	return m
}

// Log returns the natural logarithm of a, which is unknown unless a is positive.
func (a Num) Log() Num {
	if !(a.hi > 0) {
		return Unknown
	}
	f := a.wide()
	e := f.scale
	f.scale = 0
	if f.hi > math.Sqrt2 {
		f, e = f.Mul(Num{hi: 0.5}), e+1
	}
	log := f.Sub(one).log1p()
	if e == 0 {
		return log
	}
	return log.Add(Int(int64(e)).Mul(ln2))
}

// Log1p returns the natural logarithm of 1 + a without losing digits where a is small. It
// is unknown unless a is above -1.
func (a Num) Log1p() Num {
	switch {
	case a.isBelow(tiny):
		return a.Widen(unit)
	case a.scale == 0 && math.Abs(a.hi) < 0.25:
		return a.log1p()
	}
	return a.Add(one).Log()
}

// log1p returns ln(1 + a) for a between -0.3 and 0.42, from a guess y: with
// t = (1 + a) e^-y - 1 it is y + ln(1 + t), and ln(1 + t) = t - t^2/2 but for less than
// |t|^3/2 < 2^-115 |y|.
//
// The guess of package math is made worse by 2^-40 of itself: t would otherwise be so
// near zero that only its bound were known.
func (a Num) log1p() Num {
	if a.IsZero() {
		return Num{}
	}
	guess := math.Log1p(a.hi) // a guess
	guess += float64(guess * 0x1p-40)
	y := Num{hi: guess}
	m := y.Neg().expm1()
	t := a.Add(m).Add(a.Mul(m))
	if !(math.Abs(t.hi) <= 0x1p-38*math.Abs(guess) && math.Abs(guess) < 1) {
		return Unknown
	}
	log := t.Sub(t.Mul(t).Mul(Num{hi: 0.5}))
	return y.Add(log).Widen(unit)
}

// odd are 1, -1/3, 1/5 and so on to -1/23.
var odd = func() (c [12]Num) {
	for i := range c {
		c[i] = Num{hi: 1}.Div(Int(int64(2*i + 1)))
		if i&1 == 1 {
			c[i] = c[i].Neg()
		}
	}
	return c
}()

// Atan returns the angle whose tangent is a, for a between 0 and 1: for others it is
// unknown. A sixteenth of the angle has a tangent x of at most tan(pi/64) < 0.0492. The
// series is x (1 - x^2/3 + x^4/5 ...) to x^22/23. What is left out is less than
// x^24/25 < 2^-108 of 1, and the sum is above 0.99.
func (a Num) Atan() Num {
	if a.IsZero() {
		return a
	}
	const halvings = 4
	switch {
	case a.isBelow(tinyAngle):
		return a.Widen(unit)
	case a.scale != 0 || !(a.hi > 0 && a.hi <= 1):
		return Unknown
	}
	for range halvings {
		a = a.Div(a.Mul(a).Add(one).Sqrt().Add(one))
	}
	square := a.Mul(a)
	sum := odd[len(odd)-1]
	for i := len(odd) - 2; i >= 0; i-- {
		sum = sum.Mul(square).Add(odd[i])
	}
	return sum.Mul(a).Widen(unit).Mul(Num{hi: 1 << halvings})
}
