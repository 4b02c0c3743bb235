package text

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// The program of each document gives what the exact evaluator gives, at inputs near the vectors.
func TestProgramsAreExact(t *testing.T) {
	files, err := filepath.Glob("../../plugins/*/*/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	own, err := filepath.Glob("testdata/*.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	slow, asked, decided := 0, 0, 0
	for _, file := range append(own, files...) {
		source, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := BindWith(file, source)
		if err != nil {
			t.Fatal(err)
		}
		if !e.fast {
			slow++
			t.Logf("%s has no fast path", file)
			continue
		}
		for i := range e.vectors {
			in, ok := e.read(&e.vectors[i])
			if !ok {
				continue
			}
			for range 5 {
				asked++
				if e.compareExact(t, file, in) {
					decided++
				}
				in = varied(random, in)
			}
		}
	}
	t.Logf("%d of %d requests are decided on the fast path; %d documents have none", decided, asked, slow)
	if decided < asked/2 || slow > 3 {
		t.Errorf("the fast path decides %d of %d requests; %d documents have none", decided, asked, slow)
	}
}

// read returns the inputs of a vector, if they can be read.
func (e *Engine) read(v *boundVector) (value.Values, bool) {
	document, err := json.Marshal(e.inputsOf(v))
	if err != nil {
		return nil, false
	}
	inputs, err := strictjson.ParseObject(document)
	if err != nil {
		return nil, false
	}
	in, _, err := request.Read(&e.spec, inputs)
	return in, err == nil
}

// compareExact compares the outcomes at some inputs, and reports whether the fast path decided them.
func (e *Engine) compareExact(t *testing.T, file string, in value.Values) bool {
	t.Helper()
	all, evaluation := make([]formula.Outcome, e.count), e.program.Evaluation()
	defer evaluation.Close()
	fast := evaluation.Evaluate(all, in)
	if !fast {
		return false
	}
	r := e.text.Evaluate(e.spec.FormulaInputs(in), nil, func(v *formula.Value) bool { return v.Rounded() })
	for i := range e.results {
		at := e.results[i]
		if at < 0 {
			continue
		}
		v := r.Value(e.document.Outputs[i].Symbol.Text)
		if v.State != formula.Undecided && (v.State != all[at].State || !v.Value().Equal(all[at].Value)) {
			t.Errorf("%s: %s is %v %v on the fast path and %v %v exactly, at %v", file, v.Name, all[at].State, all[at].Value, v.State, v.Value(), in)
		}
	}
	for _, c := range e.checks {
		v := r.Value(c.holds)
		is, _ := v.Bool()
		if v.State != formula.Undecided && (v.State != all[c.outcome].State || is != all[c.outcome].Value.Bool()) {
			t.Errorf("%s: %s differs at %v", file, c.Condition.Text, in)
		}
		for _, h := range slices.Concat(c.text.holes, c.suggestion.holes) {
			if h.of != nil {
				continue
			}
			v, got := r.Value(h.name), evaluation.Later(h.later)
			if v.State != formula.Undecided && got.State != formula.Undecided && (v.State != got.State || !v.Value().Equal(got.Value)) {
				t.Errorf("%s: {%s} is %v %v on the fast path and %v %v exactly, at %v", file, h.at.Text, got.State, got.Value, v.State, v.Value(), in)
			}
		}
	}
	return true
}

// varied changes numbers of inputs.
func varied(random *rand.Rand, in value.Values) value.Values {
	out := make(value.Values, len(in))
	for i, v := range in {
		out[i] = v
		if v.Kind() != value.Number || random.IntN(2) == 0 {
			continue
		}
		x := v.Number()
		switch random.IntN(4) {
		case 0:
			x = math.Nextafter(x, math.Inf(1))
		case 1:
			x *= math.Exp(random.NormFloat64())
		case 2:
			x = -x
		default:
			x = math.Round(x*10) / 10
		}
		if x == math.Trunc(v.Number()) || math.Trunc(v.Number()) != v.Number() {
			out[i] = value.NumberOf(x)
		}
	}
	return out
}
