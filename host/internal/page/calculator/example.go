package calculator

import (
	"context"
	"html/template"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/versions"
)

// example is a picture of a calculator with the inputs of its example, for a page without a result.
type example struct {
	Title, Path string
	SVG         template.HTML
}

// exampleKey names a drawn example. A release and a system of units have one.
type exampleKey struct {
	release string
	units   customary.System
}

// example returns the first plot of the release with the inputs of its example, nil if there is none. The engine is called
// once for each release and system of units.
func (p *Pages) example(ctx context.Context, r *catalog.Release, f *form, v *address.View) *example {
	query := p.about.Described(r).Example
	if query == "" || len(r.Spec.Plots) == 0 {
		return nil
	}
	key := exampleKey{r.Digest, v.Units}
	if known, ok := p.examples.Load(key); ok {
		return p.linked(known.(example), f)
	}
	s := address.ReadQuery(&r.Spec, query).WithPresets(p.Service, r)
	a, err := s.Calculate(ctx, p.Service, []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: r.Version}})
	if err != nil {
		return nil
	}
	declared := &r.Spec.Plots[0]
	figure, err := p.Service.Draw(ctx, a, declared.ID)
	if err != nil {
		return nil
	}
	reading := show.NewReading(&address.View{Units: v.Units}, r.Spec.At(a.Success.Outcome.Inputs), a.Sent())
	x, y := reading.Axes(declared, figure)
	shown, converted := show.Drawn(declared, figure, x, y)
	drawn := example{Title: declared.Title, SVG: plot.SVG(shown, converted, &plot.Options{Width: aloneWidth})}
	p.examples.Store(key, drawn)
	return p.linked(drawn, f)
}

// linked returns the example with the URL of the form that has its inputs.
func (p *Pages) linked(e example, f *form) *example {
	e.Path = f.Example
	return &e
}
