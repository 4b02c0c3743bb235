//go:build !unix

package socket

import (
	"errors"
	"os"
)

// Conn is one end of a connected stream socket. This system does not support it.
type Conn struct{ *os.File }

// New returns [errors.ErrUnsupported].
func New(int) (*Conn, error) { return nil, errors.ErrUnsupported }

// Pair returns [errors.ErrUnsupported].
func Pair() (*Conn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// WakeMonitor does nothing here: every Read wakes the monitor thread of the Go runtime.
func WakeMonitor() {}
