// Package statics tests the relations between the documents of beams.
package statics

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

const pointLoad, uniformLoad, trianglePeak = "point_load", "uniform_load", "triangle_peak_load"

// document is a kind of beam under one kind of load.
type document struct {
	engine sdk.Engine
	load   string // input
}

func read(name, load string) document {
	return document{ask.Document(name + "_at_deflection.calc.md"), load}
}

var (
	cantilever = read("cantilever_point_load", pointLoad)

	// held beams rest on supports at both ends.
	held = map[string]document{
		"simply_supported":   read("simply_supported_point_load", pointLoad),
		"propped_cantilever": read("propped_cantilever_point_load", pointLoad),
		"fixed_fixed":        read("fixed_fixed_point_load", pointLoad),
	}
	distributed = map[string]document{
		"simply_supported":   read("simply_supported_uniform_load", uniformLoad),
		"propped_cantilever": read("propped_cantilever_uniform_load", uniformLoad),
		"fixed_fixed":        read("fixed_fixed_uniform_load", uniformLoad),
	}
	triangular = read("simply_supported_triangular_load", trianglePeak)
)

// each runs a relation with every document.
func each(t *testing.T, relation func(*rapid.T, document, beam)) {
	all := map[string]document{"cantilever": cantilever, "triangular": triangular}
	for name, d := range held {
		all[name], all[name+"_uniform"] = d, distributed[name]
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { relation(t, d, draw(t)) }) })
	}
}

// beam holds the inputs. Its places are multiples of 1/1024, so that binary64 has their differences exactly. Load and
// rigidity have few digits, so that the decimals of their multiples are exact.
type beam struct{ length, rigidity, load, at, position float64 }

func draw(t *rapid.T) beam {
	n := rapid.IntRange(2, 1<<20).Draw(t, "1024 L")
	return beam{
		length: float64(n) / 1024, rigidity: float64(rapid.Int64Range(1, 1e12).Draw(t, "1e3 EI")) / 1e3,
		load:     float64(rapid.Int64Range(-1e12, 1e12).Filter(func(n int64) bool { return n != 0 }).Draw(t, "1e6 load")) / 1e6,
		at:       float64(rapid.IntRange(1, n-1).Draw(t, "1024 a")) / 1024,
		position: float64(rapid.IntRange(0, n).Draw(t, "1024 x")) / 1024,
	}
}

func (b beam) inputs(d document) ask.In {
	in := ask.In{"length": b.length, "flexural_rigidity": b.rigidity, d.load: b.load, "position": b.position}
	if d.load == pointLoad {
		in["load_position"] = b.at
	}
	return in
}

// bent holds the outputs, with one name where the names of documents differ. Moments at the ends are positive where
// they hog.
type bent struct {
	delta, left, right                     float64
	momentLeft, momentRight, momentAtForce float64

	all      map[string]float64
	warnings map[string]sdk.Severity
}

func (b beam) bend(t *rapid.T, d document) bent {
	t.Helper()
	a := ask.For(t, d.engine, b.inputs(d))
	first := func(names ...string) float64 {
		for _, name := range names {
			if v, ok := a.Number[name]; ok {
				return v
			}
		}
		return 0
	}
	return bent{
		delta:         first("delta"),
		left:          first("reaction_left", "reaction_wall", "wall_shear"),
		right:         first("reaction_right", "reaction_roller"),
		momentLeft:    first("moment_left", "moment_wall", "wall_moment"),
		momentRight:   first("moment_right"),
		momentAtForce: first("moment_at_load", "moment_max"),
		all:           a.Number, warnings: a.Warnings,
	}
}

// equal compares a value with the sum of terms, up to their rounding.
func equal(t *rapid.T, what string, got float64, terms ...float64) {
	t.Helper()
	sum, size := 0.0, 0.0
	for _, term := range terms {
		sum, size = sum+term, size+math.Abs(term)
	}
	if math.Abs(got-sum) > 1e-14*size {
		t.Fatalf("%s = %v, want %v", what, got, sum)
	}
}

func TestProportional(t *testing.T) {
	each(t, func(t *rapid.T, d document, b beam) {
		a, more, stiffer := b.bend(t, d).all, b, b
		more.load, stiffer.rigidity = -4*b.load, 4*b.rigidity
		loaded, stiff := more.bend(t, d).all, stiffer.bend(t, d).all
		for name, v := range a {
			byLoad, byRigidity := -4.0, 1.0
			switch name {
			case "position_of_delta_max", "position_of_moment_max":
				byLoad = 1
			case "delta", "delta_max", "slope_tip":
				byRigidity = 0.25
			}
			if loaded[name] != byLoad*v || stiff[name] != byRigidity*v {
				t.Fatalf("%s = %v, %v under -4 times the load, %v if 4 times as stiff", name, v, loaded[name], stiff[name])
			}
		}
		product := ask.With(b.inputs(d), ask.In{"flexural_rigidity": nil, "elastic_modulus": 0.5, "second_moment_of_area": 2 * b.rigidity})
		if got := ask.For(t, d.engine, product).Number; !maps.Equal(got, a) {
			t.Fatalf("%v by EI, %v by E and I", a, got)
		}
	})
}

func TestMirrorImage(t *testing.T) {
	for _, d := range []document{held["simply_supported"], held["fixed_fixed"], distributed["simply_supported"], distributed["fixed_fixed"]} {
		rapid.Check(t, func(t *rapid.T) {
			b := draw(t)
			mirror := b
			mirror.at, mirror.position = b.length-b.at, b.length-b.position
			l, r := b.bend(t, d), mirror.bend(t, d)
			if l.delta != r.delta || l.left != r.right || l.momentLeft != r.momentRight || l.all["delta_max"] != r.all["delta_max"] {
				t.Fatalf("%v, of the mirror image %v", l, r)
			}
		})
	}
}

// TestReciprocal is the theorem of Maxwell and Betti.
func TestReciprocal(t *testing.T) {
	for _, d := range []document{cantilever, held["simply_supported"], held["propped_cantilever"], held["fixed_fixed"]} {
		rapid.Check(t, func(t *rapid.T) {
			there := draw(t)
			if there.position == 0 || there.position == there.length {
				return
			}
			back := there
			back.at, back.position = there.position, there.at
			if a, b := there.bend(t, d), back.bend(t, d); a.delta != b.delta {
				t.Fatalf("delta = %v, with places exchanged %v", a.delta, b.delta)
			}
		})
	}
}

// TestReactionsHoldCantilever: a cantilever under the load, the reactions and the moment of the
// right end bends as the beam does. A pin at the left end lets it turn until the right end is at its support.
func TestReactionsHoldCantilever(t *testing.T) {
	for name, d := range held {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := draw(t)
				a, free := b.bend(t, d), b.bend(t, cantilever)
				tip, lifted := b, b
				tip.position = b.length
				lifted.load, lifted.at = -a.right, b.length
				terms := []float64{free.delta, lifted.bend(t, cantilever).delta, a.momentRight * b.position * b.position / (2 * b.rigidity)}
				if name == "simply_supported" {
					lifted.position = b.length
					turn := b.position / b.length
					terms = append(terms, -turn*tip.bend(t, cantilever).delta, -turn*lifted.bend(t, cantilever).delta)
				}
				equal(t, "delta", a.delta, terms...)
				equal(t, "left reaction", a.left, b.load, -a.right)
				equal(t, "moment at the left end", a.momentLeft, free.momentLeft, -a.right*b.length, a.momentRight)
				equal(t, "moment at the load", a.momentAtForce, a.left*b.at, -a.momentLeft)
			})
		})
	}
}

// TestCantileverIsStraightBeyondLoad compares slope and deflection there.
func TestCantileverIsStraightBeyondLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		b.position = b.length
		tip := b.bend(t, cantilever)
		b.position = b.at
		a, slope := b.bend(t, cantilever), tip.all["slope_tip"]
		equal(t, "delta at the tip", tip.delta, a.delta, slope*(b.length-b.at))
		equal(t, "delta at the load", a.delta, 2*slope*b.at/3)
		equal(t, "moment at the wall", a.momentLeft, a.left*b.at)
	})
}

// TestLoadIsSumOfParts integrates over point loads. On each side of the position, their effects are
// polynomials of degree 3 in the place of the load. So the rule of Gauss with three nodes has no error.
func TestLoadIsSumOfParts(t *testing.T) {
	compare := func(t *rapid.T, point, whole document) {
		b := draw(t)
		var sum bent
		for _, piece := range [][2]float64{{0, b.position}, {b.position, b.length}} {
			for i, weight := range []float64{5. / 18, 8. / 18, 5. / 18} {
				width, part := piece[1]-piece[0], b
				part.at = piece[0] + width*(0.5+float64(i-1)*math.Sqrt(0.15))
				part.load *= weight * width
				if whole.load == trianglePeak {
					part.load *= part.at / b.length
				}
				if width == 0 {
					continue
				}
				a := part.bend(t, point)
				sum.delta, sum.left, sum.right = sum.delta+a.delta, sum.left+a.left, sum.right+a.right
				sum.momentLeft, sum.momentRight = sum.momentLeft+a.momentLeft, sum.momentRight+a.momentRight
			}
		}
		a := b.bend(t, whole)
		equal(t, "delta", a.delta, sum.delta)
		equal(t, "left reaction", a.left, sum.left)
		equal(t, "right reaction", a.right, sum.right)
		equal(t, "moment at the left end", a.momentLeft, sum.momentLeft)
		equal(t, "moment at the right end", a.momentRight, sum.momentRight)
	}
	for name, d := range distributed {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { compare(t, held[name], d) }) })
	}
	t.Run("triangular", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { compare(t, held["simply_supported"], triangular) })
	})
}

// TestLargestMoment is where the shear force is zero.
func TestLargestMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		for name, output := range map[string]string{"simply_supported": "moment_max", "propped_cantilever": "moment_span_max", "fixed_fixed": "moment_midspan"} {
			a := b.bend(t, distributed[name])
			place := a.left / b.load
			equal(t, output, a.all[output], a.left*place/2, -a.momentLeft)
		}
		a := b.bend(t, triangular)
		place := a.all["position_of_moment_max"]
		equal(t, "load before the largest moment", b.load*place*place/(2*b.length), a.left)
		equal(t, "moment_max", a.all["moment_max"], a.left*place*2/3)
	})
}

// TestLargestDeflection compares it with the deflection at its place, next to it and at any place. A deflection
// above the limit at any place gives a warning.
func TestLargestDeflection(t *testing.T) {
	each(t, func(t *rapid.T, d document, b beam) {
		a := b.bend(t, d)
		if a.delta != 0 {
			large := b
			large.load *= 0.1 * (1 + 1e-9) * b.length / math.Abs(a.delta)
			if _, warned := large.bend(t, d).warnings["LARGE_DEFLECTION"]; !warned {
				t.Fatalf("no warning of a deflection at %v under %v", b.position, large.load)
			}
		}
		most, given := a.all["delta_max"]
		if !given {
			return
		}
		place, given := a.all["position_of_delta_max"]
		if !given {
			place = b.length / 2
		}
		there := b
		there.position = place
		if got := there.bend(t, d).delta; math.Abs(got-most) > 4e-16*math.Abs(most) || math.Abs(a.delta) > math.Abs(most) {
			t.Fatalf("delta = %v at %v and %v at %v, delta_max = %v", a.delta, b.position, got, place, most)
		}
		for _, step := range []float64{-1e-4, 1e-4} {
			there.position = place + step*b.length
			if got := there.bend(t, d).delta; math.Abs(got) >= math.Abs(most) {
				t.Fatalf("delta = %v at %v, delta_max = %v at %v", got, there.position, most, place)
			}
		}
	})
}
