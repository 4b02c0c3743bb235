package docs

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// Limits of a search.
const (
	maxQuestion = 200 // bytes that are read
	maxFound    = 30
	maxSnippet  = 220
)

// part is a heading with the text below it, for the search.
type part struct {
	id, title string
	text      string
	folded    string // text and title in lower case
}

// Found is a part of a page with the words of a question.
type Found struct {
	Page    *Page
	ID      string // anchor, "" for the start of the page
	Title   string // of the part, "" for the start of the page
	Snippet string
	weight  int
}

// collect adds a block to the parts of the page.
func (s *source) collect(n ast.Node) {
	p := s.page
	if h, ok := n.(*ast.Heading); ok {
		id, _ := h.AttributeString("id")
		anchor, _ := id.([]byte)
		p.parts = append(p.parts, part{id: string(anchor), title: s.plain(h)})
		return
	}
	if len(p.parts) == 0 {
		p.parts = append(p.parts, part{})
	}
	last := &p.parts[len(p.parts)-1]
	last.text += s.plain(n) + " "
	last.folded = strings.ToLower(last.title + " " + last.text)
}

// Search returns the parts with all words of a question, the best first. If no part has all, it returns parts with some.
func (t *Tree) Search(question string) []Found {
	words := wordsOf(question)
	if len(words) == 0 {
		return nil
	}
	var all, some []Found
	for _, page := range t.pages {
		for i := range page.parts {
			f, had := page.find(i, words)
			switch had {
			case 0:
			case len(words):
				all = append(all, f)
			default:
				some = append(some, f)
			}
		}
	}
	if len(all) == 0 {
		all = some
	}
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(b.weight, a.weight) })
	return all[:min(len(all), maxFound)]
}

// wordsOf returns the words of a question in lower case.
func wordsOf(question string) []string {
	return strings.FieldsFunc(strings.ToLower(question[:min(len(question), maxQuestion)]), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
}

// find looks for words in one part. Had is the number of words that it has.
func (p *Page) find(i int, words []string) (f Found, had int) {
	part := &p.parts[i]
	f.Page, f.ID = p, part.id
	if i > 0 {
		f.Title = part.title
	}
	title := strings.ToLower(part.title)
	first := len(part.text)
	for _, w := range words {
		n := strings.Count(part.folded, w)
		if n == 0 {
			continue
		}
		had++
		f.weight += min(n, 5)
		if strings.Contains(title, w) {
			f.weight += 20
		}
		if strings.Contains(strings.ToLower(p.Title), w) {
			f.weight += 5
		}
		if at := strings.Index(strings.ToLower(part.text), w); at >= 0 {
			first = min(first, at)
		}
	}
	f.weight += 100 * had
	if strings.HasPrefix(p.file, "internals/") { // for developers of Slipstick
		f.weight -= 20
	}
	f.Snippet = snippet(part.text, first)
	return f, had
}

// snippet returns some text around a place, from word to word.
func snippet(text string, at int) string {
	text = strings.Join(strings.Fields(text[max(0, min(at-80, len(text))):]), " ")
	cut := at > 80
	if len(text) > maxSnippet {
		text = text[:maxSnippet]
		text = strings.ToValidUTF8(text[:max(0, strings.LastIndexByte(text, ' '))], "") + " …"
	}
	if cut {
		_, text, _ = strings.Cut(text, " ")
		text = "… " + text
	}
	return text
}
