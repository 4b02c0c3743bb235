package contract

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// recorded are messages of the first servers and engines, which used generated structs for
// some of them. Both ends must understand them while the version of the contract stays.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	texts, messages := map[string]string{}, map[string][]byte{}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		messages[name], err = hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
	}
	return messages
}

func recordedSpec() *sdk.Spec {
	number := sdk.Field{Name: "n", Type: sdk.TypeNumber}
	fields := []sdk.Field{
		number, {Name: "t", Type: sdk.TypeString, Enum: []string{"a", "b"}}, {Name: "d", Type: sdk.TypeNumber, Decimal: true},
		{Name: "f", Type: sdk.TypeBoolean}, {Name: "l", Type: sdk.TypeArray, Items: &sdk.Field{Name: "r", Type: sdk.TypeObject, Fields: []sdk.Field{number, number}}},
		{Name: "s", Type: sdk.TypeString},
	}
	return &sdk.Spec{
		Inputs: fields, Outputs: fields, Warnings: []string{"W"}, Errors: []string{"E"},
		Formulas: []sdk.Formula{{ID: "first"}, {ID: "second"}}, Plots: []sdk.Plot{{ID: "p"}},
	}
}

func recordedRow(i int) value.Values {
	n := value.NumberOf
	list := value.ListOf(value.RecordOf(n(0.1), value.Value{}), value.RecordOf(n(float64(i)), n(-5e-324)))
	return value.Values{n(float64(i) + 0.5), value.TextOf([]string{"a", "b"}[i%2]), value.ExactOf("0.10000000000000000000001"), value.BoolOf(i > 1), list, {}}
}

func recordedOutcome(i int) sdk.Outcome {
	o := sdk.Outcome{Result: recordedRow(i), Inputs: recordedRow(i), Formula: "second"}
	if i == 1 {
		o.Inputs[5] = value.TextOf("derived")
		o.Assumptions = []string{"luck", ""}
		o.Warnings = []sdk.Warning{{Code: "W", Severity: sdk.Caution, Detail: "seven", Suggestion: "six"}}
	}
	return o
}

func recordedResults() (sent []value.Values, results []response.Result) {
	for i := range 5 {
		sent = append(sent, recordedRow(i))
		results = append(results, response.Result{Outcome: recordedOutcome(i)})
	}
	results[3] = response.Result{Err: recordedRejection}
	results[4] = response.Result{Err: errRecorded}
	return sent, results
}

var (
	recordedRejection = &sdk.Error{Code: "E", Field: "n", Detail: "no", Suggestion: "yes", Invalid: []sdk.InvalidParameter{{Name: "n", Constraint: "above 0"}, {Name: "t"}}}
	errRecorded       = errors.New("the disk is on fire")
)

// The server sends the same bytes as the first servers.
func TestRecordedHost(t *testing.T) {
	messages, spec := recorded(t), recordedSpec()
	sent, _ := recordedResults()
	call := Call{ID: 300, Timeout: 2 * time.Second, Inputs: recordedRow(1)}
	traced := call
	traced.Trace = "00-trace"
	batch := Batch{ID: 301, Timeout: time.Second, Trace: "00-trace", Rows: sent}
	for name, got := range map[string][]byte{
		"call": AppendCall(nil, &traced), "call by gRPC": AppendCall(nil, &call),
		"draw request": AppendDrawRequest(nil, "p", &call), "batch": AppendBatch(nil, &batch, len(spec.Inputs)),
	} {
		if !bytes.Equal(got, messages[name]) {
			t.Errorf("%s is\n%x, was\n%x", name, got, messages[name])
		}
	}
	for name, want := range map[string]Call{"call": traced, "call by gRPC": call} {
		if got, err := DecodeCall(messages[name], spec); err != nil || !sameCall(got, want) {
			t.Errorf("%s is read as %v, %v", name, got, err)
		}
	}
	if plot, got, err := DecodeDrawRequest(messages["draw request"], spec); err != nil || plot != "p" || !sameCall(got, call) {
		t.Errorf("the request for a plot is read as %q, %v, %v", plot, got, err)
	}
	got, err := DecodeBatch(messages["batch"], spec)
	if err != nil || got.ID != batch.ID || got.Timeout != batch.Timeout || got.Trace != batch.Trace || !cmp.Equal(rowsOf(&got), sent, sameValues) {
		t.Errorf("the batch is read as %v, %v", got, err)
	}
}

// The answers of the first engines can still be read.
func TestRecordedEngine(t *testing.T) {
	messages, spec := recorded(t), recordedSpec()
	const failed = "engine failed: the disk is on fire"
	for name, want := range map[string]error{
		"outcome": nil, "rejection": recordedRejection, "failure": errors.New(failed),
		"outcome by gRPC": nil, "rejection by gRPC": recordedRejection, "failure by gRPC": errors.New(failed),
	} {
		o, err := decoderOf(spec).Outcome(messages[name])
		if !sameError(err, want) || want == nil && !sameAnswer(o, recordedOutcome(1)) {
			t.Errorf("%s is read as %v, %v", name, o, err)
		}
		if err := CheckID(messages[name], 300); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	sent, want := recordedResults()
	want[4].Err = errors.New(failed)
	results, err := decoderOf(spec).Batch(messages["batch outcome"], sent)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range results {
		if !sameError(got.Err, want[i].Err) || !sameAnswer(got.Outcome, want[i].Outcome) {
			t.Errorf("row %d is read as %v, want %v", i, got, want[i])
		}
	}
	for name, want := range map[string]error{"drawing": nil, "drawing rejected": recordedRejection, "drawing failed": errors.New("engine failed: no ink")} {
		f, err := decoderOf(spec).Drawing(messages[name])
		if !sameError(err, want) || want == nil && (len(f.Curves) != 1 || f.Curves[0].Label != "a") {
			t.Errorf("%s is read as %v, %v", name, f, err)
		}
	}
	d, err := DecodeDescription(messages["description"])
	if err != nil || string(d.Spec) != `{"capability":"x"}` || string(d.Vectors) != "[]" || !d.Stream {
		t.Errorf("the description is read as %+v, %v", d, err)
	}
}

// An engine answers with the same bytes as before. Only the lengths of some nested messages
// are padded now.
func TestRecordedAnswers(t *testing.T) {
	messages, spec := recorded(t), recordedSpec()
	sent, results := recordedResults()
	o := recordedOutcome(1)
	for name, tt := range map[string]struct {
		message string
		got     []byte
	}{
		"outcome":           {"Outcome", AppendOutcome(nil, 300, &o, nil)},
		"rejection":         {"Outcome", AppendOutcome(nil, 300, nil, recordedRejection)},
		"failure":           {"Outcome", AppendOutcome(nil, 300, nil, errRecorded)},
		"outcome by gRPC":   {"Outcome", AppendOutcome(nil, 300, &o, nil)},
		"rejection by gRPC": {"Outcome", AppendOutcome(nil, 300, nil, recordedRejection)},
		"failure by gRPC":   {"Outcome", AppendOutcome(nil, 300, nil, errRecorded)},
		"batch outcome":     {"BatchOutcome", batchOutcome(t, 301, spec, sent, results)},
		"drawing":           {"Drawing", AppendDrawing(nil, 300, []byte(`{"curves":[{"label":"a","x":[0,1],"y":[1,2]}]}`), nil)},
		"drawing rejected":  {"Drawing", AppendDrawing(nil, 300, nil, recordedRejection)},
		"drawing failed":    {"Drawing", AppendDrawing(nil, 300, nil, errors.New("no ink"))},
		"description":       {"DescribeReply", append(part(describeFeatures, []byte("other")), AppendDescription(nil, &Description{Spec: []byte(`{"capability":"x"}`), Vectors: []byte("[]"), Stream: true})...)},
	} {
		if got, want := normal(t, tt.message, tt.got), normal(t, tt.message, messages[name]); !bytes.Equal(got, want) {
			t.Errorf("%s is\n%x, was\n%x", name, got, want)
		}
	}
}
