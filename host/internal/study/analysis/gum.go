package analysis

import (
	"context"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// Budget is the uncertainty of outputs by the law of propagation of uncertainty, JCGM 100:2008 (GUM).
type Budget struct {
	Sensitivity
	Of          []Uncertainty // by output
	Correlation [][]float64   // of the outputs; NaN if an uncertainty is 0
}

// Uncertainty is the uncertainty of one output.
type Uncertainty struct {
	Contributions []float64 // |derivative| times standard uncertainty, by input
	Standard      float64   // combined standard uncertainty (JCGM 100, 5.1.2 and 5.2.2)
	SecondOrder   float64   // with the terms of the next order (note to 5.1.2); NaN if they are not wanted
	Freedom       float64   // effective degrees of freedom (G.4.1), +Inf if all are infinite, NaN with correlations
}

// Input is an uncertain input of a budget.
type Input struct {
	Estimate float64
	Standard float64 // standard uncertainty
	Freedom  float64 // degrees of freedom, +Inf if Standard is exact
}

// Propagate computes the budget at the estimates of the inputs. The correlation of inputs is a symmetric matrix with ones on
// its diagonal, nil if they are independent. Terms of second order assume normal and independent inputs.
func Propagate(ctx context.Context, m Model, inputs []Input, correlation [][]float64, secondOrder bool) (*Budget, error) {
	at, standard := make([]float64, len(inputs)), make([]float64, len(inputs))
	for i, in := range inputs {
		at[i], standard[i] = in.Estimate, in.Standard
	}
	s, err := Slopes(ctx, m, at, standard)
	if err != nil {
		return nil, err
	}
	b := &Budget{Sensitivity: *s, Of: make([]Uncertainty, len(s.Values))}
	for o := range b.Of {
		u := &b.Of[o]
		u.SecondOrder = math.NaN()
		u.Standard = inRange(func(scale float64) float64 {
			return math.Sqrt(math.Max(covariance(s.Slopes[o], s.Slopes[o], standard, correlation, scale), 0))
		})
		for i := range inputs {
			u.Contributions = append(u.Contributions, math.Abs(s.Slopes[o][i].Derivative)*standard[i])
		}
		u.Freedom = freedom(u, inputs, correlation)
	}
	b.Correlation = make([][]float64, len(b.Of))
	for o := range b.Of {
		for p := range b.Of {
			b.Correlation[o] = append(b.Correlation[o], b.correlationOf(o, p, standard, correlation))
		}
	}
	if secondOrder && correlation == nil {
		err = b.addSecondOrder(ctx, m, at, standard)
	}
	return b, err
}

// covariance returns the covariance of two outputs. It multiplies the uncertainties of the inputs by a scale.
func covariance(one, other []Slope, standard []float64, correlation [][]float64, scale float64) float64 {
	sum := 0.0
	for i := range standard {
		for j := range standard {
			r := 0.0
			switch {
			case i == j:
				r = 1
			case correlation != nil:
				r = correlation[i][j]
			}
			if r != 0 {
				sum += product(one[i].Derivative, other[j].Derivative, r, standard[i]*scale, standard[j]*scale)
			}
		}
	}
	return sum
}

// correlationOf returns the coefficient of correlation of two outputs.
func (b *Budget) correlationOf(o, p int, standard []float64, correlation [][]float64) float64 {
	first, second := b.Of[o].Standard, b.Of[p].Standard
	if c := covariance(b.Slopes[o], b.Slopes[p], standard, correlation, 1); usual(c, 1, 1) && usual(first*second, first, second) {
		return c / (first * second)
	}
	part := func(slopes []Slope, of float64) []Slope {
		parts := make([]Slope, len(slopes))
		for i := range slopes {
			parts[i].Derivative = float64(slopes[i].Derivative*standard[i]) / of
		}
		return parts
	}
	ones := slices.Repeat([]float64{1}, len(standard))
	return covariance(part(b.Slopes[o], first), part(b.Slopes[p], second), ones, correlation, 1)
}

// freedom returns the effective degrees of freedom by the formula of Welch and Satterthwaite.
func freedom(u *Uncertainty, inputs []Input, correlation [][]float64) float64 {
	if correlation != nil {
		return math.NaN()
	}
	sum := 0.0
	for i, c := range u.Contributions {
		share := c / u.Standard // prevents overflow of the power
		sum += float64(share*share*share*share) / inputs[i].Freedom
	}
	return 1 / sum
}

// addSecondOrder adds, for each pair of inputs, (f_ij²/2 + f_i f_ijj) u_i² u_j². The derivatives are differences
// over steps of the size of the uncertainties, extrapolated once.
func (b *Budget) addSecondOrder(ctx context.Context, m Model, at, standard []float64) error {
	n := len(at)
	var points [][]float64
	for _, size := range [2]float64{1, 0.5} {
		for i := range n {
			for j := range n {
				for _, by := range stencil {
					p := append([]float64(nil), at...)
					p[i] += float64(by[0] * size * standard[i])
					p[j] += float64(by[1] * size * standard[j])
					points = append(points, p)
				}
			}
		}
	}
	answers, err := ask(ctx, m, points)
	if err != nil {
		return err
	}
	for k, a := range answers {
		if a.Rejected != nil {
			return &RejectedError{k / len(stencil) % (n * n) / n, a.Rejected}
		}
	}
	for o := range b.Of {
		u := &b.Of[o]
		sum := 0.0
		for i := range n {
			for j := range n {
				mixed, third := [2]float64{}, [2]float64{}
				for k, size := range [2]float64{1, 0.5} {
					of := answers[((k*n+i)*n+j)*len(stencil):]
					mixed[k], third[k] = differences(of, o, b.Values[o], i == j, size)
				}
				ij, ijj := (float64(4*mixed[1])-mixed[0])/3, (float64(4*third[1])-third[0])/3 // times the uncertainties
				sum += float64(ij*ij/2) + float64(b.Slopes[o][i].Derivative*standard[i]*ijj)
			}
		}
		u.SecondOrder = math.Sqrt(math.Max(float64(u.Standard*u.Standard)+sum, 0))
	}
	return nil
}

// stencil has the steps of two inputs for derivatives of the second and third order, in units of their uncertainties. If both
// inputs are the same, the steps add up.
var stencil = [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 0}, {-1, 0}}

// differences returns f_ij u_i u_j and f_ijj u_i u_j² from the answers at the stencil.
func differences(of []Answer, output int, middle float64, same bool, size float64) (mixed, third float64) {
	f := func(k int) float64 { return of[k].Values[output] }
	if same { // steps of 2, 0 and 1
		return (f(4) - float64(2*middle) + f(5)) / (size * size), (f(0) - float64(2*f(4)) + float64(2*f(5)) - f(3)) / (2 * size * size * size)
	}
	return (f(0) - f(1) - f(2) + f(3)) / (4 * size * size), (f(0) - float64(2*f(4)) + f(1) - f(2) + float64(2*f(5)) - f(3)) / (2 * size * size * size)
}

// CoverageFactor returns the factor k by which a standard uncertainty is multiplied for an interval with a part p of the values.
// It uses Student's t with the degrees of freedom (JCGM 100, G.3), or the normal distribution if they are infinite. The
// factor is rounded to 13 digits, which are equal on every processor. It is +Inf if the degrees of freedom are 0, or so few
// that the factor overflows binary64.
func CoverageFactor(p, freedom float64) float64 {
	switch {
	case math.IsInf(freedom, 1):
		return rounded(mathext.NormalQuantile((1+p)/2), 13)
	case freedom <= 0:
		return math.Inf(1)
	}
	// The part of the values beyond ±k is I_x(ν/2, 1/2) with x = ν/(ν + k²).
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-p)
	return rounded(math.Sqrt(freedom*(1-x)/x), 13)
}

// rounded returns a number with the given number of significant digits.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64) // FormatFloat always writes a number
	return y
}
