package cost_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/library"
)

// bound is what an engine may take beyond what all may, and why.
type bound struct {
	most   float64
	reason string
}

// exception is what the worst question of an engine takes. A bound without a reason is none.
type exception struct {
	allocations bound
	time        bound // of a processor, in us; see BenchmarkEngines
}

// The reasons why a question is left to exact numbers.
const (
	tie     = "values that lie half way between two binary64, or cancel altogether, take exact fractions"
	circles = "a wall of a few units in the last place: the moments of both circles cancel"
)

// exceptions are by the directory of the engine. Each bounds the engine's worst question, and
// most of those were made to be hard. What a long list costs grows with it.
var exceptions = map[string]exception{
	"electrical/circuits/led_series_resistor": {allocations: bound{110, tie}},
	"finance/loan/payment":                    {allocations: bound{180, "payments of a few of the least numbers there are, half way between two of those, take powers of several hundred bits"}},
	"fluids/pipe/friction_factor":             {allocations: bound{120, "factors beyond the range in which a step of Newton has a proved bound take 224 bits"}},
	"mechanical/sections/circle":              {allocations: bound{190, circles}},
	"mechanical/sections/i_section":           {allocations: bound{275, "a web that vanishes beside a flange of 1e110: sums cancel"}},
	"mechanical/sections/polygon":             {allocations: bound{200, "sums over all corners that cancel altogether are made again in integers, and the results they decide in fractions, as is the side on which a corner next to an edge is"}},
	"mechanical/sections/rectangle":           {allocations: bound{330, "a wall of 1e-15: the moments of both rectangles cancel"}},
	"mechanical/stress/plane_stress":          {allocations: bound{90, "the nearest binary64 of a principal value is proved by signs of exact differences"}},
	"mechanical/stress/thick_cylinder":        {allocations: bound{105, tie}},
	"mechanical/torsion/circular_shaft":       {allocations: bound{250, circles}},
	"statistics/regression/linear": {
		allocations: bound{355, "a line that some points fit exactly, and digits that cancel, take exact integers, one or two for each number, and more for numbers that differ in the 37th digit"},
		time:        bound{60, "460 numbers of 60 to 90 ns: a third reads them, and the rest is their squares and products with the bounds of what they lose"},
	},
	"statistics/univariate/summary": {
		allocations: bound{170, "lists whose digits cancel take exact integers, one or two for each number"},
		time:        bound{110, "1001 numbers of 80 ns: a quarter reads them, a sixth sorts them, and the rest is their squares and products with the bounds of what they lose"},
	},
	"thermo/conduction/plane_wall": {
		allocations: bound{140, "a rejection names up to 32 numbers in the layers, each by its place"},
		time:        bound{60, "250 layers of 160 ns: a quarter reads them, a third divides thicknesses by conductivities, and the rest is their sum and the memory of what it was made of"},
	},
	"thermo/radiation/grey_surface": {allocations: bound{100, tie}},
}

// TestExceptions holds every exception to name an engine and to give a reason, for a bound
// above the common one.
func TestExceptions(t *testing.T) {
	for dir, e := range exceptions {
		_, err := os.Stat(filepath.Join(library.Plugins, dir, "vectors.json"))
		if err != nil {
			t.Errorf("%s: an exception, and no engine: %v", dir, err)
		}
		if e == (exception{}) {
			t.Errorf("%s: an exception from nothing", dir)
		}
		for what, b := range map[string]struct {
			bound
			common float64
		}{"allocations": {e.allocations, mostAllocations}, "time": {e.time, mostTime}} {
			if b.bound != (bound{}) && (b.reason == "" || b.most <= b.common) {
				t.Errorf("%s, %s: %v, because %q: want more than %v, and a reason", dir, what, b.most, b.reason, b.common)
			}
		}
	}
}
