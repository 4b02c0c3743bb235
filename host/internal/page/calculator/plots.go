package calculator

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/sdk"
)

// picture is a plot of a calculation and its numbers.
type picture struct {
	ID, Title, Summary string
	SVG                template.HTML // "" if it could not be drawn
	Header             []string
	Rows               [][]string
	CSV, File          string // URLs of its numbers, and of the picture as an SVG file
}

// maxRows is the maximum number of rows below a plot on a page. The CSV file has all rows.
const maxRows = 25

// pictureWidth is the width of a picture in CSS pixels. A screen and a printed page have two pictures side by side. On paper
// the letters of a picture are then as large as the letters of the text.
const pictureWidth = 430

// aloneWidth is the width of the only picture of a calculation. Its letters are as large as the letters of others.
const aloneWidth = 560

func widthOf(spec *sdk.Spec) float64 {
	if len(spec.Plots) == 1 {
		return aloneWidth
	}
	return pictureWidth
}

// draw draws the plots of an answer for its reader. A note replaces a plot that fails. The query passes the inputs to the
// URL of the CSV file.
func (p *Pages) draw(ctx context.Context, a *calc.Answer, r *show.Reading, query string) []picture {
	var list []picture
	spec := &p.about.In(a.Release, r.View.Units).Spec
	for i := range spec.Plots {
		declared := &spec.Plots[i]
		one := picture{ID: declared.ID, Title: declared.Title, Summary: declared.Summary}
		figure, err := p.Service.Draw(ctx, a, declared.ID)
		if err == nil {
			x, y := r.Axes(declared, figure)
			shown, converted := show.Drawn(declared, figure, x, y)
			one.SVG = plot.SVG(shown, converted, &plot.Options{Width: widthOf(&a.Release.Spec)})
			one.Header, one.Rows = plot.Rows(shown, converted, maxRows)
			one.File = strings.Replace(p.exportPath(a.Release, query), "{file}", declared.ID+".svg", 1)
			one.CSV = p.Link(plotPath(a.Release, declared.ID)) + x.Query(show.XUnitKey) + y.Query(show.YUnitKey) + "&" + query
		} else {
			p.Report(ctx, problem.Of(err))
		}
		list = append(list, one)
	}
	return list
}

// plotPath returns the URL of the numbers of a plot, without the inputs.
func plotPath(r *catalog.Release, plot string) string {
	return "/api/v1/capabilities/" + r.Capability + "/plots/" + plot + "?" + address.VersionKey + "=" + url.QueryEscape(r.Version)
}

// inputsQuery returns the query with the inputs that the client sent, and the view.
func inputsQuery(a *calc.Answer, v *address.View) string {
	query, _ := address.QueryOf(a.Success.Spec, a.Sent(), v)
	return query
}

// getPlot answers GET /api/v1/capabilities/{id}/plots/{plot}: the numbers of a plot as CSV. The query has the inputs as on a
// page, and can pin a version as in the API. The numbers are in the units of the Spec, unless the query names other units.
func (p *Pages) getPlot(w http.ResponseWriter, r *http.Request) error {
	figure, declared, a, err := p.figure(r)
	if err != nil {
		return err
	}
	x, y, err := show.AskedAxes(a.Success.Spec, declared, r.URL.RawQuery)
	if err != nil {
		return err
	}
	shown, converted := show.Exactly(declared, figure, x, y)
	var b bytes.Buffer
	if err := plot.CSV(&b, shown, converted); err != nil {
		return err
	}
	site.WriteCSV(w, a, declared.ID, b.Bytes())
	return nil
}

func (p *Pages) figure(r *http.Request) (*sdk.Figure, *sdk.Plot, *calc.Answer, error) {
	pins, release, err := p.Pinned(r)
	if err != nil {
		return nil, nil, nil, err
	}
	declared := plotOf(&release.Spec, r.PathValue("plot"))
	if declared == nil {
		return nil, nil, nil, problem.New(problem.CodeNotFound, "The Spec of the capability lists its plots.", "%s %s has no such plot", release.Capability, release.Version)
	}
	s, err := address.ReadNumbers(&release.Spec, r, show.XUnitKey, show.YUnitKey)
	if err != nil {
		return nil, nil, nil, err
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return nil, nil, nil, err
	}
	figure, err := p.Service.Draw(r.Context(), a, declared.ID)
	return figure, declared, a, err
}

func plotOf(spec *sdk.Spec, id string) *sdk.Plot {
	for i := range spec.Plots {
		if spec.Plots[i].ID == id {
			return &spec.Plots[i]
		}
	}
	return nil
}

// plotQuery describes the query of getPlot.
var plotQuery = web.Query{Parameters: append([]web.Parameter{{Name: show.XUnitKey}, {Name: show.YUnitKey}}, web.PinParameters...), Others: web.Open}
