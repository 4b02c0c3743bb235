//go:build !linux

package conn

import (
	"errors"
	"net"
)

// ignoreNew is not possible here.
func ignoreNew(net.Listener) error { return errors.ErrUnsupported }

// queued is not asked here: what waits when the listener closes may be lost.
func queued(net.Listener) bool { return false }

// pending is not asked here: what was received when a connection ends may be lost.
func pending(net.Conn) bool { return false }
