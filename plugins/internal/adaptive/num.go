package adaptive

import "github.com/slipstick/slipstick/plugins/internal/doubled"

// Num is a number of one evaluation. It is immutable; the zero value is 0.
type Num struct {
	fast  doubled.Num // the value of a fast evaluation
	exact *fraction   // that of an exact evaluation, in place of it
}

// Add returns a + b.
func (a Num) Add(b Num) Num {
	if a.exact != nil || b.exact != nil {
		return addExactly(a, b)
	}
	return Num{fast: a.fast.Add(b.fast)}
}

// Sub returns a - b.
func (a Num) Sub(b Num) Num {
	if a.exact != nil || b.exact != nil {
		return subExactly(a, b)
	}
	return Num{fast: a.fast.Sub(b.fast)}
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
	return Num{fast: a.fast.Mul(b.fast)}
}

// Div returns a/b. It panics if b is zero.
func (a Num) Div(b Num) Num {
	if a.exact != nil || b.exact != nil {
		return divExactly(a, b)
	}
	return Num{fast: a.fast.Div(b.fast)}
}

// Neg returns -a.
func (a Num) Neg() Num {
	if a.exact != nil {
		return negExactly(a)
	}
	return Num{fast: a.fast.Neg()}
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num {
	if a.exact != nil {
		return absExactly(a)
	}
	return Num{fast: a.fast.Abs()}
}

// Pow returns a to the power k, which must not be negative.
func (a Num) Pow(k int) Num {
	if k < 0 {
		panic("adaptive: a negative power divides: use Div")
	}
	if k == 0 {
		return Num{fast: doubled.Of(1)}
	}
	for k&1 == 0 {
		a = a.Times(a)
		k >>= 1
	}
	result := a
	for k >>= 1; k > 0; k >>= 1 {
		if a = a.Times(a); k&1 == 1 {
			result = result.Times(a)
		}
	}
	return result
}
