package formula_test

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/formula"
)

// values are symbols and their numbers, in turn.
func values(pairs ...string) []formula.Value {
	var out []formula.Value
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, formula.Value{Symbol: pairs[i], Number: pairs[i+1]})
	}
	return out
}

type element struct {
	XMLName xml.Name
	Text    string    `xml:",chardata"`
	Kids    []element `xml:",any"`
}

// plain is what MathML says, in a line.
func plain(t testing.TB, html template.HTML) string {
	t.Helper()
	var e element
	if err := xml.Unmarshal([]byte(html), &e); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(e.line()), " ")
}

func (e *element) line() string {
	var kids []any
	for _, kid := range e.Kids {
		kids = append(kids, kid.line())
	}
	form, ok := map[string]string{
		"mfrac": "{%s/%s}", "msup": "%s^%s", "msub": "%s_%s", "msubsup": "%s_%s^%s", "munderover": "%s_%s^%s", "mover": "%[2]s:%[1]s",
	}[e.XMLName.Local]
	switch {
	case ok:
		return fmt.Sprintf(form, kids...)
	case e.XMLName.Local == "msqrt":
		return "√{" + fmt.Sprint(kids...) + "}"
	case e.XMLName.Local == "mtr":
		return fmt.Sprint(kids...) + " | "
	case e.XMLName.Local == "mspace":
		return " "
	case strings.Contains("=≤+−⋅", e.Text) && e.XMLName.Local == "mo":
		return " " + e.Text + " "
	}
	return e.Text + fmt.Sprint(kids...)
}

func TestSubstitute(t *testing.T) {
	r := renderer(t)
	for _, tt := range []struct {
		name, latex string
		values      []formula.Value
		want        string
	}{
		{"symbols beside each other", `V=IR`, values("I", "1.5", "R", "8"), "V = 1.5 ⋅ 8"},
		{"the left side stays", `V=IR,\quad P=I^2R`, values("V", "12", "I", "1.5", "R", "8", "P", "18"), "V = 1.5 ⋅ 8, P = 1.5^2 ⋅ 8"},
		{"another left side does not", `c^2=a^2+b^2`, values("c", "5", "a", "3", "b", "4"), "5^2 = 3^2 + 4^2"},
		{"a condition is none", `x\le b`, values("x", "3", "b", "4"), "3 ≤ 4"},
		{"a second equation", `P=VI=I^2R`, values("P", "2", "V", "2", "I", "1", "R", "2"), "P = 2 ⋅ 1 = 1^2 ⋅ 2"},
		{"cells of an alignment", `\begin{aligned}V&=IR\\x&>y\end{aligned}`, values("V", "12", "I", "1", "R", "8", "x", "2"), "V = 1 ⋅ 8 | 2>y |"},
		{"longer ones first", `\delta=\frac{F}{EI}+E`, values("E", "2", "I", "3", "EI", "7", "F", "5"), "δ = {5/7} + 2"},
		{"with a space between", `\delta=\frac{F}{E\,I}`, values("EI", "7"), "δ = {F/7}"},
		{"an index is part of the name", `T_2+T+T_{2}^4+M_0`, values("T", "300", "T_2", "350", "M", "9"), "350 + 300 + 350^4 + M_0"},
		{"so is an accent", `\bar x+x+\Delta T`, values("x", "3", "T", "300"), "ˉ:x + 3 + ΔT"},
		{"which can have a value", `\bar x+x+\Delta T+f'_c`, values(`\bar x`, "4", "x", "3", `\Delta T`, "20", "f'_c", "30"), "4 + 3 + 20 + 30"},
		{"a word", `S=\frac{P}{\mathrm{pf}}+p`, values(`\mathrm{pf}`, "0.9", "p", "7"), "S = {P/0.9} + 7"},
		{"digits before a number", `2x+\tfrac12 y+3(x)+10x^2`, values("x", "4", "y", "5"), "2 ⋅ 4 + {1/2} ⋅ 5 + 3(4) + 10 ⋅ 4^2"},
		{"a number before the rest", `x\frac{a}{b}+x\sqrt a+xy+x(a+b)`, values("x", "4"), "4 ⋅ {a/b} + 4√{a} + 4y + 4(a + b)"},
		{"after parentheses", `(L-a)x+\left(L\right)x`, values("L", "4", "a", "1", "x", "2"), "(4 − 1) ⋅ 2 + (4) ⋅ 2"},
		{"powers of ten", `q=xy+x+y^2+2/x`, values("x", "1.2e4", "y", "8.356e-05"), "q = (1.2×10^4) ⋅ (8.356×10^ − 5) + 1.2×10^4 + (8.356×10^ − 5)^2 + 2/(1.2×10^4)"},
		{"negative numbers", `q=x+x-xy+x^2-(x)+\frac{x}{3}`, values("x", "-5", "y", "2"), "q = − 5 + ( − 5) − ( − 5) ⋅ 2 + ( − 5)^2 − ( − 5) + { − 5/3}"},
		{"a function and its arguments", `\delta(x)=w\,T(x;b)+w(x+b)`, values(`\delta`, "9", "x", "3", "b", "2", "w", "7", "T", "8"), "δ(3) = 7 T(3;2) + 7(3 + 2)"},
		{"known functions", `\sin\theta+\sin^2\theta+\ln x`, values(`\theta`, "0.5", "x", "-1e3"), "sin\u2061 0.5 + sin^2\u2061 0.5 + ln\u2061 ( − 1×10^3)"},
		{"an integral", `M=\int_0^x q(x)x\,dx+x`, values("x", "3"), "M = ∫_0^3q(x)x dx + 3"},
		{"integrals in one another", `\int_0^L\int_0^x y\,dy\,dx+xy`, values("x", "3", "y", "4", "L", "5"), "∫_0^5∫_0^xy dy dx + 3 ⋅ 4"},
		{"an integral over a fraction", `\int\frac{dx}{x}+x`, values("x", "3"), "∫{dx/x} + 3"},
		{"a sum", `\sum_{i=1}^n ix+i`, values("i", "3", "n", "9", "x", "2"), "∑_i = 1^9i ⋅ 2 + 3"},
		{"a derivative", `\frac{d\delta}{dx}=\delta x+\frac{\partial^2\delta}{\partial x^2}`, values("x", "3", `\delta`, "2"), "{dδ/dx} = 2 ⋅ 3 + {∂^2δ/∂x^2}"},
		{"a diameter is no differential", `A=dx`, values("d", "2", "x", "3"), "A = 2 ⋅ 3"},
		{"an absolute value", `|x|+a`, values("x", "-3"), "∣ − 3∣ + a"},
		{"units", `U=RI+V`, []formula.Value{{"R", "8", "Ω"}, {"I", "2", "A"}, {"V", "3", "V"}}, "U = (8 Ω) ⋅ (2 A) + 3 V"},
		{"text", `m+1`, values("m", "three-phase <b>"), "three-phase <b> + 1"},
		{"a cell", cantilever, values("E", "2.1e11", "I", "8e-5", "x", "3", "b", "2", "a", "1", "L", "4", "w_0", "12000", "M_0", "-8"),
			"(2.1×10^11) ⋅ (8×10^ − 5) δ(3) = 12000 T(3) + w U(3) + {1/2} ⋅ ( − 8) ⋅ 3^2 | " +
				"T(3) = {{3^2(10 ⋅ 2^3 − 10 ⋅ 2^2 ⋅ 3 + 5 ⋅ 2 ⋅ 3^2 − 3^3)/120 ⋅ 2}3 ≤ 2 | {2^3(5 ⋅ 3 − 2)/120}3≥2 | | " +
				"U(3) = {(4 − 1) ⋅ 3^2 (3(4 + 1) − 2 ⋅ 3)/12} + {⟨3 − 1⟩^4/24} |"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			html, err := r.Substitute(tt.latex, tt.values)
			if err != nil {
				t.Fatal(err)
			}
			check(t, html)
			if got := plain(t, html); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// The numbers are MathML, not only letters.
func TestSubstituteMathML(t *testing.T) {
	r := renderer(t)
	var b strings.Builder
	for _, latex := range []string{`x`, `x^2y`, `\frac{x}{y}`} {
		html, err := r.Substitute(latex, values("x", "-8.356e-5", "y", "12"))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(latex + "\n" + string(html) + "\n\n")
	}
	golden(t, "substitute.golden", b.String())
}

// Substitution leaves the formula as it was for the next one.
func TestSubstituteTwice(t *testing.T) {
	r := renderer(t)
	before, err := r.MathML(cantilever, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Substitute(cantilever, values("x", "-3e5", "b", "2", "L", "1")); err != nil {
			t.Fatal(err)
		}
	}
	if after, err := r.MathML(cantilever, true); err != nil || after != before {
		t.Errorf("%v\n%s\n%s", err, before, after)
	}
}

func TestSubstituteErrors(t *testing.T) {
	r := renderer(t)
	if _, err := r.Substitute("x", values(`\frac`, "1")); err == nil || !strings.Contains(err.Error(), `symbol "\\frac"`) {
		t.Error(err)
	}
	if _, err := r.Substitute("x", make([]formula.Value, 1000)); err == nil {
		t.Error("a thousand values are taken")
	}
}

func BenchmarkSubstitute(b *testing.B) {
	r := renderer(b)
	v := values("E", "2.1e11", "I", "8e-5", "x", "3", "b", "2", "a", "1", "L", "4", "w_0", "12000", "M_0", "-8")
	for b.Loop() {
		if _, err := r.Substitute(cantilever, v); err != nil {
			b.Fatal(err)
		}
	}
}
