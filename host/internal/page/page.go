// Package page is the face of the calculation service for people: an index with search,
// calculators, sheets of results, snapshots, evidence and problems. Every page works
// without JavaScript, and says the same to machines: a page with a result holds the
// answer of the API, byte for byte, and the same as linked data.
//
// Nothing is computed here. What a page shows comes from the calculation service, and
// what was typed goes to it through the scanner that also reads JSON.
package page

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/formula"
	"github.com/slipstick/slipstick/host/internal/search"
	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// Formulas turns LaTeX into MathML, as it stands and with numbers for symbols.
type Formulas interface {
	MathML(latex string, display bool) (template.HTML, error)
	Substitute(latex string, values []formula.Value) (template.HTML, error)
}

// Options of Pages. The zero value is usable.
type Options struct {
	Snapshots *snapshot.Store  // nil: nothing can be frozen
	Formulas  Formulas         // nil: formulas are shown as plain text
	Log       *slog.Logger     // failures that are not the caller's; discarded if nil
	Now       func() time.Time // time.Now if nil
}

// Pages makes the pages of a service. It is safe for concurrent use.
type Pages struct {
	service *calc.Service
	options Options
	root    string // path of the service below its host, mostly ""
	found   search.Live
	cache   releaseCache
}

// New returns the Pages of the service.
func New(service *calc.Service, o *Options) *Pages {
	p := &Pages{service: service}
	if o != nil {
		p.options = *o
	}
	if p.options.Log == nil {
		p.options.Log = slog.New(slog.DiscardHandler)
	}
	if p.options.Now == nil {
		p.options.Now = time.Now
	}
	if base, err := url.Parse(service.BaseURL()); err == nil {
		p.root = strings.TrimRight(base.Path, "/")
	}
	return p
}

// report logs a problem that is ours, of a part of a page that is shown without it.
func (p *Pages) report(ctx context.Context, problem *calc.Problem) {
	if problem.Status() >= http.StatusInternalServerError && ctx.Err() == nil { // if not, nobody waits for an answer any more
		p.options.Log.Error("page failed", "code", problem.Code, "error", problem.Cause)
	}
}

// link is the address of a path on this service, for pages.
func (p *Pages) link(path string) string { return p.root + path }

// address is the public address of a path.
func (p *Pages) address(path string) string { return p.service.BaseURL() + path }
