package rating_life

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../rating_life.calc.md")

func TestRequiredRatingGivesRequiredLife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{
			"kind": rapid.SampledFrom([]string{"ball", "roller"}).Draw(t, "kind"), "load_rating": 50e3,
			"equivalent_load": rapid.Float64Range(1e3, 20e3).Draw(t, "P"), "speed": rapid.Float64Range(1, 300).Draw(t, "n"),
			"reliability_factor": rapid.Float64Range(0.2, 1).Draw(t, "a_1"), "required_life": rapid.Float64Range(1e6, 3e8).Draw(t, "L"),
		}
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{"load_rating": a["required_rating"]})).Number
		if want := in["required_life"].(float64); math.Abs(b["modified_rating_life"]-want) > 2e-15*want {
			t.Fatalf("life %v s with the required rating, want %v s", b["modified_rating_life"], want)
		}
	})
}
