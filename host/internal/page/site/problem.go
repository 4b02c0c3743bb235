package site

import (
	"cmp"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// problemPage explains one code.
type problemPage struct {
	Layout
	Doc calc.CodeDoc
	By  []Card // calculators whose engines declare it
}

// Problem returns the page about an error code.
func (s *Site) Problem(doc calc.CodeDoc) ([]byte, error) {
	address := "/problems/" + calc.NewProblem(doc.Code, "", "").Slug()
	view := &problemPage{Layout: s.Layout(doc.Title+": "+doc.Code, doc.Cause, address, Asset{}), Doc: doc, By: s.cards(doc.DeclaredBy)}
	return templates.Execute("problem", view)
}

// failurePage explains why a page cannot be shown, and where to go instead.
type failurePage struct {
	Layout
	Status     int
	Heading    string
	Detail     string
	Suggestion string
	Code       string
	Address    string // of the page about the code
	Near       []Card
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
func (s *Site) Failure(problem *calc.Problem) ([]byte, error) {
	heading := cmp.Or(headings[problem.Code], problem.Title())
	view := &failurePage{
		Layout: s.Layout(heading, "", "", Asset{}), Status: problem.Status(), Heading: heading,
		Detail: wording.AsSentence(problem.Detail), Suggestion: problem.Suggestion, Code: problem.Code, Address: s.Link("/problems/" + problem.Slug()),
		Near: s.cards(problem.AcceptableIDs[:min(maxNearest, len(problem.AcceptableIDs))]),
	}
	if view.Status == http.StatusServiceUnavailable || view.Status == http.StatusTooManyRequests {
		view.Retry = max(1, problem.RetryAfter)
	}
	return templates.Execute("failure", view)
}
