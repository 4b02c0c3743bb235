package study

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/versions"
)

// Kind is a kind of study.
type Kind string

// Kinds of studies.
const (
	Sweep       Kind = "sweep"       // outputs over many values of inputs
	Compare     Kind = "compare"     // outputs of two versions over many values of inputs
	GoalSeek    Kind = "goal_seek"   // the input at which an output has a value
	Sensitivity Kind = "sensitivity" // how much outputs change with each input
	GUM         Kind = "gum"         // uncertainty by the law of propagation, JCGM 100
	MonteCarlo  Kind = "monte_carlo" // uncertainty by draws, JCGM 101
)

// Kinds lists all kinds of studies.
var Kinds = []Kind{Sweep, Compare, GoalSeek, Sensitivity, GUM, MonteCarlo}

// Limits of plans. A draw needs 16 bytes of memory for each output.
const (
	MaxPoints    = 10_000 // of a sweep
	maxAxes      = 8
	maxOutputs   = 4
	maxUncertain = 32
	MaxDraws     = 1_000_000
	defaultDraws = 50_000
	maxBins      = 200
	defaultBins  = 50
	maxSeed      = 1 << 53 // every JSON reader has these integers exactly
)

// Plan is a complete description of a study: names are canonical, numbers are in the units of the Spec, and every default is
// set. A plan is also a request for the same study.
type Plan struct {
	Kind        Kind            `json:"kind"`
	Inputs      json.RawMessage `json:"inputs"`
	Version     string          `json:"calculation_version"`
	Against     string          `json:"against,omitempty"`
	Output      []string        `json:"output"`
	Vary        Vary            `json:"vary,omitempty"`
	Zip         bool            `json:"zip,omitempty"`
	Change      float64         `json:"change,omitempty"`
	Unknown     string          `json:"unknown,omitempty"`
	Bracket     []float64       `json:"bracket,omitempty"`
	Goal        *float64        `json:"goal,omitempty"`
	Uncertain   Uncertain       `json:"uncertain,omitempty"`
	Correlation []Correlated    `json:"correlation,omitempty"`
	SecondOrder bool            `json:"second_order,omitempty"`
	Probability json.Number     `json:"coverage_probability,omitempty"`
	Draws       int             `json:"draws,omitempty"`
	Digits      int             `json:"digits,omitempty"`
	MaxDraws    int             `json:"max_draws,omitempty"`
	Seed        *uint64         `json:"seed,omitempty"`
	Bins        int             `json:"bins,omitempty"`
}

// members are the members that only plans of a kind can have.
var members = map[Kind][]string{
	Sweep:       {"vary", "zip"},
	Compare:     {"vary", "zip", "against"},
	GoalSeek:    {"unknown", "bracket", "goal"},
	Sensitivity: {"vary", "change"},
	GUM:         {"uncertain", "correlation", "coverage_probability", "second_order"},
	MonteCarlo:  {"uncertain", "correlation", "coverage_probability", "draws", "digits", "max_draws", "seed", "bins"},
}

// ofEvery are the members of every plan.
var ofEvery = []string{"kind", "inputs", versions.PinName, versions.AsOfName, "output"}

// Members returns the members that a plan of the kind can have.
func Members(k Kind) []string { return slices.Concat(ofEvery, members[k]) }

// Axis is an input and its values: a list, a range, or neither if the study chooses them.
type Axis struct {
	Input  string
	Values []json.RawMessage
	Range  *Range
}

// Range is a range of numbers.
type Range struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Count   int     `json:"count"`
	Spacing Spacing `json:"spacing"`
}

// Spacing is the spacing of the numbers of a range.
type Spacing string

// Kinds of spacing.
const (
	Linear      Spacing = "linear"
	Logarithmic Spacing = "logarithmic"
)

// Vary lists the inputs that a study changes: an object of lists and ranges, or a list of names.
type Vary []Axis

// MarshalJSON implements [json.Marshaler].
func (v Vary) MarshalJSON() ([]byte, error) {
	object := orderedObject{}
	var names []string
	for _, a := range v {
		switch {
		case a.Range != nil:
			object.add(a.Input, a.Range)
		case a.Values != nil:
			object.add(a.Input, a.Values)
		default:
			names = append(names, a.Input)
		}
	}
	if names != nil {
		return json.Marshal(names)
	}
	return object.json()
}

// Uncertain is the knowledge about the uncertain inputs.
type Uncertain []UncertainInput

// UncertainInput is the knowledge about one input. The distribution determines its members.
type UncertainInput struct {
	Input        string   `json:"-"`
	Distribution string   `json:"distribution"`
	Standard     *float64 `json:"standard_uncertainty,omitempty"`
	Width        *float64 `json:"half_width,omitempty"`
	Inner        *float64 `json:"inner_half_width,omitempty"`
	Freedom      *float64 `json:"degrees_of_freedom,omitempty"`

	at analysis.Distribution
}

// MarshalJSON implements [json.Marshaler].
func (u Uncertain) MarshalJSON() ([]byte, error) {
	object := orderedObject{}
	for i := range u {
		object.add(u[i].Input, &u[i])
	}
	return object.json()
}

// Correlated are two inputs, and their coefficient of correlation.
type Correlated struct {
	Of []string `json:"of"`
	R  float64  `json:"r"`
}

// orderedObject is a JSON object with ordered members.
type orderedObject struct {
	text []byte
	err  error
}

func (o *orderedObject) add(name string, v any) {
	key, err := json.Marshal(name)
	content, err2 := json.Marshal(v)
	if o.err == nil {
		o.err = err
		if err == nil {
			o.err = err2
		}
	}
	if o.text != nil {
		o.text = append(o.text, ',')
	}
	o.text = append(append(append(o.text, key...), ':'), content...)
}

func (o *orderedObject) json() ([]byte, error) {
	return append(append([]byte{'{'}, o.text...), '}'), o.err
}

// readOrdered calls a function with each member of a JSON object, in their order.
func readOrdered(text []byte, member func(name string, v json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return cmp.Or(err, errors.New("not an object"))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err
		}
		if err := member(key.(string), v); err != nil { // a JSON key is a string
			return err
		}
	}
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Vary) UnmarshalJSON(text []byte) error {
	*v = nil
	var names []string
	if json.Unmarshal(text, &names) == nil {
		for _, name := range names {
			*v = append(*v, Axis{Input: name})
		}
		return nil
	}
	return readOrdered(text, func(name string, of json.RawMessage) error {
		a := Axis{Input: name}
		err := json.Unmarshal(of, &a.Values)
		if err != nil {
			err = json.Unmarshal(of, &a.Range)
		}
		*v = append(*v, a)
		return err
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (u *Uncertain) UnmarshalJSON(text []byte) error {
	*u = nil
	return readOrdered(text, func(name string, of json.RawMessage) error {
		one := UncertainInput{Input: name}
		err := json.Unmarshal(of, &one)
		*u = append(*u, one)
		return err
	})
}
