package text

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/value"
)

const beamDeflection = `# Deflection of a beam

The deflection of a simply supported beam under a uniform load.

- id: test.beam.deflection
- version: 1.0.0
- keywords: beam

## Inputs

| symbol | name      | unit | range | default | doc                       |
| ------ | --------- | ---- | ----- | ------- | ------------------------- |
| w      | load      | N/m  |       |         | The load on each metre.   |
| L      | length    | m    | (0,)  |         | The length.               |
| E      | modulus   | Pa   | (0,)  | 2.1e11 Pa | The elastic modulus.      |
| I      | inertia   | m4   | (0,)  |         | The second moment.        |
| kind   | grade     | one of S235, S355 | | S235 | The grade.                |

## Formula

` + "```formula" + `
delta = 5*w*L^4/(384*E*I)
M = w*L^2/8
` + "```" + `

## Outputs

| symbol | name       | unit | doc             | headline |
| ------ | ---------- | ---- | --------------- | -------- |
| delta  | deflection | m    | The deflection. | yes      |
| M      | moment     | N m  | The moment.     |          |
| kind   | grade      | one of S235, S355 | The grade. |    |

## Checks

` + "```checks" + `
warn caution LONG_BEAM if L > {20 m}
  A beam of {L in m} is long.
  > Use a truss.
reject TOO_STIFF at modulus if E > {1e13 Pa}
  No material has {E in GPa}.
  > Give another modulus.
assume if w == {0 N/m}
  Without a load.
` + "```" + `

## Assumptions

- The beam is slender.

## References

- Handbook: page 1

## Vectors

` + "```vectors" + `
V1: hand: 5*1000*4^4/(384*2.1e11*1e-5)
  w = 1000 N/m, L = 4 m, I = 1e-5 m4
  => delta == 0.00158730158730158730 m
` + "```" + `
`

const chain = `# Two beams

The deflection of a beam, and of a second one that it carries.

- id: test.beam.chain
- version: 1.0.0
- keywords: chain
- use beam: test.beam.deflection@1.0.0 DIGEST

## Inputs

| symbol | name    | unit | range | doc                     |
| ------ | ------- | ---- | ----- | ----------------------- |
| q      | load    | N/m  |       | The load on each metre. |
| L      | span    | m    |       | The length.             |
| E      | modulus | Pa   |       | The elastic modulus.    |
| I      | inertia | m4   |       | The second moment.      |

## Formula

` + "```formula" + `
a = beam(load=q, length=L, modulus=E, inertia=I)
b = beam(load=2*q, length=L/2, modulus=E - {1 Pa}*0, inertia=I) if q > {0 N/m}
total = a.deflection + b.deflection if q > {0 N/m}
total = a.deflection otherwise
ratio = a.deflection/L
` + "```" + `

## Outputs

| symbol | name  | unit | doc                  | headline |
| ------ | ----- | ---- | -------------------- | -------- |
| total  | total | m    | Both together.       | yes      |
| ratio  | ratio |      | Part of the length.  |          |

## References

- Handbook: page 2

## Vectors

` + "```vectors" + `
V1: hand: as V1 of the beam
  q = 1000 N/m, L = 4 m, E = 2.1e11 Pa, I = 1e-5 m4
  => total = 0.00178571 m
` + "```" + `
`

// withSteps pins documents that use the published ones.
func withSteps(t *testing.T, document string, published ...string) *enginefile.Text {
	t.Helper()
	from := new(Closure)
	for _, p := range published {
		d, err := Parse("published", []byte(p))
		if err != nil {
			t.Fatal(err)
		}
		from.Documents = append(from.Documents, Source{d.ID.Text, d.Version.Text, p})
	}
	pinned, closure, err := Pin("t.calc.md", []byte(strings.ReplaceAll(document, " DIGEST", "")), from)
	if err != nil {
		t.Fatal(err)
	}
	return &enginefile.Text{Document: pinned, Closure: closure}
}

func boundSteps(t *testing.T, document string, published ...string) *Engine {
	t.Helper()
	e, err := BindWith("t.calc.md", withSteps(t, document, published...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func numbersOf(list ...float64) (in value.Values) {
	for _, x := range list {
		in = append(in, value.NumberOf(x))
	}
	return in
}

// A step gives the bits that the calculation gives alone, on the fast path and by the exact evaluator.
func TestSteps(t *testing.T) {
	alone, err := Bind("beam.calc.md", []byte(beamDeflection))
	if err != nil {
		t.Fatal(err)
	}
	e := boundSteps(t, chain, beamDeflection)
	spec := e.Spec()
	published, err := BindPublished(&spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ q, L, E, I float64 }{{1000, 4, 2.1e11, 1e-5}, {0.1, 30, 0.7e11, 3e-7}, {-5, 1e-3, 1, 1}, {0, 3, 2e11, 1e-4}} {
		in := numbersOf(c.q, c.L, c.E, c.I)
		o, err := e.Calculate(t.Context(), in)
		if err != nil || !e.Fast(in) {
			t.Fatalf("%v: %v, fast %v", c, err, e.Fast(in))
		}
		steps, err := published.Steps(t.Context(), in)
		wantSteps := 1
		if c.q > 0 {
			wantSteps = 2
		}
		if err != nil || len(steps) != wantSteps {
			t.Fatalf("%v: %d steps, %v", c, len(steps), err)
		}
		sum := 0.0
		for _, s := range steps {
			want, err := alone.Calculate(t.Context(), s.Inputs)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Result {
				if !want.Result[i].Equal(s.Outcome.Result[i]) {
					t.Errorf("%v, step %s: %v alone, %v in the chain", c, s.Name, want.Result[i], s.Outcome.Result[i])
				}
			}
			sum += want.Result[0].Number()
		}
		if got := o.Result[0].Number(); math.Abs(got-sum) > 1e-15*math.Abs(sum) {
			t.Errorf("%v: %v, want %v", c, got, sum)
		}
		if !e.compareExact(t, "chain", in) {
			t.Errorf("%v: the fast path leaves something open", c)
		}
	}
}

// Warnings and assumptions of steps are in the answer with their step. A rejection has the code of the step if callers
// sent the value.
func TestStepNotes(t *testing.T) {
	e := boundSteps(t, chain, beamDeflection)
	o, err := e.Calculate(t.Context(), numbersOf(0, 30, 2e11, 1e-5))
	if err != nil || len(o.Warnings) != 1 || o.Warnings[0].Code != "LONG_BEAM" || o.Warnings[0].Detail != "Step a, Deflection of a beam: A beam of 30 m is long." {
		t.Errorf("warnings %+v, %v", o.Warnings, err)
	}
	if len(o.Assumptions) != 1 || o.Assumptions[0] != "Step a, Deflection of a beam: Without a load." {
		t.Errorf("assumptions %v", o.Assumptions)
	}
	spec := e.Spec()
	if len(spec.Assumptions) != 1 || spec.Assumptions[0] != "Deflection of a beam: The beam is slender." {
		t.Errorf("assumptions %v", spec.Assumptions)
	}
	if err := spec.CheckOutcome(numbersOf(0, 30, 2e11, 1e-5), o); err != nil {
		t.Error(err)
	}
	short := boundSteps(t, strings.Replace(chain, "length=L/2", "length=L/2 - {5 m}", 1), beamDeflection)
	for _, c := range []struct {
		name              string
		in                value.Values
		code, field, want string
	}{
		{"an input", numbersOf(1, 1, 1e14, 1), "TOO_STIFF", "modulus", "step a, Deflection of a beam: No material has 100000 GPa."},
		{"a range", numbersOf(1, -1, 1e9, 1), "LENGTH_MUST_BE_POSITIVE", "span", "step a, Deflection of a beam: length is -1"},
		{"a computed value", numbersOf(1, 4, 1e9, 1), sdk.CodeStepRejected, "span", "step b, Deflection of a beam 1.0.0, rejects its inputs with LENGTH_MUST_BE_POSITIVE: length is -3"},
		{"a result", numbersOf(1e300, 1e10, 1e9, 1), sdk.CodeStepRejected, "", "NON_FINITE_RESULT: deflection"},
	} {
		_, err := short.Calculate(t.Context(), c.in)
		rejection, ok := errors.AsType[*sdk.Error](err)
		if !ok || rejection.Code != c.code || rejection.Field != c.field || !strings.Contains(rejection.Detail, c.want) {
			t.Errorf("%s: %v, want %s at %s: %s", c.name, err, c.code, c.field, c.want)
			continue
		}
		if err := spec.CheckRejection(rejection); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
