package page

import (
	"math/big"
	"sync"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// releaseCache keeps what pages read from releases. It forgets all when it has maxDescribed.
type releaseCache struct {
	mu       sync.Mutex
	releases map[*calc.Release]*described
}

// maxDescribed is how many releases a host describes from memory. A description may have
// hundreds of kilobytes, and takes a millisecond to make.
const maxDescribed = 128

func (c *releaseCache) load(r *calc.Release) *described {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.releases[r]
}

func (c *releaseCache) store(r *calc.Release, d *described) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.releases) >= maxDescribed || c.releases == nil {
		c.releases = map[*calc.Release]*described{}
	}
	c.releases[r] = d
}

// described is what pages need of a release beyond its Spec.
type described struct {
	about   about
	report  report.Report // zero if it cannot be read
	vectors []vector.Vector
	example string // query of a page with a result, "" if there is none
}

// described returns the description of the release. It has the Spec alone if vectors and
// report cannot be read now: a page without them is still useful.
func (p *Pages) described(r *calc.Release) *described {
	d, err := p.describe(r)
	if err != nil {
		p.options.Log.Warn("a page is shown without what was checked", "capability", r.Capability, "version", r.Version, "error", err)
	}
	return d
}

// describe returns the description of the release. The error is that a part of it cannot be
// read now.
func (p *Pages) describe(r *calc.Release) (*described, error) {
	if d := p.cache.load(r); d != nil {
		return d, nil
	}
	d := &described{about: p.newAbout(r)}
	err := d.read(r)
	if err == nil {
		p.cache.store(r, d)
	}
	return d, err
}

// read reads what was checked.
func (d *described) read(r *calc.Release) error {
	content, err := r.Content()
	if err != nil {
		return err
	}
	if read, err := report.Parse(content.Report); err == nil { // the registry has judged it
		d.report = *read
	}
	d.vectors, _ = vector.ParsePublished(content.Vectors) // a page without vectors is still useful
	for i := range d.vectors {
		if query, ok := exampleQuery(&r.Spec, &d.vectors[i]); ok && d.vectors[i].Rejection == nil {
			d.example = query
			break
		}
	}
	return nil
}

// exampleQuery returns the query with the inputs of the vector, with numbers as people write them:
// 210 GPa for 210000000000. The engine computes the same from them.
func exampleQuery(spec *sdk.Spec, v *vector.Vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return "", false
	}
	for i := range inputs.Members {
		if at := spec.Input(inputs.Members[i].Name); at >= 0 {
			inputs.Members[i].Value = typed.Exact(&spec.Inputs[at], inMetric(spec, &spec.Inputs[at], inputs.Members[i].Value))
		}
	}
	return queryOf(spec, inputs, new(view))
}

// inMetric returns a bare number in the unit that people use for it, if it is exactly the same with a
// few digits.
func inMetric(spec *sdk.Spec, f *sdk.Field, v strictjson.Value) strictjson.Value {
	const decimals = 6
	q, ok := customary.Of(spec, f.Unit, isDifference(f))
	if !ok || v.Kind != strictjson.Number || v.Range != strictjson.InRange || f.Type != sdk.TypeNumber || f.Decimal || f.UnitBy != nil {
		return v
	}
	exact, ok := new(big.Rat).SetString(v.Text)
	u := customary.NewReader(customary.Metric).Unit(q, v.Float)
	if !ok || u.ID == f.Unit || q.Difference {
		return v
	}
	exact = units.Convert(exact, q.Unit, u)
	places, finite := exact.FloatPrec()
	if !finite || places > decimals {
		return v
	}
	number, err := strictjson.ParseNumber(exact.FloatString(places))
	if err != nil {
		return v
	}
	return strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
		{Name: "value", Value: number}, {Name: "unit", Value: strictjson.Value{Kind: strictjson.String, Text: u.ID}},
	}}
}

// vectorQuery returns the query that repeats the vector on the page of the Spec, "" if no
// query can.
func vectorQuery(spec *sdk.Spec, v *vector.Vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return "", false
	}
	return queryOf(spec, inputs, new(view))
}
