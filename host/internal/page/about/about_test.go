package about

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
)

// The bounds of a limit have one unit of the reader. The difference of two temperatures has no zero point.
func TestFormatLimit(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	spec := &sdk.Spec{Capability: "thermo.air.test", Group: "air", Inputs: []sdk.Field{{Name: "height", Unit: "m"}, {Name: "heat", Unit: "K"}}}
	for _, tt := range []struct {
		limit  sdk.Limit
		system customary.System
		want   string
	}{
		{sdk.Limit{Quantity: "height", Unit: "m", Min: at(-5000), Max: at(86000)}, customary.Metric, "Height: from −5000 m to 86000 m"},
		{sdk.Limit{Quantity: "height", Unit: "m", Min: at(-5000), Max: at(86000)}, customary.US, "Height: from −3.107 mi to 53.44 mi"},
		{sdk.Limit{Quantity: "heat", Unit: "K", Min: at(273.15)}, customary.US, "Heat: at least 32 °F"},
		{sdk.Limit{Quantity: "heat - 2*heat", Unit: "K", Min: at(5)}, customary.US, "Heat - 2*heat: at least 9 °F"},
		{sdk.Limit{Quantity: "height", Unit: "parsnip", Max: at(1)}, customary.US, "Height: at most 1 parsnip"},
	} {
		if got := formatLimit(spec, &tt.limit, customary.NewReader(tt.system)).Text; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.system, got, tt.want)
		}
	}
}
