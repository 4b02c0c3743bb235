package ideal_gas

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../ideal_gas.calc.md")

var quantities = []string{"pressure", "volume", "amount", "temperature"}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-15*max(math.Abs(a), math.Abs(b)) }

func TestEveryThreeGiveTheFourth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gas := ask.For(t, engine, ask.In{
			"volume":      rapid.Float64Range(1e-6, 1e6).Draw(t, "V"),
			"amount":      rapid.Float64Range(1e-6, 1e6).Draw(t, "n"),
			"temperature": rapid.Float64Range(1, 1e4).Draw(t, "T"),
		})
		if p := gas.Number; !near(p["pressure"]*p["volume"], p["amount"]*8.31446261815324*p["temperature"]) {
			t.Fatalf("%v: p V is not n R T", p)
		}
		formulas := map[string]bool{}
		for _, left := range quantities {
			in := ask.In{}
			for _, name := range quantities {
				if name != left {
					in[name] = gas.Number[name]
				}
			}
			a := ask.For(t, engine, in)
			if !near(a.Number[left], gas.Number[left]) {
				t.Fatalf("%s = %v, want %v", left, a.Number[left], gas.Number[left])
			}
			formulas[a.Formula] = true
		}
		if len(formulas) != len(quantities) {
			t.Fatalf("%v for %d quantities", formulas, len(quantities))
		}
	})
}

func TestBoyleAndCharles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{"volume": rapid.Float64Range(1e-6, 1e6).Draw(t, "V"), "amount": 1.0, "temperature": rapid.Float64Range(1, 1e4).Draw(t, "T")}
		pressure := func(name string, by float64) float64 {
			return ask.For(t, engine, ask.With(in, ask.In{name: by * in[name].(float64)})).Number["pressure"]
		}
		p := pressure("amount", 1)
		if pressure("volume", 2) != p/2 || pressure("temperature", 2) != 2*p || pressure("amount", 2) != 2*p {
			t.Fatalf("p = %v does not scale", p)
		}
	})
}

func TestExactlyThree(t *testing.T) {
	for set := range 16 {
		in := ask.In{}
		for i, name := range quantities {
			if set>>i&1 == 1 {
				in[name] = 4.0
			}
		}
		if len(in) == 3 {
			ask.For(t, engine, in)
			continue
		}
		want := sdk.CodeMissingRequiredInput
		if len(in) == 4 {
			want = sdk.CodeConflictingInputs
		}
		if code, field := ask.Code(t, engine, in); code != want || field == "" {
			t.Errorf("%v: %s (%s), want %s", in, code, field, want)
		}
	}
}
