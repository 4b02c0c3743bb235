package formula

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// texts returns the texts of testdata/texts.txt, by name.
func texts(t testing.TB) map[string]*Text {
	t.Helper()
	file, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Text{}
	for _, part := range strings.Split(string(file), "## ")[1:] {
		name, source, _ := strings.Cut(part, "\n")
		text, err := Parse(source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = text
	}
	if len(out) < 15 {
		t.Fatalf("%d texts", len(out))
	}
	return out
}

// sameText reports whether two texts have the same tree.
func sameText(a, b *Text) error {
	if len(a.Definitions) != len(b.Definitions) {
		return fmt.Errorf("%d definitions, not %d", len(b.Definitions), len(a.Definitions))
	}
	for i, x := range a.Definitions {
		y := b.Definitions[i]
		if x.Name != y.Name || x.Kind != y.Kind || x.Unit != y.Unit || fmt.Sprint(x.Params) != fmt.Sprint(y.Params) || len(x.Cases) != len(y.Cases) {
			return fmt.Errorf("%s differs from %s", x.Name, y.Name)
		}
		for j := range x.Cases {
			if !sameCase(&x.Cases[j], &y.Cases[j]) {
				return fmt.Errorf("case %d of %s differs", j, x.Name)
			}
		}
	}
	return nil
}

func sameCase(a, b *Case) bool {
	is := func(x, y *Expr) bool { return x == nil && y == nil || x != nil && y != nil && same(x, y) }
	if a.Otherwise != b.Otherwise || a.ID != b.ID || !is(a.When, b.When) || !is(a.Value, b.Value) || (a.Solve == nil) != (b.Solve == nil) {
		return false
	}
	s, r := a.Solve, b.Solve
	return s == nil || is(s.Low, r.Low) && is(s.High, r.High) && is(s.Left, r.Left) && is(s.Right, r.Right)
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"x = ((a)+(b))*c - (d - (e*f))", "x = (a + b)*c - (d - e*f)"},
		{"x = a - (b + c) - d/(e*f)/g", "x = a - (b + c) - d/(e*f)/g"},
		{"x = (-a)^2 + -(b^2) + (-c)*d + (e^f)^g + h^(i^j)", "x = (-a)^2 + -b^2 + -c*d + (e^f)^g + h^i^j"},
		{"x = -(a*b) - (-(-c))", "x = -(a*b) - -(-c)"},
		{"x = 1 if a<b<=c and not (d or e) or f", "x = 1 if a < b <= c and not (d or e) or f"},
		{"x = 1 if a and (b < c) and c < d", "x = 1 if a and b < c and c < d"},
		{`K = 2 if end=="fixed" @a ; K=1 otherwise @b`, `K = 2 if end == "fixed" @a; K = 1 otherwise @b`},
		{"g:=-9.80665   m/s2 # standard\nT = sum( k in rows : k.t[ 2 ] ) + sum(i in 1 .. n-1: x[i+1])", "g := -9.80665 m/s2; T = sum(k in rows: k.t[2]) + sum(i in 1..n - 1: x[i + 1])"},
		{"solve f in [1e-8,1e303]: 1/sqrt(f)=-2*log10(f) if z\ntaken R", "solve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(f) if z; taken R"},
		{"u(a,b) = max(a,{11000 m},{-1 m})^-b", "u(a, b) = max(a, {11000 m}, {-1 m})^-b"},
	} {
		text, err := Parse(tt.text)
		if err != nil {
			t.Fatalf("%s: %v", tt.text, err)
		}
		if got := text.Line(); got != tt.want {
			t.Errorf("%s is printed as\n%s, want\n%s", tt.text, got, tt.want)
		}
	}
}

// roundTrip fails if the printed text has another tree, or is printed differently the second
// time.
func roundTrip(t *testing.T, text *Text) {
	t.Helper()
	line := text.Line()
	if len(line) > MaxBytes {
		return // blanks made it too long to read
	}
	again, err := Parse(line)
	if err != nil {
		t.Fatalf("%q is printed as %q: %v", text, line, err)
	}
	if err := sameText(text, again); err != nil {
		t.Fatalf("%q is printed as %q: %v", text, line, err)
	}
	if second := again.Line(); second != line {
		t.Fatalf("%q is printed as %q, and that as %q", text, line, second)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, text := range texts(t) {
		roundTrip(t, text)
		laidOut(t, text)
	}
}

func FuzzPrint(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text.source)
	}
	f.Add("x = (-a)^-b^c - (d - -e) if not (a < b < c) and (d and e or f)")
	f.Add("v = a*factor(f = a*c)/factor(b)")
	f.Fuzz(func(t *testing.T, source string) {
		text, err := Parse(source)
		if err != nil {
			return
		}
		roundTrip(t, text)
		laidOut(t, text)
		wellFormed(t, text.MathML(nil))
		text.LaTeX(nil)
		for _, d := range text.Definitions {
			for _, c := range d.Cases {
				text.Resolved(c.ID).Line()
			}
		}
	})
}

func TestResolved(t *testing.T) {
	text := texts(t)["euler_johnson"]
	for id, want := range map[string]string{
		"johnson_column_v1": "lambda = K*L/r; sigma_cr = S_y*(1 - S_y*lambda^2/(4*pi^2*E)); P_cr = sigma_cr*A",
		"euler_column_v1":   "P_E = pi^2*E*I/(K*L)^2; sigma_cr = P_E/A; P_cr = sigma_cr*A",
	} {
		all := text.Resolved(id, "lambda", "P_E", "C_c", "P_cr").Line()
		for _, part := range []string{"K = 0.5 if", "lambda = ", "C_c = ", "P_E = "} {
			if !strings.Contains(all, part) {
				t.Errorf("%s: %s is missing in %s", id, part, all)
			}
		}
		least := text.Resolved(id).Line()
		if !strings.HasSuffix(least, want) || strings.Contains(least, "C_c") {
			t.Errorf("%s: %s, want the end %s", id, least, want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"x = a if c @one; x = b if d; x = e otherwise @two", "x = a if c; x = b if d"},
		{"x = a if c @two; x = b otherwise; y = x", "x = b; y = x"},
		{"x = a if c @two; x = b if d", "x = b if d"},
		{"x = a if c @two; y = 1", "y = 1"},
		{"u(k) = k^2; v(k) = u(k); x = v(2) if c @two; x = 3 otherwise @one", "x = 3"},
	} {
		text, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := text.Resolved("one").Line(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}
