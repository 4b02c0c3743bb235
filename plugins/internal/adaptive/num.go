package adaptive

// Num is a number of one evaluation. It is immutable; the zero value is 0.
type Num struct {
	// The value of a fast evaluation: hi + lo, where hi is hi + lo rounded, with an
	// error of at most rel*|hi|. A rel of 0 says that it has none.
	hi, lo, rel float64

	exact *fraction // the value of an exact evaluation, in place of all that
}

// Sub returns a - b.
func (a Num) Sub(b Num) Num { return a.Add(b.Neg()) }

// Mul returns the product of a and all bs.
func (a Num) Mul(bs ...Num) Num {
	for _, b := range bs {
		a = a.times(b)
	}
	return a
}

// Neg returns -a.
func (a Num) Neg() Num {
	if a.exact != nil {
		return negExactly(a)
	}
	return Num{hi: -a.hi, lo: -a.lo, rel: a.rel}
}

// Abs returns the magnitude of a.
func (a Num) Abs() Num {
	if a.exact != nil {
		return absExactly(a)
	}
	if a.hi < 0 { // so is the value: its error is far smaller than hi
		return a.Neg()
	}
	return a
}

// Pow returns a to the power k, which must not be negative.
func (a Num) Pow(k int) Num {
	if k < 0 {
		panic("adaptive: a negative power divides: use Div")
	}
	if k == 0 {
		return Num{hi: 1}
	}
	for k&1 == 0 {
		a = a.times(a)
		k >>= 1
	}
	result := a
	for k >>= 1; k > 0; k >>= 1 {
		if a = a.times(a); k&1 == 1 {
			result = result.times(a)
		}
	}
	return result
}
