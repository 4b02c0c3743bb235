package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Visitor is a client of a gateway, with TLS and an API key.
type Visitor struct {
	client *http.Client
	key    string
}

// NewVisitor returns a client with its own address. It connects to the target, and uses the server name of the
// certificate.
func NewVisitor(from netip.Addr, target netip.AddrPort, roots *x509.CertPool, key string) *Visitor {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0)), Timeout: 5 * time.Second}
	return &Visitor{key: key, client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return d.DialContext(ctx, network, target.String())
		},
	}}}
}

// Leave closes the visitor's connections.
func (v *Visitor) Leave() { v.client.CloseIdleConnections() }

// Reply is the response to a visitor.
type Reply struct {
	Status int
	Header http.Header
	Code   string  // code of a problem
	Limit  float64 // limit in a problem about limits
	Body   []byte
}

// Do sends a request: with a body a POST, without one a GET.
func (v *Visitor) Do(ctx context.Context, path, body string) (*Reply, error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://calc.example.org"+path, bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", jsonMedia)
	}
	if v.key != "" {
		req.Header.Set("X-Api-Key", v.key)
	}
	req.Header.Set("X-Forwarded-For", "192.0.2.1") // a false address
	resp, err := v.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	r := &Reply{Status: resp.StatusCode, Header: resp.Header, Body: text}
	_ = json.Unmarshal(text, r) // other answers have no code
	return r, nil
}
