package site

import "testing"

// Lines that HAProxy 2.6 and nginx 1.22 wrote with the settings of the examples.
func TestServerOfALogLine(t *testing.T) {
	for _, tt := range []struct {
		read       func(string) (string, bool, bool)
		line       string
		name       string
		failed, ok bool
	}{
		{haproxyServer, `10.99.0.23:50889 [23/Nov/2026:03:58:36.888] calculations hosts/host1 0/0/-1/-1/0 503 217 - - SC-- 5/5/2/0/0 0/0 "POST /api/v1/calc/cluster-probe HTTP/1.1"`, "host1", true, true},
		{haproxyServer, `10.99.0.23:50889 [23/Nov/2026:03:58:36.888] calculations hosts/host2 0/0/0/1/1 200 1703 - - ---- 5/5/2/0/0 0/0 "POST /api/v1/calc/cluster-probe HTTP/1.1"`, "host2", false, true},
		{haproxyServer, `10.99.0.23:50889 [23/Nov/2026:03:58:36.888] calculations hosts/host2 0/0/0/1/1 409 703 - - ---- 5/5/2/0/0 0/0 "POST /api/v1/calc/cluster-probe HTTP/1.1"`, "host2", false, true},
		{haproxyServer, `10.99.0.23:50889 [23/Nov/2026:03:58:36.888] calculations hosts/<NOSRV> 0/-1/-1/-1/0 503 217 - - SC-- 5/5/2/0/0 0/0 "POST / HTTP/1.1"`, "", true, true},
		{haproxyServer, `10.99.0.23:50889 [23/Nov/2026:03:58:36.888] calculations hosts/host3 0/0/0/-1/60000 504 217 - - sH-- 5/5/2/0/0 0/0 "POST / HTTP/1.1"`, "host3", true, true},
		{haproxyServer, `[WARNING]  (263) : Server hosts/host1 is DOWN, reason: Health analyze`, "", false, false},
		{nginxServer, `10.99.0.1 [2026-11-23T04:00:00+00:00] "POST / HTTP/1.1" status=502 host=10.88.0.11:8080 time=0.001`, "10.88.0.11:8080", true, true},
		{nginxServer, `10.99.0.1 [2026-11-23T04:00:00+00:00] "POST / HTTP/1.1" status=200 host=10.88.0.12:8080 time=0.001`, "10.88.0.12:8080", false, true},
		{nginxServer, `2026/11/23 04:13:05 [warn] 264#264: *36 limiting requests`, "", false, false},
	} {
		if name, failed, ok := tt.read(tt.line); name != tt.name || failed != tt.failed || ok != tt.ok {
			t.Errorf("%s: %q, %v, %v", tt.line, name, failed, ok)
		}
	}
}
