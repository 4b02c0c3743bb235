package beam_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/beam"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
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

// asked is what an engine of the test is asked: a load on a length, and its largest
// deflection.
type asked struct {
	Load    float64 `name:"load"`
	Length  float64 `name:"length"`
	Largest float64 `name:"largest"`
}

type answer struct {
	Load float64 `name:"load"`
}

// outcome is what an engine says that calls say.
func outcome(t *testing.T, in asked, say func(ctx context.Context, in asked)) sdk.Outcome {
	t.Helper()
	engine := sdk.New(sdk.Spec{Capability: "test.beam", Version: "1.0.0", Tool: "beam", Group: "test", Title: "Beam", Summary: "Beam."},
		func(ctx context.Context, in asked) (answer, error) {
			say(ctx, in)
			return answer{}, nil
		})
	o, err := engine.Calculate(t.Context(), value.Values{value.NumberOf(in.Load), value.NumberOf(in.Length), value.NumberOf(in.Largest)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWarn(t *testing.T) {
	for name, c := range map[string]struct {
		in       asked
		code     string
		severity sdk.Severity
	}{
		"small":              {asked{1, 8, 0.75}, "", ""},
		"a tenth":            {asked{1, 10, 1}, "", ""},
		"more than a tenth":  {asked{1, 10, math.Nextafter(1, 2)}, beam.LargeDeflection, sdk.Caution},
		"upwards":            {asked{-1, 10, -1.5}, beam.LargeDeflection, sdk.Caution},
		"three tenths":       {asked{1, 10, 3}, beam.LargeDeflection, sdk.Caution},
		"more than that":     {asked{1, 10, math.Nextafter(3, 4)}, beam.LargeDeflection, sdk.Critical},
		"beyond all numbers": {asked{1, 1e-300, 1e300}, beam.LargeDeflection, sdk.Critical},
		"no load":            {asked{0, 10, 0}, beam.NoLoad, sdk.Info},
	} {
		o := outcome(t, c.in, func(ctx context.Context, in asked) {
			beam.Warn(ctx, "point_load", in.Load, in.Length, func(x *adaptive.X) adaptive.Num { return x.Of(in.Largest).Pow(2) }, beam.LargeFixed)
		})
		switch {
		case c.code == "" && len(o.Warnings) != 0, c.code != "" && len(o.Warnings) != 1:
			t.Errorf("%s: %v, want one warning if any", name, o.Warnings)
		case c.code != "" && (o.Warnings[0].Code != c.code || o.Warnings[0].Severity != c.severity):
			t.Errorf("%s: %v, want %s, %s", name, o.Warnings[0], c.code, c.severity)
		case c.code == beam.NoLoad && !strings.Contains(o.Warnings[0].Suggestion, "point_load"):
			t.Errorf("%s: suggestion %q names no input", name, o.Warnings[0].Suggestion)
		case c.code == beam.LargeDeflection && !strings.HasSuffix(o.Warnings[0].Detail, beam.LargeFixed):
			t.Errorf("%s: %q does not say what becomes of the theory", name, o.Warnings[0].Detail)
		}
	}
}

func TestPlaceLoad(t *testing.T) {
	for _, c := range []struct {
		sent    *float64
		want    float64
		assumed []string
	}{
		{new(0.0), 0, nil},
		{nil, 3, []string{"load_position is not given: the load acts at midspan."}},
	} {
		var got float64
		o := outcome(t, asked{}, func(ctx context.Context, _ asked) { got = *beam.PlaceLoad(ctx, c.sent, 3, "at midspan") })
		if got != c.want || !slices.Equal(o.Assumptions, c.assumed) {
			t.Errorf("at %v, assumed %q, want %v, %q", got, o.Assumptions, c.want, c.assumed)
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
