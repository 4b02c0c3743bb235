package value_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// A Number from a literal is written like a computed one, and is equal to it. Literals of up
// to 15 digits in the usual notation are kept.
func TestNumberAs(t *testing.T) {
	check := func(literal string) value.Value {
		f, err := strconv.ParseFloat(literal, 64)
		if err != nil {
			t.Fatal(err)
		}
		v, computed := value.NumberAs(f, literal), value.NumberOf(f)
		if got, want := string(v.AppendNumber(nil)), string(value.AppendNumber(nil, f)); got != want {
			t.Errorf("%s is written as %s, want %s", literal, got, want)
		}
		if !v.Equal(computed) || !computed.Equal(v) || v.Text() != "" || v.Number() != computed.Number() {
			t.Errorf("%s: %v is not %v", literal, v, computed)
		}
		return v
	}
	r := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('0' + r.IntN(10))
		}
		return string(b)
	}
	for range 100_000 {
		literal := []string{"", "-"}[r.IntN(2)] + strconv.FormatUint(uint64(r.Int64())>>r.IntN(64), 10)
		if r.IntN(4) > 0 {
			literal += "." + digits(1+r.IntN(18))
		}
		if r.IntN(8) == 0 {
			literal += "e" + strconv.Itoa(r.IntN(560)-280)
		}
		check(literal)
	}
	for _, f := range []float64{1e-6, 1e15, 1e16, 1e21, 1e22, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 1 << 53} {
		for _, near := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1))} {
			if math.IsInf(near, 0) {
				continue
			}
			for _, form := range "feg" {
				check(strconv.FormatFloat(near, byte(form), -1, 64))
			}
		}
	}
	for literal, kept := range map[string]bool{
		"0": true, "-0": false, "0.0": false, "1": true, "-1": true, "1.0": false, "10": true, "0.1": true, "-0.25": true, "1e3": false, "1E3": false,
		"123456789012345": true, "1234567890123456": false, "0.000001": true, "0.0000001": false, "12345678.1234567": true, "1234567890.12345": true,
	} {
		if v := check(literal); v != value.NumberOf(v.Number()) != kept {
			t.Errorf("%s is kept: %v, want %v", literal, !kept, kept)
		}
	}
}
