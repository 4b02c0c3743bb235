//go:build linux && (amd64 || arm64) && !race

package conn

import (
	"syscall"
	"unsafe"
)

// receiveNow reads the bytes that a socket has, without waiting. It bypasses the Go scheduler, because
// otherwise every request to an idle server would wake the scheduler's monitor thread.
func receiveNow(fd uintptr, b []byte) (int, error) {
	return transfer(syscall.SYS_RECVFROM, fd, b, syscall.MSG_DONTWAIT)
}

// sendNow writes as many bytes to a socket as the system accepts without waiting; see [receiveNow].
func sendNow(fd uintptr, b []byte) (int, error) {
	return transfer(syscall.SYS_SENDTO, fd, b, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
}

func transfer(trap, fd uintptr, b []byte, flags uintptr) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EAGAIN:
			return 0, syscall.EAGAIN
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
