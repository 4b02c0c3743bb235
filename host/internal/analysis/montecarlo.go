package analysis

import (
	"context"
	"errors"
	"math"
	"math/big"

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

// ErrAllRejected says that the model has rejected every draw.
var ErrAllRejected = errors.New("every draw was rejected")

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
	if values == nil {
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
	if len(sorted) > 1 {
		f.Symmetric, f.Shortest = Intervals(sorted, s.Probability)
	}
	if s.Digits > 0 {
		f.Tolerance = NumericalTolerance(f.Standard, s.Digits)
		f.Reached = Spread(blocks)
		f.Stable = Stable(blocks, f.Standard, s.Digits)
	}
	if s.Histogram > 0 {
		f.Low = sorted[0]
		f.Width = (sorted[len(sorted)-1] - f.Low) / float64(s.Histogram)
		f.Counts = make([]int, s.Histogram)
		for _, x := range sorted {
			at := 0
			if f.Width > 0 {
				at = min(int((x-f.Low)/f.Width), s.Histogram-1)
			}
			f.Counts[at]++
		}
	}
	return f
}

// point draws a value for each input. Correlated ones are mixed from independent normal values.
func (s *MonteCarlo) point(p []float64, from *source, factor [][]float64) {
	for i := range p {
		if factor == nil || factor[i] == nil {
			p[i] = s.Inputs[i].draw(from)
		} else {
			p[i] = from.normal()
		}
	}
	for i := len(p) - 1; i >= 0 && factor != nil; i-- { // a row needs those before it as they were drawn
		if factor[i] == nil {
			continue
		}
		sum := 0.0
		for j, f := range factor[i] {
			if f != 0 {
				sum += float64(f * p[j])
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

// factor returns, for each correlated input, its row of the lower triangle whose product with its transpose is
// the correlation (Cholesky); nil for one that is independent of all, and nil if all are.
func (s *MonteCarlo) factor() ([][]float64, error) {
	for i := range s.Inputs {
		if err := s.Inputs[i].Check(); err != nil {
			return nil, err
		}
	}
	if s.Correlation == nil {
		return nil, nil
	}
	if err := CheckCorrelation(s.Correlation); err != nil {
		return nil, err
	}
	l := triangle(s.Correlation)
	for i := range l {
		alone := true
		for j, r := range s.Correlation[i] {
			if i != j && r != 0 {
				alone = false
				if s.Inputs[i].Kind != Normal || s.Inputs[j].Kind != Normal {
					return nil, ErrNotNormal
				}
			}
		}
		if alone {
			l[i] = nil
		}
	}
	return l, nil
}

// CheckCorrelation returns why there are no inputs with these correlations, which are symmetric with ones on
// the diagonal.
func CheckCorrelation(correlation [][]float64) error {
	for _, row := range correlation {
		for _, r := range row {
			if !(math.Abs(r) <= 1) {
				return ErrOutsideOfOne
			}
		}
	}
	if triangle(correlation) == nil {
		return ErrNotDefinite
	}
	return nil
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

// pointsOf returns points in one piece of memory.
func pointsOf(n, inputs int) [][]float64 {
	all, points := make([]float64, n*inputs), make([][]float64, n)
	for i := range points {
		points[i] = all[i*inputs : (i+1)*inputs : (i+1)*inputs]
	}
	return points
}
