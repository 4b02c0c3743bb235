//go:build !linux

package conn

import (
	"errors"
	"net"
)

// ignoreNew is not possible here.
func ignoreNew(net.Listener) error { return errors.ErrUnsupported }

// queued is not possible here: connections that wait when the listener closes can be lost.
func queued(net.Listener) bool { return false }

// pending is not possible here: bytes that arrive when a connection ends can be lost.
func pending(net.Conn) bool { return false }
