package analysis

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

// MonteCarlo propagates distributions by JCGM 101:2008.
type MonteCarlo struct {
	Inputs      []Distribution
	Correlation [][]float64 // of normal inputs, symmetric with ones on the diagonal; nil if they are independent
	Draws       int         // number of draws; 0: until the digits are stable
	Digits      int         // significant digits of the standard uncertainty that must be stable, 1 or 2
	Most        int         // maximum number of draws
	Probability *big.Rat    // of the intervals, such as 95/100
	Seed        uint64
	Histogram   int // bins, 0 for none
}

// Distributed is the distribution of an output.
type Distributed struct {
	Draws      int // accepted draws
	Mean       float64
	Standard   float64
	Symmetric  Interval // probabilistically symmetric coverage interval
	Shortest   Interval
	Tolerance  float64 // numerical tolerance for the digits
	Reached    [4]float64
	Stable     bool // the digits are stable
	Low, Width float64
	Counts     []int // of the histogram, from Low on in bins of Width
}

// Drawn is the result of a Monte Carlo analysis.
type Drawn struct {
	Outputs   []Distributed
	Rejected  map[string]int // number of draws that the model rejected, by code
	Rejection *sdk.Error     // the first rejection
	Asked     int
}

// ErrAllRejected reports that the model rejected every draw, or all but one.
var ErrAllRejected = errors.New("fewer than two draws were accepted")

// Run makes the draws and evaluates them. The same seed gives the same draws and results on every processor. Run needs 16
// bytes of memory for each draw and output, and in addition the memory of a block.
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
		d.Outputs = append(d.Outputs, s.distributed(values[o], blocks[o]))
	}
	return d, nil
}

func (s *MonteCarlo) blockOf(values []float64) Block {
	mean, standard := MeanAndStandard(values)
	interval, _ := Intervals(sortedOf(values), s.Probability)
	return Block{mean, standard, interval.Low, interval.High}
}

func (s *MonteCarlo) distributed(values []float64, blocks []Block) Distributed {
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

// point draws a value for each input. It mixes correlated inputs from independent normal values.
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
	for k := len(p) - 1; k >= 0; k-- { // a row needs the unmixed draws of the rows before it
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

// Check returns why the inputs cannot exist.
func (s *MonteCarlo) Check() error {
	_, err := s.factor()
	return err
}

// factor is a lower triangular matrix. Its product with its transpose is the correlation.
type factor struct {
	order []int       // of the inputs, in which the matrix is triangular
	rows  [][]float64 // by position in order
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

// CheckCorrelation returns why no inputs have these correlations. The matrix is symmetric with ones on the diagonal.
func CheckCorrelation(correlation [][]float64) error {
	_, err := factorOf(correlation)
	return err
}

// factorOf returns the Cholesky factor. A matrix with coefficients of 1 or -1 is only positive semidefinite; its factor has the
// inputs in another order.
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

// triangle returns the Cholesky factor, nil if the matrix is not positive definite.
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

// definite is the minimum of a pivot of a correlation. A smaller pivot is a rounding error.
const definite = 1e-12

// pivot computes the factor of a matrix with the largest pivot first. It returns false if the matrix is not positive
// semidefinite: then the rest after the last pivot is more than a rounding error.
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

// pointsOf returns points in a single allocation.
func pointsOf(n, inputs int) [][]float64 {
	all, points := make([]float64, n*inputs), make([][]float64, n)
	for i := range points {
		points[i] = all[i*inputs : (i+1)*inputs : (i+1)*inputs]
	}
	return points
}
