package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// oracle is the program that computes all capabilities a second time, with other formulas and other arithmetic.
const oracle = "../oracle/oracle.py"

// expectation is a vector with a result. Outcome is the result of the document, and Answer is the result of the oracle.
type expectation struct {
	ID         string             `json:"id"`
	Inputs     json.RawMessage    `json:"inputs"`
	Expected   map[string]any     `json:"expected"`
	Tolerances map[string]float64 `json:"tolerances"`
	Source     string             `json:"source"`

	spec    *sdk.Spec
	outcome sdk.Outcome
	answer  map[string]any
}

// The oracle gives all numbers that vectors expect and that documents compute: to the last printed digit, or to the
// last bit. Documents also compute the vectors with other numbers. The comparison finds each expected number that is
// wrong by one unit of its last digit.
func TestOracle(t *testing.T) {
	python := needOracle(t)
	var vectors []*expectation
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range published(t) {
		found := vectorsOf(t, file, r)
		if len(found) == 0 {
			t.Errorf("%s has no vector with a result", file)
		}
		vectors = append(vectors, found...)
	}
	ask(t, python, vectors)
	numbers := 0
	for _, v := range vectors {
		if strings.HasPrefix(v.Source, "program:") && !strings.HasPrefix(v.Source, "program: plugins/internal/oracle/oracle.py") {
			t.Errorf("%s, %s: the source is a program that is not the oracle: %s", v.spec.Capability, v.ID, v.Source)
		}
		found := v.disagreements()
		for _, m := range found {
			t.Errorf("%s, %s %s: %s", v.spec.Capability, v.ID, v.Inputs, m)
		}
		if len(found) == 0 {
			numbers += v.plant(t)
		}
	}
	t.Logf("%d requests, %d expected numbers", len(vectors), numbers)
}

// needOracle returns a Python interpreter that has the library of the oracle. Debian's comes first, because it has the
// library's fast arithmetic (gmpy2) too, with which the oracle takes a fifth of the time.
func needOracle(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs python3-mpmath, and takes long")
	}
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import mpmath").Run() == nil {
			return python
		}
	}
	t.Skip("python3-mpmath is not installed; scripts/test installs it")
	return ""
}

// vectorsOf returns the vectors of a document that are not rejected, with the results of the document. After each
// vector it returns one with other numbers, which expects nothing.
func vectorsOf(t *testing.T, file string, r *rand.Rand) (vectors []*expectation) {
	_, e := read(t, file)
	var all []*expectation
	err := json.Unmarshal(e.Vectors(), &all)
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	for _, v := range all {
		near := &expectation{ID: "near " + v.ID, Inputs: changed(t, v.Inputs, r)}
		for _, v := range []*expectation{v, near} {
			v.spec = &spec
			if v.calculate(t, e) {
				vectors = append(vectors, v)
			}
		}
	}
	return vectors
}

// calculate sets the outcome of the document. It reports false for a rejection, which TestDocuments compares.
func (v *expectation) calculate(t *testing.T, e *text.Engine) bool {
	inputs, err := strictjson.ParseObject(v.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := request.Read(v.spec, inputs)
	if err == nil {
		v.outcome, err = e.Calculate(t.Context(), in)
	}
	_, rejected := errors.AsType[*sdk.Error](err)
	if err != nil && !rejected {
		t.Fatalf("%s, %s: %v", v.spec.Capability, v.ID, err)
	}
	return err == nil
}

// changed returns inputs with other numbers.
func changed(t *testing.T, inputs json.RawMessage, r *rand.Rand) json.RawMessage {
	var all any
	err := json.Unmarshal(inputs, &all)
	if err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(change(all, r))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// change changes three quarters of the numbers of a value: by a factor, by a little, or by their sign.
func change(x any, r *rand.Rand) any {
	switch x := x.(type) {
	case float64:
		factors := []float64{1, 0.3 + 2*r.Float64(), 1 + 1e-3*r.Float64(), -1}
		y := x * factors[r.IntN(len(factors))]
		if !math.IsInf(y, 0) {
			return y
		}
	case []any:
		for i := range x {
			x[i] = change(x[i], r)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			x[name] = change(x[name], r)
		}
	}
	return x
}

// ask sends all vectors to one process of the oracle.
func ask(t *testing.T, python string, vectors []*expectation) {
	var requests, answers, messages bytes.Buffer
	for _, v := range vectors {
		line, err := json.Marshal(map[string]any{
			"capability": v.spec.Capability, "version": v.spec.Version, "evaluation": v.spec.Evaluation, "inputs": v.Inputs,
		})
		if err != nil {
			t.Fatal(err)
		}
		requests.Write(append(line, '\n'))
	}
	c := exec.CommandContext(t.Context(), python, oracle)
	c.Stdin, c.Stdout, c.Stderr = &requests, &answers, &messages
	err := c.Run()
	if err != nil {
		t.Fatalf("%s: %v\n%s", oracle, err, &messages)
	}
	lines := json.NewDecoder(&answers)
	for _, v := range vectors {
		err := lines.Decode(&v.answer)
		if err != nil {
			t.Fatalf("%s, %s: %v", v.spec.Capability, v.ID, err)
		}
	}
}

// disagreements compares the oracle with the document and with the vector. Texts are not compared.
func (v *expectation) disagreements() (list []string) {
	outputs := map[string]bool{}
	for i, f := range v.spec.Outputs {
		outputs[f.Name] = true
		answer, answered := v.answer[f.Name]
		got := v.outcome.Result[i]
		switch got.Kind() {
		case value.Absent:
			if answered {
				list = append(list, fmt.Sprintf("%s is absent, and the oracle has %v", f.Name, answer))
			}
			continue
		case value.Number, value.List:
			if !agree(numbersOf(got), answer, 0) {
				list = append(list, fmt.Sprintf("%s: the document gives %v, the oracle %v", f.Name, numbersOf(got), answer))
			}
		default:
			continue
		}
		expected, isExpected := v.Expected[f.Name]
		if isExpected && !agree(expected, answer, v.Tolerances[f.Name]) {
			list = append(list, fmt.Sprintf("%s: the vector expects %v within %v, the oracle gives %v", f.Name, expected, v.Tolerances[f.Name], answer))
		}
	}
	for name := range v.answer {
		if !outputs[name] {
			list = append(list, fmt.Sprintf("the oracle answers %s, which is not an output: %v", name, v.answer[name]))
		}
	}
	return list
}

// numbersOf returns a number or a list of numbers as JSON has it.
func numbersOf(v value.Value) any {
	if v.Kind() == value.Number {
		return v.Number()
	}
	list := []any{}
	for _, item := range v.Items() {
		list = append(list, numbersOf(item))
	}
	return list
}

// agree reports whether numbers differ by at most within from the decimals of the oracle.
func agree(numbers, decimals any, within float64) bool {
	switch x := numbers.(type) {
	case float64:
		decimal, isText := decimals.(string)
		y, err := strconv.ParseFloat(decimal, 64)
		return isText && err == nil && math.Abs(x-y) <= within
	case []any:
		list, isList := decimals.([]any)
		if !isList || len(list) != len(x) {
			return false
		}
		for i := range x {
			if !agree(x[i], list[i], within) {
				return false
			}
		}
		return true
	}
	return false
}

// plant makes each expected number wrong by one unit of the last digit or bit. It returns how many numbers there are.
func (v *expectation) plant(t *testing.T) (n int) {
	for name, expected := range v.Expected {
		number, isNumber := expected.(float64)
		if !isNumber {
			continue
		}
		n++
		v.Expected[name] = math.Nextafter(number+2.001*v.Tolerances[name], math.Inf(1))
		if len(v.disagreements()) == 0 {
			t.Errorf("%s, %s: %s = %v is not found", v.spec.Capability, v.ID, name, v.Expected[name])
		}
		v.Expected[name] = number
	}
	return n
}
