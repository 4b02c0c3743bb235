package limit

import (
	"net/http"
	"net/netip"
	"sync/atomic"
)

// Proxies are the addresses whose X-Forwarded-For counts. A nil *Proxies trusts none. Its
// methods may be called at the same time.
type Proxies struct {
	trusted atomic.Pointer[[]netip.Prefix]
}

// NewProxies returns Proxies that trust the addresses.
func NewProxies(trusted []netip.Prefix) *Proxies {
	p := new(Proxies)
	p.Replace(trusted)
	return p
}

// Replace makes other addresses trusted, from the next call on.
func (p *Proxies) Replace(trusted []netip.Prefix) { p.trusted.Store(&trusted) }

// Client is [Client] with the addresses that are trusted now.
func (p *Proxies) Client(r *http.Request) netip.Prefix {
	if p == nil {
		return Client(r.RemoteAddr, r.Header, nil)
	}
	return Client(r.RemoteAddr, r.Header, *p.trusted.Load())
}

// Peer is [Peer] with the addresses that are trusted now.
func (p *Proxies) Peer(remoteAddr string) netip.Prefix {
	if p == nil {
		return Peer(remoteAddr, nil)
	}
	return Peer(remoteAddr, *p.trusted.Load())
}
