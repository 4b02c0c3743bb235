package system

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/study"
)

// In scripts/soak every reference study of an engine uses all of its draws. The test logs the time of 10^6 draws,
// which is at most 3 s on an idle machine.
func TestStudies(t *testing.T) {
	if !soaking {
		t.Skip("in scripts/soak studies; TestLibrary asks with fewer draws")
	}
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", library(t), "--data", t.TempDir(), "--limit", unlimited})
	h.checkStudies(t)
	began := time.Now()
	status, body := h.post(t, "/api/v1/study/ohms-law", `{"kind":"monte_carlo","inputs":{"V":12,"R":8},"uncertain":{"R":{"distribution":"rectangular","half_width":0.5}},"output":"current","draws":1000000}`)
	if took := time.Since(began); status != 200 || took > 30*time.Second {
		t.Errorf("10^6 draws: %d after %v: %.200s", status, took, body)
	} else {
		t.Logf("10^6 draws took %v", took)
	}
}

// studyCase is a reference case of a study of an engine. The package analysis has the cases of other models.
type studyCase struct {
	ID, Kind, Capability, Version string
	Plan                          map[string]json.RawMessage
	Expected                      struct {
		Estimate, U, Sensitivity, Correlation json.RawMessage // by output, if there are several
		Value                                 float64
		Contribution                          map[string]float64
		Derivative, Elasticity                map[string]float64
		Freedom                               *float64 `json:"effective_degrees_of_freedom"`
		Coverage                              map[string]float64
		Mean                                  float64
		Symmetric                             *[2]float64 `json:"interval_symmetric"`
		Shortest                              *[2]float64 `json:"interval_shortest"`
		Outcome                               string
		Points                                [][]float64
		Values                                []float64
	}
	Tolerance json.RawMessage
	raw       json.RawMessage
}

// request returns the plan as it is sent.
func (c *studyCase) request(t *testing.T) string {
	t.Helper()
	plan := maps.Clone(c.Plan)
	plan["kind"] = json.RawMessage(`"` + c.Kind + `"`)
	if over, ok := plan["over"]; ok {
		plan["vary"] = over
		delete(plan, "over")
	}
	if _, ok := plan["draws"]; ok && !soaking { // the tolerance depends on the number of draws
		plan["draws"] = json.RawMessage("60000")
	}
	if c.Version != "" {
		plan["calculation_version"] = json.RawMessage(`"` + c.Version + `"`)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkStudies runs the reference studies of engines.
func (h *server) checkStudies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "host", "internal", "study", "analysis", "testdata", "studies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, raw := range all {
		c := studyCase{raw: raw}
		var is struct{ Capability string }
		if err := json.Unmarshal(raw, &is); err != nil || is.Capability == "" {
			continue
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%.60s: %v", raw, err)
		}
		tried++
		status, body := h.post(t, "/api/v1/study/"+c.Capability, c.request(t))
		var r study.Result
		if err := json.Unmarshal([]byte(body), &r); err != nil && status == 200 {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if problem := c.check(status, body, &r); problem != "" {
			t.Errorf("%s: %s\n%s", c.ID, problem, body[:min(len(body), 600)])
		}
	}
	if tried != 27 {
		t.Errorf("%d studies of engines were found", tried)
	}
}

// check returns the error in an answer, or "".
func (c *studyCase) check(status int, body string, r *study.Result) string {
	if c.Expected.Outcome != "" {
		code := map[string]string{
			"no root: discontinuity": "GOAL_JUMPED", "no root: no change of sign in the bracket": "NO_BRACKET",
		}[c.Expected.Outcome]
		if status != 400 || !strings.Contains(body, `"code":"`+code+`"`) {
			return "it is not refused as " + code
		}
		return ""
	}
	if status != 200 {
		return fmt.Sprint("status ", status)
	}
	var wrong []string
	near := func(what string, got, want, relative float64) {
		if !(math.Abs(got-want) <= relative*math.Abs(want)) {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	e := &c.Expected
	switch c.Kind {
	case "gum":
		for o := range r.Budget {
			b := &r.Budget[o]
			near("the estimate", b.Estimate, of[float64](e.Estimate, b.Output), 1e-13)
			near("u", b.Standard, of[float64](e.U, b.Output), 1e-8)
			sensitivity := of[map[string]float64](e.Sensitivity, b.Output)
			for _, in := range b.Inputs {
				near("the sensitivity to "+in.Input, in.Derivative, sensitivity[in.Input], 1e-8)
				if e.Contribution != nil {
					near("the contribution of "+in.Input, in.Contribution, e.Contribution[in.Input], 1e-8)
				}
			}
			if e.Freedom != nil {
				near("the degrees of freedom", *b.Freedom, *e.Freedom, 1e-8)
				near("k", b.Factor, e.Coverage["k_truncated"], 1e-8)
				near("U", b.Expanded, e.Coverage["U_truncated"], 1e-8)
			} else if e.Coverage != nil {
				near("k", b.Factor, e.Coverage["k"], 1e-8)
				near("U", b.Expanded, e.Coverage["U"], 1e-8)
			}
		}
		if e.Correlation != nil {
			near("the correlation of the outputs", *r.Together[0][1], of[float64](e.Correlation, r.Plan.Output[0]+","+r.Plan.Output[1]), 1e-8)
		}
	case "sensitivity":
		near("the value", r.Sensitivity[0].Value, e.Value, 1e-13)
		for _, in := range r.Sensitivity[0].Inputs {
			near("the derivative by "+in.Input, in.Derivative, e.Derivative[in.Input], 1e-8)
			near("the elasticity of "+in.Input, *in.Elasticity, e.Elasticity[in.Input], 1e-8)
		}
	case "goal_seek":
		var expected struct{ Expected map[string]any }
		var tolerance struct{ Default struct{ Relative float64 } }
		if json.Unmarshal(c.raw, &expected) != nil || json.Unmarshal(c.Tolerance, &tolerance) != nil {
			return "the case cannot be read"
		}
		want, _ := expected.Expected[r.Plan.Unknown].(float64)
		near("the "+r.Plan.Unknown, r.Goal.Input, want, tolerance.Default.Relative)
	case "sweep":
		if len(r.Rows) != len(e.Points) {
			return fmt.Sprintf("%d points, want %d", len(r.Rows), len(e.Points))
		}
		for i, row := range r.Rows {
			var at []float64
			for _, x := range row.At {
				var f float64
				_ = json.Unmarshal(x, &f)
				at = append(at, f)
			}
			if !slices.Equal(at, e.Points[i]) {
				wrong = append(wrong, fmt.Sprintf("point %d is %v, want %v", i, at, e.Points[i]))
			}
			near("a value", row.Result[0], e.Values[i], 1e-13)
		}
	case "monte_carlo":
		var tolerance struct {
			Errors struct {
				Mean, U float64
				Low     float64 `json:"interval_low"`
				High    float64 `json:"interval_high"`
			} `json:"standard_error_times_sqrt_draws"`
		}
		if json.Unmarshal(c.Tolerance, &tolerance) != nil {
			return "the case cannot be read"
		}
		d := &r.Drawn[0]
		within := func(what string, got, want, size float64) {
			if size != 0 && !(math.Abs(got-want) <= 5*size/math.Sqrt(float64(d.Draws))) {
				wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", what, got, want))
			}
		}
		within("the mean", d.Mean, e.Mean, tolerance.Errors.Mean)
		within("u", d.Standard, of[float64](e.U, ""), tolerance.Errors.U)
		if e.Symmetric != nil {
			within("the low end", d.Symmetric.Low, e.Symmetric[0], tolerance.Errors.Low)
			within("the high end", d.Symmetric.High, e.Symmetric[1], tolerance.Errors.High)
		}
		if e.Shortest != nil { // the distribution is flat there, so the position is less certain than the length
			near("the length of the shortest interval", d.Shortest.High-d.Shortest.Low, e.Shortest[1]-e.Shortest[0], 0.01)
		}
		rejected := 0
		for _, one := range r.Rejected {
			rejected += one.Count
		}
		if d.Draws+rejected != r.Plan.Draws {
			wrong = append(wrong, fmt.Sprintf("%d draws and %d rejected ones are not %d", d.Draws, rejected, r.Plan.Draws))
		}
	}
	return strings.Join(wrong, "; ")
}

// of returns the expected value of an output: the member of its name, or the whole.
func of[T any](raw json.RawMessage, output string) (v T) {
	var several map[string]json.RawMessage
	if json.Unmarshal(raw, &several) == nil && several[output] != nil {
		raw = several[output]
	}
	_ = json.Unmarshal(raw, &v) // an invalid value stays 0, and differs
	return v
}
