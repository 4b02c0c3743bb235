//go:build !unix

package pool

import "os"

// lockFile cannot tell here whether another process has the file locked, so nothing is
// ever taken for abandoned.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
