package sdk_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
)

type boxIn struct {
	Width  float64      `name:"width" alias:"w,b" unit:"m" range:"(0,)" doc:"Clear width."`
	Height float64      `name:"height" unit:"m" range:"(0,)" code:"TALLNESS_MUST_BE_POSITIVE"`
	Depth  *float64     `name:"depth" unit:"m" range:"[0,10)"`
	Count  int          `name:"count" default:"1" range:"[1,100]"`
	Shape  string       `name:"shape" enum:"open=o|no_lid,closed" default:"closed"`
	Round  bool         `name:"round" default:"false"`
	Price  *sdk.Decimal `name:"price" range:"[0,)"`
	Stack  *[]float64   `name:"stack" range:"[0,)"`
}

func (in *boxIn) Complete(context.Context) error {
	if in.Depth == nil {
		d := in.Width
		in.Depth = &d
	}
	if in.Shape == "open" && in.Price != nil {
		return sdk.Conflict("price", "open boxes are free")
	}
	return nil
}

type boxOut struct {
	Volume float64  `name:"volume" unit:"m3" doc:"Inner volume."`
	Shape  string   `name:"shape"`
	Weight *float64 `name:"weight" unit:"kg"`
}

func boxSpec() sdk.Spec {
	return sdk.Spec{
		Capability: "test.geometry.box", Version: "1.0.0", Tool: "box", Group: "geometry",
		Title: "Box", Summary: "Volume of a box.",
		Formulas:    []sdk.Formula{{ID: "box_v1", Expression: "V = w h d", Label: "Box", LaTeX: "V = w h d"}, {ID: "open_v1", Expression: "V = w h d"}},
		Assumptions: []string{"thin walls"},
		Errors:      []string{"TOO_ODD"}, Warnings: []string{"LEAKS"},
	}
}

func boxEngine() sdk.Engine {
	return sdk.New(boxSpec(), func(ctx context.Context, in boxIn) (boxOut, error) {
		switch in.Count {
		case 13:
			return boxOut{}, sdk.Reject("TOO_ODD", "count", "no")
		case 14:
			return boxOut{}, errors.New("broken")
		case 15:
			panic("bug")
		case 16:
			return boxOut{Volume: math.Copysign(0, -1)}, nil
		case 17:
			return boxOut{Volume: 5e-324}, nil
		case 18:
			var none *sdk.Error
			return boxOut{Volume: 18}, none
		}
		if in.Shape == "open" {
			sdk.Warn(ctx, sdk.Warning{Code: "LEAKS", Severity: sdk.Caution, Detail: "open"})
			sdk.Assume(ctx, "no rain")
			sdk.UseFormula(ctx, "open_v1")
		}
		return boxOut{Volume: in.Width * in.Height * *in.Depth * float64(in.Count), Shape: in.Shape}, nil
	})
}

// box returns values for the inputs by name; defaults are as the host fills them in.
func box(set map[string]sdk.Value) sdk.Values {
	spec := boxEngine().Spec()
	values := make(sdk.Values, len(spec.Inputs))
	for i := range spec.Inputs {
		values[i], _ = spec.Inputs[i].DefaultValue()
		if v, ok := set[spec.Inputs[i].Name]; ok {
			values[i] = v
		}
	}
	return values
}

func numbers(pairs ...any) map[string]sdk.Value {
	set := map[string]sdk.Value{"width": sdk.NumberOf(2), "height": sdk.NumberOf(3)}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case float64:
			set[pairs[i].(string)] = sdk.NumberOf(v)
		case string:
			set[pairs[i].(string)] = sdk.TextOf(v)
		case sdk.Value:
			set[pairs[i].(string)] = v
		}
	}
	return set
}

func TestNewDerivesFields(t *testing.T) {
	zero, one, ten, hundred := 0.0, 1.0, 10.0, 100.0
	want := []sdk.Field{
		{Name: "width", Aliases: []string{"w", "b"}, Type: sdk.TypeNumber, Unit: "m", Required: true, Doc: "Clear width.",
			Range: &sdk.Range{Min: &zero, MinOpen: true, MaxOpen: true, Code: "WIDTH_MUST_BE_POSITIVE"}},
		{Name: "height", Type: sdk.TypeNumber, Unit: "m", Required: true,
			Range: &sdk.Range{Min: &zero, MinOpen: true, MaxOpen: true, Code: "TALLNESS_MUST_BE_POSITIVE"}},
		{Name: "depth", Type: sdk.TypeNumber, Unit: "m", Range: &sdk.Range{Min: &zero, Max: &ten, MaxOpen: true, Code: "DEPTH_OUT_OF_RANGE"}},
		{Name: "count", Type: sdk.TypeInteger, Default: "1", Range: &sdk.Range{Min: &one, Max: &hundred, Code: "COUNT_OUT_OF_RANGE"}},
		{Name: "shape", Type: sdk.TypeString, Default: "closed", Enum: []string{"open", "closed"},
			EnumAliases: []sdk.Alias{{Alias: "o", Value: "open"}, {Alias: "no_lid", Value: "open"}}},
		{Name: "round", Type: sdk.TypeBoolean, Default: "false"},
		{Name: "price", Type: sdk.TypeNumber, Decimal: true, Range: &sdk.Range{Min: &zero, MaxOpen: true, Code: "PRICE_MUST_BE_NONNEGATIVE"}},
		{Name: "stack", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber},
			Range: &sdk.Range{Min: &zero, MaxOpen: true, Code: "STACK_MUST_BE_NONNEGATIVE"}},
	}
	spec := boxEngine().Spec()
	if diff := cmp.Diff(want, spec.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if spec.Contract != sdk.ContractVersion {
		t.Errorf("Contract = %q", spec.Contract)
	}
}

func TestCalculate(t *testing.T) {
	e := boxEngine()
	in := box(numbers("shape", "open"))
	o, err := e.Calculate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	if err := sdk.CheckOutcome(&spec, in, o); err != nil {
		t.Errorf("CheckOutcome: %v", err)
	}
	want := sdk.Outcome{
		Result:  sdk.Values{sdk.NumberOf(12), sdk.TextOf("open"), {}},
		Inputs:  box(numbers("shape", "open", "depth", 2.0)), // what Complete derived is shown
		Formula: "open_v1", Assumptions: []string{"no rain"},
		Warnings: []sdk.Warning{{Code: "LEAKS", Severity: sdk.Caution, Detail: "open"}},
	}
	if diff := cmp.Diff(want, o, cmp.Comparer(sdk.Value.Equal)); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

func TestRejections(t *testing.T) {
	for _, tt := range []struct {
		name        string
		set         map[string]sdk.Value
		code, field string
		invalid     int
	}{
		{"open end", numbers("width", 0.0), "WIDTH_MUST_BE_POSITIVE", "width", 1},
		{"own code", numbers("height", -1.0), "TALLNESS_MUST_BE_POSITIVE", "height", 1},
		{"all of a stage", numbers("width", -1.0, "height", -1.0), "WIDTH_MUST_BE_POSITIVE", "width", 2},
		{"excluded maximum", numbers("depth", 10.0), "DEPTH_OUT_OF_RANGE", "depth", 1},
		{"over maximum", numbers("count", 101.0), "COUNT_OUT_OF_RANGE", "count", 1},
		{"decimal", numbers("price", sdk.ExactOf("-0.01")), "PRICE_MUST_BE_NONNEGATIVE", "price", 1},
		{"item", numbers("stack", sdk.ListOf(sdk.NumberOf(1), sdk.NumberOf(-1))), "STACK_MUST_BE_NONNEGATIVE", "stack", 1},
		{"completion before ranges", numbers("width", -1.0, "shape", "open", "price", 1.0), sdk.CodeConflictingInputs, "price", 0},
		{"the author's", numbers("count", 13.0), "TOO_ODD", "count", 0},
		{"overflow", numbers("width", 1e300, "height", 1e300, "depth", 1.0), sdk.CodeNonFiniteResult, "volume", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := boxEngine()
			_, err := e.Calculate(t.Context(), box(tt.set))
			var rejection *sdk.Error
			if !errors.As(err, &rejection) {
				t.Fatalf("error = %v, want an *sdk.Error", err)
			}
			if rejection.Code != tt.code || rejection.Field != tt.field || len(rejection.Invalid) != tt.invalid {
				t.Errorf("rejection = %+v, want %s of %s with %d invalid", rejection, tt.code, tt.field, tt.invalid)
			}
			spec := e.Spec()
			if err := sdk.CheckRejection(&spec, rejection); err != nil {
				t.Errorf("CheckRejection: %v", err)
			}
		})
	}
}

func TestLimitsAreLegal(t *testing.T) {
	for _, set := range []map[string]sdk.Value{
		numbers("width", 5e-324), numbers("depth", 0.0), numbers("depth", 9.999), numbers("count", 1.0), numbers("count", 100.0),
		numbers("price", sdk.ExactOf("0")), numbers("stack", sdk.ListOf()),
	} {
		if _, err := boxEngine().Calculate(t.Context(), box(set)); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
}

func TestOwnFaults(t *testing.T) {
	short := box(numbers())[:3]
	wrong := box(numbers("width", "two"))
	absent := box(numbers("width", sdk.Value{}))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		in   sdk.Values
		want string
	}{
		{"error", t.Context(), box(numbers("count", 14.0)), "broken"},
		{"panic", t.Context(), box(numbers("count", 15.0)), "engine panicked: bug"},
		{"too few values", t.Context(), short, "inputs do not fit the spec"},
		{"wrong type", t.Context(), wrong, "inputs do not fit the spec"},
		{"absent required", t.Context(), absent, "inputs do not fit the spec"},
		{"context ended", cancelled, box(numbers()), "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := boxEngine().Calculate(tt.ctx, tt.in)
			var rejection *sdk.Error
			if err == nil || errors.As(err, &rejection) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want our own fault with %q", err, tt.want)
			}
		})
	}
}

func TestNegativeZeroAndSubnormals(t *testing.T) {
	o, err := boxEngine().Calculate(t.Context(), box(numbers("count", 16.0)))
	if err != nil || math.Signbit(o.Result[0].Number()) {
		t.Errorf("negative zero: %v, %v", o.Result, err)
	}
	o, err = boxEngine().Calculate(t.Context(), box(numbers("count", 17.0)))
	if err != nil || len(o.Warnings) != 1 || o.Warnings[0].Code != sdk.WarnResultSubnormal {
		t.Errorf("subnormal result: warnings %v, %v", o.Warnings, err)
	}
}

// A nil *Error is no error, though as an error it is not nil.
func TestNilRejection(t *testing.T) {
	o, err := boxEngine().Calculate(t.Context(), box(numbers("count", 18.0)))
	if err != nil || o.Result[0].Number() != 18 {
		t.Errorf("outcome %v, %v", o, err)
	}
}

// A mistake of the author panics at start and says where and what to change.
func TestMisuse(t *testing.T) {
	type noName struct{ X float64 }
	type badType struct {
		X float32 `name:"x"`
	}
	type badRange struct {
		X float64 `name:"x" range:"0..1"`
	}
	type badDefault struct {
		X string `name:"x" enum:"a,b" default:"c"`
	}
	type reserved struct {
		X float64 `name:"inputs"`
	}
	type twice struct {
		X float64 `name:"x" alias:"y"`
		Y float64 `name:"y"`
	}
	type good struct {
		X float64 `name:"x"`
	}
	type decimalOut struct {
		X []sdk.Decimal `name:"x"`
	}
	type none struct{}
	for name, tt := range map[string]struct {
		build func(sdk.Spec)
		want  []string
	}{
		"no name":    {build[noName, good], []string{"noName.X", "name tag"}},
		"type":       {build[badType, good], []string{"badType.X", "float32", "float64"}},
		"range":      {build[badRange, good], []string{"badRange.X", "0..1", "(0,)"}},
		"default":    {build[badDefault, good], []string{"badDefault.X", `"c"`, "a, b"}},
		"reserved":   {build[reserved, good], []string{`"inputs"`, "reserved"}},
		"twice":      {build[twice, good], []string{`"y"`, "twice"}},
		"no outputs": {build[good, none], []string{"Out struct"}},
		"decimal":    {build[good, decimalOut], []string{"sdk.Decimal", "float64"}},
		"prerelease": {func(s sdk.Spec) { s.Version = "1.0.0-01"; build[good, good](s) }, []string{"1.0.0-01"}},
		"id":         {func(s sdk.Spec) { s.Capability = "Box"; build[good, good](s) }, []string{`"Box"`, "thermo.radiation"}},
		"version":    {func(s sdk.Spec) { s.Version = "1.0.0+x"; build[good, good](s) }, []string{"1.0.0+x", "build metadata"}},
		"tool":       {func(s sdk.Spec) { s.Tool = "Box_Tool"; build[good, good](s) }, []string{"Box_Tool", "kebab"}},
		"code":       {func(s sdk.Spec) { s.Errors = []string{"too odd"}; build[good, good](s) }, []string{"too odd", "upper-case"}},
		"formulas":   {func(s sdk.Spec) { s.Formulas[1].ID = "box_v1"; build[good, good](s) }, []string{"formula 1", "ID of its own"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				text, _ := recover().(string)
				for _, want := range tt.want {
					if !strings.Contains(text, want) {
						t.Errorf("panic %q does not mention %q", text, want)
					}
				}
			}()
			tt.build(boxSpec())
			t.Error("no panic")
		})
	}
}

func build[In, Out any](s sdk.Spec) {
	sdk.New(s, func(context.Context, In) (Out, error) { panic("not called") })
}

func TestDecimalIsExact(t *testing.T) {
	d := sdk.Decimal{Literal: "0.1", Float: 0.1}
	if got := d.Rat().RatString(); got != "1/10" {
		t.Errorf("Rat = %s", got)
	}
	if got := (sdk.Decimal{Float: 0.5}).Rat().RatString(); got != "1/2" {
		t.Errorf("Rat of a number = %s", got)
	}
}

// Every number of a list can be sent in another unit.
func TestItemsHaveTheUnitOfTheirList(t *testing.T) {
	type in struct {
		Corners [][]float64 `name:"corners" unit:"m"`
		Names   []string    `name:"names"`
	}
	type out struct {
		Area float64 `name:"area" unit:"m2"`
	}
	fields := sdk.New(boxSpec(), func(context.Context, in) (out, error) { return out{}, nil }).Spec().Inputs
	if outer, inner := fields[0].Items.Unit, fields[0].Items.Items.Unit; outer != "" || inner != "m" || fields[1].Items.Unit != "" {
		t.Errorf("rows have %q, numbers %q, names %q", outer, inner, fields[1].Items.Unit)
	}
}
