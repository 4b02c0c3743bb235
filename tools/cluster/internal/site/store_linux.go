package site

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

// Store is a service with the shared data of the servers.
type Store struct {
	Cable   *world.Cable
	machine *world.Machine
	addr    netip.AddrPort
	make    func() (program string, args []string, err error)
	process *world.Process
}

// startTime is how long a service may take to start.
const startTime = 30 * time.Second

// Start starts the service and returns when it accepts connections.
func (s *Store) Start(ctx context.Context) error {
	program, args, err := s.make()
	if err != nil {
		return err
	}
	s.process, err = s.machine.Start(ctx, world.StartOptions{}, program, args...)
	if err != nil {
		return err
	}
	err = await(ctx, program, startTime, func() bool {
		c, err := net.DialTimeout("tcp", s.addr.String(), time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	if err != nil {
		return fmt.Errorf("%w; its output: %s", err, s.process.Output())
	}
	return nil
}

// redis persists all writes, as the snapshot store demands.
func (s *Site) redis() (string, []string, error) {
	dir, err := s.world.Dir("redis")
	return "redis-server", []string{
		"--bind", addrRedis.String(), "--port", fmt.Sprint(portRedis), "--dir", dir, "--protected-mode", "no",
		"--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction", "--save", "",
	}, err
}

func (s *Site) registry() (string, []string, error) {
	dir, err := s.world.Dir("registry")
	if err != nil {
		return "", nil, err
	}
	config, err := s.file("registry", "config.yml", fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", filepath.Join(dir, "data"), netip.AddrPortFrom(addrRegistry, portRegistry)))
	return "docker-registry", []string{"serve", config}, err
}
