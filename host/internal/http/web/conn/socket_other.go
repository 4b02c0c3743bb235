//go:build !windows && (!(linux && (amd64 || arm64)) || race)

// The race detector infers from ordinary calls that a write happens before the read at the other end. Tests
// with both ends in one process rely on this.

package conn

import "syscall"

// receiveNow reads the bytes that a non-blocking socket has.
func receiveNow(fd uintptr, b []byte) (int, error) { return retried(syscall.Read, fd, b) }

// sendNow writes as many bytes to a non-blocking socket as the system accepts.
func sendNow(fd uintptr, b []byte) (int, error) { return retried(syscall.Write, fd, b) }

func retried(call func(int, []byte) (int, error), fd uintptr, b []byte) (int, error) {
	for {
		if n, err := call(int(fd), b); err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
