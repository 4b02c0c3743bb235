package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// guard decides which pages may call the protocol. A page in a browser can send requests to this machine on
// behalf of its user. The header Origin reveals such a page. If the name of the page was made to resolve to
// this machine (DNS rebinding), the Host header reveals it.
//
// A server with a public URL uses no cookies or credentials, so pages of any http or https origin may call it.
// A server with a local URL serves only its own machine. It accepts origins on that machine and its own origin,
// and only hostnames that a DNS server cannot forge.
type guard struct {
	public bool
	base   string // hostname of the configured URL, without the port
}

// newGuard returns the guard of the service at the base URL. Without a base URL the service is local.
func newGuard(baseURL string) guard {
	u, err := url.Parse(baseURL)
	if err != nil {
		return guard{}
	}
	host := strings.ToLower(u.Hostname())
	return guard{public: host != "" && !isLocal(host), base: host}
}

// isLocal reports whether the name or IP address means this machine or a private network.
func isLocal(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsUnspecified() || addr.IsLinkLocalUnicast()
	}
	return isLocalhost(host)
}

func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// check returns why the request is refused, or "" if it is allowed.
func (g guard) check(r *http.Request) string {
	if !g.public && !g.allowsHost(r.Host) {
		return "the Host header names another server"
	}
	switch origins := r.Header["Origin"]; {
	case len(origins) == 0 || len(origins) == 1 && g.allowsOrigin(origins[0], r.Host):
		return ""
	}
	return "pages of this Origin may not call this server"
}

// allowsHost reports whether the Host header is allowed. IP addresses are always allowed, because rebinding
// needs a name.
func (g guard) allowsHost(hostport string) bool {
	host := hostOf(hostport)
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return isLocalhost(host) || host != "" && host == g.base
}

func (g guard) allowsOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Hostname() == "" ||
		!strings.EqualFold(u.Scheme+"://"+u.Host, origin) || !isPort(u) {
		return false
	}
	if g.public {
		return true
	}
	name := strings.ToLower(u.Hostname())
	if addr, err := netip.ParseAddr(name); err == nil && addr.Unmap().IsLoopback() {
		return true
	}
	return isLocalhost(name) || strings.EqualFold(u.Host, host)
}

// isPort reports whether the URL has a valid port or none.
func isPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// hostOf returns the name or IP address in lower case, without port and brackets.
func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(host)
}
