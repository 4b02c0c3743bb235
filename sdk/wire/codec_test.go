package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

var sameValues = cmp.Comparer(func(a, b sdk.Value) bool { return a.Equal(b) })

// anyField draws fields of every type, nested a few levels.
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

// scalars are of any kind: whether a field may have them is not the decoder's business.
var scalars = rapid.OneOf(
	rapid.Map(rapid.Float64(), sdk.NumberOf),
	rapid.Map(rapid.String(), sdk.TextOf),
	rapid.Map(rapid.SampledFrom([]string{"a", "b"}), sdk.TextOf),
	rapid.Map(rapid.Bool(), sdk.BoolOf),
	rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,30}`), sdk.ExactOf),
)

// valueOf draws a value of the field, which is absent now and then.
func valueOf(t *rapid.T, f *sdk.Field, present bool) sdk.Value {
	switch {
	case !present && rapid.IntRange(0, 4).Draw(t, "absent") == 0:
		return sdk.Value{}
	case f.Type == sdk.TypeArray:
		items := make([]sdk.Value, rapid.IntRange(0, 4).Draw(t, "items"))
		for i := range items {
			items[i] = valueOf(t, f.Items, true)
		}
		return sdk.ListOf(items...)
	case f.Type == sdk.TypeObject:
		return sdk.RecordOf(valuesOf(t, f.Fields)...)
	}
	return scalars.Draw(t, "value")
}

func valuesOf(t *rapid.T, fields []sdk.Field) sdk.Values {
	values := make(sdk.Values, len(fields))
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

// newAnswers are those of an engine that is alone.
func newAnswers(spec *sdk.Spec) *answers {
	return &answers{spec, NewMemory(0, 2*maxBatchValues).Share()}
}

func decodeOutcome(b []byte, spec *sdk.Spec) (sdk.Outcome, error) {
	return newAnswers(spec).outcome(context.Background(), b)
}

// The lane's own encoding of calls is what the generated code reads, and the other way
// round.
func TestCallIsProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		inputs := valuesOf(t, spec.Inputs)
		id, timeout := rapid.Uint64().Draw(t, "id"), time.Duration(rapid.Int64Min(0).Draw(t, "timeout"))
		trace := rapid.String().Draw(t, "trace")
		ours := appendCall(nil, id, timeout, trace, inputs)
		theirs := &enginepb.Call{Id: id, TimeoutNanos: int64(timeout), Inputs: toValues(inputs), Traceparent: trace}
		read := new(enginepb.Call)
		if err := proto.Unmarshal(ours, read); err != nil || !proto.Equal(read, theirs) {
			t.Fatalf("generated code reads %v, %v; want %v", read, err, theirs)
		}
		encoded, err := proto.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeCall(encoded, spec)
		if err != nil || got.id != id || got.timeout != timeout || got.trace != trace || !cmp.Equal(got.inputs, inputs, sameValues) {
			t.Fatalf("read %+v, %v; want %v", got, err, theirs)
		}
	})
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
	empty := cmp.Transformer("", func(o sdk.Outcome) enginepbAnswer { return enginepbAnswer{toAnswer(o)} })
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		o := anyOutcome(t, spec)
		ours := appendOutcome(nil, 7, &o, nil)
		read := new(enginepb.Outcome)
		if err := proto.Unmarshal(ours, read); err != nil || !proto.Equal(read, toOutcome(7, o, nil)) {
			t.Fatalf("generated code reads %v, %v", read, err)
		}
		back, err := decodeOutcome(ours, spec)
		if err != nil || !cmp.Equal(back, o, empty) {
			t.Fatalf("read %+v, %v; want %+v", back, err, o)
		}
	})
	rejection := &sdk.Error{Code: "A", Field: "b", Detail: "c", Suggestion: "d", Invalid: []sdk.InvalidParameter{{Name: "e", Constraint: "f"}}}
	var got *sdk.Error
	if _, err := decodeOutcome(appendOutcome(nil, 1, nil, rejection), new(sdk.Spec)); !errors.As(err, &got) || !cmp.Equal(got, rejection) {
		t.Errorf("rejection: %v", err)
	}
	for _, text := range []string{"broke", ""} {
		if _, err := decodeOutcome(appendOutcome(nil, 1, nil, errors.New(text)), new(sdk.Spec)); err == nil || errors.Is(err, ErrContract) {
			t.Errorf("failure %q: %v", text, err)
		}
	}
	if _, err := decodeOutcome(appendUint(nil, outcomeID, 1), new(sdk.Spec)); !errors.Is(err, ErrContract) {
		t.Errorf("no outcome: %v", err)
	}
}

// enginepbAnswer compares answers by their messages.
type enginepbAnswer struct{ *enginepb.Answer }

func (a enginepbAnswer) Equal(b enginepbAnswer) bool { return proto.Equal(a.Answer, b.Answer) }

// Rows cross as columns and come back the same: those of a Batch in the engine, and those
// of its answer in the host.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		n := rapid.IntRange(1, 20).Draw(t, "rows")
		sent, want := make([]sdk.Values, n), make([]sdk.Result, n)
		// Columns are of one kind often, and of one value.
		draw := func(fields []sdk.Field, column []*rapid.Generator[sdk.Value]) sdk.Values {
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
		batch, err := proto.Marshal(&enginepb.Batch{Rows: uint32(n), Inputs: toColumns(sent, len(spec.Inputs))})
		if err != nil {
			t.Fatal(err)
		}
		engine := &playedEngine{spec: *spec, results: want}
		s := &laneServer{engine: engine, spec: *spec}
		if err := s.batch(batch); err != nil {
			t.Fatal(err)
		}
		for i, row := range sent {
			if !cmp.Equal(engine.asked[i], row, sameValues) {
				t.Fatalf("the engine got %v, want %v", engine.asked[i], row)
			}
		}
		got, err := newAnswers(spec).batch(t.Context(), s.out[frameHeader:], sent)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !cmp.Equal(enginepbAnswer{toAnswer(got[i].Outcome)}, enginepbAnswer{toAnswer(want[i].Outcome)}) {
				t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
			}
		}
	})
}

// columnsOf draws how the values of each column are drawn; nil for as its field says.
func columnsOf(t *rapid.T, fields int) []*rapid.Generator[sdk.Value] {
	columns := make([]*rapid.Generator[sdk.Value], fields)
	for f := range columns {
		columns[f] = rapid.SampledFrom([]*rapid.Generator[sdk.Value]{
			rapid.Map(rapid.Float64(), sdk.NumberOf), rapid.Map(rapid.SampledFrom([]string{"a", "b"}), sdk.TextOf),
			rapid.Just(sdk.NumberOf(1)), rapid.Just(sdk.Value{}), nil,
		}).Draw(t, "column")
	}
	return columns
}

// playedEngine answers row by row.
type playedEngine struct {
	spec    sdk.Spec
	results []sdk.Result
	asked   []sdk.Values
}

func (e *playedEngine) Spec() sdk.Spec { return e.spec }

func (e *playedEngine) Calculate(_ context.Context, in sdk.Values) (sdk.Outcome, error) {
	r := e.results[len(e.asked)]
	e.asked = append(e.asked, in)
	return r.Outcome, r.Err
}

// Whatever an engine sends, the host reads it or refuses it.
func FuzzOutcome(f *testing.F) {
	o := sdk.Outcome{Result: sdk.Values{sdk.NumberOf(1), sdk.ListOf(sdk.TextOf("x"))}, Warnings: []sdk.Warning{{Code: "A"}}}
	f.Add(appendOutcome(nil, 1, &o, nil))
	f.Add(appendOutcome(nil, 1, nil, &sdk.Error{Code: "A", Invalid: []sdk.InvalidParameter{{Name: "e"}}}))
	f.Add(appendOutcome(nil, 1, nil, errors.New("x")))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeOutcome(b, new(sdk.Spec))
		var rejection *sdk.Error
		if err != nil && !errors.As(err, &rejection) {
			return
		}
		again, err2 := decodeOutcome(appendOutcome(nil, 1, &got, err), new(sdk.Spec))
		if (err == nil) != (err2 == nil) || err == nil && !proto.Equal(toAnswer(again), toAnswer(got)) {
			t.Errorf("%v, %v became %v, %v", got, err, again, err2)
		}
	})
}

// Whatever an engine sends on its lane, reading frames ends without a panic and keeps
// the bounds.
func FuzzFrames(f *testing.F) {
	f.Add(appendFrame(nil, frameOutcome, func(b []byte) []byte { return appendUint(b, outcomeID, 1) }))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 2})
	f.Add([]byte{0, 0, 0, 0, 2})
	f.Add([]byte{0, 0x20, 0, 0, 2, 8, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		l := newLane(ours, newAnswers(benchSpec()), func() {})
		asked := make(chan error)
		go func() {
			body, err := l.ask(t.Context(), 0, pongNeed, framePing, framePong, func(b []byte, id uint64) []byte { return appendUint(b, callID, id) })
			if err == nil && len(body.bytes) > pongNeed {
				err = fmt.Errorf("a body of %d bytes", len(body.bytes))
				t.Error(err)
			}
			asked <- err
		}()
		if _, err := theirs.Read(make([]byte, 100)); err == nil {
			_, _ = theirs.Write(b)
		}
		theirs.Close()
		<-asked
		<-l.done
	})
}
