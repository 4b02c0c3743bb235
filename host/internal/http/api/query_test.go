package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// A problem names all unknown parameters, because they are often inputs at the wrong endpoint.
func TestSeveralUnknownParameters(t *testing.T) {
	r := send(t, serveWith(t, &api.Options{Snapshots: newSnapshots(t)}), "GET", calcPath+"?side=2&count=3", "")
	want := `this endpoint does not take "count", "side" in the query. Send inputs as JSON in the body of POST /api/v1/calc/{id}`
	if text, _ := r.body["error"].(string); r.body["field"] != "count" || !strings.HasPrefix(text, want) {
		t.Errorf("%s\nwant %s", r.text, want)
	}
}

// No route of the API ignores an unknown parameter: the problem names it and the most similar parameter.
// TestRoutesAreDescribed in package page compares the declared parameters with the description.
func TestUnknownParameters(t *testing.T) {
	s := serveWith(t, &api.Options{Snapshots: newSnapshots(t), Document: func(*catalog.Entry) ([]byte, error) { return []byte("{}"), nil }})
	csv, ndjson := []string{"Content-Type", "text/csv"}, []string{"Content-Type", ndjson}
	const study = `{"kind":"sweep","inputs":{},"vary":{"side":[1,2]}}`
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		pins               bool
		misspelt           map[string]string // the misspelling of each parameter
	}{
		{"POST", "/api/v1/calc", `{"id":"volume","inputs":{"side":2}}`, nil, true, map[string]string{"setps=true": "steps"}},
		{"POST", calcPath, `{"side":2}`, nil, true, map[string]string{"setps=true": "steps", "Steps=true": "steps"}},
		{"GET", calcPath, "", nil, true, nil},
		{"POST", "/api/v1/batch", `{"id":"volume","inputs":{"side":2}}`, ndjson, true, map[string]string{"outptu=result": "output"}},
		{"POST", tableBatch, "side\n2\n", csv, true, map[string]string{"decimla=comma": "decimal", "unitz=us": "units", "tags=x": "tag", "di=volume": ""}},
		{"POST", "/api/v1/study", `{"id":"volume",` + study[1:], nil, true, map[string]string{"outputs=csv": "output"}},
		{"POST", "/api/v1/study/volume", study, nil, true, map[string]string{"ouput=csv": "output"}},
		{"POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"side":2}}`, nil, true, map[string]string{"stesp=true": "steps"}},
		{"GET", "/api/v1/value/volume?side=2", "", nil, true, map[string]string{"decimla=comma": "decimal", "units=L": "unit", "outptu=volume": "output", "error=text": "errors"}},
		{"GET", "/api/v1/capabilities", "", nil, false, map[string]string{"limt=5": "limit", "curser=x": "cursor"}},
		{"GET", "/api/v1/calc", "", nil, false, map[string]string{"Limit=5": "limit"}},
		{"GET", "/api/v1/capabilities/volume", "", nil, true, nil},
		{"GET", "/api/v1/capabilities/volume/schema/input", "", nil, true, nil},
		{"GET", "/api/v1/capabilities/volume/schema/output", "", nil, true, nil},
		{"GET", "/api/v1/capabilities/volume/evidence", "", nil, true, nil},
		{"GET", "/api/v1/capabilities/volume/text", "", nil, true, nil},
		{"GET", "/api/v1/capabilities/volume/openapi.json", "", nil, false, nil},
		{"GET", "/api/v1/tables", "", nil, false, nil},
		{"GET", "/api/v1/units", "", nil, false, map[string]string{"quantiy=length": "quantity"}},
		{"GET", "/openapi.json", "", nil, false, nil},
		{"GET", "/api/v1/share/cx_e1_x", "", nil, false, nil},
	} {
		misspelt := map[string]string{"utm_source=x": "", "=1": "", "as%5Foff=2026-01-01": "as_of"}
		for _, name := range []string{"calculation_versoin", "version", "Calculation_Version", "calculation-version", "calculation%5Fversoin", "calculation+version"} {
			misspelt[name+"=1.0.0"] = "calculation_version"
		}
		for query, meant := range tt.misspelt {
			misspelt[query] = meant
		}
		for query, meant := range misspelt {
			if !tt.pins && (meant == "calculation_version" || meant == "as_of") {
				meant = ""
			}
			inValue := strings.HasPrefix(tt.path, "/api/v1/value/")
			if inValue && meant == "" {
				continue // it is an unknown input
			}
			mark := "?"
			if strings.Contains(tt.path, "?") {
				mark = "&"
			}
			r := send(t, s, tt.method, tt.path+mark+query, tt.body, tt.headers...)
			if r.StatusCode != 400 || !strings.Contains(r.text, "INVALID_QUERY") || !strings.Contains(r.text, "Did you mean "+meant+"?") && meant != "" {
				t.Errorf("%s %s%s%s: %d %.300s\nwant %q", tt.method, tt.path, mark, query, r.StatusCode, r.text, meant)
			}
			name, _, _ := strings.Cut(query, "=")
			name = strings.NewReplacer("%5F", "_", "+", " ").Replace(name)
			if field, _ := r.body["field"].(string); !inValue && field != name {
				t.Errorf("%s %s%s%s: field %q", tt.method, tt.path, mark, query, field)
			}
		}
	}
}

// A parameter that takes one value cannot have two different values, but can appear twice with the same value.
func TestRepeatedParameters(t *testing.T) {
	s := newServer(t)
	for query, status := range map[string]int{
		"steps=true&steps=false": 400, "steps=false&steps=false": 200, "calculation_version=1.0.0&calculation_version=1.0.0": 200,
		"calculation_version=1.0.0&calculation_version=2.0.0": 409, "calculation_version=1.0.0&calculation%5Fversion=2.0.0": 409, "&&": 200, "?": 400, "=": 400,
	} {
		if r := send(t, s, "POST", calcPath+"?"+query, `{"side":2}`); r.StatusCode != status {
			t.Errorf("%s: %d %s", query, r.StatusCode, r.text)
		}
	}
	for path, status := range map[string]int{
		"/api/v1/value/volume?a=1&decimal=point&decimal=comma": 400, "/api/v1/value/volume?a=1&errors=text&errors=status": 200,
		"/api/v1/calc?limit=1&limit=2": 400, "/api/v1/calc?limit=1&limit=1": 200,
	} {
		if r := send(t, s, "GET", path, ""); r.StatusCode != status || status == 400 && !strings.Contains(r.text, "INVALID_QUERY") {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
		}
	}
}

// Shared links can have the parameters of mail programs and social networks. A probe must not fail because of
// an unknown parameter.
func TestForeignParameters(t *testing.T) {
	s := serveWith(t, &api.Options{Snapshots: newSnapshots(t)})
	snap := send(t, s, "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"side":2}}`)
	for path, status := range map[string]int{
		"/s/" + snap.body["id"].(string): 200, "/problems/invalid-query": 200, "/livez": 200, "/readyz": 200, "/readyz?verbose": 200,
		"/api/v1/share/" + snap.body["id"].(string): 400,
	} {
		mark := "?"
		if strings.Contains(path, "?") {
			mark = "&"
		}
		if r := send(t, s, "GET", path+mark+"utm_source=x&fbclid=1", ""); r.StatusCode != status {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
		}
	}
}

// A study with more calls than the limit per minute is 400 with the member of the plan, even if the limit is
// used up. A study that fits is 429 until the limit allows its calls.
func TestStudyThatNeverFits(t *testing.T) {
	var now time.Duration
	local := limit.NewLocal(limit.Limits{limit.Calc: 3}, &limit.Options{Clock: func() time.Duration { return now }})
	clients := &web.Clients{Limiter: local}
	s := serveWithOptions(t, &api.Options{Batches: api.Batches{Clients: clients}}, &web.Options{Clients: clients})
	draws := func(n string) string {
		return `{"kind":"monte_carlo","inputs":{"side":2},"uncertain":{"side":{"standard_uncertainty":0.1}},"draws":` + n + `}`
	}
	for i, tt := range []struct {
		body   string
		status int
		field  string
	}{
		{draws("4000"), 400, "draws"}, {`{"kind":"sweep","inputs":{},"vary":{"side":{"from":1,"to":2,"count":3001}}}`, 400, "vary"},
		{draws("3000"), 200, ""}, {draws("3000"), 429, ""}, {draws("3001"), 429, ""},
	} {
		if i == 2 {
			now += time.Minute
		}
		r := send(t, s, http.MethodPost, "/api/v1/study/volume", tt.body)
		field, _ := r.body["field"].(string)
		if r.StatusCode != tt.status || field != tt.field || tt.status == 400 && r.body["code"] != "STUDY_TOO_LARGE" {
			t.Errorf("%d: %d %s", i, r.StatusCode, r.text)
		}
	}
}
