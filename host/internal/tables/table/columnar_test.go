package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/host/internal/tables/table"
)

// columnar is a file format with typed columns.
type columnar struct {
	format table.Format
	create func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error)
	open   func([]byte) (columns.Reader, error)
}

var columnars = []columnar{
	{table.Parquet, columns.NewParquet, func(data []byte) (columns.Reader, error) {
		return columns.OpenParquet(bytes.NewReader(data), int64(len(data)), nil)
	}},
	{table.Arrows, columns.NewArrowStream, func(data []byte) (columns.Reader, error) { return columns.OpenArrow(bytes.NewReader(data), nil) }},
}

// file writes rows of cells; nil is a null.
func (c *columnar) file(t *testing.T, list []columns.Column, rows [][]any) []byte {
	t.Helper()
	var b columns.Block
	b.Reset(list, len(rows))
	for i, row := range rows {
		for k, cell := range row {
			d := &b.Columns[k]
			switch cell := cell.(type) {
			case nil:
				d.Null[i] = true
			case float64:
				d.Numbers[i] = cell
			case int:
				d.Integers[i] = int64(cell)
			case bool:
				d.Truths[i] = cell
			case string:
				d.Texts[i] = cell
			}
		}
	}
	var file bytes.Buffer
	w, err := c.create(&file, list, nil)
	if err == nil {
		err = errors.Join(w.Write(&b), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func (c *columnar) read(t *testing.T, file []byte) columns.Reader {
	t.Helper()
	r, err := c.open(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers computes a file, and returns the file of answers.
func (c *columnar) answers(t *testing.T, s *calc.Service, id string, file []byte, o *table.Options) ([]byte, error) {
	t.Helper()
	sheet, err := table.Open(s.Catalog(), c.format, id, nil, bytes.NewReader(file), o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, output, err := sheet.NewWriter(&out, c.format)
	if err != nil {
		return nil, err
	}
	err = errors.Join(batch.Run(t.Context(), s, sheet, output, w, nil), w.Close())
	return out.Bytes(), err
}

// table returns the columns and rows of a file as text.
func (c *columnar) table(t *testing.T, r columns.Reader) string {
	t.Helper()
	var text strings.Builder
	list := r.Columns()
	for _, column := range list {
		fmt.Fprintf(&text, "%s:%s:%s|", column.Name, column.Type, column.Unit)
	}
	var b columns.Block
	for {
		err := r.Read(&b, 1000)
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			text.WriteByte('\n')
			for k := range list {
				switch d := &b.Columns[k]; {
				case d.Null[i]:
					text.WriteString("-|")
				case list[k].Kind == columns.Number:
					fmt.Fprintf(&text, "%v|", d.Numbers[i])
				case list[k].Kind == columns.Integer:
					fmt.Fprintf(&text, "%v|", d.Integers[i])
				case list[k].Kind == columns.Truth:
					fmt.Fprintf(&text, "%v|", d.Truths[i])
				default:
					fmt.Fprintf(&text, "%q|", d.Texts[i])
				}
			}
		}
	}
}

// The input columns are returned with the same values and types, followed by the result or the error. A
// null is absent, a zero is a number, and a bad row does not affect the other rows.
func TestColumnSheet(t *testing.T) {
	list := []columns.Column{
		{Name: "beam", Kind: columns.Text}, {Name: "L", Unit: "mm", Kind: columns.Number, Form: columns.Form{Bits: 32}},
		{Name: "id", Kind: columns.Text, Form: columns.Form{Unsigned: true}}, {Name: "small", Kind: columns.Integer, Form: columns.Form{Bits: 16}},
		{Name: "wet", Kind: columns.Truth}, {Name: "cost", Kind: columns.Text, Form: columns.Form{Precision: 9, Scale: 2}},
		{Name: "ratio", Unit: "1", Kind: columns.Number},
	}
	rows := [][]any{
		{"B1", 1500.0, "18446744073709551615", -3, true, "-12345.60", math.Inf(1)},
		{nil, 0.0, nil, nil, nil, nil, nil},
		{"", nil, "0", 0, false, "0.00", 0.0},
		{"B4", math.NaN(), "1", 1, false, "1.00", 1.0},
		{"B5", math.Inf(-1), "1", 1, false, "1.00", 1.0},
	}
	answered := "\n" + `"B1"|1500|"18446744073709551615"|-3|true|"-12345.60"|+Inf|3|-|-|-|-|` +
		"\n" + `-|0|-|-|-|-|-|0|-|-|-|-|` +
		"\n" + `""|-|"0"|0|false|"0.00"|0|-|-|"MISSING_REQUIRED_INPUT"|-|"no input has a value in this row. Fill in a cell of an input, or leave the row out."|` +
		"\n" + `"B4"|NaN|"1"|1|false|"1.00"|1|-|-|"INVALID_NUMBER"|"length"|"length is NaN, which is not a number to calculate with. Give a finite number, or leave the cell out."|` +
		"\n" + `"B5"|-Inf|"1"|1|false|"1.00"|1|-|-|"INVALID_NUMBER"|"length"|"length is -Inf, which is not a number to calculate with. Give a finite number, or leave the cell out."|`
	want := map[table.Format]string{
		table.Parquet: "beam:STRING:|L:FLOAT:mm|id:INT(64,false):|small:INT(16,true):|wet:BOOLEAN:|cost:DECIMAL(9,2):|ratio:DOUBLE:1|double [m]:DOUBLE:m|" +
			"warnings:STRING:|error_code:STRING:|error_field:STRING:|error_detail:STRING:|" + answered,
		table.Arrows: "beam:utf8:|L:float32:mm|id:uint64:|small:int16:|wet:bool:|cost:decimal(9, 2):|ratio:float64:1|double [m]:float64:m|" +
			strings.ReplaceAll("warnings:?|error_code:?|error_field:?|", "?", "dictionary<values=utf8, indices=int32, ordered=false>:") + "error_detail:utf8:|" + answered,
	}
	for _, c := range columnars {
		file, err := c.answers(t, service(), "twice", c.file(t, list, rows), nil)
		if err != nil {
			t.Fatal(c.format, err)
		}
		if got := c.table(t, c.read(t, file)); got != want[c.format] {
			t.Errorf("%s\n%s\nwant\n%s", c.format, got, want[c.format])
		}
	}
}

// The error names all columns that do not fit, before anything is computed.
func TestColumnsThatDoNotFit(t *testing.T) {
	s := varied()
	for _, tt := range []struct {
		name string
		list []columns.Column
		o    table.Options
		code string
		want []string // the columns at fault, and words of the detail
	}{
		{"types", []columns.Column{{Name: "length", Kind: columns.Truth}, {Name: "kind", Kind: columns.Number}, {Name: "share", Kind: columns.Number}}, table.Options{}, "INVALID_COLUMNS",
			[]string{"length", "kind", `"length": length is a number, and the cells are of type bool; "kind": kind is a string`}},
		{"types, units and names", []columns.Column{{Name: "kind", Kind: columns.Integer}, {Name: "length", Kind: columns.Number, Unit: "kg"}, {Name: "L [s]", Kind: columns.Number}, {Name: "cuont", Kind: columns.Text}}, table.Options{}, "INVALID_COLUMNS",
			[]string{"kind", "length", "length", "cuont", `"kind": kind is a string`}},
		{"two units", []columns.Column{{Name: "L [ft]", Unit: "m", Kind: columns.Number}}, table.Options{}, "UNKNOWN_UNIT", []string{"", `has the unit ft, its metadata m`}},
		{"a column twice", []columns.Column{{Name: "L", Kind: columns.Number}, {Name: " L", Kind: columns.Number}}, table.Options{}, "INVALID_COLUMNS", []string{"", `two columns are named "L"`}},
		{"no input", []columns.Column{{Name: "x", Kind: columns.Number}}, table.Options{}, "UNKNOWN_INPUT", []string{"x", `"x" is not an input`}},
		{"a tag that is not there", []columns.Column{{Name: "L", Kind: columns.Number}}, table.Options{Tags: []string{"beam"}}, "INVALID_COLUMNS", []string{"", `no column "beam"`}},
	} {
		c := columnars[1]
		_, err := c.answers(t, s, "varied", c.file(t, tt.list, nil), &tt.o)
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var fields []string
		for _, invalid := range p.Invalid {
			fields = append(fields, invalid.Name)
		}
		fault := tt.want[:len(tt.want)-1]
		if p.Code != tt.code || strings.Join(fields, ",") != strings.Join(fault, ",") || !strings.Contains(p.Detail, tt.want[len(fault)]) || p.Suggestion == "" {
			t.Errorf("%s: %s %q %s %s", tt.name, p.Code, fields, p.Detail, p.Suggestion)
		}
	}
}

// Rows of typed columns with the same pattern get the same answers as if each row was read alone.
func TestTypedNumbersAlone(t *testing.T) {
	s := varied()
	random := rand.New(rand.NewPCG(5, 6))
	numbers := []any{nil, 0.0, math.Copysign(0, -1), 1.0, 2.5, 1e-320, math.MaxFloat64, math.NaN(), math.Inf(1), 123456789012345680000.0}
	wholes := []any{nil, 0, 3, -4, 1 << 53, 1<<53 + 1, math.MinInt64, math.MaxInt64}
	texts := []any{nil, "1.50", "-2", " 4 ", "a", "", "b", "c", "3 ft", "1,234"}
	cells := map[columns.Kind][]any{columns.Number: numbers, columns.Integer: wholes, columns.Text: texts}
	for _, list := range [][]columns.Column{
		{{Name: "L", Kind: columns.Number}, {Name: "count", Kind: columns.Integer}, {Name: "kind", Kind: columns.Text}, {Name: "exact", Kind: columns.Number}, {Name: "tag", Kind: columns.Text}},
		{{Name: "L", Kind: columns.Number, Unit: "ft"}, {Name: "share", Kind: columns.Text}, {Name: "exact", Kind: columns.Text, Form: columns.Form{}}},
		{{Name: "length", Kind: columns.Integer}, {Name: "L", Kind: columns.Number}, {Name: "count", Kind: columns.Number}, {Name: "exact", Kind: columns.Integer}},
	} {
		var rows [][]any
		for n := range 800 {
			var row []any
			for _, c := range list {
				all := cells[c.Kind]
				if n%3 != 0 { // most rows have plain numbers, so that patterns repeat
					all = all[1:5]
				}
				row = append(row, all[random.IntN(len(all))])
			}
			rows = append(rows, row)
		}
		all := answeredAlike(t, s, fmt.Sprintf("%+v", list), func() (*table.Sheet, error) {
			c := columnars[random.IntN(2)] // the formats agree too
			return table.Open(s.Catalog(), c.format, "varied", nil, bytes.NewReader(c.file(t, list, rows)), nil)
		})
		if strings.Count(all, `"result"`) < 50 || strings.Count(all, "INVALID") < 50 {
			t.Errorf("%+v: the rows show little\n%.1000s", list, all)
		}
	}
}

// A text in a typed column has the same meaning as in CSV. Sizes with fractions are accepted; dates,
// ranges and calculations are not.
func TestTextsInColumns(t *testing.T) {
	texts := map[string]string{
		"3-1/2 in": "0.0889", `5' 3-1/2"`: "1.6129", "20 ft 6 in": "6.2484", "1,5": "1.5", "3/4": "0.75",
		"2024-01-05": "looks like a date", "10-12": "looks like a range", "2*3": "is a calculation", "05": "starts with a zero", "1,234": "has two readings", "NA": "is not a value",
	}
	var list []string
	var rows [][]any
	for text := range texts {
		list, rows = append(list, text), append(rows, []any{text})
	}
	s := varied()
	for _, c := range columnars {
		file, err := c.answers(t, s, "varied", c.file(t, []columns.Column{{Name: "length", Kind: columns.Text}}, rows), &table.Options{Units: []string{"length=m"}})
		if err != nil {
			t.Fatal(c.format, err)
		}
		lines := strings.Split(c.table(t, c.read(t, file)), "\n")[1:]
		for i, text := range list {
			if !strings.Contains(lines[i], texts[text]) {
				t.Errorf("%v: %q is answered with %s, want %s", c.format, text, lines[i], texts[text])
			}
		}
	}
}
