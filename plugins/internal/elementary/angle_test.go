package elementary_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// TestDigits compares with mpmath 1.3.0 at 80 digits.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		name string
		got  elementary.Num
		want string
	}{
		{"e", elementary.Int(1).Exp(), "2.7182818284590452353602874713526624977572470936999595749669"},
		{"e^-0.3 (binary64)", elementary.Of(-0.3).Exp(), "7.40818220681717874291608235944651984876347402739498593904047e-01"},
		{"e^-700", elementary.Int(-700).Exp(), "9.85967654375977085670537294784946510511560018140094171058647e-305"},
		{"e^-1e-20 - 1 (binary64)", elementary.Of(-1e-20).Expm1(), "-9.99999999999999945148271454209571652277987654911963382213527e-21"},
		{"e^-2 - 1", elementary.Int(-2).Expm1(), "-8.64664716763387308106000505027515596592368454090424118531841e-01"},
		{"root of 2", elementary.Int(2).Sqrt(), "1.4142135623730950488016887242096980785696718753769480731767"},
		{"angle of (2, 1)", elementary.Atan2(elementary.Int(1), elementary.Int(2)), "4.63647609000806116214256231461214402028537054286120263810933e-01"},
		{"pi", elementary.Pi, "3.1415926535897932384626433832795028841971693993751058209749"},
	} {
		got, exponent, _ := strings.Cut(c.got.Literal(), "e")
		want, wantExponent, _ := strings.Cut(c.want, "e")
		if wantExponent == "" {
			wantExponent = "+00"
		}
		if exponent != wantExponent || got[:55] != want[:55] {
			t.Errorf("%s = %s, want %s", c.name, c.got.Literal(), c.want)
		}
	}
}

func round(a elementary.Num) float64 { return elementary.Round(context.Background(), "", a) }

func TestProductsOfFourAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		product, back := elementary.Int(2), elementary.Int(2)
		for range 4 {
			f := elementary.Of(rapid.Float64Range(0.1, 10).Draw(t, "f"))
			product = product.Mul(f)
			back = f.Mul(back)
		}
		if product.Sub(back).Sign() != 0 {
			t.Fatalf("%s is not %s", product.Literal(), back.Literal())
		}
	})
}

func TestAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, x := rapid.Float64Range(-10, 10).Draw(t, "y"), rapid.Float64Range(-10, 10).Draw(t, "x")
		got, want := round(elementary.Atan2(elementary.Of(y), elementary.Of(x))), math.Atan2(y+0, x+0)
		if math.Abs(got-want) > 1e-15*math.Abs(want)+1e-320 {
			t.Fatalf("angle of (%v, %v) is %v, want %v", x, y, got, want)
		}
	})
	for _, c := range []struct{ y, x, want float64 }{
		{0, 0, 0}, {0, 1, 0}, {0, -1, math.Pi}, {1, 0, math.Pi / 2}, {-1, 0, -math.Pi / 2}, {1e-300, 1, 1e-300}, {-1, -1, -3 * math.Pi / 4},
	} {
		if got := round(elementary.Atan2(elementary.Of(c.y), elementary.Of(c.x))); got != c.want {
			t.Errorf("angle of (%v, %v) is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestWhatRoundsToZeroIsToldToTheEngine(t *testing.T) {
	type in struct {
		X float64 `name:"x"`
	}
	type out struct {
		Y float64 `name:"y"`
	}
	engine := sdk.New(sdk.Spec{Capability: "test.elementary.square", Version: "1.0.0", Tool: "square", Group: "test", Title: "Square", Summary: "x^2."},
		func(ctx context.Context, in in) (out, error) {
			return out{elementary.Round(ctx, "y", elementary.Of(in.X).Mul(elementary.Of(in.X)))}, nil
		})
	for x, want := range map[float64]int{1e-200: 1, 0: 0, 1: 0} {
		o, err := engine.Calculate(t.Context(), value.Values{value.NumberOf(x)})
		if err != nil || len(o.Warnings) != want {
			t.Errorf("%v: warnings %v, error %v, want %d warnings", x, o.Warnings, err, want)
		}
	}
}

func BenchmarkAtan2(b *testing.B) {
	x, y := elementary.Of(1.7), elementary.Of(1.1)
	for b.Loop() {
		elementary.Atan2(y, x)
	}
}
