package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// ParseTrusted reads the addresses and CIDR ranges of trusted proxies. The error names the invalid one.
func ParseTrusted(cidrs []string) ([]netip.Prefix, error) {
	var trusted []netip.Prefix
	for _, text := range cidrs {
		p, err := parsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("trusted proxy %q: want an address or a range such as 10.0.0.0/8: %w", text, err)
		}
		trusted = append(trusted, p)
	}
	return trusted, nil
}

func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		addr, err := netip.ParseAddr(text)
		addr = plain(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), err
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, err
	}
	if p.Addr().Is4In6() {
		const mapped = 128 - 32
		if p.Bits() < mapped {
			return p, fmt.Errorf("mixes IPv4 and IPv6")
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), nil
}

// Client returns the client that a call counts for: an IPv4 address (/32), or the /64 of an IPv6 address. An
// IPv4-mapped IPv6 address is treated as the IPv4 address.
//
// The client is the peer of the connection, unless the peer is trusted. If it is trusted, Client reads the
// entries of X-Forwarded-For from the right. It skips trusted addresses and stops at the first untrusted one;
// entries to its left may be forged. If an entry is not an address, or there are no more entries, the client is
// the last address read. Client ignores ports, brackets and zones of addresses, and all other header fields. A
// peer without an address (a Unix socket) is not trusted, and all such peers are one client, the zero Prefix.
func Client(remoteAddr string, header http.Header, trusted []netip.Prefix) netip.Prefix {
	return Forwarded(Addr(remoteAddr), strings.Join(header.Values("X-Forwarded-For"), ","), trusted)
}

// Forwarded is like Client for the peer's address and the value of X-Forwarded-For. Commas join the lines of
// several fields. Forwarded keeps no reference to the text.
func Forwarded(peer netip.Addr, forwarded string, trusted []netip.Prefix) netip.Prefix {
	client := peer
	for more := true; more && contains(trusted, client); {
		var entry string
		forwarded, entry, more = cutLast(forwarded)
		if entry == "" { // RFC 9110, 5.6.1: empty elements of a list are ignored
			continue
		}
		addr, ok := parseAddr(entry)
		if !ok {
			break
		}
		client = addr
	}
	return bucket(client)
}

// Addr returns the address of a peer without its port, or the zero Addr if it has none.
func Addr(remoteAddr string) netip.Addr {
	addr, _ := parseAddr(remoteAddr)
	return addr
}

// Peer returns the client of a connection by its remote address, like Client. For a trusted
// peer it returns the zero Prefix, because its connections carry the calls of many clients.
func Peer(remoteAddr string, trusted []netip.Prefix) netip.Prefix {
	if peer, ok := parseAddr(remoteAddr); ok && !contains(trusted, peer) {
		return bucket(peer)
	}
	return netip.Prefix{}
}

// cutLast splits off the last element of a list.
func cutLast(list string) (rest, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], strings.Trim(list[i+1:], " \t"), i >= 0
}

// bucket returns the client of an address, and the zero Prefix for the zero Addr.
func bucket(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}

func contains(trusted []netip.Prefix, addr netip.Addr) bool {
	for _, p := range trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddr reads an address that may have brackets, a zone and a port.
func parseAddr(text string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return plain(addr), true
	}
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return plain(ap.Addr()), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if ok {
			addr, err := netip.ParseAddr(inner)
			return plain(addr), err == nil && addr.Is6()
		}
	}
	return netip.Addr{}, false
}

func plain(addr netip.Addr) netip.Addr { return addr.WithZone("").Unmap() }
