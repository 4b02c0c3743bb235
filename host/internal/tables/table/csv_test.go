package table_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
)

// sheetOf answers a table.
func sheetOf(t *testing.T, text string, o *table.Options) (answer string, passing []string, err error) {
	s := service()
	sheet, err := table.NewSheet(s.Catalog(), "twice", nil, iotest.OneByteReader(strings.NewReader(text)), o)
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	out.Write(sheet.Head())
	err = batch.Run(t.Context(), s, sheet, sheet.AppendRecord, &out, nil)
	return out.String(), sheet.Passing(), err
}

// Tables of all spreadsheet dialects return their cells followed by the results.
func TestSheet(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          table.Options
		want       string
		passing    string
	}{
		{"tags", "beam,L,note\nB1,3,\"left, \"\"new\"\"\nwing\"\n", table.Options{}, "beam,L,note,double [m]" + more + "B1,3,\"left, \"\"new\"\"\nwing\",6,,,,\n", "beam note"},
		{"a tag with brackets", "cost (EUR),L\n9,3\n", table.Options{}, "cost (EUR),L,double [m]" + more + "9,3,6,,,,\n", "cost (EUR)"},
		{"declared tags", "beam,L\nB1,3\n", table.Options{Tags: []string{"beam"}}, "beam,L,double [m]" + more + "B1,3,6,,,,\n", ""},
		{"a tag with the name of an input", "length,L\nB1,3\n", table.Options{Tags: []string{"length"}}, "length,L,double [m]" + more + "B1,3,6,,,,\n", ""},
		{"semicolons and decimal commas", "beam;L\r\nB1;1,5\r\nB2;1.234,5 mm\r\n", table.Options{Decimals: typed.Comma},
			"beam;L;double [m]" + semicolons(more) + "B1;1,5;3;;;;\nB2;1.234,5 mm;2,469;;;;\n", "beam"},
		{"tabs, an empty cell", "beam\tL\n\t3\n", table.Options{}, "beam\tL\tdouble [m]" + strings.ReplaceAll(more, ",", "\t") + "\t3\t6\t\t\t\t\n", "beam"},
		{"units in the header", "L [ft]\n10\n3 m\n", table.Options{}, "L [ft],double [m]" + more + "10,6.096,,,,\n3 m,6,,,,\n", ""},
		{"a unit as people write it", "L (µm)\n1e6\n", table.Options{}, "L (µm),double [m]" + more + "1e6,2,,,,\n", ""},
		{"the unit of an output", "L\n3\n", table.Options{Units: []string{"double=mm"}}, "L,double [mm]" + more + "3,6000,,,,\n", ""},
		{"empty rows", "\n\nL;\n;\n3;\n;;\n", table.Options{}, "L;;double [m]" + semicolons(more) + "3;;6;;;;\n", ""},
		{"one header for all", "L\n", table.Options{}, "L,double [m]" + more, ""},
		{"formulas", "tag,L\n=1+1,3\n@x,3\n-5,3\n+cmd|x,3\n-,3\n", table.Options{}, "tag,L,double [m]" + more + "'=1+1,3,6,,,,\n'@x,3,6,,,,\n-5,3,6,,,,\n'+cmd|x,3,6,,,,\n-,3,6,,,,\n", "tag"},
		{"two readings", "L\n\"1,234\"\n", table.Options{}, "L,double [m]" + more +
			"\"1,234\",,,INVALID_NUMBER,length,\"length: “1,234” has two readings, 1.234 and 1234. Declare the decimal mark: decimal=comma or decimal=point.\"\n", ""},
		{"another mark than declared", "L\n1.5\n", table.Options{Decimals: typed.Comma}, "L,double [m]" + more +
			"1.5,,,INVALID_NUMBER,length,\"length: “1.5” is not written with decimal=comma. Write decimals as declared, or declare the other mark.\"\n", ""},
		{"a row without an input", "tag,L\nsum,\n", table.Options{}, "tag,L,double [m]" + more +
			"sum,,,,MISSING_REQUIRED_INPUT,,\"no input has a value in this row. Fill in a cell of an input, or leave the row out.\"\n", "tag"},
		{"not UTF-8", "tag,L\n\xe4,3\n", table.Options{}, "tag,L,double [m]" + more +
			",,,,INVALID_CSV,,\"the table is not UTF-8. Save it as CSV in UTF-8; Excel calls that \"\"CSV UTF-8\"\".\"\n", "tag"},
	} {
		got, passing, err := sheetOf(t, tt.text, &tt.o)
		if err != nil || got != tt.want || strings.Join(passing, " ") != tt.passing {
			t.Errorf("%s: %v, passing %q\n%s\nwant\n%s", tt.name, err, passing, got, tt.want)
		}
	}
}

func semicolons(text string) string { return strings.ReplaceAll(text, ",", ";") }

// An ambiguous header is refused, with a suggestion.
func TestSheetHeader(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		o            table.Options
		code, detail string
	}{
		{"a misspelt input", "L,lenght\n3,4\n", table.Options{}, "UNKNOWN_INPUT", "Did you mean length? Rename a column that is not an input, or declare it as a tag."},
		{"a misspelt input with a unit", "L,lenght [ft]\n3,4\n", table.Options{}, "UNKNOWN_INPUT", "Did you mean length?"},
		{"tags alone", "beam,note\n", table.Options{}, "UNKNOWN_INPUT", "The inputs are length"},
		{"no such tag", "L\n", table.Options{Tags: []string{"beam"}}, "INVALID_CSV", `there is no column "beam"`},
		{"an input twice", "L,L\n", table.Options{}, "INVALID_CSV", "two columns"},
		{"an input twice, once with a unit", "L,L [ft]\n", table.Options{}, "INVALID_CSV", "two columns"},
		{"no unit", "L [furlong]\n", table.Options{}, "UNKNOWN_UNIT", "ft"},
		{"another quantity", "L [kg]\n", table.Options{}, "INCOMPATIBLE_UNIT", "ft"},
		{"no such output", "L\n", table.Options{Units: []string{"dobule=mm"}}, "UNKNOWN_OUTPUT", "Did you mean double?"},
		{"an output in another quantity", "L\n", table.Options{Units: []string{"double=kg"}}, "INCOMPATIBLE_UNIT", "cannot be converted to kg"},
		{"UTF-16", "\xff\xfeL\x00\n\x00", table.Options{}, "INVALID_CSV", "UTF-16"},
		{"UTF-16 without a mark", "\x00L\x00\n", table.Options{}, "INVALID_CSV", "UTF-16"},
		{"Latin 1", "L,l\xe4nge\n", table.Options{}, "INVALID_CSV", "not UTF-8"},
		{"a very wide table", "L" + strings.Repeat(",x", 1000) + "\n", table.Options{}, "INVALID_CSV", "1001 columns; at most 1000"},
		{"nothing", "", table.Options{}, "INVALID_CSV", "the table is empty"},
	} {
		_, _, err := sheetOf(t, tt.text, &tt.o)
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Code != tt.code || !strings.Contains(p.Message(), tt.detail) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A record with an unclosed quote is not read to the end of the table.
func TestSheetIsBounded(t *testing.T) {
	var read int
	endless := io.MultiReader(strings.NewReader("L\n3\n\""), &zeros{&read})
	s := service()
	sheet, err := table.NewSheet(s.Catalog(), "twice", nil, endless, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = batch.Run(t.Context(), s, sheet, sheet.AppendRecord, &out, nil)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.CodePayloadTooLarge || read > 1<<20 || !strings.HasPrefix(out.String(), "3,6,") {
		t.Errorf("%d bytes were read: %v\n%s", read, err, out.String())
	}
}

// zeros is an endless stream of digits.
type zeros struct{ read *int }

func (z *zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	*z.read += len(p)
	return len(p), nil
}
