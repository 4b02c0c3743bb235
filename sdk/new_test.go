package sdk_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
)

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
	spec := box.Engine().Spec()
	if diff := cmp.Diff(want, spec.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if spec.Contract != sdk.ContractVersion {
		t.Errorf("Contract = %q", spec.Contract)
	}
}

func TestCalculate(t *testing.T) {
	e := box.Engine()
	in := box.Values(box.Numbers("shape", "open"))
	o, err := e.Calculate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	if err := spec.CheckOutcome(in, o); err != nil {
		t.Errorf("CheckOutcome: %v", err)
	}
	want := sdk.Outcome{
		Result:  value.Values{value.NumberOf(12), value.TextOf("open"), {}},
		Inputs:  box.Values(box.Numbers("shape", "open", "depth", 2.0)), // the value that Complete derived is shown
		Formula: "open_v1", Assumptions: []string{"no rain"},
		Warnings: []sdk.Warning{{Code: "LEAKS", Severity: sdk.Caution, Detail: "open"}},
	}
	if diff := cmp.Diff(want, o, cmp.Comparer(value.Value.Equal)); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

func TestRejections(t *testing.T) {
	for _, tt := range []struct {
		name        string
		set         map[string]value.Value
		code, field string
		invalid     int
	}{
		{"open end", box.Numbers("width", 0.0), "WIDTH_MUST_BE_POSITIVE", "width", 1},
		{"own code", box.Numbers("height", -1.0), "TALLNESS_MUST_BE_POSITIVE", "height", 1},
		{"all of a stage", box.Numbers("width", -1.0, "height", -1.0), "WIDTH_MUST_BE_POSITIVE", "width", 2},
		{"excluded maximum", box.Numbers("depth", 10.0), "DEPTH_OUT_OF_RANGE", "depth", 1},
		{"over maximum", box.Numbers("count", 101.0), "COUNT_OUT_OF_RANGE", "count", 1},
		{"decimal", box.Numbers("price", value.ExactOf("-0.01")), "PRICE_MUST_BE_NONNEGATIVE", "price", 1},
		{"item", box.Numbers("stack", value.ListOf(value.NumberOf(1), value.NumberOf(-1))), "STACK_MUST_BE_NONNEGATIVE", "stack", 1},
		{"completion before ranges", box.Numbers("width", -1.0, "shape", "open", "price", 1.0), sdk.CodeConflictingInputs, "price", 0},
		{"the author's", box.Numbers("count", 13.0), "TOO_ODD", "count", 0},
		{"overflow of what is derived", box.Numbers("width", 1.0, "count", 19.0), sdk.CodeNonFiniteResult, "depth", 0},
		{"overflow", box.Numbers("width", 1e300, "height", 1e300, "depth", 1.0), sdk.CodeNonFiniteResult, "volume", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := box.Engine()
			_, err := e.Calculate(t.Context(), box.Values(tt.set))
			var rejection *sdk.Error
			if !errors.As(err, &rejection) {
				t.Fatalf("error = %v, want an *sdk.Error", err)
			}
			if rejection.Code != tt.code || rejection.Field != tt.field || len(rejection.Invalid) != tt.invalid {
				t.Errorf("rejection = %+v, want %s of %s with %d invalid", rejection, tt.code, tt.field, tt.invalid)
			}
			spec := e.Spec()
			if err := spec.CheckRejection(rejection); err != nil {
				t.Errorf("CheckRejection: %v", err)
			}
		})
	}
}

func TestLimitsAreLegal(t *testing.T) {
	for _, set := range []map[string]value.Value{
		box.Numbers("width", 5e-324), box.Numbers("depth", 0.0), box.Numbers("depth", 9.999), box.Numbers("count", 1.0), box.Numbers("count", 100.0),
		box.Numbers("price", value.ExactOf("0")), box.Numbers("stack", value.ListOf()),
	} {
		if _, err := box.Engine().Calculate(t.Context(), box.Values(set)); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
}

func TestOwnFaults(t *testing.T) {
	short := box.Values(box.Numbers())[:3]
	wrong := box.Values(box.Numbers("width", "two"))
	absent := box.Values(box.Numbers("width", value.Value{}))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		in   value.Values
		want string
	}{
		{"error", t.Context(), box.Values(box.Numbers("count", 14.0)), "broken"},
		{"panic", t.Context(), box.Values(box.Numbers("count", 15.0)), "engine panicked: bug"},
		{"too few values", t.Context(), short, "inputs do not fit the spec"},
		{"wrong type", t.Context(), wrong, "inputs do not fit the spec"},
		{"absent required", t.Context(), absent, "inputs do not fit the spec"},
		{"context ended", cancelled, box.Values(box.Numbers()), "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := box.Engine().Calculate(tt.ctx, tt.in)
			var rejection *sdk.Error
			if err == nil || errors.As(err, &rejection) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want our own fault with %q", err, tt.want)
			}
		})
	}
}

func TestNegativeZeroAndSubnormals(t *testing.T) {
	o, err := box.Engine().Calculate(t.Context(), box.Values(box.Numbers("count", 16.0)))
	if err != nil || math.Signbit(o.Result[0].Number()) {
		t.Errorf("negative zero: %v, %v", o.Result, err)
	}
	o, err = box.Engine().Calculate(t.Context(), box.Values(box.Numbers("count", 17.0)))
	if err != nil || len(o.Warnings) != 1 || o.Warnings[0].Code != sdk.WarnResultSubnormal {
		t.Errorf("subnormal result: warnings %v, %v", o.Warnings, err)
	}
}

// A nil *Error means success, although it is not nil as an error.
func TestNilRejection(t *testing.T) {
	o, err := box.Engine().Calculate(t.Context(), box.Values(box.Numbers("count", 18.0)))
	if err != nil || o.Result[0].Number() != 18 {
		t.Errorf("outcome %v, %v", o, err)
	}
}

// A mistake of the author panics at start, and the message has the place and the fix.
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
	type pointed struct{ *good }
	type tagged struct {
		good `doc:"Good."`
	}
	type hiding struct {
		good
		X float64 `name:"x"`
	}
	type completing struct {
		material
		second
	}
	type difference struct {
		X float64 `name:"x" unit:"m" difference:"true"`
	}
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
		"pointer":    {build[pointed, good], []string{"pointed.good", "embed the struct itself"}},
		"tagged":     {build[tagged, good], []string{"tagged.good", "Good."}},
		"hiding":     {build[hiding, good], []string{`"x"`, "twice"}},
		"completing": {build[completing, good], []string{"completing", "material", "Complete"}},
		"difference": {build[difference, good], []string{"difference.X", "unit K"}},
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
			tt.build(box.Spec())
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
	fields := sdk.New(box.Spec(), func(context.Context, in) (out, error) { return out{}, nil }).Spec().Inputs
	if outer, inner := fields[0].Items.Unit, fields[0].Items.Items.Unit; outer != "" || inner != "m" || fields[1].Items.Unit != "" {
		t.Errorf("rows have %q, numbers %q, names %q", outer, inner, fields[1].Items.Unit)
	}
}

// An unlisted value is one of several, and not the default.
func TestUnlisted(t *testing.T) {
	for _, tt := range []struct {
		unlisted []string
		valid    bool
	}{{nil, true}, {[]string{"open"}, true}, {[]string{"closed"}, false}, {[]string{"other"}, false}} {
		spec := box.Engine().Spec()
		spec.Inputs = slices.Clone(spec.Inputs)
		shape := &spec.Inputs[spec.Input("shape")]
		shape.Unlisted = tt.unlisted
		if err := spec.Validate(); (err == nil) != tt.valid {
			t.Errorf("%v not listed: %v", tt.unlisted, err)
		}
		if value, ok := shape.EnumValue("open"); value != "open" || !ok {
			t.Errorf("%v not listed: open is not legal", tt.unlisted)
		}
	}
}

// A tag can name numbers, also in lists. Names that could be numbers are refused.
func TestNamesOfNumbers(t *testing.T) {
	type in struct {
		Gauge  int   `name:"gauge" names:"4/0=-3,0000=-3" range:"[-3,40]"`
		Gauges []int `name:"gauges" names:"4/0=-3"`
	}
	type out struct {
		Area float64 `name:"area" unit:"m2"`
	}
	spec := sdk.New(box.Spec(), func(context.Context, in) (out, error) { return out{}, nil }).Spec()
	fields := spec.Inputs
	if x, ok := fields[0].Named("0000"); x != -3 || !ok {
		t.Errorf("%+v", fields[0].Names)
	}
	if _, ok := fields[0].Named("000"); ok || len(fields[1].Names) != 0 || len(fields[1].Items.Names) != 1 {
		t.Errorf("%+v", fields)
	}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(s *sdk.Spec){
		"is a number":               func(s *sdk.Spec) { s.Inputs[0].Names[0].Name = "12" },
		"is used twice":             func(s *sdk.Spec) { s.Inputs[0].Names[0].Name = "0000" },
		"visible ASCII":             func(s *sdk.Spec) { s.Inputs[0].Names[0].Name = "4/0\u202e" },
		"does not take":             func(s *sdk.Spec) { s.Inputs[0].Names[0].Value = 41 },
		"stands for 0.5":            func(s *sdk.Spec) { s.Inputs[0].Names[0].Value = 0.5 },
		"names are for numbers":     func(s *sdk.Spec) { s.Inputs[0].Type, s.Inputs[0].Range = sdk.TypeString, nil },
		"they are for inputs":       func(s *sdk.Spec) { s.Outputs[0].Names = s.Inputs[0].Names },
		"has no names of numbers: ": func(s *sdk.Spec) { s.Contract = "1.1.0" },
	} {
		bad := spec
		bad.Inputs, bad.Outputs = slices.Clone(spec.Inputs), slices.Clone(spec.Outputs)
		bad.Inputs[0].Names = slices.Clone(spec.Inputs[0].Names)
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
