package page_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/apidocs"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/mcp"
	"github.com/slipstick/slipstick/host/internal/openapi"
	"github.com/slipstick/slipstick/host/internal/shadow"
	"github.com/slipstick/slipstick/host/internal/web"
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
	server := mcp.New(s.service, s.store, nil)
	routes := slices.Concat(
		api.Routes(s.service, &api.Options{Snapshots: s.store, Shadow: func() shadow.Report { return s.shadow }, Document: func(*calc.Entry) ([]byte, error) { return document, nil }}),
		s.pages.Routes(), server.Routes(), apidocs.Routes(),
		[]web.Route{{Method: http.MethodGet, Pattern: "/metrics"}},
	)
	if len(routes) < 25 {
		t.Fatalf("only %d routes", len(routes))
	}
	answered := map[string]bool{}
	for _, route := range routes {
		path, method := strings.TrimSuffix(route.Pattern, "{$}"), strings.ToLower(route.Method)
		if path == "/docs/" {
			path += "{name}"
		}
		answered[method+" "+path] = true
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
			if method != "parameters" && !answered[method+" "+generic] {
				t.Errorf("%s %s is described, and nothing answers", method, path)
			}
		}
	}
}
