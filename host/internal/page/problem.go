package page

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// problemPage explains one code.
type problemPage struct {
	layout
	Doc calc.CodeDoc
	By  []card // calculators whose engines declare it
}

// Problem returns the page about an error code.
func (p *Pages) Problem(doc calc.CodeDoc) ([]byte, error) {
	address := "/problems/" + calc.NewProblem(doc.Code, "", "").Slug()
	view := &problemPage{layout: p.layout(doc.Title+": "+doc.Code, doc.Cause, address, asset{}), Doc: doc, By: p.cards(doc.DeclaredBy)}
	return execute("problem", view)
}

// cards returns the calculators with the ids, each once.
func (p *Pages) cards(ids []string) []card {
	var list []card
	for _, id := range ids {
		e, err := p.service.Catalog().Find(id)
		if err != nil || e.Shown() == nil {
			continue
		}
		c := p.card(e.Shown())
		if !slices.ContainsFunc(list, func(other card) bool { return other.Path == c.Path }) {
			list = append(list, c)
		}
	}
	return list
}

// failurePage explains why a page cannot be shown, and where to go instead.
type failurePage struct {
	layout
	Status     int
	Heading    string
	Detail     string
	Suggestion string
	Code       string
	Address    string // of the page about the code
	Near       []card
	Retry      int // seconds
}

// headings replaces titles of problems that only make sense for the API.
var headings = map[string]string{
	calc.CodeEngineNotFound:    "There is no such calculator",
	calc.CodeNotFound:          "There is nothing here",
	calc.CodeSnapshotNotFound:  "There is no such snapshot",
	calc.CodeRateLimited:       "Too many requests",
	calc.CodeEngineUnavailable: "This cannot be calculated at the moment",
	calc.CodeInternalError:     "Something went wrong here",
}

// Failure returns the page about a failed request of a browser.
func (p *Pages) Failure(problem *calc.Problem) ([]byte, error) {
	heading := cmp.Or(headings[problem.Code], problem.Title())
	view := &failurePage{
		layout: p.layout(heading, "", "", asset{}), Status: problem.Status(), Heading: heading,
		Detail: asSentence(problem.Detail), Suggestion: problem.Suggestion, Code: problem.Code, Address: p.link("/problems/" + problem.Slug()),
		Near: p.cards(problem.AcceptableIDs[:min(maxNearest, len(problem.AcceptableIDs))]),
	}
	if view.Status == http.StatusServiceUnavailable || view.Status == http.StatusTooManyRequests {
		view.Retry = max(1, problem.RetryAfter)
	}
	return execute("failure", view)
}
