package trust

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// shadowFile is the path of the page about candidates, relative to the page of a calculator.
const shadowFile = "/shadow"

// shadowPage compares the shadow candidates of a calculator with the current version.
type shadowPage struct {
	site.Layout
	Name     string // of the calculator
	Path     string
	Compared []shadowed
}

// shadowed is one shadow candidate.
type shadowed struct {
	ID        string // unique on the page
	Candidate string
	Current   string
	Part      string
	Began     string
	State     string
	Total     uint64 // number of compared calculations
	Counts    []shadowCount
	Outputs   []shadowOutput
	Refusals  []shadow.Refusals
	Obstacles []shadowObstacle
	Failure   string
	Examples  bool
}

// shadowCount is one row of the outcomes.
type shadowCount struct {
	What, Means string
	Count       uint64
}

// shadowOutput is an output with differences.
type shadowOutput struct {
	Label, Name string
	Differs     uint64
	Largest     string
	Worst       []shadowExample
}

// shadowExample is a difference, with a link to the page that computes both versions.
type shadowExample struct {
	Distance, Path, Inputs, Old, New string
	Link                             string // "" if the inputs are too long for a URL
}

// shadowObstacle is an input that prevented comparisons.
type shadowObstacle struct {
	Field, Reason string
	Count         uint64
}

// getShadow answers GET /calc/{group}/{tool}/shadow.
func (p *Pages) getShadow(w http.ResponseWriter, r *http.Request) error {
	entry, shown, err := p.FindEntry(w, r)
	if err != nil || shown == nil {
		return err
	}
	path := catalog.PagePath(&shown.Spec)
	view := &shadowPage{
		Layout: p.Layout("Shadow candidates: "+shown.Spec.Title, "Comparisons of shadow candidates of "+shown.Spec.Title+" with the current version.", path+shadowFile, site.Asset{}),
		Name:   shown.Spec.Title, Path: p.Link(path),
	}
	for _, c := range p.shadow().Comparisons {
		if c.Capability == entry.ID {
			view.Compared = append(view.Compared, p.shadowed(entry, &shown.Spec, &c, len(view.Compared)+1))
		}
	}
	html, err := templates.Execute("shadow", view)
	web.SetNoStore(w.Header())
	return site.WritePage(w, r, html, err)
}

// shadowed returns the comparison with one candidate for people. The Spec describes the calculator.
func (p *Pages) shadowed(entry *catalog.Entry, spec *sdk.Spec, c *shadow.Comparison, n int) shadowed {
	if i := slices.IndexFunc(entry.Releases, func(r *catalog.Release) bool { return r.Digest == c.Current.Digest }); i >= 0 {
		spec = &entry.Releases[i].Spec
	}
	v := shadowed{
		ID: fmt.Sprintf("candidate-%d", n), Candidate: c.Candidate.Version, Current: c.Current.Version, Part: c.Part(),
		Began: c.Began.UTC().Format(time.RFC3339), State: "ended", Total: c.Compared(), Refusals: c.Refusals, Failure: c.Failure, Examples: c.Examples,
	}
	if c.Running {
		v.State = "running"
	}
	for _, count := range []shadowCount{
		{"Same", "bit-identical result, or the same refusal", c.Same},
		{"Changed", "another result", c.Changed},
		{"Refused now", "refused by the candidate, answered by version " + v.Current, c.Refused},
		{"Answered now", "answered by the candidate, refused by version " + v.Current, c.Answered},
		{"Refused otherwise", "refused by both, with another code or for another field", c.Reworded},
		{"Cannot compare", "the candidate does not accept inputs of this form", c.Incomparable},
		{"Failed", "the candidate gave no result", c.Failed},
		{"Dropped", "not compared, because the queue was full, the data was too large, or memory was low", c.Dropped.All()},
	} {
		if count.Count > 0 {
			v.Counts = append(v.Counts, count)
		}
	}
	for _, o := range c.Outputs {
		out := shadowOutput{Label: o.Name, Name: o.Name, Differs: o.Differs, Largest: distanceText(o.Largest)}
		if i := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == o.Name }); i >= 0 {
			out.Label = wording.Label(&spec.Outputs[i])
		}
		for _, e := range o.Worst {
			out.Worst = append(out.Worst, shadowExample{
				Distance: distanceText(e.Distance), Path: e.Path, Inputs: formatJSON(string(e.Inputs)), Old: string(e.Old), New: string(e.New),
				Link: p.comparing(spec, e.Inputs, c),
			})
		}
		v.Outputs = append(v.Outputs, out)
	}
	for _, o := range c.Obstacles {
		v.Obstacles = append(v.Obstacles, shadowObstacle{o.Field, wording.AsSentence(o.Reason.Words()), o.Count})
	}
	return v
}

// comparing returns the URL of the page that computes inputs with both versions, "" if the inputs are too long for a URL.
func (p *Pages) comparing(spec *sdk.Spec, inputs []byte, c *shadow.Comparison) string {
	object, err := strictjson.ParseObject(inputs)
	if err != nil {
		return ""
	}
	query, ok := address.QueryOf(spec, object, new(address.View))
	if !ok {
		return ""
	}
	return p.Link(catalog.PagePath(spec)) + "?" + query + "&" + url.Values{address.VersionKey: {c.Current.Version}, address.CompareKey: {c.Candidate.Version}}.Encode() + "#compare-versions"
}

// distanceText describes the difference of two values.
func distanceText(d shadow.Distance) string {
	switch {
	case d.Relative != nil && d.Ulps == 1:
		return fmt.Sprintf("relative %.2g: the last bit", *d.Relative)
	case d.Relative != nil:
		return fmt.Sprintf("relative %.2g, %d units in the last place", *d.Relative, d.Ulps)
	case d.Ulps > 0:
		return "from zero"
	}
	return "not a number"
}
