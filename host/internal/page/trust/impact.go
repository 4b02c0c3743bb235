package trust

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/sdk"
)

// impactPage is the page about an effect. It is a single file, for a reader without a server.
type impactPage struct {
	Capability, Version string
	Summary             string
	Style               template.CSS
	Verdicts            []string
	Groups              []impactGroup
	Outputs             []impactOutput
	Others              []impactExample
	Gaps                []impactExample
	Dependents          []impactDependent
}

// impactDependent is a release that calls the capability as a step.
type impactDependent struct {
	Capability, Version string
	Verdicts            []uint64
	Blocked             uint64
	Why                 string
}

type impactGroup struct {
	Version  string
	Verdicts []uint64
	Blocked  uint64
}

type impactOutput struct {
	Path, Summary string
	Numbers       uint64 // number of relative differences in the quantiles
	Picture       template.HTML
	Quantiles     []impactQuantile
	Worst         []impactWorst
}

type impactQuantile struct{ Name, Value string }

type impactWorst struct{ Name, Path, Old, New, Relative, Ulps string }

type impactExample struct{ Name, Version, Text string }

// WriteImpact writes a page about an effect. The page needs neither a server nor other files.
func WriteImpact(w io.Writer, e *replay.Effect) error {
	v := impactPage{
		Capability: e.Capability, Version: e.Version,
		Style: template.CSS(site.Read("base.css", "tables.css", "sheet.css") + plot.CSS),
		Summary: fmt.Sprintf("Of %d stored results, %d are bit-identical, %d changed, %d are refused now and %d are answered now. %d could not be computed.",
			e.Read-e.Others, e.Same(), e.Count(compare.Changed), e.Count(compare.Refused), e.Count(compare.Answered), e.Blocked()),
	}
	for verdict := compare.Same; verdict <= compare.Reworded; verdict++ {
		v.Verdicts = append(v.Verdicts, verdict.String())
	}
	for _, g := range e.Groups {
		v.Groups = append(v.Groups, impactGroup{g.Version, g.Verdicts[:], g.Blocked()})
		v.Others = append(v.Others, impactExamples(g.Version, g.Examples)...)
		for _, o := range g.Obstructed {
			v.Others = append(v.Others, impactExamples(g.Version, o.Examples)...)
		}
	}
	for i, o := range e.Outputs {
		one, err := impactOf(o, i)
		if err != nil {
			return err
		}
		v.Outputs = append(v.Outputs, one)
	}
	for _, g := range e.Gaps {
		v.Gaps = append(v.Gaps, impactExample{Name: g.Name, Text: g.Err.Error()})
	}
	for _, one := range e.Dependents {
		of := impactDependent{Capability: one.Capability, Version: one.Version, Blocked: one.Blocked(), Why: one.Why}
		for verdict := compare.Same; verdict <= compare.Reworded; verdict++ {
			of.Verdicts = append(of.Verdicts, one.Count(verdict))
		}
		v.Dependents = append(v.Dependents, of)
	}
	return templates.Write(w, "impact", &v)
}

func impactExamples(version string, examples []replay.Example) (list []impactExample) {
	for i := range examples {
		list = append(list, impactExample{examples[i].Name, version, examples[i].String()})
	}
	return list
}

func impactOf(o *replay.Output, n int) (v impactOutput, err error) {
	v.Path = o.Path
	v.Summary = fmt.Sprintf("%d values changed", o.Changed)
	if o.Numbers > 0 {
		v.Summary += fmt.Sprintf(", %d of %d numbers increased, and the largest difference is %s", o.Up, o.Numbers, strings.TrimSpace(threeDigits(o.Absolute)+" "+o.Unit))
	}
	if o.Zeros > 0 {
		v.Summary += fmt.Sprintf("; the relative difference from %d stored zeros is infinite", o.Zeros)
	}
	v.Summary += "."
	if o.Numbers > o.Zeros {
		q := &o.Relative
		v.Numbers = o.Numbers - o.Zeros
		for _, one := range []struct {
			name string
			x    float64
		}{{"Smallest", q.Least}, {"Median", q.Median}, {"90 %", q.P90}, {"99 %", q.P99}, {"Largest", q.Most}} {
			v.Quantiles = append(v.Quantiles, impactQuantile{one.name, threeDigits(one.x)})
		}
		v.Picture, err = distribution(o, n)
		if err != nil {
			return v, err
		}
	}
	for i := range o.Worst {
		d := &o.Worst[i].Difference
		w := impactWorst{Name: o.Worst[i].Name, Old: compare.Show(d.Was, d.Old), New: compare.Show(d.Is, d.New)}
		if d.Path != o.Path {
			w.Path = d.Path
		}
		if d.Numbers {
			w.Relative, w.Ulps = threeDigits(d.Relative), strconv.FormatUint(d.Ulps, 10)
		}
		v.Worst = append(v.Worst, w)
	}
	return v, nil
}

func threeDigits(x float64) string {
	if math.IsInf(x, 0) {
		return "infinite"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// distribution draws the number of relative differences of an output in each power of ten.
func distribution(o *replay.Output, n int) (template.HTML, error) {
	p := &sdk.Plot{
		ID: fmt.Sprintf("output_%d", n), Title: "Relative differences of " + o.Path,
		Summary: "Number of stored results by relative difference, for each power of ten.",
		X:       sdk.Axis{Label: "relative difference", Log: true}, Y: sdk.Axis{Label: "results"},
	}
	c := sdk.Curve{Label: "results", Style: sdk.Area}
	step := func(power int, count uint64) {
		low, high := math.Pow10(power), math.Pow10(power+1)
		c.X, c.Y = append(c.X, low, high), append(c.Y, float64(count), float64(count))
	}
	last := o.Decades[0].Power - 1
	step(last, 0)
	for _, d := range o.Decades {
		if d.Power > last+1 {
			step(last+1, 0)
			step(d.Power-1, 0)
		}
		step(d.Power, d.Count)
		last = d.Power
	}
	if last < 307 {
		step(last+1, 0)
	}
	f := &sdk.Figure{Curves: []sdk.Curve{c}}
	if err := f.Check(); err != nil {
		return "", err
	}
	return plot.SVG(p, f, nil), nil
}
