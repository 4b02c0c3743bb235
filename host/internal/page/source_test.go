package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	documents "github.com/slipstick/slipstick/sdk/text"
)

// squares is a document with all that HTML could change.
const squares = `# Square <b> &amp; more

Area of a "square".

- id: test.areas.square
- version: 1.0.0
- keywords: area

## Inputs

| symbol | name | unit | range | default | doc           |
| ------ | ---- | ---- | ----- | ------- | ------------- |
| a      | side | m    | (0,)  | 2 m     | Side, a < 1 & |

## Formula

` + "```formula" + `
A = a^2
` + "```" + `

## Outputs

| symbol | name | unit | doc                  |
| ------ | ---- | ---- | -------------------- |
| A      | area | m2   | Area </pre><script>. |

## Limits

- side in (,1000 m]: The square is flat.

## References

- Euclid: II

## Vectors

` + "```vectors" + `
V1: hand: 3*3
  a = 3 m
  => A == 9 m2
` + "```" + `
`

// documentSite serves the capability of one document.
func documentSite(t *testing.T, document string) *site {
	t.Helper()
	e, err := documents.Bind("square.calc.md", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	release := &registry.Release{Capability: spec.Capability, Version: spec.Version, EngineDigest: digest, Digest: digest, Spec: spec, Vectors: []byte(`[]`), Report: []byte(report)}
	list := catalog.New([]registry.Capability{{ID: spec.Capability, Current: spec.Version, Releases: []*registry.Release{release}}})
	return siteOf(t, calc.New(list, inProcess{spec.Tool + "@" + spec.Version: e}, &calc.Options{BaseURL: base}))
}

// The page of a text engine shows the document byte for byte, with and without a result. The page of a program has no source.
func TestSourceOfDocument(t *testing.T) {
	s := documentSite(t, squares)
	for _, address := range []string{"/calc/areas/square", "/calc/areas/square?side=3"} {
		page := s.get(t, address)
		var shown, link string
		for n := range page.root.Descendants() {
			switch {
			case n.Data == "pre" && n.Parent.Data == "details" && n.Parent.Parent.Data == "section" && strings.Contains(attr(n.Parent.Parent, "class"), "source"):
				shown = n.FirstChild.Data
			case n.Type == html.ElementNode && text(n) == "Open the document":
				link = attr(n, "href")
			}
		}
		if shown != squares {
			t.Errorf("%s shows %q", address, shown)
		}
		if got := s.get(t, link); got.text != squares {
			t.Errorf("%s: %d %q", link, got.status, got.text)
		}
		if !strings.Contains(page.text, "sha256:") || !strings.Contains(page.text, "The square is flat") {
			t.Errorf("%s has no digest, or no limit", address)
		}
	}
	if page := newSite(t).get(t, "/calc/beams/shelf"); strings.Contains(page.text, "<h2>Source</h2>") {
		t.Error("a program has a source")
	}
}
