package system

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/sdk"
)

// Words of the API that pages must not show: names of fields and values, and JSON types.
var (
	underscored = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+`)
	jsonWords   = regexp.MustCompile(`\b(JSON|[Bb]oolean|[Ss]tring|null|[Aa]rray|[Ss]ent|[Ss]end)\b`)
)

// checkWords makes sure that no API text appears on a page of any engine. It checks the form, an example, and the
// messages about missing or invalid inputs. A help text does not repeat its label, no two formulas have the same
// caption, and of several numbers one is the main result.
func (h *server) checkWords(t *testing.T) {
	var list struct {
		Capabilities []struct {
			ID string `json:"capability_id"`
		}
	}
	h.getJSON(t, "/api/v1/capabilities", &list)
	for _, c := range list.Capabilities {
		var described struct{ Spec sdk.Spec }
		h.getJSON(t, "/api/v1/capabilities/"+c.ID, &described)
		spec := &described.Spec
		if spec.Tool == "" {
			t.Fatalf("%s is not described", c.ID)
		}
		checkHeadline(t, spec)
		path := "/calc/" + spec.Group + "/" + spec.Tool
		bare := h.page(t, h.url+path)
		queries := []string{"", wrongQuery(spec, "-1"), wrongQuery(spec, "1,234"), wrongQuery(spec, "1e999")}
		if example := exampleLink.FindStringSubmatch(bare); example != nil {
			_, query, _ := strings.Cut(html.UnescapeString(example[1]), "?")
			queries = append(queries, query)
		}
		for _, query := range queries {
			checkPageWords(t, path+"?"+query, h.page(t, h.url+path+"?"+query))
		}
	}
}

var exampleLink = regexp.MustCompile(`<a href="([^"]*)">Try an example</a>`)

// wrongQuery sets every input to the text, and every choice to its last value.
func wrongQuery(spec *sdk.Spec, text string) string {
	q := url.Values{}
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		switch {
		case len(f.Enum) > 0:
			q.Set(f.Name, f.Enum[len(f.Enum)-1])
		case f.Type != sdk.TypeBoolean:
			q.Set(f.Name, text)
		}
	}
	return q.Encode()
}

// checkHeadline requires a headline, unless results are inputs too: then the result is the input that was not
// sent.
func checkHeadline(t *testing.T, spec *sdk.Spec) {
	t.Helper()
	numbers := 0
	for i := range spec.Outputs {
		f := &spec.Outputs[i]
		if f.Headline || f.UnitBy != nil || spec.Input(f.Name) >= 0 || spec.Input("primary") >= 0 || spec.Input("a") >= 0 || spec.Input("dir") >= 0 {
			return
		}
		if f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger {
			numbers++
		}
	}
	if numbers > 1 {
		t.Errorf("%s does not say which of its %d results people want first", spec.Capability, numbers)
	}
}

func checkPageWords(t *testing.T, address, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var captions []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch class := attribute(n, "class"); {
		case n.Type == html.TextNode:
			for _, word := range append(underscored.FindAllString(n.Data, -1), jsonWords.FindAllString(n.Data, -1)...) {
				t.Errorf("%s says %s in %q", address, word, strings.TrimSpace(n.Data))
			}
		case slices.Contains([]string{"script", "style", "code", "pre", "math", "svg", "head"}, n.Data), class == "code", class == "actions", class == "take", class == "copies js", class == "part steps", class == "address", class == "n full":
			return
		case class == "help" && attribute(n, "id") != "":
			label := strings.ToLower(strings.TrimSpace(labelOf(root, strings.TrimPrefix(attribute(n, "id"), "h-"))))
			if help := strings.ToLower(strings.TrimSpace(textOf(n))); label != "" && strings.TrimSuffix(help, ".") == label {
				t.Errorf("%s: the help of %q is its label", address, label)
			}
		case n.Data == "figcaption" && attribute(n.Parent, "class") == "equation":
			if text := textOf(n); slices.Contains(captions, text) {
				t.Errorf("%s has two formulas with the caption %q", address, text)
			} else {
				captions = append(captions, text)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}

// labelOf returns the label of an input, without its symbol.
func labelOf(root *html.Node, name string) string {
	for n := range root.Descendants() {
		if n.Data == "label" && attribute(n, "for") == "f-"+name && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
