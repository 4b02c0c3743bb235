package formula

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// function is a function of one number, with the function of package math.
type function struct {
	of        func(*arithmetic, number) number
	math      func(float64) float64
	low, high float64 // of arguments
}

var functionsOfOne = map[string]function{
	"sqrt": {(*arithmetic).sqrt, math.Sqrt, 0, 5}, "exp": {(*arithmetic).exp, math.Exp, -700, 700},
	"ln": {(*arithmetic).ln, math.Log, 0, 1e9}, "log10": {(*arithmetic).log10, math.Log10, 0, 10},
	"sin": {(*arithmetic).sin, math.Sin, -10, 10}, "cos": {(*arithmetic).cos, math.Cos, -10, 10}, "tan": {(*arithmetic).tan, math.Tan, -1.5, 1.5},
	"asin": {(*arithmetic).asin, math.Asin, -1, 1}, "acos": {(*arithmetic).acos, math.Acos, -1, 1}, "atan": {(*arithmetic).atan, math.Atan, -50, 50},
	"sinh": {(*arithmetic).sinh, math.Sinh, -50, 50}, "cosh": {(*arithmetic).cosh, math.Cosh, -50, 50}, "tanh": {(*arithmetic).tanh, math.Tanh, -5, 5},
}

func with(prec uint) *arithmetic { return &arithmetic{prec: prec, work: &work{left: 1 << 40}} }

func rational(t testing.TB, s string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(strings.ReplaceAll(s, " ", ""))
	if !ok {
		t.Fatalf("%s is no number", s)
	}
	return x
}

// contains reports whether the bounds of outer contain the bounds of inner.
func contains(outer, inner number) bool {
	ol, oh := outer.bounds(64)
	il, ih := inner.bounds(2000)
	return ol.Cmp(il) <= 0 && ih.Cmp(oh) <= 0
}

// decide runs f, and reports whether it returned a number. Faults and undecided results are
// not numbers.
func decide(f func() number) (x number, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil, fault, undecided:
		default:
			panic(r)
		}
	}()
	x = f()
	return x, true
}

// uncertainty returns the distance of the bounds of x as a fraction: -100 for 100 bits.
func uncertainty(x number) int {
	low, high := x.bounds(64)
	width := plus(up(64), high, new(big.Float).Neg(low))
	if width.Sign() == 0 {
		return math.MinInt
	}
	return width.MantExp(nil) - min(low.MantExp(nil), high.MantExp(nil))
}

// The bounds with few bits contain the bounds with many bits. Bounds with many bits are
// narrow, and all contain the value of package math.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range functionsOfOne {
		for range 150 {
			x := f.low + (f.high-f.low)*r.Float64()
			if r.IntN(3) == 0 {
				x *= math.Ldexp(1, -r.IntN(60))
			}
			in := exactly(new(big.Rat).SetFloat64(x))
			rough, fine := f.of(with(128), in), f.of(with(900), in)
			if !contains(rough, fine) {
				t.Fatalf("%s(%v): %v does not contain %v", name, x, rough, fine)
			}
			if want := f.math(x); math.Abs(fine.nearest()-want) > 1e-14*math.Max(math.Abs(want), math.Min(1, math.Abs(x))) {
				t.Fatalf("%s(%v) = %v, want %v", name, x, fine.nearest(), want)
			}
			if n := uncertainty(fine); n > -750 {
				t.Fatalf("%s(%v): the bounds agree in only %d of 900 bits", name, x, -n)
			}
		}
	}
}

// A function of an interval contains the function of each number in it.
func TestFunctionsOfIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, f := range functionsOfOne {
		for range 150 {
			x := f.low + (f.high-f.low)*r.Float64()
			width := math.Ldexp(1, -r.IntN(40))
			low, high := big.NewFloat(x), big.NewFloat(math.Min(x+width, f.high))
			whole, ok := decide(func() number { return f.of(with(128), number{low: low, high: high}) })
			if !ok {
				continue // such as around 0 for ln
			}
			for range 5 {
				part := new(big.Float).Sub(high, low)
				in, _ := part.Mul(part, big.NewFloat(r.Float64())).Add(part, low).Rat(nil)
				if one := f.of(with(900), exactly(in)); !contains(whole, one) {
					t.Fatalf("%s(%v..%v): %v does not contain %s(%v) = %v", name, low, high, whole, name, in, one)
				}
			}
		}
	}
}

// Functions of very large and very small numbers have bounds too, without shifts by their
// exponents.
func TestFunctionsOfExtremes(t *testing.T) {
	for name, f := range functionsOfOne {
		for _, exponent := range []int{-maxExponent, -1 << 28, -5000, -1075, -200, -129, -128, 200, 1074, 2000, 1 << 28, maxExponent - 1} {
			for _, sign := range []float64{1, -1} {
				in := point(new(big.Float).SetMantExp(big.NewFloat(0.75*sign), exponent))
				rough, ok := decide(func() number { return f.of(with(128), in) })
				fine, fineOK := decide(func() number { return f.of(with(512), in) })
				if ok && (!fineOK || !contains(rough, fine)) {
					t.Errorf("%s(%v * 2^%d): %v does not contain %v", name, 0.75*sign, exponent, rough, fine)
				}
			}
		}
	}
}

// pi, ln 2, e and the square root of 2 to 50 digits: OEIS A000796, A002162, A001113, A002193.
// The others are from the same tables: A019669 (pi/2), A010503 (sin pi/4), A002392 (ln 10),
// A073742 (sinh 1). Further ones are A073743 (cosh 1), A073744 (tanh 1), A049469 (sin 1),
// A049470 (cos 1).
func TestKnownConstants(t *testing.T) {
	one := integer(1)
	tests := []struct {
		name string
		of   func(a *arithmetic) number
		want string
	}{
		{"pi", func(a *arithmetic) number { return pi.bounds(a) }, "3.14159265358979323846264338327950288419716939937510"},
		{"ln 2", func(a *arithmetic) number { return ln2.bounds(a) }, "0.69314718055994530941723212145817656807550013436025"},
		{"ln(2)", func(a *arithmetic) number { return a.ln(integer(2)) }, "0.69314718055994530941723212145817656807550013436025"},
		{"ln(10)", func(a *arithmetic) number { return a.ln(integer(10)) }, "2.30258509299404568401799145468436420760110148862877"},
		{"exp(1)", func(a *arithmetic) number { return a.exp(one) }, "2.71828182845904523536028747135266249775724709369995"},
		{"sqrt(2)", func(a *arithmetic) number { return a.sqrt(integer(2)) }, "1.41421356237309504880168872420969807856967187537694"},
		{"asin(1)", func(a *arithmetic) number { return a.asin(one) }, "1.57079632679489661923132169163975144209858469968755"},
		{"4 atan(1)", func(a *arithmetic) number { return a.mul(integer(4), a.atan(one)) }, "3.14159265358979323846264338327950288419716939937510"},
		{"sin(1)", func(a *arithmetic) number { return a.sin(one) }, "0.84147098480789650665250232163029899962256306079837"},
		{"cos(1)", func(a *arithmetic) number { return a.cos(one) }, "0.54030230586813971740093660744297660373231042061792"},
		{"sinh(1)", func(a *arithmetic) number { return a.sinh(one) }, "1.17520119364380145688238185059560081515571798133409"},
		{"cosh(1)", func(a *arithmetic) number { return a.cosh(one) }, "1.54308063481524377847790562075706168260152911236586"},
		{"tanh(1)", func(a *arithmetic) number { return a.tanh(one) }, "0.76159415595576488811945828260479359041276859725793"},
	}
	for _, test := range tests {
		want := rational(t, test.want)
		error := rational(t, "1e-49")
		low, high := test.of(with(256)).bounds(256)
		l, _ := low.Rat(nil)
		h, _ := high.Rat(nil)
		if l.Cmp(new(big.Rat).Sub(want, error)) < 0 || h.Cmp(new(big.Rat).Add(want, error)) > 0 {
			t.Errorf("%s is between %s and %s, want %s", test.name, l.FloatString(52), h.FloatString(52), test.want)
		}
	}
}

// With the highest precision the constants equal the results of other formulas: pi by Gauss
// and Legendre, ln 2 by exp.
func TestConstantsWithAllBits(t *testing.T) {
	a := with(20_400)
	x, b, s, p := float(a.prec).SetInt64(1), float(a.prec).Sqrt(big.NewFloat(0.5).SetPrec(a.prec)), big.NewFloat(0.25).SetPrec(a.prec), float(a.prec).SetInt64(1)
	for range 16 {
		y := float(a.prec).Set(x)
		x.Add(x, b).Quo(x, big.NewFloat(2))
		b.Sqrt(b.Mul(b, y))
		y.Sub(y, x)
		s.Sub(s, y.Mul(y, y).Mul(y, p))
		p.Add(p, p)
	}
	x.Add(x, b)
	x.Mul(x, x).Quo(x, s.Mul(s, big.NewFloat(4)))
	if low, high := a.around(x, 40); !contains(number{low: low, high: high}, pi.bounds(a)) {
		t.Error("pi is another number")
	}
	if two := with(16_384).exp(ln2.bounds(with(16_384))); !contains(two, integer(2)) || uncertainty(two) > -16_300 {
		t.Errorf("e^(ln 2) is not 2, or only to %d bits", -uncertainty(two))
	}
}

// The result of an operation on intervals contains the results for all numbers in them.
func TestOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	operations := map[string]func(a *arithmetic, x, y number) number{
		"+": (*arithmetic).add, "-": (*arithmetic).sub, "*": (*arithmetic).mul, "/": (*arithmetic).div, "^": (*arithmetic).power,
		"atan2": (*arithmetic).atan2,
		"min":   func(a *arithmetic, x, y number) number { return a.least(x, y, 1) },
		"max":   func(a *arithmetic, x, y number) number { return a.least(x, y, -1) },
		"abs":   func(a *arithmetic, x, y number) number { return a.abs(x) },
		"^3":    func(a *arithmetic, x, y number) number { return a.power(x, integer(3)) },
		"^-4":   func(a *arithmetic, x, y number) number { return a.power(x, integer(-4)) },
		"^1.5":  func(a *arithmetic, x, y number) number { return a.power(x, exactly(big.NewRat(3, 2))) },
	}
	interval := func() (whole number, within func() number) {
		low := (r.Float64() - 0.4) * math.Ldexp(1, r.IntN(10)-5)
		width := math.Ldexp(float64(r.IntN(2)), -r.IntN(30))
		return number{low: big.NewFloat(low), high: big.NewFloat(low + width)},
			func() number { return exactly(new(big.Rat).SetFloat64(math.Min(low+width*r.Float64(), low+width))) }
	}
	decided := map[string]int{}
	for name, of := range operations {
		for range 600 {
			x, inX := interval()
			y, inY := interval()
			whole, ok := decide(func() number { return of(with(128), x, y) })
			if !ok {
				continue
			}
			decided[name]++
			for range 4 {
				u, v := inX(), inY()
				one, ok := decide(func() number { return of(with(600), u, v) })
				if !ok || !contains(whole, one) {
					t.Fatalf("%v %s %v: %v does not contain that of %v and %v, %v", x, name, y, whole, u.exact, v.exact, one)
				}
			}
		}
		if decided[name] < 100 {
			t.Errorf("%s gave bounds %d times of 600", name, decided[name])
		}
	}
}

// plus returns math/big's sum, rounded in the same way, if math/big can compute it.
func TestPlus(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		x := big.NewFloat((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(300)))
		y := big.NewFloat((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(300)))
		if r.IntN(4) == 0 {
			x = big.NewFloat(math.Ldexp(1, r.IntN(300)))
		}
		for _, mode := range []big.RoundingMode{big.ToNegativeInf, big.ToPositiveInf, big.ToNearestEven} {
			prec := uint(20 + r.IntN(200))
			want := float(prec).SetMode(mode).Add(x, y)
			if got := plus(float(prec).SetMode(mode), x, y); got.Cmp(want) != 0 {
				t.Fatalf("%v + %v rounded %v to %d bits: %v, want %v", x, y, mode, prec, got, want)
			}
		}
	}
	huge, tiny := new(big.Float).SetMantExp(big.NewFloat(1), maxExponent), new(big.Float).SetMantExp(big.NewFloat(-1), -maxExponent)
	if got := plus(down(64), huge, tiny); got.Cmp(huge) >= 0 {
		t.Error("a small number is lost downwards")
	}
	if got := plus(up(64), tiny, huge); got.Cmp(huge) != 0 {
		t.Error("a small negative number makes a sum larger")
	}
}

// An even power of a number around 0 is not negative.
func TestEvenPowers(t *testing.T) {
	for _, n := range []int64{2, 6} {
		low, high := with(128).power(number{low: big.NewFloat(-1), high: big.NewFloat(2)}, integer(n)).bounds(128)
		if low.Sign() != 0 || high.Cmp(big.NewFloat(math.Pow(2, float64(n)))) != 0 {
			t.Errorf("(-1..2)^%d is between %v and %v", n, low, high)
		}
	}
}

// Bounds stay within the exponents of math/big. A number that is too small is near 0 and not
// 0. A number that is too large is undecided, and not a fault.
func TestRange(t *testing.T) {
	a := with(128)
	small := a.power(point(big.NewFloat(0.5)), integer(1<<29))
	for range 5 {
		small = a.mul(small, small)
		if sign, decided := small.sign(); decided {
			t.Fatalf("the sign of a number between 0 and 2^-2^29 is %d", sign)
		}
	}
	if low, high := a.neg(small).bounds(128); low.Sign() >= 0 || high.Sign() != 0 {
		t.Errorf("the bounds of its negative are %v and %v", low, high)
	}
	defer func() {
		if u, ok := recover().(undecided); !ok || !u.final {
			t.Error("a number beyond 2^2^29 is not undecided for good")
		}
	}()
	a.power(integer(3), integer(1<<30))
}

// Multiples of powers of pi cancel and compare exactly.
func TestMultiplesOfPi(t *testing.T) {
	a := with(128)
	half, third := exactly(big.NewRat(1, 2)), exactly(big.NewRat(1, 3))
	halfPi, thirdPi := a.mul(half, a.pi()), a.div(a.pi(), integer(3))
	for name, c := range map[string]struct {
		got  number
		want string // exact number, or factor of the power of pi
		pi   int
	}{
		"quotient":     {a.div(halfPi, thirdPi), "3/2", 0},
		"product":      {a.mul(halfPi, thirdPi), "1/6", 2},
		"square":       {a.power(thirdPi, integer(2)), "1/9", 2},
		"cube":         {a.power(thirdPi, integer(3)), "1/27", 3},
		"inverse":      {a.power(thirdPi, integer(-1)), "3", -1},
		"sum":          {a.add(halfPi, thirdPi), "5/6", 1},
		"difference":   {a.sub(halfPi, halfPi), "0", 0},
		"negative":     {a.div(a.neg(halfPi), a.pi()), "-1/2", 0},
		"size":         {a.abs(a.neg(halfPi)), "1/2", 1},
		"times 0":      {a.mul(halfPi, integer(0)), "0", 0},
		"and a number": {a.div(a.mul(third, halfPi), halfPi), "1/3", 0},
	} {
		factor, power := c.got.multiple()
		if factor == nil || power != c.pi || factor.Cmp(rational(t, c.want)) != 0 {
			t.Errorf("%s: %v*pi^%d, want %s*pi^%d", name, factor, power, c.want, c.pi)
		}
		if power != 0 {
			same := a.mul(exactly(factor), a.integerPower(pi.bounds(with(2000)), int64(power)))
			if !contains(c.got, same) && !contains(same, c.got) {
				t.Errorf("%s: the bounds are not those of %v*pi^%d", name, factor, power)
			}
		}
	}
	sign, decided := compare(a.mul(third, halfPi), a.mul(half, thirdPi), 128)
	if sign != 0 || !decided {
		t.Errorf("two equal multiples of pi compare as %d, decided %t", sign, decided)
	}
	for name, x := range map[string]number{"sum": a.add(halfPi, half), "root of 2": a.mul(a.sqrt(integer(2)), a.pi())} {
		factor, _ := x.multiple()
		if factor != nil {
			t.Errorf("%s: is no multiple of a power of pi, got the factor %v", name, factor)
		}
	}
}
