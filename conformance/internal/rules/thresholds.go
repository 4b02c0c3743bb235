package rules

import (
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/conformance/internal/boundary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// Bounds on the search for requests at the equality of comparisons.
const (
	mostBases     = 12 // vectors that are varied, for each number of an input and each comparison
	mostFound     = 2  // of them with an equality
	mostItems     = 3  // of a list
	nearEquality  = 1e-9
	aboutEquality = 1e-4
)

// thresholds finds requests that differ from a vector in one input, and at which both sides of a comparison are equal, or
// nearly so. It also finds requests with other words, and without an optional input.
type thresholds struct {
	spec        *sdk.Spec
	comparisons *text.Comparisons
	bases       []value.Values
	add         func(value.Values)
}

func newThresholds(spec *sdk.Spec, engine *text.Engine, bases []value.Values, add func(value.Values)) *thresholds {
	return &thresholds{spec, engine.Comparisons(), bases, add}
}

func (t *thresholds) find() {
	for input := range t.spec.Inputs {
		t.words(input)
		for _, path := range t.paths(input) {
			for n := range t.comparisons.Len() {
				t.along(input, path, n)
			}
		}
	}
}

// words adds requests with each word of an input, and without it.
func (t *thresholds) words(input int) {
	f := &t.spec.Inputs[input]
	for _, base := range t.bases[:min(len(t.bases), mostBases)] {
		with := func(v value.Value) {
			in := slices.Clone(base)
			in[input] = v
			t.add(in)
		}
		for _, word := range f.Enum {
			with(value.TextOf(word))
		}
		if f.Type == sdk.TypeBoolean {
			with(value.BoolOf(false))
			with(value.BoolOf(true))
		}
		if !f.Required && f.Default == "" {
			with(value.Value{})
		}
	}
}

// paths returns the places of numbers in an input.
func (t *thresholds) paths(input int) (list [][]int) {
	seen := map[string]bool{}
	for _, base := range t.bases {
		var walk func(v value.Value, path []int)
		walk = func(v value.Value, path []int) {
			key := ""
			for _, step := range path {
				key += strconv.Itoa(step) + " "
			}
			if v.Kind() == value.Number && !seen[key] {
				seen[key] = true
				list = append(list, slices.Clone(path))
			}
			for i, item := range v.Items() {
				if i < mostItems || v.Kind() == value.Record {
					walk(item, append(path, i))
				}
			}
		}
		walk(base[input], nil)
	}
	return list
}

// numberPlace is a number of a base.
type numberPlace struct {
	base  value.Values
	input int
	path  []int
	whole bool
}

func (p *numberPlace) number() (float64, bool) {
	v := p.base[p.input]
	for _, step := range p.path {
		if step >= len(v.Items()) {
			return 0, false
		}
		v = v.Items()[step]
	}
	return v.Number(), v.Kind() == value.Number
}

func (p *numberPlace) with(x float64) value.Values {
	in := slices.Clone(p.base)
	in[p.input] = boundary.Put(in[p.input], p.path, x)
	return in
}

// along looks for the equality of a comparison along one number.
func (t *thresholds) along(input int, path []int, n int) {
	found := 0
	for _, base := range t.bases[:min(len(t.bases), mostBases)] {
		p := &numberPlace{base, input, path, t.spec.Inputs[input].Type == sdk.TypeInteger}
		x, isNumber := p.number()
		if isNumber && t.search(p, x, n) {
			found++
		}
		if found == mostFound {
			return
		}
	}
}

// search adds requests around an equality. It reports whether there is one.
func (t *thresholds) search(p *numberPlace, from float64, n int) bool {
	line := boundary.Line{
		Order: func(x float64) (int, bool) {
			order := t.comparisons.Order(n, p.with(x))
			return order, order != text.Unordered
		},
		Legal: func(x float64) bool {
			in := p.with(x)
			return t.spec.CheckRanges(in, in) == nil
		},
		Whole: p.whole,
	}
	start, known := line.Order(from)
	if known && start == 0 {
		t.around(p, from)
	}
	if !known || start == 0 {
		return known
	}
	var examples []float64
	for _, base := range t.bases {
		of := numberPlace{base: base, input: p.input, path: p.path}
		x, isNumber := of.number()
		if isNumber && !slices.Contains(examples, x) && len(examples) < mostBases {
			examples = append(examples, x)
		}
	}
	low, high, equal, found := line.Turn(from, start, examples, []float64{from / (1 << 40), 1, -1}, 0)
	if found && !equal {
		t.around(p, low)
	}
	if found {
		t.around(p, high)
	}
	return found
}

// around adds requests at a number and next to it.
func (t *thresholds) around(p *numberPlace, at float64) {
	list := []float64{at}
	if p.whole {
		list = append(list, at-1, at+1)
	} else {
		scale := math.Abs(at)
		if scale == 0 {
			scale = 1
		}
		for _, off := range []float64{nearEquality, aboutEquality} {
			list = append(list, short(at-off*scale, off*scale), short(at+off*scale, off*scale))
		}
	}
	for _, x := range list {
		t.add(p.with(x))
	}
}

// short returns a number with few digits within half of a distance from x.
func short(x, within float64) float64 {
	for digits := range 17 {
		y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits, 64), 64)
		if math.Abs(y-x) <= within/2 {
			return y
		}
	}
	return x
}
