package formula_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/formula"
)

var update = flag.Bool("update", false, "write the golden files")

// renderer skips the test where KaTeX is not in place; scripts/test puts it there.
func renderer(t testing.TB) *formula.Renderer {
	t.Helper()
	r, err := formula.New()
	if errors.Is(err, formula.Missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const cantilever = `\begin{aligned}EI\,\delta(x)&=w_0\,T(x)+w\,U(x)+\tfrac12 M_0x^2\\ T(x)&=\begin{cases}\dfrac{x^2(10b^3-10b^2x+5bx^2-x^3)}{120\,b}&x\le b\\[1ex]\dfrac{b^3(5x-b)}{120}&x\ge b\end{cases}\\ U(x)&=\frac{(L-a)\,x^2\,(3(L+a)-2x)}{12}+\frac{\langle x-a\rangle^4}{24}\end{aligned}`

// shown are formulas as engines have them, and what is special in KaTeX's MathML.
var shown = []string{
	`I=\frac{P}{k\,V\,\mathrm{pf}},\quad S=k\,V\,I`,
	`q=\varepsilon\sigma\,(T^4-T_2^4),\quad Q=qA`,
	cantilever,
	`x_{\max}^2+\sin^2\theta+\log_{10}x+\max_{x}f`, // signs of application that are children too many
	`\mathbf{K}\,\boldsymbol{\sigma}+\mathcal{L}+\mathbb{R}+\mathsf{a}+\mathrm{Re}+\mathit{h}`,
	`\left(\frac{a}{b}\right)^2/c+|x|+\sqrt[3]{\bar x}+f'_c`,
	`\sum_{i=1}^n x_i\to\int_0^L M(x)\,\mathrm{d}x`,
	`\begin{pmatrix}a&b\\c&d\end{pmatrix}\text{ where }\boxed{a\ne 0}`,
	`v=\color{red}x\kern-9em\raisebox{9em}{y}\rlap{yz}\not\in z`,
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-update writes it):\n%s", file, diff)
	}
}

func TestMathML(t *testing.T) {
	r := renderer(t)
	var b strings.Builder
	for i, latex := range shown {
		html, err := r.MathML(latex, i%2 == 0)
		if err != nil {
			t.Errorf("%s: %v", latex, err)
			continue
		}
		check(t, html)
		b.WriteString(latex + "\n" + string(html) + "\n\n")
	}
	golden(t, "mathml.golden", b.String())
}

// allowed are the elements of MathML that a page may show, with their attributes. It
// says again what the package has, so that a slip there is seen.
var allowed = map[string]string{
	"math": "display", "mrow": "", "mstyle": "displaystyle scriptlevel", "mpadded": "width lspace", "mphantom": "",
	"mi": "mathvariant", "mn": "", "mo": "stretchy fence separator symmetric largeop movablelimits lspace rspace minsize maxsize", "mtext": "",
	"mspace": "width height depth", "mfrac": "linethickness", "msqrt": "", "mroot": "", "msub": "", "msup": "", "msubsup": "",
	"munder": "accentunder", "mover": "accent", "munderover": "accent accentunder", "menclose": "notation",
	"mtable": "columnalign columnspacing columnlines rowspacing rowlines class", "mtr": "", "mtd": "class",
}

var value = regexp.MustCompile(`^[a-z0-9 .+-]+$`)

// check reports what a page must not show: what is no well-formed math element, or has
// anything that is not allowed.
func check(t testing.TB, html template.HTML) {
	t.Helper()
	depth := 0
	for d := xml.NewDecoder(strings.NewReader(string(html))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, html)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attributes, ok := allowed[e.Name.Local]
			if !ok || (e.Name.Local == "math") != (depth == 0) {
				t.Fatalf("element %s in %s", e.Name.Local, html)
			}
			for _, a := range e.Attr {
				if !slices.Contains(strings.Fields(attributes), a.Name.Local) || !value.MatchString(a.Value) {
					t.Fatalf("%s=%q of %s in %s", a.Name.Local, a.Value, e.Name.Local, html)
				}
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if strings.ContainsAny(string(e), "\u202e\u2066\u200f\x00") {
				t.Fatalf("unseen characters in %s", html)
			}
		default:
			t.Fatalf("%T in %s", token, html)
		}
	}
}

// The LaTeX that is made of texts of formulas is LaTeX. Clients may show it so.
func TestMadeOfTexts(t *testing.T) {
	r := renderer(t)
	file, err := os.ReadFile(filepath.Join("..", "..", "..", "sdk", "formula", "testdata", "latex.golden"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for part := range strings.SplitSeq(strings.TrimSpace(string(file)), "\n\n") {
		name, latex, _ := strings.Cut(part, "\n")
		if len(latex) > 2048 {
			continue // is more than KaTeX is given
		}
		html, err := r.MathML(latex, true)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		check(t, html)
		found++
	}
	if found < 10 {
		t.Errorf("%d formulas found", found)
	}
}

// hostile is LaTeX of people who mean harm.
var hostile = map[string]string{
	"link":            `\href{javascript:alert(1)}{x}`,
	"address":         `\url{https://example.com/}`,
	"class":           `\htmlClass{stamp}{x}\htmlStyle{position:fixed}{x}\htmlId{a}{x}\htmlData{a=b}{x}`,
	"image":           `\includegraphics[height=9em]{https://example.com/a.png}`,
	"markup":          `\text{</math><script>alert(1)</script>}<b>&lt;`,
	"over the page":   `\raisebox{-99em}{\kern-99em\text{verified}}\rule[-50em]{999em}{999em}\smash{\rlap{x}}`,
	"reversed":        "\\text{\u202everified\u2066\x00}",
	"endless":         `\def\a{\a\a}\a`,
	"two, endless":    `\gdef\a{\b}\long\def\b{\a}\a`,
	"command":         `\newcommand{\a}{\a\a}\a`,
	"another name":    `\let\a\href\a{javascript:alert(1)}{x}`,
	"doubling":        strings.Repeat(`\Braket{a|`, 120) + strings.Repeat("}", 120),
	"long":            strings.Repeat("x", 5000),
	"braces":          strings.Repeat("{", 1000) + strings.Repeat("}", 1000),
	"open braces":     strings.Repeat("{", 2000),
	"roots":           strings.Repeat(`\sqrt{`, 290) + "x" + strings.Repeat("}", 290),
	"fractions":       strings.Repeat(`\frac{1}{`, 200) + "x" + strings.Repeat("}", 200),
	"fences":          strings.Repeat(`\left(`, 150) + strings.Repeat(`\right)`, 150),
	"cells":           `\begin{matrix}` + strings.Repeat("&", 2000) + `\end{matrix}`,
	"rows":            `\begin{matrix}` + strings.Repeat(`\\`, 1000) + `\end{matrix}`,
	"marks":           "x" + strings.Repeat("\u0301", 1000),
	"spaces":          `\def\a` + strings.Repeat(" ", 2000),
	"no Unicode":      "\xff\xfe\xc0",
	"unknown command": `\unknown{x}`,
	"empty":           ``,
	"prototype":       `\constructor\prototype\hasOwnProperty`,
}

// Whatever comes, it is answered in bounded time, and shows nothing but MathML.
func TestHostile(t *testing.T) {
	r := renderer(t)
	for name, latex := range hostile {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			html, err := r.MathML(latex, true)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if err == nil {
				check(t, html)
			}
			if html, err = r.MathML("x^2", false); err != nil || html != "<math><msup><mi>x</mi><mn>2</mn></msup></math>" {
				t.Errorf("after it, x^2 is %s, %v", html, err)
			}
		})
	}
}

// What cannot be shown is told, every time, and harms nobody else.
func TestErrors(t *testing.T) {
	r := renderer(t)
	for _, name := range []string{"endless", "two, endless", "command", "another name", "long", "braces", "roots", "cells", "unknown command", "link", "image"} {
		for range 2 {
			if html, err := r.MathML(hostile[name], true); err == nil || html != "" {
				t.Errorf("%s: %.100s, %v", name, html, err)
			}
		}
	}
}

// A host that was built without KaTeX is told so.
func TestMissing(t *testing.T) {
	if _, err := formula.NewOf(fstest.MapFS{".gitignore": {}}, time.Second); !errors.Is(err, formula.Missing) {
		t.Error(err)
	}
}

// Whatever happens in the interpreter ends there, and is not tried again at once. What
// comes next finds another interpreter.
func TestInterpreter(t *testing.T) {
	const script = `var n = 0; var katex = {renderToString: function f(latex) {
		n++;
		if (latex == "loop") for (;;);
		if (latex == "deep") return f(latex);
		if (latex == "throw") throw new Error("bad LaTeX");
		if (latex == "shape") return "<p></p>";
		if (latex == "large") { var s = "x"; while (s.length < 1e6) s += s; return s; }
		return "<math><mn>" + n + "</mn></math>";
	}}`
	r, err := formula.NewOf(fstest.MapFS{"katex.min.js": {Data: []byte(script)}}, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ latex, want, fault string }{
		{"a", "<math><mn>1</mn></math>", ""},
		{"throw", "", "bad LaTeX"},
		{"a", "<math><mn>1</mn></math>", ""}, // remembered
		{"b", "<math><mn>3</mn></math>", ""},
		{"loop", "", "too long"},
		{"c", "<math><mn>1</mn></math>", ""},
		{"deep", "", "KaTeX"},
		{"d", "<math><mn>1</mn></math>", ""},
		{"large", "", "bytes"},
		{"shape", "", "shape"},
		{"loop", "", "too long"},
		{"e", "<math><mn>4</mn></math>", ""}, // the second loop was not run
	} {
		html, err := r.MathML(tt.latex, false)
		if string(html) != tt.want || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %s, %v; want %s %s", tt.latex, html, err, tt.want, tt.fault)
		}
	}
}

func TestConcurrent(t *testing.T) {
	r := renderer(t)
	want, err := r.MathML(shown[0], true)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				if got, err := r.MathML(shown[0], true); err != nil || got != want {
					t.Errorf("%s, %v", got, err)
				}
				if _, err := r.MathML(shown[(i+j)%len(shown)], false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMathML(f *testing.F) {
	r := renderer(f)
	for _, latex := range shown {
		f.Add(latex)
	}
	for _, latex := range hostile {
		f.Add(latex)
	}
	f.Fuzz(func(t *testing.T, latex string) {
		if len(latex) > 400 {
			return // would be more of the same, slower
		}
		if html, err := r.MathML(latex, false); err == nil {
			check(t, html)
		}
	})
}

func BenchmarkMathML(b *testing.B) {
	r := renderer(b)
	for i := 0; b.Loop(); i++ { // another one each time, because r remembers
		if _, err := r.MathML(fmt.Sprintf("%s+%d", cantilever, i), true); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirst is of the first formula, which waits for KaTeX.
func BenchmarkFirst(b *testing.B) {
	renderer(b)
	for b.Loop() {
		r, err := formula.New()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.MathML(cantilever, true); err != nil {
			b.Fatal(err)
		}
	}
}
