package wire

import (
	"bufio"
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

var sameValues = cmp.Comparer(func(a, b sdk.Value) bool { return a.Equal(b) })

// anyValue draws values of every kind, nested a few levels.
func anyValue(depth int) *rapid.Generator[sdk.Value] {
	kinds := []*rapid.Generator[sdk.Value]{
		rapid.Just(sdk.Value{}),
		rapid.Map(rapid.Float64(), sdk.NumberOf),
		rapid.Map(rapid.String(), sdk.TextOf),
		rapid.Map(rapid.Bool(), sdk.BoolOf),
		rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,30}`), sdk.ExactOf),
	}
	if depth > 0 {
		items := rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[sdk.Value] { return anyValue(depth - 1) }), 0, 4)
		kinds = append(kinds,
			rapid.Map(items, func(v []sdk.Value) sdk.Value { return sdk.ListOf(v...) }),
			rapid.Map(items, func(v []sdk.Value) sdk.Value { return sdk.RecordOf(v...) }))
	}
	return rapid.OneOf(kinds...)
}

func someValues() *rapid.Generator[[]sdk.Value] { return rapid.SliceOfN(anyValue(2), 0, 6) }

// The lane's own encoding of calls is what the generated code reads, and the other way
// round.
func TestCallIsProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := sdk.Values(someValues().Draw(t, "inputs"))
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
		got, err := decodeCall(encoded, len(inputs))
		if err != nil || got.id != id || got.timeout != timeout || got.trace != trace || !cmp.Equal(got.inputs, inputs, sameValues) {
			t.Fatalf("read %+v, %v; want %v", got, err, theirs)
		}
	})
}

func anyOutcome(t *rapid.T) sdk.Outcome {
	word := rapid.String()
	warning := rapid.Custom(func(t *rapid.T) sdk.Warning {
		return sdk.Warning{Code: word.Draw(t, "code"), Severity: sdk.Severity(word.Draw(t, "severity")), Detail: word.Draw(t, "detail"), Suggestion: word.Draw(t, "suggestion")}
	})
	return sdk.Outcome{
		Result: someValues().Draw(t, "result"), Inputs: someValues().Draw(t, "inputs"), Formula: word.Draw(t, "formula"),
		Assumptions: rapid.SliceOfN(word, 0, 3).Draw(t, "assumptions"), Warnings: rapid.SliceOfN(warning, 0, 3).Draw(t, "warnings"),
	}
}

func TestOutcomeIsProtobuf(t *testing.T) {
	empty := cmp.Transformer("", func(o sdk.Outcome) enginepbAnswer { return enginepbAnswer{toAnswer(o)} })
	rapid.Check(t, func(t *rapid.T) {
		o := anyOutcome(t)
		ours := appendOutcome(nil, 7, &o, nil)
		read := new(enginepb.Outcome)
		if err := proto.Unmarshal(ours, read); err != nil || !proto.Equal(read, toOutcome(7, o, nil)) {
			t.Fatalf("generated code reads %v, %v", read, err)
		}
		back, err := decodeOutcome(ours, new(sdk.Spec))
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

// Rows cross as columns and come back the same.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, n := rapid.IntRange(1, 4).Draw(t, "fields"), rapid.IntRange(1, 20).Draw(t, "rows")
		rows := make([]sdk.Values, n)
		columns := make([]*rapid.Generator[sdk.Value], fields)
		for f := range columns { // columns of one kind, of two, and of any
			columns[f] = rapid.SampledFrom([]*rapid.Generator[sdk.Value]{
				rapid.Map(rapid.Float64(), sdk.NumberOf), rapid.Map(rapid.SampledFrom([]string{"a", "b"}), sdk.TextOf),
				rapid.Just(sdk.NumberOf(1)), rapid.Just(sdk.Value{}), anyValue(1),
			}).Draw(t, "column")
		}
		for i := range rows {
			for f := range columns {
				rows[i] = append(rows[i], columns[f].Draw(t, "value"))
			}
		}
		encoded, err := proto.Marshal(&enginepb.Batch{Inputs: toColumns(rows, fields)})
		if err != nil {
			t.Fatal(err)
		}
		read := new(enginepb.Batch)
		if err := proto.Unmarshal(encoded, read); err != nil {
			t.Fatal(err)
		}
		back, err := fromColumns(read.GetInputs(), n, fields, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if !cmp.Equal(back.row(i), row, sameValues) {
				t.Fatalf("row %d is %v, want %v", i, back.row(i), row)
			}
		}
	})
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
		in := bufio.NewReaderSize(bytes.NewReader(b), readBuffer)
		for {
			kind, body, err := readFrame(in)
			var large *largeFrame
			if errors.As(err, &large) {
				continue
			}
			if err != nil {
				return
			}
			if len(body) > maxFrame(kind) {
				t.Fatalf("a frame of %d bytes", len(body))
			}
			_, _ = decodeID(body)
		}
	})
}
