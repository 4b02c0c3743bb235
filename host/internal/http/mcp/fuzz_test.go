package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// FuzzPost sends arbitrary bodies: the answer is JSON with a status of the mapping, and never an internal
// error.
func FuzzPost(f *testing.F) {
	current, _ := rpc("tools/call", execute(cube))
	for _, body := range []string{
		current, tool("execute_calculation", cube), tool("search_capabilities", `{"query":"cube","limit":2}`), tool("get_snapshot", `{"id":"cx_e1_x"}`),
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"calc://capabilities/test.geometry.volume@1.0.0"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"solve"},"argument":{"name":"capability_id","value":"t"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"solve","arguments":{"question":"q"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `[]`, `{`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`,
	} {
		f.Add(body, false)
		f.Add(body, true)
	}
	s := newSite(f, base, nil)
	f.Fuzz(func(t *testing.T, body string, modern bool) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", base+"/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if modern {
			var m struct {
				Method string
				Params struct{ Name, URI string }
			}
			_ = json.Unmarshal([]byte(body), &m)
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", m.Method)
			r.Header.Set("Mcp-Name", m.Params.Name+m.Params.URI)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		media := w.Header().Get("Content-Type")
		switch {
		case !slices.Contains([]int{200, 202, 400, 404, 413}, w.Code):
			t.Fatalf("%q: %d %s\n%s", body, w.Code, w.Body, s.log)
		case w.Code == 202 && w.Body.Len() == 0, media == "text/event-stream" && w.Code == 200:
		case media != "application/json" || !json.Valid(w.Body.Bytes()) || !strings.HasPrefix(w.Body.String(), `{"jsonrpc":"2.0"`):
			t.Fatalf("%q: %d %s: %s", body, w.Code, media, w.Body)
		}
	})
}

// FuzzArguments compares the tool with REST: the same inputs have the same answer.
func FuzzArguments(f *testing.F) {
	for _, inputs := range []string{
		`{"side":2}`, `{"a":2,"side":2}`, `{"a":1e-400}`, `{"a":1e400}`, `{"side":{"value":"3","unit":"ft"}}`, `{"side":1,"side":1}`, `{"shape":"ball"}`, `[]`, `"x"`, `null`, `{"calculation_version":"1.0.0","side":1}`,
		`{"side":-0.0}`, `{"inputs":{}}`, `{"capability_id":"volume","side":3}`, "{\"side\":1,\"\\u0061\":1}",
	} {
		f.Add(inputs, "1.0.0")
		f.Add(inputs, "")
	}
	s := newSite(f, base, nil)
	f.Fuzz(func(t *testing.T, inputs, pin string) {
		version, err := json.Marshal(pin)
		if err != nil || len(inputs) > 20_000 || len(version) > 20_000 || !json.Valid([]byte(inputs)) {
			return // invalid JSON does not reach the tools
		}
		request := fmt.Sprintf(`{"capability_id":"volume","inputs":%s,"calculation_version":%s}`, inputs, version)
		rest := s.send(t, "POST", "/api/v1/calc", request)
		a := s.ask(t, "tools/call", execute(request))
		if a.Error != nil {
			if rest.status < 500 {
				t.Fatalf("%s: REST %d %s, MCP %d %s", request, rest.status, rest.text, a.status, a.text)
			}
			return
		}
		body, result := s.result(t, "execute_calculation", a)
		if !result.IsError {
			if rest.text != string(result.StructuredContent)+"\n" {
				t.Fatalf("%s: REST %s, MCP %s", request, rest.text, result.StructuredContent)
			}
			return
		}
		var refused map[string]any
		if err := json.Unmarshal([]byte(rest.text), &refused); err != nil {
			t.Fatal(err)
		}
		if body["code"] == "INVALID_ARGUMENT" { // the tool has its own text for inputs that are not an object
			if rest.status != 400 || refused["field"] != "inputs" || body["field"] != "inputs" || strings.TrimLeft(inputs, " \t\r\n")[0] == '{' {
				t.Fatalf("%s: REST %s, MCP %s", request, rest.text, result.StructuredContent)
			}
			return
		}
		if refused["code"] != body["code"] || refused["field"] != body["field"] || refused["http_status"] != body["http_status"] || float64(rest.status) != body["http_status"] {
			t.Fatalf("%s: REST %s, MCP %s", request, rest.text, result.StructuredContent)
		}
	})
}
