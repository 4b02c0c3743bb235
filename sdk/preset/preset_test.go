package preset_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/preset"
)

const spec = `{"table_format":1,"table_id":"data.test.bars","table_version":"1.0.0","title":"Bars","summary":"Bars for tests.","noun":"bar",
"columns":[{"name":"diameter","label":"Diameter","unit":"mm","source":"a","minimum":"1","maximum":"100","monotonic":"rising"},
{"name":"mass","label":"Mass per length","unit":"kg/m","source":"a"}],
"sources":[{"id":"a","title":"Handbook A","where":"page 1"},{"id":"b","title":"Handbook B"}]}`

const rows = "key,name,diameter,mass\nR8,\"Bar, 8 mm\",8,0.395|0.39[b]\nR10,\"Bar, 10 mm\",10,0.617[b]\nR12,\"Bar, 12 mm\",12,\n"

func parse(t *testing.T, spec, rows string) *preset.Table {
	t.Helper()
	table, err := preset.Parse([]byte(spec), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestParse(t *testing.T) {
	table := parse(t, spec, rows)
	if got := table.CSV(); !bytes.Equal(got, []byte(rows)) {
		t.Errorf("the rows are written as\n%s\nand were\n%s", got, rows)
	}
	row, err := table.Row("r 10")
	if err != nil || row.Key != "R10" || row.Cells[1].Literal != "0.617" || row.Cells[1].Source != "b" {
		t.Errorf("row r 10 is %+v, %v", row, err)
	}
	if row, err := table.Row("Bar, 8 mm"); err != nil || row.Key != "R8" || !slices.Equal(row.Cells[1].Others, []preset.Other{{Literal: "0.39", Source: "b"}}) {
		t.Errorf("row by its name: %+v, %v", row, err)
	}
	var missing *preset.NoRowError
	if _, err := table.Row("R11"); !errors.As(err, &missing) || len(missing.Nearest) == 0 || missing.Nearest[0] != "R10" && missing.Nearest[0] != "R12" {
		t.Errorf("a row that is not there: %v, nearest %v", err, missing)
	}
	if si, unit := table.Columns[0].SI("8"); si.Cmp(big.NewRat(8, 1000)) != 0 || unit != "m" {
		t.Errorf("8 mm are %v %s", si, unit)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, from, to, want string }{
		{"another format", "spec", `"table_format":1`, `"table_format":2`, "table_format is 2"},
		{"an id of an engine", "spec", "data.test.bars", "test.data.bars", "is not data.DOMAIN.NAME"},
		{"an unknown member", "spec", `"noun"`, `"nown":"x","noun"`, "unknown field"},
		{"no unit", "spec", `"unit":"mm"`, `"unit":"furlong"`, "no unit furlong"},
		{"an incoherent product", "spec", `"unit":"kg/m"`, `"unit":"g/m"`, "coherent units of SI"},
		{"a source that is not there", "spec", `"source":"a","minimum"`, `"source":"c","minimum"`, "there is no source"},
		{"a column twice", "spec", `"name":"mass"`, `"name":"diameter"`, "a name of its own"},
		{"a picture without its dimensions", "spec", `"noun":"bar"`, `"noun":"bar","picture":"tube"`, "a column that it shows is missing"},
		{"changes in lines", "spec", `"noun":"bar"`, `"noun":"bar","changes":"A\nB"`, "has a line end"},
		{"blank changes", "spec", `"noun":"bar"`, `"noun":"bar","changes":" "`, "changes are one or two sentences"},
		{"another header", "rows", "diameter,mass", "mass,diameter", "the first line of the rows"},
		{"a key twice", "rows", "R10,", "r8,", "is the name of row 1 too"},
		{"no decimal", "rows", "8,0.395", "8,0.395x", "is not a decimal"},
		{"a number beyond the bounds", "rows", ",12,", ",120,", "outside [1, 100]"},
		{"a row out of order", "rows", ",10,0.617", ",7,0.617", "the column is rising"},
		{"a figure of an unknown source", "rows", "0.617[b]", "0.617[z]", "has no source"},
		{"an open bracket", "rows", "0.617[b]", "0.617[b", "no closing bracket"},
		{"a huge exponent", "rows", "0.617[b]", "1e999", "is not a decimal"},
	} {
		s, r := spec, rows
		if tt.in == "spec" {
			s = strings.Replace(spec, tt.from, tt.to, 1)
		} else {
			r = strings.Replace(rows, tt.from, tt.to, 1)
		}
		if s == spec && r == rows {
			t.Fatalf("%s: nothing was changed", tt.name)
		}
		if _, err := preset.Parse([]byte(s), []byte(r)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

const curve = `{"table_format":1,"table_id":"data.test.curve","table_version":"1.0.0","title":"Curve","summary":"A curve for tests.","noun":"point",
"columns":[{"name":"x","label":"Temperature","unit":"degC","source":"a"},{"name":"y","label":"Y","source":"a"}],
"interpolation":{"argument":"x","kind":"KIND"},"sources":[{"id":"a","title":"Handbook A"}]}`

const points = "x,y\n0,0\n1,1\n2,8\n4,8\n5,7\n"

func TestAt(t *testing.T) {
	linear := parse(t, strings.Replace(curve, "KIND", "linear", 1), points)
	cubic := parse(t, strings.Replace(curve, "KIND", "monotone_cubic", 1), points)
	at := func(table *preset.Table, x string) string {
		y, source, err := table.At(1, preset.Rat(x))
		if err != nil || source != "a" {
			t.Fatalf("at %s: %s, %v", x, source, err)
		}
		return y
	}
	for x, want := range map[string]string{"0": "0", "1.5": "4.5", "1.25": "2.75", "3": "8", "4.5": "7.5", "5": "7", "0.3333333": "0.333333"} {
		if got := at(linear, x); got != want {
			t.Errorf("linear at %s is %s, want %s", x, got, want)
		}
	}
	for _, x := range []string{"0", "1", "2", "4", "5"} {
		if got, want := at(cubic, x), at(linear, x); got != want {
			t.Errorf("cubic at the row %s is %s, want %s", x, got, want)
		}
	}
	before := big.NewRat(-1, 1)
	for x := new(big.Rat); x.Cmp(big.NewRat(2, 1)) <= 0; x.Add(x, big.NewRat(1, 16)) {
		y, _, err := cubic.At(1, x)
		if err != nil || preset.Rat(y).Cmp(before) < 0 || preset.Rat(y).Cmp(big.NewRat(8, 1)) > 0 {
			t.Errorf("cubic at %v is %s after %v, %v: it must rise to 8", x, y, before, err)
		}
		before = preset.Rat(y)
	}
	if got := at(cubic, "3"); got != "8" {
		t.Errorf("between two equal rows the curve is %s", got)
	}
	var outside *preset.OutsideError
	if _, _, err := cubic.At(1, preset.Rat("5.01")); !errors.As(err, &outside) || outside.Max != "5" {
		t.Errorf("beyond the last row: %v", err)
	}
}

func TestRef(t *testing.T) {
	for text, want := range map[string]preset.Ref{
		"data.materials.metals/S235":              {Table: "data.materials.metals", Row: "S235"},
		"data.sections.i#second_moment_z/IPE 200": {Table: "data.sections.i", Column: "second_moment_z", Row: "IPE 200"},
		"data.wires.awg/AWG1/0@1.2.0":             {Table: "data.wires.awg", Row: "AWG1/0", Version: "1.2.0"},
		"data.fluids.water/20 degC@1.0.0":         {Table: "data.fluids.water", Row: "20 degC", Version: "1.0.0"},
	} {
		got, err := preset.ParseRef(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v, %v, written %q", text, got, err, got)
		}
	}
	for _, text := range []string{"", "S235", "data.materials.metals", "data.materials.metals/", "materials.metals/S235"} {
		if ref, err := preset.ParseRef(text); err == nil {
			t.Errorf("%q is %+v", text, ref)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(spec), []byte(rows))
	f.Add([]byte(strings.Replace(curve, "KIND", "linear", 1)), []byte(points))
	f.Fuzz(func(t *testing.T, spec, rows []byte) {
		table, err := preset.Parse(spec, rows)
		if err != nil {
			return
		}
		again, err := preset.Parse(spec, table.CSV())
		if err != nil || !bytes.Equal(again.CSV(), table.CSV()) {
			t.Fatalf("a table that was read is not read again: %v", err)
		}
	})
}

// A row is found by its name with any kinds of blanks, capitals and signs of dimensions.
func TestNamesAsTyped(t *testing.T) {
	table := parse(t, spec, strings.NewReplacer("R10,", "W12x26,", `"Bar, 10 mm"`, "W 12 x 26").Replace(rows))
	for _, name := range []string{"W12x26", "w12X26", "W 12 × 26", "w12×26", "W\u00a012\u202fx\u200926", "\tW 12 x 26 "} {
		if row, err := table.Row(name); err != nil || row.Key != "W12x26" {
			t.Errorf("%q: %+v, %v", name, row, err)
		}
	}
	var missing *preset.NoRowError
	if _, err := table.Row("w 12 x 28"); !errors.As(err, &missing) || missing.Nearest[0] != "W12x26" {
		t.Errorf("w 12 x 28: %v", err)
	}
}
