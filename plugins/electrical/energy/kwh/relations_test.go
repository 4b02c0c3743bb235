package kwh

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../kwh.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func TestEnergyIsPowerTimesTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h, d := rapid.Float64Range(1e-3, 1e6).Draw(t, "W"), rapid.Float64Range(1e-3, 24).Draw(t, "hours"), rapid.Float64Range(1e-3, 1e4).Draw(t, "days")
		energy := func(w, h, d float64) map[string]float64 {
			return ask.For(t, engine, ask.In{"W": w, "hours": h, "days": d, "price_per_kwh": 0.25}).Number
		}
		e := energy(w, h, d)
		if !near(e["joules"], 3.6e6*e["kwh"]) || e["cost"] != e["kwh"]/4 {
			t.Fatalf("%v: one energy, but not 3.6 MJ or a quarter for each kWh", e)
		}
		if energy(2*w, h, d)["kwh"] != 2*e["kwh"] || energy(w, h/2, d)["kwh"] != e["kwh"]/2 || energy(w, d, h)["kwh"] != e["kwh"] {
			t.Fatalf("%v kWh do not scale", e["kwh"])
		}
		more := rapid.Float64Range(1e-3, 1e4).Draw(t, "more days")
		if got, want := energy(w, h, d+more)["kwh"], e["kwh"]+energy(w, h, more)["kwh"]; !near(got, want) {
			t.Fatalf("%v days and %v more: %v kWh, want %v", d, more, got, want)
		}
	})
}

// TestMoreHoursThanADayHas: for one day they can be the whole time.
func TestMoreHoursThanADayHas(t *testing.T) {
	for _, c := range []struct {
		hours, days float64
		want        map[string]sdk.Severity
	}{
		{24, 365, map[string]sdk.Severity{}},
		{24.000000000000004, 365, map[string]sdk.Severity{"MORE_THAN_24_HOURS_PER_DAY": sdk.Caution}},
		{30, 0.5, map[string]sdk.Severity{"MORE_THAN_24_HOURS_PER_DAY": sdk.Caution}},
		{8760, 1, map[string]sdk.Severity{"MORE_THAN_24_HOURS_PER_DAY": sdk.Info}},
	} {
		if a := ask.For(t, engine, ask.In{"W": 1, "hours": c.hours, "days": c.days}); !maps.Equal(a.Warnings, c.want) {
			t.Errorf("%v hours on %v days: warnings %v, want %v", c.hours, c.days, a.Warnings, c.want)
		}
	}
}

func TestCostNeedsAPrice(t *testing.T) {
	in := ask.In{"W": 1000, "hours": 1}
	free := ask.For(t, engine, in)
	if _, ok := free.Number["cost"]; ok || free.Formula != "energy_v1" || free.Echo["days"] != 1.0 {
		t.Errorf("without a price: %v by %q, days %v", free.Number, free.Formula, free.Echo["days"])
	}
	in["price_per_kwh"] = 0
	if paid := ask.For(t, engine, in); paid.Number["cost"] != 0 || paid.Formula != "energy_cost_v1" {
		t.Errorf("at the price 0: %v by %q", paid.Number, paid.Formula)
	}
}
