package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type input struct {
	Side  float64  `name:"side" alias:"a" unit:"m" range:"(0,)" doc:"Length of an edge."`
	Count *float64 `name:"count"`
	Shape string   `name:"shape" enum:"cube,ball" default:"cube"`
}

type output struct {
	Volume float64 `name:"volume" unit:"m3"`
}

func engine(version string, factor float64) sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "test.geometry.volume", Version: version, Tool: "volume", Group: "geometry",
		Title: "Volume <of> a cube & more", Summary: "Volume of a cube.", Changes: "It is version " + version + ".", Assumptions: []string{"edges are \"sharp\" & <straight>"},
		Formulas: []sdk.Formula{{ID: "volume_v1", Expression: "V = a^3; a > 0", LaTeX: "V=a^3"}},
	}, func(_ context.Context, in input) (output, error) {
		switch {
		case in.Count == nil:
		case *in.Count == 500:
			return output{}, errors.New("secret cause")
		case *in.Count == 501:
			panic("secret bug")
		}
		return output{Volume: factor * in.Side * in.Side * in.Side}, nil
	})
}

// inProcess runs the engines of the tests in this process. It has a bug.
type inProcess map[string]sdk.Engine

func (p inProcess) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	if in[1].Kind() == value.Number && in[1].Number() == 502 {
		panic("secret bug of the host")
	}
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

const digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

const vectors = `[
 {"id": "V0", "inputs": {"side": -1}, "expected": {"code": "SIDE_MUST_BE_POSITIVE", "field": "side"}, "source": "range"},
 {"id": "V1", "inputs": {"a": 2}, "expected": {"volume": 8}, "rtol": 0, "source": "by hand"}
]`

var engines = inProcess{"1.0.0": engine("1.0.0", 1), "2.0.0": engine("2.0.0", 2), "3.0.0": engine("3.0.0", 3)}

// published returns a catalog with two good versions and a damaged one, a damaged capability, and more
// capabilities without engines.
func published(more int) *catalog.Catalog {
	var releases []*registry.Release
	for _, v := range []string{"3.0.0", "2.0.0", "1.0.0"} {
		releases = append(releases, &registry.Release{
			Capability: "test.geometry.volume", Version: v, EngineDigest: digest, Digest: digest, Spec: engines[v].Spec(),
			Verification: verification.Record{Tier: verification.Candidate}, Vectors: []byte(vectors), Report: []byte(`{"passed":true}`),
		})
	}
	releases[0].Problem = errors.New("blob is corrupt")
	all := []registry.Capability{
		{ID: "test.broken.layout", Problem: errors.New("no index.json")},
		{ID: "test.geometry.volume", Current: "2.0.0", Releases: releases},
	}
	for i := range more {
		id := fmt.Sprintf("test.more.m%04d", i)
		spec := engines["1.0.0"].Spec()
		spec.Capability, spec.Tool, spec.Title = id, fmt.Sprintf("m%04d", i), fmt.Sprintf("Weight of m%04d", i)
		all = append(all, registry.Capability{ID: id, Current: "1.0.0", Releases: []*registry.Release{{Capability: id, Version: "1.0.0", EngineDigest: digest, Spec: spec}}})
	}
	return catalog.New(all)
}

const base = "http://127.0.0.1:8080"

// site is the complete HTTP interface of a service: REST and MCP.
type site struct {
	http.Handler
	service *calc.Service
	server  *mcp.Server
	log     *strings.Builder
}

func newSite(t testing.TB, baseURL string, o *mcp.Options) *site {
	t.Helper()
	return newSiteOf(t, baseURL, o, mcp.New)
}

// newSiteOf returns a site with the server that newServer returns.
func newSiteOf(t testing.TB, baseURL string, o *mcp.Options, newServer func(*calc.Service, *snapshot.Store, *mcp.Options) *mcp.Server) *site {
	t.Helper()
	return newSiteFrom(t, calc.New(published(0), engines, &calc.Options{BaseURL: baseURL, MCP: true}), o, newServer)
}

// newSiteFrom returns a site of a service.
func newSiteFrom(t testing.TB, service *calc.Service, o *mcp.Options, newServer func(*calc.Service, *snapshot.Store, *mcp.Options) *mcp.Server) *site {
	t.Helper()
	keys, err := snapshot.LoadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now() // for all snapshots, so that the same calculation has the same id
	snapshots, err := snapshot.New(keys, &snapshot.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{service: service, log: new(strings.Builder)}
	if o == nil {
		o = &mcp.Options{}
	}
	o.Log = slog.New(slog.NewTextHandler(s.log, nil))
	s.server = newServer(s.service, snapshots, o)
	s.Handler = web.New(service.BaseURL(), slices.Concat(api.Routes(s.service, &api.Options{Snapshots: snapshots}), s.server.Routes()), nil)
	return s
}

// reply is a decoded HTTP answer.
type reply struct {
	status int
	header http.Header
	text   string

	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// toolResult is the result of a tool.
type toolResult struct {
	Content []struct {
		Type, Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func (s *site) send(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		switch name, content := headers[i], headers[i+1]; {
		case name == "Host":
			r.Host = content
		case name == "Content-Type" && content == "":
			r.Header.Del(name)
		case name == "Content-Type":
			r.Header.Set(name, content)
		default:
			r.Header.Add(name, content)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	a := reply{status: w.Code, header: w.Header(), text: w.Body.String()}
	if a.text != "" {
		if media := a.header.Get("Content-Type"); media != "application/json" {
			t.Errorf("%s %s is answered with %s: %s", method, body, media, a.text)
		}
		if err := json.Unmarshal([]byte(a.text), &a); err != nil && strings.Contains(a.text, "jsonrpc") || !json.Valid([]byte(a.text)) {
			t.Errorf("%s %s is answered with %s: %v", method, body, a.text, err)
		}
	}
	return a
}

// ask sends one request of an older revision, which needs no headers.
func (s *site) ask(t testing.TB, method, params string, headers ...string) reply {
	t.Helper()
	return s.send(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params), headers...)
}

// call calls a tool. The answer must conform to the tool's schema. If the headers do not name a revision with
// structured content, the text must be the whole answer.
func (s *site) call(t testing.TB, tool, arguments string, headers ...string) (body map[string]any, result toolResult) {
	t.Helper()
	a := s.ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments), headers...)
	if a.status != 200 || a.Error != nil {
		t.Fatalf("%s %s: %d %s", tool, arguments, a.status, a.text)
	}
	body, result = s.result(t, tool, a)
	if !slices.Contains(headers, "MCP-Protocol-Version") && result.Content[0].Text != string(result.StructuredContent) {
		t.Errorf("%s: the text is not the structured content: %s", tool, a.text)
	}
	return body, result
}

func (s *site) result(t testing.TB, tool string, a reply) (body map[string]any, result toolResult) {
	t.Helper()
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Content) != 1 || result.Content[0].Type != "text" || result.Content[0].Text == "" {
		t.Fatalf("%s: there is not one text: %s", tool, a.text)
	}
	if err := json.Unmarshal(result.StructuredContent, &body); err != nil {
		t.Fatal(err)
	}
	if failed := body["status"] == "error"; failed != result.IsError {
		t.Errorf("%s: status %v, isError %v", tool, body["status"], result.IsError)
	}
	conforms(t, tool, result.StructuredContent)
	return body, result
}
