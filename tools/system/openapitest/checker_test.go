package openapitest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/tools/system/openapitest"
)

func checker(t *testing.T) *openapitest.Checker {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "host", "internal", "http", "openapi", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := openapitest.Validator(document)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	digest  = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	success = `{"id":"volume","status":"success","capability_id":"test.geometry.volume","tool":"volume","engine":"volume@2.0.0",` +
		`"inputs":{"side":2},"result":{"volume":8},"result_detail":{"value":{"volume":8},"unit":"m3","formatted":"8 m3"},` +
		`"verification":{"tier":"candidate","engine_tested":false,"expert_reviewed":false,"source_checked":false,"reviewed_by":null,"reviewer_role":null,"last_reviewed":null},` +
		`"calculation_version":"2.0.0"}`
	notFound = `{"type":"https://calc.example.org/problems/not-found","title":"Not found","status":"error","http_status":404,` +
		`"code":"NOT_FOUND","error":"Not found","detail":"there is nothing at \"/x\"","recoverable":true}`
	notAllowed = `{"type":"https://calc.example.org/problems/method-not-allowed","title":"Method not allowed","status":"error","http_status":405,` +
		`"code":"METHOD_NOT_ALLOWED","error":"Method not allowed","detail":"PUT is not supported here","recoverable":true}`
	rejected = `{"type":"https://calc.example.org/problems/side-must-be-positive","title":"Side must be positive","status":"error","http_status":400,` +
		`"code":"SIDE_MUST_BE_POSITIVE","error":"Side must be positive","detail":"no","field":"side","recoverable":true,` +
		`"invalid_parameters":[{"name":"inputs.side","constraint":"no"}]}`
	rejected9457 = `{"type":"https://calc.example.org/problems/side-must-be-positive","title":"Side must be positive","status":400,` +
		`"code":"SIDE_MUST_BE_POSITIVE","detail":"no","recoverable":true}`
	snapshot = `{"status":"success","id":"cx_aaaa","tool_id":"volume","capability_id":"test.geometry.volume","inputs":{"side":2},` +
		`"calculation_version":"2.0.0","result":` + success + `,"created_at":"2026-01-02T03:04:05Z","expires_at":null,` +
		`"engine_digest":"` + digest + `","links":{"snapshot":"/s/cx_aaaa","api":"/api/v1/share/cx_aaaa"}}`

	calc   = "/api/v1/calc/volume"
	own    = "/api/v1/calc/test.geometry.volume"
	ohms   = "/api/v1/calc/test.electrical.ohm"
	media  = "Content-Type: application/json\n"
	told   = media + "Service-Spec-Version: 2.0.0\nSlipstick-Engine-Digest: " + digest + "\n"
	rows   = "Content-Type: application/x-ndjson\n"
	tagged = media + "ETag: \"sha256-00\"\n"
)

// headers parses lines of the form "name: value".
func headers(lines string) http.Header {
	h := http.Header{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h.Add(name, value)
	}
	return h
}

func TestAccepts(t *testing.T) {
	c := checker(t)
	for _, tt := range []struct {
		method, path string
		status       int
		headers      string
		body         string
	}{
		{"POST", calc, 200, told, success},
		{"POST", calc + "?calculation_version=2.0.0", 200, told, success},
		{"POST", own, 200, told, success},
		{"POST", own, 400, media, rejected},
		{"POST", calc, 400, "Content-Type: application/problem+json", rejected9457},
		{"GET", "/api/v2", 404, media, notFound},
		{"GET", "//api/v1/calc", 404, media, notFound},
		{"PUT", calc, 405, media + "Allow: GET", notAllowed},
		{"OPTIONS", calc, 204, "Allow: GET", ""},
		{"HEAD", "/livez", 200, media, ""},
		{"GET", "/livez", 200, "Content-Type: application/json; charset=utf-8", `{"status":"live"}`},
		{"GET", "/readyz?verbose", 503, media, `{"status":"unready","releases":{"a.b@1.0.0":"ok"}}`},
		{"POST", "/api/v1/batch", 200, rows, success + "\n" + rejected + "\n" + `{"result":{"volume":8}}` + "\n"},
		{"POST", "/api/v1/batch", 200, rows, ""},
		{"GET", "/metrics", 200, "Content-Type: text/plain; version=0.0.4", "up 1\n"},
		{"GET", "/api/v1/share/cx_aaaa", 200, tagged, snapshot},
		{"GET", "/s/cx_aaaa", 200, tagged, snapshot},
		{"GET", "/s/cx_aaaa", 200, "Content-Type: text/html; charset=utf-8\nETag: \"x\"", "<!doctype html>"},
		{"GET", "/s/cx_aaaa", 304, "ETag: \"x\"", ""},
		{"POST", "/api/v1/share", 201, told + "Location: /s/cx_aaaa", snapshot},
	} {
		if err := c.Check(tt.method, tt.path, tt.status, headers(tt.headers), []byte(tt.body)); err != nil {
			t.Error(err)
		}
	}
}

func TestRefuses(t *testing.T) {
	c := checker(t)
	for _, tt := range []struct {
		name, method, path string
		status             int
		headers, body      string
		want               string
	}{
		{"unknown path", "GET", "/api/v2", 200, media, `{}`, "no such path"},
		{"unknown method", "PUT", calc, 200, told, success, "405 is due"},
		{"no Allow", "PUT", calc, 405, media, notAllowed, "Allow is missing"},
		{"no Allow for OPTIONS", "OPTIONS", calc, 204, "", "", "Allow"},
		{"unknown status", "POST", calc, 418, media, rejected, "no response 418"},
		{"no version told", "POST", calc, 200, media, success, "is missing"},
		{"bad digest told", "POST", calc, 200, strings.Replace(told, "sha256", "md5", 1), success, "Slipstick-Engine-Digest"},
		{"bad Retry-After", "POST", calc, 429, media + "Retry-After: soon", notFound, "not an integer"},
		{"Retry-After of zero", "POST", calc, 429, media + "Retry-After: 0", notFound, "Retry-After"},
		{"media type", "POST", calc, 200, strings.Replace(told, "json", "xml", 1), success, "not documented"},
		{"no JSON", "POST", calc, 200, told, `{"status":`, "is not JSON"},
		{"two values", "POST", calc, 200, told, success + success, "is not JSON"},
		{"body for HEAD", "HEAD", "/livez", 200, media, `{"status":"live"}`, "HEAD"},
		{"body for 304", "GET", "/s/cx_aaaa", 304, "ETag: \"x\"", "x", "none documented"},
		{"empty page", "GET", "/s/cx_aaaa", 200, "Content-Type: text/html\nETag: \"x\"", "", "empty"},

		{"line that is no JSON", "POST", "/api/v1/batch", 200, rows, success + "\n{\n", "is not JSON"},
		{"line of another shape", "POST", "/api/v1/batch", 200, rows, `{"value":{}}` + "\n", "anyOf"},
		{"line with a null", "POST", "/api/v1/batch", 200, rows, strings.Replace(success, `"result":{"volume":8}`, `"result":{"volume":null}`, 1), "'/result/volume'"},
		{"member more", "POST", calc, 200, told, strings.Replace(success, `"status"`, `"more":1,"status"`, 1), "additional properties 'more'"},
		{"member less", "POST", calc, 200, told, strings.Replace(success, `"engine":"volume@2.0.0",`, ``, 1), "missing property 'engine'"},
		{"success with 400", "POST", calc, 400, media, success, "'/status'"},
		{"status in the body", "POST", calc, 404, media, rejected, "'/http_status'"},
		{"code of another status", "GET", "/api/v2", 404, media, strings.Replace(notFound, "NOT_FOUND", "INVALID_JSON", 1), "'/code'"},
		{"code of another engine", "POST", ohms, 400, media, rejected, "'/code'"},
		{"parameter name", "POST", calc, 400, media, strings.Replace(rejected, "inputs.side", "side", 1), "/invalid_parameters"},

		{"output of no release", "POST", calc, 200, told, strings.Replace(success, `"result":{"volume"`, `"result":{"vol"`, 1), "'/result'"},
		{"null result", "POST", calc, 200, told, strings.Replace(success, `"result":{"volume":8}`, `"result":{"volume":null}`, 1), "'/result/volume'"},
		{"release that is not published", "POST", calc, 200, told, strings.Replace(success, `"calculation_version":"2.0.0"`, `"calculation_version":"9.0.0"`, 1), "no schema"},
		{"result of another capability", "POST", ohms, 200, told, success, "oneOf"},
		{"frozen result", "GET", "/s/cx_aaaa", 200, tagged, strings.Replace(snapshot, `"result":{"volume":8}`, `"result":{}`, 1), "'/result'"},
		{"instant", "GET", "/s/cx_aaaa", 200, tagged, strings.Replace(snapshot, "T03", " 03", 1), "'/created_at'"},
		{"huge exponent", "POST", calc, 200, told, strings.Replace(success, `"volume":8`, `"volume":1e3000000`, 1), "1e3000000"},
		{"tiny exponent", "POST", calc, 200, told, strings.Replace(success, `"volume":8`, `"volume":1E-99999999999999999999`, 1), "1E-9999"},
	} {
		err := c.Check(tt.method, tt.path, tt.status, headers(tt.headers), []byte(tt.body))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestValidatorRefuses(t *testing.T) {
	for _, document := range []string{``, `[]`, `{"openapi":"3.1.0"}`} {
		if _, err := openapitest.Validator([]byte(document)); err == nil {
			t.Errorf("%q is taken for a document", document)
		}
	}
	c, err := openapitest.Validator([]byte(`{"paths":{"/x":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":7}}}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check("GET", "/x", 200, headers(media), []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a schema that is none: %v", err)
	}
}
