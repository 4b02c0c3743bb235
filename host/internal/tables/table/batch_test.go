package table_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// doubling is an engine that doubles its input, and crashes on a negative one.
type doubling struct{}

func (doubling) Calculate(_ context.Context, _ time.Duration, _ *registry.Release, in value.Values) (sdk.Outcome, error) {
	if in[0].Number() < 0 {
		return sdk.Outcome{}, errors.New("the engine died")
	}
	return sdk.Outcome{Result: value.Values{value.NumberOf(2 * in[0].Number())}, Inputs: in}, nil
}

func (e doubling) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, in := range rows {
		results[i].Outcome, results[i].Err = e.Calculate(ctx, limit, r, in)
	}
	return results, nil
}

func (doubling) Draw(context.Context, time.Duration, *registry.Release, string, value.Values) (*sdk.Figure, error) {
	return nil, errors.New("nothing to draw")
}

func service() *calc.Service {
	spec := sdk.Spec{
		Capability: "test.twice", Tool: "twice", Version: "1.0.0",
		Inputs:  []sdk.Field{{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m", Required: true}},
		Outputs: []sdk.Field{{Name: "double", Type: sdk.TypeNumber, Unit: "m"}},
	}
	return calc.New(catalog.New([]registry.Capability{{ID: "test.twice", Current: "1.0.0", Tools: []string{"twice"}, Releases: []*registry.Release{
		{Capability: "test.twice", Version: "1.0.0", Spec: spec},
	}}}), doubling{}, nil)
}

// observer counts the calls of its methods.
type observer struct {
	size, read, rows int64
	tally            batch.Tally
}

func (o *observer) SetSize(n int64) { o.size = n }

func (o *observer) SetRows(n int64) { o.rows = n }

func (o *observer) Reader(r io.Reader) io.Reader { return io.TeeReader(r, o) }

func (o *observer) Write(p []byte) (int, error) {
	o.read += int64(len(p))
	return len(p), nil
}

func (o *observer) Add(t batch.Tally) {
	o.tally.Succeeded += t.Succeeded
	o.tally.Rejected += t.Rejected
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// more are the columns after the outputs.
const more = ",warnings,error_code,error_field,error_detail\n"

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, rows string
		b          table.Batch
		want       string
	}{
		{"csv to csv", "L\n3\n3 ft\n\n", table.Batch{Format: table.CSV, As: table.CSV, ID: "twice"}, "L,double [m]" + more + "3,6,,,,\n3 ft,1.8288,,,,\n"},
		{"a mark, and a cell too many", "\ufeffL\n1,2\n", table.Batch{Format: table.CSV, As: table.CSV, ID: "twice"},
			"\ufeffL,double [m]" + more + "1,,,INVALID_CSV,,\"the record has 2 cells, the header 1. Write a cell for every name of the header; an empty one is an input that is not sent.\"\n"},
		{"csv to results", "L\n3\n", table.Batch{Format: table.CSV, Lean: true, ID: "twice"}, `{"result":{"double":6}}` + "\n"},
		{"csv to columns", "\ufeffname;L\na long name;3\nb;-3\n", table.Batch{Format: table.CSV, As: table.Table, ID: "twice"},
			"name          L    double [m]   warnings   error_code       error_field   error_detail\n" +
				"a long name   3    6\n" +
				"b             -3                           INTERNAL_ERROR                 the service failed, and the request is not the cause. Report it to the operator of the service, with the X-Request-Id of this response.\n"},
		{"ndjson to results", `{"inputs":{"L":3}}` + "\n" + `{"id":"twice","inputs":{"L":4}}`, table.Batch{Format: table.NDJSON, Lean: true, ID: "twice"}, `{"result":{"double":6}}` + "\n" + `{"result":{"double":8}}` + "\n"},
	} {
		var out bytes.Buffer
		seen := new(observer)
		b := tt.b
		b.From, b.Out, b.Observer = write(t, "rows", tt.rows), &out, seen
		if err := b.Run(t.Context(), service()); err != nil || out.String() != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, out.String(), tt.want)
		}
		if n := int64(len(tt.rows)); seen.size != n || seen.read != n || seen.tally.Succeeded+seen.tally.Rejected == 0 {
			t.Errorf("%s: saw %+v", tt.name, seen)
		}
	}
}

func TestErrors(t *testing.T) {
	run := func(b table.Batch) error {
		b.Out, b.Observer = io.Discard, new(observer)
		return b.Run(t.Context(), service())
	}
	csv := func(text, id string) table.Batch {
		return table.Batch{From: write(t, "rows.csv", text), Format: table.CSV, ID: id}
	}
	if _, ok := errors.AsType[*table.InputError](run(table.Batch{From: filepath.Join(t.TempDir(), "none")})); !ok {
		t.Error("a missing file is not an InputError")
	}
	if err, ok := errors.AsType[*table.OutputError](run(table.Batch{In: strings.NewReader(""), To: filepath.Join(t.TempDir(), "none", "x")})); !ok || strings.Contains(err.Error(), "partial") {
		t.Errorf("a place that is none: %v", err)
	}
	for _, b := range []table.Batch{csv("L\n", "other"), csv("width\n", "twice"), csv("", "twice"), csv("L, L\n", "twice"), csv("\"\n", "twice")} {
		if err := run(b); !isProblem(err) {
			t.Errorf("%s: %v is not a problem", b.ID, err)
		}
	}
	if _, ok := errors.AsType[*table.EndedError](run(table.Batch{From: t.TempDir(), Format: table.NDJSON})); !ok {
		t.Error("a directory does not end the batch")
	}
}

func isProblem(err error) bool {
	_, ok := errors.AsType[*problem.Problem](err)
	return ok
}

// endless is an endless stream of rows.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	return copy(p, `{"inputs":{"L":0}}`+"\n"+`{"inputs":{}}`+"\n"), nil
}

// A batch with Stop ends after a row without a result, however many rows follow.
func TestStop(t *testing.T) {
	seen := new(observer)
	b := table.Batch{In: endless{}, Out: io.Discard, Format: table.NDJSON, ID: "twice", Stop: true, Observer: seen}
	err := b.Run(t.Context(), service())
	if !errors.Is(err, table.ErrStopped) || seen.tally.Rejected == 0 {
		t.Errorf("%v after %+v", err, seen.tally)
	}
}

// A file of answers appears when it is complete. Before, the old file stays unchanged.
func TestOutputIsWhole(t *testing.T) {
	to := write(t, "answers", "before")
	b := table.Batch{In: strings.NewReader("width\n"), Format: table.CSV, ID: "twice", To: to, Observer: new(observer)}
	if err := b.Run(t.Context(), service()); err == nil {
		t.Error("columns that are not inputs were accepted")
	}
	if data, _ := os.ReadFile(to); string(data) != "before" {
		t.Errorf("a batch that ended early wrote %q", data)
	}
	b.In = strings.NewReader("L\n3\n")
	b.Lean = true
	if err := b.Run(t.Context(), service()); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(to); string(data) != `{"result":{"double":6}}`+"\n" {
		t.Errorf("wrote %q", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(to)); len(left) != 1 {
		t.Errorf("temporary files remain: %v", left)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]table.Format{"a.CSV": table.CSV, "a.ndjson": table.NDJSON, "a.jsonl": table.NDJSON, "a.txt": "", "csv": ""} {
		if got := table.FormatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
