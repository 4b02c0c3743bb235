package formula

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// A result vanishes if it is not 0. Sums that cancel are 0, with operands of any size.
func TestVanishes(t *testing.T) {
	const least = 5e-324
	for _, c := range []struct {
		source   string
		x        float64
		vanishes bool
	}{
		{"y = x^2", least, true},
		{"y = exp(-1/x)", least, true}, // too small for bounds
		{"y = x^4 - x^4", least, false},
		{"y = x^8 - x^8", least, false},
		{"y = 3*((1 + x^3)/3) - 1", least, true},
		{"y = 3*((1 + x)/3) - 1 - x", least, false},
		{"y = x*sqrt(2) - x*sqrt(2)", 1, false},
	} {
		text, err := Parse(c.source)
		if err != nil {
			t.Fatal(err)
		}
		symbols := []Symbol{{Name: "x", Input: "x", Required: true}, {Name: "y", Output: "y"}}
		p, _ := text.OfDocument(false).Compile(symbols, []string{"y"})
		var y [1]Outcome
		p.Evaluate(y[:], []value.Value{value.NumberOf(c.x)})
		if y[0].State != Known || y[0].Value.Number() != 0 || y[0].Vanishes != c.vanishes {
			t.Errorf("%s at %v: %+v, want 0, and it vanishes: %v", c.source, c.x, y[0], c.vanishes)
		}
	}
}
