package layers_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/layers"
	"github.com/slipstick/slipstick/sdk"
)

func TestCheck(t *testing.T) {
	if err := layers.Check([]layers.Layer{{Thickness: 1, Conductivity: 1}}); err != nil {
		t.Errorf("one layer: %v, want no error", err)
	}
	if e, _ := layers.Check(nil).(*sdk.Error); e == nil || e.Code != layers.TooFew || e.Field != "layers" || e.Suggestion == "" {
		t.Errorf("no layer: %+v, want %s of layers", e, layers.TooFew)
	}
}

func resistances(t *rapid.T) []elementary.Num {
	var rs []elementary.Num
	for _, r := range rapid.SliceOfN(rapid.Float64Range(1e-6, 1e6), 1, 20).Draw(t, "resistances") {
		rs = append(rs, elementary.Of(r))
	}
	return rs
}

func TestTemperaturesFallAsResistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := resistances(t)
		first, last := rapid.Float64Range(0, 3000).Draw(t, "first"), rapid.Float64Range(0, 3000).Draw(t, "last")
		got := layers.Temperatures(first, last, rs)
		if len(got) != len(rs)+1 || got[0] != first || math.Abs(got[len(rs)]-last) > 1e-12*max(first, last) {
			t.Fatalf("from %v to %v: %v", first, last, got)
		}
		flux := (first - last) / layers.Sum(rs).Float()
		for i, r := range rs {
			if drop := got[i] - got[i+1]; math.Abs(drop-flux*r.Float()) > 1e-12*max(first, last) {
				t.Fatalf("resistance %d takes %v K, want %v", i, drop, flux*r.Float())
			}
		}
	})
}

func TestFigureOfManyLayers(t *testing.T) {
	for n, marked := range map[int]bool{1: true, 100: true, 187: true, 188: false, 2000: false} {
		p := layers.Profile{FirstFilm: true, LastFilm: true, Film: 0.5, Drop: func(first, last, at float64) float64 { return (at - first) / (last - first) }}
		for i := range n + 1 {
			p.Faces = append(p.Faces, float64(i))
		}
		for i := range n + 3 {
			p.Temperatures = append(p.Temperatures, float64(-i))
		}
		f, err := p.Figure()
		if err != nil || f.Check() != nil {
			t.Fatal(n, err, f.Check())
		}
		if got := len(f.Points) > 0; got != marked {
			t.Errorf("%d layers: %d points", n, len(f.Points))
		}
		if c := f.Curves[0]; c.X[0] != -0.5 || c.X[len(c.X)-1] != float64(n)+0.5 || !slices.IsSorted(c.X) {
			t.Errorf("%d layers: the curve runs from %v to %v", n, c.X[0], c.X[len(c.X)-1])
		}
	}
	if _, err := (&layers.Profile{Faces: []float64{0, math.Inf(1)}, Temperatures: []float64{1, 2}}).Figure(); err == nil {
		t.Error("an infinite wall was drawn")
	}
}
