// Package site starts a small data center: three servers, a Redis, an OCI registry, and load balancers with the
// settings of the published examples. [Build] creates a [Site]; its [Server] and [LoadBalancer] values are started,
// queried and stopped one by one.
package site

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/load"
	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

// Servers is the number of servers.
const Servers = 3

// Options are the directories of the programs and settings of a site.
type Options struct {
	Programs string // directory of slipstick, and of engine-N.0.0
	Deploy   string // directory of the published examples
}

// Site is a running data center.
type Site struct {
	Servers  [Servers]*Server
	Redis    *Store
	Registry *Store
	HAProxy  *LoadBalancer
	Nginx    *LoadBalancer
	Gateway  *LoadBalancer

	Truth *load.Truth
	Crowd *load.Crowd

	options Options
	world   *world.Testbed
	office  *world.Machine // the machine that publishes versions
}

// The addresses in the examples.
var (
	front   = netip.MustParsePrefix("10.88.0.254/24") // load balancers and servers
	back    = netip.MustParsePrefix("10.88.1.254/24") // servers, Redis, registry
	clients = netip.MustParsePrefix("10.99.0.0/16")

	addrHAProxy  = netip.MustParseAddr("10.88.0.2")
	addrNginx    = netip.MustParseAddr("10.88.0.3")
	addrGateway  = netip.MustParseAddr("10.88.0.4")
	addrRedis    = netip.MustParseAddr("10.88.1.2")
	addrRegistry = netip.MustParseAddr("10.88.1.3")
	addrOffice   = netip.MustParseAddr("10.88.1.9")
)

const (
	portServer   = 8080
	portRegistry = 5000
	portRedis    = 6379
	library      = "oci://10.88.1.3:5000/team/calc"
)

// Build builds the site and starts its stores: Redis and the registry. The caller starts servers and load
// balancers.
func Build(ctx context.Context, o Options) (*Site, error) {
	w, err := world.Enter("/etc/haproxy", "/etc/nginx")
	if err != nil {
		return nil, err
	}
	s := &Site{options: o, world: w, Truth: load.NewTruth(), Crowd: load.NewCrowd(clients)}
	if err := s.wire(); err != nil {
		return nil, err
	}
	if err := s.Redis.Start(ctx); err != nil {
		return nil, err
	}
	return s, s.Registry.Start(ctx)
}

// wire creates the networks, the machines and the cables.
func (s *Site) wire() error {
	frontNet, err := s.world.NewNet("front", front)
	if err != nil {
		return err
	}
	backNet, err := s.world.NewNet("back", back)
	if err != nil {
		return err
	}
	plug := func(name string, net *world.Net, addr netip.Addr) (*world.Machine, *world.Cable, error) {
		m, err := s.world.NewMachine(name)
		if err != nil {
			return nil, nil, err
		}
		c, err := net.Plug(m, addr)
		return m, c, err
	}
	var asked []*world.Machine
	for i := range s.Servers {
		addr := netip.AddrFrom4([4]byte{10, 88, 0, byte(11 + i)})
		m, cable, err := plug(fmt.Sprintf("host%d", i+1), frontNet, addr)
		if err != nil {
			return err
		}
		inner, err := backNet.Plug(m, netip.AddrFrom4([4]byte{10, 88, 1, byte(11 + i)}))
		if err != nil {
			return err
		}
		s.Servers[i] = &Server{Addr: netip.AddrPortFrom(addr, portServer), Front: cable, Back: inner, machine: m, site: s, Program: filepath.Join(s.options.Programs, "slipstick")}
		asked = append(asked, m)
	}
	for _, b := range []struct {
		name string
		addr netip.Addr
		to   **LoadBalancer
		make func(*LoadBalancer)
	}{
		{"haproxy", addrHAProxy, &s.HAProxy, useHAProxy},
		{"nginx", addrNginx, &s.Nginx, useNginx},
		{"gateway", addrGateway, &s.Gateway, useGateway},
	} {
		m, _, err := plug(b.name, frontNet, b.addr)
		if err != nil {
			return err
		}
		*b.to = &LoadBalancer{Addr: netip.AddrPortFrom(b.addr, 80), machine: m, site: s}
		b.make(*b.to)
		asked = append(asked, m)
	}
	m, cable, err := plug("redis", backNet, addrRedis)
	if err != nil {
		return err
	}
	s.Redis = &Store{Cable: cable, machine: m, addr: netip.AddrPortFrom(addrRedis, portRedis), make: s.redis}
	m, cable, err = plug("registry", backNet, addrRegistry)
	if err != nil {
		return err
	}
	s.Registry = &Store{Cable: cable, machine: m, addr: netip.AddrPortFrom(addrRegistry, portRegistry), make: s.registry}
	s.office, _, err = plug("office", backNet, addrOffice)
	if err != nil {
		return err
	}
	return s.world.Crowd(clients, front.Addr(), asked...)
}

// file writes a file of the world.
func (s *Site) file(dir, name, text string) (string, error) {
	dir, err := s.world.Dir(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// await polls until yes returns true.
func await(ctx context.Context, what string, within time.Duration, yes func() bool) error {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	for !yes() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not within %s", what, within)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
