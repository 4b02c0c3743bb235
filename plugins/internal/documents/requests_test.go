package documents

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/plugins/internal/library"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// generator makes random requests for an engine. The same engine gets the same requests.
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
	like    style = iota // of the same magnitude
	decimal              // few digits
	wide                 // 60 powers of ten
	extreme              // all of binary64
)

func newGenerator(t testing.TB, e library.Engine) *generator {
	seed := fnv.New64a()
	seed.Write([]byte(e.Dir))
	spec := e.Spec()
	g := &generator{random: rand.New(rand.NewPCG(seed.Sum64(), 1)), fields: spec.Inputs}
	data, err := os.ReadFile(filepath.Join(library.Plugins, e.Dir, "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := vector.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range vectors {
		sent, err := strictjson.ParseObject([]byte(vectors[i].Inputs))
		if err != nil {
			continue
		}
		in, _, err := request.Read(&spec, sent)
		if err == nil {
			g.known = append(g.known, in)
		}
	}
	if len(g.known) == 0 {
		t.Fatalf("%s has no vector that can be read", e.Dir)
	}
	return g
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
		case !optional || g.in[i].Kind() != value.Absent || g.pick(3, 1) == 1:
			g.in[i] = g.value(f, g.in[i])
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

// value makes a value of a field from one that it had.
func (g *generator) value(f *sdk.Field, from value.Value) value.Value {
	switch f.Type {
	case sdk.TypeNumber, sdk.TypeInteger:
		x := g.number(f, from)
		if f.Decimal && g.pick(2, 1) == 1 {
			return value.ExactOf(g.literal(x))
		}
		return value.NumberOf(x)
	case sdk.TypeBoolean:
		return value.BoolOf(g.pick(1, 1) == 1)
	case sdk.TypeString:
		if len(f.Enum) == 0 {
			return from
		}
		return value.TextOf(f.Enum[g.random.IntN(len(f.Enum))])
	case sdk.TypeArray:
		return g.list(f, from)
	}
	items := make([]value.Value, len(f.Fields))
	for i := range items {
		var old value.Value
		if i < len(from.Items()) {
			old = from.Items()[i]
		}
		switch {
		case f.Fields[i].Required || f.Fields[i].Default != "" || g.pick(1, 1) == 1:
			items[i] = g.value(&f.Fields[i], old)
		}
	}
	return value.RecordOf(items...)
}

// list makes a list: the items that it had with changes, or new ones.
func (g *generator) list(f *sdk.Field, from value.Value) value.Value {
	items := slices.Clone(from.Items())
	if len(items) > 40 && g.pick(1, 9) == 1 { // few long ones: their costs are high
		items = items[:g.random.IntN(40)]
	}
	switch g.pick(3, 3, 1, 1) {
	case 0: // one item
		if len(items) > 0 {
			at := g.random.IntN(len(items))
			items[at] = g.value(f.Items, items[at])
		}
	case 1: // all items
		for i := range items {
			items[i] = g.value(f.Items, items[i])
		}
	case 2: // another length
		n := g.random.IntN(8)
		for len(items) < n {
			var old value.Value
			if len(items) > 0 {
				old = items[g.random.IntN(len(items))]
			}
			items = append(items, g.value(f.Items, old))
		}
		items = items[:n]
	case 3: // an item twice
		if len(items) > 0 {
			items[g.random.IntN(len(items))] = items[g.random.IntN(len(items))]
		}
	}
	return value.ListOf(items...)
}

// literal writes a number with digits that binary64 cannot have, or with its own ones.
func (g *generator) literal(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if len(text) > 60 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	if g.pick(1, 1) == 1 && math.Abs(x) < 1e15 {
		text = strconv.FormatFloat(x, 'f', g.random.IntN(25), 64)
	}
	return text
}

// number makes a number of a field, within its range for the most part.
func (g *generator) number(f *sdk.Field, from value.Value) float64 {
	tries := 1
	if g.pick(1, 6) == 1 {
		tries = 12
	}
	x := 0.0
	for range tries {
		x = min(max(g.any(f, from), -math.MaxFloat64), math.MaxFloat64)
		if f.Type == sdk.TypeInteger {
			x = math.Trunc(min(max(x, -1<<53), 1<<53))
		}
		if f.Range == nil || f.Range.Contains(x) {
			break
		}
	}
	return x + 0
}

// any makes a number.
func (g *generator) any(f *sdk.Field, from value.Value) float64 {
	old := from.Number()
	if from.Kind() == value.Exact {
		old, _ = strconv.ParseFloat(from.Text(), 64)
	}
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
	if f.Type == sdk.TypeInteger && g.style != extreme {
		return sign * float64(g.random.IntN(40))
	}
	switch g.style {
	case decimal:
		digits := math.Pow10(1 + g.random.IntN(4))
		exponent := g.random.IntN(9) - 4
		if old != 0 && g.pick(1, 2) == 1 {
			exponent = int(math.Floor(math.Log10(math.Abs(old))))
		}
		x, _ := strconv.ParseFloat(strconv.Itoa(g.random.IntN(int(digits)))+"e"+strconv.Itoa(exponent-int(math.Log10(digits))+1), 64)
		return sign * x
	case wide:
		return sign * math.Pow(10, 60*g.random.Float64()-30)
	case extreme:
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
		for i := range g.fields {
			if g.fields[i].Name == name && i < len(g.in) {
				return g.in[i].Number(), true
			}
		}
		return 0, false
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
	for len(v.Items()) > 0 {
		v = v.Items()[g.random.IntN(len(v.Items()))]
	}
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
// number. It is empty if there is no such number.
func (g *generator) thresholds(a value.Values, kind func(value.Values) string) (found []value.Values) {
	var at []int
	for i, v := range a {
		if v.Kind() == value.Number {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	i := at[g.random.IntN(len(at))]
	with := func(k int64) value.Values {
		b := slices.Clone(a)
		b[i] = value.NumberOf(ofOrder(k))
		return b
	}
	g.in = a
	low, high := order(a[i].Number()), order(g.number(&g.fields[i], a[i]))
	if low > high {
		low, high = high, low
	}
	below := kind(with(low))
	if below == kind(with(high)) || g.fields[i].Type == sdk.TypeInteger {
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
		if x := ofOrder(k); math.Abs(x) <= math.MaxFloat64 {
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
