package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
)

// indexPage lists all calculators, or those that a search found.
type indexPage struct {
	layout
	Heading  string
	Question string
	Searched bool
	Hits     []card
	Domains  []domain
	Count    int
}

// domain is a field of engineering and its groups.
type domain struct {
	ID, Name string
	Groups   []group
}

// Count returns the number of calculators in the domain.
func (d domain) Count() int {
	n := 0
	for _, g := range d.Groups {
		n += len(g.Tools)
	}
	return n
}

// group is a group of calculators under one heading.
type group struct {
	ID, Name string
	Anchor   string
	Named    bool // the group has another name than its domain
	Tools    []card
}

// card is one calculator in a list.
type card struct {
	Title, Summary string
	Path           string
	Tier, TierName string
	Words          string // further words that find it, besides the visible ones
}

// maxHits is how many calculators a search shows.
const maxHits = 30

// getIndex answers GET /.
func (p *Pages) getIndex(w http.ResponseWriter, r *http.Request) error {
	view := p.index("Engineering calculators", "/")
	view.Heading = "Calculations that can be trusted years later"
	view.Description = "Every result comes with its formula, its assumptions and what was checked, and with a version that will give the same numbers again."
	if raw := r.URL.RawQuery; raw != "" {
		if len(raw) > maxQuery {
			return calc.NewProblem(calc.CodeInvalidJSON, "Ask in fewer words.", "the question is longer than %d bytes", maxQuery)
		}
		view.Question = strings.ToValidUTF8(strings.TrimSpace(first(r.URL.Query()["q"])), "")
	}
	if view.Question != "" {
		view.search(p, view.Question)
	}
	return writeIndex(w, r, view)
}

// getGroup answers GET /calc/{group}.
func (p *Pages) getGroup(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("group")
	view := p.index(formatName(id), "/calc/"+url.PathEscape(id))
	var kept []domain
	for _, d := range view.Domains {
		d.Groups = slices.DeleteFunc(d.Groups, func(g group) bool { return g.ID != id })
		if len(d.Groups) > 0 {
			kept = append(kept, d)
		}
	}
	if len(kept) == 0 {
		return p.missing(id)
	}
	view.Domains, view.Count = kept, 0
	for _, d := range kept {
		view.Count += d.Count()
	}
	view.Description = "Every result with its formula, its assumptions and what was checked."
	return writeIndex(w, r, view)
}

func writeIndex(w http.ResponseWriter, r *http.Request, view *indexPage) error {
	html, err := execute("index", view)
	return writeKept(w, r, html, err)
}

// index lists everything that can be served.
func (p *Pages) index(heading, path string) *indexPage {
	view := &indexPage{layout: p.layout(heading, "", path, indexJS), Heading: heading}
	for _, e := range p.service.Catalog().Entries() {
		shown := e.Shown()
		if shown == nil {
			continue
		}
		id, _, _ := strings.Cut(e.ID, ".")
		d := findOrAdd(&view.Domains, func(d domain) bool { return d.ID == id }, domain{ID: id, Name: formatName(id)})
		g := findOrAdd(&d.Groups, func(g group) bool { return g.ID == shown.Spec.Group }, group{
			ID: shown.Spec.Group, Name: formatName(shown.Spec.Group), Anchor: "group-" + id + "-" + shown.Spec.Group, Named: shown.Spec.Group != id,
		})
		g.Tools = append(g.Tools, p.card(shown))
		view.Count++
	}
	return view
}

// findOrAdd returns the matching item of the list. If there is none, it appends a new one.
func findOrAdd[T any](list *[]T, fits func(T) bool, new T) *T {
	i := slices.IndexFunc(*list, fits)
	if i < 0 {
		i = len(*list)
		*list = append(*list, new)
	}
	return &(*list)[i]
}

func (p *Pages) card(r *calc.Release) card {
	tier := r.Verification.Tier
	return card{
		Title: r.Spec.Title, Summary: r.Spec.Summary, Path: p.link(calc.PagePath(&r.Spec)), Tier: string(tier), TierName: tierTexts[tier].name,
		Words: strings.ToLower(strings.Join(slices.Concat([]string{r.Spec.Tool, r.Capability}, r.Spec.Keywords, outputNames(&r.Spec)), " ")),
	}
}

func outputNames(spec *sdk.Spec) []string {
	var list []string
	for i := range spec.Outputs {
		list = append(list, strings.ReplaceAll(spec.Outputs[i].Name, "_", " "))
	}
	return list
}

// search lists the calculators that match the question.
func (v *indexPage) search(p *Pages, question string) {
	v.Searched = true
	for _, hit := range p.found.Of(p.service.Catalog()).Search(question, "") {
		if shown := hit.Entry.Shown(); shown != nil && len(v.Hits) < maxHits {
			v.Hits = append(v.Hits, p.card(shown))
		}
	}
}
