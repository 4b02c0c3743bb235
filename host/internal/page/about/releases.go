package about

import (
	"math/big"
	"sync"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc/cache"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// maxDescribed is the maximum number of descriptions in memory. A description can have hundreds of kilobytes, and takes
// a millisecond to make.
const maxDescribed = 128

// Releases describes releases. It keeps each description in memory, and drops all of them when it has maxDescribed.
type Releases struct {
	*site.Site

	mu   sync.Mutex
	kept map[*catalog.Release]*Described
	read map[reading]*catalog.Release

	queries *cache.Cache[string] // of examples in US units
}

// reading is a release for readers of a system of units.
type reading struct {
	release *catalog.Release
	system  customary.System
}

// In returns the release with the texts of its Spec in the units of a system. It is the release itself if no text has a
// quantity that changes.
func (p *Releases) In(r *catalog.Release, system customary.System) *catalog.Release {
	if r.Spec.Document == "" || system == customary.AsEntered {
		return r
	}
	p.mu.Lock()
	read, ok := p.read[reading{r, system}]
	p.mu.Unlock()
	if ok {
		return read
	}
	read = r
	if spec := p.Service.SpecFor(&r.Spec, customary.Steps{Reader: customary.NewReader(system)}); spec != &r.Spec {
		own := *r
		own.Spec, read = *spec, &own
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.read) >= maxDescribed || p.read == nil {
		p.read = map[reading]*catalog.Release{}
	}
	p.read[reading{r, system}], p.read[reading{read, system}] = read, read
	return read
}

// NewReleases returns the Releases of a site.
func NewReleases(s *site.Site) *Releases {
	return &Releases{Site: s, queries: cache.New[string](maxQueries)}
}

func (p *Releases) load(r *catalog.Release) *Described {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[r]
}

func (p *Releases) store(r *catalog.Release, d *Described) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= maxDescribed || p.kept == nil {
		p.kept = map[*catalog.Release]*Described{}
	}
	p.kept[r] = d
}

// Described is the data of a release that pages need in addition to its Spec.
type Described struct {
	facts   Facts
	Report  report.Report // zero if it cannot be read
	Vectors []vector.Vector
	Example string // query of a page with a result, "" if there is none
}

// Described returns the description of the release. If vectors and report cannot be read, it returns a description from
// the Spec alone, because a page without them is still useful.
func (p *Releases) Described(r *catalog.Release) *Described {
	d, err := p.Describe(r)
	if err != nil {
		p.Log.Warn("the page has no checks, because the release cannot be read", "capability", r.Capability, "version", r.Version, "error", err)
	}
	return d
}

// Describe returns the description of the release. If a part of it cannot be read, it also returns an error.
func (p *Releases) Describe(r *catalog.Release) (*Described, error) {
	if d := p.load(r); d != nil {
		return d, nil
	}
	d := &Described{facts: p.newFacts(r)}
	err := d.read(r)
	if err == nil {
		p.store(r, d)
	}
	return d, err
}

// read reads the report and the vectors.
func (d *Described) read(r *catalog.Release) error {
	content, err := r.Content()
	if err != nil {
		return err
	}
	if read, err := report.Parse(content.Report); err == nil { // the registry has checked it
		d.Report = *read
	}
	d.Vectors, _ = vector.ParsePublished(content.Vectors) // a page without vectors is still useful
	for i := range d.Vectors {
		if query, ok := exampleQuery(&r.Spec, &d.Vectors[i]); ok && d.Vectors[i].Rejection == nil {
			d.Example = query
			break
		}
	}
	return nil
}

// exampleQuery returns a query with the inputs of the vector, in the units that people write:
// 210 GPa for 210000000000. The engine computes the same result from them.
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
	return address.QueryOf(spec, inputs, new(address.View))
}

// inMetric returns a bare number in its customary metric unit, if the converted number is exact with a few digits.
func inMetric(spec *sdk.Spec, f *sdk.Field, v strictjson.Value) strictjson.Value {
	const decimals = 6
	q, ok := customary.Of(spec, f.Unit, wording.IsDifference(f))
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
