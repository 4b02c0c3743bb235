package adaptive

// Fast returns what a fast evaluation knows of the formula.
func Fast(f func(x *X) Num) (hi, lo, rel float64, scale int) { return f(fast).fast.Parts() }

// FastSqrt returns what it knows of the root.
func FastSqrt(f func(x *X) Num) (hi, lo, rel float64, scale int) { return f(fast).fast.Sqrt().Parts() }
