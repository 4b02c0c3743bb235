package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// generator makes random requests, the same ones in each run.
type generator struct {
	random *rand.Rand
	fields []sdk.Field
	known  []value.Values // inputs of the reference vectors
	style  style
	in     value.Values // the request that is made
}

// style is how far the numbers of a request are from the numbers of a vector.
type style int

const (
	like     style = iota // of the same magnitude
	decimal               // few digits
	wide                  // 60 powers of ten
	anywhere              // all of binary64
)

func newGenerator() *generator {
	return &generator{random: rand.New(rand.NewPCG(1, 1)), fields: engine.Spec().Inputs, known: ask.Vectors(engine, vectors)}
}

// next makes a request.
func (g *generator) next() value.Values {
	g.style = style(g.pick(45, 25, 25, 5))
	g.in = slices.Clone(g.known[g.random.IntN(len(g.known))])
	change := 1.0 // of each input
	if g.pick(1, 1) == 1 {
		change = 1.5 / float64(len(g.fields))
	}
	for i := range g.fields {
		f := &g.fields[i]
		if g.random.Float64() >= change {
			continue
		}
		switch optional := !f.Required && f.Default == ""; {
		case optional && g.pick(4, 1) == 1:
			g.in[i] = value.Value{}
		case len(f.Enum) > 0:
			g.in[i] = value.TextOf(f.Enum[g.random.IntN(len(f.Enum))])
		case !optional || g.in[i].Kind() != value.Absent || g.pick(3, 1) == 1:
			g.in[i] = value.NumberOf(g.number(f, g.in[i].Number()))
		}
	}
	return g.in
}

// pick returns an index, by weights.
func (g *generator) pick(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	at := g.random.IntN(total)
	for i, w := range weights {
		at -= w
		if at < 0 {
			return i
		}
	}
	return 0
}

// number makes a number of a field from the one that it had, within its range for the most part.
func (g *generator) number(f *sdk.Field, old float64) float64 {
	tries := 1
	if g.pick(1, 6) == 1 {
		tries = 12
	}
	x := 0.0
	for range tries {
		x = min(max(g.any(f, old), -math.MaxFloat64), math.MaxFloat64)
		if f.Range == nil || f.Range.Contains(x) {
			break
		}
	}
	return x + 0
}

// any makes a number.
func (g *generator) any(f *sdk.Field, old float64) float64 {
	switch g.pick(70, 10, 8, 6, 6) {
	case 1: // an end of the range
		return g.neighbour(g.end(f))
	case 2: // a number of the request, or near it
		return g.neighbour(g.other())
	case 3: // a simple part of a number of the request
		return g.other() * float64(1+g.random.IntN(12)) / float64(1+g.random.IntN(12))
	case 4:
		return g.neighbour(old)
	}
	sign := 1.0
	if g.pick(7, 2) == 1 {
		sign = -1
	}
	switch g.style {
	case decimal:
		digits := 1 + g.random.IntN(4)
		exponent := g.random.IntN(9) - 4
		if old != 0 && g.pick(1, 2) == 1 {
			exponent = int(math.Floor(math.Log10(math.Abs(old))))
		}
		x, _ := strconv.ParseFloat(strconv.Itoa(g.random.IntN(int(math.Pow10(digits))))+"e"+strconv.Itoa(exponent-digits+1), 64)
		return sign * x
	case wide:
		return sign * math.Pow(10, 60*g.random.Float64()-30)
	case anywhere:
		x := math.Float64frombits(g.random.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) || g.pick(4, 1) == 1 {
			specials := []float64{0, math.SmallestNonzeroFloat64, 0x1p-1022, 1e-300, 1e-160, 1, 1e155, 1e300, math.MaxFloat64}
			x = sign * specials[g.random.IntN(len(specials))]
		}
		return x
	}
	if old == 0 {
		old = 1
	}
	return sign * math.Abs(old) * math.Exp2(4*g.random.Float64()-2)
}

// end returns an end of the range of a field, or 0.
func (g *generator) end(f *sdk.Field) float64 {
	if f.Range == nil {
		return 0
	}
	r := f.Range.Within(func(name string) (float64, bool) {
		at := slices.IndexFunc(g.fields, func(f sdk.Field) bool { return f.Name == name })
		return g.in[at].Number(), true
	})
	ends := []*float64{r.Min, r.Max}
	if g.pick(1, 1) == 1 {
		slices.Reverse(ends)
	}
	for _, end := range ends {
		if end != nil {
			return *end
		}
	}
	return 0
}

// other returns a number of the request.
func (g *generator) other() float64 {
	v := g.in[g.random.IntN(len(g.in))]
	if v.Kind() != value.Number {
		return 1
	}
	return v.Number()
}

// neighbour returns a number, or one next to it.
func (g *generator) neighbour(x float64) float64 {
	switch g.pick(2, 1, 1) {
	case 1:
		x = math.Nextafter(x, math.Inf(1))
	case 2:
		x = math.Nextafter(x, math.Inf(-1))
	}
	return x
}

// thresholds returns requests at a place where the kind of the answer changes between two requests, which differ in one
// number. It is empty if there is no such place.
func (g *generator) thresholds(a value.Values, kind func(value.Values) string) (found []value.Values) {
	var at []int
	for i, v := range a {
		if v.Kind() == value.Number {
			at = append(at, i)
		}
	}
	i := at[g.random.IntN(len(at))]
	with := func(k int64) value.Values {
		b := slices.Clone(a)
		b[i] = value.NumberOf(ofOrder(k))
		return b
	}
	low, high := order(a[i].Number()), order(g.number(&g.fields[i], a[i].Number()))
	if low > high {
		low, high = high, low
	}
	below := kind(with(low))
	if below == kind(with(high)) {
		return nil
	}
	for low+1 < high {
		middle := low + int64(uint64(high-low)/2) // the difference can be above the largest int64
		if kind(with(middle)) == below {
			low = middle
		} else {
			high = middle
		}
	}
	for k := low - 1; k <= high+1; k++ {
		if math.Abs(ofOrder(k)) <= math.MaxFloat64 {
			found = append(found, with(k))
		}
	}
	return found
}

// order numbers the binary64 numbers in their order.
func order(x float64) int64 {
	k := int64(math.Float64bits(math.Abs(x)))
	if x < 0 {
		return -k
	}
	return k
}

// ofOrder is the inverse of order.
func ofOrder(k int64) float64 {
	if k < 0 {
		return -math.Float64frombits(uint64(-k))
	}
	return math.Float64frombits(uint64(k))
}
