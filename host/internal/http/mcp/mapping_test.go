package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rpc returns a message of the current revision, and the headers that repeat parts of it.
func rpc(method, params string) (body string, headers []string) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	params = strings.Replace(params, "{", "{"+meta+",", 1)
	params = strings.Replace(params, ",}", "}", 1)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params),
		[]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
}

func execute(arguments string) string {
	return fmt.Sprintf(`{"name":"execute_calculation","arguments":%s}`, arguments)
}

// Every failure of a tool reaches the agent as an error result with the body of the interface.
func TestToolErrors(t *testing.T) {
	s := newSite(t, base, nil)
	const pinHeader = "Service-Spec-Version"
	for _, tt := range []struct {
		tool, arguments string
		headers         []string
		status          int
		code, field     string
	}{
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":-1}}`, nil, 400, "SIDE_MUST_BE_POSITIVE", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":"two"}}`, nil, 400, "INVALID_NUMBER", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1e-400}}`, nil, 400, "NUMERIC_UNDERFLOW", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1e400}}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1e300}}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1,"shape":"cone"}}`, nil, 400, "INVALID_MODE", "shape"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"sode":1}}`, nil, 400, "UNKNOWN_INPUT", "sode"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":{"value":1,"unit":"kg"}}}`, nil, 400, "INCOMPATIBLE_UNIT", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{}}`, nil, 400, "MISSING_REQUIRED_INPUT", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1,"side":2}}`, nil, 400, "INVALID_JSON", "inputs.side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"inputs":{"side":2}}`, nil, 400, "INVALID_JSON", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1` + strings.Repeat("0", 500) + `}}`, nil, 400, "NON_FINITE_RESULT", "side"},
		{"execute_calculation", `{"capability_id":"volume","inputs":` + strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100) + `}`, nil, 400, "INVALID_JSON", "inputs" + strings.Repeat(".a", 47) + "..."},
		{"execute_calculation", "{\"capability_id\":\"volume\",\"inputs\":{\"side\xff\":1}}", nil, 400, "INVALID_JSON", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","inputs":"{\"side\":1}"}`, nil, 400, "INVALID_ARGUMENT", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","inputs":[{"side":1}]}`, nil, 400, "INVALID_ARGUMENT", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","inputs":null}`, nil, 400, "INVALID_ARGUMENT", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","id":"volume","inputs":{"side":1}}`, nil, 400, "UNKNOWN_INPUT", "id"},
		{"execute_calculation", `{"capability_id":"volume","tool_id":"volume","inputs":{"side":1}}`, nil, 400, "UNKNOWN_INPUT", "tool_id"},
		{"execute_calculation", `{"id":"volume","inputs":{"side":1}}`, nil, 400, "MISSING_REQUIRED_INPUT", "capability_id"},
		{"execute_calculation", `{"capability_id":"","inputs":{"side":1}}`, nil, 404, "CAPABILITY_NOT_FOUND", "capability_id"},
		{"execute_calculation", `{"capability_id":"volume","side":1}`, nil, 400, "MISSING_REQUIRED_INPUT", "inputs"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"side":1}`, nil, 400, "UNKNOWN_INPUT", "side"},
		{"execute_calculation", `{"inputs":{"side":1}}`, nil, 400, "MISSING_REQUIRED_INPUT", "capability_id"},
		{"execute_calculation", `{"capability_id":7,"inputs":{"side":1}}`, nil, 400, "INVALID_ARGUMENT", "capability_id"},
		{"execute_calculation", `{"capability_id":"volum","inputs":{"side":1}}`, nil, 404, "CAPABILITY_NOT_FOUND", "capability_id"},
		{"execute_calculation", `null`, nil, 400, "MISSING_REQUIRED_INPUT", "capability_id"}, // as if it was not sent

		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":"9.9.9"}`, nil, 409, "VERSION_MISMATCH", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":"v1.0.0"}`, nil, 409, "VERSION_MISMATCH", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1}}`, []string{pinHeader, "9.9.9"}, 409, "VERSION_MISMATCH", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":"1.0.0"}`, []string{pinHeader, "2.0.0"}, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1}}`, []string{pinHeader, "2.0.0", pinHeader, "1.0.0"}, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1}}`, []string{pinHeader, "2.0.0, 1.0.0"}, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1,"calculation_version":"1.0.0"},"calculation_version":"2.0.0"}`, nil, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":""}`, nil, 400, "INVALID_VERSION_PIN", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":null}`, nil, 400, "INVALID_VERSION_PIN", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":1}`, nil, 400, "INVALID_VERSION_PIN", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":"1.0.0"}`, []string{pinHeader, ""}, 400, "INVALID_VERSION_PIN", "calculation_version"},
		{"execute_calculation", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":1e-400}`, nil, 400, "NUMERIC_UNDERFLOW", "calculation_version"},

		{"create_snapshot", `{"capability_id":"volume","inputs":{"side":-1}}`, nil, 400, "SIDE_MUST_BE_POSITIVE", "side"},
		{"create_snapshot", `{"capability_id":"volume","inputs":{"side":1},"calculation_version":"1.0.0"}`, []string{pinHeader, "2.0.0"}, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"create_snapshot", `{"capability_id":"nothing","inputs":{"side":1}}`, nil, 404, "CAPABILITY_NOT_FOUND", "capability_id"},
		{"get_snapshot", `{"id":"cx_e1_nothing"}`, nil, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"get_snapshot", `{"id":""}`, nil, 404, "SNAPSHOT_NOT_FOUND", ""},
		{"get_snapshot", `{"id":7}`, nil, 400, "INVALID_ARGUMENT", "id"},
		{"get_snapshot", `{}`, nil, 400, "MISSING_REQUIRED_INPUT", "id"},
		{"get_snapshot", `{"id":"cx_e1_nothing","version":1}`, nil, 400, "UNKNOWN_INPUT", "version"},
		{"describe_capability", `{"capability_id":"volum"}`, nil, 404, "CAPABILITY_NOT_FOUND", "capability_id"},
		{"describe_capability", `{"capability_id":"volume","calculation_version":"7"}`, nil, 409, "VERSION_MISMATCH", "calculation_version"},
		{"describe_capability", `{"capability_id":"volume","calculation_version":"1.0.0"}`, []string{pinHeader, "2.0.0"}, 409, "VERSION_PIN_CONFLICT", "calculation_version"},
		{"describe_capability", `{"capability_id":"volume","calculation_version":[1]}`, nil, 400, "INVALID_VERSION_PIN", "calculation_version"},
		{"describe_capability", `{"capability_id":"volume","calculation_version":[1e999]}`, nil, 400, "NON_FINITE_RESULT", "calculation_version.0"},
		{"describe_capability", `{"id":"volume"}`, nil, 400, "MISSING_REQUIRED_INPUT", "capability_id"},
		{"list_versions", `{"capability_id":"volum"}`, nil, 404, "CAPABILITY_NOT_FOUND", "capability_id"},
		{"search_capabilities", `{}`, nil, 400, "MISSING_REQUIRED_INPUT", "query"},
		{"search_capabilities", `{"query":["a"]}`, nil, 400, "INVALID_ARGUMENT", "query"},
		{"search_capabilities", `{"query":"a","limit":0}`, nil, 400, "INVALID_NUMBER", "limit"},
		{"search_capabilities", `{"query":"a","limit":21}`, nil, 400, "INVALID_NUMBER", "limit"},
		{"search_capabilities", `{"query":"a","limit":1.5}`, nil, 400, "INVALID_NUMBER", "limit"},
		{"search_capabilities", `{"query":"a","limit":1e999}`, nil, 400, "INVALID_NUMBER", "limit"},
		{"search_capabilities", `{"query":"a","limit":"5"}`, nil, 400, "INVALID_NUMBER", "limit"},
		{"search_capabilities", `{"query":"a","cursor":"MA"}`, nil, 400, "INVALID_ARGUMENT", "cursor"},
		{"search_capabilities", `{"query":"a","cursor":"-"}`, nil, 400, "INVALID_ARGUMENT", "cursor"},
	} {
		t.Run(tt.tool+" "+tt.arguments[:min(len(tt.arguments), 80)], func(t *testing.T) {
			body, result := s.call(t, tt.tool, tt.arguments, tt.headers...)
			field, _ := body["field"].(string)
			if !result.IsError || body["code"] != tt.code || body["http_status"] != float64(tt.status) || field != tt.field {
				t.Errorf("%s\nwant %d %s of %q", result.StructuredContent, tt.status, tt.code, tt.field)
			}
			if slug := strings.ToLower(strings.ReplaceAll(tt.code, "_", "-")); body["type"] != base+"/problems/"+slug {
				t.Errorf("type %v", body["type"])
			} else if page := s.send(t, "GET", "/problems/"+slug, ""); page.status != 200 && tt.code != "SIDE_MUST_BE_POSITIVE" {
				t.Errorf("nothing explains %s", tt.code)
			}
			if text, _ := body["error"].(string); strings.Contains(text, "/api/v1") || strings.Contains(text, "X-Request-Id") {
				t.Errorf("the words of another interface: %s", text)
			}
			if ids, _ := body["acceptable_ids"].([]any); tt.code == "CAPABILITY_NOT_FOUND" && (len(ids) == 0 || len(ids) > 5) {
				t.Errorf("acceptable ids %v", ids)
			}
		})
	}
}

// Requests that are refused before a tool runs, and internal failures. The answer is a JSON-RPC error with the
// corresponding HTTP status.
func TestProtocolErrors(t *testing.T) {
	s := newSite(t, base, nil)
	current, headers := rpc("tools/call", execute(`{"capability_id":"volume","inputs":{"side":2}}`))
	named := append(headers, "Mcp-Name", "execute_calculation")
	without := func(name string) []string {
		var rest []string
		for i := 0; i < len(named); i += 2 {
			if named[i] != name {
				rest = append(rest, named[i], named[i+1])
			}
		}
		return rest
	}
	unknown, unknownHeaders := rpc("no/such", "{}")
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	const old = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":%s}`
	for _, tt := range []struct {
		name, body string
		headers    []string
		status     int
		code       int // JSON-RPC code; 0 for an answer
	}{
		{"current", current, named, 200, 0},
		{"name in Base64", current, append(without("Mcp-Name"), "Mcp-Name", "=?base64?ZXhlY3V0ZV9jYWxjdWxhdGlvbg==?="), 200, 0},
		{"name in Base64 of another", current, append(without("Mcp-Name"), "Mcp-Name", "=?base64?bm9uZQ==?="), 400, -32020},
		{"name in no Base64", current, append(without("Mcp-Name"), "Mcp-Name", "=?base64?***?="), 400, -32020},
		{"another name", current, append(without("Mcp-Name"), "Mcp-Name", "search_capabilities"), 400, -32020},
		{"no name", current, without("Mcp-Name"), 400, -32020},
		{"two names", current, append(named, "Mcp-Name", "execute_calculation"), 400, -32020},
		{"no method", current, without("Mcp-Method"), 400, -32020},
		{"another method", current, append(without("Mcp-Method"), "Mcp-Method", "tools/list"), 400, -32020},
		{"no version", current, without("Mcp-Protocol-Version"), 400, -32020},
		{"another version", current, append(without("Mcp-Protocol-Version"), "Mcp-Protocol-Version", "2025-11-25"), 400, -32020},
		{"future version", strings.ReplaceAll(current, "2026-07-28", "2027-01-01"), append(without("Mcp-Protocol-Version"), "Mcp-Protocol-Version", "2027-01-01"), 400, -32022},
		{"future version in the header alone", current, append(without("Mcp-Protocol-Version"), "Mcp-Protocol-Version", "2027-01-01"), 400, -32020},
		{"old version in the header alone", current, append(without("Mcp-Protocol-Version"), "Mcp-Protocol-Version", "2020-01-01"), 400, -32020},
		{"no version at all", ping, []string{"Mcp-Protocol-Version", "newest"}, 400, -32022},
		{"version that never was", ping, []string{"Mcp-Protocol-Version", "2025-01-01"}, 400, -32022},
		{"no capabilities", strings.Replace(current, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), named, 400, -32602},
		{"unknown method", unknown, unknownHeaders, 404, -32601},
		{"unknown method, older", `{"jsonrpc":"2.0","id":7,"method":"no/such"}`, nil, 200, -32601},
		{"method of the SDK that is not ours", `{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"info"}}`, nil, 200, -32601},

		{"unknown tool", fmt.Sprintf(old, `{"name":"calculate","arguments":{}}`), nil, 200, -32602},
		{"no tool", fmt.Sprintf(old, `{"arguments":{}}`), nil, 200, -32602},
		{"tool by number", fmt.Sprintf(old, `{"name":1,"arguments":{}}`), nil, 200, -32602},
		{"params that are a list", fmt.Sprintf(old, `["execute_calculation"]`), nil, 200, -32602},
		{"params that are null", fmt.Sprintf(old, `null`), nil, 200, -32602},
		{"arguments that are a list", fmt.Sprintf(old, `{"name":"execute_calculation","arguments":[1]}`), nil, 200, -32602},
		{"arguments that are a text", fmt.Sprintf(old, `{"name":"execute_calculation","arguments":"{}"}`), nil, 200, -32602},
		{"unknown tool, current", strings.Replace(current, `"execute_calculation"`, `"calculate"`, 1), append(without("Mcp-Name"), "Mcp-Name", "calculate"), 400, -32602},
		{"arguments that are a list, current", strings.Replace(current, `"arguments":{"capability_id":"volume","inputs":{"side":2}}`, `"arguments":[1]`, 1), named, 400, -32602},
		{"revision that needs batches", ping, []string{"Mcp-Protocol-Version", "2025-03-26"}, 400, -32022},
		{"no params", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, nil, 200, -32602},
		{"engine that fails", fmt.Sprintf(old, execute(`{"capability_id":"volume","inputs":{"side":1,"count":500}}`)), nil, 500, -32603},
		{"engine that panics", fmt.Sprintf(old, execute(`{"capability_id":"volume","inputs":{"side":1,"count":501}}`)), nil, 500, -32603},
		{"host that panics", fmt.Sprintf(old, execute(`{"capability_id":"volume","inputs":{"side":1,"count":502}}`)), nil, 500, -32603},
		{"engine that cannot run", fmt.Sprintf(old, execute(`{"capability_id":"volume","inputs":{"side":1},"calculation_version":"3.0.0"}`)), nil, 500, -32603},
		{"capability that cannot be read", fmt.Sprintf(old, `{"name":"describe_capability","arguments":{"capability_id":"test.broken.layout"}}`), nil, 500, -32603},

		{"nothing", ``, nil, 400, -32700},
		{"half a message", ping[:20], nil, 400, -32700},
		{"text behind", ping + "x", nil, 400, -32700},
		{"two messages", ping + ping, nil, 400, -32700},
		{"byte order mark", "\xEF\xBB\xBF" + ping, nil, 400, -32700},
		{"batch", "[" + ping + "]", nil, 400, -32600},
		{"empty batch", "[]", nil, 400, -32600},
		{"a text", `"ping"`, nil, 400, -32600},
		{"two methods", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`, nil, 400, -32600},
		{"two methods, one escaped", `{"jsonrpc":"2.0","id":7,"method":"ping","\u006dethod":"tools/list"}`, nil, 400, -32600},
		{"two tools", fmt.Sprintf(old, `{"name":"execute_calculation","name":"get_snapshot","arguments":{}}`), nil, 400, -32600},
		{"two arguments", fmt.Sprintf(old, `{"name":"execute_calculation","arguments":{"capability_id":"volume","inputs":{"side":1}},"arguments":{}}`), nil, 400, -32600},
		{"two params", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_snapshot"},"params":{"name":"execute_calculation"}}`, nil, 400, -32600},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"pi\xffng\"}", nil, 400, -32600},
		{"deep", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, nil, 400, -32600},
		{"no version of JSON-RPC", `{"id":7,"method":"ping"}`, nil, 400, -32600},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, nil, 400, -32600},
		{"method by number", `{"jsonrpc":"2.0","id":7,"method":1}`, nil, 400, -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600},
		{"id with a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, -32600},
		{"id that is rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 400, -32600},
		{"id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, -32600},
		{"request without id", `{"jsonrpc":"2.0","method":"tools/list"}`, nil, 400, -32600},
		{"too large", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"` + strings.Repeat("a", 70000) + `"}}`, nil, 413, -32600},
		{"plain text", ping, []string{"Content-Type", "text/plain"}, 415, -32600},
		{"no type", ping, []string{"Content-Type", ""}, 415, -32600},
		{"other charset", ping, []string{"Content-Type", "application/json; charset=latin1"}, 415, -32600},
		{"compressed", ping, []string{"Content-Encoding", "gzip"}, 415, -32600},
		{"JSON only", ping, []string{"Accept", "application/json"}, 200, 0},
		{"stream that broke off", ping, []string{"Last-Event-Id", "1"}, 200, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := s.send(t, "POST", "/mcp", tt.body, tt.headers...)
			code := 0
			if a.Error != nil {
				code = a.Error.Code
			}
			if a.status != tt.status || code != tt.code {
				t.Fatalf("%d %s\nwant %d, %d", a.status, a.text, tt.status, tt.code)
			}
			isRead := tt.code != -32600 && tt.code != -32700
			if id := string(a.ID); id != "7" && (isRead || id != "null") {
				t.Errorf("id %q: %s", id, a.text)
			}
			if strings.Contains(a.text, "secret") || strings.Contains(a.text, "corrupt") {
				t.Errorf("the answer contains the cause: %s", a.text)
			}
			if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("X-Request-Id") == "" || a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", a.header)
			}
			if tt.status == 500 && !strings.Contains(s.log.String(), a.header.Get("X-Request-Id")) {
				t.Errorf("the failure is not in the log:\n%s", s.log)
			}
		})
	}
}

// The data of errors is the error body of the interface.
func TestErrorData(t *testing.T) {
	s := newSite(t, base, nil)
	for name, tt := range map[string]struct{ body, want string }{
		"malformed": {`{`, `"code":"INVALID_JSON"`},
		"fault":     {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + execute(`{"capability_id":"volume","inputs":{"side":1,"count":500}}`) + `}`, `"code":"INTERNAL_ERROR"`},
		"down":      {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + execute(`{"capability_id":"volume","inputs":{"side":1},"calculation_version":"3.0.0"}`) + `}`, `"code":"ENGINE_UNAVAILABLE"`},
		"too large": {strings.Repeat(" ", 70000), `"code":"PAYLOAD_TOO_LARGE"`},
	} {
		if a := s.send(t, "POST", "/mcp", tt.body); a.Error == nil || !strings.Contains(string(a.Error.Data), tt.want) {
			t.Errorf("%s: %s, want %s", name, a.text, tt.want)
		}
	}
	a := s.send(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "Mcp-Protocol-Version", "1999-01-01")
	var data struct {
		Supported []string
		Requested string
	}
	if err := json.Unmarshal(a.Error.Data, &data); err != nil || len(data.Supported) < 4 || data.Supported[0] != "2026-07-28" || data.Requested != "1999-01-01" {
		t.Errorf("unsupported version: %s", a.text)
	}
}

// The endpoint accepts only pins in its query. Another parameter is refused before the message is read.
func TestQuery(t *testing.T) {
	s := newSite(t, base, nil)
	message := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + execute(`{"capability_id":"volume","inputs":{"a":2}}`) + `}`
	if a := s.send(t, "POST", "/mcp?calculation_version=1.0.0", message); a.status != 200 || !strings.Contains(a.text, `"calculation_version":"1.0.0"`) {
		t.Errorf("a pin: %d %s", a.status, a.text)
	}
	for query, field := range map[string]string{"calculation_versoin=1.0.0": "calculation_versoin", "version=1.0.0": "version", "steps=true": "steps", "utm_source=x": "utm_source"} {
		a := s.send(t, "POST", "/mcp?"+query, message)
		if a.status != 400 || a.Error == nil || a.Error.Code != -32600 || string(a.ID) != "null" || !strings.Contains(string(a.Error.Data), `"code":"INVALID_QUERY"`) || !strings.Contains(string(a.Error.Data), `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", query, a.status, a.text)
		}
	}
}

// A client that wants the revision with batches is offered another revision.
func TestRevisions(t *testing.T) {
	s := newSite(t, base, nil)
	for asked, want := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-11-25", "2024-11-05": "2024-11-05"} {
		a := s.ask(t, "initialize", `{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
		var result struct{ ProtocolVersion string }
		if err := json.Unmarshal(a.Result, &result); err != nil || result.ProtocolVersion != want {
			t.Errorf("%s: %s, want %s", asked, a.text, want)
		}
	}
	a := s.send(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "Mcp-Protocol-Version", "2025-03-26")
	var data struct{ Supported []string }
	if a.Error == nil || json.Unmarshal(a.Error.Data, &data) != nil || a.status != 400 || len(data.Supported) < 4 || slices.Contains(data.Supported, "2025-03-26") {
		t.Errorf("2025-03-26: %s", a.text)
	}
}

// Other HTTP methods.
func TestMethods(t *testing.T) {
	s := newSite(t, base, nil)
	for _, method := range []string{"GET", "DELETE", "PUT", "HEAD"} {
		if a := s.send(t, method, "/mcp", ""); a.status != 405 || a.header.Get("Allow") != "OPTIONS, POST" {
			t.Errorf("%s: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
	a := s.send(t, "OPTIONS", "/mcp", "", "Origin", "https://agent.example", "Access-Control-Request-Method", "POST")
	allowed := a.header.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Service-Spec-Version"} {
		if a.status != 204 || !strings.Contains(allowed, name) {
			t.Errorf("preflight: %d, %s is not among %s", a.status, name, allowed)
		}
	}
}

// Notifications are accepted without an answer, including unknown ones.
func TestNotifications(t *testing.T) {
	s := newSite(t, base, nil)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/of/something"}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`,
	} {
		if a := s.send(t, "POST", "/mcp", body); a.status != 202 || a.text != "" {
			t.Errorf("%s: %d %s", body, a.status, a.text)
		}
	}
}

// Numbers outside binary64 reach the tool as they were sent. They also pass the headers that the SDK compares
// with the message.
func TestExtremeNumbers(t *testing.T) {
	s := newSite(t, base, nil)
	for number, want := range map[string]string{"1e400": "NON_FINITE_RESULT", "1e-400": "NUMERIC_UNDERFLOW", "-1e99999": "NON_FINITE_RESULT"} {
		body, headers := rpc("tools/call", execute(`{"capability_id":"volume","inputs":{"side":`+number+`}}`))
		a := s.send(t, "POST", "/mcp", body, append(headers, "Mcp-Name", "execute_calculation")...)
		if a.status != 200 || a.Error != nil {
			t.Errorf("%s: %d %s", number, a.status, a.text)
			continue
		}
		if got, _ := s.result(t, "execute_calculation", a); got["code"] != want || got["field"] != "side" {
			t.Errorf("%s: %v, want %s", number, got, want)
		}
	}
}
