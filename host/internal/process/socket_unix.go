//go:build unix

package process

import (
	"os"
	"syscall"
)

// socketFiles returns a connected pair of stream sockets. The lock prevents a process that
// starts at the same time from inheriting them.
func socketFiles() (*os.File, *os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range pair {
		syscall.CloseOnExec(fd)
		_ = syscall.SetNonblock(fd, true)
	}
	return os.NewFile(uintptr(pair[0]), "stream"), os.NewFile(uintptr(pair[1]), "stream of the engine"), nil
}
