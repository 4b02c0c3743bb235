package page_test

import (
	"encoding/json"
	"net/http"
	pathpkg "path"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/apidocs"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
	"github.com/slipstick/slipstick/host/internal/http/openapi"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// The OpenAPI document describes every route with its method. Its only other paths are the capabilities' own paths.
func TestRoutesAreDescribed(t *testing.T) {
	s := newSite(t)
	document, err := openapi.Document(s.service.Catalog(), openapi.Service{BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Parameters map[string]describedParameter }
	}
	if err := json.Unmarshal(document, &described); err != nil {
		t.Fatal(err)
	}
	server := mcp.New(s.service, s.store, nil)
	routes := slices.Concat(
		api.Routes(s.service, &api.Options{Snapshots: s.store, Shadow: func() shadow.Report { return s.shadow }, Document: func(*catalog.Entry) ([]byte, error) { return document, nil }}),
		s.pages.Routes(), server.Routes(), apidocs.Routes(),
		[]web.Route{{Method: http.MethodGet, Pattern: "/metrics", Query: web.Query{Others: web.Open}}},
	)
	if len(routes) < 25 {
		t.Fatalf("only %d routes", len(routes))
	}
	answered, queries := map[string]bool{}, map[string]web.Query{}
	for _, route := range routes {
		path, method := strings.TrimSuffix(route.Pattern, "{$}"), strings.ToLower(route.Method)
		if path == "/docs/api/" {
			path += "{name}"
		}
		path = strings.Replace(path, "...}", "}", 1) // OpenAPI has no pattern for the rest of a path
		answered[method+" "+path] = true
		if _, data := queries[method+" "+path]; !route.Page || !data {
			queries[method+" "+path] = route.Query
		}
		if described.Paths[path][method] == nil {
			t.Errorf("%s %s is not described", method, path)
		}
	}
	for path, item := range described.Paths {
		for method := range item {
			generic := path
			if id, ok := strings.CutPrefix(path, "/api/v1/calc/"); ok {
				if _, err := s.service.Catalog().Find(id); err == nil {
					generic = "/api/v1/calc/{id}"
				}
			}
			if method == "parameters" {
				continue
			}
			if !answered[method+" "+generic] {
				t.Errorf("%s %s is described, and nothing answers", method, path)
			}
			got := parametersOf(t, item[method], described.Components.Parameters)
			query := queries[method+" "+generic]
			want := query.Names()
			slices.Sort(want)
			if query.Others == web.Open {
				got = slices.DeleteFunc(got, func(name string) bool { return name == "inputs" })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s takes the parameters %v, and %v are described", method, path, want, got)
			}
		}
	}
}

// describedParameter is a parameter of an operation, or a reference to one.
type describedParameter struct {
	Ref  string `json:"$ref"`
	In   string
	Name string
}

// parametersOf returns the names of the query parameters of an operation.
func parametersOf(t *testing.T, operation json.RawMessage, shared map[string]describedParameter) []string {
	t.Helper()
	var described struct{ Parameters []describedParameter }
	if err := json.Unmarshal(operation, &described); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range described.Parameters {
		if p.Ref != "" {
			p = shared[pathpkg.Base(p.Ref)]
		}
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
