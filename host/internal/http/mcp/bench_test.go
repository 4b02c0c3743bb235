package mcp_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkCall measures a call of execute_calculation over HTTP, without a network.
func BenchmarkCall(b *testing.B) {
	s := newSite(b, base, nil)
	const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute_calculation","arguments":{"capability_id":"volume","inputs":{"a":2}}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", base+"/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
