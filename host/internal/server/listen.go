package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/slipstick/slipstick/host/internal/source"
)

// listen opens the listener. An invalid address is a [source.SettingError]. An address that cannot
// be used is another error.
func (s *Server) listen() error {
	address := s.config.Addr
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return &source.SettingError{Err: fmt.Errorf("--addr %q is not HOST:PORT, such as 127.0.0.1:8080", address)}
	}
	// Multipath TCP sockets accept no filters, and [conn.Listener.Retire] needs one.
	var plain net.ListenConfig
	plain.SetMultipathTCP(false)
	s.listener, err = plain.Listen(context.Background(), "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("the address %s is taken: another server is running there; choose another with --addr", address)
	case err != nil:
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --addr", address, err)
	}
	s.closers = append(s.closers, func() { _ = s.listener.Close() })
	if s.config.BaseURL == "" {
		s.config.BaseURL = "http://" + s.listener.Addr().String()
	}
	return nil
}
