//go:build unix

package socket

import (
	"fmt"
	"os"
	"syscall"
)

// Pair returns both ends of a connected stream socket. The second one is for another process.
func Pair() (*Conn, *os.File, error) {
	ours, theirs, err := pair()
	if err != nil {
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	conn, err := New(ours)
	if err != nil {
		_ = syscall.Close(ours)
		_ = syscall.Close(theirs)
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	return conn, os.NewFile(uintptr(theirs), "stream of the other process"), nil
}

// pair returns connected stream sockets. The lock prevents a process that starts at the same
// time from inheriting them.
func pair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, err
	}
	for _, end := range ends {
		syscall.CloseOnExec(end)
		_ = syscall.SetNonblock(end, true)
	}
	return ends[0], ends[1], nil
}
