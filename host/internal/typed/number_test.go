package typed_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

func TestRead(t *testing.T) {
	damping := &sdk.Field{Name: "c", Type: sdk.TypeNumber, Unit: "N s/m"}
	film := &sdk.Field{Name: "h", Type: sdk.TypeNumber, Unit: "W/(m2 K)"}
	warm := &sdk.Field{Name: "T", Type: sdk.TypeNumber, Unit: "K"}
	expansion := &sdk.Field{Name: "alpha", Type: sdk.TypeNumber, Unit: "1/K"}
	for _, tt := range []struct {
		field *sdk.Field
		text  string
		want  typed.Reading
	}{
		{&plain, " 1.50 ", typed.Reading{Literal: "1.50", Plain: true}},
		{&plain, "1.5e3", typed.Reading{Literal: "1.5e3", Plain: true}},
		{&plain, "20 ft", typed.Reading{Literal: "20", Unit: "ft"}},
		{&plain, "1.5e3mm", typed.Reading{Literal: "1.5e3", Unit: "mm"}},
		{&plain, "−3,25 µm", typed.Reading{Literal: "-3.25", Unit: "um"}},
		{&plain, "2*3", typed.Reading{Literal: "6"}},
		{&plain, "1/8", typed.Reading{Literal: "0.125"}},
		{&plain, "0.1*3", typed.Reading{Literal: "0.3"}},
		{&plain, "1/3", typed.Reading{Literal: "0.3333333333333333", Rounded: true}},
		{&plain, "2 1/2 in", typed.Reading{Literal: "2.5", Unit: "in"}},
		{&plain, "-2 1/2", typed.Reading{Literal: "-2.5"}},
		{&plain, "(2+3)*-4", typed.Reading{Literal: "-20"}},
		{&plain, "2-3", typed.Reading{Literal: "-1"}},
		{&plain, "2*1,5 m", typed.Reading{Literal: "3", Unit: "m"}},
		{&plain, "1e3/4", typed.Reading{Literal: "250"}},
		{&plain, "1,5", typed.Reading{Literal: "1.5"}},
		{&plain, "0,125", typed.Reading{Literal: "0.125"}},
		{&plain, "1234,567", typed.Reading{Literal: "1234.567"}},
		{&plain, "1 234.5", typed.Reading{Literal: "1234.5"}},
		{&plain, "1\u202f234\u202f567", typed.Reading{Literal: "1234567"}},
		{&plain, "1,234.5", typed.Reading{Literal: "1234.5"}},
		{&plain, "1.234,5", typed.Reading{Literal: "1234.5"}},
		{&plain, "1,234,567", typed.Reading{Literal: "1234567"}},
		{&plain, "1'234.5", typed.Reading{Literal: "1234.5"}},
		{&plain, "+.5", typed.Reading{Literal: "0.5"}},
		{&plain, "007.", typed.Reading{Literal: "7"}},
		{damping, "5 N·s/m", typed.Reading{Literal: "5", Unit: "N s/m"}},
		{film, "8 W/(m²·K)", typed.Reading{Literal: "8", Unit: "W/(m2 K)"}},
		{warm, "-5 °C", typed.Reading{Literal: "-5", Unit: "degC"}},
		{expansion, "1.2e-5 1/K", typed.Reading{Literal: "1.2e-5", Unit: "1/K"}},
		{&plain, "5 furlongs", typed.Reading{Literal: "5", Unit: "furlongs"}},
	} {
		got, err := typed.Read(tt.field, tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: %+v %v, want %+v", tt.text, got, err, tt.want)
		}
	}
}

// What is no number, or more than one, is never guessed.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]typed.TextError{
		"1,234":                   {Problem: typed.Ambiguous, Readings: []string{"1.234", "1234"}},
		"-12,345e2 mm":            {Problem: typed.Ambiguous, Readings: []string{"-12.345e2", "-12345e2"}},
		"2*1,234":                 {Problem: typed.Ambiguous, Readings: []string{"1.234", "1234"}},
		"1,23,456":                {Problem: typed.NotNumber},
		"12 34":                   {Problem: typed.NotNumber},
		"1 200/400":               {Problem: typed.NotNumber},
		"1.2.3":                   {Problem: typed.NotNumber},
		"twelve":                  {Problem: typed.NotNumber},
		"":                        {Problem: typed.NotNumber},
		"2*":                      {Problem: typed.NotNumber},
		"(2":                      {Problem: typed.NotNumber},
		"2)":                      {Problem: typed.NotNumber},
		"2^3 m":                   {Problem: typed.NotNumber},
		"1/0":                     {Problem: typed.DividesByZero},
		"1/(2-2)":                 {Problem: typed.DividesByZero},
		"2*1e999":                 {Problem: typed.BeyondBinary64},
		"1/(3*1e400)":             {Problem: typed.BeyondBinary64},
		strings.Repeat("(", 50):   {Problem: typed.TooLong},
		strings.Repeat("1+", 150): {Problem: typed.TooLong},
	} {
		_, err := typed.Read(&plain, text)
		got, ok := errors.AsType[*typed.TextError](err)
		if !ok || got.Text != text || got.Problem != want.Problem || cmp.Diff(got.Readings, want.Readings) != "" {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// A unit means itself, as the table writes it and as pages do.
func TestUnitsAsShown(t *testing.T) {
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			f := &sdk.Field{Name: "x", Type: sdk.TypeNumber, Unit: units.Of(quantity)[0].ID}
			for _, text := range []string{"5 " + u.ID, "5 " + formula.FormatUnit(u.ID), "5" + strings.ReplaceAll(u.ID, " ", "·")} {
				if strings.HasPrefix(text, "51/") {
					continue // it is fifty-one by something
				}
				got, err := typed.Read(f, text)
				if err != nil || got.Literal != "5" || !sameUnit(got.Unit, u.ID) {
					t.Errorf("%q: %+v %v", text, got, err)
				}
			}
		}
	}
}

func sameUnit(a, b string) bool {
	x, ok := units.Lookup(a)
	y, _ := units.Lookup(b)
	return ok && x.Quantity == y.Quantity && x.Pi == y.Pi && (x.Factor == nil) == (y.Factor == nil) && (x.Factor == nil || x.Factor.Cmp(y.Factor) == 0)
}

// Arithmetic is exact: a text made of a tree of numbers has the value of the tree.
func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := tree(t, 3)
		if _, err := typed.Read(&plain, text); err != nil {
			return // divided by zero, or too long
		}
		got, _ := typed.Read(&plain, text)
		x, ok := new(big.Rat).SetString(got.Literal)
		if !ok {
			t.Fatalf("%s has the literal %q", text, got.Literal)
		}
		if nearest, _ := want.Float64(); got.Rounded {
			if f, _ := x.Float64(); f != nearest {
				t.Fatalf("%s is %s, want %v", text, got.Literal, nearest)
			}
		} else if x.Cmp(want) != 0 {
			t.Fatalf("%s is %s, want %s", text, got.Literal, want)
		}
	})
}

// tree draws arithmetic and its value.
func tree(t *rapid.T, depth int) (text string, x *big.Rat) {
	if depth == 0 || rapid.Bool().Draw(t, "leaf") {
		text = rapid.StringMatching(`[1-9][0-9]{0,2}(\.[0-9]{1,3})?`).Draw(t, "number")
		x, _ = new(big.Rat).SetString(text)
		return text, x
	}
	a, x := tree(t, depth-1)
	b, y := tree(t, depth-1)
	z := new(big.Rat)
	switch sign := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "sign"); {
	case sign == "+":
		return "(" + a + "+" + b + ")", z.Add(x, y)
	case sign == "-":
		return "(" + a + " - " + b + ")", z.Sub(x, y)
	case sign == "/" && y.Sign() != 0:
		return "(" + a + "/" + b + ")", z.Quo(x, y)
	}
	return "(" + a + "*" + b + ")", z.Mul(x, y)
}

// What rows are made of is read again as the same values.
func TestRow(t *testing.T) {
	fields := []*sdk.Field{&exact, &exact}
	for _, tt := range []struct {
		cells []string
		line  string
		fails bool
	}{
		{[]string{"0.1", "2"}, "0.1 2", false},
		{[]string{" 1,5 ", "2 1/2 ft"}, "1.5 2.5ft", false},
		{[]string{"20 ft", ""}, "20ft", false},
		{[]string{"", "1/3"}, "- 1/3", false},
		{[]string{"", ""}, "", false},
		{[]string{"1,234", "2"}, "1_234 2", true},
	} {
		line, err := typed.Row(fields, tt.cells)
		if line != tt.line || (err != nil) != tt.fails {
			t.Errorf("%q: %q %v, want %q", tt.cells, line, err, tt.line)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"20 ft", "2 1/2", "1,234.5", "(1+2)*3 N·m", "1e5", "-−+5", "1/K"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := typed.Read(&exact, text)
		if err == nil && !typed.IsNumber(r.Literal) {
			t.Errorf("%q has the literal %q", text, r.Literal)
		}
	})
}
