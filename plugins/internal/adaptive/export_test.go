package adaptive

// Fast returns what a fast evaluation knows of the formula: its value is within bound of hi + lo, all times 2^scale.
func Fast(f func(x *X) Num) (hi, lo, bound float64, scale int) {
	a := f(fast)
	hi, lo, bound = a.fast.Parts()
	return hi, lo, bound, a.scale
}
