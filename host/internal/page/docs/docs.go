// Package docs serves the documentation as pages below /docs. It renders the Markdown files of the module docs, which are part of
// the program. So the pages describe the version that runs, and need no network.
//
// [Read] reads the files into a [Tree], and [New] returns its [Pages].
package docs

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/site"
)

// Path is the path of the documentation. A page has the path of its file below it, without .md.
const Path = "/docs"

// Pages renders a Tree in the layout of the site. It is safe for concurrent use.
type Pages struct {
	*site.Site
	read    func() (*Tree, error) // reads the files at the first request
	version string
}

// New returns the pages for files, see [Read]. The version is the version of the program, for the foot of the pages.
func New(s *site.Site, files fs.FS, version string) *Pages {
	return &Pages{s, sync.OnceValues(func() (*Tree, error) { return Read(files) }), version}
}

// Tree returns the documentation.
func (p *Pages) Tree() (*Tree, error) { return p.read() }

// Routes returns the routes of the pages and of their pictures. GET /docs?q=WORDS searches.
func (p *Pages) Routes() []web.Route {
	search := web.Query{Parameters: []web.Parameter{{Name: site.QuestionKey}}, Others: web.Foreign}
	return []web.Route{
		site.Get(Path, search, p.getIndex),
		site.Get(Path+"/{path...}", site.ForeignQuery, p.getPage),
	}
}

// getIndex answers GET /docs.
func (p *Pages) getIndex(w http.ResponseWriter, r *http.Request) error {
	tree, err := p.read()
	if err != nil {
		return err
	}
	if question := strings.TrimSpace(r.URL.Query().Get(site.QuestionKey)); question != "" {
		html, err := p.results(tree, question)
		return site.WritePage(w, r, html, err)
	}
	html, err := p.page(tree, tree.Index)
	return site.WriteCacheable(w, r, html, err)
}

// getPage answers GET /docs/{path...}.
func (p *Pages) getPage(w http.ResponseWriter, r *http.Request) error {
	tree, err := p.read()
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(r.PathValue("path"), "/")
	if picture, ok := tree.pictures[name]; ok {
		h := w.Header()
		h.Set("Content-Type", pictureTypes[path.Ext(name)])
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=60")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture))
		return nil
	}
	page := tree.byPath[Path+"/"+name]
	if page == nil {
		return web.NotFound(r)
	}
	html, err := p.page(tree, page)
	return site.WriteCacheable(w, r, html, err)
}

// view is a page of the documentation, or the results of a search.
type view struct {
	site.Layout
	Question string
	Sections []viewSection
	Version  string

	Body     template.HTML
	Headings []Heading
	Previous *Page
	Next     *Page

	Found []Found
}

// viewSection is a section of the navigation.
type viewSection struct {
	Title string
	Pages []viewLink
}

type viewLink struct {
	Title, Path string
	Here        bool
}

// page returns a page with its navigation.
func (p *Pages) page(tree *Tree, page *Page) ([]byte, error) {
	v := p.view(tree, page.Title, page.Summary, page)
	v.Body, v.Headings = page.body(p.Root), page.Headings
	v.Previous, v.Next = tree.around(page)
	return templates.Execute("docs", v)
}

// results returns the page with the results of a search.
func (p *Pages) results(tree *Tree, question string) ([]byte, error) {
	v := p.view(tree, "Search the documentation", "", nil)
	v.Question, v.Found = question, tree.Search(question)
	return templates.Execute("docs", v)
}

func (p *Pages) view(tree *Tree, title, description string, here *Page) *view {
	at := ""
	if here != nil {
		at = here.Path
	}
	v := &view{Layout: p.Layout(title, description, at, site.Asset{}), Version: p.version}
	v.Styles = append(v.Styles, p.Asset(styleCSS))
	for _, s := range tree.Sections {
		section := viewSection{Title: s.Title}
		for _, page := range s.Pages {
			section.Pages = append(section.Pages, viewLink{page.Short, p.Link(page.Path), page == here})
		}
		v.Sections = append(v.Sections, section)
	}
	return v
}
