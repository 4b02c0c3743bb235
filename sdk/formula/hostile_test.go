package formula

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"testing"
)

// fill repeats a part between a start and an end as often as limits of a text allow.
func fill(start, part, end string) string {
	filled := func(n int) string { return start + strings.Repeat(part, n) + end }
	n := sort.Search(MaxBytes, func(n int) bool {
		text := filled(n + 1)
		if len(text) > MaxBytes {
			return true
		}
		_, err := Parse(text)
		return err != nil
	})
	return filled(n)
}

// hostile are the most expensive texts that were found, to read or to evaluate.
var hostile = map[string]string{
	"comments":            "x = 1 #" + strings.Repeat("#", MaxBytes-7),
	"empty lines":         "x = 1" + strings.Repeat("\n", MaxBytes-5),
	"blank lines":         "x = 1" + strings.Repeat("\n ", MaxBytes/2-3),
	"one long name":       strings.Repeat("x", MaxBytes-4) + " = 1",
	"many names":          repeat("x%d = x%[2]d + 1", 1, MaxDefinitions),
	"names on one line":   strings.ReplaceAll(repeat("x%d = 1", 1, MaxDefinitions), "\n", ";"),
	"cases":               fill("", "x = 1 if a;", ""),
	"a sum":               fill("x = a", "+a", ""),
	"negative numbers":    fill("x = 1", "*-1", ""),
	"parentheses":         fill("x = 1", "+"+strings.Repeat("(", 30)+"a"+strings.Repeat(")", 30), ""),
	"depth":               "x = " + strings.Repeat("(", MaxDepth-1) + "1" + strings.Repeat(")", MaxDepth-1),
	"chains":              fill("x = 1 if a", "<a", ""),
	"nested chains":       "x = 1 if " + strings.Repeat("1 < abs(", 9) + "1" + strings.Repeat(") < 2", 9),
	"long numbers":        fill("x = 1", "+"+strings.Repeat("9", MaxDigits), ""),
	"large exponents":     fill("x = 1", "+1e999", ""),
	"small exponents":     fill("x = 1", "+7e-999", ""),
	"long and small":      fill("x = 1", "+"+strings.Repeat("9", 20)+"e-999", ""),
	"units":               fill("x = 1", "+{1 inHg}", ""),
	"words":               fill(`x = 1 if a == "b"`, ` or a == "b"`, ""),
	"left over":           fill("x = a", "+a", "") + " a",
	"unknown function":    fill("x = a", "+a", "+f(1)"),
	"functions":           doubling(10, "x+x", "x"),
	"functions of sin":    doubling(8, "sin(x)", "x/3"),
	"functions of ln":     doubling(9, "ln(x + 7)", "x"),
	"cases of functions":  "f0(x) = x if x < 1 < x\nf0(x) = 2\n" + repeat("f%d(x) = f%[2]d(x)^2", 1, 9) + "\ny = sum(i in 1..1000: f9(i))",
	"sums in sums":        "y = sum(i in 1..1000: sum(j in 1..1000: sum(k in 1..1000: i*j*k)))",
	"sums of sines":       fill("y = 0", "+ sum(i in 1..1000: sin(i/7))", ""),
	"sums of roots":       fill("y = 0", "+ sum(i in 1..1000: sqrt(i))", ""),
	"sums of powers":      "y = sum(i in 1..1000: (1 + 1/i)^1073741824)",
	"harmonic":            fill("y = 0", "+ sum(i in 1..1000: 1/i)", ""),
	"rationals that grow": "x1 = 1.1\n" + repeat("x%d = x%[2]d^2 + 1/x%[2]d", 2, MaxDefinitions),
	"long rationals":      fill("y = 0", "+sum(i in 1..1000: (1e299+i)/(1e299+3*i))", ""),
	"equal rationals":     fill("y = sum(i in 1..1000: 0", "+(1e150+i)/7", ")"),
	"squares":             "x1 = 1.1\n" + repeat("x%d = x%[2]d*x%[2]d", 2, MaxDefinitions),
	"roots of roots":      "x1 = 2\n" + repeat("x%d = sqrt(x%[2]d)", 2, MaxDefinitions),
	"a tower of roots":    "y = " + strings.Repeat("sqrt(1+", MaxDepth-2) + "1" + strings.Repeat(")", MaxDepth-2),
	"exact roots":         fill("y = sum(i in 1..1000: 0", "+sqrt((1e150*i)^2)", ")"),
	"powers of powers":    "y = 9^9^9",
	"exp of exp":          "y = exp(exp(exp(3)))",
	"exp of large":        fill("y = sum(i in 1..1000: 0", "+exp(1e8 + i)", ")"),
	"exp of small":        "y = exp(exp(-1e8)) + exp(-exp(-1e8)) - 2",
	"far apart":           fill("y = sum(i in 1..1000: 0", "+(exp(2e8) - exp(-2e8))", ")"),
	"ln near one":         fill("y = sum(i in 1..1000: 0", "+ln(1 + 1e-300*i)", ")"),
	"undecided":           "y = 1 if sqrt(2)*sqrt(3) == sqrt(6)",
	"undecided sines":     "y = 1 if " + strings.Repeat("sin(", 20) + "1" + strings.Repeat(")", 20) + " == 0 and sin(1)^2 + cos(1)^2 == 1",
	"undecided logarithm": fill("y = 1 if 0", "+ln(2)+ln(3)-ln(6)", " == 0"),
	"undecided angles":    fill("y = 1 if 0", "+atan(1/2)+atan(1/3)-atan(1)", " == 0"),
	"large angles":        fill("y = 1 if 0", "+sin(1e300)^2+cos(1e300)^2-1", " == 0"),
	"angles of all sizes": "y = sum(i in 1..1000: sin(2^i))",
	"hyperbolic":          fill("y = 1 if 0", "+cosh(2)^2-sinh(2)^2-1", " == 0"),
	"medians":             fill("y = 0", "+median(list)", ""),
	"greatest":            fill("y = 0", "+max(list)", ""),
	"means":               fill("y = 0", "+mean(list)", ""),
	"indexes":             fill("y = sum(i in 1..1000: 0", "+list[i]", ")"),
	"lists":               repeat("x%d[i in 1..1000] = sqrt(i) + a", 1, 30),
	"a recurrence":        "x[0] = a\nx[i in 1..1000] = x[i-1]*(2 - x[i-1])/1.1\ny = x[1000]",
	"lists in sums":       "x[i in 1..1000] = sum(k in 1..1000: sum(j in 1..1000: i*j*k))\ny = x[1]",
	"autocorrelation":     "m = mean(list); y = sum(i in 1..999: (list[i] - m)*(list[i+1] - m))/sum(v in list: (v - m)^2)",
	"an equation":         "solve y in [1e-8, 1e303]: 1/sqrt(y) = -2*log10(0.001/3.7 + 2.51/(1e5*sqrt(y)))",
	"a slow equation":     "solve y in [-1e300, 1e300]: sum(i in 1..100: exp(-y^2/i)) = 1e-300*y + 50",
	"no root":             "solve y in [-1, 2]: y^3*sum(i in 1..20: cos(y*i)) = 0",
	"a flat root":         "solve y in [-1, 2]: y^31 = 0.1^31*(1 + sin(1)^2 + cos(1)^2 - 1)/1",
	"an undecided root":   "solve y in [-1, 2]: exp(ln(y + 3)) - 3 = 0",
	"equations":           repeat("solve x%d in [0, 10]: exp(x%[1]d) = 2 + sin(x%[1]d)", 1, MaxDefinitions),
}

// doubling returns functions that each call the previous one twice.
func doubling(n int, first, argument string) string {
	return "f0(x) = " + first + "\n" + repeat("f%d(x) = f%[2]d("+argument+") + f%[2]d(x)", 1, n) + fmt.Sprintf("\ny = sum(i in 1..1000: f%d(i))", n)
}

var hostileInputs = func() []Input {
	list := make([]float64, 1000)
	for i := range list {
		list[i] = 1e300 / float64(1+(i*7919)%1000)
	}
	return []Input{in("list", list), in("a", 0.1)}
}()

func BenchmarkParseHostile(b *testing.B) {
	for name, text := range hostile {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text)
			}
		})
	}
}

// never is never satisfied, so that the precision becomes as high as possible.
func never(*Value) bool { return false }

func BenchmarkEvaluateHostile(b *testing.B) {
	for name, source := range hostile {
		text, err := Parse(source)
		if err != nil {
			continue
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Evaluate(hostileInputs, nil, never)
			}
		})
	}
}

// Reading a hostile text allocates at most 4 MiB.
func TestParseHostile(t *testing.T) {
	for name, text := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Parse(text)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

// Evaluating a hostile text ends with the operation that exceeds the work.
func TestEvaluateHostile(t *testing.T) {
	for name, source := range hostile {
		text, err := Parse(source)
		if err != nil {
			continue
		}
		r := text.Evaluate(hostileInputs, nil, never)
		if beyond := -r.env.work.left; len(r.Values) == 0 || beyond > MaxWork/2 {
			t.Errorf("%s: %d values, with %d of %d more work than allowed", name, len(r.Values), beyond, MaxWork)
		}
	}
}
