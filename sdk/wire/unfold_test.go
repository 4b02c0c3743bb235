package wire

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire/enginepb"
)

// allocated is how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func part(field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
}

func times(n int, piece []byte) []byte { return bytes.Repeat(piece, n) }

// unfoldSpec has a field of every type.
func unfoldSpec() *sdk.Spec {
	number := sdk.Field{Name: "n", Type: sdk.TypeNumber}
	fields := []sdk.Field{
		number, {Name: "t", Type: sdk.TypeString}, {Name: "l", Type: sdk.TypeArray, Items: &number},
		{Name: "r", Type: sdk.TypeObject, Fields: []sdk.Field{number}},
	}
	return &sdk.Spec{Inputs: fields, Outputs: fields, Warnings: []string{"A"}}
}

// Messages of two bytes a piece become objects of a hundred in generated structs. Here
// what no answer can need is refused before there is memory for it.
func TestAnswersThatUnfold(t *testing.T) {
	const n = 1 << 20
	empty := func(field protowire.Number) []byte { return part(field, nil) }
	list := func(item []byte) []byte { return part(valueList, times(n, item)) }
	constant := func(value []byte) []byte { return part(batchResult, part(columnConstant, value)) }
	first := times(2, part(batchResult, part(columnConstant, nil)))
	answer := func(b []byte) []byte { return part(outcomeAnswer, b) }
	skip := times(2, empty(answerResult))
	for name, tt := range map[string]struct{ outcome, batch []byte }{
		"results":     {answer(times(n, empty(answerResult))), times(n, empty(batchResult))},
		"inputs":      {answer(times(n, empty(answerInputs))), times(n, empty(batchInputs))},
		"assumptions": {answer(times(n, empty(answerAssumptions))), part(batchNotes, times(n, empty(notesAssumptions)))},
		"warnings":    {answer(times(n, empty(answerWarning))), part(batchNotes, times(n, empty(notesWarnings)))},
		"notes":       {answer(part(answerWarning, part(warningDetail, times(n, []byte("x"))))), times(n, empty(batchNotes))},
		"text":        {answer(part(answerAssumptions, times(n, []byte("x")))), constant(part(valueText, times(n, []byte("x"))))},
		"formula":     {answer(part(answerFormula, times(n, []byte("x")))), part(batchFormula, part(columnTexts, times(n, empty(textsDictionary))))},
		"absent":      {answer(append(skip, part(answerResult, list(empty(valuesValues)))...)), append(first, constant(list(empty(valuesValues)))...)},
		"lists":       {answer(append(skip, part(answerResult, times(n, empty(valueList)))...)), append(first, constant(times(n, empty(valueList)))...)},
		"records":     {answer(append(times(3, empty(answerResult)), part(answerResult, part(valueRecord, times(n, empty(valuesValues))))...)), append(times(3, part(batchResult, part(columnConstant, nil))), constant(part(valueRecord, times(n, empty(valuesValues))))...)},
		"groups":      {times(n, []byte{0x0b}), times(n, []byte{0x0b})},
		"invalid":     {part(outcomeRejection, times(n, empty(rejectionInvalid))), part(batchFaults, part(faultRejection, times(n, empty(rejectionInvalid))))},
		"faults":      {part(outcomeRejection, part(rejectionDetail, times(n, []byte("x")))), times(n, empty(batchFaults))},
		"rejections":  {nil, part(batchFaults, times(n, empty(faultRejection)))},
		"values":      {nil, part(batchResult, part(columnValues, times(n, empty(valuesValues))))},
		"dictionary":  {nil, part(batchResult, part(columnTexts, times(n, empty(textsDictionary))))},
		"columns":     {nil, part(batchResult, times(n, empty(columnConstant)))},
	} {
		a := newAnswers(unfoldSpec())
		rows := []sdk.Values{make(sdk.Values, 4), make(sdk.Values, 4)}
		for way, read := range map[string]func() error{
			"alone": func() error { _, err := a.outcome(t.Context(), tt.outcome); return err },
			"rows":  func() error { _, err := a.batch(t.Context(), tt.batch, rows); return err },
		} {
			var err error
			if size := allocated(func() { err = read() }); size > 64<<10 || !errors.Is(err, ErrContract) {
				t.Errorf("%s, %s: %d bytes were allocated, error %v", name, way, size, err)
			}
		}
	}
}

// The largest answers that an engine may give are read, and no larger message is.
func TestLargestAnswers(t *testing.T) {
	spec := unfoldSpec()
	long := strings.Repeat("x", sdk.MaxText)
	in := sdk.Values{sdk.NumberOf(1), sdk.TextOf(long), sdk.ListOf(sdk.NumberOf(1)), sdk.RecordOf(sdk.NumberOf(1))}
	o := sdk.Outcome{Result: in, Inputs: in}
	for range sdk.MaxNotes {
		o.Assumptions = append(o.Assumptions, long)
		o.Warnings = append(o.Warnings, sdk.Warning{Code: "A", Severity: sdk.Info, Detail: long, Suggestion: long})
	}
	body := appendOutcome(nil, 1, &o, nil)
	scalar := *spec
	scalar.Inputs, scalar.Outputs = spec.Inputs[:2], spec.Outputs[:2]
	if most := needsOf(&scalar).call(in[:2]); len(body) > most || most > maxAnswer/2 {
		t.Errorf("an answer of %d bytes where %d are enough", len(body), most)
	}
	got, err := newAnswers(spec).outcome(t.Context(), body)
	if err != nil || !proto.Equal(toAnswer(got), toAnswer(o)) {
		t.Errorf("the largest answer: %v", err)
	}
	numbers := make([]sdk.Value, maxAnswer/11-1000)
	for i := range numbers {
		numbers[i] = sdk.NumberOf(float64(i))
	}
	o = sdk.Outcome{Result: sdk.Values{{}, {}, sdk.ListOf(numbers...), {}}, Inputs: in}
	if got, err = newAnswers(spec).outcome(t.Context(), appendOutcome(nil, 1, &o, nil)); err != nil || len(got.Result[2].Items()) != len(numbers) {
		t.Errorf("the longest list: %v", err)
	}
	rows := make([]sdk.Values, MaxRows)
	results := make([]sdk.Values, MaxRows)
	for i := range rows {
		rows[i], results[i] = in, sdk.Values{{}, {}, sdk.ListOf(numbers[:300]...), {}}
	}
	reply := &enginepb.BatchOutcome{Id: 1, Result: toColumns(results, 4), Inputs: []*enginepb.Column{}}
	for range in {
		reply.Inputs = append(reply.Inputs, &enginepb.Column{Unchanged: true})
	}
	reply.Result[2] = &enginepb.Column{Values: &enginepb.Values{Values: toValues(sdk.Values{})}}
	for i := range rows {
		reply.Result[2].Values.Values = append(reply.Result[2].Values.Values, toValue(results[i][2]))
	}
	body, err = proto.Marshal(reply)
	if err != nil || len(body) < maxBatchFrame*3/4 || len(body) > needsOf(spec).batch(rows) {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	if all, err := newAnswers(spec).batch(t.Context(), body, rows); err != nil || len(all[MaxRows-1].Outcome.Result[2].Items()) != 300 {
		t.Errorf("many lists: %v", err)
	}
}

// Whatever an engine answers, decoding counts what it allocates before it does, and
// weighing tells the same beforehand.
func FuzzMemory(f *testing.F) {
	o := sdk.Outcome{Result: sdk.Values{sdk.NumberOf(1), sdk.TextOf("x"), sdk.ListOf(sdk.NumberOf(1)), sdk.RecordOf(sdk.NumberOf(2))}}
	f.Add(appendOutcome(nil, 1, &o, nil))
	f.Add(appendOutcome(nil, 1, nil, &sdk.Error{Code: "A", Invalid: []sdk.InvalidParameter{{Name: "e"}}}))
	f.Add(part(batchNotes, times(32, part(notesWarnings, nil))))
	f.Add(part(batchResult, part(columnConstant, part(valueList, times(100, part(valuesValues, nil))))))
	f.Add(part(batchFaults, part(faultRejection, part(rejectionDetail, []byte("x")))))
	columns := times(4, part(batchResult, part(columnConstant, nil)))
	f.Add(append(columns, times(4, part(batchInputs, []byte{columnUnchanged << 3, 1}))...))
	spec := unfoldSpec()
	rows := []sdk.Values{make(sdk.Values, 4), make(sdk.Values, 4), make(sdk.Values, 4)}
	f.Fuzz(func(t *testing.T, b []byte) {
		for way, read := range map[string]func(*decoder) error{
			"alone": func(d *decoder) error { _, err := d.outcome(b); return err },
			"rows":  func(d *decoder) error { _, err := d.batch(b, rows); return err },
		} {
			const most = 64 << 10
			w := decoder{spec: spec, most: most, weighing: true}
			d := decoder{spec: spec, most: most}
			werr := read(&w)
			var derr error
			size := allocated(func() { derr = read(&d) })
			broken := errors.Is(derr, ErrContract)
			if errors.Is(werr, ErrContract) != broken || !broken && w.taken != d.taken {
				t.Errorf("%s: weighed %d, %v; taken %d, %v", way, w.taken, werr, d.taken, derr)
			}
			const around = 8 << 10 // errors, and what else runs
			if limit := uint64(2*min(d.taken, most) + around); size > limit {
				t.Errorf("%s: %d bytes were allocated and %d counted", way, size, d.taken)
			}
		}
	})
}

// A program that takes its share leaves as much to others, and what nobody holds any more
// is given back.
func TestMemoryIsShared(t *testing.T) {
	m := NewMemory(0, 0)
	greedy, other := m.Share(), m.Share()
	half := m.messages.size / 2
	if err := greedy.takeMessage(t.Context(), half); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := greedy.takeMessage(left, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("more than its share: %v", err)
	}
	if err := other.takeMessage(left, half); err != nil {
		t.Errorf("the share of another: %v", err)
	}
	greedy.giveMessage(half)
	if err := greedy.takeMessage(left, half); err != nil {
		t.Errorf("given back: %v", err)
	}
	spec := unfoldSpec()
	numbers := make([]sdk.Value, 80_000)
	for i := range numbers {
		numbers[i] = sdk.NumberOf(1)
	}
	in := make(sdk.Values, 4)
	body := appendOutcome(nil, 1, &sdk.Outcome{Result: sdk.Values{{}, {}, sdk.ListOf(numbers...), {}}, Inputs: in}, nil)
	a := &answers{spec, greedy}
	for i := range 20 { // of 3 MB each, in a share of 8 MiB
		if _, err := a.outcome(t.Context(), body); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	var held []sdk.Outcome
	for range 2 {
		o, err := a.outcome(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, o)
	}
	if _, err := a.outcome(left, body); !errors.Is(err, ErrBusy) {
		t.Errorf("with its share held: %v", err)
	}
	if _, err := (&answers{spec, other}).outcome(t.Context(), body); err != nil {
		t.Errorf("another program: %v", err)
	}
	runtime.KeepAlive(held)
}
