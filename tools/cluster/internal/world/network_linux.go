package world

import (
	"fmt"
	"net/netip"
)

// Net is a network: a switch with the process of the world and machines connected to it.
type Net struct {
	world *Testbed
	name  string
	bits  int
}

// NewNet creates a network. The name has at most eight letters.
func (w *Testbed) NewNet(name string, own netip.Prefix) (*Net, error) {
	n := &Net{world: w, name: name, bits: own.Bits()}
	for _, args := range [][]string{
		{"link", "add", name, "type", "bridge"},
		{"address", "add", own.String(), "dev", name},
		{"link", "set", name, "up"},
	} {
		if err := run("ip", args...); err != nil {
			return nil, &UnavailableError{err}
		}
	}
	return n, nil
}

// Machine is a network namespace.
type Machine struct {
	Name  string
	world *Testbed
}

// NewMachine creates a machine without cables.
func (w *Testbed) NewMachine(name string) (*Machine, error) {
	if err := run("ip", "netns", "add", name); err != nil {
		return nil, &UnavailableError{err}
	}
	return &Machine{Name: name, world: w}, run("ip", "-n", name, "link", "set", "lo", "up")
}

// Cable connects a machine and a network.
type Cable struct{ end string }

// Plug connects the machine to the network, with an address.
func (n *Net) Plug(m *Machine, addr netip.Addr) (*Cable, error) {
	c := &Cable{end: m.Name + "." + n.name}
	for _, args := range [][]string{
		{"link", "add", c.end, "type", "veth", "peer", "name", n.name, "netns", m.Name},
		{"link", "set", c.end, "master", n.name},
		{"-n", m.Name, "address", "add", netip.PrefixFrom(addr, n.bits).String(), "dev", n.name},
		{"-n", m.Name, "link", "set", n.name, "up"},
		{"link", "set", c.end, "up"},
	} {
		if err := run("ip", args...); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Cut stops all traffic, in both directions, without a notification to either end.
func (c *Cable) Cut() error { return run("ip", "link", "set", c.end, "down") }

// Mend undoes Cut.
func (c *Cable) Mend() error { return run("ip", "link", "set", c.end, "up") }

// Crowd gives the process of the world every address of a range, so that it can simulate that many clients. The
// machines answer them through the network, where the process has the address via.
func (w *Testbed) Crowd(clients netip.Prefix, via netip.Addr, machines ...*Machine) error {
	if err := run("ip", "route", "add", "local", clients.String(), "dev", "lo"); err != nil {
		return err
	}
	for _, m := range machines {
		if err := run("ip", "-n", m.Name, "route", "add", clients.String(), "via", via.String()); err != nil {
			return fmt.Errorf("clients of %s: %w", m.Name, err)
		}
	}
	return nil
}
