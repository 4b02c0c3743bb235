package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

type input struct {
	Side  float64  `name:"side" alias:"a" unit:"m" range:"(0,)"`
	Count *float64 `name:"count"`
	Shape string   `name:"shape" enum:"cube,ball" default:"cube"`
}

type output struct {
	Volume float64 `name:"volume" unit:"m3"`
}

func engine(version string, factor float64) sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.geometry.volume", Version: version, Tool: "volume", Group: "geometry",
		Title: "Volume", Summary: "Volume of a cube.", Changes: "It is version " + version + ".", Assumptions: []string{"sharp edges"}, Errors: []string{"TOO_ODD"}, Warnings: []string{"SIDE_SUSPICIOUS"},
	}, func(ctx context.Context, in input) (output, error) {
		switch {
		case in.Count == nil:
		case *in.Count == 13:
			return output{}, sdk.Reject("TOO_ODD", "count", "count is %v", *in.Count)
		case *in.Count == 500:
			return output{}, errors.New("secret cause")
		case *in.Count == 501:
			panic("bug")
		case *in.Count == 502: // takes its time
			select {
			case <-time.After(400 * time.Millisecond):
			case <-ctx.Done():
				return output{}, ctx.Err()
			}
		}
		return output{Volume: factor * in.Side * in.Side * in.Side}, nil
	})
}

// inProcess runs the engines of the tests in this process.
type inProcess map[string]sdk.Engine

func (p inProcess) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	return p[r.Version].Calculate(ctx, in)
}

func (p inProcess) CalculateBatch(ctx context.Context, _ time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		results[i].Outcome, results[i].Err = p.Calculate(ctx, 0, r, row)
	}
	return results, nil
}

func (p inProcess) Draw(ctx context.Context, _ time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	return p[r.Version].(sdk.Plotter).Draw(ctx, plot, in)
}

const (
	digest1 = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	base    = "https://calc.example.org"
)

func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	return serveWith(t, &api.Options{Document: func(*catalog.Entry) ([]byte, error) { return []byte("{}"), nil }})
}

// newService publishes two good versions and a damaged one, and a damaged capability.
func newService(t *testing.T) *calc.Service {
	t.Helper()
	engines := inProcess{"1.0.0": engine("1.0.0", 1), "2.0.0": engine("2.0.0", 2), "3.0.0": engine("3.0.0", 3)}
	var releases []*registry.Release
	for _, v := range []string{"3.0.0", "2.0.0", "1.0.0"} {
		releases = append(releases, &registry.Release{
			Capability: "test.geometry.volume", Version: v, EngineDigest: digest1, Spec: engines[v].Spec(),
			Verification: verification.Record{Tier: verification.Candidate}, Vectors: []byte(`[]`), Report: []byte(`{"passed":true}`),
		})
	}
	releases[1].Spec.Document = document
	releases[0].Problem = errors.New("blob is corrupt")
	catalog := catalog.New([]registry.Capability{
		{ID: "test.broken.layout", Problem: errors.New("no index.json")},
		{ID: "test.geometry.volume", Current: "2.0.0", Releases: releases},
	})
	return calc.New(catalog, engines, &calc.Options{BaseURL: base})
}

type reply struct {
	*http.Response
	text string
	body map[string]any
}

func send(t *testing.T, s *httptest.Server, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "-" {
			req.Header.Del(headers[i])
		} else if headers[i] == "Content-Type" {
			req.Header.Set(headers[i], headers[i+1])
		} else {
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	if req.Header.Get("X-Chunked") != "" {
		req.ContentLength = -1
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{Response: resp, text: string(data)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/") && len(data) > 0 {
		if err := json.Unmarshal(data, &r.body); err != nil {
			t.Errorf("%s %s: body is not a JSON object: %s", method, path, data)
		}
	}
	return r
}

const calcPath = "/api/v1/calc/volume"

func TestSuccess(t *testing.T) {
	s := newServer(t)
	r := send(t, s, "POST", calcPath, `{"a":2}`)
	want := `{"id":"volume","status":"success","capability_id":"test.geometry.volume","tool":"volume","engine":"volume@2.0.0",` +
		`"inputs":{"side":2,"shape":"cube"},"result":{"volume":16},"result_detail":{"value":{"volume":16},"unit":"m3","formatted":"16 m3"},` +
		`"assumptions":["sharp edges"],"warnings":[],` +
		`"verification":{"tier":"candidate","engine_tested":false,"expert_reviewed":false,"internally_reviewed":false,"review_kind":null,"source_checked":false,"reviewed_by":null,"reviewer_role":null,"last_reviewed":null},` +
		`"calculation_version":"2.0.0","api_version":"v1","api_contract_version":"1.0.0","spec_version":"1.2.0","page":"https://calc.example.org/calc/geometry/volume",` +
		`"links":{"schema_input":"https://calc.example.org/api/v1/capabilities/test.geometry.volume/schema/input?calculation_version=2.0.0",` +
		`"schema_output":"https://calc.example.org/api/v1/capabilities/test.geometry.volume/schema/output?calculation_version=2.0.0",` +
		`"evidence":"https://calc.example.org/api/v1/capabilities/test.geometry.volume/evidence?calculation_version=2.0.0",` +
		`"openapi":"https://calc.example.org/openapi.json",` +
		`"capabilities":"https://calc.example.org/api/v1/capabilities"}}` + "\n"
	if r.StatusCode != 200 || r.text != want {
		t.Errorf("answer %d:\n%s\nwant:\n%s", r.StatusCode, r.text, want)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Service-Spec-Version": "2.0.0", "Slipstick-Engine-Digest": digest1,
		"Cache-Control": "no-store", "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, link := range r.body["links"].(map[string]any) {
		path := strings.TrimPrefix(link.(string), base)
		if linked := send(t, s, "GET", path, ""); linked.StatusCode != 200 {
			t.Errorf("link %s: %d", name, linked.StatusCode)
		}
	}
}

// All forms of a request give the same result.
func TestRequestForms(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ path, body string }{
		{"/api/v1/calc/test.geometry.volume", `{"side":2}`},
		{calcPath, `{"side":2,"calculation_version":"2.0.0"}`},
		{calcPath, `{"inputs":{"side":2}}`},
		{calcPath, `{"inputs":{"side":2,"calculation_version":"2.0.0"},"calculation_version":"2.0.0"}`},
		{calcPath, `{"inputs":{"side":2},"id":"volume","tool":"volume","tool_id":"volume","capability_id":"test.geometry.volume"}`},
		{"/api/v1/calc", `{"inputs":{"side":2},"id":"volume"}`},
		{"/api/v1/calc", `{"capability_id":"test.geometry.volume","inputs":{"a":{"value":200,"unit":"cm"}}}`},
		{calcPath, `{"side":2.0,"a":2}`},
		{calcPath, `{"side":2.` + strings.Repeat("0", 60_000) + `}`},
		{calcPath, `{"side":2` + strings.Repeat("0", 30_000) + `e-30000}`},
		{calcPath, `{"side":{"value":200.` + strings.Repeat("0", 60_000) + `,"unit":"cm"}}`},
	} {
		r := send(t, s, "POST", tt.path, tt.body)
		if r.StatusCode != 200 || fmt.Sprint(r.body["result"]) != "map[volume:16]" {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, r.StatusCode, r.text)
		}
	}
}

func TestProblems(t *testing.T) {
	s := newServer(t)
	deep := strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code, field              string
	}{
		{"missing", "POST", calcPath, `{}`, nil, 400, "MISSING_REQUIRED_INPUT", "side"},
		{"type", "POST", calcPath, `{"side":"2"}`, nil, 400, "INVALID_NUMBER", "side"},
		{"enum", "POST", calcPath, `{"side":2,"shape":"cone"}`, nil, 400, "INVALID_MODE", "shape"},
		{"domain", "POST", calcPath, `{"side":0}`, nil, 400, "SIDE_MUST_BE_POSITIVE", "side"},
		{"underflow", "POST", calcPath, `{"a":1e-400}`, nil, 400, "NUMERIC_UNDERFLOW", "side"},
		{"underflow beside inputs", "POST", calcPath, `{"inputs":{"side":2},"tool":1e-400}`, nil, 400, "NUMERIC_UNDERFLOW", "tool"},
		{"overflow beside inputs", "POST", calcPath, `{"side":2,"calculation_version":[1e400]}`, nil, 400, "NON_FINITE_RESULT", "calculation_version.0"},
		{"overflow", "POST", calcPath, `{"side":1e400}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"result overflow", "POST", calcPath, `{"side":1e200}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"unknown input", "POST", calcPath, `{"side":2,"sidd":2}`, nil, 400, "UNKNOWN_INPUT", "sidd"},
		{"beside inputs", "POST", calcPath, `{"inputs":{"side":2},"shape":"ball"}`, nil, 400, "UNKNOWN_INPUT", "shape"},
		{"id inside inputs", "POST", calcPath, `{"inputs":{"id":"volume"}}`, nil, 400, "UNKNOWN_INPUT", "id"},
		{"aliases", "POST", calcPath, `{"side":2,"a":3}`, nil, 400, "CONFLICTING_INPUTS", "side"},
		{"unit", "POST", calcPath, `{"side":{"value":2,"unit":"kg"}}`, nil, 400, "INCOMPATIBLE_UNIT", "side"},
		{"other id in the body", "POST", calcPath, `{"inputs":{"side":2},"tool":"test.broken.layout"}`, nil, 400, "CONFLICTING_INPUTS", "tool"},
		{"id is no string", "POST", calcPath, `{"inputs":{"side":2},"tool":7}`, nil, 400, "INVALID_JSON", "tool"},
		{"inputs is no object", "POST", calcPath, `{"inputs":[2]}`, nil, 400, "INVALID_JSON", "inputs"},
		{"no id", "POST", "/api/v1/calc", `{"inputs":{"side":2}}`, nil, 400, "MISSING_REQUIRED_INPUT", "id"},
		{"empty id", "POST", calcPath, `{"inputs":{"side":2},"tool_id":""}`, nil, 400, "MISSING_REQUIRED_INPUT", "tool_id"},
		{"id among the inputs", "POST", "/api/v1/calc", `{"id":"volume","side":2}`, nil, 400, "MISSING_REQUIRED_INPUT", "inputs"},
		{"engine says little", "POST", calcPath, `{"side":2,"count":13}`, nil, 400, "TOO_ODD", "count"},
		{"escape in the query", "POST", calcPath + "?x=%zz", `{"side":2}`, nil, 400, "INVALID_QUERY", "x"},
		{"semicolon in the query", "GET", calcPath + "?calculation_version=1.0.0;2.0.0", ``, nil, 400, "INVALID_QUERY", "calculation_version"},

		{"syntax", "POST", calcPath, `{"side":2`, nil, 400, "INVALID_JSON", ""},
		{"E1 depth", "POST", calcPath, deep, nil, 400, "INVALID_JSON", strings.Repeat("a.", 50) + "..."},
		{"E5 duplicate", "POST", calcPath, `{"side":2,"s\u0069de":2}`, nil, 400, "INVALID_JSON", "side"},
		{"E5 duplicate within", "POST", calcPath, `{"inputs":{"side":{"value":2,"unit":"m","value":3}}}`, nil, 400, "INVALID_JSON", "inputs.side.value"},
		{"leading zero", "POST", calcPath, `{"side":02}`, nil, 400, "INVALID_JSON", "side"},
		{"long number", "POST", calcPath, `{"side":1` + strings.Repeat("0", 500) + `}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"long small number", "POST", calcPath, `{"side":0.` + strings.Repeat("0", 400) + `1}`, nil, 400, "NUMERIC_UNDERFLOW", "side"},
		{"long number in a unit", "POST", calcPath, `{"side":{"value":1.` + strings.Repeat("1", 500) + `,"unit":"ft"}}`, nil, 400, "INVALID_NUMBER", "side"},
		{"E6 case", "POST", calcPath, `{"Side":2}`, nil, 400, "UNKNOWN_INPUT", "Side"},
		{"E7 UTF-8", "POST", calcPath, "{\"side\xff\":2}", nil, 400, "INVALID_JSON", ""},
		{"E7 null", "POST", calcPath, `null`, nil, 400, "INVALID_JSON", ""},
		{"E7 array", "POST", calcPath, `[]`, nil, 400, "INVALID_JSON", ""},
		{"E7 empty", "POST", calcPath, ``, nil, 400, "INVALID_JSON", ""},
		{"E7 empty, no type", "POST", calcPath, ``, []string{"Content-Type", "-"}, 400, "INVALID_JSON", ""},
		{"E7 trailing", "POST", calcPath, `{"side":2}{}`, nil, 400, "INVALID_JSON", ""},
		{"E7 BOM", "POST", calcPath, "\ufeff{}", nil, 400, "INVALID_JSON", ""},

		{"E8 text", "POST", calcPath, `{"side":2}`, []string{"Content-Type", "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"E8 none", "POST", calcPath, `{"side":2}`, []string{"Content-Type", "-"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"E8 charset", "POST", calcPath, `{"side":2}`, []string{"Content-Type", "application/json; charset=utf-16"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"E8 form", "POST", calcPath, `{"side":2}`, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"E8 gzip", "POST", calcPath, `{"side":2}`, []string{"Content-Encoding", "gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"E9 large", "POST", calcPath, `{"side":2,` + strings.Repeat(" ", 64<<10) + `"count":1}`, nil, 413, "PAYLOAD_TOO_LARGE", ""},

		{"method", "PUT", calcPath, `{}`, nil, 405, "METHOD_NOT_ALLOWED", ""},
		{"method on a description", "POST", "/api/v1/capabilities", `{}`, nil, 405, "METHOD_NOT_ALLOWED", ""},
		{"unknown id", "POST", "/api/v1/calc/volum", `{"side":2}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id and no JSON", "POST", "/api/v1/calc/volum", `{`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id and inputs that are not an object", "POST", "/api/v1/calc/volum", `{"inputs":[]}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id of a study and no plan", "POST", "/api/v1/study/volum", `{}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id of a study and no JSON", "POST", "/api/v1/study/volum", `{`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id in a plan", "POST", "/api/v1/study", `{"tool":"volum"}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id of a table and no table", "POST", "/api/v1/batch?id=volum", "\"", []string{"Content-Type", "text/csv"}, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown entry", "GET", "/api/v1/calc/volum", ``, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"unknown id in the body", "POST", "/api/v1/calc", `{"id":"volum","inputs":{}}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"route", "GET", "/api/v2/calc", ``, nil, 404, "NOT_FOUND", ""},
		{"E17 double slash", "POST", "//api/v1/calc/volume", `{"side":2}`, nil, 404, "NOT_FOUND", ""},
		{"E17 dots", "POST", "/api/v1/../v1/calc/volume", `{"side":2}`, nil, 404, "NOT_FOUND", ""},
		{"E16 escape", "POST", "/api/v1/calc/..%2f..%2fetc%2fpasswd", `{"side":2}`, nil, 404, "NOT_FOUND", ""},
		{"E16 NUL", "POST", "/api/v1/calc/volume%00", `{"side":2}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"E16 bytes", "POST", "/api/v1/calc/%ff", `{"side":2}`, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"E16 long", "GET", "/api/v1/calc/" + strings.Repeat("x", 10000), ``, nil, 404, "ENGINE_NOT_FOUND", "id"},
		{"E16 look-alike", "GET", "/api/v1/calc/v%D0%BElume", ``, nil, 404, "ENGINE_NOT_FOUND", "id"},

		{"broken layout", "POST", "/api/v1/calc/test.broken.layout", `{}`, nil, 503, "ENGINE_UNAVAILABLE", ""},
		{"broken layout, entry", "GET", "/api/v1/calc/test.broken.layout", ``, nil, 503, "ENGINE_UNAVAILABLE", ""},
		{"broken release", "POST", calcPath, `{"side":2,"calculation_version":"3.0.0"}`, nil, 503, "ENGINE_UNAVAILABLE", ""},
		{"engine's fault", "POST", calcPath, `{"side":2,"count":500}`, nil, 500, "INTERNAL_ERROR", ""},
		{"engine's panic", "POST", calcPath, `{"side":2,"count":501}`, nil, 500, "INTERNAL_ERROR", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, s, tt.method, tt.path, tt.body, tt.headers...)
			field, _ := r.body["field"].(string)
			if r.StatusCode != tt.status || r.body["code"] != tt.code || field != tt.field {
				t.Fatalf("answer %d: %s\nwant %d %s, field %q", r.StatusCode, r.text, tt.status, tt.code, tt.field)
			}
			checkErrorBody(t, r)
		})
	}
}

// checkErrorBody checks an answer against the reference (docs/reference/http-api.md#errors).
func checkErrorBody(t *testing.T, r reply) {
	t.Helper()
	if r.body["status"] != "error" || r.body["http_status"] != float64(r.StatusCode) {
		t.Errorf("status %v, http_status %v", r.body["status"], r.body["http_status"])
	}
	code, _ := r.body["code"].(string)
	slug := strings.ToLower(strings.ReplaceAll(code, "_", "-"))
	if r.body["type"] != base+"/problems/"+slug {
		t.Errorf("type %v", r.body["type"])
	}
	for _, name := range []string{"title", "error", "detail"} {
		if text, _ := r.body[name].(string); text == "" {
			t.Errorf("%s is empty: %s", name, r.text)
		}
	}
	if r.body["error"] == r.body["title"] || !strings.HasPrefix(r.body["error"].(string), r.body["detail"].(string)) {
		t.Errorf("error %q repeats the title %q, or does not start with the detail", r.body["error"], r.body["title"])
	}
	if text, _ := r.body["suggestion"].(string); text == "" && r.StatusCode < 500 {
		t.Errorf("nothing is suggested: %s", r.text)
	}
	field, _ := r.body["field"].(string)
	if slices.Contains([]string{"side", "shape", "count"}, field) && code != "UNKNOWN_INPUT" && code != "INVALID_JSON" {
		first, _ := r.body["invalid_parameters"].([]any)
		if len(first) == 0 || !strings.HasPrefix(first[0].(map[string]any)["name"].(string), "inputs."+field) {
			t.Errorf("%s is at fault and not listed: %s", field, r.text)
		}
	}
	if _, ok := r.body["recoverable"].(bool); !ok {
		t.Errorf("recoverable is %v", r.body["recoverable"])
	}
	if strings.Contains(r.text, "secret") || strings.Contains(r.text, "corrupt") || strings.Contains(r.text, "index.json") {
		t.Errorf("the body contains the private cause: %s", r.text)
	}
	if len(r.text) > 4000 {
		t.Errorf("body of %d bytes", len(r.text))
	}
	if list, ok := r.body["invalid_parameters"].([]any); ok {
		for _, p := range list {
			if name, _ := p.(map[string]any)["name"].(string); !strings.HasPrefix(name, "inputs.") {
				t.Errorf("invalid parameter %v", p)
			}
		}
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	need := map[int][]string{405: {"Allow"}, 415: {"Accept", "Accept-Post"}, 503: {"Retry-After"}}
	for _, name := range need[r.StatusCode] {
		if r.Header.Get(name) == "" {
			t.Errorf("no %s header", name)
		}
	}
	if r.StatusCode == 404 && code == "ENGINE_NOT_FOUND" {
		ids, _ := r.body["acceptable_ids"].([]any) // one for each capability
		if len(ids) != 2 || slices.Contains(ids, any("volume")) == slices.Contains(ids, any("test.geometry.volume")) {
			t.Errorf("acceptable_ids %v", ids)
		}
	}
}

// Every place where a pin can appear, and every rule of docs/reference/versions-and-pins.md#pins, and E18, E19.
func TestPins(t *testing.T) {
	s := newServer(t)
	const header = "Service-Spec-Version"
	for _, tt := range []struct {
		name, query, body string
		headers           []string
		status            int
		code, version     string
	}{
		{"none", "", `{"side":2}`, nil, 200, "", "2.0.0"},
		{"header", "", `{"side":2}`, []string{header, "1.0.0"}, 200, "", "1.0.0"},
		{"body", "", `{"side":2,"calculation_version":"1.0.0"}`, nil, 200, "", "1.0.0"},
		{"envelope", "", `{"inputs":{"side":2},"calculation_version":"1.0.0"}`, nil, 200, "", "1.0.0"},
		{"query", "?calculation_version=1.0.0", `{"side":2}`, nil, 200, "", "1.0.0"},
		{"all agree", "?calculation_version=1.0.0", `{"side":2,"calculation_version":"1.0.0"}`, []string{header, "1.0.0", header, "1.0.0"}, 200, "", "1.0.0"},
		{"joined line", "", `{"side":2}`, []string{header, "1.0.0, 1.0.0"}, 200, "", "1.0.0"},

		{"null", "", `{"side":2,"calculation_version":null}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"number", "", `{"side":2,"calculation_version":1}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"list", "", `{"side":2,"calculation_version":["1.0.0"]}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"empty", "", `{"side":2,"calculation_version":""}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"blank", "", `{"side":2,"calculation_version":"  "}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"empty header", "", `{"side":2}`, []string{header, ""}, 400, "INVALID_VERSION_PIN", ""},
		{"empty query", "?calculation_version=", `{"side":2}`, nil, 400, "INVALID_VERSION_PIN", ""},
		{"invalid before conflict", "?calculation_version=2.0.0", `{"side":2,"calculation_version":null}`, []string{header, "1.0.0"}, 400, "INVALID_VERSION_PIN", ""},

		{"header and body", "", `{"side":2,"calculation_version":"2.0.0"}`, []string{header, "1.0.0"}, 409, "VERSION_PIN_CONFLICT", ""},
		{"header and query", "?calculation_version=2.0.0", `{"side":2}`, []string{header, "1.0.0"}, 409, "VERSION_PIN_CONFLICT", ""},
		{"two lines", "", `{"side":2}`, []string{header, "1.0.0", header, "2.0.0"}, 409, "VERSION_PIN_CONFLICT", ""},
		{"joined", "", `{"side":2}`, []string{header, "1.0.0, 2.0.0"}, 409, "VERSION_PIN_CONFLICT", ""},
		{"two in the query", "?calculation_version=1.0.0&calculation_version=2.0.0", `{"side":2}`, nil, 409, "VERSION_PIN_CONFLICT", ""},
		{"inside and beside inputs", "", `{"inputs":{"side":2,"calculation_version":"1.0.0"},"calculation_version":"2.0.0"}`, nil, 409, "VERSION_PIN_CONFLICT", ""},
		{"conflict before mismatch", "", `{"side":2,"calculation_version":"9.0.0"}`, []string{header, "1.0.0"}, 409, "VERSION_PIN_CONFLICT", ""},

		{"unpublished", "", `{"side":2,"calculation_version":"9.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"v", "", `{"side":2,"calculation_version":"v1.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"short", "", `{"side":2,"calculation_version":"1.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"range", "", `{"side":2,"calculation_version":"^1"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"latest", "", `{"side":2,"calculation_version":"latest"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"metadata", "", `{"side":2,"calculation_version":"1.0.0+x"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"newline", "", `{"side":2,"calculation_version":"1.0.0\n"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"space", "", `{"side":2,"calculation_version":" 1.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"leading zero", "", `{"side":2,"calculation_version":"01.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"full width", "", `{"side":2,"calculation_version":"１.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"10 kB", "", `{"side":2,"calculation_version":"` + strings.Repeat("1", 10000) + `"}`, nil, 409, "VERSION_MISMATCH", ""},
		{"mismatch before inputs", "", `{"nonsense":2,"calculation_version":"9.0.0"}`, nil, 409, "VERSION_MISMATCH", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, s, "POST", calcPath+tt.query, tt.body, tt.headers...)
			if r.StatusCode != tt.status {
				t.Fatalf("answer %d: %s, want %d %s", r.StatusCode, r.text, tt.status, tt.code)
			}
			if tt.status == 200 {
				if r.body["calculation_version"] != tt.version || r.Header.Get(header) != tt.version {
					t.Errorf("version %v, header %q, want %s", r.body["calculation_version"], r.Header.Get(header), tt.version)
				}
				return
			}
			checkErrorBody(t, r)
			if r.body["code"] != tt.code {
				t.Errorf("code %v, want %s", r.body["code"], tt.code)
			}
			if r.Header.Get(header) != "" {
				t.Errorf("an error echoes a version: %q", r.Header.Get(header))
			}
			switch tt.code {
			case "VERSION_MISMATCH":
				if fmt.Sprint(r.body["available_versions"]) != "[3.0.0 2.0.0 1.0.0]" || r.body["current_version"] != "2.0.0" || r.body["requested_version"] == nil || r.body["recoverable"] != true {
					t.Errorf("mismatch body %s", r.text)
				}
			case "VERSION_PIN_CONFLICT":
				pins, _ := r.body["pins"].([]any)
				if len(pins) < 2 || pins[0].(map[string]any)["location"] == nil || pins[0].(map[string]any)["value"] == nil {
					t.Errorf("conflict body %s", r.text)
				}
			}
		})
	}
}

func TestDescriptions(t *testing.T) {
	s := newServer(t)
	for _, path := range []string{"/api/v1/calc", "/api/v1/capabilities"} {
		r := send(t, s, "GET", path, "")
		list, _ := r.body["capabilities"].([]any)
		if r.StatusCode != 200 || len(list) != 2 {
			t.Fatalf("%s: %d %s", path, r.StatusCode, r.text)
		}
		volume := list[1].(map[string]any)
		if volume["tool"] != "volume" || volume["current_version"] != "2.0.0" || volume["available"] != true || len(volume["versions"].([]any)) != 3 {
			t.Errorf("%s: %v", path, volume)
		}
		if changes := volume["versions"].([]any)[1].(map[string]any)["changes"]; changes != "It is version 2.0.0." {
			t.Errorf("%s: what changed in 2.0.0: %v", path, changes)
		}
		if broken := list[0].(map[string]any); broken["available"] != false {
			t.Errorf("%s: %v", path, broken)
		}
	}
	for path, want := range map[string][]string{
		"/api/v1/calc/volume": {`"calculation_version":"2.0.0"`, `"aliases":["a"]`},
		"/api/v1/capabilities/volume?calculation_version=1.0.0":                             {`"calculation_version":"1.0.0"`},
		"/api/v1/capabilities/volume/schema/input":                                          {`"$schema"`, `"side"`},
		"/api/v1/capabilities/test.geometry.volume/schema/output?calculation_version=1.0.0": {`"const": "1.0.0"`, `"const": "test.geometry.volume"`},
		"/api/v1/capabilities/test.geometry.volume/evidence":                                {`"conformance_report":{"passed":true}`, digest1},
	} {
		r := send(t, s, "GET", path, "")
		for _, w := range want {
			if r.StatusCode != 200 || !strings.Contains(r.text, w) {
				t.Errorf("%s: %d, no %s in %s", path, r.StatusCode, w, r.text)
			}
		}
		tag := r.Header.Get("ETag")
		if again := send(t, s, "GET", path, "", "If-None-Match", tag); tag == "" || again.StatusCode != 304 || again.text != "" {
			t.Errorf("%s with its ETag %s: %d", path, tag, again.StatusCode)
		}
		head := send(t, s, "HEAD", path, "")
		if head.StatusCode != 200 || head.text != "" || head.Header.Get("Content-Length") != fmt.Sprint(len(r.text)) {
			t.Errorf("HEAD %s: %d, length %s, want %d", path, head.StatusCode, head.Header.Get("Content-Length"), len(r.text))
		}
	}
	if r := send(t, s, "GET", "/api/v1/capabilities/volume/evidence?calculation_version=9.0.0", ""); r.StatusCode != 409 {
		t.Errorf("evidence of an unpublished version: %d", r.StatusCode)
	}
}

func TestOptions(t *testing.T) {
	s := newServer(t)
	for path, allow := range map[string]string{
		calcPath:               "GET, HEAD, OPTIONS, POST",
		"/api/v1/calc":         "GET, HEAD, OPTIONS, POST",
		"/api/v1/capabilities": "GET, HEAD, OPTIONS",
	} {
		r := send(t, s, "OPTIONS", path, "")
		if r.StatusCode != 204 || r.Header.Get("Allow") != allow {
			t.Errorf("%s: %d, %v", path, r.StatusCode, r.Header)
		}
		allowed := strings.Split(r.Header.Get("Access-Control-Allow-Headers"), ", ")
		for _, name := range []string{
			"Content-Type", "Accept", "Service-Spec-Version", "Traceparent", "X-Request-Id", "If-None-Match", "If-Modified-Since", "Authorization",
			"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID",
		} {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: a page cannot send %s: %v", path, name, allowed)
			}
		}
		if put := send(t, s, "PUT", path, ""); put.Header.Get("Allow") != allow {
			t.Errorf("PUT %s: Allow %q", path, put.Header.Get("Allow"))
		}
	}
}

// URLs in answers come from the configuration and not from the request (E15).
func TestHostHeader(t *testing.T) {
	s := newServer(t)
	r := send(t, s, "POST", calcPath, `{"side":2}`, "X-Forwarded-Host", "evil.example", "Host", "evil.example")
	if strings.Contains(r.text, "evil") {
		t.Errorf("body: %s", r.text)
	}
}
