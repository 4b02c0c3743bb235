package strictjson_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Long literals are read exactly on both sides of each bound of strconv.
func TestLongNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		x := math.Float64frombits(random.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
			continue
		}
		exact := new(big.Rat).SetFloat64(x)
		next := new(big.Rat).SetFloat64(math.Nextafter(x, 2*x))
		halfway := next.Add(next, exact)
		halfway.Mul(halfway, big.NewRat(1, 2))
		digits, _ := halfway.FloatPrec()
		zeros := strings.Repeat("0", random.IntN(3000))
		near := halfway.FloatString(digits)
		if !strings.Contains(near, ".") {
			near += "."
		}
		for literal, want := range map[string]float64{
			fmt.Sprintf("%.1100f", x): x, near + zeros + "1": math.Nextafter(x, 2*x),
		} {
			if v, err := strictjson.ParseNumber(literal); err != nil || v.Float != want && v.Range == strictjson.InRange {
				t.Fatalf("%.60s…: %v %v, want %v", literal, v.Float, err, want)
			}
		}
		// The significand is the same, with a moved point and an exponent that corrects it.
		shift := random.IntN(5000)
		for literal, want := range map[string]float64{
			fmt.Sprintf("%d%s.%se-%d", 12345, strings.Repeat("0", shift), "0", shift): 12345,
			fmt.Sprintf("-0.%s%de%d", strings.Repeat("0", shift), 12345, shift+5):     -12345,
			fmt.Sprintf("9007199254740993%se-%d", strings.Repeat("0", shift), shift):  9007199254740992,
		} {
			if v, err := strictjson.ParseNumber(literal); err != nil || v.Float != want || v.Range != strictjson.InRange {
				t.Fatalf("%.60s… of %d characters: %v %v, want %v", literal, len(literal), v.Float, err, want)
			}
		}
	}
}
