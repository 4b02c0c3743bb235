package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
)

type ring struct {
	Inner float64      `name:"inner" unit:"m" range:"[0,)"`
	Outer float64      `name:"outer" unit:"m" range:"(inner,10)" code:"RING_IS_NO_RING"`
	Bolts *[]float64   `name:"bolts" range:"[inner,outer]"`
	Price *sdk.Decimal `name:"price" range:"(0,limit]"`
	Limit *float64     `name:"limit"`
	Marks *[]struct {
		At float64 `name:"at" range:"[0,1)"`
	} `name:"marks"`
}

type rings struct {
	Size  float64 `name:"size" range:"(0,)"`
	Rings []ring  `name:"rings"`
	Twice [][]struct {
		X float64 `name:"x" range:"[0,)"`
	} `name:"twice"`
	Cap float64 `name:"cap" range:"(0,)"`
}

func ringEngine() sdk.Engine {
	type out struct {
		Rings int `name:"rings"`
	}
	return sdk.New(box.Spec(), func(_ context.Context, in rings) (out, error) { return out{len(in.Rings)}, nil })
}

func number(x float64) value.Value { return value.NumberOf(x) }

// ringOf returns a ring in which values that are not given are absent.
func ringOf(values ...value.Value) value.Value {
	return value.RecordOf(append(values, make(value.Values, 6-len(values))...)...)
}

func TestRangesInsideLists(t *testing.T) {
	x := func(x float64) value.Value { return value.ListOf(value.RecordOf(number(x))) }
	good, none := ringOf(number(1), number(2)), value.ListOf()
	for name, tt := range map[string]struct {
		size, top    float64
		rings, twice value.Value
		code, detail string
		invalid      []string
	}{
		"within": {1, 1, value.ListOf(good, ringOf(number(0), number(5e-324))), value.ListOf(x(0)), "", "", nil},
		"at the open end that is a field": {1, 1, value.ListOf(good, ringOf(number(2), number(2))), none,
			"RING_IS_NO_RING", "rings.1.outer is 2: it must be greater than inner and less than 10, and inner is 2", []string{"rings.1.outer"}},
		"at the open end that is fixed": {1, 1, value.ListOf(ringOf(number(2), number(10))), none,
			"RING_IS_NO_RING", "rings.0.outer is 10: it must be greater than inner and less than 10, and inner is 2", []string{"rings.0.outer"}},
		"several": {1, 1, value.ListOf(ringOf(number(-1), number(2)), ringOf(number(-2), number(-2))), value.ListOf(none, x(-3)),
			"INNER_MUST_BE_NONNEGATIVE", "rings.0.inner is -1: it must be at least 0", []string{"rings.0.inner", "rings.1.inner", "rings.1.outer", "twice.1.0.x"}},
		"a list beside them": {1, 1, value.ListOf(ringOf(number(1), number(2), value.ListOf(number(1), number(2), number(3)))), none,
			"BOLTS_OUT_OF_RANGE", "rings.0.bolts is a list with a value outside: it must be between inner and outer, and inner is 1, outer is 2", []string{"rings.0.bolts"}},
		"a decimal, beside an end without a number": {1, 1, value.ListOf(ringOf(number(1), number(2), value.Value{}, value.ExactOf("1e300"))), none, "", "", nil},
		"a decimal": {1, 1, value.ListOf(ringOf(number(1), number(2), value.Value{}, value.ExactOf("3.1"), number(3))), none,
			"PRICE_OUT_OF_RANGE", "rings.0.price is 3.1: it must be greater than 0 and at most limit, and limit is 3", []string{"rings.0.price"}},
		"deeper": {1, 1, value.ListOf(ringOf(number(1), number(2), value.Value{}, value.Value{}, value.Value{}, x(1))), none,
			"AT_OUT_OF_RANGE", "rings.0.marks.0.at is 1: it must be at least 0 and less than 1", []string{"rings.0.marks.0.at"}},
		"inputs come first": {1, -1, value.ListOf(ringOf(number(-1), number(2))), none, "CAP_MUST_BE_POSITIVE", "cap is -1: it must be greater than 0", []string{"cap"}},
	} {
		t.Run(name, func(t *testing.T) {
			engine := ringEngine()
			_, err := engine.Calculate(t.Context(), value.Values{number(tt.size), tt.rings, tt.twice, number(tt.top)})
			var e *sdk.Error
			if tt.code == "" && err == nil {
				return
			}
			if !errors.As(err, &e) || e.Code != tt.code || e.Detail != tt.detail {
				t.Fatalf("error = %v, want %s: %s", err, tt.code, tt.detail)
			}
			names := []string{}
			for _, p := range e.Invalid {
				names = append(names, p.Name)
			}
			if diff := cmp.Diff(tt.invalid, names); diff != "" {
				t.Errorf("invalid (-want +got):\n%s", diff)
			}
			spec := engine.Spec()
			if err := spec.CheckRejection(e); err != nil {
				t.Errorf("CheckRejection: %v", err)
			}
			if place := tt.invalid[0]; !strings.HasPrefix(e.Suggestion, "Give a value of "+place+" ") || e.Field != strings.Split(place, ".")[0] {
				t.Errorf("suggestion %q about %s, want one about %s", e.Suggestion, e.Field, place)
			}
		})
	}
}

// A rejection of many numbers is legal.
func TestManyStrays(t *testing.T) {
	var list []value.Value
	for range 100 {
		list = append(list, ringOf(number(-1), number(2)))
	}
	_, err := ringEngine().Calculate(t.Context(), value.Values{number(1), value.ListOf(list...), value.ListOf(), number(1)})
	var e *sdk.Error
	if !errors.As(err, &e) || len(e.Invalid) != sdk.MaxNotes {
		t.Errorf("%v, want %d numbers named", err, sdk.MaxNotes)
	}
}

// A range can end at another input and exclude it.
func TestRangeEndsBeforeAnInput(t *testing.T) {
	type in struct {
		Inner float64 `name:"inner"`
		Outer float64 `name:"outer" range:"(inner,)"`
	}
	engine := sdk.New(box.Spec(), func(_ context.Context, v in) (in, error) { return v, nil })
	for outer, ok := range map[float64]bool{2: false, 2.0000000000000004: true, 1: false} {
		_, err := engine.Calculate(t.Context(), value.Values{number(2), number(outer)})
		var e *sdk.Error
		if ok && err != nil || !ok && (!errors.As(err, &e) || e.Code != "OUTER_OUT_OF_RANGE" || !strings.HasSuffix(e.Detail, "greater than inner, and inner is 2")) {
			t.Errorf("outer %v: %v, want it legal: %t", outer, err, ok)
		}
	}
}

func TestBoundsMustBeSiblings(t *testing.T) {
	type part struct {
		X float64 `name:"x" range:"[0,length]"`
	}
	type in struct {
		Length float64  `name:"length"`
		Parts  [][]part `name:"parts"`
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `range of field "x" ends at "length", which is not another number among the fields next to it`) {
			t.Errorf("panic %q", text)
		}
	}()
	build[in, part](box.Spec())
	t.Error("no panic")
}
