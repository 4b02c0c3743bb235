//go:build !(linux && (amd64 || arm64)) || race

// The race detector takes ordinary calls as proof that what is written comes before what the
// other end reads, which tests with both ends in one process rely on.

package conn

import "syscall"

// receiveNow reads what a socket that does not block has.
func receiveNow(fd uintptr, b []byte) (int, error) { return retried(syscall.Read, fd, b) }

// sendNow writes to a socket that does not block what the system takes.
func sendNow(fd uintptr, b []byte) (int, error) { return retried(syscall.Write, fd, b) }

func retried(call func(int, []byte) (int, error), fd uintptr, b []byte) (int, error) {
	for {
		if n, err := call(int(fd), b); err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
