package replay

import (
	"encoding/json"
	"math"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/stored"
)

// The JSON form of a report.
type (
	reportJSON struct {
		Capability string       `json:"capability_id,omitempty"`       // of an effect
		Version    string       `json:"calculation_version,omitempty"` // of an effect
		Step       *Step        `json:"step,omitempty"`                // of a dependent, as is the reason
		Why        string       `json:"reason,omitempty"`
		Read       uint64       `json:"read"`
		Others     uint64       `json:"of_other_capabilities,omitempty"`
		Same       uint64       `json:"same"`
		Different  uint64       `json:"different"`
		Blocked    uint64       `json:"not_computed"`
		Missed     uint64       `json:"missing"`
		Groups     []groupJSON  `json:"releases"`
		Outputs    []outputJSON `json:"outputs,omitempty"`
		Gaps       []gapJSON    `json:"gaps,omitempty"`
		Holes      uint64       `json:"gaps_found"`
		Dependents []*Effect    `json:"dependents,omitempty"`
	}
	groupJSON struct {
		Capability string            `json:"capability_id"`
		Version    string            `json:"calculation_version"`
		Digest     string            `json:"release_digest,omitempty"`
		Engine     string            `json:"engine_digest,omitempty"`
		Platform   string            `json:"platform,omitempty"`
		Format     string            `json:"format,omitempty"` // of results in tables, as are the units
		Units      string            `json:"units,omitempty"`
		With       string            `json:"computed_with,omitempty"`
		Verdicts   map[string]uint64 `json:"results"`
		Examples   []exampleJSON     `json:"examples,omitempty"`
		Obstructed []obstructedJSON  `json:"not_computed,omitempty"`
	}
	obstructedJSON struct {
		Obstacle Obstacle      `json:"reason"`
		Count    uint64        `json:"count"`
		Examples []exampleJSON `json:"examples"`
	}
	exampleJSON struct {
		Name        string           `json:"name"`
		Verdict     string           `json:"result,omitempty"`
		Text        string           `json:"detail"`
		Differences []differenceJSON `json:"fields,omitempty"`
	}
	differenceJSON struct {
		Path     string   `json:"field"`
		Old      string   `json:"stored"`
		New      string   `json:"now"`
		Absolute *float64 `json:"absolute,omitempty"` // omitted if it is not finite, as is the relative difference
		Relative *float64 `json:"relative,omitempty"`
		Ulps     uint64   `json:"ulps,omitempty"`
	}
	outputJSON struct {
		Path     string      `json:"field"`
		Unit     string      `json:"unit,omitempty"`
		Changed  uint64      `json:"changed"`
		Numbers  uint64      `json:"numbers"`
		Up       uint64      `json:"larger_now"`
		Zeros    uint64      `json:"from_zero"`
		Relative *Quantiles  `json:"relative,omitempty"`
		Absolute *float64    `json:"largest_absolute,omitempty"`
		Ulps     uint64      `json:"largest_ulps,omitempty"`
		Decades  []Decade    `json:"decades,omitempty"`
		Worst    []worstJSON `json:"worst"`
	}
	worstJSON struct {
		Name string `json:"name"`
		differenceJSON
	}
	gapJSON struct {
		Name  string `json:"name"`
		Count uint64 `json:"count,omitempty"`
		Why   string `json:"why"`
	}
)

// verdictKeys are the JSON names of the verdicts.
var verdictKeys = [...]string{
	compare.Same: "same", compare.Changed: "changed", compare.Refused: "refused_now", compare.Answered: "answered_now", compare.Reworded: "refused_otherwise",
}

// MarshalJSON implements [json.Marshaler].
func (r *Report) MarshalJSON() ([]byte, error) { return json.Marshal(r.view()) }

// MarshalJSON implements [json.Marshaler].
func (e *Effect) MarshalJSON() ([]byte, error) {
	v := e.view()
	v.Capability, v.Version, v.Step, v.Why, v.Dependents = e.Capability, e.Version, e.Step, e.Why, e.Dependents
	for _, o := range e.Outputs {
		v.Outputs = append(v.Outputs, o.view())
	}
	return json.Marshal(v)
}

func (r *Report) view() reportJSON {
	v := reportJSON{
		Read: r.Read, Others: r.Others, Same: r.Same(), Different: r.Different(), Blocked: r.Blocked(), Missed: r.Missed, Holes: r.Holes, Groups: []groupJSON{},
	}
	for _, g := range r.Groups {
		v.Groups = append(v.Groups, g.view())
	}
	for _, g := range r.Gaps {
		v.Gaps = append(v.Gaps, gapView(g))
	}
	return v
}

func gapView(g stored.Gap) gapJSON { return gapJSON{g.Name, g.Count, g.Err.Error()} }

func (g *Group) view() groupJSON {
	v := groupJSON{
		Capability: g.Capability, Version: g.Version, Digest: g.Digest, Engine: g.Engine, Platform: g.Platform,
		Format: string(g.Form.In), Units: g.Form.Units, With: g.With, Verdicts: map[string]uint64{},
	}
	for verdict, n := range g.Verdicts {
		v.Verdicts[verdictKeys[verdict]] = n
	}
	v.Examples = examplesView(g.Examples)
	for _, o := range g.Obstructed {
		v.Obstructed = append(v.Obstructed, obstructedJSON{o.Obstacle, o.Count, examplesView(o.Examples)})
	}
	return v
}

func examplesView(examples []Example) (list []exampleJSON) {
	for i := range examples {
		e := &examples[i]
		v := exampleJSON{Name: e.Name, Text: e.String()}
		if e.Comparison != nil {
			v.Verdict = verdictKeys[e.Comparison.Verdict]
			for k := range e.Comparison.Differences {
				v.Differences = append(v.Differences, differenceView(&e.Comparison.Differences[k]))
			}
		}
		list = append(list, v)
	}
	return list
}

func differenceView(d *compare.Difference) differenceJSON {
	v := differenceJSON{Path: d.Path, Old: compare.Show(d.Was, d.Old), New: compare.Show(d.Is, d.New)}
	if d.Numbers {
		v.Absolute, v.Relative, v.Ulps = finite(d.Absolute), finite(d.Relative), d.Ulps
	}
	return v
}

func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func (o *Output) view() outputJSON {
	v := outputJSON{Path: o.Path, Unit: o.Unit, Changed: o.Changed, Numbers: o.Numbers, Up: o.Up, Zeros: o.Zeros, Ulps: o.Ulps, Decades: o.Decades}
	if o.Numbers > 0 {
		v.Absolute = finite(o.Absolute)
	}
	if o.Numbers > o.Zeros {
		v.Relative = &o.Relative
	}
	for i := range o.Worst {
		v.Worst = append(v.Worst, worstJSON{o.Worst[i].Name, differenceView(&o.Worst[i].Difference)})
	}
	return v
}
