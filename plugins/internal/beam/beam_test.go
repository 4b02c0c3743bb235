package beam_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/beam"
	"github.com/slipstick/slipstick/sdk"
)

func TestRigidity(t *testing.T) {
	e, i, ei := new(210e9), new(8e-5), new(1.68e7)
	for name, c := range map[string]struct {
		rigidity    beam.Rigidity
		code, field string
	}{
		"E and I":     {beam.Rigidity{e, i, nil}, "", ""},
		"EI":          {beam.Rigidity{nil, nil, ei}, "", ""},
		"nothing":     {beam.Rigidity{nil, nil, nil}, sdk.CodeMissingRequiredInput, "elastic_modulus"},
		"I alone":     {beam.Rigidity{nil, i, nil}, sdk.CodeMissingRequiredInput, "elastic_modulus"},
		"E alone":     {beam.Rigidity{e, nil, nil}, sdk.CodeMissingRequiredInput, "second_moment_of_area"},
		"all":         {beam.Rigidity{e, i, ei}, sdk.CodeConflictingInputs, "flexural_rigidity"},
		"EI beside E": {beam.Rigidity{e, nil, ei}, sdk.CodeConflictingInputs, "flexural_rigidity"},
		"EI beside I": {beam.Rigidity{nil, i, ei}, sdk.CodeConflictingInputs, "flexural_rigidity"},
	} {
		err := c.rigidity.Check()
		if rejection, ok := err.(*sdk.Error); c.code == "" && err != nil || c.code != "" && (!ok || rejection.Code != c.code || rejection.Field != c.field || rejection.Suggestion == "") {
			t.Errorf("%s: %v, want %s of %s with a suggestion", name, err, c.code, c.field)
		}
	}
	for _, r := range []beam.Rigidity{{new(3.0), new(0.25), nil}, {nil, nil, new(0.75)}} {
		if got := adaptive.Round(t.Context(), "EI", r.Of); got != 0.75 {
			t.Errorf("EI = %v, want 0.75", got)
		}
	}
}

func constant(v float64) beam.Value {
	return func(x *adaptive.X) adaptive.Num { return x.Of(v) }
}

// overhanging is a beam of 8 m that is held at its left end only. Its loads begin and
// end anywhere: 6 N at 2 m, 3 N/m falling to nothing between 4 m and 6 m.
func overhanging() beam.Beam {
	b := beam.Beam{
		Length: 8, Left: sdk.WallLeft,
		Forces:     []beam.Force{{Label: "force", At: 2, Force: 6}},
		Loads:      []beam.Load{{Label: "load", From: 4, To: 6, Start: 3}, {Label: "nowhere", From: 5, To: 5, Start: 9, End: 9}},
		Deflection: func(at float64) float64 { return at * at }, Position: 3, Largest: 8,
	}
	b.Balance(constant(9), constant(26))
	return b
}

func TestDiagrams(t *testing.T) {
	b := overhanging()
	for plot, want := range map[string]map[float64][]float64{
		"shear":      {0: {9}, 2: {9, 3}, 4: {3}, 6: {0}, 8: {0}},
		"moment":     {0: {-26}, 2: {-8}, 4: {-2}, 6: {0}, 8: {0}},
		"deflection": {0: {0}, 3: {9}, 8: {64}},
	} {
		f, err := b.Draw(t.Context(), plot)
		if err != nil {
			t.Fatal(err)
		}
		curve := f.Curves[0]
		for x, values := range want {
			i, found := slices.BinarySearch(curve.X, x)
			if got := curve.Y[i : i+len(values)]; !found || curve.X[i+len(values)-1] != x || !slices.Equal(got, values) {
				t.Errorf("%s at %v: %v, want %v", plot, x, got, values)
			}
		}
		if !slices.Equal(f.Supports, []sdk.Support{{Kind: sdk.WallLeft}}) {
			t.Errorf("%s: supports %v", plot, f.Supports)
		}
	}
}

func TestMarks(t *testing.T) {
	simple := beam.Beam{
		Length: 8, Left: sdk.Pin, Right: sdk.Roller,
		Forces:     []beam.Force{{At: 2, Force: 4}, {At: 6, Force: -4}},
		Deflection: func(at float64) float64 { return at }, Position: 8, Largest: 8,
	}
	simple.Balance(constant(2), nil)
	for name, c := range map[string]struct {
		beam beam.Beam
		plot string
		want []sdk.Point
	}{
		"both ends":        {simple, "shear", []sdk.Point{{Label: "left end", X: 0, Y: 2}, {Label: "right end", X: 8, Y: 2}}},
		"a free end":       {overhanging(), "shear", []sdk.Point{{Label: "left end", X: 0, Y: 9}}},
		"both ways":        {simple, "moment", []sdk.Point{{Label: "largest sagging moment", X: 2, Y: 4}, {Label: "largest hogging moment", X: 6, Y: -4}}},
		"largest at wall":  {overhanging(), "moment", []sdk.Point{{Label: "left end", X: 0, Y: -26}}},
		"two places":       {overhanging(), "deflection", []sdk.Point{{Label: "largest deflection", X: 8, Y: 64}, {Label: "position", X: 3, Y: 9}}},
		"one and the same": {simple, "deflection", []sdk.Point{{Label: "largest deflection, at position", X: 8, Y: 8}}},
	} {
		f, err := c.beam.Draw(t.Context(), c.plot)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Points, c.want) {
			t.Errorf("%s: %+v, want %+v", name, f.Points, c.want)
		}
	}
}

func TestSketch(t *testing.T) {
	b := overhanging()
	b.Couple = &beam.Couple{Label: "couple", Moment: -1}
	got, err := b.Draw(t.Context(), "sketch")
	if err != nil {
		t.Fatal(err)
	}
	want := &sdk.Figure{
		Curves: []sdk.Curve{
			{Label: "beam", Style: sdk.Member, X: []float64{0, 8}, Y: []float64{0, 0}},
			{Label: "load", Style: sdk.Load, X: []float64{4, 6}, Y: []float64{3, 0}},
		},
		Arrows:   []sdk.Arrow{{Label: "force", X: 2, Y: 6, ToX: 2}},
		Couples:  []sdk.Couple{{Label: "couple", X: 8, Counterclockwise: true}},
		Supports: []sdk.Support{{Kind: sdk.WallLeft}},
	}
	want.Shapes = got.Shapes
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	bent := got.Shapes[0]
	for i, x := range bent.X {
		if bent.Y[i] != -x*x { // its deflection is the square of x, downwards
			t.Errorf("the beam is drawn bent by %v at %v", bent.Y[i], x)
		}
	}
	b.Deflection = func(float64) float64 { return math.Inf(1) }
	if got, err = b.Draw(t.Context(), "sketch"); err != nil || len(got.Shapes) != 0 {
		t.Errorf("bent beyond all numbers: %v, %v", got, err)
	}
}

func TestWhatCannotBeDrawnIsRejected(t *testing.T) {
	b := beam.Beam{Length: 1e300, Left: sdk.WallLeft, Deflection: func(float64) float64 { return 0 }, Position: 1e300, Largest: 1e300}
	b.Balance(constant(1e100), nil)
	_, err := b.Draw(t.Context(), "moment")
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult || rejection.Suggestion == "" {
		t.Errorf("a moment beyond all numbers: %v, want %s", err, sdk.CodeNonFiniteResult)
	}
	if _, err := b.Draw(t.Context(), "shear"); err != nil {
		t.Error(err)
	}
}

func TestSmallIsUpToATenth(t *testing.T) {
	if limit := beam.Small("delta"); *limit.Max != 0.1 || limit.Warning != beam.LargeDeflection {
		t.Errorf("%+v", limit)
	}
}
