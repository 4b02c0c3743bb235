package sdk_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var literal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// An exact decimal is a finite number in the grammar of JSON, and nothing else.
func TestCheckLiteral(t *testing.T) {
	fields := []sdk.Field{{Name: "price", Type: sdk.TypeNumber, Decimal: true}}
	check := func(text string) {
		t.Helper()
		f, err := strconv.ParseFloat(text, 64)
		want := err == nil && !math.IsInf(f, 0) && literal.MatchString(text)
		if err := sdk.CheckValues(fields, value.Values{value.ExactOf(text)}); (err == nil) != want {
			t.Errorf("%q: %v, want it allowed: %v", text, err, want)
		}
	}
	for _, text := range []string{"", "-", "0", "-0", "00", "01", "-01", "1", "1.", ".5", "1.5", "1.50", "1e5", "1E+5", "1e-5", "1e", "1e+", "1e5.0", "+1", "--1", "1e999", "0x10", "1_0", "Inf", "NaN", "1\n", " 1", "1 ", "0e0", "0.0e-0"} {
		check(text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]byte, 1+random.IntN(7))
		for i := range text {
			text[i] = "0012.-+eE9"[random.IntN(10)]
		}
		check(string(text))
	}
}
