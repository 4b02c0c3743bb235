package psychrometrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../psychrometrics.calc.md")

func airs(t *rapid.T) ask.In {
	return ask.In{
		"dry_bulb":          rapid.Float64Range(233.15, 353.15).Draw(t, "t"),
		"pressure":          rapid.Float64Range(60e3, 120e3).Draw(t, "p"),
		"relative_humidity": rapid.Float64Range(0.01, 1).Draw(t, "phi"),
	}
}

func TestDewPointBelowWetBulbBelowDryBulb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := airs(t)
		a := ask.For(t, engine, in).Number
		dry := in["dry_bulb"].(float64)
		// Ice and water have different saturation pressures at 0 degC.
		const gap = 0.01
		if a["dew_point"] > a["wet_bulb"]+gap || a["wet_bulb"] > dry+gap {
			t.Fatalf("dew point %v K, wet bulb %v K, dry bulb %v K", a["dew_point"], a["wet_bulb"], dry)
		}
	})
}

func TestWetBulbGivesHumidity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := airs(t)
		a := ask.For(t, engine, in).Number
		if a["wet_bulb"] > in["dry_bulb"].(float64) {
			t.Skip("rounded to a wet bulb above the temperature of the air")
		}
		b := ask.For(t, engine, ask.With(in, ask.In{"relative_humidity": nil, "wet_bulb": a["wet_bulb"]})).Number
		if math.Abs(b["humidity_ratio"]-a["humidity_ratio"]) > 1e-12 {
			t.Fatalf("humidity ratio %v by wet bulb, want %v", b["humidity_ratio"], a["humidity_ratio"])
		}
	})
}

func TestSaturatedAirHasDewPointOfItsTemperature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(airs(t), ask.In{"relative_humidity": 1})
		a := ask.For(t, engine, in).Number
		if dry := in["dry_bulb"].(float64); math.Abs(a["dew_point"]-dry) > 1e-9 || math.Abs(a["wet_bulb"]-dry) > 1e-9 {
			t.Fatalf("dew point %v K, wet bulb %v K, dry bulb %v K", a["dew_point"], a["wet_bulb"], dry)
		}
	})
}
