package formula

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// node is an element of MathML. Tokens have text; all other elements have kids.
type node struct {
	name  string
	attrs []attr
	kids  []*node
	text  string
}

type attr struct{ name, value string }

// tokens are the elements that hold text.
var tokens = []string{"mi", "mn", "mo", "mtext", "mspace"}

// arity is the number of kids of elements in which every place has a meaning.
var arity = map[string]int{
	"mfrac": 2, "mroot": 2, "msup": 2, "msub": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3,
}

// known lists the permitted elements with their attributes. Colours are not permitted, so
// that formulas have those of the page in its light and dark scheme.
var known = map[string][]string{
	"math":       {"display"},
	"mrow":       nil,
	"mstyle":     {"displaystyle", "scriptlevel"},
	"mpadded":    {"width", "lspace"},
	"mphantom":   nil,
	"mi":         {"mathvariant"},
	"mn":         {"mathvariant"},
	"mo":         {"stretchy", "fence", "separator", "symmetric", "largeop", "movablelimits", "lspace", "rspace", "minsize", "maxsize"},
	"mtext":      {"mathvariant"},
	"mspace":     {"width", "height", "depth"},
	"mfrac":      {"linethickness"},
	"msqrt":      nil,
	"mroot":      nil,
	"msub":       nil,
	"msup":       nil,
	"msubsup":    nil,
	"munder":     {"accentunder"},
	"mover":      {"accent"},
	"munderover": {"accent", "accentunder"},
	"menclose":   {"notation"},
	"mtable":     {"columnalign", "columnspacing", "columnlines", "rowspacing", "rowlines"},
	"mtr":        nil,
	"mtd":        nil,
}

const (
	maxNodes = 4000
	maxDepth = 60
)

// refused is the colour of commands that KaTeX does not trust.
const refused = "#0c0ffe"

var (
	errShape   = errors.New("MathML of an unknown shape")
	errRefused = errors.New("a command that formulas may not have")
)

// parse reads the math element of KaTeX's HTML.
func parse(html string) (*node, error) {
	p := parser{d: xml.NewDecoder(strings.NewReader(html))}
	for {
		token, err := p.d.Token()
		if errors.Is(err, io.EOF) {
			return nil, errShape
		} else if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "math" {
			return p.element(start, 0)
		}
	}
}

type parser struct {
	d     *xml.Decoder
	nodes int
}

func (p *parser) element(start xml.StartElement, depth int) (*node, error) {
	name := start.Name.Local
	attributes, ok := known[name]
	if p.nodes++; p.nodes > maxNodes || depth > maxDepth || !ok && name != "semantics" {
		return nil, fmt.Errorf("%w: %s at depth %d as element %d", errShape, name, depth, p.nodes)
	}
	n := &node{name: name}
	for _, a := range start.Attr {
		if a.Name.Local == "mathcolor" && a.Value == refused {
			return nil, errRefused
		}
		if slices.Contains(attributes, a.Name.Local) && harmless(a.Value) {
			n.attrs = append(n.attrs, attr{a.Name.Local, a.Value})
		}
	}
	if err := p.content(n, depth); err != nil {
		return nil, err
	}
	return n.tidy()
}

// content reads up to the end of the element.
func (p *parser) content(n *node, depth int) error {
	for {
		token, err := p.d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.CharData:
			if slices.Contains(tokens, n.name) {
				n.text += printable(string(t))
			}
		case xml.StartElement:
			if t.Name.Local == "annotation" {
				if err := p.d.Skip(); err != nil {
					return err
				}
				continue
			}
			kid, err := p.element(t, depth+1)
			if err != nil {
				return err
			}
			if slices.Contains(tokens, n.name) {
				return fmt.Errorf("%w: %s in %s", errShape, kid.name, n.name)
			}
			n.kids = append(n.kids, kid)
		}
	}
}

var (
	words  = regexp.MustCompile(`^[a-z][a-z-]*$`)
	length = regexp.MustCompile(`^([+-]?[0-9.]+)(em|ex|px)?$`)
)

// harmless reports whether the value of an attribute is one that KaTeX itself chooses, or a
// short length: with a long one a formula could cover the page.
func harmless(value string) bool {
	for part := range strings.FieldsSeq(value) {
		if m := length.FindStringSubmatch(part); m != nil {
			if x, err := strconv.ParseFloat(m[1], 64); err != nil || x < -1 || x > 10 {
				return false
			}
		} else if !words.MatchString(part) {
			return false
		}
	}
	return true
}

// printable returns the text without invisible characters that change how text is shown, such
// as those that set the writing direction.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && (r < application || r > '\u2064') {
			return -1
		}
		return r
	}, text)
}

// application is the invisible sign between a function and its argument.
const application = '\u2061'

func (n *node) isText(name, text string) bool { return n.name == name && n.text == text }

// count returns the number of nodes of the tree.
func (n *node) count() int {
	if n == nil {
		return 0
	}
	sum := 1
	for _, kid := range n.kids {
		sum += kid.count()
	}
	return sum
}

// html returns the element as HTML.
func (n *node) html() template.HTML {
	var b strings.Builder
	n.write(&b)
	return template.HTML(b.String()) // every name is known and every text escaped
}

func (n *node) write(b *strings.Builder) {
	b.WriteString("<" + n.name)
	for _, a := range n.attrs {
		b.WriteString(" " + a.name + `="` + template.HTMLEscapeString(a.value) + `"`)
	}
	b.WriteByte('>')
	b.WriteString(template.HTMLEscapeString(n.text))
	for _, kid := range n.kids {
		kid.write(b)
	}
	b.WriteString("</" + n.name + ">")
}
