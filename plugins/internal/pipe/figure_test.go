package pipe_test

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pipe"
	"github.com/slipstick/slipstick/sdk"
)

// TestMoody: each curve of the family solves the equation of its label, and the zone is where no law is
// sure, as high as the chart.
func TestMoody(t *testing.T) {
	flow := pipe.Flow{Reynolds: 1e5, Roughness: 0.0009, Factor: 0.0216}
	f, plot := flow.Moody(), pipe.MoodyPlot()
	if err := plot.Check(f); err != nil {
		t.Fatal(err)
	}
	family := map[string]float64{"0.05": 0.05, "0.001": 0.001, "0.00001": 0.00001, "smooth": 0}
	least, most := math.Inf(1), 0.0
	for _, c := range f.Curves {
		if c.Style == sdk.Zone {
			continue
		}
		for i, re := range c.X {
			least, most = min(least, c.Y[i]), max(most, c.Y[i])
			roughness, listed := family[c.Label]
			if want := pipe.ColebrookFactor(elementary.Of(re), elementary.Of(roughness)).Float(); listed && c.Style == sdk.Context && math.Abs(c.Y[i]-want) > 1e-12*want {
				t.Fatalf("%s at Re = %v: %v, want %v", c.Label, re, c.Y[i], want)
			}
		}
		delete(family, c.Label)
	}
	zone := f.Curves[len(f.Curves)-1]
	if len(family) > 0 || zone.Style != sdk.Zone || zone.X[0] != pipe.LaminarEnd || zone.X[1] != pipe.TransitionalEnd || zone.Y[0] != least || zone.Y[2] != most {
		t.Errorf("not drawn: %v; zone %+v, want it from %v to %v", family, zone, least, most)
	}
}
