package elementary

import (
	"math"
	"math/big"
	"sync/atomic"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
)

const precision = 224 // the product of four binary64 numbers is exact

// blank returns a zero to compute into.
func blank() *big.Float { return new(big.Float).SetPrec(precision) }

// operation is what a number was made by.
type operation uint8

const (
	add operation = iota
	sub
	mul
	div
	neg
	sqrt
	exp
	expm1
	log
	log1p
	atan
)

// node is what a number was made of. Those of constants serve many calculations at a time.
type node struct {
	by   operation
	a, b Num
	all  atomic.Pointer[big.Float] // the 224 bits, once computed; they never change
}

// made returns the result of an operation.
//
// Two binary64 numbers without error that together have no more than 224 bits are what
// math/big would compute, too, so nothing need be remembered: the sum or product is
// exact, and both round it to itself; and both give zero the same sign.
func made(by operation, fast doubled.Num, a, b Num) Num {
	if hi, lo, ok := fast.Exact(); ok && (lo == 0 || math.Abs(hi) < 0x1p160*math.Abs(lo)) {
		return Num{fast: fast}
	}
	n := place()
	n.by, n.a, n.b = by, a, b
	return Num{fast: fast, origin: n}
}

// block is memory for nodes, which are small and many.
type block struct {
	nodes [32]node
	used  atomic.Int32
}

var current atomic.Pointer[block]

// place returns a node that nobody has. Its block is freed with the last of its nodes.
func place() *node {
	b := current.Load()
	if b != nil {
		if i := b.used.Add(1) - 1; int(i) < len(b.nodes) {
			return &b.nodes[i]
		}
	}
	fresh := new(block)
	fresh.used.Store(1)
	current.CompareAndSwap(b, fresh) // another calculation may have been first: then this block has one node
	return &fresh.nodes[0]
}

// float returns the 224 bits. The caller must not change them.
func (a Num) float() *big.Float {
	if a.origin == nil {
		hi, lo, _ := a.fast.Exact()
		if hi == 1 && lo == 0 { // the most frequent constant
			return floatOne
		}
		sum := blank().SetFloat64(hi)
		if lo != 0 {
			sum.Add(sum, new(big.Float).SetFloat64(lo))
		}
		return sum
	}
	n := a.origin
	if all := n.all.Load(); all != nil {
		return all
	}
	all := n.compute()
	n.all.Store(all)
	return all
}

func (n *node) compute() *big.Float {
	a := n.a.float()
	switch n.by {
	case add:
		return blank().Add(a, n.b.float())
	case sub:
		return blank().Sub(a, n.b.float())
	case mul:
		return blank().Mul(a, n.b.float())
	case div:
		return blank().Quo(a, n.b.float())
	case neg:
		return blank().Neg(a)
	case sqrt:
		return blank().Sqrt(a)
	case exp:
		return expOf(a)
	case expm1:
		return expm1Of(a)
	case log:
		return logOf(a)
	case log1p:
		return log1pOf(blank().Set(a))
	default:
		return atanOf(a)
	}
}
