package cases_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

type pipeInput struct {
	Velocity float64  `name:"velocity" symbol:"v" unit:"m/s" range:"(0,)"`
	Diameter float64  `name:"diameter" symbol:"D" unit:"m" range:"(0,10]"`
	Method   string   `name:"method" enum:"auto,laminar,rough" default:"auto"`
	Count    int      `name:"count" symbol:"n" range:"[1,20]" default:"1"`
	Length   *float64 `name:"length" symbol:"L" unit:"m"`
	Round    bool     `name:"round" default:"true"`
	Bends    []bend   `name:"bends" symbol:"k"`
}

type bend struct {
	Radius float64 `name:"radius" unit:"m"`
}

type pipeOutput struct {
	Factor float64  `name:"factor" symbol:"f"`
	Sum    float64  `name:"sum" symbol:"S"`
	Drop   *float64 `name:"drop" symbol:"h"`
}

const pipeText = `
nu := 1e-6 m2/s  # water at 20 degC
Re = v*D/nu
slow(x) = x < 2300
f = 64/Re  if method == "laminar" or method == "auto" and slow(Re)
f = 0.02   if round and n <= 3
f = 0.03   otherwise
S = sum(b in k: b.radius)/D  if v > {3 m/s}
S = 0      otherwise
h = f*L/D  if given(L)`

func pipe(text string) *sdk.Spec {
	spec := sdk.New(sdk.Spec{
		Capability: "test.cases.pipe", Version: "1.0.0", Tool: "pipe", Group: "test", Title: "Pipe", Summary: "A pipe.", Definition: text,
	}, func(context.Context, pipeInput) (pipeOutput, error) { return pipeOutput{}, nil }).Spec()
	return &spec
}

func branches(spec *sdk.Spec, examples []value.Values) map[string]string {
	list := map[string]string{}
	for _, c := range cases.Generate(spec, examples) {
		if c.Kind == cases.Branch {
			list[c.ID] = c.Inputs
		}
	}
	return list
}

func numbersAt(t *testing.T, list map[string]string, input, condition string) (numbers []float64) {
	t.Helper()
	for id, inputs := range list {
		if strings.HasPrefix(id, input+" at "+condition+", ") {
			object, err := strictjson.ParseObject([]byte(inputs))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range object.Members {
				if m.Name == input {
					numbers = append(numbers, m.Value.Float)
				}
			}
		}
	}
	slices.Sort(numbers)
	return numbers
}

// There are requests at both sides of each condition of the Definition. There is none within
// the rounding error of a computed boundary.
func TestBranches(t *testing.T) {
	spec := pipe(pipeText)
	list := branches(spec, []value.Values{
		example(t, spec, `{"velocity": 0.3, "diameter": 0.5, "method": "rough", "count": 2, "bends": [{"radius": 1}]}`),
		example(t, spec, `{"velocity": 0.3, "diameter": 0.5, "round": false, "length": 12, "bends": []}`),
	})
	next := func(x, toward float64) float64 { return math.Nextafter(x, toward) }
	for _, c := range []struct {
		input, condition string
		want             []float64
	}{
		{"velocity", "condition 1 of S", []float64{next(3, 0), 3, next(3, 4)}},
		{"count", "condition 1 of f", []float64{2, 3, 4}},
	} {
		if got := numbersAt(t, list, c.input, c.condition); !slices.Equal(got, c.want) {
			t.Errorf("%s at %s: %v, want %v", c.input, c.condition, got, c.want)
		}
	}
	for input, boundary := range map[string]float64{"velocity": 2300e-6 / 0.5, "diameter": 2300e-6 / 0.3} {
		got := numbersAt(t, list, input, "condition 1 of slow")
		if len(got) < 2 || len(got) > 3 || got[0] >= boundary || got[len(got)-1] <= boundary {
			t.Errorf("%s: %v are not at both sides of %v", input, got, boundary)
		}
		for _, x := range got {
			if off := math.Abs(x/boundary - 1); off < 1e-10 || off > 1e-8 {
				t.Errorf("%s: %v is off by %g", input, x, off)
			}
		}
	}
	// Words, truths and optional inputs are combined with other examples than before.
	for _, id := range []string{"method is laminar, else as example 1", "method is rough, else as example 2", "round is false, else as example 1", "length left out, else as example 2"} {
		if list[id] == "" {
			t.Errorf("no request %q", id)
		}
	}
	if object := list["velocity at condition 1 of slow, request 1"]; !strings.Contains(object, `"method":"auto"`) {
		t.Errorf("the condition decides nothing in %s", object)
	}
}

// The number of requests, and the search for them, are bounded for every Definition.
func TestBranchesAreFew(t *testing.T) {
	text := "nu := 1e-6 m2/s  # water\nf = v*D/nu\nS = 0\n"
	for i := range 40 {
		text += fmt.Sprintf("h = %d if v*D/nu > %d and n*v > {%d m/s}\n", i, 40-i, i)
	}
	spec := pipe(text)
	bends := strings.TrimSuffix(strings.Repeat(`{"radius": 1},`, 10), ",")
	list := branches(spec, []value.Values{example(t, spec, `{"velocity": 3, "diameter": 2, "bends": [`+bends+`]}`)})
	if len(list) == 0 || len(list) > 48*9 {
		t.Errorf("%d requests", len(list))
	}
	if got := branches(pipe("f = 1\nS = 2\nh = 3"), []value.Values{example(t, spec, `{"velocity": 3, "diameter": 2, "bends": []}`)}); len(got) > 0 {
		t.Errorf("no condition, and %d requests", len(got))
	}
}
