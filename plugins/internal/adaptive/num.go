package adaptive

import "github.com/slipstick/slipstick/sdk/doubled"

// Num is a number of one evaluation. It is immutable; the zero value is 0.
type Num struct {
	fast  doubled.Ball // the value of a fast evaluation is fast 2^scale
	scale int
	exact *fraction // the value of an exact evaluation, in place of both
}

// Add returns a + b.
func (a Num) Add(b Num) Num {
	switch {
	case a.exact != nil || b.exact != nil:
		return addExactly(a, b)
	case a.scale != b.scale:
		return addScaled(a, b)
	}
	return scaled(a.fast.Add(b.fast), a.scale)
}

// Sub returns a - b.
func (a Num) Sub(b Num) Num {
	switch {
	case a.exact != nil || b.exact != nil:
		return subExactly(a, b)
	case a.scale != b.scale:
		return addScaled(a, b.Neg())
	}
	return scaled(a.fast.Sub(b.fast), a.scale)
}

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	for _, b := range bs {
		a = a.Times(b)
	}
	return a
}

// Times returns a b. It costs less than Mul, which collects its factors in memory.
func (a Num) Times(b Num) Num {
	if a.exact != nil || b.exact != nil {
		return mulExactly(a, b)
	}
	return scaled(a.fast.Mul(b.fast), a.scale+b.scale)
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if a.exact != nil || b.exact != nil {
		return divExactly(a, b)
	}
	return scaled(a.fast.Div(b.fast), a.scale-b.scale)
}

// Neg returns -a.
func (a Num) Neg() Num {
	if a.exact != nil {
		return negExactly(a)
	}
	return Num{fast: a.fast.Neg(), scale: a.scale}
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num {
	if a.exact != nil {
		return absExactly(a)
	}
	return Num{fast: a.fast.Abs(), scale: a.scale}
}
