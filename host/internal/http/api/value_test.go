package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// A cell gets a number. The version and other facts are in headers.
func TestValue(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ query, want, version string }{
		{"a=2", "16", "2.0.0"}, {"a=2&calculation_version=1.0.0", "8", "1.0.0"}, {"side=200+cm&output=volume&unit=m%C2%B3", "16", "2.0.0"},
		{"a=1e+1&unit=volume%3DL", "2000000", "2.0.0"}, {"a=0,5&decimal=comma", "0,25", "2.0.0"}, {"a=2&count=&shape=ball", "16", "2.0.0"},
		{"a=2&errors=text", "16", "2.0.0"}, {"a=%C2%A02%20m", "16", "2.0.0"},
	} {
		r := send(t, s, "GET", "/api/v1/value/volume?"+tt.query, "")
		h := r.Header
		if r.StatusCode != 200 || r.text != tt.want || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Service-Spec-Version") != tt.version {
			t.Errorf("%s: %d %q %v", tt.query, r.StatusCode, r.text, h)
		}
		if again := send(t, s, "GET", "/api/v1/value/volume?"+tt.query, "", "If-None-Match", h.Get("ETag")); again.StatusCode != 304 || h.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%s: %d %v", tt.query, again.StatusCode, h)
		}
	}
	if r := send(t, s, "GET", "/api/v1/value/volume?a=1e-105", ""); !strings.HasSuffix(r.text, "e-315") || r.Header.Get("Slipstick-Warnings") != "RESULT_SUBNORMAL" {
		t.Errorf("%q %v", r.text, r.Header)
	}
}

// The query of a calculation chooses the units of the formatted result alone. Its faults have codes.
func TestFormattedUnits(t *testing.T) {
	s := newServer(t)
	calculate := func(query string) reply {
		return send(t, s, "POST", "/api/v1/calc/volume"+query, `{"side":2}`, "Content-Type", "application/json")
	}
	const formatted = `"formatted":"16 m3"`
	plain := calculate("")
	if !strings.Contains(plain.text, formatted) {
		t.Fatal(plain.text)
	}
	for query, want := range map[string]string{
		"?units=us": "565.035 ft3", "?units=metric": "16 m3", "?unit=L": "16000 L", "?unit=volume%3DL": "16000 L", "?units=us&unit=volume%3DL": "16000 L",
	} {
		if got := calculate(query); got.StatusCode != 200 || got.text != strings.Replace(plain.text, formatted, `"formatted":"`+want+`"`, 1) {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.text)
		}
		if again := calculate(""); again.text != plain.text {
			t.Errorf("after %s: %s", query, again.text)
		}
	}
	for query, code := range map[string]string{
		"?units=imperial": "INVALID_QUERY", "?units=": "INVALID_QUERY", "?unit=area%3Dm2": "INVALID_QUERY", "?unit=parsnip": "UNKNOWN_UNIT",
		"?unit=kg": "INCOMPATIBLE_UNIT", "?unit=L&unit=m3": "INVALID_QUERY", "?output=us": "INVALID_QUERY",
	} {
		if got := calculate(query); got.StatusCode != 400 || !strings.Contains(got.text, `"code":"`+code+`"`) {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.text)
		}
	}
	if frozen := send(t, s, "POST", "/api/v1/share?units=us", `{"tool_id":"volume","inputs":{"side":2}}`, "Content-Type", "application/json"); frozen.StatusCode < 400 {
		t.Errorf("a snapshot in US units: %s", frozen.text)
	}
	table := send(t, s, "POST", "/api/v1/batch?id=volume&units=us", "side\n2\n", "Content-Type", "text/csv")
	if !strings.Contains(table.text, "volume [in3]") || !strings.Contains(table.text, "976379.9") {
		t.Errorf("a table: %d %s", table.StatusCode, table.text)
	}
}

// An error is one line with the remedy. It has its own status, or 200 for spreadsheets that show nothing of an
// error.
func TestValueErrors(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"volume?", 400, "MISSING_REQUIRED_INPUT: side (m) is required. Give side (or a)."},
		{"volume?a=", 400, "MISSING_REQUIRED_INPUT: side (m) is required. Give side (or a)."},
		{"volume?a=-1", 400, "SIDE_MUST_BE_POSITIVE: "}, {"volume?A=1", 400, "UNKNOWN_INPUT: "}, {"volume?a=1&width=2", 400, "UNKNOWN_INPUT: "},
		{"volume?a=1&a=2", 400, "CONFLICTING_INPUTS: a is given twice. Give each input once."}, {"volume?a=1&side=2", 400, "CONFLICTING_INPUTS: "},
		{"volume?a=1,234", 400, "INVALID_NUMBER: side: “1,234” has two readings, 1.234 and 1234."}, {"volume?a=1.5&decimal=comma", 400, "INVALID_NUMBER: side: “1.5” is not written with decimal=comma."},
		{"volume?a=x", 400, "INVALID_NUMBER: "}, {"volume?a=1&decimal=dot", 400, "INVALID_QUERY: "}, {"volume?a=1&errors=no", 400, "INVALID_QUERY: "},
		{"volume?a=1&output=area", 400, "INVALID_QUERY: "}, {"volume?a=1&unit=kg", 400, "INCOMPATIBLE_UNIT: "}, {"volume?a=1&unit=", 400, "UNKNOWN_UNIT: "},
		{"volume?a=%zz", 400, "INVALID_QUERY: "}, {"volume?a=1&calculation_version=9.0.0", 409, "VERSION_MISMATCH: "},
		{"volum?a=1", 404, "ENGINE_NOT_FOUND: "}, {"volume?a=1&calculation_version=3.0.0", 503, "ENGINE_UNAVAILABLE: "}, {"volume?a=1&count=500", 500, "INTERNAL_ERROR: "},
		{"volume?a=1&%0A%3D=2", 400, "UNKNOWN_INPUT: "},
	} {
		r := send(t, s, "GET", "/api/v1/value/"+tt.path, "")
		if r.StatusCode != tt.status || !strings.HasPrefix(r.text, tt.want) || strings.ContainsAny(r.text, "\n\t") || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %q %v", tt.path, r.StatusCode, r.text, r.Header)
		}
		code, _, _ := strings.Cut(r.text, ":")
		slug := strings.ToLower(strings.ReplaceAll(code, "_", "-"))
		if link := r.Header.Get("Link"); link != "<"+base+"/problems/"+slug+`>; rel="help"` {
			t.Errorf("%s: Link %q", tt.path, link)
		}
		if words := send(t, s, "GET", "/api/v1/value/"+tt.path+"&errors=text", ""); !strings.Contains(tt.path, "errors=") && !strings.Contains(tt.path, "%zz") && (words.StatusCode != 200 || words.text != r.text) {
			t.Errorf("%s: as text %d %q", tt.path, words.StatusCode, words.text)
		}
	}
}

func TestValueCounts(t *testing.T) {
	clock := time.Duration(0)
	clients := &web.Clients{Limiter: limit.NewLocal(map[string]int{limit.Calc: 2}, &limit.Options{Clock: func() time.Duration { return clock }})}
	s := serveWith(t, &api.Options{Batches: api.Batches{Clients: clients}})
	for i, status := range []int{200, 200, 429} {
		if r := send(t, s, "GET", "/api/v1/value/volume?a=1", ""); r.StatusCode != status || r.Header.Get("RateLimit") == "" || status == 429 && r.Header.Get("Retry-After") != "60" {
			t.Errorf("call %d: %d %q %v", i+1, r.StatusCode, r.text, r.Header)
		}
	}
}

// GET of a calculation returns its description. A caller who sends inputs gets an error.
func TestDescriptionTakesNoInputs(t *testing.T) {
	s := newServer(t)
	for query, status := range map[string]int{"": 200, "?calculation_version=1.0.0": 200, "?a=2": 400, "?lenght=2&calculation_version=1.0.0": 400} {
		r := send(t, s, "GET", "/api/v1/calc/volume"+query, "")
		if r.StatusCode != status || status == 400 && (r.body["code"] != "INVALID_QUERY" || r.body["field"] == nil || !strings.Contains(r.text, "/api/v1/value/{id}")) {
			t.Errorf("%q: %d %s", query, r.StatusCode, r.text)
		}
	}
}

const tableBatch = batchPath + "?id=volume"

// The answer to a table is a table with the same rows, all computed by one version.
func TestTable(t *testing.T) {
	s := newServer(t)
	const more = ",warnings,error_code,error_field,error_detail\n"
	for _, tt := range []struct{ query, body, want string }{
		{"", "box,a,count\nB1,2,\nB2,-1,\nB3,1 ft,500\n", "box,a,count,volume [m3]" + more + "B1,2,,16,,,,\n" +
			"B2,-1,,,,SIDE_MUST_BE_POSITIVE,side,\"side is -1: it must be greater than 0. Give a value of side greater than 0, in m.\"\n" +
			"B3,1 ft,500,,,INTERNAL_ERROR,,\"the service failed, and the request is not the cause. Report it to the operator of the service, with the X-Request-Id of this response.\"\n"},
		{"&decimal=comma&unit=volume%3DL&calculation_version=1.0.0&tag=box", "\ufeffbox;a [cm]\nB1;1,5\n",
			"\ufeffbox;a [cm];volume [L]" + strings.ReplaceAll(more, ",", ";") + "B1;1,5;0,003375;;;;\n"},
		{"&unit=volume%3DL", "box;a_cm;calculation_version\nB1;1,5;1.0.0\n", // the row has a decimal comma, a unit and a pin
			"box;a_cm;calculation_version;volume [L]" + strings.ReplaceAll(more, ",", ";") + "B1;1,5;1.0.0;0,003375;;;;\n"},
		{"", "box,a\rB1,2\r", "box,a,volume [m3]" + more + "B1,2,16,,,,\n"},
		{"&output=result", "a\n2\n", `{"result":{"volume":16}}` + "\n"},
		{"", "a\n", "a,volume [m3]" + more},
	} {
		resp, got := sendLines(t, s, tableBatch+tt.query, tt.body, "Content-Type", "text/csv; charset=utf-8")
		if resp.StatusCode != 200 || strings.Join(got, "") != tt.want {
			t.Errorf("%s: %d %v\n%s\nwant\n%s", tt.query, resp.StatusCode, resp.Header, strings.Join(got, ""), tt.want)
		}
		if csv := !strings.Contains(tt.query, "output"); (resp.Header.Get("Content-Type") == "text/csv; charset=utf-8; header=present") != csv || resp.Header.Get("Service-Spec-Version") == "" {
			t.Errorf("%s: %v", tt.query, resp.Header)
		}
		if passed := resp.Header.Get("Slipstick-Passed-Columns"); strings.HasPrefix(tt.body, "box") != (passed == `"box"`) {
			t.Errorf("%s: passed %s", tt.query, passed)
		}
	}
}

// Problems of a table as a whole.
func TestTableProblems(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		query, media, body string
		status             int
		code, field        string
	}{
		{"", "text/csv", "a\n1\n", 400, "INVALID_QUERY", "id"}, {"?id=volume&id=x", "text/csv", "a\n1\n", 400, "INVALID_QUERY", "id"},
		{"?id=volum", "text/csv", "a\n1\n", 404, "ENGINE_NOT_FOUND", "id"}, {"?id=volume", "text/csv; charset=iso-8859-1", "a\n1\n", 415, "UNSUPPORTED_MEDIA_TYPE", ""},
		{"?id=volume", "text/csv", "a,sied\n1,2\n", 400, "UNKNOWN_INPUT", "sied"}, {"?id=volume", "text/csv", "", 400, "INVALID_CSV", ""},
		{"?id=volume", "text/csv", "a,count,a [ft]\n1,2,3\n", 400, "INVALID_CSV", "a"}, {"?id=volume&tag=b", "text/csv", "a\n1\n", 400, "INVALID_CSV", "b"}, {"?id=volume", "text/csv", "a,shape [m]\n1,cube\n", 400, "INVALID_CSV", "shape"},
		{"?id=volume&unit=volume%3Dm2", "text/csv", "a\n1\n", 400, "INCOMPATIBLE_UNIT", "unit"}, {"?id=volume&output=xml", "text/csv", "a\n1\n", 400, "INVALID_QUERY", "output"},
		{"?id=volume&decimal=point", ndjson, `{"a":1}`, 400, "INVALID_QUERY", "decimal"}, {"?id=volume&calculation_version=9.0.0", "text/csv", "a\n1\n", 409, "VERSION_MISMATCH", "calculation_version"},
	} {
		r := send(t, s, http.MethodPost, batchPath+tt.query, tt.body, "Content-Type", tt.media)
		if field, _ := r.body["field"].(string); r.StatusCode != tt.status || r.body["code"] != tt.code || field != tt.field {
			t.Errorf("%s %s: %d %s", tt.query, tt.media, r.StatusCode, r.text)
		}
	}
	if _, got := sendLines(t, s, tableBatch+"&output=result", `{"a":2}`); strings.Join(got, "") != `{"result":{"volume":16}}`+"\n" {
		t.Errorf("the id in the address does not count for lines that name none: %s", got)
	}
}
