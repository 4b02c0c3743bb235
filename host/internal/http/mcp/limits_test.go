package mcp_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// limitedSite has a clock that changes only when the test sets it.
func limitedSite(t *testing.T, limits string) (*site, *time.Duration) {
	t.Helper()
	parsed, err := limit.ParseLimits(limits)
	if err != nil {
		t.Fatal(err)
	}
	clock := new(time.Duration)
	local := limit.NewLocal(parsed, &limit.Options{Clock: func() time.Duration { return *clock }})
	return newSite(t, base, &mcp.Options{Clients: &web.Clients{Limiter: local, Trusted: limit.NewProxies([]netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")})}}), clock
}

const cube = `{"capability_id":"volume","inputs":{"side":2}}`

func tool(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"x1","method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

// 120 calls and 30 calculations a minute, and the headers that report them.
func TestDefaultLimits(t *testing.T) {
	s, clock := limitedSite(t, "")
	for i := range 30 {
		a := s.send(t, "POST", "/mcp", tool("execute_calculation", cube))
		if a.status != 200 || a.header.Get("RateLimit-Policy") != `"mcp";q=120;w=60, "mcp-exec";q=30;w=60` ||
			a.header.Get("RateLimit") != fmt.Sprintf(`"mcp";r=%d;t=60, "mcp-exec";r=%d;t=60`, 119-i, 29-i) {
			t.Fatalf("calculation %d: %d %v", i+1, a.status, a.header)
		}
	}
	*clock = 12 * time.Second
	refused := func(a reply, limit int) {
		t.Helper()
		const data = `"code":"RATE_LIMITED"`
		if a.status != 429 || a.Error == nil || a.Error.Code != 429 || string(a.ID) != `"x1"` || a.header.Get("Retry-After") != "48" ||
			!strings.Contains(string(a.Error.Data), data) || !strings.Contains(string(a.Error.Data), fmt.Sprintf(`"retry_after_seconds":48,"limit":%d`, limit)) {
			t.Fatalf("%d %v %s", a.status, a.header, a.text)
		}
	}
	refused(s.send(t, "POST", "/mcp", tool("execute_calculation", cube)), 30)
	for i := 31; i < 120; i++ {
		if a := s.send(t, "POST", "/mcp", tool("search_capabilities", `{"query":"cube"}`)); a.status != 200 {
			t.Fatalf("call %d: %d %s", i+1, a.status, a.text)
		}
	}
	refused(s.send(t, "POST", "/mcp", tool("search_capabilities", `{"query":"cube"}`)), 120)
	*clock = 61 * time.Second
	if a := s.send(t, "POST", "/mcp", tool("execute_calculation", cube)); a.status != 200 {
		t.Errorf("after the window: %d %s", a.status, a.text)
	}
}

// The tool is taken from the body and not from the headers. A refused call is not a calculation, but a snapshot
// is one. A caller who reached the limit of one surface can still use the other.
func TestLimits(t *testing.T) {
	s, _ := limitedSite(t, "mcp=5,mcp-exec=2")
	for _, tt := range []struct {
		body    string
		headers []string
		status  int
	}{
		{tool("execute_calculation", cube), []string{"Mcp-Name", "search_capabilities"}, 200},
		{tool("create_snapshot", cube), nil, 200},
		{tool("execute_calculation", cube), []string{"Mcp-Name", "search_capabilities", "Mcp-Method", "ping"}, 429},
		{tool("search_capabilities", `{"query":""}`), []string{"Mcp-Name", "execute_calculation"}, 200},
		{`not JSON`, nil, 400},
		{tool("search_capabilities", `{"query":""}`), nil, 429},
		{`not JSON`, nil, 429},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 429},
		{tool("search_capabilities", `{"query":""}`), []string{"X-Forwarded-For", "203.0.113.9"}, 200}, // another client
		{tool("search_capabilities", `{"query":""}`), []string{"Origin", "https://evil.example"}, 403},
	} {
		if a := s.send(t, "POST", "/mcp", tt.body, tt.headers...); a.status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.body, a.status, a.text, tt.status)
		}
	}

	s, clock := limitedSite(t, "mcp=1,mcp-exec=2")
	for _, want := range []int{200, 429, 429, 200} {
		a := s.send(t, "POST", "/mcp", tool("execute_calculation", cube))
		if a.status != want || want == 200 && !strings.HasSuffix(a.header.Get("RateLimit"), `"mcp-exec";r=1;t=60`) {
			t.Errorf("%d %v, want %d", a.status, a.header, want)
		}
		*clock += 20 * time.Second
	}
}

// Steps count as another calculation, and not as another call.
func TestStepsCount(t *testing.T) {
	s, _ := limitedSite(t, "mcp=5,mcp-exec=3")
	stepped := strings.Replace(cube, "{", `{"steps":true,`, 1)
	for i, tt := range []struct {
		arguments string
		status    int
		left      string
	}{
		{stepped, 200, `"mcp";r=4;t=60, "mcp-exec";r=1;t=60`},
		{strings.Replace(stepped, "true", "false", 1), 200, `"mcp";r=3;t=60, "mcp-exec";r=0;t=60`},
		{cube, 429, `"mcp";r=2;t=60, "mcp-exec";r=0;t=60`},
	} {
		if a := s.send(t, "POST", "/mcp", tool("execute_calculation", tt.arguments)); a.status != tt.status || a.header.Get("RateLimit") != tt.left {
			t.Errorf("call %d: %d %q, want %d %q", i+1, a.status, a.header.Get("RateLimit"), tt.status, tt.left)
		}
	}
}

func TestNoLimits(t *testing.T) {
	s, _ := limitedSite(t, "mcp=0,mcp-exec=0")
	for range 200 {
		if a := s.send(t, "POST", "/mcp", tool("list_versions", `{"capability_id":"volume"}`)); a.status != 200 || a.header.Get("RateLimit") != "" {
			t.Fatalf("%d %v", a.status, a.header)
		}
	}
}
