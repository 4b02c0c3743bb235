package main

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// network is F2: connections to anything but the server's own call.
func network(r *report, t *targets) {
	for _, to := range []struct{ network, address string }{
		{"tcp", t.TCP}, {"udp", t.UDP}, {"unix", t.Abstract}, {"unix", t.Unix}, {"tcp", "127.0.0.1:6379"}, {"tcp", "[::1]:80"},
		{"unix", "/run/docker.sock"}, {"unix", "/var/run/dbus/system_bus_socket"},
	} {
		r.try("connect to "+to.network+" "+to.address, hello(to.network, to.address))
	}
	for _, at := range []struct{ network, address string }{{"tcp", "127.0.0.1:0"}, {"tcp", ":0"}, {"unix", "@slipstick-evil"}} {
		listener, err := net.Listen(at.network, at.address)
		if err == nil {
			listener.Close()
		}
		if at.network != "unix" { // an abstract name in a new namespace reaches no other process
			r.try("listen on "+at.address, err)
		}
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err == nil {
		packets.Close()
	}
	r.try("listen for packets", err)
	for family := range 50 {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
			if family == unix.AF_UNIX {
				continue
			}
			fd, err := unix.Socket(family, kind, 0)
			if err == nil {
				unix.Close(fd)
			}
			r.try(fmt.Sprintf("make a socket of family %d", family), err)
		}
		if family != unix.AF_UNIX {
			_, err := unix.Socketpair(family, unix.SOCK_STREAM, 0)
			r.try(fmt.Sprintf("make a pair of family %d", family), err)
		}
	}
}

// hello connects and sends a message.
func hello(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte("evil"))
	return err
}
