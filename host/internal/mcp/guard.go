package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// guard says from where the protocol may be spoken. A page that a browser has open can
// send requests to this machine in its user's place: its Origin tells, and where a name
// was made to point here, the Host.
//
// Who serves at a public address serves everybody, without cookies or credentials: pages
// of any http or https origin may call. A server at a local address is its machine's: it
// takes the origins of that machine, its own, and hosts that no name server can forge.
type guard struct {
	public bool
	base   string // host of the configured address, without a port
}

// newGuard returns the guard of the service at the base URL. Without one it is local.
func newGuard(baseURL string) guard {
	u, err := url.Parse(baseURL)
	if err != nil {
		return guard{}
	}
	host := strings.ToLower(u.Hostname())
	return guard{public: host != "" && !isLocal(host), base: host}
}

// isLocal reports whether the host is this machine, or one in a private network by its
// number.
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

// check returns why the request is refused, "" if it is not.
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

// allowsHost takes numbers, which are no names that could be made to point here.
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

// isPort reports whether the port of the URL is one that can be called, if it has any.
func isPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// hostOf is the host without port and brackets, in lower case.
func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(host)
}
