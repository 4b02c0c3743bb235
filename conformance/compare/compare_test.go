package compare_test

import (
	"math"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

var spec = &sdk.Spec{Outputs: []sdk.Field{
	{Name: "delta", Type: sdk.TypeNumber, Unit: "m"},
	{Name: "model", Type: sdk.TypeString},
	{Name: "price", Type: sdk.TypeNumber, Decimal: true},
	{Name: "layers", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{{Name: "d", Type: sdk.TypeNumber}, {Name: "wet", Type: sdk.TypeBoolean}}}},
}}

func layers(d ...float64) value.Value {
	var list value.Values
	for _, x := range d {
		list = append(list, value.RecordOf(value.NumberOf(x), value.BoolOf(x > 1)))
	}
	return value.ListOf(list...)
}

func result(delta float64, model, price string, d ...float64) *compare.Outcome {
	return &compare.Outcome{Result: value.Values{value.NumberOf(delta), value.TextOf(model), value.ExactOf(price), layers(d...)}}
}

func TestVerdictsAndDifferences(t *testing.T) {
	was := result(1.5, "thin", "1.10", 1, 2)
	for _, tt := range []struct {
		name    string
		was, is *compare.Outcome
		verdict compare.Verdict
		want    string // "" for the same
	}{
		{"the same", was, result(1.5, "thin", "1.10", 1, 2), compare.Same, ""},
		{"negative zero", result(0, "thin", "1"), result(math.Copysign(0, -1), "thin", "1"), compare.Same, ""},
		{"one ulp", was, result(math.Nextafter(1.5, 2), "thin", "1.10", 1, 2), compare.Changed, "delta is 1.5000000000000002, and was 1.5 (by 1.5e-16 of it, 1 ulp)"},
		{"from zero", result(0, "thin", "1"), result(5e-324, "thin", "1"), compare.Changed, "delta is 5e-324, and was 0 (1 ulp)"},
		{"beyond binary64", result(math.MaxFloat64, "thin", "1"), result(-math.MaxFloat64, "thin", "1"), compare.Changed, "(by 2 of it, 18437736874454810622 ulps)"},
		{"a text", was, result(1.5, "thick", "1.10", 1, 2), compare.Changed, `model is "thick", and was "thin"`},
		{"digits of a decimal", was, result(1.5, "thin", "1.1", 1, 2), compare.Changed, `price is "1.1", and was "1.10"`},
		{"within a list", was, result(1.5, "thin", "1.10", 1, 3), compare.Changed, "layers.1.d is 3, and was 2 (by 0.5 of it, 2251799813685248 ulps)"},
		{"a longer list", was, result(1.5, "thin", "1.10", 1), compare.Changed, `layers is [{"d":1,"wet":false}], and was [{"d":1,"wet":false},{"d":2,"wet":true}]`},
		{"everything", was, result(2, "thick", "2", 4, 5), compare.Changed, "and 3 more"},
		{"refused now", was, &compare.Outcome{Code: "TOO_LONG", Field: "length"}, compare.Refused, "it is refused now with TOO_LONG for length, and was answered"},
		{"answered now", &compare.Outcome{Code: "TOO_LONG"}, was, compare.Answered, "it is answered now, and was refused with TOO_LONG"},
		{"another field", &compare.Outcome{Code: "A", Field: "x"}, &compare.Outcome{Code: "A", Field: "y"}, compare.Reworded, "it is refused with A for y, and was with A for x"},
		{"refused again", &compare.Outcome{Code: "A", Field: "x"}, &compare.Outcome{Code: "A", Field: "x"}, compare.Same, ""},
	} {
		got := compare.New(spec, spec).Compare(tt.was, tt.is)
		if tt.want == "" {
			if got != nil {
				t.Errorf("%s: %v", tt.name, got)
			}
			continue
		}
		if got == nil || got.Verdict != tt.verdict || !strings.Contains(got.String(), tt.want) {
			t.Errorf("%s: %v, and not %q", tt.name, got, tt.want)
		}
	}
}

// The Specs of two versions can list their fields in any order, and can have different fields.
func TestFieldsAreFoundByName(t *testing.T) {
	newer := &sdk.Spec{Outputs: []sdk.Field{{Name: "new", Type: sdk.TypeNumber}, spec.Outputs[3], {Name: "delta", Type: sdk.TypeNumber, Unit: "mm"}, spec.Outputs[1]}}
	c := compare.New(spec, newer)
	is := &compare.Outcome{Result: value.Values{value.NumberOf(7), layers(1, 2), value.NumberOf(1.5), value.TextOf("thin")}}
	was := result(1.5, "thin", "1", 1, 2)
	if got := c.Compare(was, is); got == nil || got.String() != `price is absent, and was "1"` {
		t.Errorf("a result is gone: %v", got)
	}
	was.Result[2] = value.Value{}
	if got := c.Compare(was, is); got != nil {
		t.Errorf("the results that both have are the same, and there is %v", got)
	}
	was.Result[0] = value.NumberOf(2.5)
	got := c.Compare(was, is)
	if got == nil || len(got.Differences) != 1 || got.Differences[0].Numbers || got.Differences[0].Path != "delta" {
		t.Errorf("numbers in two units are no distance apart: %+v", got)
	}
	if fields := compare.Match(spec.Outputs, newer.Outputs); len(fields) != 5 || fields[2].Is != nil || fields[4].Was != nil {
		t.Errorf("%+v", fields)
	}
}

func TestResultsAreReadAsTheyAreWritten(t *testing.T) {
	want := result(math.Nextafter(0.1, 1), `a "b" <c>`, "1.10", 0.3, 4).Result
	want[1] = value.Value{} // an absent one
	text := response.AppendRecord(nil, spec.Outputs, want)
	object, err := strictjson.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.ReadResult(spec.Outputs, object)
	if err != nil || compare.Match(spec.Outputs, spec.Outputs).Append(nil, want, got) != nil {
		t.Errorf("%s reads as %v, %v", text, got, err)
	}
	for _, bad := range []string{`1`, `{"delta":1,"other":2}`, `{"delta":null}`, `{"delta":[1]}`, `{"layers":[{"x":1}]}`, `{"delta":1e999}`} {
		object, err := strictjson.Parse([]byte(bad))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := compare.ReadResult(spec.Outputs, object); err == nil {
			t.Errorf("%s is a result: %v", bad, got)
		}
	}
}

// Most of millions of outcomes are the same, and need no memory.
func TestSameOutcomesCostNoMemory(t *testing.T) {
	c := compare.New(spec, spec)
	was, is := result(1.5, "thin", "1.10", 1, 2), result(1.5, "thin", "1.10", 1, 2)
	if n := testing.AllocsPerRun(100, func() {
		if c.Compare(was, is) != nil {
			t.Error("they differ")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSame(b *testing.B) {
	c := compare.New(spec, spec)
	was, is := result(1.5, "thin", "1.10", 1, 2), result(1.5, "thin", "1.10", 1, 2)
	b.ReportAllocs()
	for b.Loop() {
		c.Compare(was, is)
	}
}
