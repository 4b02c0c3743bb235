package elementary

import (
	"math"
	"math/big"
)

// ln2 has as many digits more as [reduce] cancels.
var ln2, _ = new(big.Float).SetPrec(precision + 64).SetString(
	"0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875")

// Operands that are made once.
var floatOne, floatTwo = big.NewFloat(1), big.NewFloat(2)

// most bounds the arguments of exponentials: e to it is far beyond any product of
// binary64 numbers that a formula has, and no more bits apart from 1 than are quickly
// lined up.
const most = 1 << 14

// halvings is how often series halves its argument; after them |x| < 2^-9.5, and
// coefficients many terms of the series are enough.
const halvings = 8

// coefficients are 1/1!, 1/2! and so on.
var coefficients = func() (c [16]*big.Float) {
	factorial := blank().SetInt64(1)
	for i := range c {
		factorial.Mul(factorial, new(big.Float).SetInt64(int64(i+1)))
		c[i] = blank().Quo(floatOne, factorial)
	}
	return c
}()

// expOf returns e to the power a.
func expOf(a *big.Float) *big.Float {
	k, m := reduce(a)
	m.Add(m, floatOne)
	return m.SetMantExp(m, k)
}

// expm1Of returns e^a - 1.
func expm1Of(a *big.Float) *big.Float {
	k, m := reduce(a)
	if k == 0 {
		return m
	}
	m.Add(m, floatOne)
	m.SetMantExp(m, k)
	return m.Sub(m, floatOne)
}

// reduce returns k and m with e^a = (1 + m) 2^k and |m| below one half.
func reduce(a *big.Float) (k int, m *big.Float) {
	x, _ := a.Float64()
	switch {
	case x > most:
		a = blank().SetInt64(most)
	case x < -most:
		a = blank().SetInt64(-most)
	}
	x, _ = a.Float64()
	k = int(math.RoundToEven(x / math.Ln2))
	rest := blank().Set(a)
	if k != 0 {
		multiple := new(big.Float).SetPrec(ln2.Prec()).SetInt64(int64(k))
		rest.Sub(a, multiple.Mul(multiple, ln2))
	}
	return k, series(rest)
}

// series overwrites x, of at most half of ln 2, with e^x - 1.
func series(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	x.SetMantExp(x, -halvings)
	sum, product := blank().Set(coefficients[len(coefficients)-1]), blank() // in turn, so that no step has to make room
	for i := len(coefficients) - 2; i >= 0; i-- {
		product.Mul(sum, x)
		sum.Add(product, coefficients[i])
	}
	product.Mul(sum, x)
	for range halvings { // e^2y - 1 = (e^y - 1)(e^y + 1)
		x.Add(product, floatTwo)
		sum.Mul(product, x)
		sum, product = product, sum
	}
	return product
}

// logOf returns the natural logarithm of a, which is positive.
func logOf(a *big.Float) *big.Float {
	f := blank()
	e := a.MantExp(f) // in [1/2, 1)
	if f.Cmp(sqrtHalf) < 0 {
		f.SetMantExp(f, 1)
		e--
	}
	log := log1pOf(f.Sub(f, floatOne))
	if e != 0 {
		multiple := new(big.Float).SetPrec(ln2.Prec()).SetInt64(int64(e))
		log.Add(log, multiple.Mul(multiple, ln2))
	}
	return log
}

var sqrtHalf = big.NewFloat(math.Sqrt2 / 2)

// log1pOf returns ln(1 + x) for x near zero from the guess y that package math has:
// with t = (1 + x) e^-y - 1 it is y + ln(1 + t). How good the guess is does not
// matter: t is below 2^-50, and its fourth power below the last digit.
func log1pOf(x *big.Float) *big.Float {
	guess, _ := x.Float64()
	guess = math.Log1p(guess) // a guess
	m := series(blank().SetFloat64(-guess))
	t := blank().Mul(x, m)
	t.Add(t, m.Add(m, x)) // x + m cancels what is not t, exactly but for the errors of m
	sum := blank().Mul(t, third)
	sum.Sub(half, sum) // ln(1 + t) = t - t^2 (1/2 - t/3)
	sum.Mul(sum, m.Mul(t, t))
	sum.Sub(t, sum)
	return sum.Add(sum, m.SetFloat64(guess))
}

var half, third = big.NewFloat(0.5), blank().Quo(floatOne, big.NewFloat(3))
