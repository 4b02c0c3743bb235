package elementary

import "math/big"

// Atan2 returns the angle in (-pi, pi] from the x axis to the point (x, y), and zero
// for the origin.
func Atan2(y, x Num) Num {
	across, along := y.Abs(), x.Abs()
	var angle Num
	switch {
	case y.Sign() == 0 && x.Sign() == 0:
		return Int(0)
	case across.Cmp(along) <= 0:
		angle = across.Div(along).atan()
	default:
		angle = Pi.Div(Int(2)).Sub(along.Div(across).atan())
	}
	if x.Sign() < 0 {
		angle = Pi.Sub(angle)
	}
	if y.Sign() < 0 {
		return angle.Neg()
	}
	return angle
}

// atan returns the angle whose tangent is a, in [0, 1].
func (a Num) atan() Num { return made(atan, a.fast.Atan(), a, Num{}) }

// atanOf returns the angle whose tangent is a, in [0, 1]. Halved a few times it has a
// short series.
func atanOf(a *big.Float) *big.Float {
	const halvings = 4
	for range halvings {
		hypotenuse := blank().Mul(a, a)
		hypotenuse.Add(floatOne, hypotenuse)
		hypotenuse.Sqrt(blank().Set(hypotenuse))
		a = blank().Quo(a, hypotenuse.Add(hypotenuse, floatOne))
	}
	square := blank().Mul(a, a)
	square.Neg(square)
	sum, power, next, term := blank().Set(a), blank().Set(a), blank(), blank()
	for n := 3; !negligible(power, sum); n += 2 {
		next.Mul(power, square)
		power, next = next, power
		sum.Add(sum, term.Quo(power, new(big.Float).SetInt64(int64(n))))
	}
	return sum.SetMantExp(sum, halvings)
}

// negligible reports whether a term no longer changes the sum that it was added to.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-precision
}
