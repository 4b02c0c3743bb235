// Package openapi writes the OpenAPI documents of the REST interface for the published capabilities. [Document]
// describes the whole interface, and [OfCapability] one capability.
//
// The content comes from the code that makes the answers. Schemas come from the Specs of the releases and from
// the Go types of the answers. Codes and statuses come from package calc, and examples from the vectors of the
// releases.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

type (
	object = map[string]any
	list   = []any
)

// maxWhole is the maximum number of releases that one document describes. A larger document would not be usable
// for readers and generators.
const maxWhole = 250

// OfCapability returns the document of one capability, as if nothing else were published.
func OfCapability(e *catalog.Entry, s Service) ([]byte, error) {
	return write(catalog.Of(e), s, true)
}

// Service is the described service.
type Service struct {
	BaseURL string
	Licence string // name of the licence of the program, "" if there is none
}

// Document returns the OpenAPI 3.1 document of the catalog, served by the service. Equal catalogs give equal
// bytes. Document leaves out releases with an unusable Spec. It describes all others, even if their engine
// cannot run now. If there are more than maxWhole releases, the document contains only the generic paths and
// links to the document of each capability.
//
// In addition to the generic paths, every capability has its own path. It has the input schema of the current
// version and the result schema of every version. Its component schemas are <capability id>.inputs, .request,
// .version and .rejections. For each release there is <capability id>-<version>.result, which fixes both.
func Document(catalog *catalog.Catalog, s Service) ([]byte, error) {
	releases := 0
	for _, e := range catalog.Entries() {
		releases += len(e.Releases)
	}
	return write(catalog, s, releases <= maxWhole)
}

func write(catalog *catalog.Catalog, s Service, whole bool) ([]byte, error) {
	d := &document{catalog: catalog, baseURL: s.BaseURL, licence: s.Licence, whole: whole, codes: map[int][]string{}, paths: object{}, places: map[string]bool{}}
	for _, doc := range catalog.Codes() {
		if len(doc.DeclaredBy) == 0 {
			d.codes[doc.HTTPStatus] = append(d.codes[doc.HTTPStatus], doc.Code)
		}
	}
	d.readCapabilities()
	if err := d.addSchemas(); err != nil {
		return nil, err
	}
	d.shared = d.responses()
	d.addPaths()
	for _, c := range d.capabilities {
		if !whole {
			break // it only serves as an example
		}
		if err := d.addCapability(c); err != nil {
			return nil, fmt.Errorf("describe %s: %w", c.ID, err)
		}
	}
	return marshal(d.root())
}

// readCapabilities reads the capabilities of the document: all of them, or one as an example.
func (d *document) readCapabilities() {
	for _, e := range d.catalog.Entries() {
		if c := readCapability(e); c != nil {
			d.capabilities = append(d.capabilities, c)
			if !d.whole {
				return
			}
		}
	}
}

// document is a document under construction.
type document struct {
	catalog      *catalog.Catalog
	baseURL      string
	licence      string
	whole        bool // every capability has its own path in it
	capabilities []*capability
	codes        map[int][]string // codes by status, without the codes that single engines declare
	schemas      object
	shared       object // responses
	paths        object
	places       map[string]bool // places with a used description
}

func (d *document) root() object {
	server := d.baseURL
	if server == "" {
		server = "/"
	}
	info := object{
		"title":       "Slipstick",
		"version":     calc.APIContract,
		"summary":     "Versioned engineering calculations with reproducible results.",
		"description": d.introduction(),
	}
	if d.licence != "" {
		info["license"] = object{"name": d.licence, "url": "https://github.com/slipstick/slipstick/blob/main/LICENSE"}
	}
	return object{
		"openapi":  "3.1.0",
		"info":     info,
		"servers":  list{object{"url": server}},
		"security": list{},
		"tags":     d.tags(),
		"paths":    d.paths,
		"components": object{
			"schemas":    d.schemas,
			"parameters": d.parameters(),
			"headers":    headers,
			"responses":  d.shared,
		},
	}
}

// introduction returns the description of the interface.
func (d *document) introduction() string {
	if d.whole {
		return introduction
	}
	return introduction + largeLibrary
}

// largeLibrary follows the introduction if each capability has its own document.
const largeLibrary = `
**Capabilities.** This server publishes many capabilities, so each has its own document with its schemas:
` + "`/api/v1/capabilities/{id}/openapi.json`. `/docs/api?capability={id}` shows it. `/api/v1/capabilities`" + ` lists the capabilities in pages.
`

const introduction = `Run published calculations over JSON. A response has the result, the normalized inputs, the formula, the assumptions,
warnings, a verification record and the version that computed it.

**Versions.** Within a major version, the same inputs give the same numbers. A request without a pin uses the current
version. Pin an exact version with the header ` + "`Service-Spec-Version`, or with `calculation_version`" + ` in the body or in the
query. Contradictory pins are rejected with 409.

**Units.** A number without a unit is SI. ` + "`{\"value\": 10, \"unit\": \"ft\"}`" + ` is a number with its unit, which the server converts
exactly.

**Errors.** All errors have the same form. Programs use ` + "`code`" + `; the texts are for people and can change. With
` + "`Accept: application/problem+json`" + ` the error is a problem document (RFC 9457).

**Methods.** HEAD works wherever GET does. OPTIONS returns 204 with ` + "`Allow`" + `. An unsupported method returns 405. Any origin
can call. A URL with a slash at its end redirects to the URL without it (308).

**Limits.** The server counts calls of each client address in a sliding window of 60 seconds. The response headers
` + "`RateLimit-Policy` and `RateLimit`" + ` have the state of the window (draft 11).
`

// tags returns the sections of the reference: first the sections of the interface, then one for each group of
// calculations.
func (d *document) tags() list {
	tags := list{
		object{"name": tagCalculate, "description": "Run calculations by any id. Each capability also has its own path with exact schemas."},
		object{"name": tagCatalog, "description": "Published capabilities with their inputs, versions and evidence."},
		object{"name": tagTables, "description": "Published tables of materials, sections, pipes, wires and fluids. Inputs can refer to their values."},
		object{"name": tagSnapshots, "description": "Stored calculations with their inputs, result and version. Each has an id and never changes."},
		object{"name": tagProblems, "description": "Explanations of error codes and warning codes."},
		object{"name": tagPages, "description": "HTML pages for browsers."},
		object{"name": tagService, "description": "State and description of the service."},
	}
	groups := map[string]bool{}
	if d.whole {
		for _, c := range d.capabilities {
			groups[c.shown.Spec.Group] = true
		}
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		tags = append(tags, object{"name": group, "description": "Calculations of the group " + group + "."})
	}
	return tags
}

// marshal renders the document. Keys of maps are sorted, so the bytes are stable. Numbers in raw JSON do not
// change.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func ref(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

func refs(kind string, names ...string) list {
	var all list
	for _, name := range names {
		all = append(all, ref(kind, name))
	}
	return all
}

func schemaRef(name string) object { return ref("schemas", name) }
