package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/report"
)

// callers is the number of callers with a key.
const callers = 6

func keyOf(caller int) string { return strings.Repeat(fmt.Sprint(caller), 64) }

const calculation = `{"x":7,"calculation_version":"1.0.0"}`

// gateway tests the gateway example: TLS, API keys and limits.
func gateway(ctx context.Context, r *rig) error {
	b := r.site.Gateway
	cert, key, roots, err := certificate()
	if err != nil {
		return err
	}
	keys := ""
	for i := range callers {
		keys += fmt.Sprintf("%q \"caller%d\";\n", keyOf(i), i)
	}
	for name, text := range map[string][]byte{"tls/cert.pem": cert, "tls/key.pem": key, "keys.conf": []byte(keys)} {
		if err := b.Install(name, text); err != nil {
			return err
		}
	}
	if err := b.Start(ctx); err != nil {
		return err
	}
	defer b.Stop()
	g := &gate{rig: r, roots: roots, row: &report.Row{Scenario: "API keys and limits of the gateway", LoadBalancer: "nginx with TLS"}}
	for _, part := range []func(context.Context) error{g.strangers, g.paths, g.rate, g.clients} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if output := b.Output(); strings.Contains(output, keyOf(1)) {
		g.fault("the log has a key")
	}
	r.add(g.row, &load.Tally{}, b)
	return nil
}

// gate is the gateway under test.
type gate struct {
	rig   *rig
	roots *x509.CertPool
	row   *report.Row
	mu    sync.Mutex
}

func (g *gate) fault(format string, args ...any) {
	g.row.Faults = append(g.row.Faults, fmt.Sprintf(format, args...))
}

// visitor returns a client with a unique address.
func (g *gate) visitor(key string) *load.Visitor {
	return load.NewVisitor(g.rig.site.Crowd.Take(), g.rig.site.Gateway.Addr, g.roots, key)
}

// ask sends one request of a new client and compares the status and the code.
func (g *gate) ask(ctx context.Context, v *load.Visitor, path, body string, status int, code string) (*load.Reply, error) {
	got, err := v.Do(ctx, path, body)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.row.Calls++
	if got.Status != status || got.Code != code {
		g.fault("%s: %d %s, want %d %s", path, got.Status, bytes.TrimSpace(got.Body[:min(len(got.Body), 200)]), status, code)
	}
	return got, nil
}

// strangers sends requests without a key, and with an unknown key.
func (g *gate) strangers(ctx context.Context) error {
	for _, key := range []string{"", "guessed"} {
		v := g.visitor(key)
		got, err := g.ask(ctx, v, "/api/v1/calc/cluster-probe", calculation, 401, "UNAUTHORIZED")
		v.Leave()
		if err != nil {
			return err
		}
		if !json.Valid(got.Body) || got.Header.Get("WWW-Authenticate") == "" {
			g.fault("401 without a JSON body or WWW-Authenticate")
		}
	}
	return nil
}

// paths requests the paths that are open without a key, and the paths that are closed.
func (g *gate) paths(ctx context.Context) error {
	v := g.visitor(keyOf(0))
	defer v.Leave()
	made, err := g.ask(ctx, v, "/api/v1/share", `{"tool_id":"cluster-probe","inputs":{"x":0.5},"calculation_version":"1.0.0"}`, 201, "")
	if err != nil {
		return err
	}
	var record struct{ ID string }
	if err := json.Unmarshal(made.Body, &record); err != nil {
		return err
	}
	stranger := g.visitor("")
	defer stranger.Leave()
	if _, err := g.ask(ctx, stranger, "/s/"+record.ID, "", 200, ""); err != nil {
		return err
	}
	for _, path := range []string{"/metrics", "/readyz"} {
		if _, err := g.ask(ctx, v, path, "", 404, ""); err != nil {
			return err
		}
	}
	return nil
}

// The limits of one caller in the example: concurrent calls, and additional calls per second.
const (
	burst = 21
	rate  = 10
)

// rate makes too many calls of one caller, from many addresses. Only this caller is refused.
func (g *gate) rate(ctx context.Context) error {
	began := time.Now()
	const calls = 90
	accepted, refused := 0, 0
	for range calls {
		v := g.visitor(keyOf(1))
		got, err := v.Do(ctx, "/api/v1/calc/cluster-probe", calculation)
		v.Leave()
		if err != nil {
			return err
		}
		g.row.Calls++
		switch {
		case got.Status == 200:
			accepted++
		case got.Status == 429 && got.Code == "RATE_LIMITED" && got.Limit == rate && got.Header.Get("Retry-After") != "":
			refused++
		default:
			g.fault("%d %s", got.Status, got.Body)
		}
	}
	allowed := burst + 1 + int(time.Since(began).Seconds()*rate)
	g.row.Figures = append(g.row.Figures, fmt.Sprintf("a caller without a pause: %d accepted (%d allowed), %d refused (429)", accepted, allowed, refused))
	if accepted > allowed || accepted < burst || refused == 0 {
		g.fault("%d of one caller accepted, %d allowed; %d refused", accepted, allowed, refused)
	}
	other := g.visitor(keyOf(2))
	defer other.Leave()
	_, err := g.ask(ctx, other, "/api/v1/calc/cluster-probe", calculation, 200, "")
	return err
}

// clients sends requests with several keys from one address. The servers must count by the address, and ignore the
// headers of the client.
func (g *gate) clients(ctx context.Context) error {
	addr := g.rig.site.Crowd.Take()
	accepted, refused := 0, 0
	for i := range limit + 5 {
		v := load.NewVisitor(addr, g.rig.site.Gateway.Addr, g.roots, keyOf(2+i%(callers-2)))
		got, err := v.Do(ctx, "/api/v1/calc/cluster-probe", calculation)
		v.Leave()
		if err != nil {
			return err
		}
		g.row.Calls++
		switch {
		case got.Status == 200:
			accepted++
		case got.Status == 429 && got.Limit == limit:
			refused++
		}
	}
	g.row.Figures = append(g.row.Figures, fmt.Sprintf("one client with several keys: %d accepted (%d allowed)", accepted, limit))
	if accepted != limit || refused != 5 {
		g.fault("%d of one address accepted and %d refused, want %d and 5", accepted, refused, limit)
	}
	return nil
}

// certificate returns a certificate of the service, its key, and a pool that trusts it.
func certificate() (cert, key []byte, roots *x509.CertPool, err error) {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"calc.example.org"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	if err != nil {
		return nil, nil, nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		return nil, nil, nil, err
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	return cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), roots, nil
}
