// Package formula turns the formulas of a Spec, which are LaTeX, into MathML, also
// with numbers in place of symbols.
//
// KaTeX reads the LaTeX, in an interpreter of this process. It is not in the
// repository: scripts/node/assets puts it into the directory assets, from where it is
// embedded. Without it the package builds all the same and [New] says so; pages show
// the plain Expression then.
//
// A Spec comes from a published engine, whose author may mean harm. Its LaTeX has
// bounded length and time, and no macros of its own. What KaTeX makes of it is not
// passed on but read into a tree of known MathML elements and attributes, without links,
// styles, colours or lengths that reach over the rest of the page. The LaTeX itself is
// not in the output: screen readers read the MathML, and the plain Expression stands
// beside it for who has neither.
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

// CSS is what the elements need that Renderer makes: the alignment of the columns of
// equations, which browsers do not take from attributes.
//
//go:embed formula.css
var CSS string

const (
	maxLaTeX = 2 << 10 // bytes; the longest formula among our engines has 700
	maxCells = 300     // of tables, which take the longest for their length
)

// definition begins a macro. No formula needs one of its own, and with them a short
// text can become an endless one.
var definition = regexp.MustCompile(`\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?:[^A-Za-z]|$)`)

// readable returns why the LaTeX is not even looked at, nil if it is.
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

// pause is how long LaTeX rests that took too long, which may have been the fault of a
// busy machine.
const retryAfter = time.Minute

// Renderer converts formulas. It may be used by any number of goroutines, and
// remembers what it has converted lately.
type Renderer struct {
	mu    sync.Mutex
	katex *katex
	seen  cache
}

// New returns a Renderer, or an error where the host was built without KaTeX.
func New() (*Renderer, error) {
	k, err := loadKaTeX()
	if err != nil {
		return nil, err
	}
	return &Renderer{katex: k}, nil
}

// MathML returns the math element of the LaTeX: a display of its own, or a part of a
// line of text.
func (r *Renderer) MathML(latex string, display bool) (template.HTML, error) {
	tree, err := r.tree(latex, display)
	if err != nil {
		return "", err
	}
	return tree.html(), nil
}

// tree returns what LaTeX reads as. Nobody may change it.
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
	until time.Time // when it is to be tried again; zero: never
}

// memory holds what was converted lately: of two generations the younger one grows,
// and when it is full the older one is forgotten.
type cache struct {
	young, old map[cacheKey]cacheEntry
	weight     int // of the young
}

// maxMemory is the weight of one generation, in nodes of about 150 bytes.
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
