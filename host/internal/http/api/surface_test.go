package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/registry/hostkeys"
)

func newSnapshots(t *testing.T) *snapshot.Store {
	t.Helper()
	store, err := snapshot.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func serveWith(t *testing.T, o *api.Options) *httptest.Server {
	t.Helper()
	return serveWithOptions(t, o, nil)
}

func handlerWith(t *testing.T, o *api.Options, outer *web.Options) http.Handler {
	t.Helper()
	return web.New(base, api.Routes(newService(t), o), outer)
}

// serveWithOptions serves the interface with options of package web.
func serveWithOptions(t *testing.T, o *api.Options, outer *web.Options) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handlerWith(t, o, outer))
	t.Cleanup(s.Close)
	return s
}

func TestSnapshots(t *testing.T) {
	s := serveWith(t, &api.Options{Snapshots: newSnapshots(t)})
	const request = `{"tool_id":"volume","inputs":{"a":2},"calculation_version":"1.0.0"}`
	made := send(t, s, "POST", "/api/v1/share", request)
	id, _ := made.body["id"].(string)
	if made.StatusCode != 201 || !strings.HasPrefix(id, "cx_e1_") || made.Header.Get("Location") != "/api/v1/share/"+id {
		t.Fatalf("create: %d %s", made.StatusCode, made.text)
	}
	links, _ := made.body["links"].(map[string]any)
	result, _ := made.body["result"].(map[string]any)
	if made.body["tool_id"] != "volume" || made.body["capability_id"] != "test.geometry.volume" || made.body["calculation_version"] != "1.0.0" ||
		made.body["status"] != "success" || links["snapshot"] != "/s/"+id || result["calculation_version"] != "1.0.0" || made.body["engine_digest"] != digest1 {
		t.Errorf("record: %s", made.text)
	}
	for _, path := range []string{"/api/v1/share/" + id, "/s/" + id} {
		got := send(t, s, "GET", path, "")
		if got.StatusCode != 200 || got.text != made.text {
			t.Errorf("%s: %d %s\nwant %s", path, got.StatusCode, got.text, made.text)
		}
		if !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(got.Header.Get("ETag"), `"sha256-`) || !strings.Contains(got.Header.Get("Vary"), "Accept") {
			t.Errorf("%s: headers %v", path, got.Header)
		}
		if again := send(t, s, "GET", path, "", "If-None-Match", got.Header.Get("ETag")); again.StatusCode != 304 || again.text != "" {
			t.Errorf("%s with its ETag: %d", path, again.StatusCode)
		}
		if head := send(t, s, "HEAD", path, ""); head.StatusCode != 200 || head.text != "" {
			t.Errorf("HEAD %s: %d", path, head.StatusCode)
		}
	}
}

// All callers can get the public keys. The signed copy is the record with a signature that these keys verify.
func TestPublicKeysAndSignedCopy(t *testing.T) {
	keys, err := snapshot.LoadKeys("", strings.Repeat("2a", 32))
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.New(keys, &snapshot.Options{File: snapshot.NewFile(t.TempDir(), nil), Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := serveWith(t, &api.Options{Snapshots: store})
	document := send(t, s, "GET", hostkeys.WellKnown, "")
	published, err := hostkeys.Parse([]byte(document.text))
	if err != nil || document.Header.Get("Content-Type") != "application/json" || document.Header.Get("Cache-Control") != "public, max-age=60" {
		t.Fatalf("%v: %s, %v", document.Header, document.text, err)
	}
	if again := send(t, s, "GET", hostkeys.WellKnown, "", "If-None-Match", document.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("the same keys again: %d", again.StatusCode)
	}
	made := send(t, s, "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"a":2},"calculation_version":"1.0.0"}`)
	id, _ := made.body["id"].(string)
	copied := send(t, s, "GET", "/api/v1/share/"+id+"/signed", "")
	if copied.StatusCode != 200 || !strings.HasPrefix(copied.text, strings.TrimSuffix(made.text, "}")+`,"signature":{`) {
		t.Fatalf("%d %s, of %s", copied.StatusCode, copied.text, made.text)
	}
	record, err := snapshot.ReadRecord([]byte(copied.text))
	if err != nil {
		t.Fatal(err)
	}
	if by, err := record.CheckPublic(hostkeys.Set{{Name: "here", Document: published}}); err != nil || by.ID != published.Keys[0].ID {
		t.Errorf("%+v, %v", by, err)
	}
	if again := send(t, s, "GET", "/api/v1/share/"+id+"/signed", "", "If-None-Match", copied.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("the same copy again: %d", again.StatusCode)
	}
	if none := send(t, s, "GET", "/api/v1/share/cx_aaaaaaaaaaaaaaaaaaaaaaaaaa/signed", ""); none.StatusCode != 404 || none.body["code"] != "SNAPSHOT_NOT_FOUND" {
		t.Errorf("a copy of nothing: %d %s", none.StatusCode, none.text)
	}
}

// Requests for a snapshot that the server rejects, and forged ids (E20).
func TestSnapshotProblems(t *testing.T) {
	s := serveWith(t, &api.Options{Snapshots: newSnapshots(t)})
	id, _ := send(t, s, "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"a":2}}`).body["id"].(string)
	flipped := []byte(id)
	flipped[len(id)/2] ^= 1
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code, field              string
	}{
		{"unknown tool", "POST", "/api/v1/share", `{"tool_id":"volum","inputs":{}}`, 404, "ENGINE_NOT_FOUND", "tool_id"},
		{"no tool", "POST", "/api/v1/share", `{"inputs":{}}`, 400, "MISSING_REQUIRED_INPUT", "tool_id"},
		{"bad input", "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"a":-2}}`, 400, "SIDE_MUST_BE_POSITIVE", "side"},
		{"pin", "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"a":2},"calculation_version":"9.0.0"}`, 409, "VERSION_MISMATCH", "calculation_version"},
		{"conflict", "POST", "/api/v1/share?calculation_version=2.0.0", `{"tool_id":"volume","inputs":{"a":2},"calculation_version":"1.0.0"}`, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"syntax", "POST", "/api/v1/share", `{`, 400, "INVALID_JSON", ""},
		{"method", "DELETE", "/api/v1/share/" + id, ``, 405, "METHOD_NOT_ALLOWED", ""},
		{"short", "GET", "/api/v1/share/cx_aaaaaaaaaaaaaaaaaaaaaaaaaa", ``, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"flipped bit", "GET", "/api/v1/share/" + string(flipped), ``, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"truncated", "GET", "/s/" + id[:len(id)-1], ``, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"appended", "GET", "/s/" + id + "A", ``, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"padded", "GET", "/s/" + id + "=", ``, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"nonsense", "GET", "/s/..%2f..%2fetc", ``, 404, "NOT_FOUND", ""},
		{"bytes", "GET", "/s/%ff%00", ``, 404, "SNAPSHOT_NOT_FOUND", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, s, tt.method, tt.path, tt.body)
			field, _ := r.body["field"].(string)
			if r.StatusCode != tt.status || r.body["code"] != tt.code || field != tt.field {
				t.Fatalf("answer %d: %s\nwant %d %s, field %q", r.StatusCode, r.text, tt.status, tt.code, tt.field)
			}
			checkErrorBody(t, r)
			if suggestion, _ := r.body["suggestion"].(string); tt.code == "MISSING_REQUIRED_INPUT" && !strings.Contains(suggestion, tt.field) {
				t.Errorf("the suggestion %q does not name %s", suggestion, tt.field)
			}
		})
	}
}

// The limit of each surface, and the headers that report it.
func TestLimits(t *testing.T) {
	limits, err := limit.ParseLimits("calc=2,share=1,page=1")
	if err != nil {
		t.Fatal(err)
	}
	clock := new(time.Duration)
	local := limit.NewLocal(limits, &limit.Options{Clock: func() time.Duration { return *clock }})
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} // does not contain the peer of these tests
	clients := &web.Clients{Limiter: local, Trusted: limit.NewProxies(trusted)}
	s := serveWithOptions(t, &api.Options{Snapshots: newSnapshots(t), Batches: api.Batches{Clients: clients}}, &web.Options{Clients: clients})
	post := func(headers ...string) reply { return send(t, s, "POST", calcPath, `{"side":2}`, headers...) }
	for i, want := range []string{`"calc";r=1;t=60`, `"calc";r=0;t=60`} {
		if r := post(); r.StatusCode != 200 || r.Header.Get("RateLimit") != want || r.Header.Get("RateLimit-Policy") != `"calc";q=2;w=60` {
			t.Errorf("call %d: %d, RateLimit %q", i, r.StatusCode, r.Header.Get("RateLimit"))
		}
	}
	*clock += 18 * time.Second
	r := post("X-Forwarded-For", "203.0.113.7") // forged, because the peer is not trusted
	if r.StatusCode != 429 || r.body["code"] != "RATE_LIMITED" || r.body["retry_after_seconds"] != 42.0 || r.body["limit"] != 2.0 ||
		r.Header.Get("Retry-After") != "42" || r.Header.Get("RateLimit") != `"calc";r=0;t=42` {
		t.Errorf("third call: %d %s %v", r.StatusCode, r.text, r.Header)
	}
	checkErrorBody(t, r)
	for _, free := range []reply{send(t, s, "GET", calcPath, ""), send(t, s, "OPTIONS", calcPath, ""), send(t, s, "GET", "/livez", "")} {
		if free.StatusCode >= 400 || free.Header.Get("RateLimit") != "" {
			t.Errorf("a description was limited: %d %v", free.StatusCode, free.Header)
		}
	}
	share := func() reply { return send(t, s, "POST", "/api/v1/share", `{"tool_id":"volume","inputs":{"a":2}}`) }
	if first, second := share(), share(); first.StatusCode != 201 || second.StatusCode != 429 {
		t.Errorf("share: %d, then %d", first.StatusCode, second.StatusCode)
	}
	*clock += 43 * time.Second
	if r := post(); r.StatusCode != 200 {
		t.Errorf("after the window: %d", r.StatusCode)
	}
	*clock += time.Minute
	for _, want := range []int{200, 429} { // one call, and one for the steps
		if r := send(t, s, "POST", calcPath+"?steps=true", `{"side":2}`); r.StatusCode != want || r.Header.Get("RateLimit") != `"calc";r=0;t=60` {
			t.Errorf("with steps: %d %q, want %d and no more calls", r.StatusCode, r.Header.Get("RateLimit"), want)
		}
	}
}

// A refused request is refused before the server reads its body. Every code has a description.
func TestProblemPages(t *testing.T) {
	s := serveWith(t, nil)
	catalog := newService(t).Catalog()
	codes := append(catalog.Codes(), catalog.Warnings()...)
	for _, want := range []string{"MISSING_REQUIRED_INPUT", "NUMERIC_UNDERFLOW", "RATE_LIMITED", "SNAPSHOT_NOT_FOUND", "INVALID_QUERY", "SIDE_MUST_BE_POSITIVE",
		"POWER_FACTOR_IGNORED", "RESULT_UNDERFLOW", "RESULT_SUBNORMAL", "VERSION_DEPRECATED", "VERSION_YANKED", "STEPS_UNAVAILABLE", "FORMULA_DIFFERS", "SIDE_SUSPICIOUS"} {
		if !slices.ContainsFunc(codes, func(d problem.Doc) bool { return d.Code == want }) {
			t.Errorf("%s is not explained", want)
		}
	}
	for _, d := range codes {
		path := "/problems/" + strings.ToLower(strings.ReplaceAll(d.Code, "_", "-"))
		r := send(t, s, "GET", path, "")
		if r.StatusCode != 200 || r.body["code"] != d.Code || r.body["http_status"] != float64(d.HTTPStatus) || r.body["kind"] != d.Kind || r.body["cause"] == "" || r.body["remedy"] == "" {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
		}
	}
	for code, kind := range map[string]string{"side-suspicious": "warning", "too-odd": "error", "capability-not-found": "error", "power-factor-ignored": "warning"} {
		if r := send(t, s, "GET", "/problems/"+code, ""); r.StatusCode != 200 || r.body["kind"] != kind {
			t.Errorf("%s: %d %s, want the kind %s", code, r.StatusCode, r.text, kind)
		}
	}
	if r := send(t, s, "GET", "/problems/no-such-thing", ""); r.StatusCode != 404 || r.body["code"] != "NOT_FOUND" {
		t.Errorf("unknown problem: %d %s", r.StatusCode, r.text)
	}
}

// RFC 9457 on request: the same problem with a numeric status.
func TestProblemJSON(t *testing.T) {
	s := serveWith(t, nil)
	r := send(t, s, "POST", calcPath, `{"side":0}`, "Accept", "application/problem+json, application/json;q=0.5")
	if r.StatusCode != 400 || r.Header.Get("Content-Type") != "application/problem+json" || r.body["status"] != 400.0 ||
		r.body["code"] != "SIDE_MUST_BE_POSITIVE" || r.body["type"] != base+"/problems/side-must-be-positive" || r.body["title"] == nil || r.body["http_status"] != nil {
		t.Errorf("%d %v %s", r.StatusCode, r.Header, r.text)
	}
	if r := send(t, s, "POST", calcPath, `{"side":2}`, "Accept", "application/problem+json"); r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("a success: %d %v", r.StatusCode, r.Header)
	}
}

func TestHealth(t *testing.T) {
	state := api.Readiness{Status: api.Ready, Releases: map[string]string{"a@1.0.0": "ok"}, Store: "ok"}
	s := serveWith(t, &api.Options{Ready: func(context.Context) api.Readiness { return state }})
	if r := send(t, s, "GET", "/livez", ""); r.StatusCode != 200 || r.body["status"] != "live" {
		t.Errorf("livez: %d %s", r.StatusCode, r.text)
	}
	for status, want := range map[string]int{api.Ready: 200, api.Degraded: 200, api.Unready: 503} {
		state.Status = status
		if r := send(t, s, "GET", "/readyz", ""); r.StatusCode != want || r.text != `{"status":"`+status+`"}`+"\n" {
			t.Errorf("readyz: %d %s", r.StatusCode, r.text)
		}
		if r := send(t, s, "GET", "/readyz?verbose", ""); r.StatusCode != want || r.body["store"] != "ok" || r.body["releases"] == nil {
			t.Errorf("readyz?verbose: %d %s", r.StatusCode, r.text)
		}
	}
}

// All callers see the codes of the reasons, and with ?verbose their details. The worst status wins, and its
// reasons come first.
func TestReasons(t *testing.T) {
	state := api.Readiness{Status: api.Ready}
	s := serveWith(t, &api.Options{Ready: func(context.Context) api.Readiness { return state }})
	for _, tt := range []struct {
		status string
		reason api.Reason
		brief  string
	}{
		{api.Degraded, api.Reason{Code: api.ReasonStore, Detail: "down"}, `{"status":"degraded","reasons":[{"code":"STORE"}]}`},
		{api.Unready, api.Reason{Code: api.ReasonDraining, Detail: "ends"}, `{"status":"unready","reasons":[{"code":"DRAINING"},{"code":"STORE"}]}`},
		{api.Degraded, api.Reason{Code: api.ReasonRegistry, Detail: "old"}, `{"status":"unready","reasons":[{"code":"DRAINING"},{"code":"STORE"},{"code":"REGISTRY"}]}`},
	} {
		state.Add(tt.status, tt.reason)
		if r := send(t, s, "GET", "/readyz", ""); r.text != tt.brief+"\n" {
			t.Errorf("%s\nwant %s", r.text, tt.brief)
		}
		if r := send(t, s, "GET", "/readyz?verbose", ""); !strings.Contains(r.text, `"code":"`+tt.reason.Code+`","detail":"`+tt.reason.Detail+`"`) {
			t.Errorf("verbose: %s", r.text)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	var seen []web.Observation
	s := serveWithOptions(t, nil, &web.Options{Observe: func(o web.Observation) { seen = append(seen, o) }})
	if r := send(t, s, "GET", calcPath, "", "X-Request-Id", "my-id_1"); r.Header.Get("X-Request-Id") != "my-id_1" {
		t.Errorf("id %q", r.Header.Get("X-Request-Id"))
	}
	for _, bad := range []string{"a b", strings.Repeat("x", 65), "<script>", ""} {
		if r := send(t, s, "PUT", calcPath, "", "X-Request-Id", bad); r.Header.Get("X-Request-Id") == bad || len(r.Header.Get("X-Request-Id")) < 20 {
			t.Errorf("for %q: id %q", bad, r.Header.Get("X-Request-Id"))
		}
	}
	if len(seen) != 5 || seen[0].Route != "/api/v1/calc/{id}" || seen[0].Status != 200 || seen[1].Code != "METHOD_NOT_ALLOWED" || seen[1].Status != 405 {
		t.Errorf("observed %+v", seen)
	}
}

// A chunked request closes its connection, so that the server never reads a request hidden in its framing
// (E11).
func TestChunkedEndsConnection(t *testing.T) {
	s := serveWith(t, nil)
	r := send(t, s, "POST", calcPath, `{"side":2}`, "X-Chunked", "yes")
	if r.StatusCode != 200 || !r.Close {
		t.Errorf("%d, close %v", r.StatusCode, r.Close)
	}
	if r := send(t, s, "POST", calcPath, `{"side":2}`); r.Close {
		t.Error("a plain request ended its connection")
	}
}
