package contract

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// allocated returns the number of bytes that do allocates.
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

// Generated structs would convert pieces of two bytes to objects of a hundred bytes. Here,
// parts that no answer can need are refused before memory is allocated.
func TestAnswersThatUnfold(t *testing.T) {
	const n = 1 << 20
	empty := func(field protowire.Number) []byte { return part(field, nil) }
	list := func(item []byte) []byte { return part(valueList, times(n, item)) }
	constant := func(content []byte) []byte { return part(batchResult, part(columnConstant, content)) }
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
		d := decoderOf(unfoldSpec())
		rows := []value.Values{make(value.Values, 4), make(value.Values, 4)}
		for way, read := range map[string]func() error{
			"alone": func() error { return firstError(d.MeasureOutcome, d.Outcome, tt.outcome) },
			"rows": func() error {
				measure := func(b []byte) (int, error) { return d.MeasureBatch(b, rows) }
				return firstError(measure, func(b []byte) ([]response.Result, error) { return d.Batch(b, rows) }, tt.batch)
			},
		} {
			var err error
			if size := allocated(func() { err = read() }); size > 64<<10 || !errors.Is(err, ErrContract) {
				t.Errorf("%s, %s: %d bytes were allocated, error %v", name, way, size, err)
			}
		}
	}
}

// firstError reads as a server does: it measures first.
func firstError[T any](measure func([]byte) (int, error), read func([]byte) (T, error), b []byte) error {
	if _, err := measure(b); errors.Is(err, ErrContract) {
		return err
	}
	_, err := read(b)
	return err
}

// The largest legal answers of an engine are read, and larger messages are not.
func TestLargestAnswers(t *testing.T) {
	spec := unfoldSpec()
	long := strings.Repeat("x", sdk.MaxText)
	in := value.Values{value.NumberOf(1), value.TextOf(long), value.ListOf(value.NumberOf(1)), value.RecordOf(value.NumberOf(1))}
	o := sdk.Outcome{Result: in, Inputs: in}
	for range sdk.MaxNotes {
		o.Assumptions = append(o.Assumptions, long)
		o.Warnings = append(o.Warnings, sdk.Warning{Code: "A", Severity: sdk.Info, Detail: long, Suggestion: long})
	}
	body := AppendOutcome(nil, 1, &o, nil)
	scalar := *spec
	scalar.Inputs, scalar.Outputs = spec.Inputs[:2], spec.Outputs[:2]
	if most := NeedsOf(&scalar).Call(in[:2]); len(body) > most || most > MaxAnswer/2 {
		t.Errorf("an answer of %d bytes where %d are enough", len(body), most)
	}
	got, err := decoderOf(spec).Outcome(body)
	if err != nil || !sameAnswer(got, o) {
		t.Errorf("the largest answer: %v", err)
	}
	numbers := make([]value.Value, MaxAnswer/11-1000)
	for i := range numbers {
		numbers[i] = value.NumberOf(float64(i))
	}
	o = sdk.Outcome{Result: value.Values{{}, {}, value.ListOf(numbers...), {}}, Inputs: in}
	got, err = decoderOf(spec).Outcome(AppendOutcome(nil, 1, &o, nil))
	if err != nil || len(got.Result[2].Items()) != len(numbers) {
		t.Errorf("the longest list: %v", err)
	}
	rows := make([]value.Values, MaxRows)
	results := make([]response.Result, MaxRows)
	for i := range rows {
		numbers[0] = value.NumberOf(float64(i)) // different numbers, so that the column is not constant
		result := value.Values{{}, {}, value.ListOf(slices.Clone(numbers[:300])...), {}}
		rows[i], results[i].Outcome = in, sdk.Outcome{Result: result, Inputs: in}
	}
	body = batchOutcome(t, 1, spec, rows, results)
	if len(body) < MaxBatch*3/4 || len(body) > NeedsOf(spec).Batch(rows) {
		t.Fatalf("%d bytes", len(body))
	}
	if all, err := decoderOf(spec).Batch(body, rows); err != nil || len(all[MaxRows-1].Outcome.Result[2].Items()) != 300 {
		t.Errorf("many lists: %v", err)
	}
}

// For every answer of an engine, decoding counts its allocations in advance, and measuring
// gives the same result before decoding.
func FuzzMemory(f *testing.F) {
	o := sdk.Outcome{Result: value.Values{value.NumberOf(1), value.TextOf("x"), value.ListOf(value.NumberOf(1)), value.RecordOf(value.NumberOf(2))}}
	f.Add(AppendOutcome(nil, 1, &o, nil))
	f.Add(AppendOutcome(nil, 1, nil, &sdk.Error{Code: "A", Invalid: []sdk.InvalidParameter{{Name: "e"}}}))
	f.Add(part(batchNotes, times(32, part(notesWarnings, nil))))
	f.Add(part(batchResult, part(columnConstant, part(valueList, times(100, part(valuesValues, nil))))))
	f.Add(part(batchFaults, part(faultRejection, part(rejectionDetail, []byte("x")))))
	columns := times(4, part(batchResult, part(columnConstant, nil)))
	f.Add(append(columns, times(4, part(batchInputs, []byte(unchanged)))...))
	spec := unfoldSpec()
	rows := []value.Values{make(value.Values, 4), make(value.Values, 4), make(value.Values, 4)}
	f.Fuzz(func(t *testing.T, b []byte) {
		for way, read := range map[string]func(*Decoder) error{
			"alone": func(d *Decoder) error { _, err := d.Outcome(b); return err },
			"rows":  func(d *Decoder) error { _, err := d.Batch(b, rows); return err },
		} {
			const most = 64 << 10
			w := Decoder{spec: spec, most: most, measuring: true}
			d := Decoder{spec: spec, most: most}
			werr := read(&w)
			var derr error
			size := allocated(func() { derr = read(&d) })
			broken := errors.Is(derr, ErrContract)
			if errors.Is(werr, ErrContract) != broken || !broken && w.taken != d.taken {
				t.Errorf("%s: weighed %d, %v; taken %d, %v", way, w.taken, werr, d.taken, derr)
			}
			const around = 8 << 10 // for errors, and other code that runs
			if limit := uint64(2*min(d.taken, most) + around); size > limit {
				t.Errorf("%s: %d bytes were allocated and %d counted", way, size, d.taken)
			}
		}
	})
}
