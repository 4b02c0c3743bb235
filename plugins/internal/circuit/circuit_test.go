package circuit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/circuit"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// in is the input of an engine that has nothing but a circuit.
type in struct {
	Circuit string   `name:"circuit" enum:"dc,ac_single_phase,ac_three_phase,~ac"`
	Phase   *string  `name:"phase" enum:"line_to_line,line_to_neutral,single,three"`
	PF      *float64 `name:"pf"`

	circuit circuit.Circuit
}

type out struct {
	Name      string  `name:"name"`
	SquareOfK float64 `name:"square_of_k"`
	PF        float64 `name:"pf"`
}

func (in *in) Complete(ctx context.Context) (err error) {
	in.circuit, err = circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase, PF: &in.PF, Voltage: "volts"}.Complete(ctx)
	return err
}

var engine = sdk.New(sdk.Spec{
	Capability: "test.circuit.tabs", Version: "1.0.0", Tool: "tabs", Group: "test", Title: "Tabs", Summary: "What tabs mean.",
	Errors: []string{circuit.PowerFactorOutOfRange}, Warnings: []string{circuit.PowerFactorIgnored},
}, func(ctx context.Context, in in) (out, error) {
	pf, err := in.circuit.PowerFactor(ctx, in.PF)
	return out{in.circuit.Name(), float64(in.circuit.SquareOfK()), pf}, err
})

func ask(t *testing.T, kind, phase string, pf value.Value) (sdk.Outcome, error) {
	t.Helper()
	values := value.Values{value.TextOf(kind), {}, pf}
	if phase != "" {
		values[1] = value.TextOf(phase)
	}
	return engine.Calculate(t.Context(), values)
}

func TestWhatTabsMean(t *testing.T) {
	const (
		assumed  = "line-to-line voltage assumed"
		balanced = "The three-phase system is balanced and sinusoidal."
	)
	for _, c := range []struct {
		kind, phase string
		name        string
		squareOfK   float64
		echo        string // of phase
		assumptions []string
	}{
		{"dc", "", "dc", 1, "", nil},
		{"dc", "line_to_line", "dc", 1, "line_to_line", nil},
		{"ac_single_phase", "", "single_phase", 1, "", nil},
		{"ac_single_phase", "line_to_neutral", "single_phase", 1, "line_to_neutral", nil},
		{"ac_single_phase", "single", "single_phase", 1, "single", nil},
		{"ac", "single", "single_phase", 1, "single", nil},
		{"ac_three_phase", "", "line_to_line", 3, "line_to_line", []string{assumed, balanced}},
		{"ac_three_phase", "three", "line_to_line", 3, "three", []string{assumed, balanced}},
		{"ac", "three", "line_to_line", 3, "three", []string{assumed, balanced}},
		{"ac_three_phase", "line_to_line", "line_to_line", 3, "line_to_line", []string{"volts is the line-to-line voltage.", balanced}},
		{"ac_three_phase", "line_to_neutral", "line_to_neutral", 9, "line_to_neutral", []string{"volts is the line-to-neutral voltage.", balanced}},
	} {
		pf := value.Value{}
		if c.kind != "dc" {
			pf = value.NumberOf(0.5)
		}
		o, err := ask(t, c.kind, c.phase, pf)
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, c.phase, err)
			continue
		}
		if o.Result[0].Text() != c.name || o.Result[1].Number() != c.squareOfK {
			t.Errorf("%s %s is %s, k^2 = %v, want %s, %v", c.kind, c.phase, o.Result[0].Text(), o.Result[1].Number(), c.name, c.squareOfK)
		}
		if o.Inputs[1].Text() != c.echo || !slices.Equal(o.Assumptions, c.assumptions) {
			t.Errorf("%s %s: phase %q, assumptions %q, want %q, %q", c.kind, c.phase, o.Inputs[1].Text(), o.Assumptions, c.echo, c.assumptions)
		}
	}
}

func TestTabsThatContradict(t *testing.T) {
	for _, c := range []struct{ kind, phase, code string }{
		{"ac", "", sdk.CodeMissingRequiredInput},
		{"ac", "line_to_line", sdk.CodeMissingRequiredInput},
		{"dc", "single", sdk.CodeConflictingInputs},
		{"dc", "three", sdk.CodeConflictingInputs},
		{"ac_single_phase", "three", sdk.CodeConflictingInputs},
		{"ac_three_phase", "single", sdk.CodeConflictingInputs},
	} {
		_, err := ask(t, c.kind, c.phase, value.Value{})
		if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != c.code || rejection.Field != "phase" || rejection.Suggestion == "" {
			t.Errorf("%s %s: %v, want %s (phase)", c.kind, c.phase, err, c.code)
		}
	}
}

func TestPowerFactors(t *testing.T) {
	for _, c := range []struct {
		kind    string
		sent    value.Value
		want    float64 // 0: rejected
		echo    value.Value
		ignored bool
	}{
		{"dc", value.Value{}, 1, value.Value{}, false},
		{"dc", value.NumberOf(0.5), 1, value.NumberOf(0.5), true},
		{"dc", value.NumberOf(-7), 1, value.NumberOf(-7), true},
		{"ac_single_phase", value.Value{}, 1, value.NumberOf(1), false},
		{"ac_single_phase", value.NumberOf(0.5), 0.5, value.NumberOf(0.5), false},
		{"ac_single_phase", value.NumberOf(1), 1, value.NumberOf(1), false},
		{"ac_single_phase", value.NumberOf(0), 0, value.Value{}, false},
		{"ac_single_phase", value.NumberOf(-0.1), 0, value.Value{}, false},
		{"ac_single_phase", value.NumberOf(1.01), 0, value.Value{}, false},
	} {
		o, err := ask(t, c.kind, "", c.sent)
		if c.want == 0 {
			if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != circuit.PowerFactorOutOfRange || rejection.Field != "pf" || rejection.Suggestion == "" {
				t.Errorf("%s, pf %v: %v", c.kind, c.sent.Number(), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, pf %v: %v", c.kind, c.sent.Number(), err)
			continue
		}
		ignored := len(o.Warnings) == 1 && o.Warnings[0].Code == circuit.PowerFactorIgnored
		if o.Result[2].Number() != c.want || !o.Inputs[2].Equal(c.echo) || ignored != c.ignored {
			t.Errorf("%s, pf %v: %v, echo %v, warnings %v", c.kind, c.sent.Number(), o.Result[2].Number(), o.Inputs[2].Number(), o.Warnings)
		}
		if assumed := slices.Contains(o.Assumptions, "power factor 1 assumed"); assumed != (c.kind != "dc" && c.sent.Kind() == value.Absent) {
			t.Errorf("%s, pf %v: assumptions %q", c.kind, c.sent.Number(), o.Assumptions)
		}
	}
}

func TestNoVoltageNoPhase(t *testing.T) {
	var phase *string
	c, err := circuit.Tabs{Circuit: circuit.ThreePhase, Phase: &phase}.Complete(t.Context())
	if err != nil || phase != nil || c.Kind != circuit.ThreePhase || c.ToNeutral {
		t.Errorf("%+v, phase %v, error %v", c, phase, err)
	}
}
