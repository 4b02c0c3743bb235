package export_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/export"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/tables/columns"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var layer = []sdk.Field{{Name: "thickness", Type: sdk.TypeNumber, Unit: "m"}, {Name: "note", Type: sdk.TypeString}}

var fields = []sdk.Field{
	{Name: "length", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "count", Type: sdk.TypeInteger},
	{Name: "rate", Type: sdk.TypeNumber, Decimal: true},
	{Name: "wet", Type: sdk.TypeBoolean},
	{Name: "model", Type: sdk.TypeString, Enum: []string{"", "a"}},
	{Name: "data", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Decimal: true}},
	{Name: "layers", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: layer}},
}

var spec = sdk.Spec{Capability: "test.a.b", Version: "1.0.0", Inputs: fields, Outputs: fields}

// lists are values for the fields: special bit patterns, exact decimals, and empty, absent and zero
// values.
var lists = []value.Values{
	{value.NumberOf(math.Nextafter(0.1, 1)), value.NumberOf(-3), value.ExactOf("1.50"), value.BoolOf(true), value.TextOf("a"), value.ListOf(value.ExactOf("0.10"), value.NumberOf(0.1)),
		value.ListOf(value.RecordOf(value.NumberOf(5e-324), value.TextOf(`"é`)), value.RecordOf(value.NumberOf(1), value.Value{}))},
	{value.NumberOf(0), value.NumberOf(1 << 52), value.NumberOf(1.5), value.BoolOf(false), value.TextOf(""), value.ListOf(), value.ListOf()},
	make(value.Values, len(fields)),
}

func records() (list []record.Record) {
	by := record.NewRelease(record.Release{Capability: spec.Capability, Version: spec.Version, Digest: "sha256:r", Engine: "sha256:e", Platform: "plan9/mips"})
	at := time.Unix(1, 20).UTC()
	for i, values := range lists {
		list = append(list, record.Record{Kind: record.Answer, Time: at, Request: "one", Row: uint64(i), Release: by, Inputs: values, Outcome: record.Outcome{Result: lists[len(lists)-1-i]}})
	}
	refused, hashed := list[0], list[0]
	refused.Outcome = record.Outcome{Code: "ODD", Field: "length"}
	hashed.Inputs, hashed.Hash = nil, []byte{1, 2}
	return append(list, refused, hashed)
}

var others = []record.Record{
	{Kind: record.Batch, Time: time.Unix(2, 0).UTC(), Rows: 1200, Text: [32]byte{1}},
	{Kind: record.Lost, Time: time.Unix(3, 0).UTC(), Count: 7, Since: time.Unix(2, 0).UTC()},
}

func written(t *testing.T, begin columns.NewWriterFunc, with *sdk.Spec, list []record.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := export.NewWriter(file, begin, with)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := w.Add("s-1/0", &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func rows(t *testing.T, path string, with *sdk.Spec) (list []*export.Row) {
	t.Helper()
	r, err := export.Open(path)
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	defer r.Close()
	r.Spec = with
	if err := r.Each(func(row *export.Row) error { list = append(list, row); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// Records are read as they were written, in both forms and both formats. Every bit is the same, and
// exact decimals stay different from numbers.
func TestWrittenAndRead(t *testing.T) {
	answers := records()
	all := append(records(), others...)
	for name, begin := range map[string]columns.NewWriterFunc{"Parquet": columns.NewParquet, "Arrow": columns.NewArrow} {
		for i, row := range rows(t, written(t, begin, nil, all), nil) {
			want := all[i].View()
			want.Place, want.Releases = "s-1/0", nil
			if got, _ := json.Marshal(row.View); string(got) != string(mustMarshal(t, want)) {
				t.Errorf("%s: %s, want %s", name, got, mustMarshal(t, want))
			}
			if want.Inputs == nil {
				continue
			}
			inputs, err := record.ReadValues(spec.Inputs, row.View.Inputs)
			same(t, name+" inputs", inputs, all[i].Inputs, err)
		}
		path := written(t, begin, &spec, answers)
		for i, row := range rows(t, path, &spec) {
			if !row.Typed || row.Version != "1.0.0" || row.Outcome.Code != answers[i].Outcome.Code || row.Outcome.Field != answers[i].Outcome.Field {
				t.Errorf("%s: %+v", name, row)
			}
			if answers[i].Hash == nil {
				same(t, name+" inputs", row.Inputs, answers[i].Inputs, nil)
			}
			if row.Outcome.Code == "" {
				same(t, name+" result", row.Outcome.Result, answers[i].Outcome.Result, nil)
			}
		}
		for _, row := range rows(t, path, nil) { // of an unknown release
			if row.Typed || row.Capability != spec.Capability || row.Release != "sha256:r" {
				t.Errorf("%s: %+v", name, row)
			}
		}
		other := spec
		other.Inputs = append([]sdk.Field{{Name: "more", Type: sdk.TypeNumber}}, spec.Inputs...)
		r, err := export.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Spec = &other
		if err := r.Each(func(*export.Row) error { return nil }); err == nil || !strings.Contains(err.Error(), `no column "inputs.more"`) {
			t.Errorf("%s: another release: %v", name, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	w, err := export.NewWriter(new(strings.Builder), columns.NewParquet, &spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("s-1/0", &others[0]); err == nil {
		t.Error("a batch is an answer of the release")
	}
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func same(t *testing.T, name string, got, want value.Values, err error) {
	t.Helper()
	if err != nil || len(got) != len(want) {
		t.Errorf("%s: %v, %v", name, got, err)
		return
	}
	for i := range want {
		if !got[i].Equal(want[i]) {
			t.Errorf("%s: %s is %+v, want %+v", name, fields[i].Name, got[i], want[i])
		}
	}
}
