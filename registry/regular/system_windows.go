package regular

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// WithoutWaiting has no meaning where pipes are not files.
const WithoutWaiting = 0

// lockedByte is far after the end of every file, because Windows lets no other process read what is locked.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// TryLock locks an open file against other processes. It reports false if another process has the lock. The
// lock ends when the file is closed, or with the process.
func TryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock does nothing: closing the file ends the lock.
func Unlock(*os.File) error { return nil }

// KeepOwner does nothing, because a new file has the access list of its directory.
func KeepOwner(*os.File, os.FileInfo) {}

// SameOwner returns true, because access lists decide who can write to a file.
func SameOwner(_, _ os.FileInfo) bool { return true }

// Permits returns 0: Windows has access lists in place of these permissions, and new files have the list of
// their directory.
func Permits(os.FileInfo, os.FileMode) os.FileMode { return 0 }

// Links returns the number of names of an open file.
func Links(f *os.File) (uint64, error) {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return uint64(info.NumberOfLinks), err
}
