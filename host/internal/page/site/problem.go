package site

import (
	"cmp"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// problemPage explains one code.
type problemPage struct {
	Layout
	Doc problem.Doc
	By  []Card // calculators with an engine that declares it

	Manual string // URL in the documentation, "" for codes that only engines have
}

// Problem returns the page about an error code.
func (s *Site) Problem(doc problem.Doc) ([]byte, error) {
	address := "/problems/" + problem.New(doc.Code, "", "").Slug()
	view := &problemPage{Layout: s.Layout(doc.Title+": "+doc.Code, doc.Cause, address, Asset{}), Doc: doc, By: s.cards(doc.DeclaredBy)}
	if len(doc.DeclaredBy) == 0 {
		view.Manual = s.Link("/docs/reference/errors#" + strings.ToLower(doc.Code))
	}
	return templates.Execute("problem", view)
}

// failurePage explains why the server cannot show a page, and links to pages that can help.
type failurePage struct {
	Layout
	Status     int
	Heading    string
	Detail     string
	Suggestion string
	Code       string
	Address    string // URL of the page about the code
	Near       []Card
}

// headings replaces titles of problems that are only meaningful in the API.
var headings = map[string]string{
	problem.CodeEngineNotFound:    "Calculator not found",
	problem.CodeNotFound:          "Page not found",
	problem.CodeSnapshotNotFound:  "Snapshot not found",
	problem.CodeRateLimited:       "Too many requests",
	problem.CodeEngineUnavailable: "Calculator temporarily unavailable",
	problem.CodeInternalError:     "Internal error",
}

// Failure returns the page about a failed request of a browser.
func (s *Site) Failure(failure *problem.Problem) ([]byte, error) {
	heading := cmp.Or(headings[failure.Code], failure.Title())
	return templates.Execute("failure", &failurePage{
		Layout: s.Layout(heading, "", "", Asset{}), Status: failure.Status(), Heading: heading,
		Detail: wording.AsSentence(failure.Detail), Suggestion: failure.Suggestion, Code: failure.Code, Address: s.Link("/problems/" + failure.Slug()),
		Near: s.cards(failure.AcceptableIDs[:min(maxNearest, len(failure.AcceptableIDs))]),
	})
}
