package mcp_test

import "testing"

// Origins that may call a server of this machine, and a public server (E21).
func TestGuard(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	local, private, public := newSite(t, base, nil), newSite(t, "http://192.168.7.4:8080", nil), newSite(t, "https://calc.example.org", nil)
	nameless := newSite(t, "", nil)
	for _, tt := range []struct {
		name    string
		s       *site
		headers []string
		status  int
	}{
		{"no origin", local, nil, 200},
		{"own origin", local, []string{"Origin", base}, 200},
		{"another port of this machine", local, []string{"Origin", "http://localhost:6274"}, 200},
		{"another name of this machine", local, []string{"Origin", "http://app.localhost"}, 200},
		{"IPv6", local, []string{"Origin", "http://[::1]:6274", "Host", "[::1]:8080"}, 200},
		{"evil origin", local, []string{"Origin", "https://evil.example"}, 403},
		{"evil origin with our host in it", local, []string{"Origin", "http://127.0.0.1.evil.example"}, 403},
		{"null", local, []string{"Origin", "null"}, 403},
		{"two origins", local, []string{"Origin", base, "Origin", base}, 403},
		{"empty", local, []string{"Origin", ""}, 403},
		{"with a path", local, []string{"Origin", base + "/"}, 403},
		{"with a user", local, []string{"Origin", "http://localhost@127.0.0.1"}, 403},
		{"another scheme", local, []string{"Origin", "file://localhost"}, 403},
		{"evil host", local, []string{"Host", "evil.example"}, 403},
		{"evil host with a port", local, []string{"Host", "evil.example:8080"}, 403},
		{"evil host that begins like ours", local, []string{"Host", "localhost.evil.example"}, 403},
		{"evil host and its origin", local, []string{"Host", "evil.example:8080", "Origin", "http://evil.example:8080"}, 403},
		{"localhost", local, []string{"Host", "LOCALHOST:8080"}, 200},
		{"a number", local, []string{"Host", "10.1.2.3"}, 200},
		{"a number and its origin", local, []string{"Host", "10.1.2.3", "Origin", "http://10.1.2.3"}, 200},
		{"another number", local, []string{"Host", "10.1.2.3", "Origin", "http://10.1.2.4"}, 403},

		{"private, own origin", private, []string{"Host", "192.168.7.4:8080", "Origin", "http://192.168.7.4:8080"}, 200},
		{"private, evil origin", private, []string{"Host", "192.168.7.4:8080", "Origin", "https://evil.example"}, 403},
		{"private, evil host", private, []string{"Host", "evil.example"}, 403},
		{"nameless, evil host", nameless, []string{"Host", "evil.example"}, 403},
		{"nameless", nameless, nil, 200},

		{"public, any page", public, []string{"Origin", "https://agent.example"}, 200},
		{"public, any page by http", public, []string{"Origin", "http://agent.example:3000"}, 200},
		{"public, upper case", public, []string{"Origin", "https://AGENT.example"}, 200},
		{"public, null", public, []string{"Origin", "null"}, 403},
		{"public, no URL", public, []string{"Origin", "agent.example"}, 403},
		{"public, another scheme", public, []string{"Origin", "chrome-extension://abc"}, 403},
		{"public, no host", public, []string{"Origin", "https://"}, 403},
		{"public, no such port", public, []string{"Origin", "http://x:99999"}, 403},
		{"public, port 0", public, []string{"Origin", "http://x:0"}, 403},
		{"public, no port behind the colon", public, []string{"Origin", "http://x:"}, 403},
		{"public, the last port", public, []string{"Origin", "http://x:65535"}, 200},
		{"public, two", public, []string{"Origin", "https://a.example", "Origin", "https://b.example"}, 403},
		{"public, behind a proxy", public, []string{"Host", "backend:8080"}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.s.send(t, "POST", "/mcp", ping, tt.headers...)
			if a.status != tt.status || tt.status == 403 && (a.Error == nil || a.Error.Code != -32600) {
				t.Errorf("%d %s, want %d", a.status, a.text, tt.status)
			}
		})
	}
}
