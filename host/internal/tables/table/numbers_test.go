package table_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// echoing is an engine that answers its first input, and records all inputs.
type echoing struct{ doubling }

func (echoing) Calculate(_ context.Context, _ time.Duration, _ *registry.Release, in value.Values) (sdk.Outcome, error) {
	if in[0].Kind() == value.Absent {
		return sdk.Outcome{}, sdk.Missing("length", "there is no length")
	}
	return sdk.Outcome{Result: value.Values{in[0]}, Inputs: in}, nil
}

func (e echoing) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		results[i].Outcome, results[i].Err = e.Calculate(ctx, limit, r, in)
	}
	return results, nil
}

func varied() *calc.Service {
	spec := sdk.Spec{
		Capability: "test.varied", Tool: "varied", Version: "1.0.0",
		Inputs: []sdk.Field{
			{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m"},
			{Name: "count", Type: sdk.TypeInteger, Default: "2"},
			{Name: "kind", Type: sdk.TypeString, Enum: []string{"a", "b"}},
			{Name: "exact", Type: sdk.TypeNumber, Decimal: true},
			{Name: "share", Type: sdk.TypeNumber},
		},
		Outputs: []sdk.Field{{Name: "length", Type: sdk.TypeNumber, Unit: "m"}},
	}
	return calc.New(catalog.New([]registry.Capability{{ID: "test.varied", Current: "1.0.0", Tools: []string{"varied"}, Releases: []*registry.Release{
		{Capability: "test.varied", Version: "1.0.0", Spec: spec},
	}}}), echoing{}, nil)
}

// Rows with the same pattern get the same answers as if each row was read alone.
func TestNumbersAlone(t *testing.T) {
	cells := []string{
		"", "", "1", "2.50", "-0", "0.0", "1e3", "1E+03", "-7.25e-3", "1e400", "1e-400", "01", "+1", ".5", "1.", "1,5", "1.234", "1.234,5", "1,234", "1 234",
		"3 ft", "3ft", "2*3", "12%", "a", "b", "c", "true", "null", "NaN", "Infinity", "0x10", "data.x/y", " 4 ", "−3", "123456789012345678901234567890", "0.1000000000000000055",
	}
	headers := []string{"tag,L,count,kind,exact,share", "L [ft],tag,count,share", "L,length,tag,count", "exact,kind,L (m),tag"}
	s := varied()
	random := rand.New(rand.NewPCG(3, 4))
	for _, decimals := range []typed.Decimals{typed.Either, typed.Point, typed.Comma, typed.ByFile} {
		for _, header := range headers {
			var text strings.Builder
			text.WriteString(strings.ReplaceAll(header, ",", ";") + "\n")
			width := strings.Count(header, ",") + 1
			for n := range 800 {
				for i := range width {
					cell := cells[random.IntN(len(cells))]
					if n%3 != 0 && cell != "" { // most rows have plain numbers, so that patterns repeat
						cell = cells[2+random.IntN(6)]
					}
					text.WriteString(strings.Repeat(";", min(i, 1)) + cell)
				}
				if random.IntN(50) == 0 {
					text.WriteString(";7")
				}
				text.WriteByte('\n')
			}
			all := answeredAlike(t, s, fmt.Sprintf("%s, decimals %q", header, decimals), func() (*table.Sheet, error) {
				return table.NewSheet(s.Catalog(), "varied", nil, strings.NewReader(text.String()), &table.Options{Decimals: decimals, Tags: []string{"tag"}})
			})
			if !strings.Contains(all, `"count"`) && !strings.Contains(all, "MISSING") || !strings.Contains(all, "INVALID") {
				t.Errorf("%s: the rows show little\n%.400s", header, all)
			}
		}
	}
}

// Records with and without quotes are written in the same format.
func TestQuotes(t *testing.T) {
	for _, cell := range []string{"ab", "a b", "a,b", `a"b`, `\.`, `\`, "é", "a;b", "\u00a0a", "a\tb", "a\nb", "#", "a\rb", "a\u2028"} {
		var want bytes.Buffer
		w := csv.NewWriter(&want)
		_ = w.WriteAll([][]string{{"tag", "L", "double [m]", "warnings", "error_code", "error_field", "error_detail"}, {cell, "3", "6", "", "", "", ""}})
		answer, _, err := sheetOf(t, "tag,L\n\""+strings.ReplaceAll(cell, `"`, `""`)+"\",3\n", &table.Options{Tags: []string{"tag"}})
		if err != nil || answer != want.String() {
			t.Errorf("%q: %v\n%s\nwant\n%s", cell, err, answer, want.String())
		}
	}
}

// answeredAlike computes the rows of a sheet together and then each row alone, and compares the answers.
// It returns them.
func answeredAlike(t *testing.T, s *calc.Service, what string, open func() (*table.Sheet, error)) string {
	t.Helper()
	answers := func(alone bool) string {
		sheet, err := open()
		if err != nil {
			t.Fatal(err)
		}
		var in batch.Input = sheet
		if alone {
			in = struct{ batch.Input }{sheet} // hides the methods of a table
		}
		var out bytes.Buffer
		each := func(dst []byte, row string, a *calc.Answer, p *problem.Problem) []byte {
			dst = sheet.AppendRecord(dst, row, a, p)
			if p == nil {
				dst = a.Success.AppendJSON(dst)
			}
			return dst
		}
		if err := batch.Run(t.Context(), s, in, each, &out, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	together, alone := answers(false), answers(true)
	got, want := strings.Split(together, "\n"), strings.Split(alone, "\n")
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: line %d\n%s\nalone\n%s", what, i, got[i], want[i])
		}
	}
	return alone
}
