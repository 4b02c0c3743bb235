package page_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/openapi"
)

// Every address that answers, and every method of it, is in the OpenAPI document, and
// nothing else is but the capabilities' own addresses.
func TestRoutesAreDescribed(t *testing.T) {
	s := newSite(t)
	document, err := openapi.Document(s.service.Catalog(), base)
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &described); err != nil {
		t.Fatal(err)
	}
	routes := api.Routes(s.service, &api.Options{
		Snapshots: s.store, Pages: s.pages, Document: func() []byte { return document },
		Mounts: map[string]http.Handler{"/metrics": nil, "/docs": nil, "/docs/": nil},
		Posts:  map[string]http.Handler{"/mcp": nil},
	})
	if len(routes) < 20 {
		t.Fatalf("only %d addresses", len(routes))
	}
	answered := map[string]bool{}
	for pattern, methods := range routes {
		path := strings.TrimSuffix(pattern, "{$}")
		if path == "/docs/" {
			path += "{name}"
		}
		for _, method := range methods {
			method = strings.ToLower(method)
			answered[method+" "+path] = true
			if described.Paths[path][method] == nil {
				t.Errorf("%s %s is not described", method, path)
			}
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
			if method != "parameters" && !answered[method+" "+generic] {
				t.Errorf("%s %s is described, and nothing answers", method, path)
			}
		}
	}
}
