// Package formula answers how the LaTeX of a Spec looks on a page. It turns it into MathML.
// Engines that have their formula as text need it only for symbols that are more than letters:
// sdk/formula makes MathML of the text itself.
//
// KaTeX reads the LaTeX, in an interpreter in this process. KaTeX is not in the repository:
// scripts/node/assets puts it into the directory assets, from where it is embedded. Without it
// the package still builds, but [New] returns an error, and pages show the plain Expression.
//
// A Spec comes from a published engine, whose author may be malicious. Its LaTeX is limited in
// length and time, and may not define macros. KaTeX's output is not passed on. It is read into
// a tree of known MathML elements and attributes, without links, styles, colours, or lengths
// that would reach over the rest of the page. The output does not contain the LaTeX: screen
// readers read the MathML, and readers who can use neither get the plain Expression beside it.
package formula

import (
	_ "embed" // of CSS
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"sync"
	"time"
)

// CSS is required by the elements that Renderer makes. It aligns the columns of equations,
// because browsers ignore the attributes for that.
//
//go:embed formula.css
var CSS string

const (
	maxLaTeX = 2 << 10 // bytes; the longest formula of our engines has 700
	maxCells = 300     // of tables, which take the most time for their length
)

// definition matches the definition of a macro. Formulas need no macros, and with macros a
// short text could expand without end.
var definition = regexp.MustCompile(`\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?:[^A-Za-z]|$)`)

// readable returns why the LaTeX must not be converted, nil if it may be.
func readable(latex string) error {
	switch cells := strings.Count(latex, "&") + strings.Count(latex, `\\`); {
	case len(latex) > maxLaTeX:
		return fmt.Errorf("LaTeX of %d bytes, of which %d are read", len(latex), maxLaTeX)
	case cells > maxCells:
		return fmt.Errorf("LaTeX with %d cells, of which %d are read", cells, maxCells)
	case definition.MatchString(latex):
		return errors.New("LaTeX that defines macros")
	}
	return nil
}

// retryAfter is how long LaTeX that took too long is not tried again. It is tried again at all
// because the machine may only have been busy.
const retryAfter = time.Minute

// Renderer converts formulas, and caches recent conversions. It is safe for concurrent use.
type Renderer struct {
	mu    sync.Mutex
	katex *katex
	seen  cache
}

// New returns a Renderer, or an error if the host was built without KaTeX.
func New() (*Renderer, error) {
	k, err := loadKaTeX()
	if err != nil {
		return nil, err
	}
	return &Renderer{katex: k}, nil
}

// MathML returns the math element of the LaTeX, as a display or as a part of a line of text.
func (r *Renderer) MathML(latex string, display bool) (template.HTML, error) {
	tree, err := r.tree(latex, display)
	if err != nil {
		return "", err
	}
	return tree.html(), nil
}

// tree returns the LaTeX as a tree. The cache shares the tree, so it must not be changed.
func (r *Renderer) tree(latex string, display bool) (*node, error) {
	if err := readable(latex); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := cacheKey{latex, display}
	if a, ok := r.seen.get(key); ok && (a.until.IsZero() || time.Now().Before(a.until)) {
		return a.tree, a.err
	}
	var a cacheEntry
	text, err := r.katex.convert(latex, display)
	if err == nil {
		a.tree, err = parse(text)
	}
	if a.err = err; errors.Is(err, errTime) {
		a.until = time.Now().Add(retryAfter)
	}
	r.seen.put(key, a)
	return a.tree, a.err
}

type cacheKey struct {
	latex   string
	display bool
}

type cacheEntry struct {
	tree  *node
	err   error
	until time.Time // when to try a failed conversion again; zero: never
}

// cache holds recent conversions in two generations. New entries go into the young one. When
// that is full, it becomes the old one, and the former old one is dropped.
type cache struct {
	young, old map[cacheKey]cacheEntry
	weight     int // of the young
}

// maxCacheSize is the maximum size of one generation, in nodes of about 150 bytes.
const maxCacheSize = 100_000

func (m *cache) get(q cacheKey) (cacheEntry, bool) {
	a, ok := m.young[q]
	if !ok {
		if a, ok = m.old[q]; ok {
			m.put(q, a)
		}
	}
	return a, ok
}

func (m *cache) put(q cacheKey, a cacheEntry) {
	weight := 1 + len(q.latex)/50 + a.tree.count()
	if m.young == nil || m.weight+weight > maxCacheSize {
		m.young, m.old, m.weight = map[cacheKey]cacheEntry{}, m.young, 0
	}
	m.young[q] = a
	m.weight += weight
}
