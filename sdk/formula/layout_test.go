package formula

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// linear is a notation that Parse reads. With it a test sees whether a formula in two
// dimensions has the parentheses that it needs.
type linear struct{ mathml }

func (linear) number(digits, exponent string) string {
	if exponent != "" {
		return digits + "e" + exponent
	}
	return digits
}
func (linear) unit(id string) string            { return id }
func (linear) name(latex string) (string, bool) { return latex, true }
func (linear) word(text string) string          { return text }
func (linear) function(name string) string      { return name }
func (linear) dot() string                      { return "*" }
func (linear) space() string                    { return "*" }
func (linear) row() marks                       { return marks{} }
func (linear) fraction() marks                  { return marks{"((", ")/(", "))", false} }
func (linear) root() marks                      { return marks{before: "sqrt(", after: ")"} }
func (linear) power() marks                     { return marks{between: "^(", after: ")"} }
func (linear) index() marks                     { return marks{between: "[", after: "]"} }

func (linear) fence(open, shut string) marks {
	if open == "|" {
		open, shut = "abs(", ")"
	}
	return marks{before: open, after: shut}
}

func (linear) sign(op Op) string {
	if op == Neg {
		return "-"
	}
	return operators[op]
}

// laidOut fails if the layout of an expression reads as another one. Sums, units, words, members and calls with names
// have no such notation.
func laidOut(t *testing.T, text *Text) {
	t.Helper()
	l := newLayout(linear{}, func(name string) string { return name })
	helpers := ""
	for _, d := range text.Definitions {
		if d.Kind == Function {
			helpers += d.Name + "(" + strings.Join(d.Params, ",") + ") = 1\n"
		}
	}
	for _, d := range text.Definitions {
		for i := range d.Cases {
			for _, x := range []*Expr{d.Cases[i].Value, d.Cases[i].When} {
				if x == nil || !hasLinear(x) {
					continue
				}
				l.out = l.out[:0]
				l.expr(x)
				line := helpers + "laid_out = " + string(l.out)
				again, err := Parse(line)
				if err != nil {
					if len(line) < MaxBytes/4 && !tooDeep(err) {
						t.Fatalf("%s is laid out as %s: %v", x, line, err)
					}
					continue
				}
				if got := again.Definition("laid_out").Cases[0].Value; !same(got, x) {
					t.Fatalf("%s is laid out as %s, which is %s", x, line, got)
				}
			}
		}
	}
}

func tooDeep(err error) bool {
	var mistake *Error
	return errors.As(err, &mistake) && strings.Contains(mistake.Message, "more than")
}

func hasLinear(x *Expr) bool {
	all := true
	x.walk(func(y *Expr) {
		all = all && !slices.Contains([]Op{Fold, Member, Literal, Ask}, y.Op) && y.Unit == "" &&
			!(y.Op == Call && (y.Name == "given" || y.Name == "log10")) && strings.ToLower(y.Literal) == y.Literal && !strings.Contains(y.Literal, "+")
	})
	return all
}

// wellFormed fails unless the text is one element, with known names, and tokens that hold text.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	depth, roots := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			if !slices.Contains(elements, e.Name.Local) || (e.Name.Local == "math") != (depth == 0) {
				t.Fatalf("%s at depth %d in %s", e.Name.Local, depth, text)
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if roots != 1 || depth != 0 {
		t.Fatalf("%d roots in %s", roots, text)
	}
}

var elements = []string{"math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msqrt", "msup", "msub", "msubsup", "mover", "munder", "munderover", "mtable", "mtr", "mtd"}

// typesetting is the typesetting of an engine.
func typesetting(name string) string {
	return map[string]string{"kappaAG": `\kappa AG`, "sigma_cr": `\sigma_{\mathrm{cr}}`, "R2": "R^2", "T_ci": "T_{c,i}", "DeltaT_m": `\Delta T_{\mathrm{m}}`}[name]
}

// The golden files were checked by eye: LaTeX in a document, and MathML in a browser.
func TestGolden(t *testing.T) {
	all := texts(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var latex, mathML strings.Builder
	for _, name := range names {
		math := all[name].MathML(typesetting)
		wellFormed(t, math)
		latex.WriteString(name + "\n" + strings.ReplaceAll(all[name].LaTeX(typesetting), ` \\ `, " \\\\\n") + "\n\n")
		mathML.WriteString("<h2>" + name + "</h2>\n" + math + "\n")
	}
	golden(t, "latex.golden", latex.String())
	golden(t, "mathml.golden", mathML.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (-update writes it); got:\n%s", file, got)
	}
}

func TestTypeset(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "sigma_x": `\sigma_{x}`, "DeltaT_1": `\Delta T_{1}`, "Qdot": `\dot{Q}`, "ybar": `\bar{y}`, "pf_1": `\mathrm{pf}_{1}`,
		"kappaAG": `\kappa AG`, "EI": "EI", "tau_xy": `\tau_{xy}`, "P_cr": `P_{\mathrm{cr}}`, "s_ybar": `s_{\bar{y}}`, "R_24": "R_{24}",
		"Re": `\mathrm{Re}`, "Deltap": `\Delta p`, "omegadot_m": `\dot{\omega}_{m}`, "a_b_c": "a_{b,c}", "varepsilon": `\varepsilon`,
	} {
		got := Typeset(name)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if _, ok := readName(got); !ok {
			t.Errorf("%s: MathML cannot be made of %s", name, got)
		}
	}
}

func TestReadName(t *testing.T) {
	for latex, want := range map[string]string{
		`w_0`:                   "<msub><mi>w</mi><mn>0</mn></msub>",
		`R^2`:                   "<msup><mi>R</mi><mn>2</mn></msup>",
		`T_{c,i}`:               "<msub><mi>T</mi><mrow><mi>c</mi><mo>,</mo><mi>i</mi></mrow></msub>",
		`\dot Q`:                `<mover accent="true"><mi>Q</mi><mo>˙</mo></mover>`,
		`\kappa AG`:             "<mrow><mi>κ</mi><mi>A</mi><mi>G</mi></mrow>",
		`\delta_{\max}`:         "<msub><mi>δ</mi><mi>max</mi></msub>",
		`E_{\mathrm{J}}`:        `<msub><mi>E</mi><mi mathvariant="normal">J</mi></msub>`,
		`\href{x}{y}`:           "",
		`a<b`:                   "",
		`\mathrm{<b>}`:          "",
		`x_{a_{b}}`:             "<msub><mi>x</mi><msub><mi>a</mi><mi>b</mi></msub></msub>",
		`{`:                     "",
		`x}`:                    "",
		`x_1_2`:                 "<msub><mi>x</mi><mrow><mn>1</mn><mo>,</mo><mn>2</mn></mrow></msub>", // a name
		`x_{1}_2`:               "",
		`_1`:                    "",
		``:                      "",
		strings.Repeat("{", 50): "",
	} {
		got, ok := readName(latex)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %v; want %s", latex, got, ok, want)
		}
		if ok {
			wellFormed(t, "<math>"+got+"</math>")
		}
	}
}

func TestFormatUnit(t *testing.T) {
	for id, want := range map[string]string{
		"N m2": "N·m²", "W/(m2 K4)": "W/(m²·K⁴)", "m(1/3)/s": "m¹ᐟ³/s", "ohm m": "Ω·m", "1/K": "1/K", "degC": "°C", "s-1": "s⁻¹", "kg/(m s K(1/2))": "kg/(m·s·K¹ᐟ²)", "%": "%", "": "",
	} {
		if got := FormatUnit(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
