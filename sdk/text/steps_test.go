package text

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

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
	several, err := boundSteps(t, manySteps(20), beamDeflection).Calculate(t.Context(), numbersOf(0, 30, 2e11, 1e-5))
	if err != nil || len(several.Warnings) != 1 || several.Warnings[0].Detail != "Steps s_0, s_1, s_2, s_3 and 16 more, Deflection of a beam: A beam of 30 m is long." {
		t.Errorf("warnings %+v, %v", several.Warnings, err)
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

const inner = `# Half of a beam

The deflection of half a beam.

- id: test.beam.half
- version: 1.0.0
- keywords: half
- use beam: test.beam.deflection@1.0.0

## Inputs

| symbol | name | unit | doc         |
| ------ | ---- | ---- | ----------- |
| L      | span | m    | The length. |

## Formula

` + "```formula" + `
b = beam(load={1 N/m}, length=L/2, inertia={1e-5 m4})
d = b.deflection
` + "```" + `

## Outputs

| symbol | name       | unit | doc             | headline |
| ------ | ---------- | ---- | --------------- | -------- |
| d      | deflection | m    | The deflection. | yes      |

## References

- Handbook: page 3

## Vectors

` + "```vectors" + `
V1: hand: 5*2^4/(384*2.1e11*1e-5)
  L = 4 m
  => deflection = 9.920635e-8 m
` + "```" + `
`

// Each mistake of a step has its place, and its message a remedy.
func TestStepsRefused(t *testing.T) {
	const of = "a = beam(load=q, length=L, modulus=E, inertia=I)"
	for _, c := range []struct{ name, old, new, want string }{
		{"wrong dimension", of, "a = beam(load=q*L, length=L, modulus=E, inertia=I)", ":22:16: load of beam is in N/m, and this is in N"},
		{"no unit", of, "a = beam(load=5, length=L, modulus=E, inertia=I)", ":22:15: load of beam is in N/m, and this is a number without a unit"},
		{"word for a number", of, `a = beam(load="x", length=L, modulus=E, inertia=I)`, "load of beam is in N/m, and this is a word"},
		{"number for a word", of, "a = beam(load=q, length=L, modulus=E, inertia=I, grade=1)", "grade of beam is a word, and this is a number without a unit"},
		{"word that the input lacks", of, `a = beam(load=q, length=L, modulus=E, inertia=I, grade="S236")`, `"S236" is not a value of grade: is it S235?`},
		{"list for a number", of, "a = beam(load=q, length=v, modulus=E, inertia=I)\nv[i in 1..2] = L", "v is used above its definition"},
		{"missing input", of, "a = beam(load=q, modulus=E, inertia=I)", ":22:5: the input length of beam is missing"},
		{"unknown input", of, "a = beam(load=q, lenght=L, modulus=E, inertia=I)", ":22:25: beam has no input lenght: is it length?"},
		{"symbol for a name", of, "a = beam(w=q, length=L, modulus=E, inertia=I)", ":22:12: beam has no input w"},
		{"argument twice", of, "a = beam(load=q, load=q, length=L, inertia=I)", ":22:18: \"load\" is an argument twice"},
		{"argument without a name", of, "a = beam(load=q, L, modulus=E, inertia=I)", `"=" is missing before`},
		{"no names", of, "a = beam(q, L)", ":22:5: the arguments of beam have names: write beam(length=L)"},
		{"absent output", "ratio = a.deflection/L", "ratio = a.deflexion/L", ":26:10: the record has no field deflexion"},
		{"dimension of an output", "ratio = a.deflection/L", "ratio = a.moment/L", "ratio"},
		{"part of an expression", "ratio = a.deflection/L", "ratio = beam(load=q, length=L, modulus=E, inertia=I).deflection/L", "is part of an expression: write beam_1 = beam(...) in a line of its own"},
		{"in a function", "ratio = a.deflection/L", "f(x) = beam(load=q, length=x, modulus=E, inertia=I)\nc = f(L)\nratio = c.deflection/L", "is part of an expression"},
		{"in a list", "ratio = a.deflection/L", "v[i in 1..2] = beam(load=q, length=L, modulus=E, inertia=I)\nratio = v[1].deflection/L", "is part of an expression"},
		{"two calculations of one step", of, of + " if L > {1 m}\na = half(span=L) otherwise", "a has another calculation in the case above"},
		{"no calculation", of, "a = beams(load=q, length=L, modulus=E, inertia=I)", "the head names no calculation beams"},
		{"unused", of + "\n", of + "\nc = beam(load=q, length=L, inertia=I)\n", "c is used by nothing"},
		{"name of an input", "- use beam:", "- use q:", "the head names no calculation beam"},
		{"name of a definition", "- use beam:", "- use a:", "the head names no calculation beam"},
		{"wrong digest", "@1.0.0 DIGEST", "@1.0.0 sha256:" + strings.Repeat("0", 64), ":8:40: test.beam.deflection 1.0.0 next to the document has another digest, sha256:"},
		{"no digest", " DIGEST", "", ":8:34: the digest of test.beam.deflection 1.0.0 is missing: run slipstick fmt"},
		{"version that the file lacks", "@1.0.0 DIGEST", "@1.1.0 DIGEST", ":8:13: the file of what the document uses has no test.beam.deflection 1.1.0"},
		{"table", "test.beam.deflection@", "data.beam.deflection@", ":8:13: the id of a calculation has three parts in small letters"},
		{"two versions", " DIGEST\n", " DIGEST\n- use other: test.beam.deflection@2.0.0\n", "test.beam.deflection is used as 1.0.0 and as 2.0.0: use one version"},
		{"itself", " DIGEST\n", " DIGEST\n- use other: test.beam.chain@1.0.0\n", "the document uses itself"},
		{"one name for two", " DIGEST\n", " DIGEST\n- from beam: data.sections.some@1.0.0\n", "beam is the name of test.beam.deflection already"},
		{"not used", " DIGEST\n", " DIGEST\n- use half: test.beam.half@1.0.0 HALF\n", "half is used by nothing"},
		{"more than the head names", "- use beam: test.beam.deflection@1.0.0 DIGEST\n", "", "the document uses no table and no calculation, and has a file of them"},
	} {
		changed := strings.Replace(chain, c.old, c.new, 1)
		if changed == chain {
			t.Fatalf("%s: nothing is changed", c.name)
		}
		both := withSteps(t, strings.Replace(chain, " DIGEST\n", " DIGEST\n- use half: test.beam.half@1.0.0\n", 1), beamDeflection, withDigests(t, inner, beamDeflection))
		closure, err := ReadClosure(both.Closure)
		if err != nil {
			t.Fatal(err)
		}
		changed = strings.ReplaceAll(changed, "DIGEST", closure.Documents[0].Digest())
		changed = strings.ReplaceAll(changed, "HALF", closure.Documents[1].Digest())
		if !strings.Contains(c.new, "half(") && !strings.Contains(changed, "test.beam.half") {
			closure.Documents = closure.Documents[:1]
		}
		if strings.Contains(c.new, "half(") {
			changed = strings.Replace(changed, "\n- use beam", "\n- use half: test.beam.half@1.0.0 "+closure.Documents[1].Digest()+"\n- use beam", 1)
		}
		bytes, err := closure.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		_, err = BindWith("t.calc.md", &enginefile.Text{Document: []byte(changed), Closure: bytes})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.calc.md:") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// withDigests pins a document, and returns its text.
func withDigests(t *testing.T, document string, published ...string) string {
	t.Helper()
	return string(withSteps(t, document, published...).Document)
}

// A chain has at most 4 calculations, and a document at most 32 steps with the steps within them.
func TestStepLimits(t *testing.T) {
	published := []string{beamDeflection}
	name := func(n int) string { return "test.beam.level_" + string(rune('a'+n)) }
	for n := range sdk.MaxNest + 1 {
		below, call := "test.beam.deflection", "b = beam(load={1 N/m}, length=L/2, inertia={1e-5 m4})"
		if n > 0 {
			below, call = name(n-1), "b = beam(span=L)"
		}
		level := strings.NewReplacer("test.beam.deflection", below, "test.beam.half", name(n), "b = beam(load={1 N/m}, length=L/2, inertia={1e-5 m4})", call).Replace(inner)
		if n == sdk.MaxNest {
			from := &Closure{}
			for _, p := range published {
				d, err := Parse("p", []byte(p))
				if err != nil {
					t.Fatal(err)
				}
				from.Documents = append(from.Documents, Source{d.ID.Text, d.Version.Text, p})
			}
			_, _, err := Pin("t.calc.md", []byte(level), from)
			if err == nil || !strings.Contains(err.Error(), "t.calc.md:8:13: more than 4 calculations call one another") {
				t.Errorf("level %d: %v", n, err)
			}
			break
		}
		e := boundSteps(t, level, published...)
		o, err := e.Calculate(t.Context(), numbersOf(4))
		if err != nil || math.Abs(o.Result[0].Number()/9.92063492063492e-8-1) > 1e-12 {
			t.Errorf("level %d: %v, %v", n, o.Result, err)
		}
		published = append(published, withDigests(t, level, published...))
	}
	for _, steps := range []int{32, 33} {
		var lines, sum []string
		for i := range steps {
			s := string(rune('a'+i/26)) + string(rune('a'+i%26))
			lines, sum = append(lines, s+"_s = beam(load=q, length=L, modulus=E, inertia=I)"), append(sum, s+"_s.deflection")
		}
		more := strings.Join(lines[2:], "\n") + "\nmany = " + strings.Join(sum[2:], " + ") + "\n"
		many := strings.NewReplacer("total = a.deflection + b", more+"total = a.deflection + b", "total = a.deflection otherwise", "total = many otherwise").Replace(chain)
		source := withSteps(t, many, beamDeflection)
		_, err := BindWith("t.calc.md", source)
		if (err != nil) != (steps > 32) {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
}

// manySteps returns a document of so many steps, and each one uses the one above.
func manySteps(n int) string {
	var lines []string
	last := "L"
	for i := range n {
		lines = append(lines, fmt.Sprintf("s_%d = beam(load=q, length=%s, modulus=E, inertia=I)", i, last))
		last = fmt.Sprintf("(L + s_%d.deflection)", i)
	}
	more := strings.Join(lines, "\n") + "\nmany = " + strings.Trim(last, "()") + " - L\n"
	return strings.NewReplacer("b = beam(load=2*q, length=L/2, modulus=E - {1 Pa}*0, inertia=I) if q > {0 N/m}\n", "", "total = a.deflection + b.deflection if q > {0 N/m}\n", more,
		"total = a.deflection otherwise", "total = many", "a = beam(load=q, length=L, modulus=E, inertia=I)\n", "", "ratio = a.", "ratio = s_0.").Replace(chain)
}

func BenchmarkSteps(b *testing.B) {
	for _, n := range []int{1, 5, 20} {
		d, err := Parse("p", []byte(beamDeflection))
		if err != nil {
			b.Fatal(err)
		}
		pinned, closure, err := Pin("t.calc.md", []byte(strings.ReplaceAll(manySteps(n), " DIGEST", "")), &Closure{Documents: []Source{{d.ID.Text, d.Version.Text, beamDeflection}}})
		if err != nil {
			b.Fatal(err)
		}
		e, err := BindWith("t.calc.md", &enginefile.Text{Document: pinned, Closure: closure})
		if err != nil {
			b.Fatal(err)
		}
		in := numbersOf(1000, 4, 2.1e11, 1e-5)
		if !e.Fast(in) {
			b.Error("the fast path leaves something open")
		}
		b.Run(fmt.Sprintf("steps=%d", n), func(b *testing.B) {
			calculate := e.Repeat()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				in[0] = value.NumberOf(1000 + float64(i&1023))
				if _, err := calculate(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One limit of work counts all steps: 30 calls that each fit are too many together.
func TestStepsShareWork(t *testing.T) {
	in := numbersOf(1001, 4, 2.1e11, 1e-5)
	for n, want := range map[int]bool{1: true, 30: false} {
		e := boundSteps(t, manySteps(n), heavyBeam())
		_, err := e.Calculate(t.Context(), in)
		rejection, ok := errors.AsType[*sdk.Error](err)
		if (err == nil) != want || !want && (!ok || !strings.Contains(rejection.Detail, "takes more work than is allowed")) {
			t.Errorf("%d steps: %v", n, err)
		}
	}
}

// A request that takes too much work is refused, also if an earlier one computed a part of it.
func TestRepeatedStepsTakeWork(t *testing.T) {
	both := strings.NewReplacer("a = beam(load=q, length=L, modulus=E,", "a = beam(load=q, length=L,", "if q > {0 N/m}", "if E > {1 Pa}").Replace(chain)
	calculate := boundSteps(t, both, heavyBeam()).Repeat()
	for _, modulus := range []float64{1, 2.1e11, 1, 2.1e11} { // 1 Pa: only the first step
		_, err := calculate(t.Context(), numbersOf(1001, 4, modulus, 1e-5))
		rejection, ok := errors.AsType[*sdk.Error](err)
		if isRefused := ok && strings.Contains(rejection.Detail, "takes more work than is allowed"); isRefused != (modulus > 1) {
			t.Errorf("modulus %v: %v", modulus, err)
		}
	}
}

// heavyBeam returns the beam with a moment that takes more than half of the work of a request.
func heavyBeam() string {
	var sums []string
	for k := range 16 {
		sums = append(sums, fmt.Sprintf("f(%d)", k))
	}
	return strings.Replace(beamDeflection, "M = w*L^2/8", "f(k) = sum(i in 1..1000: sqrt(i*w/{1 N/m} + k))\nM = w*L^2/8*("+strings.Join(sums, " + ")+")", 1)
}

// The largest closures need at most 64 MiB.
func TestClosureMemory(t *testing.T) {
	long := func(n int) string {
		var lines []string
		for i := range 240 {
			lines = append(lines, fmt.Sprintf("x_%d = w*L^2/8*%d.5", i, i))
		}
		sum := ""
		for i := range 240 {
			sum += fmt.Sprintf(" + x_%d", i)
		}
		document := strings.Replace(beamDeflection, "M = w*L^2/8", strings.Join(lines, "\n")+"\nM ="+strings.TrimPrefix(sum, " +"), 1)
		document = strings.Replace(document, "## Vectors", "## Notes\n\n"+strings.Repeat("A long note about the calculation.\n", 1000)+"\n## Vectors", 1)
		return strings.Replace(document, "test.beam.deflection", fmt.Sprintf("test.beam.number_%d", n), 1)
	}
	var published, head, lines []string
	size := 0
	for n := 0; size+len(long(n)) < enginefile.MaxClosure*8/10; n++ { // JSON needs more bytes
		published = append(published, long(n))
		head = append(head, fmt.Sprintf("- use beam_%d: test.beam.number_%d@1.0.0", n, n))
		lines = append(lines, fmt.Sprintf("s_%d = beam_%d(load=q, length=L, modulus=E, inertia=I)", n, n))
		size += len(long(n))
	}
	document := strings.NewReplacer("- use beam: test.beam.deflection@1.0.0 DIGEST", strings.Join(head, "\n"), "a = beam(", strings.Join(lines, "\n")+"\na = beam_0(", "b = beam(", "b = beam_0(",
		"ratio = a.deflection/L", "ratio = (s_"+strings.Join(strings.Split(strings.Trim(fmt.Sprint(numbers(len(head))), "[]"), " "), ".deflection + s_")+".deflection)/L").Replace(chain)
	source := withSteps(t, document, published...)
	if len(source.Closure) > enginefile.MaxClosure || len(source.Closure) < enginefile.MaxClosure/2 {
		t.Fatalf("the closure has %d bytes", len(source.Closure))
	}
	peak, done := peakMemory()
	e, err := BindWith("t.calc.md", source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Calculate(t.Context(), numbersOf(1, 4, 2.1e11, 1e-5)); err != nil {
		t.Fatal(err)
	}
	done()
	t.Logf("a closure of %d documents and %d bytes: at most %d MiB", len(head), len(source.Closure), peak()>>20)
	if peak() > 64<<20 {
		t.Errorf("%d MiB", peak()>>20)
	}
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// peakMemory measures how much the heap grows until done is called. It looks once in a millisecond, because each look
// stops all goroutines.
func peakMemory() (peak func() uint64, done func()) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most, stop, stopped := m.HeapAlloc, uint64(0), make(chan bool), make(chan bool)
	go func() { // shares nothing with what is measured
		defer close(stopped)
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc-min(m.HeapAlloc, before))
			select {
			case <-stop:
				return
			case <-look.C:
			}
		}
	}()
	return func() uint64 { return most }, func() { close(stop); <-stopped }
}

// Notes of steps beyond what an answer can have are counted.
func TestNotesOfSteps(t *testing.T) {
	var list []note
	for i := range 40 {
		n := note{[]string{"s"}, "T", sdk.Warning{Code: "A", Severity: sdk.Info, Detail: fmt.Sprint(i)}}
		if i == 39 {
			n.Severity = sdk.Critical
		}
		list = with(list, n)
	}
	got := atMost(list, 32, "warnings")
	if last := got[31]; len(got) != 32 || last.text() != "Steps have 9 more warnings: calculate each step alone to see them." || last.Severity != sdk.Critical {
		t.Errorf("%d notes, the last %+v", len(got), last)
	}
	if got := atMost(list[:5], 0, "warnings"); len(got) != 0 {
		t.Errorf("%d notes", len(got))
	}
}

const kinds = `# Kinds of quantities

A cost that depends on quantities of all kinds.

- id: test.kinds.cost
- version: 1.0.0
- keywords: kinds

## Inputs

| symbol | name     | unit                                   | doc                     |
| ------ | -------- | -------------------------------------- | ----------------------- |
| T      | hot      | degC                                   | A temperature.          |
| dT     | rise     | K difference                           | A rise of temperature.  |
| phi    | angle    | deg                                    | An angle.               |
| c      | price    | money                                  | A price.                |
| dir    | way      | one of power, current                  | What the amount is.     |
| x      | amount   | number by way: kVA if power, A if current | An amount.           |
| v      | lengths  | list of m                              | Lengths.                |

## Formula

` + "```formula" + `
cost = c*(1 + dT/{1 K})*sin(phi)*x*sum(one in v: one)/{1 m}*((T - {0 degC})/{1 K})
warm = T + dT
` + "```" + `

## Outputs

| symbol | name | unit  | doc        | headline |
| ------ | ---- | ----- | ---------- | -------- |
| cost   | cost | money | The cost.  | yes      |
| warm   | warm | degC  | The warm.  |          |

## References

- Handbook: page 4

## Vectors

` + "```vectors" + `
V1: hand: nothing
  T = 1 degC, dT = 1 K, phi = 30 deg, c = 2, dir = power, x = 3, v = [1 m]
  => cost == 6
` + "```" + `
`

const wires = `# Wires of all kinds

A call with quantities of all kinds.

- id: test.kinds.wires
- version: 1.0.0
- keywords: wires
- use cost: test.kinds.cost@1.0.0

## Inputs

| symbol | name     | unit                                   | doc                     |
| ------ | -------- | -------------------------------------- | ----------------------- |
| T      | hot      | degC                                   | A temperature.          |
| dT     | rise     | K difference                           | A rise of temperature.  |
| phi    | angle    | deg                                    | An angle.               |
| c      | price    | money                                  | A price.                |
| dir    | way      | one of power, current                  | What the amount is.     |
| x      | amount   | number by way: kVA if power, A if current | An amount.           |
| v      | lengths  | list of m                              | Lengths.                |
| t      | times    | list of s                              | Times.                  |
| n      | number   |                                        | A number.               |
| i      | current  | A                                      | A current.              |

## Formula

` + "```formula" + `
k = cost(hot=T, rise=dT, angle=phi, price=c, way=dir, amount=x, lengths=v)
total = k.cost*n + c*count(t) + c*i/{1 A}
warm = k.warm
` + "```" + `

## Outputs

| symbol | name  | unit  | doc       | headline |
| ------ | ----- | ----- | --------- | -------- |
| total  | total | money | The cost. | yes      |
| warm   | warm  | degC  | The warm. |          |

## References

- Handbook: page 5

## Vectors

` + "```vectors" + `
V1: hand: nothing
  T = 1 degC, dT = 1 K, phi = 30 deg, c = 2, dir = power, x = 3, v = [1 m], t = [1 s], n = 1, i = 1 A
  => total == 10
` + "```" + `
`

// Wires have the kind of their input: points and differences of temperature, angles, money, lists, and numbers whose unit
// depends on an input.
func TestWires(t *testing.T) {
	in := value.Values{
		value.NumberOf(274.15), value.NumberOf(1), value.NumberOf(math.Pi / 6), value.NumberOf(2), value.TextOf("power"), value.NumberOf(3),
		value.ListOf(value.NumberOf(1)), value.ListOf(value.NumberOf(1)), value.NumberOf(1), value.NumberOf(1),
	}
	e := boundSteps(t, wires, kinds)
	o, err := e.Calculate(t.Context(), in)
	if err != nil || math.Abs(o.Result[0].Number()-10) > 1e-14 || o.Result[1].Number() != 275.15 || !e.Fast(in) {
		t.Errorf("%v, %v", o.Result, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"rise=dT", "rise=T", ":28:22: rise of cost is in K, and this is a point on a scale of temperature"},
		{"hot=T", "hot=dT", "hot of cost is a point on a scale of temperature, and this is in K"},
		{"hot=T", "hot={20 K}", "hot of cost is a point on a scale of temperature, and this is in K"},
		{"angle=phi", "angle=v[1]", "angle of cost is a number without a unit, and this is in m"},
		{"angle=phi", "angle=n", "angle of cost is an angle, and this is a number without a unit"},
		{"angle=phi", "angle=30", "angle of cost is an angle, and this is a number without a unit"},
		{"amount=x", "amount=phi", "amount of cost is a number without a unit, and this is an angle"},
		{"way=dir", `way="current"`, "the unit of amount of cost depends on way: give both from one input and its choice"},
		{"amount=x", "amount=n", "the unit of amount of cost depends on way"},
		{"angle=phi", "angle=i", "angle of cost is a number without a unit, and this is in A"},
		{"price=c", "price=n", "price of cost is in money, and this is a number without a unit"},
		{"price=c", "price=i", "price of cost is in money, and this is in A"},
		{"amount=x", "amount=c", "amount of cost is a number without a unit, and this is in money"},
		{"amount=x", "amount=i", "amount of cost is a number without a unit, and this is in A"},
		{"way=dir", "way=\"voltage\"", `"voltage" is not a value of way`},
		{"lengths=v", "lengths=t", "the items of lengths are in m, and these are in s"},
		{"lengths=v", "lengths=v[1]", "lengths of cost is a list, and this is in m"},
		{"total = k.cost*n", "total = k.warm", "only a number of kelvins is added to a point"},
		{"warm = k.warm", "warm = k.cost", "warm"},
	} {
		changed := strings.Replace(wires, c.old, c.new, 1)
		if changed == wires {
			t.Fatalf("%s: nothing is changed", c.new)
		}
		_, err := BindWith("t.calc.md", withSteps(t, changed, kinds))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}
