package limit

import (
	"net/http"
	"net/netip"
	"sync/atomic"
)

// Proxies are the addresses of trusted proxies, whose X-Forwarded-For counts. A nil *Proxies trusts none. It is
// safe for concurrent use.
type Proxies struct {
	trusted atomic.Pointer[[]netip.Prefix]
}

// NewProxies returns Proxies that trust the addresses.
func NewProxies(trusted []netip.Prefix) *Proxies {
	p := new(Proxies)
	p.Replace(trusted)
	return p
}

// Replace replaces the trusted addresses from the next call on.
func (p *Proxies) Replace(trusted []netip.Prefix) { p.trusted.Store(&trusted) }

// Client calls [Client] with the current trusted addresses.
func (p *Proxies) Client(r *http.Request) netip.Prefix {
	return Client(r.RemoteAddr, r.Header, p.now())
}

// Forwarded calls [Forwarded] with the current trusted addresses.
func (p *Proxies) Forwarded(peer netip.Addr, forwarded string) netip.Prefix {
	return Forwarded(peer, forwarded, p.now())
}

// Peer calls [Peer] with the current trusted addresses.
func (p *Proxies) Peer(remoteAddr string) netip.Prefix {
	return Peer(remoteAddr, p.now())
}

func (p *Proxies) now() []netip.Prefix {
	if p == nil {
		return nil
	}
	return *p.trusted.Load()
}
