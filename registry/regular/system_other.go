//go:build !windows

package regular

import (
	"errors"
	"os"
	"syscall"
)

// WithoutWaiting is a flag that opens a pipe at once, also if no process writes to it.
const WithoutWaiting = syscall.O_NONBLOCK

// TryLock locks an open file against other processes. It reports false if another process has the lock. The
// lock ends when the file is closed, or with the process.
func TryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// Unlock ends the lock of a file whose memory stays mapped. On Windows, closing the file does it.
func Unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// KeepOwner gives an open file the owner and the group of another file or of its directory. Without the right to do so, it
// changes nothing.
func KeepOwner(f *os.File, of os.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}

// SameOwner reports whether two files belong to one user.
func SameOwner(a, b os.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, also := b.Sys().(*syscall.Stat_t)
	return ok && also && one.Uid == other.Uid
}

// Permits returns which of the permissions a file gives.
func Permits(info os.FileInfo, permissions os.FileMode) os.FileMode {
	return info.Mode().Perm() & permissions
}

// Links returns the number of names of an open file.
func Links(f *os.File) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return uint64(info.Sys().(*syscall.Stat_t).Nlink), nil
}
