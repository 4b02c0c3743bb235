package limit_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

var proxies = []string{"10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48", "::ffff:172.16.0.0/108", "fe80::/10"}

func TestClient(t *testing.T) {
	trusted, err := limit.ParseTrusted(proxies)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		trusted []netip.Prefix
		peer    string
		xff     []string
		want    string
	}{
		{"no proxy", nil, "203.0.113.9:1234", nil, "203.0.113.9/32"},
		{"forged without trusted proxies", nil, "203.0.113.9:1234", []string{"1.2.3.4"}, "203.0.113.9/32"},
		{"forged by a peer that is not trusted", trusted, "203.0.113.9:1234", []string{"1.2.3.4"}, "203.0.113.9/32"},
		{"one proxy", trusted, "10.1.1.1:80", []string{"203.0.113.9"}, "203.0.113.9/32"},
		{"proxy named by address", trusted, "192.0.2.7:80", []string{"203.0.113.9"}, "203.0.113.9/32"},
		{"neighbour of that proxy", trusted, "192.0.2.8:80", []string{"203.0.113.9"}, "192.0.2.8/32"},
		{"forged behind a proxy", trusted, "10.1.1.1:80", []string{"1.2.3.4, 203.0.113.9"}, "203.0.113.9/32"},
		{"two proxies", trusted, "10.1.1.1:80", []string{"1.2.3.4, 203.0.113.9, 10.2.2.2"}, "203.0.113.9/32"},
		{"two lines", trusted, "10.1.1.1:80", []string{"1.2.3.4", "203.0.113.9"}, "203.0.113.9/32"},
		{"trusted over two lines", trusted, "10.1.1.1:80", []string{"1.2.3.4, 203.0.113.9", "10.3.3.3, 10.2.2.2"}, "203.0.113.9/32"},
		{"trusted only", trusted, "10.1.1.1:80", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3/32"},
		{"trusted peer without header", trusted, "10.1.1.1:80", nil, "10.1.1.1/32"},
		{"empty header", trusted, "10.1.1.1:80", []string{""}, "10.1.1.1/32"},
		{"empty elements", trusted, "10.1.1.1:80", []string{"203.0.113.9, ,", ","}, "203.0.113.9/32"},
		{"garbage first", trusted, "10.1.1.1:80", []string{"203.0.113.9, unknown"}, "10.1.1.1/32"},
		{"garbage after a proxy", trusted, "10.1.1.1:80", []string{"203.0.113.9, <script>, 10.2.2.2"}, "10.2.2.2/32"},
		{"garbage left of the client", trusted, "10.1.1.1:80", []string{"';--, 203.0.113.9"}, "203.0.113.9/32"},
		{"garbage on a line of its own", trusted, "10.1.1.1:80", []string{"203.0.113.9", "\x00"}, "10.1.1.1/32"},
		{"leading zeros", trusted, "10.1.1.1:80", []string{"010.0.0.1"}, "10.1.1.1/32"},
		{"with port", trusted, "10.1.1.1:80", []string{"203.0.113.9:5555"}, "203.0.113.9/32"},
		{"port out of range", trusted, "10.1.1.1:80", []string{"203.0.113.9:99999"}, "10.1.1.1/32"},
		{"brackets around IPv4", trusted, "10.1.1.1:80", []string{"[203.0.113.9]"}, "10.1.1.1/32"},
		{"IPv6", trusted, "10.1.1.1:80", []string{"2001:db8:2:3:4:5:6:7"}, "2001:db8:2:3::/64"},
		{"IPv6 in brackets", trusted, "10.1.1.1:80", []string{"[2001:db8:2:3::7]"}, "2001:db8:2:3::/64"},
		{"IPv6 with port", trusted, "10.1.1.1:80", []string{"[2001:db8:2:3::7]:443"}, "2001:db8:2:3::/64"},
		{"open bracket", trusted, "10.1.1.1:80", []string{"[2001:db8:2:3::7"}, "10.1.1.1/32"},
		{"IPv6 peer", nil, "[2001:db8:2:3::7]:443", nil, "2001:db8:2:3::/64"},
		{"trusted IPv6 peer", trusted, "[2001:db8:1::7]:443", []string{"203.0.113.9"}, "203.0.113.9/32"},
		{"zone", trusted, "[fe80::7%eth0]:443", []string{"2001:db8:2:3::7%25eth0"}, "2001:db8:2:3::/64"},
		{"mapped peer", trusted, "[::ffff:10.1.1.1]:80", []string{"::ffff:203.0.113.9"}, "203.0.113.9/32"},
		{"mapped range", trusted, "172.16.1.1:80", []string{"[::ffff:203.0.113.9]:80"}, "203.0.113.9/32"},
		{"peer without port", nil, "203.0.113.9", nil, "203.0.113.9/32"},
		{"Unix socket", trusted, "@", []string{"203.0.113.9"}, "invalid Prefix"},
		{"no peer", trusted, "", []string{"203.0.113.9"}, "invalid Prefix"},
	} {
		h := http.Header{"X-Forwarded-For": tt.xff, "Forwarded": {"for=8.8.8.8"}, "X-Real-Ip": {"8.8.4.4"}}
		if got := limit.Client(tt.peer, h, tt.trusted); got.String() != tt.want {
			t.Errorf("%s: Client(%q, %q) = %v, want %s", tt.name, tt.peer, tt.xff, got, tt.want)
		}
	}
}

func TestParseTrusted(t *testing.T) {
	got, err := limit.ParseTrusted(append(proxies, " 10.1.2.3/8 ", "fe80::1%eth0"))
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, p := range got {
		text = append(text, p.String())
	}
	want := []string{"10.0.0.0/8", "192.0.2.7/32", "2001:db8:1::/48", "172.16.0.0/12", "fe80::/10", "10.0.0.0/8", "fe80::1/128"}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, bad := range []string{"", "10.0.0.0/33", "10.0.0/8", "localhost", "::ffff:10.0.0.0/64", "10.0.0.1:80"} {
		if got, err := limit.ParseTrusted([]string{"10.0.0.0/8", bad}); err == nil || !strings.Contains(err.Error(), `"`+bad+`"`) {
			t.Errorf("ParseTrusted(%q) = %v, %v, want an error that names it", bad, got, err)
		}
	}
}

func FuzzClient(f *testing.F) {
	f.Add("10.1.1.1:80", "1.2.3.4, 203.0.113.9", "10.2.2.2")
	f.Add("[::1%lo]:80", "[2001:db8::1]:443,,", "garbage")
	f.Add("@", ",", "\x00")
	f.Add("[::ffff:10.1.1.1]:80", "[::ffff:1.2.3.4]", "[")
	trusted, err := limit.ParseTrusted(proxies)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, peer, line1, line2 string) {
		h := http.Header{"X-Forwarded-For": {line1, line2}}
		fromPeer := limit.Client(peer, nil, trusted)
		if got := limit.Client(peer, h, nil); got != limit.Client(peer, nil, nil) || got != fromPeer {
			t.Fatalf("Client(%q, %q) = %v without trusted proxies, want %v", peer, h, got, fromPeer)
		}
		client := limit.Client(peer, h, trusted)
		addr, bits := client.Addr(), client.Bits()
		isClient := addr.Is4() && bits == 32 || addr.Is6() && !addr.Is4In6() && addr.Zone() == "" && bits == 64 && client.Masked() == client
		if client != (netip.Prefix{}) && !isClient {
			t.Fatalf("Client(%q, %q) = %v, want IPv4/32 or IPv6/64", peer, h, client)
		}
		h["X-Forwarded-For"] = []string{"6.6.6.6, " + line1, line2}
		if got := limit.Client(peer, h, trusted); got != client && got.String() != "6.6.6.6/32" {
			t.Fatalf("prepending changed %v to %v", client, got)
		}
		limit.NewLocal(nil, &limit.Options{Clients: 1}).Allow(t.Context(), limit.Calc, client)
	})
}
