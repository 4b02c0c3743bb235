package sdk

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/formula"
)

// hostileTexts are a start, a part that is repeated as often as limits allow, and an end.
var hostileTexts = map[string][3]string{
	"sum":         {"y = x", "+a", ""},
	"product":     {"y = x", "*a", ""},
	"quotients":   {"y = x", "/a", ""},
	"powers":      {"y = x", "+a^9^9^9^9", ""},
	"roots":       {"y = " + strings.Repeat("sqrt(a+", 28) + "1", "*(a+b)", strings.Repeat(")", 28)},
	"fractions":   {"y = " + strings.Repeat("1/(a+", 14) + "1", "*(a+b)", strings.Repeat(")", 14)},
	"squares":     {"y = " + strings.Repeat("(a+", 28) + "1", "+a*b", strings.Repeat(")^2", 28)},
	"conditions":  {"y = x if a < 1", " or a<b", ""},
	"chains":      {"y = x if a", "<a", ""},
	"cases":       {"", "y = x if a<b;", "y = 1"},
	"ids":         {"", "y = x if a<b @f0;", "y = 1 otherwise @f1"},
	"given":       {"y = x if given(a)", " or given(a,b,a,b,a,b,a,b)", ""},
	"units":       {"y = x", "+{1 inHg}", ""},
	"products":    {"y = x", "*{1 kg3 m2/(s3 A2)}", ""},
	"wrong names": {"y = x", "+a*zz", ""},
	"wrong sums":  {"y = x", "+(a+1)", ""},
	"minima":      {"y = x", "+min(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)", ""},
	"sines":       {"y = x", "+sin(a)", ""},
	"signs":       {"y = x", "-(-a)", ""},
	"long names":  {"y = x", "+" + strings.Repeat("l", 90), ""},
	"numbers":     {"y = x", "+1e9", ""},
	"decimals":    {"y = x", "+1.25", ""},
	"calls":       {"f(x) = x*x*x*a*b*x+x\ny = 0", "+f(a)", ""},
	"deep calls": {"f0(u) = u*a*u/u;f1(u)=f0(u)*f0(u*a)*f0(u*u);f2(u)=f1(u)*f1(u*a);f3(u)=f2(u)*f2(u*a)*f2(u*b*a);" +
		"f4(u)=f3(u)*f3(a*u*u);f5(u)=f4(u)*f4(a*u)*f4(u*u*u);y = 1", "*f5(a*a*a)*f5(b*x^3)", ""},
	"names":     {numbered("Delta_%d_alpha = x + a;", 60) + "y = x", "+Delta_1_alpha", ""},
	"functions": {numbered("f%d(u,v,w,z) = u*v*w*z;", 55) + "y = x", "+f1(a,b,a,b)", ""},
	"sums":      {"y = x", "+sum(i in 1..9: a*i)", ""},
	"equations": {"y = 1;", "solve zz in [1,2]: zz = zz if a<1;", ""},
	"symbols":   {"l = 1;y = x", "+l", ""},
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostileSpec returns the longest Spec with a text and this number of formulas.
func hostileSpec(of [3]string, formulas int) *Spec {
	s := &Spec{Outputs: []Field{{Name: "y", Type: TypeNumber, Unit: "W/(m2 K)"}}, Typesetting: map[string]string{"l": strings.Repeat("l", maxTypesetting)}}
	for i := range 64 {
		s.Inputs = append(s.Inputs, Field{Name: fmt.Sprintf("%c%[1]czy", 'a'+i), Symbol: []string{"x", "a", "b", ""}[min(i, 3)], Type: TypeNumber, Unit: "W/(m2 K)"})
	}
	for i := range formulas {
		s.Formulas = append(s.Formulas, Formula{ID: fmt.Sprint("f", i)})
	}
	sort.Search(formula.MaxBytes, func(n int) bool {
		text, err := formula.Parse(of[0] + strings.Repeat(of[1], n) + of[2])
		if err == nil {
			_, err = s.made(text)
		}
		if err == nil && len(s.Definition) < len(text.String()) {
			s.Definition = text.String()
		}
		return err != nil
	})
	return s
}

// BenchmarkHostileSpec reads Specs of the largest legal length and number of formulas.
func BenchmarkHostileSpec(b *testing.B) {
	for name, of := range hostileTexts {
		for _, n := range []int{1, 4, maxFormulas} {
			s := hostileSpec(of, n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					prepareDefinition(s)
				}
			})
		}
	}
}

// prepareDefinition prepares a Definition as Prepare does.
func prepareDefinition(s *Spec) []error {
	read := *s
	made, errs := read.checkDefinition()
	read.express(made)
	return errs
}

// Reading a hostile Spec allocates at most 4 MiB for its formulas.
func TestHostileSpec(t *testing.T) {
	for name, of := range hostileTexts {
		for _, n := range []int{1, 4, maxFormulas} {
			s := hostileSpec(of, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			prepareDefinition(s)
			runtime.ReadMemStats(&after)
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 4<<20 {
				t.Errorf("%s with %d formulas: %d bytes for a text of %d", name, n, bytes, len(s.Definition))
			}
		}
	}
}
