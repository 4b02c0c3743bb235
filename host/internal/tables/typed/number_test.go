package typed_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// TestRead compares the number in JSON notation, the typed number, and its unit.
func TestRead(t *testing.T) {
	damping := &sdk.Field{Name: "c", Type: sdk.TypeNumber, Unit: "N s/m"}
	warm := &sdk.Field{Name: "T", Type: sdk.TypeNumber, Unit: "K"}
	for _, tt := range []struct {
		field *sdk.Field
		text  string
		want  typed.Reading
	}{
		{&plain, " 1.50 ", typed.Reading{Literal: "1.50", Number: "1.50", Plain: true}},
		{&plain, "1.5e3", typed.Reading{Literal: "1.5e3", Number: "1.5e3", Plain: true}},
		{&plain, "1.5e3mm", typed.Reading{Literal: "1.5e3", Number: "1.5e3", Unit: "mm"}},
		{&plain, "−3,25 µm", typed.Reading{Literal: "-3.25", Number: "−3,25", Unit: "um"}},
		{&plain, "2*3 ft", typed.Reading{Literal: "6", Number: "2*3", Unit: "ft"}},
		{&plain, "0.1*3", typed.Reading{Literal: "0.3", Number: "0.1*3"}},
		{&plain, "1/3", typed.Reading{Literal: "0.3333333333333333", Number: "1/3", Rounded: true}},
		{&plain, "5' 1/3\"", typed.Reading{Literal: "60.333333333333336", Number: "60.333333333333336", Unit: "in", Rounded: true}},
		{&plain, "1\u202f234\u202f567", typed.Reading{Literal: "1234567", Number: "1 234 567"}},
		{&plain, "+.5", typed.Reading{Literal: "0.5", Number: "+.5"}},
		{&plain, "5 furlongs", typed.Reading{Literal: "5", Number: "5", Unit: "furlongs"}},
		{damping, "5 N·s/m", typed.Reading{Literal: "5", Number: "5", Unit: "N s/m"}},
		{warm, "-5 °C", typed.Reading{Literal: "-5", Number: "-5", Unit: "degC"}},
		{&plain, strings.Repeat("9", 300), typed.Reading{Literal: strings.Repeat("9", 300), Number: strings.Repeat("9", 300), Plain: true}},
	} {
		got, err := typed.Read(tt.field, tt.text, typed.Arithmetic)
		if err != nil || got != tt.want {
			t.Errorf("%q: %+v %v, want %+v", tt.text, got, err, tt.want)
		}
	}
}

// Texts that cannot be evaluated are refused, within limits of time and memory.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]typed.TextError{
		"-12,345e2 mm":            {Problem: typed.Ambiguous, Readings: []string{"-12.345e2 mm", "-12345e2 mm"}},
		"2*1,234":                 {Problem: typed.Ambiguous, Readings: []string{"2*1.234", "2*1234"}},
		"1,23,456":                {Problem: typed.NotNumber},
		"1.2.3":                   {Problem: typed.NotNumber},
		"":                        {Problem: typed.NotNumber},
		"2*":                      {Problem: typed.NotNumber},
		"(2":                      {Problem: typed.NotNumber},
		"2)":                      {Problem: typed.NotNumber},
		"2*05":                    {Problem: typed.LeadingZero, Readings: []string{"2*5"}},
		"1/(2-2)":                 {Problem: typed.DividesByZero},
		"2*1e999":                 {Problem: typed.BeyondBinary64},
		"1/(3*1e400)":             {Problem: typed.BeyondBinary64},
		"1e999'":                  {Problem: typed.BeyondBinary64},
		strings.Repeat("(", 50):   {Problem: typed.TooLong},
		strings.Repeat("1+", 150): {Problem: typed.TooLong},
	} {
		_, err := typed.Read(&plain, text, typed.Arithmetic)
		got, ok := errors.AsType[*typed.TextError](err)
		if !ok || got.Text != text || got.Problem != want.Problem || cmp.Diff(got.Readings, want.Readings) != "" {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// A unit is read back from its id in the table and from its spelling on pages.
func TestUnitsAsShown(t *testing.T) {
	for _, quantity := range units.Quantities() {
		for _, u := range units.Of(quantity) {
			f := &sdk.Field{Name: "x", Type: sdk.TypeNumber, Unit: units.Of(quantity)[0].ID}
			for _, text := range []string{"5 " + u.ID, "5 " + formula.FormatUnit(u.ID), "5" + strings.ReplaceAll(u.ID, " ", "·")} {
				if strings.HasPrefix(text, "51/") {
					continue // it would be fifty-one per a unit
				}
				got, err := typed.Read(f, text, typed.Numbers)
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

// Arithmetic is exact: the text of a tree of numbers has the value of the tree.
func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, want := tree(t, 3)
		got, err := typed.Read(&plain, text, typed.Arithmetic)
		if e, ok := errors.AsType[*typed.TextError](err); ok && (e.Problem == typed.TooLong || e.Problem == typed.DividesByZero) {
			return
		}
		x, ok := new(big.Rat).SetString(got.Literal)
		if !ok {
			t.Fatalf("%s has the literal %q: %v", text, got.Literal, err)
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

// A mixed number is the sum of its parts, with each mark between them.
func TestMixedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, below := rapid.IntRange(1, 99999).Draw(t, "whole"), rapid.IntRange(2, 999).Draw(t, "below")
		above := rapid.IntRange(1, min(below-1, 99)).Draw(t, "above")
		between := rapid.SampledFrom([]string{"-", " ", "  ", "\u2010"}).Draw(t, "between")
		sign := rapid.SampledFrom([]string{"", "-", "+", "−"}).Draw(t, "sign")
		text := sign + big.NewInt(int64(whole)).String() + between + big.NewInt(int64(above)).String() + "/" + big.NewInt(int64(below)).String()
		want := new(big.Rat).Add(big.NewRat(int64(whole), 1), big.NewRat(int64(above), int64(below)))
		if sign == "-" || sign == "−" {
			want.Neg(want)
		}
		got, err := typed.Read(&plain, text, typed.Numbers)
		x, ok := new(big.Rat).SetString(got.Literal)
		if !ok || err != nil || !got.Rounded && x.Cmp(want) != 0 {
			t.Fatalf("%q is %+v %v, want %s", text, got, err, want)
		}
		if f, _ := x.Float64(); got.Rounded {
			if nearest, _ := want.Float64(); f != nearest {
				t.Fatalf("%q is %v, want %v", text, f, nearest)
			}
		}
	})
}

// No text has two readings, and each reading has a literal.
func FuzzRead(f *testing.F) {
	for _, c := range texts(f) {
		f.Add(c.Text)
	}
	fields := make([]*sdk.Field, len(inputs.Inputs))
	for i := range inputs.Inputs {
		fields[i] = &inputs.Inputs[i]
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, f := range fields {
			number, err := typed.Value(f, text, nil, typed.Numbers)
			worked, err2 := typed.Value(f, text, nil, typed.Arithmetic)
			if err == nil && (err2 != nil || cmp.Diff(number, worked) != "") {
				t.Errorf("%s %q is %v and %v %v", f.Name, text, number, worked, err2)
			}
			if err == nil && f.Type == sdk.TypeNumber && !f.Decimal && number.Kind != strictjson.Number && number.Kind != strictjson.Object {
				t.Errorf("%s %q is %v", f.Name, text, number)
			}
			for _, e := range []error{err, err2} {
				if e, ok := errors.AsType[*typed.TextError](e); ok && (e.Detail() == "" || e.Remedy() == "") {
					t.Errorf("%s %q: %+v", f.Name, text, e)
				}
			}
			if back, _, ok := typed.Text(f, number); err == nil && ok && f.Type == sdk.TypeArray {
				again, err := typed.Value(f, back, nil, typed.Numbers)
				if third, _, _ := typed.Text(f, again); err != nil || third != back {
					t.Errorf("%s %q is %q, then %q: %v", f.Name, text, back, third, err)
				}
			}
		}
	})
}
