//go:build unix

package wire

import (
	"errors"
	"io"
	"syscall"
)

// blocking is a descriptor whose reads and writes block in the operating system. An os.File
// would wait in Go's poller instead, whatever the mode of the descriptor.
type blocking int

func blockingFile(fd int) (io.ReadWriteCloser, error) {
	syscall.CloseOnExec(fd)
	return blocking(fd), syscall.SetNonblock(fd, false)
}

// Read implements [io.Reader].
func (fd blocking) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), b)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements [io.Writer].
func (fd blocking) Write(b []byte) (int, error) {
	written := 0
	for written < len(b) {
		n, err := syscall.Write(int(fd), b[written:])
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return written, err
		}
		written += max(0, n)
	}
	return written, nil
}

// Close implements [io.Closer].
func (fd blocking) Close() error { return syscall.Close(int(fd)) }
