package analysis

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

// MonteCarlo propagates distributions, as JCGM 101:2008 does.
type MonteCarlo struct {
	Inputs      []Distribution
	Correlation [][]float64 // of normal inputs, symmetric with ones on the diagonal; nil if they are independent
	Draws       int         // how many; 0 draws until the digits are stable
	Digits      int         // significant digits of the standard uncertainty that are to be stable, 1 or 2
	Most        int         // draws at most
	Probability *big.Rat    // of the intervals, such as 95/100
	Seed        uint64
	Histogram   int // bins, 0 for none
}

// Spread of an output.
type Distributed struct {
	Draws      int // that were accepted
	Mean       float64
	Standard   float64
	Symmetric  Interval // probabilistically symmetric coverage interval
	Shortest   Interval
	Tolerance  float64 // numerical tolerance that the digits demand
	Reached    [4]float64
	Stable     bool // the digits are stable
	Low, Width float64
	Counts     []int // of the histogram, from Low on in bins of Width
}

// Drawn is the result of a Monte Carlo analysis.
type Drawn struct {
	Outputs   []Distributed
	Rejected  map[string]int // draws that the model has rejected, by code
	Rejection *sdk.Error     // the first of them
	Asked     int
}

// ErrAllRejected says that the model has rejected every draw, or all but one.
var ErrAllRejected = errors.New("fewer than two draws were accepted")

// Run draws. The same seed gives the same draws and figures on every processor. Memory is 16 bytes for
// each draw and output, and what a block needs.
func (s *MonteCarlo) Run(ctx context.Context, m Model) (*Drawn, error) {
	factor, err := s.factor()
	if err != nil {
		return nil, err
	}
	from := newSource(s.Seed)
	block, most := BlockSize(s.Probability), s.Most
	if s.Draws > 0 {
		most = s.Draws
	}
	d := &Drawn{Rejected: map[string]int{}}
	var values [][]float64
	var blocks [][]Block // by output
	for d.Asked < most {
		n := min(block, most-d.Asked)
		points := pointsOf(n, len(s.Inputs))
		for _, p := range points {
			s.point(p, from, factor)
		}
		answers, err := ask(ctx, m, points)
		if err != nil {
			return nil, err
		}
		d.Asked += n
		accepted := 0
		for i := range answers {
			if rejection := answers[i].Rejected; rejection != nil {
				d.Rejected[rejection.Code]++
				if d.Rejection == nil {
					d.Rejection = rejection
				}
				continue
			}
			accepted++
			if values == nil {
				values, blocks = make([][]float64, len(answers[i].Values)), make([][]Block, len(answers[i].Values))
			}
			for o, v := range answers[i].Values {
				values[o] = append(values[o], v)
			}
		}
		if values == nil {
			continue
		}
		stable := s.Draws == 0
		for o := range values {
			if accepted > 1 && n == block {
				blocks[o] = append(blocks[o], s.blockOf(values[o][len(values[o])-accepted:]))
			}
			if stable {
				_, u := MeanAndStandard(values[o])
				stable = Stable(blocks[o], u, s.Digits)
			}
		}
		if stable {
			break
		}
	}
	if values == nil || len(values[0]) < 2 {
		return d, ErrAllRejected
	}
	for o := range values {
		d.Outputs = append(d.Outputs, s.figures(values[o], blocks[o]))
	}
	return d, nil
}

func (s *MonteCarlo) blockOf(values []float64) Block {
	mean, standard := MeanAndStandard(values)
	interval, _ := Intervals(sortedOf(values), s.Probability)
	return Block{mean, standard, interval.Low, interval.High}
}

func (s *MonteCarlo) figures(values []float64, blocks []Block) Distributed {
	f := Distributed{Draws: len(values)}
	f.Mean, f.Standard = MeanAndStandard(values)
	sorted := sortedOf(values)
	f.Symmetric, f.Shortest = Intervals(sorted, s.Probability)
	if s.Digits > 0 {
		f.Tolerance = NumericalTolerance(f.Standard, s.Digits)
		f.Reached = Spread(blocks)
		f.Stable = Stable(blocks, f.Standard, s.Digits)
	}
	if s.Histogram > 0 {
		f.Low = sorted[0]
		f.Width = (sorted[len(sorted)-1] - f.Low) / float64(s.Histogram)
		if !finite(f.Width) {
			f.Width = sorted[len(sorted)-1]/float64(s.Histogram) - f.Low/float64(s.Histogram)
		}
		f.Counts = make([]int, s.Histogram)
		for _, x := range sorted {
			at := (x - f.Low) / f.Width
			if !finite(at) && f.Width > 0 {
				at = (float64(x/2) - float64(f.Low/2)) / (f.Width / 2)
			}
			if f.Width == 0 {
				at = 0
			}
			f.Counts[int(math.Min(at, float64(s.Histogram-1)))]++
		}
	}
	return f
}

// point draws a value for each input. Correlated ones are mixed from independent normal values.
func (s *MonteCarlo) point(p []float64, from *source, f *factor) {
	for i := range p {
		if f == nil || f.alone[i] {
			p[i] = s.Inputs[i].draw(from)
		} else {
			p[i] = from.normal()
		}
	}
	if f == nil {
		return
	}
	for k := len(p) - 1; k >= 0; k-- { // a row needs those before it as they were drawn
		i := f.order[k]
		if f.alone[i] {
			continue
		}
		sum := 0.0
		for m, x := range f.rows[k] {
			if x != 0 {
				sum += float64(x * p[f.order[m]])
			}
		}
		p[i] = s.Inputs[i].Estimate + float64(s.Inputs[i].Standard*sum)
	}
}

// Errors of correlations.
var (
	ErrNotNormal    = errors.New("only normal inputs can be correlated")
	ErrNotDefinite  = errors.New("the correlations contradict each other: no such inputs exist")
	ErrOutsideOfOne = errors.New("a correlation must lie between -1 and 1")
)

// Check returns why there are no such inputs.
func (s *MonteCarlo) Check() error {
	_, err := s.factor()
	return err
}

// factor is a lower triangle whose product with its transpose is a correlation.
type factor struct {
	order []int       // of the inputs, for which it is a triangle
	rows  [][]float64 // by the place in the order
	alone []bool      // inputs that are independent of all others
}

// factor returns the factor of the correlation, nil if all inputs are independent.
func (s *MonteCarlo) factor() (*factor, error) {
	for i := range s.Inputs {
		if err := s.Inputs[i].Check(); err != nil {
			return nil, err
		}
	}
	if s.Correlation == nil {
		return nil, nil
	}
	f, err := factorOf(s.Correlation)
	if err != nil {
		return nil, err
	}
	for i := range s.Inputs {
		alone := true
		for j, r := range s.Correlation[i] {
			if i != j && r != 0 {
				alone = false
				if s.Inputs[i].Kind != Normal || s.Inputs[j].Kind != Normal {
					return nil, ErrNotNormal
				}
			}
		}
		f.alone = append(f.alone, alone)
	}
	return f, nil
}

// CheckCorrelation returns why there are no inputs with these correlations, which are symmetric with ones on
// the diagonal.
func CheckCorrelation(correlation [][]float64) error {
	_, err := factorOf(correlation)
	return err
}

// factorOf returns a factor of Cholesky. Coefficients of 1 and -1 make a matrix that is positive semidefinite only:
// its factor has the inputs in another order.
func factorOf(correlation [][]float64) (*factor, error) {
	f := new(factor)
	for i, row := range correlation {
		f.order = append(f.order, i)
		for _, r := range row {
			if !(math.Abs(r) <= 1) {
				return nil, ErrOutsideOfOne
			}
		}
	}
	f.rows = triangle(correlation)
	if f.rows != nil {
		return f, nil
	}
	if !f.pivot(correlation) {
		return nil, ErrNotDefinite
	}
	return f, nil
}

// triangle is the factor of Cholesky, nil if the matrix is not positive definite.
func triangle(c [][]float64) [][]float64 {
	l := make([][]float64, len(c))
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range l[i] {
			rest := c[i][j]
			for k := range j {
				rest -= float64(l[i][k] * l[j][k])
			}
			switch {
			case i != j:
				l[i][j] = rest / l[j][j]
			case rest <= definite:
				return nil
			default:
				l[i][i] = math.Sqrt(rest)
			}
		}
	}
	return l
}

// definite is what a pivot of a correlation has at least: less is rounding.
const definite = 1e-12

// pivot makes the factor of a matrix, and takes the largest pivot first. It returns false if the matrix is not positive
// semidefinite: then what is left after the last pivot is more than rounding.
//
// Method: Higham, Analysis of the Cholesky decomposition of a semi-definite matrix, in Cox and
// Hammarling (eds.), Reliable Numerical Computation, Oxford 1990, 161.
func (f *factor) pivot(c [][]float64) bool {
	rest, l := make([][]float64, len(c)), make([][]float64, len(c)) // by input
	for i := range c {
		rest[i], l[i] = slices.Clone(c[i]), make([]float64, len(c))
	}
	for k := range c {
		left := f.order[k:]
		at := 0
		for m, i := range left {
			if rest[i][i] > rest[left[at]][left[at]] {
				at = m
			}
		}
		left[0], left[at] = left[at], left[0]
		first := left[0]
		if rest[first][first] <= definite {
			for _, i := range left {
				for _, j := range left {
					if math.Abs(rest[i][j]) > definite {
						return false
					}
				}
			}
			break
		}
		for _, i := range left {
			l[i][k] = rest[i][first] / math.Sqrt(rest[first][first])
		}
		for _, i := range left[1:] {
			for _, j := range left[1:] {
				rest[i][j] -= float64(l[i][k] * l[j][k])
			}
		}
	}
	for k, i := range f.order {
		f.rows = append(f.rows, l[i][:k+1])
	}
	return true
}

// pointsOf returns points in one piece of memory.
func pointsOf(n, inputs int) [][]float64 {
	all, points := make([]float64, n*inputs), make([][]float64, n)
	for i := range points {
		points[i] = all[i*inputs : (i+1)*inputs : (i+1)*inputs]
	}
	return points
}
