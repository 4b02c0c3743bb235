package mcp

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzMessage compares our reading of a message with the SDK's, so that the counted call and the executed call
// are the same. An id must come back as it was sent.
func FuzzMessage(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_calculation","arguments":{"a":[1,{"b":2}]}}}`,
		`{"jsonrpc":"2.0","id":"a\u0041","method":"tools/call","params":{"arguments":{},"name":"get_snapshot","_meta":{"arguments":{}}}}`,
		`{"params":{"arguments":null,"name":"x"},"method":"tools/call","id":-1e2,"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","method":"m","params":{"arguments":{"params":{"arguments":{}}}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{}}`, `{"Method":"a","method":"b","jsonrpc":"2.0","id":1}`, ` {"jsonrpc":"2.0","id":9007199254740991,"method":"ping"} `,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, fault := readMessage(body)
		if m == nil {
			t.Fatal("no message")
		}
		if m.id != nil && !json.Valid(m.id) {
			t.Fatalf("id %s", m.id)
		}
		if fault != nil {
			return
		}
		decoded, err := jsonrpc.DecodeMessage(m.body)
		if err != nil {
			t.Fatalf("%s is passed on and cannot be read: %v", body, err)
		}
		request, ok := decoded.(*jsonrpc.Request)
		if !ok {
			if m.method != "" {
				t.Fatalf("%s is read as the method %q and is none", body, m.method)
			}
			return
		}
		var params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		_ = json.Unmarshal(request.Params, &params)
		if request.Method != m.method || m.method == methodCallTool && params.Name != m.tool {
			t.Fatalf("%s is read as %q of %q, and by the SDK as %q of %q", body, m.method, m.tool, request.Method, params.Name)
		}
		if id, _ := json.Marshal(request.ID.Raw()); m.id != nil && string(id) != string(m.id) {
			t.Fatalf("%s has the id %s, and for the SDK %s", body, m.id, id)
		}
		if m.tool == "" {
			return
		}
		if text := string(params.Arguments); text == "{}" || text == "null" {
			return // the SDK may not receive the arguments, and null means none
		}
		again := scanArguments(params.Arguments)
		if (again.err == nil) != (m.arguments.err == nil) || again.err == nil && !reflect.DeepEqual(again.value, m.arguments.value) {
			t.Fatalf("the arguments %s are scanned as %v, and in the message as %v", params.Arguments, again, m.arguments)
		}
	})
}
