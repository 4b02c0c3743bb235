package docs

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	documentation "github.com/slipstick/slipstick/docs"
)

// repository is the place of files that are not part of the documentation.
const repository = "https://github.com/slipstick/slipstick/blob/main/"

// rootMark stands for the path of the service in rendered links. No page has such a path.
const rootMark = "/.root"

// markdown is GitHub's Markdown. Raw HTML is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// source is a parsed file.
type source struct {
	page    *Page
	data    []byte
	doc     ast.Node
	anchors map[string]bool
}

func parse(name string, data []byte) *source {
	s := &source{page: &Page{file: name}, data: data, anchors: map[string]bool{}}
	s.doc = markdown.Parser().Parse(text.NewReader(data), parser.WithContext(parser.NewContext(parser.WithIDs(&ids{s.anchors}))))
	for n := s.doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			s.heading(n)
		case *ast.Paragraph:
			if s.page.Summary == "" {
				s.page.Summary = s.plain(n)
			}
		}
		s.collect(n)
	}
	return s
}

func (s *source) heading(n *ast.Heading) {
	title := s.plain(n)
	id, _ := n.AttributeString("id")
	anchor, _ := id.([]byte)
	switch n.Level {
	case 1:
		s.page.Title = title
	case 2:
		s.page.Headings = append(s.page.Headings, Heading{string(anchor), title})
	}
}

// plain returns the text of a node without its markup.
func (s *source) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(s.data))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(s.data))
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(s.data))
			}
		}
		if !entering && n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// listed is a heading of level 2, or a link of an index.
type listed struct{ section, file, text string }

// list returns the sections and links of an index, in their order.
func (s *source) list() (all []listed) {
	_ = ast.Walk(s.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				all = append(all, listed{section: s.plain(n)})
			}
		case *ast.Link:
			file, _, _ := strings.Cut(string(n.Destination), "#")
			all = append(all, listed{file: path.Join(path.Dir(s.page.file), file), text: s.plain(n)})
		}
		return ast.WalkContinue, nil
	})
	return all
}

// render makes the HTML of a page. The error names each link that leads nowhere.
func (s *source) render(t *Tree) error {
	var wrong []error
	_ = ast.Walk(s.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, err := s.target(t, string(n.Destination))
			n.Destination, wrong = []byte(to), append(wrong, err)
		case *ast.Image:
			to, err := s.target(t, string(n.Destination))
			n.Destination, wrong = []byte(to), append(wrong, err)
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, s.data, s.doc); err != nil {
		return fmt.Errorf("%s: %w", s.page.file, err)
	}
	// Wide tables and code scroll on their own, and must be reachable from the keyboard.
	s.page.html = []byte(strings.NewReplacer(
		"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`,
	).Replace(b.String()))
	return errors.Join(wrong...)
}

// target returns the URL for a link.
func (s *source) target(t *Tree, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.IsAbs() || u.Host != "" {
		return link, err
	}
	if strings.HasPrefix(link, "#") {
		return link, s.page.checkAnchor(s.page.file, u.Fragment)
	}
	file := path.Join(path.Dir(s.page.file), u.Path)
	if rest, outside := strings.CutPrefix(file, "../"); outside {
		return repository + rest, nil
	}
	if _, ok := t.pictures[file]; ok {
		return rootMark + Path + "/" + file, nil
	}
	page := t.byPath[pathOf(file)]
	if page == nil || page.file != file {
		if strings.HasPrefix(file, "examples") {
			return repository + "docs/" + file, nil
		}
		return link, fmt.Errorf("%s: the link %s leads nowhere", s.page.file, link)
	}
	to := rootMark + page.Path
	if u.Fragment == "" {
		return to, nil
	}
	return to + "#" + u.Fragment, page.checkAnchor(s.page.file, u.Fragment)
}

func (p *Page) checkAnchor(from, anchor string) error {
	for _, part := range p.parts {
		if part.id == anchor {
			return nil
		}
	}
	return fmt.Errorf("%s: %s has no heading #%s", from, p.file, anchor)
}

// body returns the HTML of a page for a service below root.
func (p *Page) body(root string) template.HTML {
	return template.HTML(bytes.ReplaceAll(p.html, []byte(`="`+rootMark+`/`), []byte(`="`+root+`/`))) // goldmark escapes all text
}

// ids makes the ids of headings as GitHub does.
type ids struct{ taken map[string]bool }

// Generate implements [parser.IDs].
func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := documentation.Slug(string(value))
	id := slug
	for n := 1; i.taken[id]; n++ {
		id = slug + "-" + strconv.Itoa(n)
	}
	i.taken[id] = true
	return []byte(id)
}

// Put implements [parser.IDs].
func (i *ids) Put(value []byte) { i.taken[string(value)] = true }
