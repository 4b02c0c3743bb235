package index

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// cursorKey is the key of the query that asks for a further page of a list.
const cursorKey = "cursor"

// indexPage lists all calculators, or the results of a search. A large library has several pages.
type indexPage struct {
	site.Layout
	Heading  string
	Question string
	Searched bool
	Reply    *reply // nil: no answer but the hits
	Hits     []site.Card
	Found    int // number of all hits
	Jumps    []jump
	Domains  []domain
	Count    int // of calculators, on all pages
	Part     bool
	Next     string // URL of the next page, "" on the last page
}

// jump links to a domain.
type jump struct {
	Name, Address string
	Count         int
}

// domain is a field of engineering and its groups.
type domain struct {
	ID, Name string
	Groups   []group
}

// group is a group of calculators under one heading.
type group struct {
	ID, Name string
	Anchor   string
	Named    bool // the group has another name than its domain
	Tools    []site.Card
}

// maxHits is the maximum number of calculators on a page of a search.
const maxHits = 30

// getIndex answers GET /.
func (p *Pages) getIndex(w http.ResponseWriter, r *http.Request) error {
	if err := site.CheckLength(r); err != nil {
		return err
	}
	query := r.URL.Query()
	question := strings.ToValidUTF8(strings.TrimSpace(query.Get(site.QuestionKey)), "")
	page := catalog.Page{Cursor: query.Get(cursorKey)}
	list := page
	if question != "" {
		list.Cursor = "" // the cursor belongs to the hits
	}
	view, err := p.index("Engineering calculators", "/", shownEntries(p.Service.Catalog(), ""), list)
	if err != nil {
		return err
	}
	view.Heading = "Engineering calculations with reproducible results"
	view.Description = "Every result has its formula, its assumptions and its verification status. Its version always gives the same numbers."
	view.Question = question
	if question != "" {
		if err := view.search(r.Context(), p, page); err != nil {
			return err
		}
	}
	return writeIndex(w, r, view)
}

// getGroup answers GET /calc/{group}.
func (p *Pages) getGroup(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("group")
	entries := shownEntries(p.Service.Catalog(), id)
	if len(entries) == 0 {
		return p.Missing(id)
	}
	view, err := p.index(wording.FormatName(id), "/calc/"+url.PathEscape(id), entries, catalog.Page{Cursor: r.URL.Query().Get(cursorKey)})
	if err != nil {
		return err
	}
	view.Description = "Every result has its formula, its assumptions and its verification status."
	return writeIndex(w, r, view)
}

// shownEntries returns the capabilities of a group that a page can show, sorted by id; of all groups if group is "".
func shownEntries(published *catalog.Catalog, group string) []*catalog.Entry {
	var list []*catalog.Entry
	for _, e := range published.Entries() {
		if shown := e.Shown(); shown != nil && (group == "" || shown.Spec.Group == group) {
			list = append(list, e)
		}
	}
	return list
}

func writeIndex(w http.ResponseWriter, r *http.Request, view *indexPage) error {
	html, err := templates.Execute("index", view)
	return site.WriteCacheable(w, r, html, err)
}

// index lists capabilities, or a page of them if there are many.
func (p *Pages) index(heading, path string, entries []*catalog.Entry, page catalog.Page) (*indexPage, error) {
	view := &indexPage{Layout: p.Layout(heading, "", path, indexJS), Heading: heading, Count: len(entries)}
	part, next, err := catalog.PageOf(path, entries, page)
	if err != nil {
		return nil, err
	}
	view.Part = len(part) < len(entries)
	if next != "" {
		view.Next = p.Link(path) + "?cursor=" + url.QueryEscape(next)
	}
	view.Jumps = p.jumps(path, entries, view.Part)
	for _, e := range part {
		shown, id := e.Shown(), domainOf(e)
		d := findOrAdd(&view.Domains, func(d domain) bool { return d.ID == id }, domain{ID: id, Name: wording.FormatName(id)})
		g := findOrAdd(&d.Groups, func(g group) bool { return g.ID == shown.Spec.Group }, group{
			ID: shown.Spec.Group, Name: wording.FormatName(shown.Spec.Group), Anchor: "group-" + id + "-" + shown.Spec.Group, Named: shown.Spec.Group != id,
		})
		g.Tools = append(g.Tools, p.Card(shown))
	}
	return view, nil
}

// jumps links to the domains: to an anchor or, if the list has several pages, to the page of the domain.
func (p *Pages) jumps(path string, entries []*catalog.Entry, part bool) []jump {
	var list []jump
	for i, e := range entries {
		id := domainOf(e)
		if i > 0 && domainOf(entries[i-1]) == id {
			list[len(list)-1].Count++
			continue
		}
		address := "#domain-" + id
		if part {
			address = p.Link(path)
			if cursor := catalog.CursorBefore(path, entries, i); cursor != "" {
				address += "?cursor=" + url.QueryEscape(cursor)
			}
		}
		list = append(list, jump{wording.FormatName(id), address, 1})
	}
	return list
}

// domainOf returns the id of the domain of a capability.
func domainOf(e *catalog.Entry) string {
	id, _, _ := strings.Cut(e.ID, ".")
	return id
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

// search lists the calculators that match the question: the best hits, and further hits on further pages if the library has
// pages.
func (v *indexPage) search(ctx context.Context, p *Pages, page catalog.Page) error {
	v.Searched = true
	hits := p.Search().Search(v.Question, "")
	hits = slices.DeleteFunc(hits, func(h search.Hit) bool { return h.Entry.Shown() == nil })
	v.Reply = p.reply(ctx, v.Question, hits)
	if !v.Part {
		hits = hits[:min(len(hits), maxHits)]
	}
	page.Limit = strconv.Itoa(maxHits)
	from, to, next, err := catalog.RangeOf("?q="+v.Question, len(hits), page)
	if err != nil {
		return err
	}
	v.Next = ""
	if next != "" {
		v.Next = p.Link("/") + "?q=" + url.QueryEscape(v.Question) + "&cursor=" + url.QueryEscape(next)
	}
	for _, hit := range hits[from:to] {
		v.Hits = append(v.Hits, p.Card(hit.Entry.Shown()))
	}
	v.Found = len(hits)
	return nil
}
