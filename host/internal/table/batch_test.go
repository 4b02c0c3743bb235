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
	"github.com/slipstick/slipstick/host/internal/table"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// doubling is an engine that gives twice its input, and dies of a negative one.
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
	return calc.New(calc.NewCatalog([]registry.Capability{{ID: "test.twice", Current: "1.0.0", Tools: []string{"twice"}, Releases: []*registry.Release{
		{Capability: "test.twice", Version: "1.0.0", Spec: spec},
	}}}), doubling{}, nil)
}

// observer counts what it is told.
type observer struct {
	size, read int64
	tally      calc.Tally
}

func (o *observer) SetSize(n int64) { o.size = n }

func (o *observer) Reader(r io.Reader) io.Reader { return io.TeeReader(r, o) }

func (o *observer) Write(p []byte) (int, error) {
	o.read += int64(len(p))
	return len(p), nil
}

func (o *observer) Add(t calc.Tally) {
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

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, rows string
		b          table.Batch
		want       string
	}{
		{"csv to csv", "L\n3\n3 ft\n\n", table.Batch{Format: table.CSV, As: table.CSV, ID: "twice"}, "L,double [m],error\n3,6,\n3 ft,1.8288,\n"},
		{"a mark, and a cell too many", "\ufeffL\n1,2\n", table.Batch{Format: table.CSV, As: table.CSV, ID: "twice"},
			"L,double [m],error\n1,,\"INVALID_CSV: the record has 2 cells, the header 1\"\n"},
		{"csv to results", "L\n3\n", table.Batch{Format: table.CSV, Lean: true, ID: "twice"}, `{"result":{"double":6}}` + "\n"},
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
		t.Error("a file that is not there is no InputError")
	}
	if err, ok := errors.AsType[*table.OutputError](run(table.Batch{In: strings.NewReader(""), To: filepath.Join(t.TempDir(), "none", "x")})); !ok || strings.Contains(err.Error(), "partial") {
		t.Errorf("a place that is none: %v", err)
	}
	for _, text := range []string{"", "L, L\n", "\"\n"} {
		if _, ok := errors.AsType[*table.HeaderError](run(csv(text, "twice"))); !ok {
			t.Errorf("the header %q is no HeaderError", text)
		}
	}
	for _, b := range []table.Batch{csv("L\n", "other"), csv("L,width\n", "twice")} {
		if err := run(b); !isProblem(err) {
			t.Errorf("%s: %v is no problem", b.ID, err)
		}
	}
	if _, ok := errors.AsType[*table.EndedError](run(table.Batch{From: t.TempDir(), Format: table.NDJSON})); !ok {
		t.Error("a directory does not end the batch")
	}
}

func isProblem(err error) bool {
	_, ok := errors.AsType[*calc.Problem](err)
	return ok
}

// A file of answers is there when it is complete, and else as it was before.
func TestOutputIsWhole(t *testing.T) {
	to := write(t, "answers", "before")
	b := table.Batch{In: strings.NewReader("L,width\n"), Format: table.CSV, ID: "twice", To: to, Observer: new(observer)}
	if err := b.Run(t.Context(), service()); err == nil {
		t.Error("columns that are no inputs were taken")
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
		t.Errorf("left behind: %v", left)
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]table.Format{"a.CSV": table.CSV, "a.ndjson": table.NDJSON, "a.jsonl": table.NDJSON, "a.txt": "", "csv": ""} {
		if got := table.FormatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
