package vary

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// studyLinks link to pages with further studies of the calculation; "" if a study is not possible.
type studyLinks struct {
	Vary   string
	Second string
	More   string // goals, sensitivity and uncertainty
}

// Studies holds the studies next to the result of a calculation.
type Studies struct {
	Vary     *varied
	Compared []*comparison
	Study    studyLinks

	Problem *problem.Problem // the first problem that prevented a study, nil if there is none
}

// Studies computes the studies that the view asks for. current reports whether the answer is from the current version.
func (p *Pages) Studies(r *http.Request, a *calc.Answer, v *address.View, current bool) *Studies {
	s := new(Studies)
	if len(v.Vary) > 0 {
		s.Vary = p.vary(r, a, v)
		s.note(s.Vary.problem)
		if !current {
			s.Vary.Controls.Post = a.Release.Version
		}
		s.Vary.Controls.Close = p.studied(a, v, func(o *address.Study) { o.Vary, o.Show = nil, nil })
	} else if name := firstVaried(a); name != "" && current {
		s.Study.Vary = p.studied(a, v, func(o *address.Study) { o.Vary = []string{name} })
	}
	if query, ok := address.QueryOf(a.Success.Spec, a.Sent(), v.OfUnits()); ok && current && firstVaried(a) != "" {
		s.Study.More = p.Link(catalog.PagePath(&a.Release.Spec)+"/study") + "?" + query
	}
	p.addComparisons(r, s, a, v, current)
	return s
}

// note keeps the first problem.
func (s *Studies) note(part *problem.Problem) {
	if s.Problem == nil {
		s.Problem = part
	}
}

// studied returns the URL of a calculation with another study, "" if it is too long for a URL.
func (p *Pages) studied(a *calc.Answer, v *address.View, change func(*address.Study)) string {
	other := *v
	change(&other.Study)
	query, ok := address.QueryOf(a.Success.Spec, a.Sent(), &other)
	if !ok {
		return ""
	}
	return p.Link(catalog.PagePath(&a.Release.Spec)) + "?" + query
}

// firstVaried returns the input that a reader probably wants to vary: the first number in the request, "" if there is none.
func firstVaried(a *calc.Answer) string {
	spec := a.Success.Spec
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		if _, along := canVary(f); !along {
			continue
		}
		for _, m := range a.Sent().Members {
			if spec.Input(m.Name) == i {
				return f.Name
			}
		}
	}
	return ""
}

// getVaried answers GET /calc/{group}/{tool}/vary with the part of a page for the keys vary, for scripts. A version is
// pinned as in the API.
func (p *Pages) getVaried(w http.ResponseWriter, r *http.Request) error {
	pins := address.PinsOf(r)
	_, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if err := site.CheckLength(r); err != nil {
		return err
	}
	s := address.Read(typed.Numbers, &release.Spec, r, site.Speaks(w, r))
	if problem := s.View.Problem(); problem != nil {
		return problem
	}
	out, _, err := p.variedOf(r, s, pins)
	if err != nil {
		return err
	}
	html, err := templates.Execute("varied", out)
	if err != nil {
		return err
	}
	h, status := w.Header(), http.StatusOK
	h.Set("Cache-Control", "public, max-age=60")
	if out.problem != nil {
		status = out.problem.Status()
		web.SetRetry(h, out.problem)
		web.SetNoStore(h)
	}
	web.WritePage(w, r, status, html)
	if out.problem != nil {
		return &web.Answered{Problem: out.problem}
	}
	return nil
}

// getVariedNumbers answers GET /api/v1/capabilities/{id}/vary: the varied numbers as CSV. It has the query of a page, and can
// pin a version as in the API.
func (p *Pages) getVariedNumbers(w http.ResponseWriter, r *http.Request) error {
	pins, release, err := p.Pinned(r)
	if err != nil {
		return err
	}
	s, err := address.ReadNumbers(&release.Spec, r)
	if err != nil {
		return err
	}
	out, a, err := p.variedOf(r, s, pins)
	if err != nil {
		return err
	}
	if out.problem != nil {
		return out.problem
	}
	data, err := out.csv()
	if err != nil {
		return err
	}
	site.WriteCSV(w, a, "vary", data)
	return nil
}

// variedOf computes the variations that the query of a request asks for.
func (p *Pages) variedOf(r *http.Request, s *address.Values, pins []versions.Pin) (*varied, *calc.Answer, error) {
	if len(s.View.Vary) == 0 {
		return nil, nil, problem.InvalidParameter(address.VaryKey, "Add an input to vary, such as vary=length:1:5:9.", "the query has no input to vary")
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return nil, nil, err
	}
	return p.vary(r, a, &s.View), a, nil
}
