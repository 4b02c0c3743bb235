package analysis

import (
	"math"
	"math/rand/v2"
)

// source draws numbers. Equal seeds give equal bits on every processor, because it only uses arithmetic, square roots and its
// own logarithm.
type source struct{ bits *rand.ChaCha8 }

// newSource returns a source. It spreads the seed over the key of the generator.
func newSource(seed uint64) *source {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return &source{rand.NewChaCha8(key)}
}

// uniform returns a number from 0 up to, but not including, 1.
func (s *source) uniform() float64 { return float64(float64(s.bits.Uint64()>>11) * 0x1p-53) }

// positive returns a number above 0, up to 1.
func (s *source) positive() float64 { return 1 - s.uniform() }

// even returns a number from -1 up to, but not including, 1.
func (s *source) even() float64 { return float64(2*s.uniform()) - 1 }

// disc returns a point within the unit circle, and the square of its distance to the centre, which is not 0.
func (s *source) disc() (x, y, square float64) {
	for {
		x, y = s.even(), s.even()
		square = float64(x*x) + float64(y*y)
		if square > 0 && square < 1 {
			return x, y, square
		}
	}
}

// normal returns a number of the standard normal distribution. It drops the second number of each pair, so that a draw keeps
// no state.
//
// Method: Marsaglia and Bray, A convenient method for generating normal variables, SIAM Review 6 (1964) 260 (polar method).
func (s *source) normal() float64 {
	x, _, square := s.disc()
	return x * math.Sqrt(-2*logarithm(square)/square)
}

func (s *source) exponential() float64 { return -logarithm(s.positive()) }

// gamma returns a number of the gamma distribution with scale 1 and a shape of at least 1.
//
// Method: Marsaglia and Tsang, A simple method for generating gamma variables, ACM Transactions on Mathematical Software
// 26 (2000) 363.
func (s *source) gamma(shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if logarithm(s.positive()) < float64(x*x/2)+d-float64(d*v)+float64(d*logarithm(v)) {
			return d * v
		}
	}
}

// student returns a number of Student's t distribution.
func (s *source) student(freedom float64) float64 {
	return s.normal() * math.Sqrt(freedom/(2*s.gamma(freedom/2)))
}

// sine returns the sine of an evenly distributed angle.
func (s *source) sine() float64 {
	x, _, square := s.disc()
	return x / math.Sqrt(square)
}

// inverses are 1/3, 1/5 and so on, for the series in logarithm.
var inverses = func() (list [12]float64) {
	for i := range list {
		list[i] = 1 / float64(2*i+3)
	}
	return list
}()

// logarithm returns the natural logarithm of a positive number to about 1e-15. It replaces math.Log, because the last digit of
// math.Log depends on the processor. With x = m 2^e and m near 1, ln m is twice the series of the inverse hyperbolic
// tangent of (m - 1)/(m + 1).
func logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	t := (m - 1) / (m + 1)
	square, sum := float64(t*t), 0.0
	for i := len(inverses) - 1; i >= 0; i-- {
		sum = float64((sum + inverses[i]) * square)
	}
	return float64(float64(e)*math.Ln2) + float64(2*t*(1+sum))
}
