package formula

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fields are the fields of an imaginary engine with one field of each kind.
var fields = []Symbol{
	{Name: "L", Input: "length", Unit: "m", Required: true},
	{Name: "E", Input: "modulus", Unit: "Pa", Required: true},
	{Name: "I", Input: "moment", Unit: "m4"},
	{Name: "n", Input: "turns"},
	{Name: "x", Input: "position", Unit: "m"},
	{Name: "T", Input: "temperature", Output: "temperature", Unit: "K"},
	{Name: "a", Input: "value", AnyUnit: true},
	{Name: "mode", Input: "mode", Kind: WordField, Values: []string{"pinned", "fixed"}},
	{Name: "from", Input: "from", Kind: WordField, Values: []string{"m", "ft"}},
	{Name: "wye", Input: "wye", Kind: BoolField},
	{Name: "y", Input: "data", Kind: ListField, Item: &Symbol{Unit: "m"}},
	{Name: "v", Input: "vertices", Kind: ListField, Item: &Symbol{Kind: ListField, Item: &Symbol{Unit: "m"}}},
	{Name: "layers", Input: "layers", Kind: ListField, Item: &Symbol{Kind: RecordField, Members: []Symbol{
		{Name: "thickness", Unit: "m"}, {Name: "conductivity", Unit: "W/(m K)"}, {Name: "name", Kind: WordField}}}},
	{Name: "delta", Output: "deflection", Unit: "m"},
	{Name: "stable", Output: "stable", Kind: BoolField},
	{Name: "word", Output: "word", Kind: WordField, Values: []string{"low", "high"}},
	{Name: "all", Output: "all", Kind: ListField, Item: &Symbol{}},
}

func TestCheckAgrees(t *testing.T) {
	for _, text := range []string{
		"delta = L",
		"delta = x if given(x); delta = L otherwise",
		"x = L; delta = x",
		"delta = x + L if mode == \"pinned\" and n > 2; delta = 0 otherwise",
		"g := 9.80665 m/s2  # standard gravity\ndelta = L*g/g",
		"n := 3  # number of blades\nd := 1.5 # exponent\ndelta = (L^d*{1 m}^n)^(1/(d + n))",
		"K = 0.7 if mode == \"fixed\" @one\nK = 1 otherwise @two\ndelta = K*L",
		"T(u) = u^2 if u < x\nT(u) = {1 m2} otherwise", // T is the symbol of a field: see below
		"f(u) = u^2\ndelta = f(L)/f(x)*x^1 + sqrt(f(L))",
		"solve delta in [{1e-8 m}, {1e303 m}]: delta/L = exp(-delta/L)",
		"solve delta in [{1 mm}, L]: E*delta^2 = E*L^2",
		"delta = sum(k in layers: k.thickness) + sum(k in 1..count(layers): layers[k].thickness)",
		"delta = sum(k in y: k)/count(y) + mean(y) + median(y) - min(y) + max(y) + max(L, x, 0)",
		"delta = v[1][2] + y[count(y)]",
		"stable = wye or not (x > L) and E != {3 GPa}\ndelta = L if stable",
		"word = \"low\" if x < L; word = \"high\" otherwise\ndelta = L",
		"delta = a*factor(from)/factor(\"ft\") + zero(from)",
		"delta = L*sin(x/L)*atan2(x, L)*ln(E/{1 Pa})*sign(E)*tanh(n)*pi",
		"delta = {11000 m} - {3 ft} + abs(-x) if true",
		"taken delta  # the series is summed until it no longer changes",
		"R_h = x*L/(2*x + L)\ndelta = {1 m(1/3)/s}*R_h^(2/3)/{1 m/s}*L",
	} {
		symbols := fields
		if strings.HasPrefix(text, "T(") {
			symbols = slices.DeleteFunc(slices.Clone(fields), func(s Symbol) bool { return s.Name == "T" })
			text += "\ndelta = sqrt(T(L))"
		} else {
			text += "\nT = {300 K}"
		}
		if strings.HasPrefix(text, "n :=") {
			symbols = slices.DeleteFunc(slices.Clone(symbols), func(s Symbol) bool { return s.Name == "n" })
		}
		parsed, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		ids := []string{"one", "two"}
		if !strings.Contains(text, "@") {
			ids = ids[:1]
		}
		for _, err := range parsed.Check(symbols, ids) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckFails(t *testing.T) {
	for text, want := range map[string]string{
		"delta = P":                               "line 1, column 9: P is not an input, and nothing above defines it",
		"length = L; delta = lenght":              "line 1, column 21: lenght is not an input, and nothing above defines it: is it length?",
		"delta = K; K = L":                        "line 1, column 9: K is used above its definition: change the order",
		"delta = delta":                           "line 1, column 9: delta is used in its own definition",
		"x = x + L; delta = x":                    "line 1, column 5: x is used in its own definition",
		"L = x; delta = L":                        "line 1, column 1: L is always sent or has a default, so that this never counts",
		"delta = L if stable":                     "line 1, column 14: stable is not an input, and nothing above defines it",
		"b = L; delta = L":                        "line 1, column 1: b is used by nothing, and is the symbol of no field",
		"f(u) = u; delta = L":                     "line 1, column 1: f is used by nothing, and is the symbol of no field",
		"f(u) = u; delta = f":                     "line 1, column 19: f is a function: its arguments are missing",
		"T(u) = u; delta = T(L)":                  "line 1, column 1: T is the symbol of input temperature: give the function another name",
		"g := 9.8 m/s2; delta = L*g/g":            "line 1, column 1: the source of g is missing: write it after a #",
		"taken delta":                             "line 1, column 1: the reason is missing why delta is taken: write it after a #",
		"taken K # why\ndelta = K":                "line 1, column 1: K is taken, and no output that is a number",
		"taken stable # why\ndelta = L":           "line 1, column 1: stable is taken, and no output that is a number",
		"b = L @one; delta = b":                   `line 1, column 7: "@" is left over`,
		"delta = L if n > 1 @three":               "line 1, column 1: delta has a case of @three, and the engine has no formula of that id",
		"delta = L if n > 1 @one":                 "no case is of the formula two: write @two after the case for which the engine reports it",
		"delta = L if given(L)":                   "line 1, column 20: L is always sent or has a default, so that this is always true",
		"delta = L if given(delta)":               "line 1, column 20: given asks whether an input was sent, and delta is none",
		"delta = L if mode == \"pined\"":          `line 1, column 22: "pined" is not a value of mode: is it pinned?`,
		"delta = L if mode < \"pinned\"":          "line 1, column 19: a word has no order: compare it with == or !=",
		"delta = L if mode == 3":                  "line 1, column 19: a word is compared with a number without a unit",
		"delta = L if y == v":                     "line 1, column 16: a list cannot be compared",
		"delta = L if L":                          "line 1, column 14: true or false is needed here, and this is m",
		"delta = L if wye < true":                 "line 1, column 18: true or false has no order: compare it with == or !=",
		"delta = wye":                             "line 1, column 9: delta is in m, and this is true or false",
		"delta = L*mode":                          "line 1, column 11: a number without a unit is needed here, and this is a word",
		"delta = y":                               "line 1, column 9: delta is in m, and this is a list",
		"delta = y[0]":                            "line 1, column 11: items are numbered from 1",
		"delta = y[3/2]":                          "line 1, column 12: items are numbered from 1",
		"delta = y[L]":                            "line 1, column 11: a number without a unit is needed here, and this is m",
		"delta = L[1]":                            "line 1, column 10: only a list has items, and this is m",
		"delta = layers[1].thicknes":              "line 1, column 18: the record has no field thicknes",
		"delta = L.thickness":                     "line 1, column 10: only a record has fields, and this is m",
		"delta = sum(k in L: k)":                  "line 1, column 18: a sum goes over a list, and this is m",
		"delta = sum(n in y: n)":                  "line 1, column 9: the sum calls its index n, which is a name already: give the index another one",
		"delta = mean(layers)*L":                  "line 1, column 14: mean takes a list of numbers, and this has a record in it",
		"delta = max(L)":                          "line 1, column 13: max of one argument takes a list, and this is m",
		"delta = max(L, E)":                       "line 1, column 16: the arguments of max are alike, and these are m and Pa",
		"delta = abs(mode)":                       "line 1, column 13: abs takes a number, and this is a word",
		"delta = L*factor(mode)":                  `line 1, column 18: factor takes a unit, and "pinned" is none`,
		"delta = L*factor(n)":                     "line 1, column 18: factor takes a word that is a unit, and this is a number without a unit",
		"delta = L + E":                           "line 1, column 11: Pa is added to m",
		"delta = L - 1":                           "line 1, column 11: a number without a unit is subtracted from m",
		"delta = L if x < 2":                      "line 1, column 16: m is compared with a number without a unit",
		"delta = L^2":                             "line 1, column 10: delta is in m, and this is in m2",
		"delta = L if n > 1; delta = E otherwise": "line 1, column 29: delta is in m, and this is in Pa",
		"delta = E*L*exp(x)":                      "line 1, column 17: exp takes a number without a unit, and this is m",
		"delta = ln(E*x^2)":                       "line 1, column 13: ln takes a number without a unit, and this is N",
		"delta = atan2(L, E)*L":                   "line 1, column 18: the arguments of atan2 are alike, and these are m and Pa",
		"delta = L^n":                             "line 1, column 10: a power of m needs a number as exponent, such as 2 or (3/2)",
		"delta = 2^L":                             "line 1, column 11: a number without a unit is needed here, and this is m",
		"delta = L^1e9":                           "line 1, column 10: a power of m needs a number as exponent, such as 2 or (3/2)",
		"delta = ((L^1000)^1000)^1000":            "line 1, column 24: the exponents of the unit are larger than in any quantity",
		"solve delta in [0, 1]: delta = E":        "line 1, column 24: m is on the left of the equation, and Pa on the right",
		"solve delta in [E, E]: delta = L":        "line 1, column 17: delta is in m, and its interval in Pa",
		"solve u in [L, E]: u = L; delta = u":     "line 1, column 16: the interval goes from m to Pa",
		"f(u) = u + L; delta = f(E)":              "line 1, column 10: m is added to Pa",
		"delta = {20 degC}*L/T":                   "line 1, column 10: {20 degC} is a point on a scale: {20 degC}*L counts from -273.15 degC. If a rise of temperature is meant, give it the unit K difference; otherwise write {20 degC} - {0 degC}",
		"delta = {1 metre}":                       `line 1, column 10: unit "metre" is not known: metre is none`,
		"delta = {1 m^2}/L":                       `line 1, column 10: unit "m^2" is not factors with blanks between them, such as W/(m2 K)`,
		"n = 2":                                   "delta is not defined: it is the symbol of output deflection; define it, or write taken delta with the reason behind a #",
	} {
		rest := ""
		for _, line := range []string{"delta = L", "T = {300 K}"} {
			if name, _, _ := strings.Cut(line, " "); !strings.Contains(text, name+" =") && !strings.Contains(text, name+"(") && !strings.Contains(text, "taken "+name) &&
				!strings.Contains(text, "solve "+name) && text != "n = 2" {
				rest += "\n" + line
			}
		}
		ids := []string{"one"}
		if strings.Contains(text, "@") {
			ids = []string{"one", "two"}
		}
		parsed, err := Parse(text + rest)
		errs := []error{err}
		if err == nil {
			errs = parsed.Check(fields, ids)
		}
		if len(errs) == 0 || !slices.ContainsFunc(errs, func(err error) bool { return err.Error() == want }) {
			t.Errorf("%s\ngot  %v\nwant %s", text, errors.Join(errs...), want)
		}
	}
}

// The names of fields are checked for every text.
func TestCheckOfFields(t *testing.T) {
	for want, symbols := range map[string][]Symbol{
		"K is the name of input a and of output b, which are not one quantity: give one of them another symbol":              {{Name: "K", Input: "a"}, {Name: "K", Output: "b", Unit: "m"}},
		"pi, the name of input pressure, has a meaning of its own in formulas: give the field a symbol, or another one":      {{Name: "pi", Input: "pressure"}, {Name: "K", Output: "b"}},
		`unit "m^2" of input area is not factors with blanks between them, such as W/(m2 K)`:                                 {{Name: "A", Input: "area", Unit: "m^2"}, {Name: "K", Output: "b"}},
		`K is not defined: it is the symbol of input a and output b; define it, or write taken K with the reason behind a #`: {{Name: "K", Input: "a", Output: "b"}, {Name: "y", Output: "y"}},
	} {
		parsed, err := Parse("y = 1")
		if strings.Contains(want, "name of") || strings.Contains(want, "unit") {
			parsed, err = Parse("K = 1")
		}
		if err != nil {
			t.Fatal(err)
		}
		errs := parsed.Check(symbols, nil)
		if !slices.ContainsFunc(errs, func(err error) bool { return err.Error() == want }) {
			t.Errorf("got  %v\nwant %s", errors.Join(errs...), want)
		}
	}
}

// A mistake has its place in the text, and shows the line.
func TestPlaceOfMistake(t *testing.T) {
	parsed, err := Parse("# the beam\nK = 2*L  # a comment\ndelta = K +\n   E")
	if err != nil {
		t.Fatal(err)
	}
	errs := parsed.Check(fields, nil)
	mistake, ok := errors.AsType[*Error](errs[0])
	if !ok || mistake.Line != 3 || mistake.Excerpt() != "delta = K +\n          ^" {
		t.Errorf("%v: %+v", errs, mistake)
	}
}

func TestUnitsOfDefinitions(t *testing.T) {
	text, err := Parse("g := 9.80665 m/s2 # CGPM\nEI = E*I\nf(u) = u^2\nh(u) = u\nK = 2*n\ns = sqrt(x)\nb = f(L) + h(x)*h(L) + h(E)/E*f(x)\nok = x > L\nF = a*L\ndelta = K*g*EI*L*s*b*F if ok\n")
	if err != nil {
		t.Fatal(err)
	}
	symbols := append(slices.Clone(fields), Symbol{Name: "w", Input: "load", Unit: "N/m"}, Symbol{Name: "p", Input: "force", Unit: "Pa"})
	got := fmt.Sprint(text.Units(symbols))
	const want = "map[EI:N m2 K: b:m2 delta:m f:m2 g:m/s2 s:m(1/2)]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// BenchmarkCheck checks a text of the largest cost that Parse accepts: functions that call one
// another, with arguments that have units.
func BenchmarkCheck(b *testing.B) {
	source := "f1(u) = u + u\n"
	for i := 2; i <= 9; i++ {
		source += fmt.Sprintf("f%d(u) = f%d(u) + f%[2]d(u)\n", i, i-1)
	}
	source += "delta = f9(L) + f9(x) + f9(L*E/E) + f8(L^2)/L + f8(L)*L/L\nT = {300 K}"
	text, err := Parse(source)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if errs := text.Check(fields, nil); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
