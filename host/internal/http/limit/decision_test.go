package limit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

func TestSetHeader(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    limit.Decision
		want http.Header
	}{
		{"accepted", limit.Decision{Surface: "calc", Allowed: true, Limit: 60, Remaining: 59, Reset: 12 * time.Second}, http.Header{
			"Ratelimit-Policy": {`"calc";q=60;w=60`}, "Ratelimit": {`"calc";r=59;t=12`},
		}},
		{"rounded up", limit.Decision{Surface: "mcp-exec", Allowed: true, Limit: 30, Reset: 11*time.Second + 1}, http.Header{
			"Ratelimit-Policy": {`"mcp-exec";q=30;w=60`}, "Ratelimit": {`"mcp-exec";r=0;t=12`},
		}},
		{"refused at the last moment", limit.Decision{Surface: "mcp", Limit: 120, Reset: 1, RetryAfter: 1}, http.Header{
			"Ratelimit-Policy": {`"mcp";q=120;w=60`}, "Ratelimit": {`"mcp";r=0;t=1`}, "Retry-After": {"1"},
		}},
		{"refused for a window", limit.Decision{Surface: "mcp", Limit: 120, Reset: time.Minute, RetryAfter: time.Minute}, http.Header{
			"Ratelimit-Policy": {`"mcp";q=120;w=60`}, "Ratelimit": {`"mcp";r=0;t=60`}, "Retry-After": {"60"},
		}},
		{"no limit", limit.Decision{Surface: "page", Allowed: true}, http.Header{}},
	} {
		got := http.Header{}
		tt.d.SetHeader(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}
