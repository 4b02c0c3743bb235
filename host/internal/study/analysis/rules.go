package analysis

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// NumericalTolerance returns half a unit of the last of n significant digits of a standard uncertainty
// (JCGM 101:2008, 7.9.2). It rounds the uncertainty to these digits first.
func NumericalTolerance(u float64, digits int) float64 {
	if u == 0 || math.IsInf(u, 0) || math.IsNaN(u) {
		return 0
	}
	text := strconv.FormatFloat(math.Abs(u), 'e', digits-1, 64)
	l, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:]) // FormatFloat always writes an exponent
	return math.Pow10(l-digits+1) / 2
}

// minBlock is the minimum number of draws in a block (JCGM 101, 7.9.4).
const minBlock = 10_000

// BlockSize returns the number of draws in a block of the adaptive procedure: at least 100/(1 - p), with the exact decimal p.
func BlockSize(p *big.Rat) int {
	q := new(big.Rat).Quo(big.NewRat(100, 1), new(big.Rat).Sub(big.NewRat(1, 1), p))
	n := new(big.Int).Add(q.Num(), new(big.Int).Sub(q.Denom(), big.NewInt(1)))
	return max(minBlock, int(n.Quo(n, q.Denom()).Int64()))
}

// Interval is a coverage interval.
type Interval struct{ Low, High float64 }

// Intervals returns the probabilistically symmetric and the shortest interval with a part p of sorted values (JCGM 101,
// 7.7).
func Intervals(sorted []float64, p *big.Rat) (symmetric, shortest Interval) {
	n := len(sorted)
	q := nearest(new(big.Rat).Mul(p, big.NewRat(int64(n), 1)))
	q = min(max(q, 1), n-1)
	r := (n - q + 1) / 2 // the guide counts from 1 to n
	symmetric = Interval{sorted[r-1], sorted[r+q-1]}
	shortest = Interval{sorted[0], sorted[q]}
	for i := 1; i+q < n; i++ {
		if next := (Interval{sorted[i], sorted[i+q]}); next.shorter(shortest) {
			shortest = next
		}
	}
	return symmetric, shortest
}

func (i Interval) shorter(than Interval) bool {
	a, b := i.High-i.Low, than.High-than.Low
	if !finite(a) && !finite(b) {
		a, b = float64(i.High/2)-float64(i.Low/2), float64(than.High/2)-float64(than.Low/2)
	}
	return a < b
}

// nearest returns the integer nearest to x, which is not negative.
func nearest(x *big.Rat) int {
	twice := new(big.Int).Add(new(big.Int).Lsh(x.Num(), 1), x.Denom())
	return int(twice.Quo(twice, new(big.Int).Lsh(x.Denom(), 1)).Int64())
}

// Block has the statistics of one block of draws.
type Block struct{ Mean, Standard, Low, High float64 }

func (b *Block) statistics() [4]float64 { return [4]float64{b.Mean, b.Standard, b.Low, b.High} }

// Spread returns the standard deviations of the averages of the statistics over the blocks (JCGM 101, 7.9.4 f), +Inf for fewer
// than two.
func Spread(blocks []Block) [4]float64 {
	var s [4]float64
	h := float64(len(blocks))
	for k := range s {
		if len(blocks) < 2 {
			s[k] = math.Inf(1)
			continue
		}
		s[k] = inRange(func(scale float64) float64 {
			mean, sum := 0.0, 0.0
			for i := range blocks {
				mean += float64(blocks[i].statistics()[k]*scale) / h
			}
			for i := range blocks {
				d := float64(blocks[i].statistics()[k]*scale) - mean
				sum += float64(d * d)
			}
			return math.Sqrt(sum / (h * (h - 1)))
		})
	}
	return s
}

// Stable reports whether the statistics are stable to the digits of the uncertainty.
func Stable(blocks []Block, u float64, digits int) bool {
	delta := NumericalTolerance(u, digits)
	for _, s := range Spread(blocks) {
		if !(2*s <= delta) {
			return false
		}
	}
	return true
}

// MeanAndStandard returns the average of values, and their standard deviation.
func MeanAndStandard(values []float64) (mean, standard float64) {
	n := float64(len(values))
	average := func(scale float64) float64 {
		sum := 0.0
		for _, x := range values {
			sum += float64(x * scale)
		}
		return sum / n
	}
	standard = inRange(func(scale float64) float64 {
		middle, sum := average(scale), 0.0
		for _, x := range values {
			d := float64(x*scale) - middle
			sum += float64(d * d)
		}
		return math.Sqrt(sum / (n - 1))
	})
	return inRange(average), standard
}

// sortedOf returns the values in order.
func sortedOf(values []float64) []float64 {
	s := slices.Clone(values)
	slices.Sort(s)
	return s
}

// Validated reports whether the draws validate the law of propagation of uncertainty, to the digits of the standard
// uncertainty. Then the ends of the two intervals differ by at most the tolerance (JCGM 101, 8.1).
func Validated(first, drawn Interval, u float64, digits int) (low, high float64, valid bool) {
	low, high = math.Abs(first.Low-drawn.Low), math.Abs(first.High-drawn.High)
	delta := NumericalTolerance(u, digits)
	return low, high, low <= delta && high <= delta
}
