package study

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
)

// Result is the result of a study. The same plan on the same release gives the same bytes.
type Result struct {
	Status     string `json:"status"` // always "success"
	Kind       Kind   `json:"kind"`
	Capability string `json:"capability_id"`
	Tool       string `json:"tool"`
	Version    string `json:"calculation_version"`
	Release    string `json:"release_digest"`

	// AgainstRelease is the other release of a comparison.
	AgainstRelease string `json:"against_digest,omitempty"`

	Plan    Plan       `json:"plan"`
	Inputs  []Quantity `json:"changed"` // inputs that the study changes, in the order of the plan
	Outputs []Quantity `json:"outputs"` // outputs of the plan, in its order

	Calculations int     `json:"calculations"`
	Rejected     []Tally `json:"rejected"` // by code, in the order of first occurrence
	Warnings     []Tally `json:"warnings"` // warnings of calculations by code, then warnings about versions of the capability and of tables

	Rows        []Row           `json:"rows,omitempty"`        // sweep, compare
	Goal        *Goal           `json:"goal,omitempty"`        // goal_seek
	Sensitivity []SensitivityOf `json:"sensitivity,omitempty"` // by output
	Budget      []Budget        `json:"budget,omitempty"`      // gum, by output
	Together    [][]*float64    `json:"output_correlation,omitempty"`
	Drawn       []Drawn         `json:"drawn,omitempty"` // monte_carlo, by output

	// Shown is the table of numbers in the units that the client chose. Everything else has the units of the Spec.
	Shown *Shown `json:"shown,omitempty"`

	notices []Tally // warnings about versions; Run appends them to Warnings at its end
}

// Shown is the table of the numbers of a result in chosen units.
type Shown struct {
	Units   customary.System `json:"units,omitempty"`
	Unit    []string         `json:"unit,omitempty"`
	Columns []string         `json:"columns"` // names, with their units in brackets
	Rows    [][]Cell         `json:"rows"`
}

// Quantity is an input or output with its name and label.
type Quantity struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
}

// Tally counts the calculations with a code of a rejection or warning, and has the texts of the first one.
type Tally struct {
	Code       string `json:"code"`
	Count      int    `json:"count"`
	Field      string `json:"field,omitempty"`
	Detail     string `json:"detail,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`

	in func(calc.Reader) (detail, suggestion string) // the texts for a reader, nil if they have no other units
}

// Row is one point of a sweep: the values of the changed inputs, and the outputs or the code of a rejection.
type Row struct {
	At         []json.RawMessage `json:"at"`
	Result     []float64         `json:"result,omitempty"`
	Code       string            `json:"code,omitempty"`
	Against    []float64         `json:"against,omitempty"`
	Difference []float64         `json:"difference,omitempty"` // against minus result
	Other      string            `json:"against_code,omitempty"`
}

// Trial is an input and its output.
type Trial struct {
	Input  float64  `json:"input"`
	Output *float64 `json:"output,omitempty"`
	Code   string   `json:"code,omitempty"` // of the rejection, if there is no output
}

// Goal is the result of a search for a goal. It has the input with the computed output nearest to the goal, and the binary64
// numbers next to this input.
type Goal struct {
	Trial
	Exact      bool    `json:"exact"` // the output is the goal
	Difference float64 `json:"difference"`
	Below      Trial   `json:"below"`
	Above      Trial   `json:"above"`
}

// SensitivityOf has the changes of an output with each input. Inputs are in the order of a tornado chart.
type SensitivityOf struct {
	Output string   `json:"output"`
	Value  float64  `json:"value"`
	Inputs []Effect `json:"inputs"`
}

// Effect is the effect of one input on one output.
type Effect struct {
	Input      string   `json:"input"`
	Estimate   float64  `json:"estimate"`
	Derivative float64  `json:"derivative"`
	Error      float64  `json:"derivative_error"`     // estimated error of the derivative
	Elasticity *float64 `json:"elasticity,omitempty"` // relative change by relative change; nil if the input or the output is 0
	Low        *Trial   `json:"low,omitempty"`        // output at the input minus the change of the plan
	High       *Trial   `json:"high,omitempty"`
}

// Swing returns the distance between the outputs at both ends, 0 if one is missing.
func (e *Effect) Swing() float64 {
	if e.Low == nil || e.Low.Output == nil || e.High.Output == nil {
		return 0
	}
	return math.Abs(*e.High.Output - *e.Low.Output)
}

// Budget is the uncertainty of an output by the law of propagation.
type Budget struct {
	Output      string         `json:"output"`
	Estimate    float64        `json:"estimate"`
	Standard    float64        `json:"standard_uncertainty"`
	SecondOrder *float64       `json:"standard_uncertainty_second_order,omitempty"`
	Freedom     *float64       `json:"degrees_of_freedom,omitempty"` // nil if infinite, or if inputs are correlated
	Factor      float64        `json:"coverage_factor"`
	Expanded    float64        `json:"expanded_uncertainty"`
	Interval    Interval       `json:"interval"`
	Inputs      []Contribution `json:"inputs"`
}

// Contribution is the contribution of one input.
type Contribution struct {
	Input        string   `json:"input"`
	Estimate     float64  `json:"estimate"`
	Standard     float64  `json:"standard_uncertainty"`
	Freedom      *float64 `json:"degrees_of_freedom,omitempty"`
	Derivative   float64  `json:"sensitivity"`
	Error        float64  `json:"sensitivity_error"`
	Contribution float64  `json:"contribution"`    // |sensitivity| times standard uncertainty
	Share        *float64 `json:"share,omitempty"` // of the variance, if inputs are independent
}

// Interval is an interval of an output.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Drawn is the distribution of an output.
type Drawn struct {
	Output    string     `json:"output"`
	Draws     int        `json:"draws"` // accepted draws
	Mean      float64    `json:"mean"`
	Standard  float64    `json:"standard_uncertainty"`
	Symmetric Interval   `json:"interval_symmetric"`
	Shortest  Interval   `json:"interval_shortest"`
	Stability *Stability `json:"stability,omitempty"`
	Histogram *Histogram `json:"histogram,omitempty"`
	First     *First     `json:"law_of_propagation,omitempty"`
}

// Stability has the uncertainty of the statistics due to the random draws: twice the standard deviation of their averages over
// blocks.
type Stability struct {
	Tolerance float64 `json:"tolerance"` // tolerance for the digits of the uncertainty
	Mean      float64 `json:"mean"`
	Standard  float64 `json:"standard_uncertainty"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Stable    bool    `json:"stable"` // all four statistics are within the tolerance
}

// Histogram counts draws in bins of equal width.
type Histogram struct {
	Low    float64 `json:"low"`
	Width  float64 `json:"width"`
	Counts []int   `json:"counts"`
}

// First is the result of the law of propagation, and whether the draws validate it (JCGM 101, 8).
type First struct {
	Estimate float64  `json:"estimate"`
	Standard float64  `json:"standard_uncertainty"`
	Interval Interval `json:"interval"`
	Low      float64  `json:"low_difference"`
	High     float64  `json:"high_difference"`
	Valid    bool     `json:"validated"`
}

// AppendJSON appends the result and a line end.
func (r *Result) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(r)
	return append(append(dst, text...), '\n'), err
}

// orNil returns a number, nil if JSON cannot have it.
func orNil(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func trial(t *analysis.Trial) Trial {
	out := Trial{Input: t.Input}
	if t.Answer.Rejected != nil {
		out.Code = t.Answer.Rejected.Code
	} else {
		out.Output = &t.Answer.Values[0]
	}
	return out
}

// tallies counts calculations by code.
type tallies []Tally

// add counts a calculation, and returns the tally if the calculation is its first one.
func (t *tallies) add(code, field, detail, suggestion string) (first *Tally) {
	at := slices.IndexFunc(*t, func(one Tally) bool { return one.Code == code })
	if at < 0 {
		at = len(*t)
		*t = append(*t, Tally{Code: code, Field: field, Detail: detail, Suggestion: suggestion})
		first = &(*t)[at]
	}
	(*t)[at].Count++
	return first
}

// Parse reads the text of a result for display. It does not detect changed texts of a plan; [Recompute] does.
func Parse(text []byte) (*Result, error) {
	r := new(Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	for _, n := range []int{len(r.Sensitivity), len(r.Budget), len(r.Drawn)} {
		if n != 0 && n != len(r.Outputs) {
			return nil, errors.New("the result has other outputs than its plan")
		}
	}
	if r.Drawn != nil && r.Plan.Seed == nil {
		return nil, errors.New("the result has no seed")
	}
	return r, nil
}
