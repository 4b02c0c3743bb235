// Package about collects what pages show about a release or a snapshot, apart from the numbers of a calculation.
// [NewReleases] reads from a site. [Releases] returns [Facts] such as formulas, assumptions and references, and
// [Described] with the evidence of a release. It caches what is expensive. [Snapshot] has the facts of a stored
// result and its [Record].
package about

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// Facts holds the facts that are the same for every calculation of a release.
type Facts struct {
	Formulas       []Formula
	Whole          *Formula // all formulas in one; nil if there is one formula, or the release has no text
	Assumptions    []string
	SignConvention string
	References     []sdk.Reference
	Limits         []limit
	Document       *Document // nil if the engine is a program
}

// Document is the document of a text engine.
type Document struct {
	Text   string
	Digest string
	Path   string // of the document alone
	Tables []used // published tables that it uses
	Called []used // published calculations that it calls
}

// used is a published table or calculation that a document uses, with the path of its page.
type used struct{ Title, Path string }

// limit is one bound of validity in words.
type limit struct{ Text, Doc, Warning string }

// Facts returns the facts of a release in the units of a system. They come from the Spec, so they are complete also if the
// content of the release cannot be read.
func (p *Releases) Facts(r *catalog.Release, system customary.System) Facts {
	r = p.In(r, system)
	d, _ := p.Describe(r)
	facts := d.facts
	reader := customary.NewReader(system)
	for i := range r.Spec.Limits {
		facts.Limits = append(facts.Limits, formatLimit(&r.Spec, &r.Spec.Limits[i], reader))
	}
	return facts
}

func (p *Releases) newFacts(r *catalog.Release) Facts {
	spec := &r.Spec
	a := Facts{Assumptions: wording.AllInWords(spec, spec.Assumptions), SignConvention: wording.InWords(spec, spec.SignConvention), References: spec.References}
	for i := range spec.Formulas {
		a.Formulas = append(a.Formulas, *p.typeset(r, &spec.Formulas[i]))
	}
	a.Whole = p.whole(r)
	if spec.Document != "" {
		a.Document = p.newDocument(r)
	}
	return a
}

func (p *Releases) newDocument(r *catalog.Release) *Document {
	d := &Document{
		Text: r.Spec.Document, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(r.Spec.Document))),
		Path: p.Link("/api/v1/capabilities/" + url.PathEscape(r.Capability) + "/text?calculation_version=" + url.QueryEscape(r.Version)),
	}
	for _, u := range r.Spec.Uses {
		if u.Spec != nil {
			d.Called = append(d.Called, used{u.Title + ", version " + u.Version, p.calculator(&u)})
			continue
		}
		d.Tables = append(d.Tables, used{u.Title + ", version " + u.Version, p.Link("/tables/" + url.PathEscape(u.ID) + "?" + address.VersionKey + "=" + url.QueryEscape(u.Version))})
	}
	return d
}

// calculator returns the path of the calculator of a calculation that a document calls, "" if this service does not
// publish it.
func (p *Releases) calculator(u *sdk.Use) string {
	entry, err := p.Service.Catalog().Find(u.ID)
	if err != nil || entry.Version(u.Version) == nil {
		return ""
	}
	return p.Link(catalog.PagePath(u.Spec)) + "?" + address.VersionKey + "=" + url.QueryEscape(u.Version)
}

func formatLimit(spec *sdk.Spec, l *sdk.Limit, reader *customary.Reader) limit {
	text := wording.QuantityInWords(spec, l.Quantity)
	bound := boundsOf(spec, l, reader)
	switch {
	case l.Min != nil && l.Max != nil:
		text += ": from " + bound(*l.Min) + " to " + bound(*l.Max)
	case l.Min != nil:
		text += ": at least " + bound(*l.Min)
	case l.Max != nil:
		text += ": at most " + bound(*l.Max)
	}
	return limit{text, wording.InWords(spec, l.Doc), l.Warning}
}

// boundsOf returns what shows the bounds of a limit. If the unit of the author is not a unit of the reader, it is the unit for
// the larger bound.
func boundsOf(spec *sdk.Spec, l *sdk.Limit, reader *customary.Reader) func(x float64) string {
	show := func(number, unit string) string {
		return strings.TrimSpace(strings.Replace(number, "-", "−", 1) + " " + formula.FormatUnit(unit))
	}
	asWritten := func(x float64) string { return show(wording.Shortest(x), l.Unit) }
	f := wording.FieldNamed(spec, l.Quantity) // an expression of kelvins is a difference
	q, listed := customary.Of(spec, l.Unit, l.Unit == "K" && (f == nil || wording.IsDifference(f)))
	if !listed {
		return asWritten
	}
	unit, largest := l.Unit, 0.0
	switch {
	case q.Difference:
		unit += " difference"
	case unit == "K":
		unit = "degC"
	}
	for _, x := range []*float64{l.Min, l.Max} {
		if x != nil {
			largest = max(largest, math.Abs(q.Convert(*x, units.SI(q.Unit.Quantity))))
		}
	}
	_, in := reader.InText(spec, unit, largest)
	to, ok := units.Lookup(in)
	if !ok {
		return asWritten
	}
	return func(x float64) string { return show(formula.Rounded(q.Convert(x, to), limitDigits), in) }
}

// limitDigits is the number of digits of a bound in another unit.
const limitDigits = 4
