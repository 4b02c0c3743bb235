package calculator

import (
	"context"
	"html/template"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
)

// example is a picture of a calculator with the inputs of its example, for a page without a result.
type example struct {
	Title, Path string
	SVG         template.HTML
}

// maxExamples is the largest size of all kept examples, in bytes.
const maxExamples = 8 << 20

// example returns the first plot of the release with the inputs of its example, nil if there is none. Examples that readers
// ask for often are kept, one for each system of units.
func (p *Pages) example(ctx context.Context, r *catalog.Release, f *form, v *address.View) *example {
	query := p.about.Described(r).Example
	if query == "" || len(r.Spec.Plots) == 0 {
		return nil
	}
	drawn, _, err := p.examples.Do(ctx, []byte(r.Digest+string(v.Units)), func() (example, int64, error) {
		e, err := p.drawExample(ctx, r, query, v.Units)
		return e, int64(len(e.SVG)), err
	})
	if err != nil {
		return nil
	}
	drawn.Path = f.Example // with the inputs of the example
	return &drawn
}

// drawExample draws the first plot of a release with the inputs of a query.
func (p *Pages) drawExample(ctx context.Context, r *catalog.Release, query string, system customary.System) (example, error) {
	a, err := p.about.CalculateExample(ctx, r, query)
	if err != nil {
		return example{}, err
	}
	declared := &p.about.In(r, system).Spec.Plots[0]
	figure, err := p.Service.Draw(ctx, a, declared.ID)
	if err != nil {
		return example{}, err
	}
	reading := show.NewReading(&address.View{Units: system}, r.Spec.At(a.Success.Outcome.Inputs), a.Sent())
	x, y := reading.Axes(declared, figure)
	shown, converted := show.Drawn(declared, figure, x, y)
	return example{Title: declared.Title, SVG: plot.SVG(shown, converted, &plot.Options{Width: aloneWidth})}, nil
}
