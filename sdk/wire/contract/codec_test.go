package contract

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

var sameValues = cmp.Comparer(func(a, b value.Value) bool { return a.Equal(b) })

// anyField generates fields of every type, nested a few levels.
func anyField(t *rapid.T, depth int) sdk.Field {
	types := []sdk.Type{sdk.TypeNumber, sdk.TypeInteger, sdk.TypeString, sdk.TypeBoolean}
	if depth > 0 {
		types = append(types, sdk.TypeArray, sdk.TypeObject)
	}
	f := sdk.Field{Name: "f", Type: rapid.SampledFrom(types).Draw(t, "type")}
	switch f.Type {
	case sdk.TypeString:
		f.Enum = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(t, "enum")
	case sdk.TypeArray:
		items := anyField(t, depth-1)
		f.Items = &items
	case sdk.TypeObject:
		f.Fields = anyFields(t, depth-1)
	}
	return f
}

func anyFields(t *rapid.T, depth int) []sdk.Field {
	fields := make([]sdk.Field, rapid.IntRange(0, 4).Draw(t, "fields"))
	for i := range fields {
		fields[i] = anyField(t, depth)
	}
	return fields
}

// scalars are of any kind. The decoder does not check whether a field may have them.
var scalars = rapid.OneOf(
	rapid.Map(rapid.Float64(), value.NumberOf),
	rapid.Map(rapid.String(), value.TextOf),
	rapid.Map(rapid.SampledFrom([]string{"a", "b"}), value.TextOf),
	rapid.Map(rapid.Bool(), value.BoolOf),
	rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,30}`), value.ExactOf),
)

// valueOf generates a value of the field, which is sometimes absent.
func valueOf(t *rapid.T, f *sdk.Field, present bool) value.Value {
	switch {
	case !present && rapid.IntRange(0, 4).Draw(t, "absent") == 0:
		return value.Value{}
	case f.Type == sdk.TypeArray:
		items := make([]value.Value, rapid.IntRange(0, 4).Draw(t, "items"))
		for i := range items {
			items[i] = valueOf(t, f.Items, true)
		}
		return value.ListOf(items...)
	case f.Type == sdk.TypeObject:
		return value.RecordOf(valuesOf(t, f.Fields)...)
	}
	return scalars.Draw(t, "value")
}

func valuesOf(t *rapid.T, fields []sdk.Field) value.Values {
	values := make(value.Values, len(fields))
	for i := range fields {
		values[i] = valueOf(t, &fields[i], false)
	}
	return values
}

func anySpec(t *rapid.T) *sdk.Spec {
	return &sdk.Spec{
		Inputs: anyFields(t, 2), Outputs: anyFields(t, 2), Warnings: []string{"A"}, Errors: []string{"A"},
		Formulas: []sdk.Formula{{ID: "first"}, {ID: "second"}},
	}
}

// decoderOf returns a decoder for an answer of any size.
func decoderOf(spec *sdk.Spec) *Decoder {
	d := NewDecoder(spec, 64<<20)
	return &d
}

// rowsOf returns the rows that an engine reads.
func rowsOf(c *Columns) []value.Values {
	rows := make([]value.Values, c.Rows)
	for i := range rows {
		rows[i] = slices.Clone(c.Row(i))
	}
	return rows
}

// fataler is a test, or one of rapid's.
type fataler interface{ Fatal(args ...any) }

// batchOutcome returns the answer of an engine to the rows.
func batchOutcome(t fataler, id uint64, spec *sdk.Spec, sent []value.Values, results []response.Result) []byte {
	batch, err := DecodeBatch(AppendBatch(nil, &Batch{ID: id, Rows: sent}, len(spec.Inputs)), spec)
	if err != nil {
		t.Fatal(err)
	}
	a := NewBatchAnswer(spec)
	for range 2 { // the second time in the same memory
		a.Start(&batch)
		for i := range results {
			a.Add(batch.Row(i), &results[i].Outcome, results[i].Err)
		}
	}
	return a.Append(nil)
}

func decodeOutcome(b []byte, spec *sdk.Spec) (sdk.Outcome, error) { return decoderOf(spec).Outcome(b) }

// protobuf can read the written messages by engine.proto, and the other way round.
func TestCallIsProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		c := Call{
			ID: rapid.Uint64().Draw(t, "id"), Timeout: time.Duration(rapid.Int64Min(0).Draw(t, "timeout")),
			Trace: rapid.String().Draw(t, "trace"), Request: RequestIDOf(rapid.StringN(0, -1, MaxRequestID).Draw(t, "request")), Inputs: valuesOf(t, spec.Inputs),
		}
		theirs := messageOf("Call", members{
			"id": c.ID, "timeout_nanos": int64(c.Timeout), "inputs": valueMessages(c.Inputs), "traceparent": c.Trace, "request_id": c.Request.String(),
		})
		read := newMessage("Call")
		if err := proto.Unmarshal(AppendCall(nil, &c), read); err != nil || !proto.Equal(read, theirs) {
			t.Fatalf("protobuf reads %v, %v; want %v", read, err, theirs)
		}
		plot := rapid.String().Draw(t, "plot")
		request := messageOf("DrawRequest", members{"plot": plot, "call": theirs})
		read = newMessage("DrawRequest")
		if err := proto.Unmarshal(AppendDrawRequest(nil, plot, &c), read); err != nil || !proto.Equal(read, request) {
			t.Fatalf("protobuf reads %v, %v; want %v", read, err, request)
		}
		got, err := DecodeCall(encoded(t, theirs), spec)
		if err != nil || !sameCall(got, c) {
			t.Fatalf("read %+v, %v; want %v", got, err, theirs)
		}
		gotPlot, got, err := DecodeDrawRequest(encoded(t, request), spec)
		if err != nil || gotPlot != plot || !sameCall(got, c) {
			t.Fatalf("read %q, %+v, %v; want %v", gotPlot, got, err, request)
		}
	})
}

func encoded(t interface{ Fatal(...any) }, m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sameCall(a, b Call) bool {
	return a.ID == b.ID && a.Timeout == b.Timeout && a.Trace == b.Trace && a.Request == b.Request && cmp.Equal(a.Inputs, b.Inputs, sameValues)
}

func anyOutcome(t *rapid.T, spec *sdk.Spec) sdk.Outcome {
	word := rapid.String()
	warning := rapid.Custom(func(t *rapid.T) sdk.Warning {
		return sdk.Warning{Code: word.Draw(t, "code"), Severity: sdk.Severity(word.Draw(t, "severity")), Detail: word.Draw(t, "detail"), Suggestion: word.Draw(t, "suggestion")}
	})
	return sdk.Outcome{
		Result: valuesOf(t, spec.Outputs), Inputs: valuesOf(t, spec.Inputs), Formula: word.Draw(t, "formula"),
		Assumptions: rapid.SliceOfN(word, 0, 3).Draw(t, "assumptions"), Warnings: rapid.SliceOfN(warning, 0, 3).Draw(t, "warnings"),
	}
}

func TestOutcomeIsProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		o := anyOutcome(t, spec)
		ours := AppendOutcome(nil, 7, &o, nil)
		read := newMessage("Outcome")
		if err := proto.Unmarshal(ours, read); err != nil || !proto.Equal(read, messageOf("Outcome", members{"id": uint64(7), "answer": answerMessage(o)})) {
			t.Fatalf("protobuf reads %v, %v", read, err)
		}
		back, err := decodeOutcome(ours, spec)
		if err != nil || !sameAnswer(back, o) {
			t.Fatalf("read %+v, %v; want %+v", back, err, o)
		}
	})
	rejection := &sdk.Error{Code: "A", Field: "b", Detail: "c", Suggestion: "d", Invalid: []sdk.InvalidParameter{{Name: "e", Constraint: "f"}}}
	var got *sdk.Error
	if _, err := decodeOutcome(AppendOutcome(nil, 1, nil, rejection), new(sdk.Spec)); !errors.As(err, &got) || !cmp.Equal(got, rejection) {
		t.Errorf("rejection: %v", err)
	}
	for _, text := range []string{"broke", ""} {
		if _, err := decodeOutcome(AppendOutcome(nil, 1, nil, errors.New(text)), new(sdk.Spec)); err == nil || errors.Is(err, ErrContract) {
			t.Errorf("failure %q: %v", text, err)
		}
	}
	if _, err := decodeOutcome(AppendID(nil, 1), new(sdk.Spec)); !errors.Is(err, ErrContract) {
		t.Errorf("no outcome: %v", err)
	}
}

// Rows are sent as columns and are the same after decoding. The engine decodes the rows of a
// Batch, and the server the rows of its answer.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		n := rapid.IntRange(1, 20).Draw(t, "rows")
		sent, want := make([]value.Values, n), make([]response.Result, n)
		// Many columns have one kind of values, or one value.
		draw := func(fields []sdk.Field, column []*rapid.Generator[value.Value]) value.Values {
			row := valuesOf(t, fields)
			for f, g := range column {
				if g != nil && fields[f].Type != sdk.TypeArray && fields[f].Type != sdk.TypeObject {
					row[f] = g.Draw(t, "value")
				}
			}
			return row
		}
		inputs, outputs := columnsOf(t, len(spec.Inputs)), columnsOf(t, len(spec.Outputs))
		for i := range n {
			sent[i] = draw(spec.Inputs, inputs)
			want[i].Outcome = anyOutcome(t, spec)
			want[i].Outcome.Result = draw(spec.Outputs, outputs)
			if rapid.Bool().Draw(t, "unchanged") {
				want[i].Outcome.Inputs = sent[i]
			}
		}
		batch := Batch{ID: 1, Timeout: time.Second, Trace: "x", Request: RequestIDOf("id"), Rows: sent}
		ours := AppendBatch(nil, &batch, len(spec.Inputs))
		read := newMessage("Batch")
		if err := proto.Unmarshal(ours, read); err != nil || len(read.GetUnknown()) > 0 || len(encoded(t, read)) != len(ours) {
			t.Fatalf("protobuf reads %v, %v", read, err)
		}
		for _, b := range [][]byte{ours, encoded(t, read)} {
			got, err := DecodeBatch(b, spec)
			if err != nil || got.ID != 1 || got.Timeout != time.Second || got.Trace != "x" || got.Request != batch.Request || !cmp.Equal(rowsOf(&got), sent, sameValues) {
				t.Fatalf("the engine reads %v, %v, want %v", got, err, sent)
			}
		}
		ours = batchOutcome(t, 1, spec, sent, want)
		read = newMessage("BatchOutcome")
		if err := proto.Unmarshal(ours, read); err != nil || len(read.GetUnknown()) > 0 {
			t.Fatalf("protobuf reads %v, %v", read, err)
		}
		for _, b := range [][]byte{ours, encoded(t, read)} {
			got, err := decoderOf(spec).Batch(b, sent)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !sameAnswer(got[i].Outcome, want[i].Outcome) {
					t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
				}
			}
		}
	})
}

// An invalid batch is refused, and its id is known for the answer.
func TestBadBatches(t *testing.T) {
	spec := unfoldSpec()
	spec.Inputs = spec.Inputs[:1]
	rows := []value.Values{{value.NumberOf(1)}, {value.NumberOf(2)}}
	batch := func(rows uint64, column []byte) []byte {
		return append(appendUint(AppendID(nil, 5), batchRows, rows), column...)
	}
	for name, b := range map[string][]byte{
		"no rows":          batch(0, part(batchSent, part(columnConstant, nil))),
		"many rows":        batch(MaxRows+1, part(batchSent, part(columnConstant, nil))),
		"two columns":      AppendBatch(nil, &Batch{ID: 5, Rows: []value.Values{{{}, {}}}}, 2),
		"no column":        batch(2, nil),
		"few numbers":      batch(2, part(batchSent, part(columnNumbers, make([]byte, 8)))),
		"unchanged":        batch(2, part(batchSent, []byte(unchanged))),
		"beyond the words": batch(2, part(batchSent, part(columnTexts, append(part(textsDictionary, nil), part(textsIndexes, []byte{0, 1})...)))),
		"cut":              AppendBatch(nil, &Batch{ID: 5, Rows: rows}, 1)[:8],
	} {
		if got, err := DecodeBatch(b, spec); err == nil || got.ID != 5 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := DecodeBatch(AppendBatch(nil, &Batch{ID: 5, Rows: rows}, 1), spec); err != nil || !cmp.Equal(rowsOf(&got), rows, sameValues) {
		t.Errorf("a batch: %v, %v", got, err)
	}
}

// columnsOf generates the generators for the values of each column; nil for the default of the
// field.
func columnsOf(t *rapid.T, fields int) []*rapid.Generator[value.Value] {
	columns := make([]*rapid.Generator[value.Value], fields)
	for f := range columns {
		columns[f] = rapid.SampledFrom([]*rapid.Generator[value.Value]{
			rapid.Map(rapid.Float64(), value.NumberOf), rapid.Map(rapid.SampledFrom([]string{"a", "b"}), value.TextOf),
			rapid.Just(value.NumberOf(1)), rapid.Just(value.Value{}), nil,
		}).Draw(t, "column")
	}
	return columns
}

// The server reads or refuses every message of an engine.
func FuzzOutcome(f *testing.F) {
	o := sdk.Outcome{Result: value.Values{value.NumberOf(1), value.ListOf(value.TextOf("x"))}, Warnings: []sdk.Warning{{Code: "A"}}}
	f.Add(AppendOutcome(nil, 1, &o, nil))
	f.Add(AppendOutcome(nil, 1, nil, &sdk.Error{Code: "A", Invalid: []sdk.InvalidParameter{{Name: "e"}}}))
	f.Add(AppendOutcome(nil, 1, nil, errors.New("x")))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeOutcome(b, new(sdk.Spec))
		var rejection *sdk.Error
		if err != nil && !errors.As(err, &rejection) {
			return
		}
		second, err2 := decodeOutcome(AppendOutcome(nil, 1, &got, err), new(sdk.Spec))
		if (err == nil) != (err2 == nil) || err == nil && !sameAnswer(second, got) {
			t.Errorf("%v, %v became %v, %v", got, err, second, err2)
		}
	})
}

// Notes that several rows share are decoded for each row, at every position of the row number.
func TestSameNotes(t *testing.T) {
	spec := &sdk.Spec{}
	notes := func(b ...[]byte) []byte { return part(batchNotes, bytes.Join(b, nil)) }
	row := func(i uint64) []byte { return appendUint(nil, notesRow, i) }
	a, b := part(notesAssumptions, []byte("a")), part(notesAssumptions, []byte("b"))
	answer := bytes.Join([][]byte{AppendID(nil, 1), notes(a), notes(row(1), a), notes(b, row(2)), notes(row(3)), notes(b, row(4), a), notes(row(5), a), notes(row(6), a, b)}, nil)
	got, err := decoderOf(spec).Batch(answer, make([]value.Values, 7))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[a]", "[a]", "[b]", "[]", "[b a]", "[a]", "[a b]"} {
		if text := fmt.Sprint(got[i].Outcome.Assumptions); text != want {
			t.Errorf("row %d has %s, want %s", i, text, want)
		}
	}
}
