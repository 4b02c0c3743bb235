package adaptive

// Fast returns what a fast evaluation knows of the formula.
func Fast(f func(x *X) Num) (hi, lo, rel float64) {
	v := f(fast)
	return v.hi, v.lo, v.rel
}

// FastSqrt returns what it knows of the root.
func FastSqrt(f func(x *X) Num) (hi, lo, rel float64) {
	v := f(fast).sqrt()
	return v.hi, v.lo, v.rel
}
