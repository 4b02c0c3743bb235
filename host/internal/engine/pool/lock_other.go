//go:build !windows

package pool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lockDirectory opens a directory of this user and locks it. It fails if another process has it
// locked, or if the directory was removed. The lock ends with the process.
func lockDirectory(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!owned(info) || info.Mode().Perm()&0o077 != 0) {
		err = fmt.Errorf("%s belongs to another user, or other users can read it", path)
	}
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil && !same(f, path) {
		err = fmt.Errorf("%s was removed", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lockedBefore reports whether another process has the file locked.
func lockedBefore(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// removeLocked removes a directory, and then ends its lock.
func removeLocked(lock *os.File, path string) error {
	return errors.Join(os.RemoveAll(path), lock.Close())
}

// removeAbandoned removes the directory of a server that was killed. A server that runs has it locked.
func removeAbandoned(path string) {
	lock, err := lockDirectory(path)
	if err != nil {
		return
	}
	defer lock.Close()
	if !lockedBefore(filepath.Join(path, formerLock)) {
		os.RemoveAll(path)
	}
}

// owned reports whether a file belongs to the user of this process, or to root.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
