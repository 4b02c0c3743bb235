package pool

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lockDirectory opens a directory. While it is open, Windows lets no process remove it.
func lockDirectory(path string) (*os.File, error) { return os.Open(path) }

// removeLocked ends the lock of a directory, and then removes it.
func removeLocked(lock *os.File, path string) error {
	return errors.Join(lock.Close(), os.RemoveAll(path))
}

// removeAbandoned removes the directory of a server that was killed. A server that runs has it open.
func removeAbandoned(path string) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return
	}
	dir, err := windows.CreateFile(name, windows.DELETE, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return
	}
	_ = windows.CloseHandle(dir)
	os.RemoveAll(path)
}

// owned reports true: the directory for temporary files belongs to one user.
func owned(fs.FileInfo) bool { return true }
