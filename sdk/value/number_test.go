package value_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// reference formats a number as AppendNumber does, but only with strconv.
func reference(f float64) string {
	if f == 0 {
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	text := []byte(strconv.FormatFloat(f, 'e', -1, 64))
	if n := len(text); text[n-4] == 'e' && text[n-2] == '0' {
		text = append(text[:n-2], text[n-1])
	}
	return string(text)
}

// Numbers of few digits are written without strconv, and equal to its output.
func TestAppendNumber(t *testing.T) {
	check := func(f float64) {
		t.Helper()
		if got, want := string(value.AppendNumber([]byte("x"), f)), "x"+reference(f); got != want {
			t.Fatalf("AppendNumber(%x) = %s, want %s", f, got, want)
		}
	}
	edges := []float64{0, 1, 10, 999999999999999, 1e15, 1 << 53, 1e-6, 9.99999999999999, 0.000001234567890123456, 123456789012345, 12345678901234.5, 1e21, 5e-324, math.MaxFloat64}
	for e := -330; e < 310; e++ {
		edges = append(edges, math.Pow10(e))
	}
	for _, f := range edges {
		for _, near := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, math.MaxFloat64)} {
			check(near)
			check(-near)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		digits := random.Int64N(int64(math.Pow10(1 + random.IntN(17))))
		f, _ := strconv.ParseFloat(strconv.FormatInt(digits, 10)+"e"+strconv.Itoa(random.IntN(28)-24), 64)
		check(f)
		check(math.Nextafter(f, 0))
	}
}

func BenchmarkAppendNumber(b *testing.B) {
	for name, f := range map[string]float64{"few digits": 12.375, "many digits": 4.12345678901, "full": math.Pi} {
		b.Run(name, func(b *testing.B) {
			var out []byte
			for b.Loop() {
				out = value.AppendNumber(out[:0], f)
			}
		})
	}
}
