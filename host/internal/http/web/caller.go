package web

import (
	"net/netip"
	"sync/atomic"
	"unsafe"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/versions"
)

// Caller is the peer of a connection. A [Direct] answers its requests one at a time.
type Caller struct {
	peer   string // the address of the connection
	addr   netip.Addr
	ending *atomic.Bool

	// The following fields cache values that most requests of a connection share.
	path    string
	pinText string
	pins    []versions.Pin
}

// NewCaller returns the Caller with the address. While ending is true, every answer is the last answer of its
// connection.
func NewCaller(peer string, ending *atomic.Bool) *Caller {
	return &Caller{peer: peer, addr: limit.Addr(peer), ending: ending}
}

// pathOf returns the path of the request.
func (c *Caller) pathOf(r *Calculation) string {
	if string(r.Path) != c.path {
		c.path = string(r.Path)
	}
	return c.path
}

// pinsOf returns the pins of the request outside its body.
func (c *Caller) pinsOf(r *Calculation) []versions.Pin {
	if !r.Pinned {
		return nil
	}
	if c.pins == nil || string(r.Pin) != c.pinText {
		c.pinText = string(r.Pin)
		c.pins = versions.Header([]string{c.pinText})
	}
	return c.pins
}

// clientOf returns the client that the request counts against.
func (c *Caller) clientOf(r *Calculation, proxies *limit.Proxies) netip.Prefix {
	return proxies.Forwarded(c.addr, unsafe.String(unsafe.SliceData(r.Forwarded), len(r.Forwarded))) // Forwarded keeps no reference
}
