package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

type input struct {
	Width  float64     `name:"width" alias:"w" unit:"m" range:"(0,100]"`
	Height float64     `name:"height" unit:"m" default:"2" range:"(0,width]"`
	Kind   string      `name:"kind" enum:"full,half=hollow" default:"full"`
	Price  sdk.Decimal `name:"price" range:"[0,)"`
	Count  *int        `name:"count" range:"[1,9]"`
}

type output struct {
	Area float64   `name:"area" unit:"m2"`
	Cost float64   `name:"cost"`
	Side []float64 `name:"side" unit:"m"`
}

const vectors = `[
 {"id": "A1", "inputs": {"w": 3, "price": "1.10"}, "expected": {"area": 6}},
 {"id": "A2", "inputs": {"width": 3, "price": 2, "kind": "hollow", "count": 2}, "expected": {"area": 6}},
 {"id": "E1", "inputs": {"width": 90, "height": 90, "price": 2}, "expected": {"code": "TOO_LARGE"}}
]`

// area returns an engine; change modifies it.
func area(version string, change func(*rectangle)) *compat.Engine {
	r := &rectangle{version: version, scale: 1, largest: 5000}
	if change != nil {
		change(r)
	}
	return engineOf(sdk.New(r.spec(), r.calculate), r.alter)
}

// engineOf returns an engine in this process, with a Spec that alter has modified.
func engineOf(e sdk.Engine, alter func(*sdk.Spec)) *compat.Engine {
	spec := e.Spec()
	if alter != nil {
		// A copy whose lists can be changed.
		text, _ := json.Marshal(spec)
		spec = sdk.Spec{}
		_ = json.Unmarshal(text, &spec)
		alter(&spec)
	}
	open := func(context.Context) (sdk.Engine, func(), error) { return e, nil, nil }
	return &compat.Engine{Spec: spec, Open: open, Vectors: []byte(vectors)}
}

type rectangle struct {
	version        string
	scale, largest float64
	warns          bool
	alter          func(*sdk.Spec)
}

func (r *rectangle) spec() sdk.Spec {
	return sdk.Spec{
		Capability: "geometry.plane.area", Version: r.version, Tool: "area", Group: "plane", Title: "Area", Summary: "Area of a rectangle.",
		Formulas: []sdk.Formula{{ID: "area_v1", Expression: "A = w*h"}},
		Errors:   []string{"TOO_LARGE"}, Warnings: []string{"LARGE"},
	}
}

func (r *rectangle) calculate(ctx context.Context, in input) (output, error) {
	a := in.Width * in.Height
	if a > r.largest {
		return output{}, sdk.Reject("TOO_LARGE", "width", "%v is too large", a)
	}
	if r.warns && a > r.largest/2 {
		sdk.Warn(ctx, sdk.Warning{Code: "LARGE", Severity: sdk.Info})
	}
	price, _ := in.Price.Rat().Float64()
	return output{a * r.scale, price * a, []float64{in.Width, in.Height}}, nil
}

func specChange(alter func(*sdk.Spec)) func(*rectangle) {
	return func(r *rectangle) { r.alter = alter }
}

// Each kind of change has its bump.
func TestBumps(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		name   string
		change func(*rectangle)
		needs  compat.Bump
		want   string // a part of the report
	}{
		{"nothing", nil, compat.Patch, ": 0 are answered differently"},
		{"a text", specChange(func(s *sdk.Spec) { s.Title, s.Inputs[0].Doc, s.Formulas[0].Expression = "B", "x", "w*h" }), compat.Patch, ""},
		{"a number", func(r *rectangle) { r.scale = math.Nextafter(1, 2) }, compat.Major, "result.area"},
		{"the code of a rejection", specChange(func(s *sdk.Spec) { s.Errors = []string{"HUGE"} }), compat.Major, ""},
		{"less is answered", func(r *rectangle) { r.largest = 4000 }, compat.Major, "a result"},
		{"more is answered", func(r *rectangle) { r.largest = 9000 }, compat.Minor, "TOO_LARGE"},
		{"a warning is given", func(r *rectangle) { r.warns = true }, compat.Minor, "LARGE"},
		{"another formula", specChange(func(s *sdk.Spec) { s.Formulas[0].ID = "area_v2" }), compat.Minor, "area_v2"},
		{"an assumption", specChange(func(s *sdk.Spec) { s.Assumptions = []string{"Flat."} }), compat.Minor, "Flat."},
		{"the tool", specChange(func(s *sdk.Spec) { s.Tool = "surface" }), compat.Major, "tool id"},
		{"a new error code", specChange(func(s *sdk.Spec) { s.Errors = append(s.Errors, "ODD") }), compat.Minor, "ODD"},
		{"a new warning code", specChange(func(s *sdk.Spec) { s.Warnings = append(s.Warnings, "ODD") }), compat.Minor, "ODD"},
		{"a plot", specChange(func(s *sdk.Spec) { s.Plots = []sdk.Plot{{ID: "shape", Title: "Shape"}} }), compat.Minor, "plot shape"},
		{"a limit", specChange(func(s *sdk.Spec) { s.Limits = []sdk.Limit{{Quantity: "area", Max: number(1)}} }), compat.Minor, "limits"},
		{"a path", specChange(func(s *sdk.Spec) { s.ReadOnlyPaths = []string{"/usr/lib"} }), compat.Minor, "/usr/lib"},

		{"a name", specChange(func(s *sdk.Spec) { s.Inputs[0].Name, s.Inputs[0].Aliases = "breadth", []string{"width", "w"} }), compat.Major, "input width"},
		{"an alias is gone", specChange(func(s *sdk.Spec) { s.Inputs[0].Aliases = nil }), compat.Major, "aliases"},
		{"an alias is new", specChange(func(s *sdk.Spec) { s.Inputs[0].Aliases = []string{"w", "W"} }), compat.Minor, "aliases"},
		{"a unit", specChange(func(s *sdk.Spec) { s.Inputs[0].Unit = "s" }), compat.Major, "the unit changed"},
		{"no unit", specChange(func(s *sdk.Spec) { s.Inputs[0].Unit = "" }), compat.Major, "the unit changed"},
		{"a unit where none was", specChange(func(s *sdk.Spec) { s.Inputs[3].Unit = "1/kWh" }), compat.Minor, "has a unit now"},
		{"units by a choice", specChange(func(s *sdk.Spec) {
			s.Inputs[3].UnitBy = &sdk.UnitBy{Input: "kind", Units: map[string]string{"full": "1/J", "half": "1/kWh"}}
		}), compat.Minor, "1/J or 1/kWh, by kind"},
		{"units by a choice in place of one", specChange(func(s *sdk.Spec) {
			s.Inputs[0].Unit, s.Inputs[0].UnitBy = "", &sdk.UnitBy{Input: "kind", Units: map[string]string{"full": "m", "half": "cm"}}
		}), compat.Major, "cm or m, by kind"},
		{"a difference", specChange(func(s *sdk.Spec) { s.Inputs[0].Difference = true }), compat.Major, "is a difference now"},
		{"a default", specChange(func(s *sdk.Spec) { s.Inputs[1].Default = "1" }), compat.Major, "the default changed"},
		{"another spelling of a default", specChange(func(s *sdk.Spec) { s.Inputs[1].Default = "2.0" }), compat.Patch, ""},
		{"required now", specChange(func(s *sdk.Spec) { s.Inputs[4].Required = true }), compat.Major, "is required now"},
		{"no longer required", specChange(func(s *sdk.Spec) { s.Inputs[3].Required, s.Inputs[3].Default = false, "1" }), compat.Minor, "is no longer required"},
		{"no decimal strings", specChange(func(s *sdk.Spec) { s.Inputs[3].Decimal = false }), compat.Major, "a decimal string"},
		{"decimal strings", specChange(func(s *sdk.Spec) { s.Inputs[1].Decimal = true }), compat.Minor, "a decimal string"},
		{"a name of a number", specChange(func(s *sdk.Spec) { s.Inputs[1].Names = []sdk.Named{{Name: "full turn", Value: 1}} }), compat.Minor, "full turn = 1"},
		{"strict", specChange(func(s *sdk.Spec) { s.Inputs[0].Strict = true }), compat.Major, "strict"},
		{"an enum value is gone", specChange(func(s *sdk.Spec) { s.Inputs[2].Enum = []string{"full"}; s.Inputs[2].EnumAliases = nil }), compat.Major, "half"},
		{"an enum value is new", specChange(func(s *sdk.Spec) { s.Inputs[2].Enum = []string{"full", "half", "third"} }), compat.Minor, "third"},
		{"an alias of the enum is gone", specChange(func(s *sdk.Spec) { s.Inputs[2].EnumAliases = nil }), compat.Major, "hollow = half"},
		{"an alias of the enum is new", specChange(func(s *sdk.Spec) {
			s.Inputs[2].EnumAliases = append(s.Inputs[2].EnumAliases, sdk.Alias{Alias: "F", Value: "full"})
		}), compat.Minor, "F = full"},
		{"a wider range", specChange(func(s *sdk.Spec) { s.Inputs[0].Range.Max = number(200) }), compat.Minor, "(0, 200]"},
		{"a closed end", specChange(func(s *sdk.Spec) { s.Inputs[0].Range.MinOpen = false }), compat.Minor, "[0, 100]"},
		{"a narrower range", specChange(func(s *sdk.Spec) { s.Inputs[0].Range.Max = number(99) }), compat.Major, "(0, 99]"},
		{"no range", specChange(func(s *sdk.Spec) { s.Inputs[0].Range = nil }), compat.Minor, "has no range any more"},
		{"another end", specChange(func(s *sdk.Spec) { s.Inputs[1].Range.MaxInput = "count" }), compat.Major, "(0, count]"},
		{"the code of a range", specChange(func(s *sdk.Spec) { s.Inputs[0].Range.Code = "ODD_WIDTH" }), compat.Major, "the code of its range"},
		{"a whole number", specChange(func(s *sdk.Spec) { s.Inputs[0].Type = sdk.TypeInteger }), compat.Major, "integer"},

		{"the unit of an output", specChange(func(s *sdk.Spec) { s.Outputs[0].Unit = "s" }), compat.Major, "output area"},
		{"an output is not always there", specChange(func(s *sdk.Spec) { s.Outputs[0].Required = false }), compat.Major, "output area"},
		{"the unit of items", specChange(func(s *sdk.Spec) { s.Outputs[2].Items.Unit = "s" }), compat.Major, "output side, items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			older, newer := area("1.4.2", nil), area("1.4.3", tt.change)
			r, err := compat.Diff(t.Context(), older, newer, nil)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			smallest := map[compat.Bump]string{compat.Patch: "1.4.3", compat.Minor: "1.5.0", compat.Major: "2.0.0"}[tt.needs]
			if r.Needed != tt.needs || r.Smallest != smallest || r.Legal != (tt.needs == compat.Patch) || !strings.Contains(text.String(), tt.want) {
				t.Errorf("needs %v, smallest %s, legal %t; want %v, with %q\n%s", r.Needed, r.Smallest, r.Legal, tt.needs, tt.want, text.String())
			}
			if r.Cases.Answered < 150 {
				t.Errorf("only %d of %d requests had a result", r.Cases.Answered, r.Cases.Generated)
			}
		})
	}
}

// TestFieldsComeAndGo adds and removes fields, with engines that have them.
func TestFieldsComeAndGo(t *testing.T) {
	type narrow struct {
		A float64 `name:"a"`
	}
	type whole struct {
		A int `name:"a"`
	}
	type optional struct {
		A float64  `name:"a"`
		B *float64 `name:"b"`
	}
	type required struct {
		A float64 `name:"a"`
		B float64 `name:"b"`
	}
	type turned struct {
		B *float64 `name:"b"`
		A float64  `name:"a"`
	}
	type one struct {
		X float64 `name:"x"`
	}
	type two struct {
		Y float64 `name:"y"`
		X float64 `name:"x"`
	}
	spec := func(version string) sdk.Spec {
		return sdk.Spec{Capability: "a.b.c", Version: version, Tool: "c", Group: "b", Title: "T", Summary: "S.", Changes: "Something."}
	}
	x := func(a float64) one { return one{a} }
	y := func(a float64) two { return two{1, a} }
	none := []byte(`[{"id": "V", "inputs": {"a": 1}, "expected": {"x": 1}}]`)
	of := func(e sdk.Engine) *compat.Engine {
		c := engineOf(e, nil)
		c.Vectors = none
		return c
	}
	engines := map[string]func(string) *compat.Engine{
		"narrow": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in narrow) (one, error) { return x(in.A), nil }))
		},
		"optional": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in optional) (one, error) { return x(in.A), nil }))
		},
		"required": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in required) (one, error) { return x(in.A), nil }))
		},
		"whole": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in whole) (one, error) { return x(float64(in.A)), nil }))
		},
		"turned": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in turned) (one, error) { return x(in.A), nil }))
		},
		"two": func(v string) *compat.Engine {
			return of(sdk.New(spec(v), func(_ context.Context, in narrow) (two, error) { return y(in.A), nil }))
		},
	}
	for _, tt := range []struct {
		older, newer string
		needs        compat.Bump
	}{
		{"narrow", "narrow", compat.Patch},
		{"narrow", "optional", compat.Minor},
		{"narrow", "required", compat.Major},
		{"optional", "narrow", compat.Major},
		{"required", "optional", compat.Minor},
		{"optional", "turned", compat.Minor},
		{"whole", "narrow", compat.Minor},
		{"narrow", "whole", compat.Major},
		{"narrow", "two", compat.Minor},
		{"two", "narrow", compat.Major},
	} {
		r, err := compat.Diff(t.Context(), engines[tt.older]("1.0.0"), engines[tt.newer]("1.1.0"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Needed != tt.needs || r.Legal != (tt.needs <= compat.Minor) {
			t.Errorf("%s, then %s: needs %v, legal %t; want %v", tt.older, tt.newer, r.Needed, r.Legal, tt.needs)
		}
	}
}

// A minor or major version describes its changes, or is illegal for that reason alone.
func TestChangesAreStated(t *testing.T) {
	at := func(version string, change func(*sdk.Spec)) *compat.Engine { return area(version, specChange(change)) }
	more := func(changes string) func(*sdk.Spec) {
		return func(s *sdk.Spec) { s.Assumptions, s.Changes = []string{"Flat."}, changes }
	}
	for _, tt := range []struct {
		version, changes, contract string
		legal                      bool
		code                       string
	}{
		{"1.5.0", "", "", false, compat.ChangesMissing},
		{"2.0.0", "", "", false, compat.ChangesMissing},
		{"1.5.0", "It says that it is flat.", "", true, ""},
		{"1.5.0-dev.3", "", "", true, ""},
		{"1.4.3", "", "", false, ""},
		{"1.5.0", "", "1.0.0", true, ""},
	} {
		newer := at(tt.version, more(tt.changes))
		if tt.contract != "" {
			newer.Spec.Contract = tt.contract
		}
		r, err := compat.Diff(t.Context(), at("1.4.2", func(*sdk.Spec) {}), newer, &compat.Options{Generated: 1})
		if err != nil || r.Legal != tt.legal || r.Code != tt.code || r.Stated != tt.changes {
			t.Errorf("%+v: %+v, %v", tt, r, err)
			continue
		}
		var text bytes.Buffer
		if err := r.WriteText(&text); err != nil || tt.changes != "" && !strings.Contains(text.String(), "\nChanges in 1.5.0: It says that it is flat.\n") {
			t.Errorf("%s, %v", text.String(), err)
		}
	}
}

// TestSteps checks the bumps that steps between versions allow.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		legal    [3]bool // patch, minor, major
		smallest [3]string
	}{
		{"1.2.3", "1.2.4", [3]bool{true, false, false}, [3]string{"1.2.4", "1.3.0", "2.0.0"}},
		{"1.2.3", "1.3.0", [3]bool{true, true, false}, [3]string{"1.2.4", "1.3.0", "2.0.0"}},
		{"1.2.3", "2.0.0", [3]bool{true, true, true}, [3]string{"1.2.4", "1.3.0", "2.0.0"}},
		{"1.2.3", "2.0.0-rc.1", [3]bool{true, true, true}, [3]string{"1.2.4", "1.3.0", "2.0.0"}},
		{"1.2.3", "1.3.0-rc.1", [3]bool{true, true, false}, [3]string{"1.2.4", "1.3.0", "2.0.0"}},
		{"1.3.0-rc.1", "1.3.0", [3]bool{true, true, true}, [3]string{"1.3.0", "1.3.0", "1.3.0"}},
		{"0.2.3", "0.2.4", [3]bool{true, false, false}, [3]string{"0.2.4", "0.3.0", "0.3.0"}},
		{"0.2.3", "0.3.0", [3]bool{true, true, true}, [3]string{"0.2.4", "0.3.0", "0.3.0"}},
		{"0.2.3", "1.0.0", [3]bool{true, true, true}, [3]string{"0.2.4", "0.3.0", "0.3.0"}},
	} {
		step, err := compat.NewStep(tt.from, tt.to)
		if err != nil {
			t.Fatal(err)
		}
		for i, needed := range []compat.Bump{compat.Patch, compat.Minor, compat.Major} {
			if got := step.Allows(needed); got != tt.legal[i] {
				t.Errorf("%s to %s allows %v: %t", tt.from, tt.to, needed, got)
			}
			if got := step.Smallest(needed); got != tt.smallest[i] {
				t.Errorf("%s to %s, %v: smallest %s, want %s", tt.from, tt.to, needed, got, tt.smallest[i])
			}
		}
	}
	for _, bad := range [][2]string{{"1.0.0", "1.0.0"}, {"1.1.0", "1.0.0"}, {"1.0.0", "1.0.0-rc.1"}, {"1.0", "1.1.0"}, {"1.0.0", "v2"}} {
		if _, err := compat.NewStep(bad[0], bad[1]); err == nil {
			t.Errorf("%s to %s is a step", bad[0], bad[1])
		}
	}
}

// A difference of one ulp is found and counted.
func TestUlps(t *testing.T) {
	older := area("1.0.0", nil)
	newer := area("1.0.1", func(r *rectangle) { r.scale = -1 })
	r, err := compat.Diff(t.Context(), older, newer, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := r.Differences[0]
	if first.Case != "vector A1" || first.Where != "result.area" || first.Old != "6" || first.New != "-6" ||
		first.Ulps != 2*math.Float64bits(6) {
		t.Errorf("%+v", first)
	}
	newer = area("1.0.1", func(r *rectangle) { r.scale = math.Nextafter(1, 2) })
	r, err = compat.Diff(t.Context(), older, newer, nil)
	if err != nil || r.Differences[0].Ulps != 2 { // one of 6, which the factor moves by one and a half
		t.Errorf("%v %+v", err, r.Differences[0])
	}
}

// Differences between numbers are written as fractions. Each row has only the inputs that
// distinguish it from other rows.
func TestWriteDifferences(t *testing.T) {
	requests := func(*sdk.Spec, int) []compat.Case {
		return []compat.Case{
			{Name: "a", Inputs: `{"width": 7, "height": 2, "price": "1.00000000000000000000000000000000"}`},
			{Name: "b", Inputs: `{"width": 5e1, "height": 2, "price": "1.00000000000000000000000000000000"}`},
		}
	}
	for _, tt := range []struct {
		requests   int
		was, scale float64
		want       []string
	}{
		{2, 1, 1 + 0x1p-20, []string{"in each row: height 2, price \"1.0000000000000000000000...\n", "NEEDS  CHANGE", "major  9.5e-7  ", "  width 7\n", "  width 5e1\n"}},
		{1, 1, 1 + 0x1p-20, []string{"in each row: width 7, height 2, price"}},
		{2, 1, 0, []string{"major  1  "}},
		{2, 0, 1, []string{"major          4"}}, // there is no fraction of zero
	} {
		older := area("1.0.0", func(r *rectangle) { r.scale = tt.was })
		older.Vectors = []byte("[]")
		r, err := compat.Diff(t.Context(), older, area("2.0.0", func(r *rectangle) { r.scale = tt.scale }), &compat.Options{
			Generate: func(s *sdk.Spec, n int) []compat.Case { return requests(s, n)[:tt.requests] },
		})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("scale %v: no %q in\n%s", tt.scale, want, b.String())
			}
		}
	}
}

// An older engine that fails promises nothing. A newer engine that fails where the older one
// answered breaks the promise, and still gets further requests.
func TestFailures(t *testing.T) {
	failing := func(version string) *compat.Engine {
		e := area(version, nil)
		inner := e.Open
		e.Open = func(ctx context.Context) (sdk.Engine, func(), error) {
			engine, end, err := inner(ctx)
			return dies{engine}, end, err
		}
		return e
	}
	r, err := compat.Diff(t.Context(), failing("1.0.0"), area("1.0.1", nil), nil)
	if err != nil || r.Needed != compat.Patch || r.Cases.Answered == 0 {
		t.Errorf("the older one fails: %v %+v", err, r)
	}
	r, err = compat.Diff(t.Context(), area("1.0.0", nil), failing("1.0.1"), nil)
	if err != nil || r.Needed != compat.Major || r.Differences[0].New != "a failure" || r.Cases.Different == r.Cases.Vectors+r.Cases.Generated {
		t.Errorf("the newer one fails: %v %+v", err, r)
	}
}

// dies fails when the height is not the default.
type dies struct{ sdk.Engine }

func (d dies) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	if in[1].Number() != 2 {
		return sdk.Outcome{}, context.DeadlineExceeded
	}
	return d.Engine.Calculate(ctx, in)
}

func TestOtherCapability(t *testing.T) {
	other := area("1.0.1", specChange(func(s *sdk.Spec) { s.Capability = "x.y.z" }))
	if _, err := compat.Diff(t.Context(), area("1.0.0", nil), other, nil); err == nil || !strings.Contains(err.Error(), "two capabilities") {
		t.Errorf("%v", err)
	}
}

// Generated requests are legal, the same at every call, and contain every name and value.
func TestLegal(t *testing.T) {
	spec := area("1.0.0", nil).Spec
	cases, second := compat.Legal(&spec, 300), compat.Legal(&spec, 300)
	all := ""
	for i, c := range cases {
		if c != second[i] {
			t.Fatalf("%v, then %v", c, second[i])
		}
		all += c.Inputs + "\n"
	}
	for _, want := range []string{`"w":`, `"width":100,`, `"kind":"full"`, `"kind":"half"`, `"kind":"hollow"`, `"price":"`, `"count":9`} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing generated has %s", want)
		}
	}
	e := area("1.0.0", func(r *rectangle) { r.largest = 1e9 })
	r, err := compat.Diff(t.Context(), e, e, &compat.Options{Generate: func(*sdk.Spec, int) []compat.Case { return cases }})
	if err != nil || r.Cases.Answered < 300 {
		t.Errorf("%v: %d of 300 are legal", err, r.Cases.Answered)
	}
}
