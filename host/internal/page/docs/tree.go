package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// indexFile lists all pages in the order of the navigation. Its headings of level 2 are the sections.
const indexFile = "README.md"

// pictureTypes are the media types of pictures, by extension.
var pictureTypes = map[string]string{".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}

// Tree is the documentation.
type Tree struct {
	Index    *Page
	Sections []Section
	pages    []*Page          // in the order of the navigation, the index first
	byPath   map[string]*Page // by URL
	pictures map[string][]byte
}

// Section is a part of the navigation.
type Section struct {
	Title string
	Pages []*Page
}

// Page is one Markdown file.
type Page struct {
	Path     string // URL without the root of the service, such as /docs/start/agent
	Title    string // heading of level 1
	Short    string // title in the index, for the navigation
	Summary  string // first paragraph, as plain text
	Headings []Heading

	file  string // such as start/agent.md
	html  []byte
	parts []part
}

// Heading is a heading of level 2.
type Heading struct{ ID, Text string }

// Read reads the documentation. The index must list every page, and every link must lead to a page and an anchor that exist.
func Read(files fs.FS) (*Tree, error) {
	t := &Tree{byPath: map[string]*Page{}, pictures: map[string][]byte{}}
	sources := map[string]*source{}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		switch {
		case err != nil:
			return err
		case path.Ext(name) == ".md":
			sources[name] = parse(name, data)
		case pictureTypes[path.Ext(name)] != "":
			t.pictures[name] = data
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if sources[indexFile] == nil {
		return nil, fmt.Errorf("the documentation has no %s", indexFile)
	}
	for name, s := range sources {
		s.page.Path = pathOf(name)
		t.byPath[s.page.Path] = s.page
	}
	t.Index = sources[indexFile].page
	if err := t.order(sources); err != nil {
		return nil, err
	}
	var wrong []error
	for _, page := range t.pages {
		wrong = append(wrong, sources[page.file].render(t))
	}
	return t, errors.Join(wrong...)
}

// order reads the navigation from the index.
func (t *Tree) order(sources map[string]*source) error {
	t.pages = []*Page{t.Index}
	t.Index.Short = t.Index.Title
	for _, l := range sources[indexFile].list() {
		if l.section != "" {
			t.Sections = append(t.Sections, Section{Title: l.section})
			continue
		}
		s := sources[l.file]
		if s == nil {
			continue // another place, such as the API reference, or a broken link that render reports
		}
		if len(t.Sections) == 0 || slices.Contains(t.pages, s.page) {
			continue
		}
		s.page.Short = l.text
		last := &t.Sections[len(t.Sections)-1]
		last.Pages = append(last.Pages, s.page)
		t.pages = append(t.pages, s.page)
	}
	for name, s := range sources {
		if slices.Contains(t.pages, s.page) {
			continue
		}
		if parent := t.byPath[path.Dir(s.page.Path)]; parent == nil || parent == t.Index {
			return fmt.Errorf("%s does not list %s", indexFile, name)
		}
		s.page.Short = s.page.Title
		t.pages = append(t.pages, s.page) // such as a decision record, which the page of its directory lists
	}
	slices.SortStableFunc(t.pages[1+t.listed():], func(a, b *Page) int { return strings.Compare(a.file, b.file) })
	return nil
}

// listed returns the number of pages in the navigation.
func (t *Tree) listed() (n int) {
	for _, s := range t.Sections {
		n += len(s.Pages)
	}
	return n
}

// around returns the pages before and after a page in the navigation.
func (t *Tree) around(page *Page) (previous, next *Page) {
	i := slices.Index(t.pages, page)
	last := t.listed()
	if i < 0 || i > last {
		return nil, nil
	}
	if i > 0 {
		previous = t.pages[i-1]
	}
	if i < last {
		next = t.pages[i+1]
	}
	return previous, next
}

// Pages returns all pages. The index is the first.
func (t *Tree) Pages() []*Page { return t.pages }

// Pictures returns the pictures by their paths below /docs.
func (t *Tree) Pictures() map[string][]byte { return t.pictures }

// pathOf returns the URL of a file.
func pathOf(file string) string {
	dir, base := path.Split(file)
	if base == indexFile {
		return strings.TrimSuffix(path.Join(Path, dir), "/")
	}
	return path.Join(Path, strings.TrimSuffix(file, ".md"))
}
