package sdk_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

type repeatIn struct {
	A    float64  `name:"a" range:"(0,)"`
	B    *float64 `name:"b"`
	Part *struct {
		C *float64 `name:"c"`
		D int      `name:"d" default:"1"`
	} `name:"part"`
	List  []float64    `name:"list"`
	Exact *sdk.Decimal `name:"exact"`
	Word  string       `name:"word" default:"x"`
}

// Complete implements [sdk.Completer].
func (in *repeatIn) Complete(ctx context.Context) error {
	if in.B == nil && in.A > 1 {
		in.B = new(2 * in.A)
		sdk.Assume(ctx, "b is twice a")
	}
	return nil
}

type repeatOut struct {
	Sum  float64   `name:"sum"`
	Same *float64  `name:"same"`
	List []float64 `name:"list"`
}

func repeatEngine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.repeat.engine", Version: "1.0.0", Tool: "repeat", Group: "test", Title: "Repeat", Summary: "Adds.",
		Formulas: []sdk.Formula{{ID: "one", Expression: "a"}, {ID: "two", Expression: "a + b"}}, Warnings: []string{"LONG"}, Errors: []string{"ODD"},
	}, func(ctx context.Context, in repeatIn) (repeatOut, error) {
		out := repeatOut{Sum: in.A, Same: in.B, List: in.List}
		if in.B != nil {
			out.Sum += *in.B
			sdk.UseFormula(ctx, "two")
		}
		if in.Part != nil && in.Part.C != nil {
			out.Sum += *in.Part.C
		}
		switch {
		case len(in.List) == 5:
			panic("five")
		case len(in.List) == 4:
			return out, sdk.Reject("ODD", "list", "the list is odd")
		case len(in.List) > 2:
			sdk.Warn(ctx, sdk.Warning{Code: "LONG", Severity: sdk.Info, Detail: in.Word})
		}
		return out, nil
	})
}

// Reused memory does not change outcomes.
func TestRepeat(t *testing.T) {
	e, r := repeatEngine(), rand.New(rand.NewPCG(1, 2))
	repeat := e.(sdk.Repeater).Repeat()
	maybe := func(v value.Value) value.Value {
		if r.IntN(2) == 0 {
			return value.Value{}
		}
		return v
	}
	number := func() value.Value {
		return value.NumberOf([]float64{1, 2, 0, -1, 0.5, 1e-310, math.MaxFloat64, 3}[r.IntN(8)])
	}
	good := 0
	for range 5000 {
		list := make([]value.Value, r.IntN(7)%6)
		for i := range list {
			list[i] = number()
		}
		in := value.Values{
			number(), maybe(number()), maybe(value.RecordOf(maybe(number()), value.NumberOf(1))), value.ListOf(list...),
			maybe(value.ExactOf("0.10")), value.TextOf([]string{"x", "y"}[r.IntN(2)]),
		}
		if r.IntN(50) == 0 {
			in[0] = value.TextOf("no number")
		}
		want, wantErr := e.Calculate(t.Context(), in)
		got, err := repeat(t.Context(), in)
		if !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%v: error %v, alone %v", in, err, wantErr)
		}
		if err != nil {
			continue
		}
		good++
		same := reflect.DeepEqual(got.Result, want.Result) && reflect.DeepEqual(got.Inputs, want.Inputs) && got.Formula == want.Formula
		if !same || !equal(got.Assumptions, want.Assumptions) || !equal(got.Warnings, want.Warnings) {
			t.Fatalf("%v:\n%+v, alone\n%+v", in, got, want)
		}
	}
	if good < 1000 {
		t.Errorf("%d outcomes", good)
	}
}

// equal treats nil as an empty list.
func equal[T any](a, b []T) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

// A row of numbers allocates nothing.
func TestRepeatAllocations(t *testing.T) {
	type in struct {
		A float64  `name:"a" range:"(0,)"`
		B *float64 `name:"b"`
		C string   `name:"c" default:"x"`
	}
	type out struct {
		D float64 `name:"d"`
	}
	e := sdk.New(sdk.Spec{Capability: "test.repeat.few", Version: "1.0.0", Tool: "few", Group: "test", Title: "Few", Summary: "Adds."},
		func(_ context.Context, v in) (out, error) { return out{v.A + *v.B}, nil })
	repeat := e.(sdk.Repeater).Repeat()
	values := value.Values{value.NumberOf(1), value.NumberOf(2), value.TextOf("x")}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := repeat(t.Context(), values); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
