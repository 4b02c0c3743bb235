package page

import (
	"html/template"
	"sync"
	"sync/atomic"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// releaseCache keeps what pages read from the releases of the current catalog.
type releaseCache struct{ last atomic.Pointer[catalogCache] }

type catalogCache struct {
	catalog  *calc.Catalog
	releases sync.Map // *calc.Release to *described
}

// described is what pages need of a release beyond its Spec.
type described struct {
	report  report.Report // zero if it cannot be read
	vectors []vector.Vector
	example string // query of a page with a result, "" if there is none
}

// described returns the description of the release, which is read once for each catalog.
func (p *Pages) described(r *calc.Release) *described {
	catalog := p.service.Catalog()
	s := p.cache.last.Load()
	if s == nil || s.catalog != catalog {
		s = &catalogCache{catalog: catalog}
		p.cache.last.Store(s)
	}
	if d, ok := s.releases.Load(r); ok {
		return d.(*described)
	}
	d := describe(r)
	s.releases.Store(r, d)
	return d
}

func describe(r *calc.Release) *described {
	d := new(described)
	if read, err := report.Parse(r.Report); err == nil { // the registry has judged it
		d.report = *read
	}
	d.vectors, _ = vector.Parse(r.Vectors) // a page without vectors is still useful
	for i := range d.vectors {
		if query, ok := exampleQuery(&r.Spec, &d.vectors[i]); ok && d.vectors[i].Rejection == nil {
			d.example = query
			break
		}
	}
	return d
}

// exampleQuery returns the query with the inputs of the vector, with numbers as they are
// written in the vector.
func exampleQuery(spec *sdk.Spec, v *vector.Vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return "", false
	}
	for i := range inputs.Members {
		if at := spec.Input(inputs.Members[i].Name); at >= 0 {
			inputs.Members[i].Value = typed.Exact(&spec.Inputs[at], inputs.Members[i].Value)
		}
	}
	return queryOf(spec, inputs)
}

// vectorQuery returns the query that repeats the vector on the page of the Spec, "" if no
// query can.
func vectorQuery(spec *sdk.Spec, v *vector.Vector) (query string, ok bool) {
	inputs, err := strictjson.ParseObject([]byte(v.Inputs))
	if err != nil {
		return "", false
	}
	return queryOf(spec, inputs)
}

// symbol returns the MathML of a symbol, "" if there is none.
func (p *Pages) symbol(latex string) template.HTML {
	if latex == "" || p.options.Formulas == nil {
		return ""
	}
	math, err := p.options.Formulas.MathML(latex, false)
	if err != nil {
		return "" // the name is shown beside it
	}
	return math
}
