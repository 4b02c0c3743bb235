package page

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// studyLinks lead to the same calculation, studied further; "" where that is not possible.
type studyLinks struct {
	Vary   string
	Second string
	More   string // goals, sensitivity and uncertainty
}

// addStudies puts on a sheet what the view asks for besides the result. The problem is what
// prevented a part of it, nil if nothing did; the part says so itself.
func (p *Pages) addStudies(r *http.Request, s *sheet, a *calc.Answer, v *view) (problem *calc.Problem) {
	note := func(part *calc.Problem) {
		if problem == nil {
			problem = part
		}
	}
	if len(v.Vary) > 0 {
		s.Vary = p.vary(r, a, v)
		note(s.Vary.problem)
		if s.Current != "" {
			s.Vary.Controls.Post = s.Version
		}
		s.Vary.Controls.Close = p.studied(a, v, func(o *study) { o.Vary, o.Show = nil, nil })
	} else if name := firstVaried(a); name != "" && s.Current == "" {
		s.Study.Vary = p.studied(a, v, func(o *study) { o.Vary = []string{name} })
	}
	if query, ok := queryOf(a.Success.Spec, a.Sent(), &view{}); ok && s.Current == "" && firstVaried(a) != "" {
		s.Study.More = p.link(calc.PagePath(&a.Release.Spec)+"/study") + "?" + query
	}
	p.addComparisons(r, s, a, v, note)
	return problem
}

// studied returns the address of a calculation with another study, "" if no address can hold it.
func (p *Pages) studied(a *calc.Answer, v *view, change func(*study)) string {
	other := *v
	change(&other.study)
	query, ok := queryOf(a.Success.Spec, a.Sent(), &other)
	if !ok {
		return ""
	}
	return p.link(calc.PagePath(&a.Release.Spec)) + "?" + query
}

// firstVaried returns the input that a reader probably wants to vary: the first number that was
// sent, "" if there is none.
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

// getVaried answers GET /calc/{group}/{tool}/vary: what a page shows for the keys vary, without
// the page, for scripts. A version is pinned as in the API.
func (p *Pages) getVaried(w http.ResponseWriter, r *http.Request) error {
	pins := pinsOf(r)
	_, release, err := p.find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if err := checkLength(r); err != nil {
		return err
	}
	s := readAddress(typed.Numbers, &release.Spec, r)
	if problem := s.view.problem(); problem != nil {
		return problem
	}
	out, _, err := p.variedOf(r, s, pins)
	if err != nil {
		return err
	}
	html, err := execute("varied", out)
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

// getVariedNumbers answers GET /api/v1/capabilities/{id}/vary: the varied numbers as CSV. The
// query is that of a page, and may pin a version as in the API.
func (p *Pages) getVariedNumbers(w http.ResponseWriter, r *http.Request) error {
	pins, release, err := p.pinned(r)
	if err != nil {
		return err
	}
	s, err := readNumbers(&release.Spec, r)
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
	p.writeCSV(w, a, "vary", data)
	return nil
}

// pinned returns the release that a request for CSV means, and the pins.
func (p *Pages) pinned(r *http.Request) ([]versions.Pin, *calc.Release, error) {
	entry, err := p.service.Catalog().Find(r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return nil, nil, err
	}
	release, err := entry.Release(pins)
	return pins, release, err
}

// variedOf computes what the query of a request varies.
func (p *Pages) variedOf(r *http.Request, s *formValues, pins []versions.Pin) (*varied, *calc.Answer, error) {
	if len(s.view.Vary) == 0 {
		return nil, nil, calc.InvalidParameter(varyKey, "Say what to vary, such as vary=length:1:5:9.", "the query does not say which input to vary")
	}
	a, err := p.calculate(r.Context(), s, pins)
	if err != nil {
		return nil, nil, err
	}
	return p.vary(r, a, &s.view), a, nil
}
