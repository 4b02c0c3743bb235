package main

import (
	"math/big"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/exact"
)

// sums are those over all edges. With the ends a and b of an edge, counted from the first
// corner, and u and v for x or y, they are of
//
//	twice:  c = ax by - bx ay, twice the area between the edge and the first corner
//	first:  (ua + ub) c
//	second: ((ua + ub)(va + vb) + ua va + ub vb) c
//
// x has the index 0 and y 1, and second the sum of both. c is positive where the polygon is
// run around counterclockwise.
type sums []adaptive.Num

const count = 1 + 2 + 3

func (s sums) twice() adaptive.Num          { return s[0] }
func (s sums) first(i int) adaptive.Num     { return s[1+i] }
func (s sums) second(i, j int) adaptive.Num { return s[3+i+j] }

// pairs are the indices of u and v.
var pairs = [...][2]int{{0, 0}, {0, 1}, {1, 1}}

func (p *polygon) sumUp(x *adaptive.X) []adaptive.Num {
	if x.IsExact() {
		return p.sumUpExactly(x)
	}
	s := make([]adaptive.Num, count)
	var a, b, sum [2]adaptive.Num
	origin := [2]adaptive.Num{x.Of(p.corners[0][0]), x.Of(p.corners[0][1])}
	for _, corner := range p.corners[1:] { // the edge back to the first corner spans no area
		for i := range b {
			b[i] = x.Of(corner[i]).Sub(origin[i])
			sum[i] = a[i].Add(b[i])
		}
		c := a[0].Times(b[1]).Sub(b[0].Times(a[1]))
		s[0] = s[0].Add(c)
		for i := range sum {
			s[1+i] = s[1+i].Add(sum[i].Times(c))
		}
		for _, pair := range pairs {
			u, v := pair[0], pair[1]
			weight := sum[u].Times(sum[v]).Add(a[u].Times(a[v])).Add(b[u].Times(b[v]))
			s[3+u+v] = s[3+u+v].Add(weight.Times(c))
		}
		a = b
	}
	return s
}

// sumUpExactly does the same with integers: coordinates are multiples of the largest power of
// two that divides all of them. Every edge is computed in the same memory.
func (p *polygon) sumUpExactly(x *adaptive.X) []adaptive.Num {
	least := leastExponent(p.corners)
	var total [count]big.Int
	var c, weight, product big.Int
	var origin, sum [2]big.Int
	a, b := new([2]big.Int), new([2]big.Int)
	for k, corner := range p.corners {
		for i := range b {
			m, e := exact.Split(corner[i])
			b[i].SetInt64(m)
			b[i].Lsh(&b[i], uint(max(e-least, 0))) // a zero may have a smaller exponent
			if k == 0 {
				origin[i].Set(&b[i])
			}
			b[i].Sub(&b[i], &origin[i])
			sum[i].Add(&a[i], &b[i])
		}
		c.Mul(&a[0], &b[1])
		c.Sub(&c, product.Mul(&b[0], &a[1]))
		total[0].Add(&total[0], &c)
		for i := range sum {
			total[1+i].Add(&total[1+i], product.Mul(&sum[i], &c))
		}
		for _, pair := range pairs {
			u, v := pair[0], pair[1]
			weight.Mul(&sum[u], &sum[v])
			weight.Add(&weight, product.Mul(&a[u], &a[v]))
			weight.Add(&weight, product.Mul(&b[u], &b[v]))
			total[3+u+v].Add(&total[3+u+v], product.Mul(&weight, &c))
		}
		a, b = b, a
	}
	s := make([]adaptive.Num, count)
	for i, length := range [count]int{2, 3, 3, 4, 4, 4} { // the power of a length that it is
		s[i] = x.Integer(&total[i], length*least)
	}
	return s
}

// leastExponent returns that of the largest power of two that divides all coordinates, or 0
// if all are zero.
func leastExponent(corners [][]float64) int {
	least, found := 0, false
	for _, corner := range corners {
		for _, f := range corner {
			if m, e := exact.Split(f); m != 0 && (e < least || !found) {
				least, found = e, true
			}
		}
	}
	return least
}
