package strictjson_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Numbers of few digits are read without strconv, and bit-identical to strconv.
func TestShortNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(literal string) {
		t.Helper()
		want, err := strconv.ParseFloat(literal, 64)
		got, readErr := strictjson.ParseNumber(literal)
		if err != nil || readErr != nil || got.Float != want || got.Text != literal || got.Kind != strictjson.Number || got.Range != strictjson.InRange {
			t.Fatalf("%s: %+v, %v, want %v, %v", literal, got, readErr, want, err)
		}
	}
	for _, literal := range []string{
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993e22", "9223372036854775808", "1844674407370955161.6",
		"4503599627370496.5", "4503599627370497.5", "4503599627370497.501", // halves
		"18446744073709551616", "9999999999999999999", "99999999999999999999", "1e22", "1e23", "1e-22", "1e-23", "1.5e22", "0.5e-22",
		"1e022", "1e0022", "0e999", "0.000000000000000000", "0.0000000000000000001", "1E+2", "-1.25e-3",
	} {
		check(literal)
	}
	for range 100_000 {
		digits := strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
		literal := digits
		if point := random.IntN(len(digits)); point > 0 {
			literal = digits[:point] + "." + digits[point:]
		}
		if random.IntN(2) == 0 {
			literal += fmt.Sprintf("e%d", random.IntN(60)-30)
		}
		if random.IntN(4) == 0 {
			literal = "-" + literal
		}
		if digits != "0" {
			check(literal)
		}
	}
}
