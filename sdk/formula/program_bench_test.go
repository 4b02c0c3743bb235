package formula

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/value"
)

// benchmarked are texts of the library with usual inputs.
var benchmarked = []struct {
	name, text string
	inputs     []Input
	results    []string
}{
	{"ohms_law", "I = V/R; P = V*I", []Input{in("V", 12), in("R", 4.7)}, []string{"I", "P"}},
	{"cases", "K = 2 if ends == \"fixed\"\nK = 1 otherwise\nA = pi*d^2/4; r = d/4; F = pi^2*E*A/(K*L/r)^2", []Input{in("ends", "fixed"), in("d", 0.05), in("L", 2.4), in("E", 2.1e11)}, []string{"F"}},
	{"transient", "tau = R*C; v = V*(1 - exp(-t/tau)); i = V/R*exp(-t/tau)", []Input{in("R", 1000), in("C", 1e-6), in("V", 5), in("t", 0.0012)}, []string{"tau", "v", "i"}},
	{"power", "p = 101325*(1 - 0.0065*h/288.15)^5.25588", []Input{in("h", 1500)}, []string{"p"}},
	{"friction", "Re = rho*V*D/mu\nsolve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(e/(3.7*D) + 2.51/(Re*sqrt(f)))\nh = f*L/D*V^2/(2*9.80665)",
		[]Input{in("rho", 998.2), in("V", 1.8), in("D", 0.1), in("mu", 0.001), in("e", 4.5e-5), in("L", 100)}, []string{"Re", "f", "h"}},
	{"torsion", "e(i) = exp(-i*pi*p/q)\nJ = p*q^3*(1/3 - 64/pi^5*(q/p)*(1.00452 - sum(i in 1..20: e(2*i - 1)/(2*i - 1)^5)))", []Input{in("p", 0.12), in("q", 0.05)}, []string{"J"}},
	{"regression", "n = count(x); m = mean(x); k = mean(y)\nb = sum(i in 1..n: (x[i] - m)*(y[i] - k))/sum(i in 1..n: (x[i] - m)^2); a = k - b*m",
		[]Input{in("x", []float64{1, 2, 3, 4, 5, 6, 7, 8}), in("y", []float64{2.1, 3.9, 6.2, 7.8, 10.1, 12.2, 13.8, 16.1})}, []string{"a", "b"}},
	{"angles", "theta = atan2(2*t, x - y)/2; s = (x + y)/2 + (x - y)/2*cos(2*theta) + t*sin(2*theta)", []Input{in("x", 8e7), in("y", 2e7), in("t", 2.5e7)}, []string{"theta", "s"}},
}

// program compiles a text of a list, with symbols for its inputs.
func benchmarkedProgram(t testing.TB, i int) (p *Program, inputs []value.Value) {
	b := &benchmarked[i]
	var symbols []Symbol
	for _, one := range b.inputs {
		s := Symbol{Name: one.Name, Input: one.Name, Required: true}
		switch one.Value.Kind() {
		case value.Text:
			s.Kind = WordField
		case value.List:
			s.Kind, s.Item = ListField, &Symbol{}
		}
		symbols, inputs = append(symbols, s), append(inputs, one.Value)
	}
	p, fast := parse(t, b.text).OfDocument(true).Compile(symbols, b.results)
	if !fast {
		t.Fatalf("%s has no fast path", b.name)
	}
	return p, inputs
}

// Usual inputs are decided on the fast path, as the exact evaluator decides them, without allocations.
func TestProgramsOfTheLibrary(t *testing.T) {
	for i := range benchmarked {
		p, inputs := benchmarkedProgram(t, i)
		if !alike(t, p, inputs) {
			t.Errorf("%s is open", benchmarked[i].name)
		}
		into := make([]Outcome, len(p.results))
		if n := testing.AllocsPerRun(100, func() { p.Evaluate(into, inputs) }); n > 1 {
			t.Errorf("%s: %v allocations", benchmarked[i].name, n)
		}
	}
}

func BenchmarkProgram(b *testing.B) {
	for i := range benchmarked {
		p, inputs := benchmarkedProgram(b, i)
		into := make([]Outcome, len(p.results))
		b.Run(benchmarked[i].name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Evaluate(into, inputs)
			}
		})
	}
}

// BenchmarkProgramExact is what the fast path saves.
func BenchmarkProgramExact(b *testing.B) {
	for i := range benchmarked {
		p, inputs := benchmarkedProgram(b, i)
		into := make([]Outcome, len(p.results))
		b.Run(benchmarked[i].name, func(b *testing.B) {
			for b.Loop() {
				p.Evaluation().exact(into, p.results, inputs, MaxWork)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		benchmarkedProgram(b, 4)
	}
}
