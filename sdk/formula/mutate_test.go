package formula

import (
	"slices"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	tests := []struct {
		text string
		want []string // the differences, line by line
	}{
		{"y = a + b", []string{"y = a - b", "y = b + b", "y = a + pi"}},
		{"y = a - 2*b", []string{"y = a + 2*b", "y = 2*b - a", "y = b - 2*b", "y = a - 2/b", "y = a - 3*b", "y = a - 2*pi"}},
		{"y = -x^2.5", []string{"y = x^2.5", "y = -2.5^x", "y = -pi^2.5", "y = -x^2.5025"}},
		{"y = x^(n/2)", []string{"y = x^(n/2 + 1)", "y = (n/2)^x", "y = n^(n/2)", "y = x^(n*2)", "y = x^(2/n)", "y = x^(pi/2)", "y = x^(n/3)"}},
		{"y = 1.5e-3 if a < 0", []string{"y = 1.5e-3 if not a < 0", "y = 1.5e-3 if a <= 0", "y = 1.5e-3 if 0 < a", "y = 1.5e-3 if pi < 0", "y = 1.5e-3 if a < 1", "y = 1.5015e-3 if a < 0"}},
		{`y = 1 if m == "x" or c and f`, []string{
			`y = 1 if not (m == "x" or c and f)`, `y = 1 if m == "x" and (c and f)`, `y = 1 if m != "x" or c and f`,
			`y = 1 if m == "x" or (c or f)`, `y = 1 if m == "x" or f and f`, `y = 1 if m == "x" or c and false`, `y = 2 if m == "x" or c and f`}},
		{`y = 1 if k == "a" and m == "b"`, []string{
			`y = 1 if not (k == "a" and m == "b")`, `y = 1 if k == "a" or m == "b"`, `y = 1 if k != "a" and m == "b"`, `y = 1 if m == "a" and m == "b"`,
			`y = 1 if k == "a" and m != "b"`, `y = 1 if k == "a" and k == "b"`, `y = 2 if k == "a" and m == "b"`}},
		{"y = 1 if a < b <= 2", []string{
			"y = 1 if not a < b <= 2", "y = 1 if a < b or b <= 2", "y = 1 if a <= b <= 2", "y = 1 if b < a and b <= 2", "y = 1 if a < b < 2", "y = 1 if a < b and 2 <= b",
			"y = 1 if b < b <= 2", "y = 1 if a < pi <= 2", "y = 1 if a < b <= 3", "y = 2 if a < b <= 2"}},
		{"g := 9.80665 m/s2 # CGPM", []string{"g := 9.81645665 m/s2"}},
		{"n := -3", []string{"n := -2"}},
		{"y = {11000 m} - {-2.5 K}", []string{"y = {11000 m} + {-2.5 K}", "y = {-2.5 K} - {11000 m}", "y = {11001 m} - {-2.5 K}", "y = {11000 m} - {-2.5025 K}"}},
		{"f(x) = x*k; y = f(2) + k # why\n\t- z", []string{"f(x) = x/k; y = f(2) + k - z", "f(x) = z*k; y = f(2) + k - z", "f(x) = x*pi; y = f(2) + k - z",
			"f(x) = x*k; y = f(2) + k + z", "f(x) = x*k; y = z - (f(2) + k)", "f(x) = x*k; y = f(2) - k - z", "f(x) = x*k; y = f(3) + k - z", "f(x) = x*k; y = f(2) + pi - z", "f(x) = x*k; y = f(2) + k - k"}},
		{"y = sum(i in 1..count(v): v[i]) + mean(w)", []string{
			"y = sum(i in 1..count(v): v[i]) - mean(w)", "y = sum(i in 2..count(v): v[i]) + mean(w)", "y = sum(i in 1..count(w): v[i]) + mean(w)",
			"y = sum(i in 1..count(v): w[i]) + mean(w)", "y = sum(i in 1..count(v): v[pi]) + mean(w)", "y = sum(i in 1..count(v): v[i]) + mean(v)"}},
		{"solve y in [1, 2]: y^2 = a", []string{"solve y in [1, 2]: 2^y = a", "solve y in [1, 2]: a^2 = a", "solve y in [1, 2]: y^3 = a", "solve y in [1, 2]: y^2 = pi"}},
		{"taken R_24 # table", nil},
		{"y = 1 if given(a)", []string{"y = 1 if not given(a)", "y = 2 if given(a)"}},
	}
	for _, test := range tests {
		var got []string
		for _, m := range Mutants(parse(t, test.text)) {
			got = append(got, m.Text.Line())
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.text, strings.Join(got, "\n     "), strings.Join(test.want, "\n     "))
		}
	}
}

// Each mutant of a real text is a different text, no two are the same, and each describes its
// change.
func TestMutantsOfRealTexts(t *testing.T) {
	for name, source := range realTexts(t) {
		text := parse(t, source)
		seen := map[string]bool{text.Line(): true}
		list := Mutants(text)
		for _, m := range list {
			line := m.Text.Line()
			if seen[line] {
				t.Errorf("%s: line %d, %s: such a text was there", name, m.Line, m.What)
			}
			seen[line] = true
			by, _, ok := strings.Cut(m.What, " instead of ")
			if changed := strings.Split(m.Text.String(), "\n")[m.Line-1]; !ok || !strings.Contains(changed, by) {
				t.Errorf("%s: line %d is %q, and not %q", name, m.Line, changed, by)
			}
			if len(m.Text.Definitions) != len(text.Definitions) {
				t.Errorf("%s: %s: %d definitions", name, m.What, len(m.Text.Definitions))
			}
		}
		t.Log(name, len(list))
	}
}

func TestMutantsSay(t *testing.T) {
	list := Mutants(parse(t, "# a remark\ny = a*\n  b # why\n"))
	if len(list) == 0 || list[0].Line != 2 || list[0].What != "((a)/(b)) instead of a* b" {
		t.Errorf("%+v", list)
	}
}
